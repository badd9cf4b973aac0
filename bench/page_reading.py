#!/usr/bin/python3
"""page_reading.py RESULT.json DOCS: the section of DOCS/performance.md about reading rows, from the result of
`script/bench --full reading`, which is kept as DOCS/figures/performance-reading.json."""
import sys

import page_section

TEXT = '''
## Reading rows

Written by `script/bench --full --page reading` or, from its result, by `bench/page_reading.py`: a run on {date} ({cpu}, commit {commit}, load before it {load}); `figures/performance-reading.json` is that run. Megabytes of the file a second of processor time, one thread, the file in the page cache: ours from opening the
file until a case is ready for its first step (mapped or parsed, hashed, every number checked, moments and covariances of the {columns} columns), the peer's until the numbers are in memory and summed, imports apart. Turns alternate, and other work ran beside them where the load says so; medians of {turns} turns with
quartiles, ratios ours over the peer's. Peak: resident memory of `meshbayes fit` with one component and one round, less the {empty:.1f} MB of a program that does nothing, over the bytes of the file (NPY) or of its rows as doubles (CSV).

| file | MB | MB/s | peer | its MB/s | ratio | peak |
|---|---|---|---|---|---|---|
{rows}

A file of {long:.1f} GB, most of it a hole, float64: `fit` needs {fit:.0f} MB at its peak, `score` {score:.0f} MB; both read it in pieces, whatever its length (goal: below 300 MB).

{verdict}
<!-- -->'''


def rate(s):
    return f'{s["median"]:.0f} ({s["low"]:.0f} to {s["high"]:.0f})'


def ratio(s):
    return f'{s["median"]:.2f} ({s["low"]:.2f} to {s["high"]:.2f})'


def lines(f):
    left = [f['file'], f'{f["bytes"] / 1e6:.0f}', rate(f['mb_s'])]
    peak = f'{(f["peak"] - f["empty"]) / f["held"]:.2f}'
    return ['| ' + ' | '.join([*left, p['peer'], rate(p['mb_s']), ratio(p['ratio']), peak]) + ' |' for p in f['peers']]


def verdict(files):
    """The goals: 0.7 of numpy.load, 3 times pandas (numpy.loadtxt where pandas is not there)."""
    words = []
    for f in files:
        for p in f['peers']:
            goal = {'numpy.load': 0.7, 'pandas': 3}.get(p['peer'])
            if goal:
                words.append(f'{f["file"]} against {p["peer"]}: goal {goal}, {"reached" if p["ratio"]["median"] >= goal else "missed"}')
    return '; '.join(words) + '.'


def section(run, result):
    files = result['files']
    return TEXT.format(date=run['date'][:10], cpu=run['machine']['cpu'], load=run['machine']['load_before'], commit=run['commit'],
                       columns=result['columns'], turns=f'{result["turns"]:.0f}', empty=files[0]['empty'] / 1e6,
                       rows='\n'.join(line for f in files for line in lines(f)), long=result['long']['bytes'] / 1e9,
                       fit=result['long']['fit'] / 1e6, score=result['long']['score'] / 1e6, verdict=verdict(files))


if __name__ == '__main__':
    page_section.write_section(sys.argv, __doc__, 'reading', 'performance-reading.json', section)

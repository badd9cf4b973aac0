"""page_models.py RESULT.json DOCS: the section of DOCS/performance.md about the answers of every model, from
the result of `script/bench --full models`, which is kept as DOCS/figures/performance-models.json."""
import json
import os
import sys

TEXT = '''
## Every model against a peer

Written by `script/bench --full --page models` or, from its result, by `bench/page_models.py`: a run on {date} ({cpu}, commit {commit}, load before it {load}); `figures/performance-models.json` is that run. Processor seconds from the file of {n:,} rows (NPY) to the
written posterior, one thread and one initialisation, against those of the peer from reading the file to the fitted estimator; imports and the start of Python or R are not counted. Turns
alternate, and other work ran beside them where the load says so; medians of {turns}, ratios with quartiles (peer over ours, above 1: ours is faster). Both stop by their own rules, ours at `--tol` {tol}, so passes over the rows differ.

| model | columns | K | ours, s | rounds | peer | its s | its iterations | ratio |
|---|---|---|---|---|---|---|---|---|
{rows}

{slower}
<!-- -->'''


def number(x):
    return f'{x:.3g}' if x < 100 else f'{x:.0f}'


def line(r):
    words = [r['model'], str(r['columns']), str(r['K'] or '-'), number(r['seconds']['median']), str(r['rounds']), r['peer']]
    if 'ratio' in r:
        q = r['ratio']
        words += [number(r['peer_seconds']['median']), str(r['peer_iterations'] or '-'),
                  f'{number(q["median"])} ({number(q["low"])} to {number(q["high"])})']
    else:
        words += ['-', '-', '-']
    return '| ' + ' | '.join(words) + ' |'


def slower(rows):
    behind = [r['model'] for r in rows if 'ratio' in r and r['ratio']['median'] < 1]
    if not behind:
        return 'No peer is faster.'
    return f'Slower than the peer: {"; ".join(behind)}. The reasons are in [models](models.md#speed).'


def section(run, result):
    rows = result['rows']
    return TEXT.format(date=run['date'][:10], cpu=run['machine']['cpu'], load=run['machine']['load_before'], commit=run['commit'],
                       n=rows[0]['n'], turns=rows[0]['seconds']['count'], tol='3e-7', rows='\n'.join(map(line, rows)),
                       slower=slower(rows))


def write_section(argv, usage, name, kept, make):
    """The section between the markers of the benchmark `name`, and its result beside the page."""
    if len(argv) != 3:
        sys.exit(usage)
    with open(argv[1], encoding='utf-8') as f:
        run = json.load(f)
    run['results'] = [result for result in run['results'] if result['bench'] == name]
    if len(run['results']) != 1:
        sys.exit(f'{argv[1]}: results of "{name}": {len(run["results"])}, accepted: 1')
    text = make(run, run['results'][0]).replace('\n<!-- -->', '\n')
    begin, end = f'<!-- script/bench {name} -->', f'<!-- end of script/bench {name} -->'
    with open(os.path.join(argv[2], 'figures', kept), 'w', encoding='utf-8') as f:
        f.write(json.dumps(run, indent=1) + '\n')
    path = os.path.join(argv[2], 'performance.md')
    with open(path, encoding='utf-8') as f:
        before, rest = f.read().split(begin)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(before + begin + text + end + rest.split(end)[1])


if __name__ == '__main__':
    write_section(sys.argv, __doc__, 'models', 'performance-models.json', section)

"""page_passes.py RESULT.json DOCS: the section of DOCS/performance.md about passes with and without
extrapolated steps, from the result of `script/bench --full --data=DIR passes`, which is kept as
DOCS/figures/performance-passes.json."""
import sys

import page_section

NAME = 'passes'
TEXT = '''
## Passes with and without extrapolated steps

Written by `script/bench --full --data=DIR --page passes` or, from its result, by `bench/page_passes.py`: a run on {date} (commit {commit}); `figures/performance-passes.json` is that run. Passes over the rows of `fit --n-init 1` with `--accelerate off` and `auto` ([math](math.md), section 27) until the bound is within {tolerance} (relative) of the one the run ends with at `--tol` {tol}; "to settled" is the ratio of
all passes of the run. Medians over {each} starts of each problem, in brackets quartiles. Better and worse: starts whose bound at the end differs by more than {same}, relative. The largest fall is that of the bound from one pass to the next, relative, over all extrapolated runs. Passes do not depend on time or machine load.

| problem | rows | columns | K | plain | extrapolated | ratio | to settled | better | worse | largest fall |
|---|---|---|---|---|---|---|---|---|---|---|
{rows}

Geometric mean of the medians: 1/{ratio} of the passes, to settled 1/{settled}. Of {starts} starts {share:.1f} % end at an equal or better bound.
<!-- -->'''


def number(x):
    return f'{x:.0f}' if x >= 20 else f'{x:.1f}'


def cell(s, of):
    return f'{of(s["median"])} ({of(s["low"])} to {of(s["high"])})'


def section(run, result):
    ratio = lambda x: f'{x:.2f}'
    rows = ['| ' + ' | '.join([p['problem'], f'{p["n"]:,}', str(p['columns']), str(p['K']), cell(p['plain'], number),
                               cell(p['accelerated'], number), cell(p['ratio'], ratio), cell(p['settled'], ratio),
                               str(p['better']), str(p['worse']), f'{p["largest_fall"]:.0e}']) + ' |'
            for p in result['problems']]
    return TEXT.format(date=run['date'][:10], commit=run['commit'], tolerance=result['tolerance'], tol=result['tol'],
                       same=result['same'], each=max(p['starts'] for p in result['problems']), rows='\n'.join(rows),
                       ratio=ratio(result['ratio']), settled=ratio(result['settled']), starts=result['starts'],
                       share=100 * result['equal_or_better'])


if __name__ == '__main__':
    page_section.write_section(sys.argv, __doc__, NAME, 'performance-passes.json', section)

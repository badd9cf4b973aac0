"""matrix_page.py: the section of docs/performance.md that script/matrix writes, between its markers."""
BEGIN, END = '<!-- script/matrix -->', '<!-- end of script/matrix -->'
NAMES = ('edge', 'tree', 'flow', 'admm')

TEXT = '''
## Which algorithm settles where

Written by `script/matrix`; {runs} runs{missing}. Rows of the paper's synthetic problem, the prior of scikit-learn's defaults, centres by k-means
and at most 40,000 rounds. A cell has the rounds until the run settled and, in brackets, the kilobytes that a node sent until then. "-": refused, because the algorithm needs
every message. Every settled run was checked outside the program: no node is farther than 1e-6 from one centralised step at the mean of all nodes.
Every run that did not settle says so by its exit status or a warning. The column "elsewhere" counts runs that were stationary, but not at the centralised solution.

| | settled | elsewhere | moving | failed | runs |
|---|---|---|---|---|---|
{totals}

K = 3 has as many components as the data have clusters. K = 8 has too many: several components share a cluster, and central VB itself needs hundreds of rounds. Loss is
the probability that a message is lost, each direction by itself; a delay of d means 0 to d rounds, uniformly.

| network | rows a node | K | loss | delay | EDGE | TREE | FLOW | dVB-ADMM |
|---|---|---|---|---|---|---|---|---|
{rows}
'''


def cell(r):
    if r is None:
        return ''
    if r['verdict'] == 'refused':
        return '-'
    if r['verdict'] != 'settled':
        return r['verdict']
    return f'{r["rounds"]} ({r["bytes"] / r["nodes"] / 1000:,.0f})'


def table(results):
    lines = {}
    for r in results:
        key = r['topology'], r['rows'], r['K'], r['loss'], r['delay']
        lines.setdefault(key, {})[r['algorithm']] = r
    for (topology, rows, K, loss, delay), by in lines.items():
        yield (f'| {topology} | {rows} | {K} | {loss} | {delay} | '
               + ' | '.join(cell(by.get(name)) for name in NAMES) + ' |')


def totals(results):
    for name in NAMES:
        mine = [r['verdict'] for r in results if r['algorithm'] == name and r['verdict'] != 'refused']
        if mine:
            counts = [str(mine.count(v)) for v in ('settled', 'elsewhere', 'moving', 'failed')]
            yield f'| `{name}` | ' + ' | '.join(counts) + f' | {len(mine)} |'


def write_section(path, begin, end, text):
    """What stands between the markers in the page; a page without them gets both at its end."""
    with open(path, encoding='utf-8') as f:
        page = f.read()
    if begin not in page:
        page += f'\n{begin}{end}\n'
    before, rest = page.split(begin)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(before + begin + text + end + rest.split(end)[1])


def write_page(path, results, missing=0):
    made = [r for r in results if r['verdict'] != 'refused']
    text = TEXT.format(runs=len(made), totals='\n'.join(totals(results)), rows='\n'.join(table(results)),
                       missing=f', {missing} of its runs are missing here' if missing else '')
    write_section(path, BEGIN, END, text)

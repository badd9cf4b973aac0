"""page_networks.py RESULT.json DOCS: the section of DOCS/performance.md about rounds, vectors and bytes on
seven networks that lose messages, from the result of `script/bench --full networks`, which is kept as
DOCS/figures/performance-networks.json. Rows that a result with --rows leaves out are those of the kept one."""
import json
import os
import sys

import page_section

NAME, KEPT = 'networks', 'performance-networks.json'
ROWS = 7 * 4 * 4                                   # networks, losses, algorithms
TEXT = '''
## Rounds, vectors and bytes on networks that lose messages

Written by `script/bench --full --page networks` or, from its result, by `bench/page_networks.py`: a run on {date} (commit {commit}){others}; `figures/performance-networks.json` is that run. The paper's rows, 100 a node, three components, `--tol {tol}`, until settled, {rounds} rounds at most. Medians of the draws that settled, of {draws} (FLOW: {draws_flow}) of the network, the initialisation and the losses; how many settled where not all did. A loss is that of a link in a round, in both directions. In each cell: rounds; vectors
that a node sends, which are its bytes over those of the numbers of a message of phi; megabytes of all nodes, with heads and acknowledgements, without the initialisation. "rounds a pass" are those of SUM, with the acknowledgements it waits for. Neither depends on time or machine load.

| network | loss | EDGE | TREE | FLOW | SUM | SUM: rounds a pass |
|---|---|---|---|---|---|---|
{rows}

One centralised step from the mean of the nodes moved no number of any settled run by more than {moved:.0e}, relative, and no node was farther than that from the mean. SUM has the fewest bytes everywhere; in rounds EDGE is quicker on rings, long paths and grids ([which algorithm](howto/algorithms.md)).
<!-- -->'''


def cell(found):
    if not found['settled']:
        return 'none settled'
    some = '' if found['settled'] == found['draws'] else f' ({found["settled"]} of {found["draws"]})'
    return f'{found["rounds"]:.0f}; {page_section.number(found["vectors"])}; {page_section.number(found["bytes"] / 1e6)}{some}'


def name(row):
    return row['network'], row['loss'], row['algorithm']


def complete(run, result):
    """Takes the other rows from the result that is kept; each row says its run where they are several."""
    with open(os.path.join(sys.argv[2], 'figures', KEPT), encoding='utf-8') as f:
        kept = json.load(f)
    for row in result['table']:
        row['run'] = [run['date'][:10], run['commit']]
    new = {name(row): row for row in result['table']}
    result['table'] = [new.get(name(row), row) for row in kept['results'][0]['table']]
    result['moved'] = max(row['moved'] for row in result['table'] if row['settled'])
    run['date'], run['commit'] = kept['date'], kept['commit']


def section(run, result):
    if len(result['table']) < ROWS:
        complete(run, result)
    later = {(row['algorithm'], *row['run']) for row in result['table'] if 'run' in row}
    others = ''.join(f', {algorithm.upper()} on {date} (commit {commit})' for algorithm, date, commit in sorted(later))
    cells = {name(r): r for r in result['table']}
    lines = []
    for network, loss in dict.fromkeys((r['network'], r['loss']) for r in result['table']):
        of = [cells[network, loss, algorithm] for algorithm in ('edge', 'tree', 'flow', 'sum')]
        lines.append('| ' + ' | '.join([network, f'{loss:g}', *map(cell, of), f'{of[3]["rounds_pass"]:.1f}' if of[3]['settled'] else '']) + ' |')
    return TEXT.format(date=run['date'][:10], commit=run['commit'], others=others, tol=result['tol'], rounds=result['rounds'], draws=result['draws'],
                       draws_flow=result['draws_flow'], rows='\n'.join(lines), moved=result['moved'])


if __name__ == '__main__':
    page_section.write_section(sys.argv, __doc__, NAME, KEPT, section)

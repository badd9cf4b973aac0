"""page_ranks.py - the part of docs/performance.md about processes: what was measured on this machine, and
a model of what would be on more."""
import math

ASKED, ASKED_NODES = 1.8, 100000
NUMBERS = 24          # of a message: L for D = 2, K = 3
WHOLE = 150           # bytes a node of the whole network, which each process of the benchmark has
MAKING = 260          # bytes a node that process 0 of the program has while it makes the network
EVERYWHERE = 16       # bytes a node that every process has: first rows, a metric
NETWORK = 10e9 / 8    # bytes a second into a process
LATENCY = 5e-6        # seconds a message
SUMS = 2              # that all processes agree on in a round: errors, and the stop rule


def ranks_table(ranks, table, mid, number, size):
    if not ranks['runs']:
        return f'Not measured: {ranks.get("left_out")}.'
    rows = [[r['kind'], number(r['nodes']), mid(r['us_one']), mid(r['us_two']), mid(r['ratio']),
             mid(r['exchange'], 100), size(r['peak_bytes'])] for r in ranks['runs']]
    rows += [['', number(r['nodes']), r['why'], '', '', '', ''] for r in ranks['left_out']]
    return table(['scaling', 'nodes on two', 'us a node and round, one', 'us, two', 'ratio',
                  'exchange, %', 'memory of a process'], rows)


def goal_rows(ranks, goal, number):
    """Two processes against one at 1e5 nodes, unless the memory allows less."""
    asked, rows = min(ASKED, ranks.get('triad_two', ASKED)), []
    for r in ranks['runs']:
        if r['kind'] == 'strong' and r['nodes'] == ASKED_NODES:
            got = r['ratio']['median']
            rows.append(goal('two processes against one, 100 000 nodes', f'{number(asked)} x',
                             f'{number(got)} x', got >= asked))
    return rows


def model_table(ranks, table, number, size):
    """Of the largest network that was measured: seconds and bytes a node, on one process."""
    strong = [r for r in ranks['runs'] if r['kind'] == 'strong']
    if not strong:
        return ''
    last = max(strong, key=lambda r: r['nodes'])
    us, held = last['us_one']['median'], last['peak_bytes'] * 2 / last['nodes'] - WHOLE
    rows = []
    for nodes, processes in ((1e6, 2), (1e6, 64), (1e8, 64), (1e8, 1024), (1e9, 1024), (1e9, 16384)):
        share = nodes / processes
        work = us * 1e-6 * share
        crossing = 4 * math.sqrt(share)
        exchange = crossing * 8 * NUMBERS / NETWORK + 4 * LATENCY
        agree = SUMS * math.log2(processes) * LATENCY
        total = work + exchange + agree
        rows.append([f'{nodes:.0e}'.replace('e+0', 'e'), number(processes), number(work),
                     f'{exchange:.2g}', f'{agree:.2g}', f'{100 * work / total:.1f} %',
                     size(held * share), size(EVERYWHERE * nodes),
                     size(MAKING * nodes)])
    return table(['nodes', 'processes', 'work, s', 'exchange, s', 'agreement, s', 'efficiency',
                  'memory of a share', 'memory of what all hold', 'the network in process 0'],
                 rows)

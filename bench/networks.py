#!/usr/bin/python3
"""networks.py - rounds, vectors and bytes until settled of EDGE, TREE, FLOW and SUM on seven networks that
lose messages: draws of the network, the initialisation and the losses. One set of the paper's rows for
each number of nodes. Of each run that settled, what one centralised step from its mean moves. --full: 10
draws (of FLOW, whose runs are long, 3) instead of one network, two losses and 1 draw; --rows: only rows whose
"network, algorithm" matches. Time is not measured."""
import statistics

from harness import Bench, digits, say

ALGORITHMS = ('edge', 'tree', 'flow', 'sum')
NETWORKS = (('the paper\'s 50', 50, 'geometric:n=50,side=3.5,radius=0.8'),
            ('star of 50', 50, 'star:n=50'),
            ('ring of 50', 50, 'ring:n=50'),
            ('path of 50', 50, 'path:n=50'),
            ('grid of 10 x 10', 100, 'grid:rows=10,cols=10'),
            ('geometric, 200', 200, 'geometric:n=200,side=7,radius=0.8'),
            ('two cliques of 25, a bridge', 50, 'barbell:clique=25,path=0'))
LOSSES = (0, .1, .3, .5)
TOL = 1e-6
ROUNDS = 20000
DRAWS, DRAWS_FLOW = 10, 3
MODEL = ['--columns', 'x1,x2', '--n-components', 3]


def run(bench, nodes, topology, loss, algorithm, seed):
    """What the program says of one run; None: it failed."""
    try:
        summary, _ = bench.json('sim', '--data', f'rows{nodes}.csv', '--node-column', 'node', *MODEL, '--topology', topology,
                                '--loss', loss, '--algorithm', algorithm, '--tol', TOL, '--rounds', ROUNDS, '--seed', seed)
    except RuntimeError as reason:
        if 'failed' not in str(reason):
            raise
        return None
    return summary['algorithms'][0]


def cell(bench, nodes, numbers, topology, loss, algorithm):
    """Medians over the draws that settled; passes are those of SUM."""
    draws = 1 if not bench.full else DRAWS_FLOW if algorithm == 'flow' else DRAWS
    runs = [run(bench, nodes, topology, loss, algorithm, seed + 1) for seed in range(draws)]
    settled = [r for r in runs if r and r['verdict'] == 'settled']
    median = lambda of: statistics.median(map(of, settled)) if settled else None
    sent = median(lambda r: r['bytes'])
    out = {'rounds': median(lambda r: r['rounds']), 'bytes': sent, 'vectors': sent and digits(sent / (8 * numbers * nodes)),
           'draws': draws, 'settled': len(settled), 'moved': max((max(r['moved'], r['disagreement']) for r in settled), default=None)}
    if algorithm == 'sum' and settled:
        out['rounds_pass'] = digits(median(lambda r: r['rounds'] / (r['counts']['passes'] - 1)))
        out['least_bits'] = min(r['counts']['least_bits'] for r in settled)
    return out


def main():
    bench = Bench('networks')
    rows = []
    for name, nodes, topology in NETWORKS if bench.full else NETWORKS[:1]:
        wanted = [algorithm for algorithm in ALGORITHMS if bench.rows.search(f'{name}, {algorithm}')]
        if not wanted:
            continue
        bench.meshbayes('data', 'synthetic', '--nodes', nodes, '--seed', 1, '--out', f'rows{nodes}.csv')
        plan, _ = bench.json('plan', '--data', f'rows{nodes}.csv', '--node-column', 'node', *MODEL, '--topology', topology,
                             '--algorithm', 'edge', '--measure', 0)
        for loss in LOSSES if bench.full else LOSSES[:2]:
            for algorithm in wanted:
                found = cell(bench, nodes, plan['message_numbers'], topology, loss, algorithm)
                rows.append({'network': name, 'loss': loss, 'algorithm': algorithm, **found})
                say(f'{name}, loss {loss}: {algorithm} {found["rounds"]} rounds, {found["settled"]} of {found["draws"]} settled')
    bench.finish(tol=TOL, rounds=ROUNDS, draws=DRAWS, draws_flow=DRAWS_FLOW, moved=max((r['moved'] for r in rows if r['settled']), default=None),
                 table=rows)


if __name__ == '__main__':
    main()

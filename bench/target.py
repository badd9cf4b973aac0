#!/usr/bin/python3
"""target.py - rounds, seconds and bytes until every node is within 1 % of centralised VB and stays
there: the KL of every node's posterior to the posterior that knows the true classes (eq. 46), against
that of cVB. The paper's synthetic problem on geometric networks, common start, automatic settings.
Two runs: one with the metrics of every round finds the round, one without them is timed."""
import csv

from harness import Bench, digits, say

WITHIN = 0.01
ALGORITHMS = ['noncoop', 'nsg', 'dsvb', 'admm', 'flow', 'edge']
NETWORKS = [(50, 'geometric:n=50,side=3.5,radius=0.8'), (200, 'geometric:n=200,side=7,radius=0.8'),
            (1000, 'geometric:n=1000,side=15.6,radius=1')]
ROUNDS_FULL, ROUNDS_QUICK = {50: 5000, 200: 2000, 1000: 1000}, 300
SEED = 1


def kl_trace(path):
    """{algorithm: [(round, smallest, largest, nodes without)]} of kl_truth."""
    out = {}
    with open(path, newline='') as f:
        for row in csv.DictReader(f):
            if row['metric'] == 'kl_truth':
                out.setdefault(row['algorithm'], []).append(
                    (int(row['t']), float(row['min']), float(row['max']), int(row['outside'])))
    return out


def settled(trace, goal):
    """The first round from which on every node is within WITHIN of the goal; None: not seen."""
    since = None
    for t, low, high, outside in trace:
        inside = (outside == 0 and low >= goal * (1 - WITHIN) and high <= goal * (1 + WITHIN))
        since = (since or t) if inside else None
    return since


def options(nodes, topology):
    return ['sim', '--data', f'{nodes}.csv', '--node-column', 'node', '--label-column', 'label',
            '--topology', topology, '--n-components', '3', '--seed', SEED, '--tol', '0',
            '--threads', '1']


def timed(bench, common, algorithm, t):
    """Seconds of t rounds without metrics and bytes sent, those of the start as well."""
    got, _ = bench.json(*common, '--algorithm', algorithm, '--rounds', t)
    run = got['algorithms'][0]
    return {'seconds': digits(run['seconds']), 'bytes': run['bytes'], 'frames': run['frames'],
            'start_bytes': run['start_bytes']}


def network(bench, nodes, topology, rounds):
    bench.meshbayes('data', 'synthetic', '--nodes', nodes, '--seed', SEED, '--out', f'{nodes}.csv')
    common = options(nodes, topology)
    got, _ = bench.json(*common, '--algorithm', ','.join(['cvb'] + ALGORITHMS), '--rounds', rounds,
                        '--metrics', 'kl_truth', '--trace', 'trace.csv')
    traces = kl_trace(bench.file('trace.csv'))
    goal = traces['cvb'][-1][2]
    out = {'nodes': nodes, 'topology': topology, 'rounds': rounds, 'links': got['network']['edges'],
           'cvb': {'kl_truth': digits(goal), 't': settled(traces['cvb'], goal)}, 'algorithms': {}}
    for name in ALGORITHMS:
        t = settled(traces.get(name, []), goal)
        record = {'t': t}
        if t is not None:
            record.update(timed(bench, common, name, t))
        else:
            last = traces.get(name, [(0, 0, float('nan'), 0)])[-1]
            record['worst_at_end'] = digits(max(abs(last[1] - goal), abs(last[2] - goal)) / goal)
        say(f'{nodes} nodes, {name}: {t if t else "not within " + str(rounds)} rounds')
        out['algorithms'][name] = record
    return out


def main():
    bench = Bench('target')
    runs = [network(bench, nodes, topology, ROUNDS_FULL[nodes] if bench.full else ROUNDS_QUICK)
            for nodes, topology in NETWORKS if bench.full or nodes == 50]
    bench.finish(within=WITHIN, rows=100, D=2, K=3, seed=SEED, networks=runs)


if __name__ == '__main__':
    main()

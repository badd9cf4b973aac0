#!/usr/bin/python3
"""target.py - rounds, seconds and bytes until every node is within 1 % of central VB and stays
there: the KL of every node's posterior to the posterior that knows the true classes (eq. 46), against
that of cVB. The paper's synthetic problem on geometric networks, common start, automatic settings.
Two runs: one with the metrics of every round finds the round, one without them is timed. Several
draws of network and data, seeds 1, 2, ..; medians over the draws in which a method got there."""
import csv
import statistics

from harness import Bench, digits, say

WITHIN = 0.01
ALGORITHMS = ['noncoop', 'nsg', 'dsvb', 'admm', 'average', 'flow', 'edge']  # incremental: on rings only
NETWORKS = [(50, 'geometric:n=50,side=3.5,radius=0.8'), (200, 'geometric:n=200,side=7,radius=0.8'),
            (1000, 'geometric:n=1000,side=15.6,radius=1')]
ROUNDS_FULL, ROUNDS_QUICK = {50: 3000, 200: 2000, 1000: 1000}, 300
DRAWS_FULL, DRAWS_QUICK = {50: 5, 200: 3, 1000: 1}, 1


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


def options(topology, seed):
    return ['sim', '--data', 'rows.csv', '--node-column', 'node', '--label-column', 'label',
            '--topology', topology, '--n-components', '3', '--seed', seed, '--tol', '0',
            '--threads', '1']


def timed(bench, common, algorithm, t):
    """Seconds of t rounds without metrics and bytes sent, those of the start as well."""
    got, _ = bench.json(*common, '--algorithm', algorithm, '--rounds', t)
    run = got['algorithms'][0]
    return {'t': t, 'seconds': run['seconds'], 'bytes': run['bytes'],
            'start_bytes': run['start_bytes']}


def draw(bench, nodes, topology, rounds, seed):
    """One network and its rows: {algorithm: what it took, or how far its worst node was off}."""
    bench.meshbayes('data', 'synthetic', '--nodes', nodes, '--seed', seed, '--out', 'rows.csv')
    common = options(topology, seed)
    bench.json(*common, '--algorithm', ','.join(['cvb'] + ALGORITHMS), '--rounds', rounds,
               '--metrics', 'kl_truth', '--trace', 'trace.csv')
    traces = kl_trace(bench.file('trace.csv'))
    goal = traces['cvb'][-1][2]
    out = {'cvb': {'t': settled(traces['cvb'], goal)}}
    for name in ALGORITHMS:
        trace = traces.get(name, [(0, float('nan'), float('nan'), nodes)])
        t = settled(trace, goal)
        _, low, high, _ = trace[-1]
        out[name] = (timed(bench, common, name, t) if t else
                     {'t': None, 'off': max(abs(low - goal), abs(high - goal)) / goal})
        say(f'{nodes} nodes, seed {seed}, {name}: {t or "not within " + str(rounds)} rounds')
    return out


def merge(draws, name):
    """Medians over the draws that got there; of the others how far they were off."""
    got = [d[name] for d in draws if d[name]['t']]
    off = [d[name]['off'] for d in draws if 'off' in d[name]]
    out = {'reached': len(got), 'draws': len(draws), 't': None}
    for key in ('t', 'seconds', 'bytes', 'start_bytes'):
        if got and key in got[0]:
            out[key] = digits(statistics.median(g[key] for g in got), 6)
    if off:
        out['worst_at_end'] = digits(statistics.median(off))
    return out


def network(bench, nodes, topology, rounds, count):
    draws = [draw(bench, nodes, topology, rounds, seed) for seed in range(1, count + 1)]
    return {'nodes': nodes, 'topology': topology, 'rounds': rounds, 'draws': count,
            'cvb': merge(draws, 'cvb'),
            'algorithms': {name: merge(draws, name) for name in ALGORITHMS}}


def main():
    bench = Bench('target')
    if bench.full:
        runs = [network(bench, n, text, ROUNDS_FULL[n], DRAWS_FULL[n]) for n, text in NETWORKS]
    else:
        runs = [network(bench, *NETWORKS[0], ROUNDS_QUICK, DRAWS_QUICK)]
    bench.finish(within=WITHIN, rows=100, D=2, K=3, networks=runs)


if __name__ == '__main__':
    main()

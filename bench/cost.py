#!/usr/bin/python3
"""cost.py - how the cost grows: of a local step with rows n, columns D, components K; of a round
with nodes N, links a node, and of a run with its rounds. One thread, processor time, best of some
repeats. The slope is the exponent s of cost ~ size^s over all sizes, and over the upper half of
them: small sizes have costs of their own."""
import numpy as np

from harness import Bench, Worker, clusters, digits, say, slope

REPEATS = 3
BASE = {'n': 20000, 'D': 8, 'K': 8}
STEP_SIZES = {'n': [1000, 4000, 16000, 64000, 256000], 'D': [2, 4, 8, 16, 32, 64, 128],
              'K': [2, 4, 8, 16, 32, 64]}
STEP_QUICK = {'n': [1000, 4000, 16000], 'D': [2, 8, 32], 'K': [2, 8, 32]}
BASE_QUICK = 2000
NODES = [100, 400, 1600, 6400, 25600]
DEGREE_RADIUS = [0.05, 0.07, 0.1, 0.15, 0.22]  # of 2000 nodes in the unit square
ROUNDS = [50, 100, 200, 400, 800]
NODES_QUICK, RADIUS_QUICK, ROUNDS_QUICK = [100, 400, 1600], [0.05, 0.1], [50, 100, 200]


def series(sizes, cost, unit):
    half = len(sizes) // 2
    return {'size': sizes, 'cost': [digits(c) for c in cost], 'unit': unit,
            'slope': slope(sizes, cost), 'slope_upper_half': slope(sizes[half:], cost[half:])
            if len(sizes) - half > 1 else None}


def step_cost(bench, worker, what, size):
    shape = dict(BASE, **{what: size})
    if not bench.full and what != 'n':
        shape['n'] = BASE_QUICK
    x, resp = clusters(shape['n'], shape['D'], shape['K'])
    np.save(bench.file('rows.npy'), x)
    np.save(bench.file('resp.npy'), resp)
    worker.ask(f'load {bench.file("rows.npy")} {bench.file("resp.npy")} {shape["K"]}')
    steps = max(1, min(20, 200000 // shape['n']))
    return min(worker.ask(f'run 1 {steps}')['cpu'] / steps for _ in range(REPEATS))


def rounds(bench, topology, count):
    with Worker([*bench.tool('rounds'), topology, '100', '2', '3', 'edge', str(count), '1',
                 str(REPEATS)]) as worker:
        return worker.ask()


def network_series(bench):
    full = bench.full
    nodes = NODES if full else NODES_QUICK
    side = [round(n ** 0.5) for n in nodes]
    by_n = [rounds(bench, f'grid:rows={s},cols={s}', 20)['cpu'] / 19 for s in side]
    degree, by_degree = [], []
    for radius in DEGREE_RADIUS if full else RADIUS_QUICK:
        got = rounds(bench, f'geometric:n=2000,side=1,radius={radius}', 20)
        degree.append(digits(2 * got['links'] / got['nodes'], 3))
        by_degree.append(got['us_node_round_cpu'])
    count = ROUNDS if full else ROUNDS_QUICK
    by_rounds = [rounds(bench, 'geometric:n=50,side=3.5,radius=0.8', r + 1)['cpu'] for r in count]
    return {'N': series(nodes, by_n, 'seconds a round'),
            'degree': series(degree, by_degree, 'microseconds a node and round'),
            'rounds': series(count, by_rounds, 'seconds')}


def main():
    bench = Bench('cost')
    sizes = STEP_SIZES if bench.full else STEP_QUICK
    out = {}
    with Worker(bench.tool('step'), 1) as worker:
        for what, values in sizes.items():
            out[what] = series(values, [step_cost(bench, worker, what, v) for v in values],
                               'seconds a step')
    out.update(network_series(bench))
    for what, s in out.items():
        say(f'{what}: slope {s["slope"]}, upper half {s["slope_upper_half"]}')
    base = dict(BASE) if bench.full else dict(BASE, n=BASE_QUICK)
    bench.finish(base=base, algorithm='edge', rows=100, D=2, K=3, series=out)


if __name__ == '__main__':
    main()

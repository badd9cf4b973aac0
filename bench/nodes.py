#!/usr/bin/python3
"""nodes.py - large networks under EDGE: 100 rows a node, D = 2, K = 3, a square grid; wall time over
nodes and rounds on one thread and on all, and the peak memory of the process with its rows. Rounds
are timed from the second on. The largest network that fits also runs through `meshbayes sim`, its
rows in a NPY file: rounds by the difference of two runs, so that reading and the start fall out."""
import os

import numpy as np

from harness import Bench, Worker, digits, free_memory, say

ROUNDS, ROWS = 10, 100
QUICK, FULL = [50, 100], [100, 316, 1000]
MEMORY_A_NODE = 6000  # bytes, with a margin; a size that does not fit is left out and said so


def measure(bench, side, threads):
    command = [*bench.tool('rounds'), f'grid:rows={side},cols={side}', str(ROWS), '2', '3', 'edge',
               str(ROUNDS + 1), str(threads)]
    with Worker(command, threads) as worker:
        got = worker.ask()
    say(f'{side} x {side}, {threads} threads: {got["us_node_round_wall"]:.3g} us, '
        f'{got["peak_bytes"] / 1e9:.2f} GB')
    return {'threads': threads, **got}


def write_rows(path, n):
    """Three clusters in turn, a piece at a time: all of them need not fit in our memory."""
    rng = np.random.default_rng(1)
    x = np.lib.format.open_memmap(path, mode='w+', dtype=np.float64, shape=(n, 2))
    for first in range(0, n, 3000000):
        piece = rng.standard_normal((min(3000000, n - first), 2))
        piece[:, 0] += 4 * (np.arange(first, first + len(piece)) % 3)
        x[first:first + len(piece)] = piece
    x.flush()


def program(bench, side):
    """`meshbayes sim` of 2 rounds and of ROUNDS + 2."""
    write_rows(bench.file('rows.npy'), ROWS * side * side)
    with open(bench.file('centres.csv'), 'w') as f:
        f.write('x1,x2\n0,0\n4,0\n8,0\n')
    took, peak = [], 0
    for rounds in (2, ROUNDS + 2):
        try:
            got, peak = bench.json('sim', '--data', 'rows.npy', '--deal', 'blocks', '--topology',
                                   f'grid:rows={side},cols={side}', '--n-components', 3, '--init',
                                   'centres:centres.csv', '--algorithm', 'edge', '--tol', 0,
                                   '--rounds', rounds)
        except RuntimeError as reason:
            say(f'{side} x {side}, {reason}')
            return {'nodes': side * side, 'why': str(reason).rsplit(': ', 1)[-1]}
        took.append(got['algorithms'][0]['seconds'])
    us = 1e6 * (took[1] - took[0]) / (ROUNDS * side * side)
    say(f'{side} x {side}, meshbayes sim: {us:.3g} us, {peak / 1e9:.2f} GB')
    return {'nodes': side * side, 'us_node_round_wall': digits(us), 'peak_bytes': peak}


def main():
    bench = Bench('nodes')
    cores = os.cpu_count() or 1
    runs, left_out, largest = [], [], None
    for side in FULL if bench.full else QUICK:
        if MEMORY_A_NODE * side * side > free_memory():
            left_out.append({'nodes': side * side, 'why': 'not enough memory'})
            continue
        largest = side
        runs += [measure(bench, side, threads) for threads in sorted({1, cores})]
    bench.finish(algorithm='edge', rows=ROWS, D=2, K=3, unit='microseconds per node and round',
                 runs=runs, left_out=left_out, program=program(bench, largest) if largest else None)


if __name__ == '__main__':
    main()

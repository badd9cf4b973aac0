#!/usr/bin/python3
"""nodes.py - large networks under EDGE: 100 rows a node, D = 2, K = 3, a square grid; wall time over
nodes and rounds on one thread and on all, and the peak memory of the process with its rows. Rounds
are timed from the second on."""
import os

from harness import Bench, Worker, say

ROUNDS = 10
QUICK, FULL = [50, 100], [100, 316, 1000]
MEMORY_A_NODE = 6000  # bytes, with a margin; a size that does not fit is left out and said so


def memory():
    """Bytes that are free for us."""
    with open('/proc/meminfo') as f:
        for line in f:
            if line.startswith('MemAvailable'):
                return 1024 * int(line.split()[1])
    return 0


def measure(bench, side, threads):
    command = [*bench.tool('rounds'), f'grid:rows={side},cols={side}', '100', '2', '3', 'edge',
               str(ROUNDS + 1), str(threads)]
    with Worker(command, threads) as worker:
        got = worker.ask()
    say(f'{side} x {side}, {threads} threads: {got["us_node_round_wall"]:.3g} us, '
        f'{got["peak_bytes"] / 1e9:.2f} GB')
    return {'threads': threads, **got}


def main():
    bench = Bench('nodes')
    cores = os.cpu_count() or 1
    runs, left_out = [], []
    for side in FULL if bench.full else QUICK:
        if MEMORY_A_NODE * side * side > memory():
            left_out.append({'nodes': side * side, 'why': 'not enough memory'})
            continue
        runs += [measure(bench, side, threads) for threads in sorted({1, cores})]
    bench.finish(algorithm='edge', rows=100, D=2, K=3, unit='microseconds per node and round',
                 runs=runs, left_out=left_out)


if __name__ == '__main__':
    main()

"""ranks.py - processes of mpirun on one machine: EDGE on square grids, 100 rows a node, D = 2, K = 3.
Strong scaling: one network on 1 and 2 processes; weak: twice the nodes on twice the processes. Both
take turns, and ratios are taken within a turn; beside them a triad on one and two threads, which
is what the memory allows. Exchange is the share of the time of the slowest process."""
import os
import shutil
import statistics

from harness import Bench, Worker, free_memory, say, spread

ROUNDS = 11
QUICK, FULL = [(100, 100)], [(250, 400), (1000, 1000)]
MEMORY_A_NODE = 6000
TRIAD_MB = 64


def environment():
    """mpirun refuses root, and more processes than cores, unless told."""
    for name in ('OMPI_ALLOW_RUN_AS_ROOT', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM',
                 'OMPI_MCA_rmaps_base_oversubscribe'):
        os.environ.setdefault(name, '1')


def run(bench, mpirun, processes, rows, cols):
    command = [mpirun, '-n', str(processes), *bench.tool('ranks'), f'grid:rows={rows},cols={cols}',
               '100', str(ROUNDS)]
    with Worker(command) as worker:
        got = worker.ask()
    say(f'{rows} x {cols} on {processes}: {got["us_node_round_wall"]:.3g} us, '
        f'exchange {100 * got["exchange"]:.1f} %')
    return got


def compare(bench, mpirun, kind, one, two, turns):
    """One process on the network `one`, two on `two`, in turn."""
    first, second, ratio = [], [], []
    for _ in range(turns):
        first.append(run(bench, mpirun, 1, *one))
        second.append(run(bench, mpirun, 2, *two))
        a, b = first[-1], second[-1]
        ratio.append(a['us_node_round_wall'] / b['us_node_round_wall'] if kind == 'strong'
                     else a['wall'] / b['wall'])
    return {'kind': kind, 'nodes': second[-1]['nodes'], 'ratio': spread(ratio),
            'us_one': spread([r['us_node_round_wall'] for r in first]),
            'us_two': spread([r['us_node_round_wall'] for r in second]),
            'exchange': spread([r['exchange'] for r in second]),
            'peak_bytes': max(r['peak_bytes'] for r in second)}


def triad(bench, turns):
    ratios = []
    with Worker([*bench.tool('triad'), str(TRIAD_MB)], threads=2) as worker:
        for _ in range(turns):
            one, two = worker.ask('1'), worker.ask('2')
            ratios.append(two['gb_s'] / one['gb_s'])
    return statistics.median(ratios)


def main():
    bench = Bench('ranks')
    mpirun = shutil.which('mpirun')
    if not mpirun or not os.path.exists(bench.tool('ranks')[0]):
        bench.finish(runs=[], left_out='this build has no MPI, or there is no mpirun')
        return
    environment()
    turns, runs, left_out = 3 if bench.full else 2, [], []
    for rows, cols in FULL if bench.full else QUICK:
        if MEMORY_A_NODE * 2 * rows * cols > free_memory():
            left_out.append({'nodes': rows * cols, 'why': 'not enough memory'})
            continue
        runs.append(compare(bench, mpirun, 'strong', (rows, cols), (rows, cols), turns))
        runs.append(compare(bench, mpirun, 'weak', (rows, cols), (rows, 2 * cols), turns))
    bench.finish(algorithm='edge', rows=100, D=2, K=3, rounds=ROUNDS, triad_two=triad(bench, turns),
                 cores=os.cpu_count(), runs=runs, left_out=left_out)


if __name__ == '__main__':
    main()

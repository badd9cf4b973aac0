#!/usr/bin/python3
"""mpi_fit.py - `fit` by processes of mpirun on one machine: the same rows on one and two processes of one
thread each, in turns; a ratio is taken within a turn. The time is that of the whole command, from the start
of mpirun to the file that is written. Rows are drawn and written in pieces."""
import os
import shutil
import subprocess
import time

import numpy as np

from harness import Bench, say, spread
from ranks import environment

QUICK, FULL = (300000, 4, 4, 3), (10000000, 16, 10, 11)  # rows, columns, components, turns
PIECE, ROUNDS = 100000, 20


def write_rows(path, n, d, components):
    rng = np.random.default_rng(1)
    centres = rng.normal(size=(components, d))  # clusters that overlap: a pass at a fixed point would cost nothing
    rows = np.lib.format.open_memmap(path, mode='w+', dtype=np.float64, shape=(n, d))
    for first in range(0, n, PIECE):
        m = min(PIECE, n - first)
        rows[first:first + m] = rng.normal(size=(m, d)) + centres[rng.integers(components, size=m)]
    rows.flush()


def fit(bench, mpirun, processes, data, components):
    """Seconds, and the bytes that a process sends a pass (0: one process)."""
    out = bench.file(f'answer-{processes}.json')
    began = time.perf_counter()
    text = subprocess.run([mpirun, '-n', str(processes), os.path.join(bench.build, 'meshbayes'), 'fit',
                           '--data', data, '--n-components', str(components), '--n-init', '1', '--tol', '0',
                           '--rounds', str(ROUNDS), '--threads', '1', '--out', out],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    seconds = time.perf_counter() - began
    sent = [line.split()[-1] for line in text.splitlines() if 'bytes a pass' in line]
    say(f'{processes}: {seconds:.3g} s')
    return seconds, float(sent[0]) if sent else 0, out


def main():
    bench = Bench('mpi_fit')
    mpirun = shutil.which('mpirun')
    if not mpirun:
        bench.finish(left_out='there is no mpirun')
        return
    environment()
    n, d, components, turns = FULL if bench.full else QUICK
    data = bench.file('rows.npy')
    write_rows(data, n, d, components)
    one, two, ratio, sent = [], [], [], 0
    for _ in range(turns):
        a, _, first = fit(bench, mpirun, 1, data, components)
        b, sent, second = fit(bench, mpirun, 2, data, components)
        one.append(a)
        two.append(b)
        ratio.append(a / b)
    same = open(first, 'rb').read() == open(second, 'rb').read()
    bench.finish(rows=n, D=d, K=components, rounds=ROUNDS, turns=turns, seconds_one=spread(one),
                 seconds_two=spread(two), ratio=spread(ratio), bytes_a_pass=sent, same_file=same)


if __name__ == '__main__':
    main()

#!/usr/bin/python3
"""dgemm.py SIZE: the rate of this machine's dgemm (numpy's BLAS) on square matrices, for a driver
that takes turns with others. Every line on standard input prints the best GFLOP/s of some products,
by the wall clock and by processor time. Threads and core type come from the environment."""
import json
import sys
import time

import numpy as np

PRODUCTS = 4


def main():
    size = int(sys.argv[1])
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((2, size, size))
    c = np.empty_like(a)
    np.dot(a, b, out=c)
    work = 2e-9 * size ** 3
    for _ in sys.stdin:
        wall = cpu = 1e300
        for _ in range(PRODUCTS):
            began = time.perf_counter(), time.process_time()
            np.dot(a, b, out=c)
            wall = min(wall, time.perf_counter() - began[0])
            cpu = min(cpu, time.process_time() - began[1])
        print(json.dumps({'gflop_s': work / wall, 'gflop_s_cpu': work / cpu}), flush=True)


if __name__ == '__main__':
    main()

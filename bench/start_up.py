"""start_up.py - what starting the program costs: `help` and `fit` of 100 rows beside a program that does
nothing, in turns; wall clock and processor time of the whole process. The libraries that it is
linked with are loaded in this time, so they are counted."""
import os
import time

import numpy as np

from harness import Bench, say, spread

TURNS_QUICK, TURNS = 10, 101
ROWS = 100


def once(command):
    """Milliseconds of a process: wall clock, processor."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    before, began = os.times(), time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=quiet)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - began
    if status != 0:
        raise RuntimeError(f'{" ".join(command)}: status {status}')
    return 1e3 * wall, 1e3 * (usage.ru_utime + usage.ru_stime)


def main():
    bench = Bench('start_up')
    program = os.path.join(bench.build, 'meshbayes')
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((ROWS, 2)) + 5 * (np.arange(ROWS) % 2)[:, None]
    data = bench.file('rows.csv')
    np.savetxt(data, rows, fmt='%.4f', delimiter=',', header='x,y', comments='')
    fit = [program, 'fit', '--data', data, '--n-components', '2']
    commands = {'true': ['true'], 'meshbayes help': [program, 'help'],
                'meshbayes fit': fit,
                'meshbayes fit --out FILE.json': [*fit, '--out', bench.file('a.json')]}
    taken = {name: [] for name in commands}
    for _ in range(TURNS if bench.full else TURNS_QUICK):
        for name, command in commands.items():
            taken[name].append(once(command))
    runs = [{'what': name, 'ms_wall': spread([t[0] for t in times]), 'ms_cpu': spread([t[1] for t in times])}
            for name, times in taken.items()]
    for run in runs:
        say(f'{run["what"]}: {run["ms_wall"]["median"]:.2f} ms')
    bench.finish(rows=ROWS, runs=runs)


if __name__ == '__main__':
    main()

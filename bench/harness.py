"""harness.py - what the drivers of bench/ share: workers that take turns, medians, slopes, the
program run with its peak memory. A driver is `NAME.py --build DIR [--full] [--rows REGEX]` and prints one JSON
object whose first key is "bench"."""
import argparse
import copy
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

import numpy as np

PYTHON = sys.executable
LIMIT = 1200  # seconds a run of the program may take
HERE = os.path.dirname(os.path.abspath(__file__))
# Core types of OpenBLAS worth asking for on x86-64; '' is what it picks by itself. One that the
# processor cannot run dies alone, in its own process.
CORE_TYPES = ['', 'Haswell', 'Zen', 'SkylakeX', 'Cooperlake']


def free_memory():
    """Bytes that are free for us."""
    with open('/proc/meminfo') as f:
        for line in f:
            if line.startswith('MemAvailable'):
                return 1024 * int(line.split()[1])
    return 0


def stolen():
    """Seconds of our processors that the host has given to others since it started us; 0 where the
    system does not tell."""
    try:
        with open('/proc/stat') as f:
            return int(f.readline().split()[8]) / os.sysconf('SC_CLK_TCK')
    except (OSError, IndexError):
        return 0.0


def busy():
    """Seconds that our processors were not idle, for us or for anybody else; 0 where the system does
    not tell."""
    try:
        with open('/proc/stat') as f:
            ticks = [int(x) for x in f.readline().split()[1:9]]
        return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf('SC_CLK_TCK')
    except (OSError, IndexError):
        return 0.0


def used(pids):
    """Seconds of processors that this process, its children that have ended and these processes have
    used."""
    ticks = 0
    for pid in pids:
        with open(f'/proc/{pid}/stat') as f:
            ticks += sum(int(x) for x in f.read().rsplit(')', 1)[1].split()[11:13])
    return sum(os.times()[:4]) + ticks / os.sysconf('SC_CLK_TCK')


class Worker:
    """A process that answers lines with JSON and is idle in between."""

    def __init__(self, command, threads=1, core_type=''):
        env = dict(os.environ, OPENBLAS_NUM_THREADS=str(threads), OMP_NUM_THREADS=str(threads))
        env.pop('OPENBLAS_CORETYPE', None)
        if core_type:
            env['OPENBLAS_CORETYPE'] = core_type
        self.command = command
        self.process = subprocess.Popen(command, env=env, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ask(self, line=''):
        try:
            self.process.stdin.write(line + '\n')
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ''
        if not answer:
            said = self.process.stderr.read().strip().splitlines()
            raise RuntimeError(f'{" ".join(self.command)}: {said[-1] if said else "died"}')
        return json.loads(answer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.stderr.close()
        self.process.wait()


class Bench:
    """The built programs and a folder for their files."""

    def __init__(self, name):
        parser = argparse.ArgumentParser(prog=f'{name}.py')
        parser.add_argument('--build', required=True, help='folder with meshbayes and bench/')
        parser.add_argument('--full', action='store_true', help='the sizes of docs/performance.md')
        parser.add_argument('--other', help='folder of another build, where a driver compares')
        parser.add_argument('--data', default='.', help='folder of data sets that are not in the repository')
        parser.add_argument('--rows', default='', help='a regular expression: only such rows of the table, where a driver has one')
        given = parser.parse_args()
        self.build, self.full = os.path.abspath(given.build), given.full
        self.other = given.other and os.path.abspath(given.other)
        self.data = given.data
        self.rows = re.compile(given.rows)
        self.name = name
        self.temporary = tempfile.TemporaryDirectory(prefix='meshbayes-bench-')
        self.folder = self.temporary.name

    def tool(self, name):
        if name.endswith('.py'):
            return [PYTHON, os.path.join(HERE, 'tool', name)]
        return [os.path.join(self.build, 'bench', f'tool_{name}')]

    def file(self, name):
        return os.path.join(self.folder, name)

    def apart(self, name):
        """The same with a folder of its own in this one."""
        own = copy.copy(self)
        own.folder = self.file(name)
        os.mkdir(own.folder)
        return own

    def meshbayes(self, *args):
        """Standard output of the program, and its peak resident memory, bytes."""
        peak = self.file('peak')
        command = [os.path.join(self.build, 'meshbayes'), *map(str, args)]
        done = subprocess.run([*self.tool('peak'), peak, str(LIMIT), *command], capture_output=True, text=True,
                              cwd=self.folder)
        if done.returncode != 0:
            raise RuntimeError(f'{" ".join(command)}: {done.stderr.strip()}')
        with open(peak) as f:
            return done.stdout, int(f.read().split()[-1])

    def json(self, *args):
        """What the program prints with --json, and its peak memory."""
        text, peak = self.meshbayes(*args, '--json')
        return json.loads(text), peak

    def finish(self, **result):
        print(json.dumps({'bench': self.name, 'size': 'full' if self.full else 'quick', **result}))
        self.temporary.cleanup()


def say(text):
    print(f'  {text}', file=sys.stderr, flush=True)


def spread(values):
    """Median and quartiles, rounded for reading."""
    values = sorted(values)
    cut = statistics.quantiles(values, n=4, method='inclusive') if len(values) > 1 else values * 3
    return {'median': digits(statistics.median(values)), 'low': digits(cut[0]),
            'high': digits(cut[2]), 'count': len(values)}


def digits(x, n=4):
    return float(f'{x:.{n}g}')


def slope(x, y):
    """Exponent of y ~ x^s, by least squares on the logarithms."""
    return digits(float(np.polyfit(np.log(x), np.log(y), 1)[0]), 3)


def best_core_type(bench, size=768):
    """(core type of OpenBLAS with the fastest dgemm here, GFLOP/s of each), one thread."""
    rates = {}
    for core_type in CORE_TYPES:
        try:
            with Worker([*bench.tool('dgemm.py'), str(size)], 1, core_type) as worker:
                rates[core_type] = digits(max(worker.ask()['gflop_s_cpu'] for _ in range(3)))
        except RuntimeError as reason:
            say(f'core type {core_type} does not run here: {reason}')
    return max(rates, key=rates.get), {k or 'as shipped': v for k, v in rates.items()}


def clusters(n, D, K, seed=3):
    """n rows of K overlapping clusters with full covariances, and responsibilities that half know
    which: (rows, responsibilities)."""
    rng = np.random.default_rng(seed)
    label = rng.integers(0, K, n)
    x = rng.standard_normal((n, D))
    for k in range(K):
        mix = np.eye(D) + 0.3 / np.sqrt(D) * rng.standard_normal((D, D))
        x[label == k] = x[label == k] @ mix + rng.standard_normal(D) * 4 / np.sqrt(2 * D)
    resp = rng.random((n, K)) * 0.3
    resp[np.arange(n), label] += 0.7
    return x, resp / resp.sum(axis=1, keepdims=True)

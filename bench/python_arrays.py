"""python_arrays.py - fits of the Python package to arrays beside those of the program to the same rows in an NPY file, in
pairs of changing order: wall clock and processor time of `meshbayes.fit` over those of the whole process. Both have
the same options, and must come to the same lower bound, to the last bit."""
import importlib.util
import json
import os

import numpy as np

from harness import PYTHON, Bench, Worker, clusters, say, spread
from start_up import once

TURNS_QUICK, TURNS = 3, 11
ASKED = 1.05  # of wall clock
QUICK, FULL = 8000, 50000  # rows
CASES = {  # options of the package, which are those of the program with "-"
    'mixture, k-means first': {'n_components': 10, 'n_init': 1},
    'mixture, 40 rounds': {'n_components': 10, 'n_init': 1, 'init': 'kmeans++', 'rounds': 40, 'tol': 0},
    'mixture on 20 nodes': {'n_components': 3, 'topology': 'grid:rows=4,cols=5', 'deal': 'blocks'},
    'regression': {'model': 'linreg'},
}


def library(bench):
    """A shared library of the objects of the program, as the tests of the package link it."""
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'tests', 'reference', 'harness.py')
    spec = importlib.util.spec_from_file_location('reference_harness', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Program(os.path.join(bench.build, 'meshbayes'), bench.folder).library()


def command(bench, data, options):
    words = ['sim' if 'topology' in options else 'fit', '--data', data, '--threads', '1', '--out', bench.file('posterior.json')]
    for name, value in options.items():
        words += ['--' + name.replace('_', '-'), str(value)]
    return [os.path.join(bench.build, 'meshbayes'), *words]


def measure(bench, worker, data, what, options):
    ours, theirs = [], []

    def python():
        got = worker.ask(json.dumps({**options, 'threads': 1, 'progress': False}))
        ours.append((1e3 * got['wall'], 1e3 * got['cpu']))
        return got['bound']

    def program():
        theirs.append(once(command(bench, data, options)))
        with open(bench.file('posterior.json')) as f:
            return json.load(f)['bound']

    for turn in range(TURNS if bench.full else TURNS_QUICK):
        bounds = {run() for run in ((python, program) if turn % 2 else (program, python))}
        if len(bounds) != 1:
            raise RuntimeError(f'{what}: lower bounds differ: {bounds}')
    wall, cpu = ([a[k] / b[k] for a, b in zip(ours, theirs)] for k in (0, 1))
    out = {'what': what, 'ratio_wall': spread(wall), 'ratio_cpu': spread(cpu), 'ms_python': spread([a[0] for a in ours]),
           'ms_program': spread([b[0] for b in theirs])}
    say(f'{what}: {out["ms_python"]["median"]:.4g} ms, {out["ratio_wall"]["median"]:.3f} of the program, '
        f'processor {out["ratio_cpu"]["median"]:.3f}')
    return out


def main():
    bench = Bench('python_arrays')
    os.environ['MESHBAYES_LIBRARY'] = library(bench)
    rows = clusters(FULL if bench.full else QUICK, 8, 10)[0]
    data = bench.file('rows.npy')
    np.save(data, rows)
    with Worker([PYTHON, *bench.tool('python_fit.py')[1:], data]) as worker:
        runs = [measure(bench, worker, data, what, options) for what, options in CASES.items()
                if bench.rows.search(what)]
    bench.finish(rows=len(rows), columns=rows.shape[1], asked=ASKED, runs=runs)


if __name__ == '__main__':
    main()

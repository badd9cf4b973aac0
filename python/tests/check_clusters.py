#!/usr/bin/python3
"""check_clusters.py PROGRAM: sums over rows in several places make the steps of one process, to 1e-12: as they
are, with Dask and on the ranks of mpi4py, where these are installed."""
import os
import shutil
import subprocess
import sys

import numpy as np

from beside import PYTHON, package, says
from harness import main

RNG = np.random.default_rng(8)
X = np.concatenate([RNG.normal(size=(n, 2)) + c for n, c in ((70, 0), (50, 6), (40, -5))])
Y = X @ [1., -2.] + RNG.normal(size=len(X))
PARTS = np.split(RNG.permutation(len(X)), [30, 31, 90])
FAR = 1e-12     # sums in another order

RANKS = """
import sys
from mpi4py import MPI
import numpy, meshbayes
all_ranks = MPI.COMM_WORLD
rows = numpy.load(sys.argv[1])[all_ranks.rank::all_ranks.size]
posterior = meshbayes.Posterior.from_json(open(sys.argv[2]).read())
for _ in range(20):
    posterior = posterior.update(all_ranks.allreduce(posterior.expected_statistics(rows)))
if all_ranks.rank == 0:
    print(posterior.to_json())
"""


def steps(start, n, parts, y=None):
    for _ in range(n):
        sums = [start.expected_statistics(X[p], None if y is None else y[p]) for p in parts]
        total = sums[0]
        for more in sums[1:]:
            total = total + more
        start = start.update(total)
    return start


def far(a, b):
    return max(float(np.max(np.abs(a[n] - b[n]) / np.maximum(1, np.abs(b[n])))) for n in a.parameters
               if isinstance(a[n], (np.ndarray, float)))


def by_hand(claims, mb):
    whole = [np.arange(len(X))]
    for model, y, how in (('gmm', None, {'n_components': 3}), ('tmm', None, {'n_components': 3}), ('linreg', Y, {})):
        start = mb.fit(X, y, model=model, rounds=2, **how).posterior
        apart, one = steps(start, 20, PARTS, y), steps(start, 20, whole, y)
        claims.check(far(apart, one) < FAR and np.allclose(apart.bound, one.bound, rtol=FAR, atol=0, equal_nan=True),
                     f'{model}: steps from sums of four parts are those of one: {far(apart, one):.1e}')
    done = mb.fit(X, n_components=3, tol=1e-11).posterior
    claims.check(done.update(done.expected_statistics(X)).moved < 1e-5, 'a fit that has settled is where such steps end')
    start = mb.fit(X[:30], n_components=3, rounds=2).posterior
    after = mb.Posterior.from_json(steps(start, 1, PARTS).to_json())
    claims.check((start.rows, after.rows) == (30, len(X)), 'a step counts the rows of all parts')
    claims.check(start.verdict == 'moving' and after.verdict is None and 'a step' in repr(after) and
                 'a step after 3 rounds' in after.summary() and 'a step after' in after._repr_html_(),
                 'a step from sums has no verdict')
    one = done.expected_statistics(X[:5])
    says(claims, 'sums of another length', 'expected', done.update, mb.Statistics(one.sums[1:], one.logz, one.weight, 5))
    says(claims, 'rows of no weight', 'above 0', done.update, mb.Statistics(one.sums, 0.0, 0.0, 5))


def with_formula(claims, mb, prog):
    """Inputs that a formula makes, of the columns that it reads."""
    np.savetxt(prog.file('rows.csv'), np.c_[X, Y], delimiter=',', header='a,b,y', comments='')
    prog.run('fit', '--model', 'linreg', '--formula', 'y ~ a * b', '--data', 'rows.csv', '--out', 'formula.json')
    with open(prog.file('formula.json')) as f:
        p = mb.Posterior.from_json(f.read())
    apart, one = steps(p, 5, PARTS, Y), steps(p, 5, [np.arange(len(X))], Y)
    claims.check(far(apart, one) < FAR, f'a formula: steps from sums of four parts are those of one: {far(apart, one):.1e}')
    claims.check(far(one, p) < 1e-6, f'a formula: its fit is where they end: {far(one, p):.1e}')
    says(claims, 'a formula: columns of its design', 'expected 2', p.expected_statistics, np.c_[X, X[:, 0] * X[:, 1]], Y)


class Cluster:
    """A client of Dask without workers, which notes what would travel with a call."""

    def __init__(self):
        self.scattered, self.sent = 0, []

    def scatter(self, parts, hash):
        self.scattered += len(parts)
        return [Future(part) for part in parts]

    def submit(self, call, *args, pure):
        self.sent += [a for a in args if isinstance(a, np.ndarray)]
        return Future(call(*(a.value if isinstance(a, Future) else a for a in args)))


class Future:
    def __init__(self, value):
        self.value = value

    def result(self):
        return self.value


def travels(claims, mb):
    import meshbayes.dask
    client, start = Cluster(), mb.fit(X, Y, model='linreg', rounds=1).posterior
    rows = [Future(X[PARTS[0]]), *(X[p] for p in PARTS[1:])]
    got = meshbayes.dask.fit(client, rows, [Y[p] for p in PARTS], start=start, rounds=5, tol=0)
    claims.check(client.scattered == 7 and not client.sent, 'arrays of a list travel once, futures do not')
    claims.check(far(got, steps(start, 5, PARTS, Y)) < FAR and got.rows == len(X), 'and make the steps of one process')


def with_dask(claims, mb):
    try:
        import dask.array
        import distributed
    except ImportError:
        claims.note('no distributed: Dask is left out')
        return
    import meshbayes.dask
    start = mb.fit(X, n_components=3, rounds=2).posterior
    with distributed.Client(processes=False, n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        want = steps(start, 20, [np.arange(len(X))])
        got = meshbayes.dask.fit(client, [X[p] for p in PARTS], start=start, rounds=20, tol=0, branches=2)
        claims.check(far(got, want) < FAR, f'Dask: parts in workers, the steps of one process: {far(got, want):.1e}')
        rows, target = (dask.array.from_array(a, chunks=(50, *a.shape[1:])) for a in (X, Y))
        got = meshbayes.dask.fit(client, rows, target, model='linreg', start=mb.fit(X, Y, model='linreg').posterior)
        want = mb.fit(X, Y, model='linreg').posterior
        claims.check(far(got, want) < 1e-6, 'Dask: an array in chunks, and its targets')
        claims.check(meshbayes.dask.fit(client, rows, n_components=3).moved < 1e-9, 'Dask: it begins with the first part')
        says(claims, 'Dask: parts of another number', 'expected as many', meshbayes.dask.fit, client, rows, [Y])


def with_ranks(claims, mb, prog):
    mpiexec = shutil.which('mpiexec')
    there = mpiexec and subprocess.run([sys.executable, '-c', 'import mpi4py'], capture_output=True).returncode == 0
    if not there:
        claims.note('no mpi4py: ranks are left out')
        return
    start = mb.fit(X, n_components=3, rounds=2).posterior
    np.save(prog.file('rows.npy'), X)
    with open(prog.file('start.json'), 'w') as f:
        f.write(start.to_json())
    path = os.pathsep.join([os.path.join(PYTHON, 'src'), *filter(None, [os.environ.get('PYTHONPATH')])])
    done = subprocess.run([mpiexec, '--allow-run-as-root', '--oversubscribe', '-n', '3', sys.executable, '-c', RANKS,
                           prog.file('rows.npy'), prog.file('start.json')], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=path))
    got = mb.Posterior.from_json(done.stdout) if not done.returncode else start
    found = far(got, steps(start, 20, [np.arange(len(X))]))
    claims.check(found < FAR, f'mpi4py: rows on three ranks, the steps of one process: {found:.1e} {done.stderr[-300:]}')


def check(claims, prog):
    mb = package(prog)
    by_hand(claims, mb)
    with_formula(claims, mb, prog)
    travels(claims, mb)
    with_dask(claims, mb)
    with_ranks(claims, mb, prog)


main(check)

#!/usr/bin/python3
"""check_sklearn_bound.py PROGRAM: `meshbayes fit --trace` writes scikit-learn's lower bound up to
its constant: the increments of lower_bound_sklearn from round r to r + 1 equal those of
lower_bound_ from iteration r to r + 1 within 1e-8 of max(1, |bound|), stepped one iteration at a
time from the same responsibilities and prior. Our own bound lies between two of theirs."""
import csv
import warnings

import numpy as np

import check_sklearn as steps
from harness import main

TOL = 1e-8
ITERATIONS = 40


def theirs(X, K, prior, resp):
    """lower_bound_ after each iteration: warm starts of one iteration."""
    model = steps.estimator(K, prior, resp, max_iter=1, warm_start=True)
    bounds = []
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for _ in range(ITERATIONS):
            bounds.append(model.fit(X).lower_bound_)
    return np.array(bounds)


def ours(prog, K, prior, standardize):
    args = ['fit', '--data', 'x.csv', '--n-components', K, '--init', 'responsibilities:r.csv',
            '--tol', 0, '--rounds', ITERATIONS, '--standardize', standardize, '--trace', 't.csv']
    for name, value in prior[6].items():
        args += ['--' + name, value]
    prog.run(*args)
    trace = {'bound': [], 'lower_bound_sklearn': []}
    with open(prog.file('t.csv')) as f:
        for line in csv.DictReader(f):
            trace[line['metric']].append(float(line['mean']))
    return np.array(trace['bound']), np.array(trace['lower_bound_sklearn'])


def one(claims, prog, name, X, K, standardize):
    resp = steps.start(prog, X, K)
    for prior in steps.priors(X, K):
        bound, after = ours(prog, K, prior, standardize)
        want = theirs(X, K, prior, resp)
        size = np.maximum(1, np.abs(want[1:]))
        error = (np.abs(np.diff(after) - np.diff(want)) / size).max()
        claims.check(len(after) == ITERATIONS and error <= TOL,
                     f'{name}, {prior[0]}, standardize {standardize}: increments of the bound differ'
                     f' by {error:.1e} over {ITERATIONS} iterations (limit {TOL:g}); they sum to'
                     f' {want[-1] - want[0]:.6g} nats')
        slack = 1e-10 * size
        claims.check((bound[1:] >= after[:-1] - slack).all() and
                     (after[1:] >= bound[1:] - slack).all() and want[-1] - want[0] > 1,
                     f'{name}, {prior[0]}, standardize {standardize}: each bound lies between '
                     "scikit-learn's before and after its M-step")


def check(claims, prog):
    for name, X, K in steps.sets():
        for standardize in ('on', 'off'):
            one(claims, prog, name, X, K, standardize)


if __name__ == '__main__':
    main(check)

#!/usr/bin/python3
"""check_targets.py PROGRAM: linear regression with several targets against its closed form, written
out in numpy and by residuals (1e-9), on one machine and over networks with loss; against a run for
each target (1e-12); and against scikit-learn's Ridge of all targets with the prior's precision."""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np
from scipy.stats import t as student
from sklearn.linear_model import Ridge

from harness import main

SAME = 1e-9
NAMES = ['u', 'v', 'w']


def data(seed, n=240):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1, 10, .1] + [5, 100, 0]
    B = np.array([[2, -.5, 7], [0, 3, -1], [-40, .1, 0]])
    Y = [3, -200, 0] + X @ B.T + rng.normal(size=(n, 3)) * [.8, 20, 30]
    return X, Y, rng.integers(0, 12, n), rng.uniform(.2, 3, n)


def fit(prog, X, Y, *options, w=None, out='many.json'):
    """The targets in the midst of the inputs."""
    columns = ['u', 'a', 'v', 'b', 'c', 'w']
    rows = np.column_stack([Y[:, 0], X[:, 0], Y[:, 1], X[:, 1], X[:, 2], Y[:, 2]])
    if w is not None:
        columns, rows = columns + ['weight'], np.column_stack([rows, w])
        options = (*options, '--weight-column', 'weight')
    prog.write_csv('many.csv', columns, rows.tolist())
    prog.run('fit', '--model', 'linreg', '--data', 'many.csv', '--target-column', 'u,v,w', *options, '--out', out)
    return prog.json(out)


def stacked(o):
    """Coefficients with the intercept first, by target."""
    coef = np.array(o['coef'])
    return coef if o['intercept'] is None else np.column_stack([o['intercept'], coef])


def closed_form(post, X, Y, w):
    prior = post['prior']
    m0, L0 = stacked(prior), np.array(prior['precision'])
    Z = np.column_stack([np.ones(len(Y)), X]) if post['intercept'] is not None else X
    L = L0 + (Z.T * w) @ Z
    m = m0 + np.linalg.solve(L, (Z.T * w) @ (Y - Z @ m0.T)).T
    r, d = Y - Z @ m.T, m - m0
    b = prior['rate'] + (w[:, None] * r * r).sum(axis=0) / 2 + np.einsum('ti,ij,tj->t', d, L0, d) / 2
    return prior['shape'] + w.sum() / 2, b, m, L


def error(post, want):
    a, b, m, L = want
    sd = np.sqrt(np.outer(b / a, np.diag(np.linalg.inv(L))))
    G = np.array(post['precision'])
    return max(abs(post['shape'] / a - 1), np.abs(post['rate'] / b - 1).max(), np.abs((stacked(post) - m) / sd).max(),
               np.abs(np.array(post['coef_scale']) / sd[:, -3:] - 1).max(), np.abs(G - L).max() / np.abs(L).max())


def one_machine(claims, prog):
    for title, weighted, options in [
            ('with an intercept', 0, []), ('through the origin', 0, ['--intercept', 'off']),
            ('with row weights', 1, []), ('in raw columns', 0, ['--standardize', 'off']),
            ('with a prior of its own', 0, ['--prior.a0', 2, '--prior.b0', .7, '--prior.m0', '1,2,-3,4,0,0,1,1,2,2,3,3',
                                            '--prior.lambda0', .25])]:
        X, Y, _, w = data(1)
        post = fit(prog, X, Y, *options, w=w if weighted else None)
        e = error(post, closed_form(post, X, Y, w if weighted else np.ones(len(Y))))
        claims.check(e <= SAME and post['target'] == NAMES, f'one machine {title}: the closed form to {e:.1e}')


def each_alone(claims, prog):
    X, Y, _, _ = data(2)
    post, worst = fit(prog, X, Y), 0
    for t, name in enumerate(NAMES):
        prog.write_csv('one.csv', ['a', 'b', 'c', 'y'], np.column_stack([X, Y[:, t]]).tolist())
        prog.run('fit', '--model', 'linreg', '--data', 'one.csv', '--target-column', 'y', '--out', 'one.json')
        one = prog.json('one.json')
        worst = max(worst, np.abs((np.array(post['coef'][t]) - one['coef']) / one['coef_scale']).max(),
                    abs(post['rate'][t] / one['rate'] - 1), np.abs(np.array(post['precision']) / one['precision'] - 1).max())
    claims.check(worst <= 1e-12, f'each target alone: the same to {worst:.1e}')


def networks(claims, prog):
    X, Y, site, _ = data(3)
    prog.write_csv('rows.csv', ['site', 'a', 'b', 'c', *NAMES], np.column_stack([site, X, Y]).tolist())
    for net in ('ring:n=12', 'geometric:n=12,side=2,radius=1'):
        prog.sim(model='linreg', data='rows.csv', node_column='site', target_column='u,v,w', topology=net,
                 algorithm='edge', loss_directed=.2, rounds=4000, tol=1e-12, seed=1, out='net')
        post, last = prog.json('net/posterior.json'), prog.json('net/summary.json')['algorithms'][0]
        e = error(post, closed_form(post, X, Y, np.ones(len(Y))))
        claims.check(e <= 1e-8 and last['verdict'] == 'settled',
                     f'edge on {net}, 20 % of the messages lost: {last["verdict"]}, the closed form to {e:.1e}')


def predictions(claims, prog):
    X, Y, _, _ = data(4)
    post = fit(prog, X, Y, '--prior.lambda0', 2, '--intercept', 'off')
    ridge = Ridge(alpha=2, fit_intercept=False).fit(X, Y)
    e = np.abs(ridge.coef_ / post['coef'] - 1).max()
    claims.check(e <= SAME, f"scikit-learn's Ridge with the prior's precision: {e:.1e}")
    a, b, m, L = closed_form(post, X, Y, np.ones(len(Y)))
    scale = np.sqrt(np.outer(1 + np.einsum('ni,ij,nj->n', X, np.linalg.inv(L), X), b / a))
    prog.run('predict', '--posterior', 'many.json', '--data', 'many.csv', '--level', .9, '--out', 'p.csv')
    got = np.loadtxt(prog.file('p.csv'), delimiter=',', skiprows=1)[:, 1:].reshape(len(Y), 3, 4)
    low, high = student.interval(.9, 2 * a, X @ m.T, scale)
    want = np.stack([X @ m.T, scale * np.sqrt(a / (a - 1)), low, high], axis=2)
    e = (np.abs(got - want) / scale[:, :, None]).max()
    claims.check(e <= 1e-8, f'predictions: mean, sd and interval of each target to {e:.1e} of its scale')
    prog.run('score', '--posterior', 'many.json', '--data', 'many.csv', '--samples', '--out', 's.csv')
    got = np.loadtxt(prog.file('s.csv'), delimiter=',', skiprows=1, ndmin=2)[:, -1]
    e = np.abs(got - student.logpdf(Y, 2 * a, X @ m.T, scale).sum(axis=1)).max()
    claims.check(e <= SAME, f'densities: the product of Student\'s t to {e:.1e}')


def check(claims, prog):
    for part in (one_machine, each_alone, networks, predictions):
        part(claims, prog)


if __name__ == '__main__':
    main(check)

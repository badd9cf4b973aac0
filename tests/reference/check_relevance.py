#!/usr/bin/python3
"""check_relevance.py PROGRAM: linear regression with --linreg.relevance on against the same mean-field
iteration written out in numpy (1e-8), its bound term by term from the file's numbers, networks with
loss against one machine, and scikit-learn's ARDRegression, whose model differs (docs/math.md,
section 20): coefficients within 0.25 of their posterior standard deviations."""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import warnings

import numpy as np
from scipy.special import digamma, gammaln
from sklearn.linear_model import ARDRegression

from harness import main

TOL = 1e-8
TRUTH = [2, 0, 7, 0, -.5]
HYPER = 1e-6  # shape and rate of a relevance, in columns of variance 1


def data(seed, n=200):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * [1, 10, .1, 3, 1] + [5, 100, 0, -4, 2]
    return X, 3 + X @ TRUTH + .8 * rng.normal(size=n), rng.integers(0, 12, n)


def units(x, intercept):
    mean, sd = x.mean(axis=0), x.std(axis=0, ddof=1)
    return (mean, sd) if intercept else (0 * mean, np.hypot(mean, sd))


class MeanField:
    """q(w, tau) prod_j q(alpha_j), in columns of mean 0 and variance 1, to the fixed point."""

    def __init__(self, X, y, intercept):
        self.o, self.s = units(X, intercept)
        self.oy, self.sy = units(y, intercept)
        Z, t = (X - self.o) / self.s, (y - self.oy) / self.sy
        self.first, self.n = int(intercept), len(y)
        self.Z, self.t = np.column_stack([np.ones((len(y), self.first)), Z]), t
        self.alpha = np.ones(X.shape[1])
        for self.steps in range(100000):
            before = self.alpha
            self.step()
            if np.abs(self.alpha / before - 1).max() < 1e-14:
                return

    def step(self):
        L0 = np.diag(np.r_[np.full(self.first, 1e-6), self.alpha])
        self.L = L0 + self.Z.T @ self.Z
        self.m = np.linalg.solve(self.L, self.Z.T @ self.t)
        self.a = .5 + self.n / 2
        r = self.t - self.Z @ self.m
        self.b = 1e-4 + (r @ r + self.m @ L0 @ self.m) / 2
        square = (np.diag(np.linalg.inv(self.L)) + self.a / self.b * self.m ** 2)[self.first:]
        self.rate = HYPER + square / 2
        self.alpha = (HYPER + .5) / self.rate

    def coef(self):
        return self.m[self.first:] * self.sy / self.s

    def bound(self):
        """E[ln p(y, w, tau, alpha)] + entropy, data units."""
        a, b, c, d = self.a, self.b, HYPER + .5, self.rate
        V, p = np.linalg.inv(self.L), len(self.m)
        tau, ln_tau, ln_alpha = a / b, digamma(a) - np.log(b), digamma(c) - np.log(d)
        r = self.t - self.Z @ self.m
        rows = (ln_tau - np.log(2 * np.pi) - tau * r ** 2 - np.einsum('ni,ij,nj->n', self.Z, V, self.Z)) / 2
        square, f = np.diag(V) + tau * self.m ** 2, self.first
        l0 = np.r_[np.full(f, 1e-6), c / d]
        ln_l0 = np.r_[np.full(f, np.log(1e-6)), ln_alpha]
        w = (ln_tau + ln_l0 - np.log(2 * np.pi) - l0 * square).sum() / 2
        entropy = (p * (1 + np.log(2 * np.pi) - ln_tau) - np.linalg.slogdet(self.L)[1]) / 2

        def gamma(a0, b0, a, b):
            cross = a0 * np.log(b0) - gammaln(a0) + (a0 - 1) * (digamma(a) - np.log(b)) - b0 * a / b
            return cross + a - np.log(b) + gammaln(a) + (1 - a) * digamma(a)

        total = rows.sum() + w + entropy + gamma(.5, 1e-4, a, b) + gamma(HYPER, HYPER, c, d).sum()
        return total - self.n * np.log(self.sy)


def fit(prog, X, y, *options):
    prog.write_csv('one.csv', ['a', 'b', 'c', 'd', 'e', 'y'], np.column_stack([X, y]).tolist())
    prog.run('fit', '--model', 'linreg', '--data', 'one.csv', '--target-column', 'y', '--linreg.relevance',
             'on', '--tol', 1e-12, '--rounds', 50000, *options, '--out', 'one.json')
    return prog.json('one.json')


def relative(got, want):
    return np.abs(np.array(got) / want - 1).max()


def one_machine(claims, prog):
    for intercept in ('on', 'off'):
        X, y, _ = data(1)
        post, ref = fit(prog, X, y, '--intercept', intercept), MeanField(X, y, intercept == 'on')
        e = max(np.abs((np.array(post['coef']) - ref.coef()) / post['coef_scale']).max(),
                relative(post['relevance_mean'], ref.alpha * ref.s ** 2),
                relative(post['rate'], ref.b * ref.sy ** 2), relative(post['shape'], ref.a))
        claims.check(e <= TOL, f'intercept {intercept}: the iteration in numpy to {e:.1e} ({ref.steps} steps)')
        e = abs(post['bound'] - ref.bound()) / abs(ref.bound())
        claims.check(e <= TOL, f'intercept {intercept}: its bound, term by term, to {e:.1e}')
    X, y, _ = data(2)
    here = fit(prog, X, y)
    there = fit(prog, X * [1e3, 1, 1e-3, 1, 1] + [0, 1e4, 0, 0, 0], 50 * y)
    e = relative(np.array(there['coef']) / np.array(here['coef']), 50 / np.array([1e3, 1, 1e-3, 1, 1]))
    claims.check(e <= 1e-6, f'columns in other units: the same answer in those units to {e:.1e}')


def networks(claims, prog):
    X, y, site = data(3)
    rows = [[int(s), *x, t] for s, x, t in zip(site, X, y)]
    prog.write_csv('rows.csv', ['site', 'a', 'b', 'c', 'd', 'e', 'y'], rows)
    want = fit(prog, X, y)
    for net in ('ring:n=12', 'geometric:n=12,side=2,radius=1'):
        prog.sim(model='linreg', data='rows.csv', node_column='site', target_column='y', topology=net,
                 algorithm='edge', loss_directed=.2, rounds=20000, tol=1e-10, seed=1, out='net',
                 extra={'linreg.relevance': 'on'})
        post, last = prog.json('net/posterior.json'), prog.json('net/summary.json')['algorithms'][0]
        e = np.abs((np.array(post['coef']) - want['coef']) / want['coef_scale']).max()
        e = max(e, relative(post['relevance_mean'], want['relevance_mean']))
        claims.check(e <= 1e-6 and last['verdict'] == 'settled',
                     f'edge on {net}, 20 % of the messages lost: {last["verdict"]}, one machine to {e:.1e}')


def scikit_learn(claims, prog):
    X, y, _ = data(4)
    post = fit(prog, X, y)
    Z, sy = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1), y.std(ddof=1)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        ard = ARDRegression(tol=1e-12, n_iter=20000, threshold_lambda=1e12).fit(Z, (y - y.mean()) / sy)
    e = np.abs((ard.coef_ * sy / X.std(axis=0, ddof=1) - post['coef']) / post['coef_scale']).max()
    claims.check(e <= .25, f'ARDRegression: coefficients within {e:.3f} of their scales')
    prog.run('export', '--posterior', 'one.json', '--format', 'sklearn', '--out', 'ard.npz')
    own = ARDRegression(threshold_lambda=np.inf)  # nothing was removed
    own.__dict__.update(np.load(prog.file('ard.npz')))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')  # of names, which an array has not
        mean, sd = own.predict(X, return_std=True)
    prog.run('predict', '--posterior', 'one.json', '--data', 'one.csv', '--out', 'own.csv')
    got = np.genfromtxt(prog.file('own.csv'), delimiter=',', names=True)
    claims.check(np.abs(mean - got['mean']).max() <= 1e-9 and np.isfinite(sd).all() and own.lambda_.shape == (5,),
                 'export: ARDRegression predicts as meshbayes predict does')


def check(claims, prog):
    for part in (one_machine, networks, scikit_learn):
        part(claims, prog)


if __name__ == '__main__':
    main(check)

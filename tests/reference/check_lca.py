#!/usr/bin/python3
"""check_lca.py PROGRAM: latent classes of mixed columns against the same model written out in numpy, from
the same responsibilities: bound, parameters, densities and responsibilities after any number of iterations
to 1e-8; a table with all four kinds of columns, one with a single kind each, and the handwritten digits of
8 x 8 pixels as flags. A network of 12 nodes that loses 20 % of its messages settles on a fixed point of the
reference."""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import csv

import numpy as np
from scipy.special import digamma, gammaln, logsumexp
from sklearn.datasets import load_digits

from harness import main

TOL = 1e-8
ITERATIONS = [1, 10, 100]


class Classes:
    process = False  # the sticks of a Dirichlet process

    """numbers: n x p floats, counts: n x c, codes: n x q with `levels` of each; NaN and -1: no value. Parameters: alpha (K); a, b, m,
    lam (K x p); s, r (K x c); shares, a list of K x L."""

    def __init__(self, table, K):
        self.numbers, self.counts, self.codes, self.levels = table
        self.K, self.n = K, max(len(x) for x in table[:3])
        self.mean0 = np.nanmean(self.numbers, axis=0)
        self.var0 = np.nanvar(self.numbers, axis=0, ddof=1)
        self.rate0 = 1 / np.nanmean(self.counts, axis=0)
        self.there, self.counted = ~np.isnan(self.numbers), ~np.isnan(self.counts)
        self.numbers, self.counts = np.nan_to_num(self.numbers), np.nan_to_num(self.counts)
        self.hot = [np.vstack([np.eye(L), np.zeros(L)])[x] for x, L in zip(self.codes.T, self.levels)]

    def prior(self):
        K, one = self.K, np.ones((self.K, 1))
        p, c = self.numbers.shape[1], self.counts.shape[1]
        return (np.full(K, 1 / K), np.full((K, p), .5), one * self.var0 / 2, one * self.mean0, np.ones((K, p)),
                np.ones((K, c)), one * self.rate0, [np.ones((K, L)) for L in self.levels])

    def step(self, R):
        alpha, a, b, m, lam, s, r, shares = self.prior()
        n, X = R.T @ self.there, self.numbers
        mean = (lam * m + R.T @ X) / (lam + n)
        spread = np.array([[R[:, k] @ (self.there[:, d] * (X[:, d] - mean[k, d]) ** 2) for d in range(X.shape[1])]
                           for k in range(self.K)])
        spread = spread.reshape(mean.shape)
        rows = R.sum(axis=0)
        if self.process:
            after = np.append(np.cumsum(rows[:0:-1])[::-1], 0)
            alpha = np.array([1 + rows, 1 / self.K + after])
        else:
            alpha = alpha + rows
        return (alpha, a + n / 2, b + (spread + lam * (mean - m) ** 2) / 2, mean, lam + n,
                s + R.T @ self.counts, r + R.T @ self.counted, [q + R.T @ hot for q, hot in zip(shares, self.hot)])

    def log_rho(self, par):
        alpha, a, b, m, lam, s, r, shares = par
        ln_pi = digamma(alpha) - digamma(alpha.sum(axis=0))
        if self.process:
            ln_pi = ln_pi[0] + np.append(0, np.cumsum(ln_pi[1])[:-1])
        rho = ln_pi - gammaln(self.counts + 1).sum(axis=1)[:, None]
        for k in range(self.K):
            square = (self.numbers - m[k]) ** 2 * a[k] / b[k]
            rho[:, k] += (self.there * (digamma(a[k]) - np.log(2 * np.pi * b[k]) - 1 / lam[k] - square) / 2).sum(axis=1)
            rho[:, k] += (self.counts * (digamma(s[k]) - np.log(r[k])) - self.counted * s[k] / r[k]).sum(axis=1)
            for hot, q in zip(self.hot, shares):
                rho[:, k] += hot @ (digamma(q[k]) - digamma(q[k].sum()))
        return rho

    def resp(self, par):
        rho = self.log_rho(par)
        return np.exp(rho - logsumexp(rho, axis=1, keepdims=True))

    def divergence(self, par):
        """KL(posterior || prior)."""
        def dirichlet(p, q):
            total = gammaln(p.sum(axis=-1)) - gammaln(p).sum(axis=-1) - gammaln(q.sum(axis=-1)) + gammaln(q).sum(axis=-1)
            return (total + ((p - q) * (digamma(p) - digamma(p.sum(axis=-1, keepdims=True)))).sum(axis=-1)).sum()

        def gamma(a, b, a0, b0):
            return ((a - a0) * digamma(a) - gammaln(a) + gammaln(a0) + a0 * np.log(b / b0) + a * (b0 - b) / b).sum()

        alpha, a, b, m, lam, s, r, shares = par
        alpha0, a0, b0, m0, lam0, s0, r0, shares0 = self.prior()
        ratio = lam0 / lam
        if self.process:  # each stick is a Dirichlet of two
            alpha, alpha0 = alpha.T, np.tile([1, 1 / self.K], (self.K, 1))
        return dirichlet(alpha, alpha0) + gamma(a, b, a0, b0) + gamma(s, r, s0, r0) \
            + .5 * (ratio - 1 - np.log(ratio) + lam0 * a / b * (m - m0) ** 2).sum() \
            + sum(dirichlet(p, q) for p, q in zip(shares, shares0))

    def bound(self, par):
        return logsumexp(self.log_rho(par), axis=1).sum() - self.divergence(par)

    def weights(self, alpha):
        if not self.process:
            return alpha / alpha.sum()
        v = alpha[0] / alpha.sum(axis=0)
        share = v * np.append(1, np.cumprod(1 - v)[:-1])
        return share / share.sum()

    def log_predictive(self, par):
        """Student's t, negative binomial, and shares."""
        alpha, a, b, m, lam, s, r, shares = par
        out = np.tile(np.log(self.weights(alpha)), (self.n, 1))
        for k in range(self.K):
            scale = 2 * b[k] * (1 + 1 / lam[k])
            out[:, k] += (self.there * (gammaln(a[k] + .5) - gammaln(a[k]) - np.log(np.pi * scale) / 2
                                        - (a[k] + .5) * np.log1p((self.numbers - m[k]) ** 2 / scale))).sum(axis=1)
            x = self.counts
            out[:, k] += (self.counted * (gammaln(s[k] + x) - gammaln(s[k]) - gammaln(x + 1)
                                          + s[k] * np.log(r[k] / (r[k] + 1)) - x * np.log(r[k] + 1))).sum(axis=1)
            for hot, q in zip(self.hot, shares):
                out[:, k] += np.log(hot @ (q[k] / q[k].sum()) + (hot.sum(axis=1) == 0))
        return logsumexp(out, axis=1)


def people(n, seed):
    """Numbers, counts, categories and flags of three groups."""
    rng = np.random.default_rng(seed)
    z = rng.integers(0, 3, n)
    numbers = np.array([[20, 1e4], [40, 2e4], [60, 2e4]])[z] + rng.normal(size=(n, 2)) * [5, 2e3]
    counts = rng.poisson(np.array([[.3, 40], [2, 60], [4, 50]])[z]).astype(float)
    shares = [[[.7, .2, .1], [.1, .8, .1], [.2, .1, .7]], [[.9, .1], [.4, .6], [.7, .3]],
              [[.1, .2, .3, .4], [.4, .3, .2, .1], [.25] * 4]]
    codes = np.array([[rng.choice(len(q[k]), p=q[k]) for q in shares] for k in z])
    return numbers, counts, codes, [3, 2, 4]


WORDS = ['red', 'green', 'deep blue', 'a,b']


def write(prog, table):
    """The columns of the kinds in turn, so that no kind's are side by side; returns their names."""
    numbers, counts, codes, levels = table
    columns = [(f'n{d}', ['' if np.isnan(x) else repr(float(x)) for x in c], 'number') for d, c in enumerate(numbers.T)]
    more = [(f'c{d}', ['NA' if np.isnan(x) else str(int(x)) for x in c], 'count') for d, c in enumerate(counts.T)]
    third = []
    for d, (c, L) in enumerate(zip(codes.T, levels)):
        words = 'category(' + '|'.join(w.replace(',', '\\,') for w in WORDS[:L]) + ')'
        third.append((f'k{d}', ['' if x < 0 else str(x) if L == 2 else WORDS[x] for x in c], 'flag' if L == 2 else words))
    mixed = [c for group in zip(*[g + [None] * 99 for g in (third, columns, more)]) for c in group if c]
    with open(prog.file('x.csv'), 'w', newline='') as f:
        out = csv.writer(f)
        out.writerow([name for name, _, _ in mixed])
        out.writerows(zip(*[cells for _, cells, _ in mixed]))
    return ','.join(f'{name}:{kind}' for name, _, kind in mixed)


def start(prog, n, K, seed):
    resp = np.random.default_rng(seed).dirichlet(np.full(K, .3), n)
    np.savetxt(prog.file('r.csv'), resp, delimiter=',', fmt='%.17g', header=','.join(f'r{k}' for k in range(K)), comments='')
    return resp


def flat(shares):
    return np.concatenate(shares, axis=1) if shares else np.empty((0, 0))


def order(mine, par, kinds):
    """Canonical: means, rates and shares column by column."""
    keys, at = [], {'n': 0, 'c': 0, 'k': 0}
    for name in (c.split(':')[0] for c in kinds):
        d = int(name[1:])
        if name[0] == 'n':
            keys.append(par[3][:, d])
        elif name[0] == 'c':
            keys.append(par[5][:, d] / par[6][:, d])
        else:
            q = par[7][d] / par[7][d].sum(axis=1, keepdims=True)
            keys += list(q.T[1:] if q.shape[1] == 2 else q.T)
    return np.lexsort(keys[::-1])


def differences(prog, mine, par, kinds):
    post = prog.json('p.json')
    k = np.arange(mine.K) if mine.process else order(mine, par, kinds)
    par = list(par)
    weights, par[0] = mine.weights(par[0]), par[0].T
    alpha, a, b, m, lam, s, r, shares = [x[k] if isinstance(x, np.ndarray) else [y[k] for y in x] for x in par]
    par[0] = par[0].T
    error = {'bound': abs(post['bound'] - mine.bound(par)) / abs(post['bound'])}

    def compare(field, x, unit=1):
        if x.size:
            error[field] = np.abs((np.array(post[field]) - x) / unit).max()
        elif post[field] is not None:
            error[field] = np.inf

    compare('weight_concentration', alpha, alpha)
    compare('weights', weights[k])
    compare('shape', a, a)
    compare('rate', b, b)
    compare('mean_precision', lam, lam)
    compare('means', m, np.sqrt(mine.var0))
    compare('variances', b / a, b / a)
    compare('count_shape', s, s)
    compare('count_rate', r, r)
    compare('count_means', s / r, s / r)
    compare('share_concentration', flat(shares))
    compare('shares', flat([q / q.sum(axis=1, keepdims=True) for q in shares]))
    prog.run('score', '--posterior', 'p.json', '--data', 'x.csv', '--samples', '--out', 'd.npy')
    error['densities'] = np.abs(np.load(prog.file('d.npy')).ravel() - mine.log_predictive(par)).max()
    prog.run('predict', '--posterior', 'p.json', '--data', 'x.csv', '--what', 'responsibilities', '--out', 'q.npy')
    error['responsibilities'] = np.abs(np.load(prog.file('q.npy')) - mine.resp(par)[:, k]).max()
    return error


def names(text):
    """The declarations apart: those in brackets hold commas after a backslash only."""
    return text.replace('\\,', ' ').split(',')


def one(claims, prog, name, table, K, *more):
    kinds, mine = write(prog, table), Classes(table, K)
    mine.process = bool(more)
    resp = start(prog, mine.n, K, 5)
    for iterations in ITERATIONS:
        par = mine.step(resp)
        for _ in range(iterations):
            par = mine.step(mine.resp(par))
        prog.run('fit', '--model', 'lca', '--data', 'x.csv', '--column', kinds, '--n-components', K, '--init',
                 'responsibilities:r.csv', '--tol', 0, '--rounds', iterations + 1, '--out', 'p.json', *more)
        error = differences(prog, mine, par, names(kinds))
        claims.check(max(error.values()) <= TOL, f'{name}: numpy, {iterations} iterations: ' + ', '.join(
            f'{what} {e:.1e}' for what, e in error.items()) + f' (limit {TOL:g})')


def network(claims, prog, name, table, K):
    """Its answer, taken as responsibilities, is what one more step of the reference gives."""
    kinds, mine = write(prog, table), Classes(table, K)
    prog.run('sim', '--model', 'lca', '--data', 'x.csv', '--column', kinds, '--n-components', K, '--topology',
             'ring:n=12', '--loss-directed', 0.2, '--algorithm', 'edge', '--tol', 1e-9, '--rounds', 5000, '--out', 'net')
    post = prog.json('net/posterior.json')
    shares = np.split(np.array(post['share_concentration']), np.cumsum(mine.levels)[:-1], axis=1)
    par = [np.array(post[f]) for f in ('weight_concentration', 'shape', 'rate', 'means', 'mean_precision', 'count_shape',
                                       'count_rate')] + [shares]
    again = mine.step(mine.resp(par))
    moved = max(np.abs(again[i] - par[i]).max() / np.abs(par[i]).max() for i in range(7))
    claims.check(moved <= 1e-6, f'{name}: 12 nodes, 20 % of the messages lost: one step of the reference moves {moved:.1e} '
                 '(limit 1e-06)')


def digits():
    X = (load_digits().data > 7).astype(int)
    return np.empty((len(X), 0)), np.empty((len(X), 0)), X, [2] * X.shape[1]


def with_gaps(table, seed):
    """20 % of the cells have no value."""
    rng = np.random.default_rng(seed)
    numbers, counts, codes, levels = table
    gone = [rng.random(x.shape) < .2 for x in (numbers, counts, codes)]
    return np.where(gone[0], np.nan, numbers), np.where(gone[1], np.nan, counts), np.where(gone[2], -1, codes), levels


def check(claims, prog):
    table, none = people(300, 1), np.empty((300, 0))
    one(claims, prog, 'all kinds, 20 % of the cells missing', with_gaps(table, 4), 3)
    network(claims, prog, 'all kinds, 20 % of the cells missing', with_gaps(table, 4), 3)
    one(claims, prog, 'all kinds', table, 3)
    one(claims, prog, 'all kinds, Dirichlet process', table, 5, '--weight-concentration-prior-type', 'dirichlet_process')
    one(claims, prog, 'all kinds, one class', table, 1)
    one(claims, prog, 'all kinds, more classes than there are', table, 6)
    one(claims, prog, 'numbers', (table[0], none, none.astype(int), []), 2)
    one(claims, prog, 'counts', (none, table[1], none.astype(int), []), 2)
    one(claims, prog, 'categories', (none, none, table[2], table[3]), 2)
    one(claims, prog, 'digits as flags', digits(), 10)
    network(claims, prog, 'all kinds', table, 3)


if __name__ == '__main__':
    main(check)

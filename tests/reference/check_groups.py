#!/usr/bin/python3
"""check_groups.py PROGRAM: mixtures of Gaussians of rows in groups that share their component, against the
model written out in numpy, group by group: posterior, bound and responsibilities from the same start, for
all covariances and both priors of the weights, with and without gaps, in text and NPY; predictive densities
of rows, given those before them in their group, as differences of log evidences of the beginnings of groups"""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np
from scipy.special import betaln, digamma, gammaln, logsumexp, multigammaln
from sklearn.datasets import load_iris

import check_gaps
from harness import main

TOL = 1e-8
ITERATIONS = [0, 1, 40]


class Weights:
    """Dirichlet(1/K, ..), or K sticks Beta(1, 1/K): parameters (K,) or (K, 2)."""

    def __init__(self, K, process):
        self.K, self.process = K, process

    def posterior(self, count):
        if not self.process:
            return 1 / self.K + count
        later = count.sum() - np.cumsum(count)
        return np.column_stack([1 + count, 1 / self.K + later])

    def log(self, par):
        if not self.process:
            return digamma(par) - digamma(par.sum())
        a, b = par.T
        rest = digamma(b) - digamma(a + b)
        return digamma(a) - digamma(a + b) + np.cumsum(rest) - rest

    def shares(self, par):
        if self.process:
            v = par[:, 0] / par.sum(axis=1)
            par = v * np.cumprod(np.append(1, 1 - v[:-1]))
        return par / par.sum()

    def divergence(self, par):
        if self.process:
            a, b = par.T
            b0 = 1 / self.K
            return (betaln(1, b0) - betaln(a, b) + (a - 1) * digamma(a) + (b - b0) * digamma(b)
                    + (1 + b0 - a - b) * digamma(a + b)).sum()
        prior = np.full(self.K, 1 / self.K)
        return gammaln(par.sum()) - gammaln(par).sum() - gammaln(prior.sum()) + gammaln(prior).sum() \
            + (par - prior) @ (digamma(par) - digamma(par.sum()))


class Grouped:
    """group: of each row, 0, 1, .. ascending. Rows of gaps only say nothing."""

    def __init__(self, kind, X, group, K, process):
        self.rows, self.kind, self.weights = check_gaps.model_of(kind, X, K), kind, Weights(K, process)
        self.some = ~np.isnan(X).all(axis=1)
        self.group, self.G, self.K = group[self.some], group.max() + 1, K

    def of_groups(self, x, mean=False):
        total = np.zeros((self.G, x.shape[1]))
        np.add.at(total, self.group, x)
        return total / np.bincount(self.group, minlength=self.G)[:, None] if mean else total

    def step(self, R, par=None):
        """R: of the groups."""
        inner = self.rows.step(R[self.group], par and par[1])
        return self.weights.posterior(R.sum(axis=0)), inner

    def log_rho(self, par):
        alpha = par[1][0]
        rows = self.rows.log_rho(par[1], self.rows.X) - (digamma(alpha) - digamma(alpha.sum()))
        return self.weights.log(par[0]) + self.of_groups(rows)

    def resp(self, par):
        rho = self.log_rho(par)
        return np.exp(rho - logsumexp(rho, axis=1, keepdims=True))

    def bound(self, par):
        start = self.rows.prior() if self.kind == 'full' else self.rows.start
        other = self.rows.divergence((start[0], *par[1][1:]))  # of the components alone
        return logsumexp(self.log_rho(par), axis=1).sum() - other - self.weights.divergence(par[0])

    def evidence(self, par, k, x):
        """ln p(x | component k, data) of n rows together."""
        if self.kind == 'full':
            _, beta, m, S, nu = (p[k] for p in par)
            n, D = x.shape
            far = x - m
            one = far.sum(axis=0)
            S1 = S + far.T @ far - np.outer(one, one) / (beta + n)
            return D / 2 * (np.log(beta / (beta + n)) - n * np.log(np.pi)) + multigammaln((nu + n) / 2, D) \
                - multigammaln(nu / 2, D) + nu / 2 * np.linalg.slogdet(S)[1] - (nu + n) / 2 * np.linalg.slogdet(S1)[1]
        _, a, b, m, lam = (p[k] for p in par)
        there = ~np.isnan(x)
        n, far = there.sum(axis=0), np.where(there, x - m, 0)
        b1 = b + self.rows.sums((far ** 2).sum(axis=0) - far.sum(axis=0) ** 2 / (lam + n)) / 2
        a1 = a + self.rows.sums(n.astype(float)) / 2
        return (gammaln(a1) - gammaln(a) + a * np.log(b) - a1 * np.log(b1)).sum() \
            + (np.log(lam / (lam + n)) - n * np.log(2 * np.pi)).sum() / 2

    def log_predictive(self, par):
        """Of each row given those before it in its group."""
        out, share = np.empty(len(self.group)), np.log(self.weights.shares(par[0]))
        for g in range(self.G):
            at, before = np.flatnonzero(self.group == g), 0
            for i, j in enumerate(at):
                all_ = logsumexp(share + [self.evidence(par[1], k, self.rows.X[at[:i + 1]]) for k in range(self.K)])
                out[j], before = all_ - before, all_
        return out


def write(prog, X, group, R):
    prog.write_csv('x.csv', [f'v{d}' for d in range(X.shape[1])] + ['patient'],
                   [['' if np.isnan(c) else repr(c) for c in row] + [f'p{g}'] for row, g in zip(X.tolist(), group)])
    np.save(prog.file('x.npy'), X)
    np.save(prog.file('g.npy'), group)
    prog.write_csv('r.csv', [f'r{k}' for k in range(R.shape[1])], R.tolist())


def iterated(claims, prog, name, kind, process, X, group, R, iterations):
    prog.run('fit', '--data', 'x.csv', '--group-column', 'patient', '--n-components', R.shape[1], '--init',
             'responsibilities:r.csv', '--covariance-type', kind, '--weight-concentration-prior-type',
             'dirichlet_process' if process else 'dirichlet_distribution', '--tol', 0, '--rounds', iterations + 1,
             '--out', 'p.json')
    post, model = prog.json('p.json'), Grouped(kind, X, group, R.shape[1], process)
    par = model.step(model.of_groups(R[model.some], mean=True))
    for _ in range(iterations):
        par = model.step(model.resp(par), par)
    means = par[1][2] if kind == 'full' else par[1][3]
    k = np.arange(len(means)) if process else np.lexsort(means.T[::-1])
    error = {'concentrations': np.abs(np.array(post['weight_concentration']) / par[0][k] - 1).max()}
    error.update(model.rows.shown(par[1], post, k))
    error['bound'] = abs(post['bound'] - model.bound(par)) / abs(post['bound'])
    rows = ('--posterior', 'p.json', '--data', 'x.npy', '--group-file', 'g.npy')
    prog.run('predict', *rows, '--what', 'responsibilities', '--out', 'q.npy')
    error['responsibilities'] = np.abs(np.load(prog.file('q.npy')) - model.resp(par)[group][:, k]).max()
    if kind != 'full' or not np.isnan(X).any():
        prog.run('score', *rows, '--samples', '--out', 'd.npy')
        seen = np.load(prog.file('d.npy')).ravel()
        error['densities'] = np.abs(seen[model.some] - model.log_predictive(par)).max()
        error['densities'] = max(error['densities'], np.abs(seen[~model.some]).max(initial=0))
    claims.check(max(error.values()) <= TOL, f'{name}, {kind}{", process" if process else ""}, {iterations} iterations: '
                 + ', '.join(f'{what} {e:.1e}' for what, e in error.items()) + f' (limit {TOL:g})')


def check(claims, prog):
    rng = np.random.default_rng(5)
    iris = load_iris().data
    gone = iris.copy()
    gone[rng.random(iris.shape) < 0.25] = np.nan
    clouds = np.vstack([rng.normal(size=(400, 2)) @ rng.normal(size=(2, 2)) * 3 + shift for shift in (0, 2)])
    few, long = np.arange(150) // 3, np.searchsorted(np.cumsum([300, 1, 260, 40, 100, 99]), np.arange(800), side='right')
    for name, X, group, K in (('iris in threes', iris, few, 3), ('iris with gaps', gone, few, 3),
                              ('two clouds, long groups', clouds, long, 2)):
        hard = np.eye(K)[np.arange(len(X)) * K // len(X)]
        R = 0.7 * hard + 0.3 * rng.dirichlet(np.ones(K), len(X))
        write(prog, X, group, R)
        for kind in ('full', 'diag', 'spherical'):
            for process in (False, True):
                for iterations in ITERATIONS[::2 if process else 1]:
                    iterated(claims, prog, name, kind, process, X, group, R, iterations)


if __name__ == '__main__':
    main(check)

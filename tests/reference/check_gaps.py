#!/usr/bin/python3
"""check_gaps.py PROGRAM: mixtures of Gaussians of rows with gaps, against the model written out in numpy,
row by row: what is missing is integrated out by conditioning on what is there, with the precision matrix
(full), or left out (diag, spherical). iris and generated rows with 30 % of their cells missing at random;
posterior, bound, densities and responsibilities agree"""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np
from scipy.special import digamma, gammaln, logsumexp, multigammaln
from sklearn.datasets import load_iris

import check_columns
from harness import main

TOL = 1e-8
ITERATIONS = [0, 1, 10, 100]
LN_2PI = np.log(2 * np.pi)


def available(X):
    """Mean of the values that are there, covariance of those that both columns have, about their means."""
    mean = np.nanmean(X, axis=0)
    Z = np.where(np.isnan(X), 0, X - mean)
    there = (~np.isnan(X)).astype(float)
    return mean, Z.T @ Z / (there.T @ there - 1)


class Full:
    """Precision Lambda ~ Wishart(nu, W), mean ~ N(m, 1/(beta Lambda)): (alpha, beta, m, W^-1, nu)."""

    def __init__(self, X, K):
        self.K, self.D = K, X.shape[1]
        self.X = X[~np.isnan(X).all(axis=1)]
        self.m0, self.S0 = available(self.X)
        self.definite = (np.linalg.eigvalsh(self.S0) > 1e-9).all()
        if not self.definite:
            self.S0 = np.diag(np.diag(self.S0))

    def prior(self):
        one = np.ones(self.K)
        return one / self.K, one, np.tile(self.m0, (self.K, 1)), np.tile(self.S0, (self.K, 1, 1)), one * self.D

    def complete(self, x, m, P):
        """E[x] and Cov[x] given what is there, under N(m, P^-1)."""
        gone = np.isnan(x)
        there = ~gone
        full, cov = x.copy(), np.zeros((self.D, self.D))
        inner = np.linalg.inv(P[np.ix_(gone, gone)])
        full[gone] = m[gone] - inner @ P[np.ix_(gone, there)] @ (x - m)[there]
        cov[np.ix_(gone, gone)] = inner
        return full, cov

    def step(self, R, par=None):
        """The posterior given responsibilities and where the gaps are filled; at the start the prior."""
        alpha0, beta0, m0, S0, nu0 = self.prior()
        _, _, m, S, nu = par or self.prior()
        P = np.array([nu[k] * np.linalg.inv(S[k]) for k in range(self.K)])
        n = R.sum(axis=0)
        first, second = np.zeros((self.K, self.D)), np.zeros((self.K, self.D, self.D))
        for j, x in enumerate(self.X):
            for k in range(self.K):
                full, cov = self.complete(x, m[k], P[k])
                z = full - self.m0
                first[k] += R[j, k] * z
                second[k] += R[j, k] * (np.outer(z, z) + cov)
        beta = beta0 + n
        shift = first / beta[:, None]
        scatter = S0 + second - beta[:, None, None] * shift[:, :, None] * shift[:, None, :]
        return alpha0 + n, beta, self.m0 + shift, scatter, nu0 + n

    def log_rho(self, par, X):
        alpha, beta, m, S, nu = par
        out = np.empty((len(X), self.K))
        for k in range(self.K):
            W = np.linalg.inv(S[k])
            P = nu[k] * W
            det = digamma((nu[k] - np.arange(self.D)) / 2).sum() + self.D * np.log(2) + np.linalg.slogdet(W)[1]
            for j, x in enumerate(X):
                gone = np.isnan(x)
                full, _ = self.complete(x, m[k], P)
                out[j, k] = (det - self.D * LN_2PI - self.D / beta[k] - (full - m[k]) @ P @ (full - m[k])
                             + gone.sum() * LN_2PI - np.linalg.slogdet(P[np.ix_(gone, gone)])[1]) / 2
        return out + digamma(alpha) - digamma(alpha.sum())

    def divergence(self, par):
        """KL(posterior || prior)."""
        alpha, beta, m, S, nu = par
        alpha0, beta0, m0, S0, nu0 = self.prior()
        D = self.D
        total = gammaln(alpha.sum()) - gammaln(alpha).sum() - gammaln(alpha0.sum()) + gammaln(alpha0).sum()
        total += (alpha - alpha0) @ (digamma(alpha) - digamma(alpha.sum()))
        for k in range(self.K):
            W, far = np.linalg.inv(S[k]), m[k] - m0[k]
            det, det0 = np.linalg.slogdet(S[k])[1], np.linalg.slogdet(S0[k])[1]
            log_det = digamma((nu[k] - np.arange(D)) / 2).sum() + D * np.log(2) - det
            ratio = beta0[k] / beta[k]
            total += (D * (ratio - 1 - np.log(ratio)) + beta0[k] * nu[k] * far @ W @ far) / 2
            total += (nu[k] * det - nu0[k] * det0 - (nu[k] - nu0[k]) * D * np.log(2)) / 2 \
                - multigammaln(nu[k] / 2, D) + multigammaln(nu0[k] / 2, D) \
                + ((nu[k] - nu0[k]) * log_det + nu[k] * (np.trace(S0[k] @ W) - D)) / 2
        return total

    def log_predictive(self, par, X):
        """The marginal of Student's t: as many degrees of freedom, the blocks of what is there."""
        alpha, beta, m, S, nu = par
        out = np.zeros((len(X), self.K))
        for k in range(self.K):
            df = nu[k] + 1 - self.D
            for j, x in enumerate(X):
                o = ~np.isnan(x)
                scale, far, p = S[k][np.ix_(o, o)] * (1 + beta[k]) / (beta[k] * df), (x - m[k])[o], o.sum()
                out[j, k] = gammaln((df + p) / 2) - gammaln(df / 2) - p / 2 * np.log(df * np.pi) \
                    - np.linalg.slogdet(scale)[1] / 2 \
                    - (df + p) / 2 * np.log1p(far @ np.linalg.solve(scale, far) / df)
        return logsumexp(out + np.log(alpha / alpha.sum()), axis=1)

    def shown(self, par, post, k):
        spread = np.sqrt(np.diag(available(self.X)[1]))
        unit = np.outer(spread, spread)
        return {'means': np.abs((np.array(post['means']) - par[2][k]) / spread).max(),
                'scatter': np.abs((np.array(post['w_inverse']) - par[3][k]) / unit / par[4][k, None, None]).max(),
                'degrees of freedom': np.abs(np.array(post['degrees_of_freedom']) / par[4][k] - 1).max(),
                'prior': np.abs((np.array(post['prior']['w_inverse'][0]) - self.S0) / unit).max()}


class Columns(check_columns.Columns):
    """Precisions of columns: (alpha, a, b, m, lambda), a column's lambda counts the rows that have it."""

    def __init__(self, X, K, kind):
        X = X[~np.isnan(X).all(axis=1)]
        mean, cov = available(X)
        var = np.diag(cov)
        self.X, self.K, self.D = X, K, X.shape[1]
        self.dim = 1 if kind == 'diag' else self.D
        scatter = var if kind == 'diag' else np.array([var.mean()])
        ones = np.ones((K, self.D // self.dim))
        self.start = (np.full(K, 1 / K), ones * self.D * self.dim / 2, ones * scatter * self.dim / 2,
                      np.tile(mean, (K, 1)), np.ones((K, self.D)))
        self.spread = np.sqrt(var)

    def step(self, R, _=None):
        alpha0, a0, b0, m0, l0 = self.start
        there = ~np.isnan(self.X)
        x = np.where(there, self.X, 0)
        n = R.T @ there
        lam = l0 + n
        m = (l0 * m0 + R.T @ x) / lam
        spread = np.array([R[:, k] @ np.where(there, x - m[k], 0) ** 2 for k in range(self.K)])
        return alpha0 + R.sum(axis=0), a0 + self.sums(n) / 2, b0 + self.sums(spread + l0 * (m - m0) ** 2) / 2, m, lam

    def log_rho(self, par, X):
        alpha, a, b, m, lam = par
        wide = lambda x: np.repeat(x, self.dim, axis=1)
        each = wide(digamma(a) - np.log(b)) - LN_2PI - 1 / lam
        out = [np.nansum((each[k] - wide(a / b)[k] * (X - m[k]) ** 2) / 2, axis=1) for k in range(self.K)]
        return digamma(alpha) - digamma(alpha.sum()) + np.array(out).T

    def divergence(self, par):
        alpha, a, b, m, lam = par
        alpha0, a0, b0, m0, l0 = self.start
        total = gammaln(alpha.sum()) - gammaln(alpha).sum() - gammaln(alpha0.sum()) + gammaln(alpha0).sum()
        total += (alpha - alpha0) @ (digamma(alpha) - digamma(alpha.sum()))
        total += ((a - a0) * digamma(a) - gammaln(a) + gammaln(a0) + a0 * np.log(b / b0) + a * (b0 - b) / b).sum()
        ratio = l0 / lam
        return total + .5 * (ratio - 1 - np.log(ratio) + l0 * np.repeat(a / b, self.dim, axis=1) * (m - m0) ** 2).sum()

    def log_predictive(self, par, X):
        alpha, a, b, m, lam = par
        out = np.zeros((len(X), self.K))
        for k in range(self.K):
            scale = np.repeat(2 * b[k], self.dim) * (1 + 1 / lam[k])
            there = ~np.isnan(X)
            h = a[k] + self.sums(there.astype(float)) / 2
            terms = gammaln(h) - gammaln(a[k]) - self.sums(there * np.log(np.pi * scale)) / 2
            square = np.where(there, (X - m[k]) ** 2 / scale, 0)
            out[:, k] = (terms - h * np.log1p(self.sums(square))).sum(axis=1)
        return logsumexp(out + np.log(alpha / alpha.sum()), axis=1)

    def shown(self, par, post, k):
        a, b = (x[k] if self.dim == 1 else x[k, 0] for x in par[1:3])
        return {'means': np.abs((np.array(post['means']) - par[3][k]) / self.spread).max(),
                'shapes': np.abs(np.array(post['shape']) / a - 1).max(),
                'rates': np.abs(np.array(post['rate']) / b - 1).max(),
                'mean precision': np.abs(np.array(post['mean_precision']) / par[4][k] - 1).max()}


MODELS = {'full': Full}  # of matrices


def model_of(kind, X, K):
    return MODELS[kind](X, K) if kind in MODELS else Columns(X, K, kind)


def resp(model, par, X):
    rho = model.log_rho(par, X)
    return np.exp(rho - logsumexp(rho, axis=1, keepdims=True))


def bound(model, par):
    return logsumexp(model.log_rho(par, model.X), axis=1).sum() - model.divergence(par)


def write(prog, X, R):
    prog.write_csv('x.csv', [f'v{d}' for d in range(X.shape[1])],
                   [['' if np.isnan(c) else repr(c) for c in row] for row in X.tolist()])
    np.save(prog.file('x.npy'), X)
    prog.write_csv('r.csv', [f'r{k}' for k in range(R.shape[1])], R.tolist())


def iterated(claims, prog, name, kind, X, R, iterations):
    prog.run('fit', '--data', 'x.csv', '--n-components', R.shape[1], '--init', 'responsibilities:r.csv',
             '--covariance-type', kind, '--tol', 0, '--rounds', iterations + 1, '--out', 'p.json')
    post, model = prog.json('p.json'), model_of(kind, X, R.shape[1])
    some = ~np.isnan(X).all(axis=1)
    par = model.step(R[some])
    for _ in range(iterations):
        par = model.step(resp(model, par, model.X), par)
    means = par[2] if kind in MODELS else par[3]
    k = np.lexsort(means.T[::-1])
    error = {'concentrations': np.abs(np.array(post['weight_concentration']) / par[0][k] - 1).max()}
    error.update(model.shown(par, post, k))
    error['bound'] = abs(post['bound'] - bound(model, par)) / abs(post['bound'])
    prog.run('score', '--posterior', 'p.json', '--data', 'x.csv', '--samples', '--out', 'd.npy')
    error['densities'] = np.abs(np.load(prog.file('d.npy')).ravel() - model.log_predictive(par, X)).max()
    prog.run('predict', '--posterior', 'p.json', '--data', 'x.npy', '--what', 'responsibilities', '--out', 'q.npy')
    error['responsibilities'] = np.abs(np.load(prog.file('q.npy')) - resp(model, par, X)[:, k]).max()
    claims.check(max(error.values()) <= TOL, f'{name}, {kind}, {iterations} iterations: ' + ', '.join(
        f'{what} {e:.1e}' for what, e in error.items()) + f' (limit {TOL:g})')


def check(claims, prog):
    rng = np.random.default_rng(3)
    iris = load_iris().data.copy()
    iris[rng.random(iris.shape) < 0.3] = np.nan
    clouds = np.vstack([rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3)) + shift for shift in (0, 4e3)])
    clouds[rng.random(clouds.shape) < 0.3] = np.nan
    for name, X, K in (('iris', iris, 3), ('two clouds', clouds, 2)):
        hard = np.eye(K)[np.arange(len(X)) * K // len(X)]
        R = 0.7 * hard + 0.3 * rng.dirichlet(np.ones(K), len(X))
        write(prog, X, R)
        claims.note(f'{name}: {np.isnan(X).sum()} of {X.size} cells missing, {np.isnan(X).all(axis=1).sum()} empty rows')
        for kind in ('full', 'diag', 'spherical'):
            for iterations in ITERATIONS:
                iterated(claims, prog, name, kind, X, R, iterations)


if __name__ == '__main__':
    main(check)

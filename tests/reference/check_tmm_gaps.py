#!/usr/bin/python3
"""check_tmm_gaps.py PROGRAM: the robust mixture of rows with gaps, against the model written out in numpy,
row by row, with what is missing conditioned on what is there: posterior, bound, responsibilities and
predictive densities after any number of iterations; ln Z against quadrature over the precision of a row
and over what it lacks."""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np
from scipy.special import digamma, gammaln, logsumexp
from sklearn.datasets import load_iris

import check_gaps
from check_tmm import Robust
from harness import main

TOL = 1e-8
ITERATIONS = [0, 1, 10, 60]


class Gaps(Robust):
    def __init__(self, X, K, dof):
        X = X[~np.isnan(X).all(axis=1)]
        super().__init__(X, K, dof)
        same = check_gaps.Full(X, K)
        self.prior.update(m=np.tile(same.m0, (K, 1)), W=np.tile(same.S0, (K, 1, 1)))

    def filled(self, p, k, x):
        """x with its gaps at their conditional mean, and the inverse of the block of the precision."""
        gone, there = np.isnan(x), ~np.isnan(x)
        P = p['nu'][k] * np.linalg.inv(p['W'][k])
        inner = np.linalg.inv(P[np.ix_(gone, gone)])
        full, cov = x.copy(), np.zeros((self.D, self.D))
        full[gone] = p['m'][k][gone] - inner @ P[np.ix_(gone, there)] @ (x - p['m'][k])[there]
        cov[np.ix_(gone, gone)] = inner
        return full, cov

    def log_rho(self, p, X):
        """With u and what is missing integrated out; h and b of u ~ Gamma(h, b)."""
        e, c, _ = self.dofs(p)
        rho, h, b = np.empty((3, len(X), self.K))
        for j, x in enumerate(X):
            gone = np.isnan(x)
            for k in range(self.K):
                full, cov = self.filled(p, k, x)
                delta, rest = self.parts(p, full[None])
                h[j, k] = (e[k] + self.D - gone.sum()) / 2
                b[j, k] = (e[k] + delta[0, k]) / 2
                rho[j, k] = rest[k] + c[k] + gammaln(h[j, k]) - h[j, k] * np.log(b[j, k]) + \
                    (gone.sum() * np.log(2 * np.pi) + np.linalg.slogdet(cov[np.ix_(gone, gone)])[1]) / 2
        return rho, h, b

    def gather(self, R, U, eta, at):
        """The posterior given responsibilities, times E[u] too, and where the gaps are filled."""
        q, p = self.prior, {}
        n, s = R.sum(axis=0), U.sum(axis=0)
        p['alpha'], p['nu'], p['beta'] = q['alpha'] + n, q['nu'] + n, q['beta'] + s
        p['m'], p['W'] = np.empty_like(q['m']), np.empty_like(q['W'])
        for k in range(self.K):
            full, cov = zip(*(self.filled(at, k, x) for x in self.X))
            full = np.array(full)
            p['m'][k] = (q['beta'][k] * q['m'][k] + U[:, k] @ full) / p['beta'][k]
            d, b = full - p['m'][k], q['m'][k] - p['m'][k]
            p['W'][k] = q['W'][k] + (U[:, k, None] * d).T @ d + q['beta'][k] * np.outer(b, b) + \
                np.einsum('j,jab->ab', R[:, k], np.array(cov))
        p['eta'] = eta
        return p

    def start(self, R):
        n = R.sum(axis=0)
        eta = np.array([n, n * (digamma(.5) - np.log(.5) - 1)]).T  # one degree of freedom
        return self.gather(R, R, eta, dict(self.prior, eta=np.zeros((self.K, 2))))

    def step(self, p):
        R, h, b = self.resp(p, self.X)
        u, ln_u = h / b, digamma(h) - np.log(b)
        return self.gather(R, R * u, np.array([R.sum(axis=0), (R * (ln_u - u)).sum(axis=0)]).T, p)

    def log_predictive(self, p, x):
        """The marginal of what is there: the blocks of the means and matrices, degrees less one each."""
        o = ~np.isnan(x)
        if not o.any():
            return 0.
        part = Robust(np.zeros((2, self.D))[:, o] + [[0], [1]], self.K, self.dof)
        return part.log_predictive(dict(p, m=p['m'][:, o], W=p['W'][:, o][:, :, o], nu=p['nu'] - (~o).sum()), x[o])

    def log_z_by_quadrature(self, p, x):
        """Over ln u and the one value that x lacks, whose spread falls with the root of u."""
        e, c, _ = self.dofs(p)
        gone, total = int(np.flatnonzero(np.isnan(x))[0]), 0
        t, s = np.linspace(-40, 6, 1841), np.linspace(-14, 14, 561)
        for k in range(self.K):
            full, cov = self.filled(p, k, x)
            at = np.tile(full, (len(s), 1))
            for ln_u in t:
                step = np.sqrt(cov[gone, gone] / np.exp(ln_u))
                at[:, gone] = full[gone] + s * step
                delta, rest = self.parts(p, at)
                f = rest[k] + self.D / 2 * ln_u - np.exp(ln_u) * delta[:, k] / 2 + c[k] + e[k] / 2 * (ln_u - np.exp(ln_u))
                total += np.exp(f).sum() * (s[1] - s[0]) * step * (t[1] - t[0])
        return np.log(total)


def program(prog, K, dof, rounds):
    prog.run('fit', '--data', 'x.csv', '--n-components', K, '--init', 'responsibilities:r.csv', '--model', 'tmm',
             '--tmm.dof', dof or 'auto', '--tol', 0, '--rounds', rounds, '--out', 'p.json')
    return prog.json('p.json')


def densities(prog, mine, p, X):
    rows = X[:: max(1, len(X) // 25)]
    np.save(prog.file('few.npy'), rows)
    prog.run('score', '--posterior', 'p.json', '--data', 'few.npy', '--samples', '--out', 'd.npy')
    return np.abs(np.load(prog.file('d.npy')).ravel() - [mine.log_predictive(p, x) for x in rows]).max()


def one(claims, prog, name, X, R, dof):
    K, spread = R.shape[1], np.nanstd(X, axis=0)
    mine, some = Gaps(X, K, dof), ~np.isnan(X).all(axis=1)
    check_gaps.write(prog, X, R)
    p, bounds, done = mine.start(R[some]), [], 0
    for iterations in ITERATIONS:
        for done in range(done + 1, iterations + 1):
            p = mine.step(p)
            bounds.append(mine.bound(p))
        post, k = program(prog, K, dof, iterations + 1), np.lexsort(p['m'].T[::-1])
        ours = {key: np.array(post[key]) for key in ('weight_concentration', 'mean_precision', 'means', 'w_inverse')}
        error = {'concentrations': np.abs(ours['weight_concentration'] / p['alpha'][k] - 1).max(),
                 'mean precision': np.abs(ours['mean_precision'] / p['beta'][k] - 1).max(),
                 'means': np.abs((ours['means'] - p['m'][k]) / spread).max(),
                 'matrices': np.abs((ours['w_inverse'] - p['W'][k]) / np.outer(spread, spread) / p['nu'][k, None, None]).max(),
                 'bound': abs(post['bound'] - mine.bound(p)) / abs(post['bound'])}
        if not dof and iterations:
            error['dof sums'] = max(np.abs(np.array(post['dof_rows']) / p['eta'][k, 0] - 1).max(),
                                    np.abs(np.array(post['dof_gap']) / p['eta'][k, 1] - 1).max())
        prog.run('predict', '--posterior', 'p.json', '--data', 'x.npy', '--what', 'responsibilities', '--out', 'q.npy')
        error['responsibilities'] = np.abs(np.load(prog.file('q.npy')) - mine.resp(p, X)[0][:, k]).max()
        error['densities'] = densities(prog, mine, p, X)
        claims.check(max(error.values()) <= TOL, f'{name}, dof {dof or "auto"}: {iterations} iterations: '
                     + ', '.join(f'{what} {e:.1e}' for what, e in error.items()) + f' (limit {TOL:g})')
    claims.check((np.diff(bounds) >= -1e-11 * abs(bounds[-1])).all(), f'{name}, dof {dof or "auto"}: the bound never falls')
    lacks = X[np.isnan(X).sum(axis=1) == 1][:3]
    e = np.abs(logsumexp(mine.log_rho(p, lacks)[0], axis=1) - [mine.log_z_by_quadrature(p, x) for x in lacks]).max()
    claims.check(e <= 1e-9, f'{name}, dof {dof or "auto"}: ln Z by quadrature over u and a value: {e:.1e} (limit 1e-9)')


def check(claims, prog):
    rng = np.random.default_rng(3)
    iris = load_iris().data.copy()
    iris[rng.random(iris.shape) < 0.3] = np.nan
    far = np.vstack([rng.standard_t(3, size=(60, 3)) @ rng.normal(size=(3, 3)) + shift for shift in (0, 4e3)])
    far[rng.random(far.shape) < 0.3] = np.nan
    for name, X, K in (('iris', iris, 3), ('two clouds', far, 2)):
        hard = np.eye(K)[np.arange(len(X)) * K // len(X)]
        R = 0.7 * hard + 0.3 * rng.dirichlet(np.ones(K), len(X))
        claims.note(f'{name}: {np.isnan(X).sum()} of {X.size} cells missing, {np.isnan(X).all(axis=1).sum()} empty rows')
        for dof in (None, 4):
            one(claims, prog, name, X, R, dof)


if __name__ == '__main__':
    main(check)

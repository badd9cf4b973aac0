#!/usr/bin/python3
"""check_hmm.py PROGRAM: hidden Markov models against the same model written out in numpy, with logarithms in
place of scaled passes, from the same responsibilities: 20 draws, of Gaussian states with matrices, cells and
whole rows without values, and of counts; bound, parameters, densities, states and forecasts to 1e-6. A network
of 12 nodes that loses 20 % of its messages settles on a fixed point of the reference. States that differ in
spread alone are found from ten seeds of ten."""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np
from scipy.special import digamma, gammaln, logsumexp, multigammaln

from harness import main

TOL = 1e-6
ITERATIONS = 25


def kl_dirichlet(p, q):
    total = gammaln(p.sum(-1)) - gammaln(p).sum(-1) - gammaln(q.sum(-1)) + gammaln(q).sum(-1)
    return (total + ((p - q) * (digamma(p) - digamma(p.sum(-1, keepdims=True)))).sum(-1)).sum()


class Gaussian:
    """Means and matrices, normal-Wishart; parameters nu, beta, m, W^-1 of each state."""

    def __init__(self, X, prior):
        self.X, self.D = X, X.shape[1]
        self.prior = [np.array(prior[name], float)
                      for name in ('degrees_of_freedom', 'mean_precision', 'means', 'w_inverse')]

    def of(self, par, k):
        """Mean of the precision and the mean of state k."""
        return par[0][k] * np.linalg.inv(par[3][k]), par[2][k]

    def filled(self, par, k, j):
        """E[x], its covariance, and what integrating out adds to the exponent of the rest."""
        P, m = self.of(par, k)
        x, o = self.X[j].copy(), ~np.isnan(self.X[j])
        V, more = np.zeros((self.D, self.D)), 0.
        if not o.all():
            inv = np.linalg.inv(P[np.ix_(~o, ~o)])
            x[~o] = m[~o] - inv @ P[np.ix_(~o, o)] @ (x[o] - m[o])
            V[np.ix_(~o, ~o)] = inv
            more = .5 * ((~o).sum() * np.log(2 * np.pi) + np.linalg.slogdet(inv)[1])
        return x, V, more

    def log_density(self, par):
        out = np.zeros((len(self.X), len(par[0])))
        for k in range(len(par[0])):
            nu, beta, _, winv = (p[k] for p in par)
            P, m = self.of(par, k)
            ln_det = digamma((nu - np.arange(self.D)) / 2).sum() + self.D * np.log(2) - np.linalg.slogdet(winv)[1]
            for j in range(len(self.X)):
                if np.isnan(self.X[j]).all():
                    continue
                x, _, more = self.filled(par, k, j)
                out[j, k] = .5 * (ln_det - self.D * np.log(2 * np.pi) - self.D / beta - (x - m) @ P @ (x - m)) + more
        return out

    def update(self, par, R):
        """par: where gaps are filled."""
        new = [p.copy() for p in self.prior]
        for k in range(R.shape[1]):
            nu0, beta0, m0, winv0 = (p[k] for p in self.prior)
            S, s, n = np.zeros((self.D, self.D)), np.zeros(self.D), 0
            for j in range(len(self.X)):
                if np.isnan(self.X[j]).all():
                    continue
                x, V, _ = self.filled(par, k, j)
                n, s, S = n + R[j, k], s + R[j, k] * x, S + R[j, k] * (np.outer(x, x) + V)
            new[0][k], new[1][k] = nu0 + n, beta0 + n
            new[2][k] = (beta0 * m0 + s) / (beta0 + n)
            new[3][k] = winv0 + S + beta0 * np.outer(m0, m0) - (beta0 + n) * np.outer(new[2][k], new[2][k])
        return new

    def divergence(self, par):
        sum_, D = 0., self.D
        for k in range(len(par[0])):
            (nu, beta, m, winv), (nu0, beta0, m0, winv0) = [p[k] for p in par], [p[k] for p in self.prior]
            W = np.linalg.inv(winv)
            psi = digamma((nu - np.arange(D)) / 2).sum()
            sum_ += .5 * (D * (beta0 / beta - 1 - np.log(beta0 / beta)) + beta0 * nu * (m - m0) @ W @ (m - m0))
            sum_ += .5 * nu0 * (np.linalg.slogdet(winv)[1] - np.linalg.slogdet(winv0)[1]) \
                + .5 * nu * (np.trace(winv0 @ W) - D) + multigammaln(nu0 / 2, D) - multigammaln(nu / 2, D) + .5 * (nu - nu0) * psi
        return sum_

    def predictive(self, par):
        """Student's t of the values that are there."""
        out = np.zeros((len(self.X), len(par[0])))
        for k in range(len(par[0])):
            nu, beta, m, winv = (p[k] for p in par)
            for j, x in enumerate(self.X):
                o = ~np.isnan(x)
                d, df = o.sum(), nu + 1 - self.D
                if d:
                    scale = winv[np.ix_(o, o)] * (1 + beta) / beta / df
                    far = (x[o] - m[o]) @ np.linalg.solve(scale, x[o] - m[o])
                    out[j, k] = gammaln((df + d) / 2) - gammaln(df / 2) - .5 * (
                        d * np.log(df * np.pi) + np.linalg.slogdet(scale)[1] + (df + d) * np.log1p(far / df))
        return out

    def moments(self, par):
        return par[2], np.array([np.diag(v) / n for v, n in zip(par[3], par[0])])

    names = ('degrees_of_freedom', 'mean_precision', 'means', 'w_inverse')


class Counts:
    """Rates, gamma; parameters shape, rate of each state and column."""

    def __init__(self, X, prior):
        self.X, self.there = np.nan_to_num(X), ~np.isnan(X)
        self.prior = [np.array(prior['count_shape'], float), np.array(prior['count_rate'], float)]

    def log_density(self, par):
        a, b = par
        return np.where(self.there, -gammaln(self.X + 1), 0).sum(1)[:, None] \
            + self.X @ (digamma(a) - np.log(b)).T - self.there @ (a / b).T

    def update(self, par, R):
        return [self.prior[0] + R.T @ self.X, self.prior[1] + R.T @ self.there]

    def divergence(self, par):
        (a, b), (a0, b0) = par, self.prior
        return ((a - a0) * digamma(a) - gammaln(a) + gammaln(a0) + a0 * np.log(b / b0) + a * (b0 - b) / b).sum()

    def predictive(self, par):
        out = np.zeros((len(self.X), len(par[0])))
        for k, (a, b) in enumerate(zip(*par)):
            x = self.X
            out[:, k] = (self.there * (gammaln(a + x) - gammaln(a) - gammaln(x + 1) + a * np.log(b / (b + 1))
                                       - x * np.log(b + 1))).sum(1)
        return out

    def moments(self, par):
        return par[0] / par[1], par[0] / par[1]

    names = ('count_shape', 'count_rate')


class Chain:
    def __init__(self, emission, first, empty, pi0, A0):
        self.e, self.first, self.empty, self.pi0, self.A0 = emission, first, empty, pi0, A0

    def groups(self):
        return zip(self.first[:-1], self.first[1:])

    def seed(self, R):
        pi, A = self.pi0.copy(), self.A0.copy()
        for a, b in self.groups():
            if self.empty[a:b].all():
                continue
            pi += R[a]
            for t in range(a + 1, b):
                if not self.empty[t] and not self.empty[t - 1]:
                    A += np.outer(R[t - 1], R[t])
        return pi, A, self.e.update(self.e.prior, R)

    def forward(self, ln_pi, ln_A, ln_b, a, b):
        f = np.zeros((b - a, len(ln_pi)))
        f[0] = ln_pi + ln_b[a]
        for t in range(1, b - a):
            f[t] = logsumexp(f[t - 1][:, None] + ln_A, axis=0) + ln_b[a + t]
        return f

    def logs(self, par):
        pi, A, of = par
        return digamma(pi) - digamma(pi.sum()), digamma(A) - digamma(A.sum(1, keepdims=True)), self.e.log_density(of)

    def step(self, par):
        """The next parameters, what all rows say of states, and ln Z."""
        ln_pi, ln_A, ln_b = self.logs(par)
        pi, A, R, lnz = self.pi0.copy(), self.A0.copy(), np.zeros_like(ln_b), 0.
        for a, b in self.groups():
            f = self.forward(ln_pi, ln_A, ln_b, a, b)
            back = np.zeros_like(f)
            for t in range(b - a - 2, -1, -1):
                back[t] = logsumexp(ln_A + ln_b[a + t + 1] + back[t + 1], axis=1)
            Z = logsumexp(f[-1])
            R[a:b] = np.exp(f + back - Z)
            if self.empty[a:b].all():
                continue
            lnz += Z
            pi += R[a]
            for t in range(1, b - a):
                A += np.exp(f[t - 1][:, None] + ln_A + ln_b[a + t] + back[t] - Z)
        return (pi, A, self.e.update(par[2], R)), R, lnz

    def bound(self, par):
        return self.step(par)[2] - kl_dirichlet(par[0], self.pi0) - kl_dirichlet(par[1], self.A0) \
            - self.e.divergence(par[2])

    def densities(self, par, steps):
        """ln p of each row given those before it, and mean and variance of the rows that follow."""
        pi, A, of = par
        A = A / A.sum(1, keepdims=True)
        ln_b, out, ahead = self.e.predictive(of), np.zeros(self.first[-1]), []
        mean, var = self.e.moments(of)
        for a, b in self.groups():
            f = self.forward(np.log(pi / pi.sum()), np.log(A), ln_b, a, b)
            Z = logsumexp(f, axis=1)
            out[a:b] = np.diff(Z, prepend=0)
            p = np.exp(f[-1] - Z[-1])
            for _ in range(steps):
                p = p @ A
                m = p @ mean
                ahead.append(np.stack([m, p @ (var + mean ** 2) - m ** 2], 1))
        return out, np.array(ahead)

    def path(self, par):
        ln_pi, ln_A, ln_b = self.logs(par)
        out = np.zeros(self.first[-1], int)
        for a, b in self.groups():
            best, at = ln_pi + ln_b[a], []
            for t in range(a + 1, b):
                way = best[:, None] + ln_A
                at.append(way.argmax(0))
                best = way.max(0) + ln_b[t]
            out[b - 1] = best.argmax()
            for t in range(b - 2, a - 1, -1):
                out[t] = at[t - a][out[t + 1]]
        return out


def draw(seed):
    """Rows, groups and their number of states: odd draws are counts."""
    rng = np.random.default_rng(seed)
    K, D, G = 2 + seed % 3, 1 + seed % 3, 4 + seed % 5
    length = rng.integers(1, 40, G)
    A, mean = rng.dirichlet(np.ones(K), K) * .3 + .7 * np.eye(K), rng.normal(size=(K, D)) * 3
    rows, group = [], []
    for g, n in enumerate(length):
        z = rng.integers(K)
        for _ in range(n):
            x = rng.poisson(np.exp(mean[z] / 3 + 1)).astype(float) if seed % 2 else mean[z] + rng.normal(size=D)
            x[rng.random(D) < .08] = np.nan
            rows.append(x if rng.random() > .05 else np.full(D, np.nan))
            group.append(g)
            z = rng.choice(K, p=A[z])
    return np.array(rows), np.array(group), K


def write(prog, X, group, counts):
    def cell(x):
        return '' if np.isnan(x) else int(x) if counts else float(x)
    names = [f'x{d}' for d in range(X.shape[1])]
    prog.write_csv('x.csv', ['g', *names], [[f'g{g}', *map(cell, x)] for g, x in zip(group, X)])
    more = ['--emission', 'columns', '--column', ','.join(f'{name}:count' for name in names)] if counts else []
    return ['--data', 'x.csv', '--group-column', 'g'], more


def same(claims, prog, seed):
    X, group, K = draw(seed)
    counts, steps = seed % 2, 3
    data, more = write(prog, X, group, counts)
    R = np.random.default_rng(100 + seed).dirichlet(np.full(K, .5), len(X))
    np.savetxt(prog.file('r.csv'), R, delimiter=',', fmt='%.17g', header=','.join(f'r{k}' for k in range(K)), comments='')
    prog.run('fit', '--model', 'hmm', *data, *more, '--n-components', K, '--init', 'responsibilities:r.csv', '--tol', 0,
             '--rounds', ITERATIONS + 1, '--out', 'p.json')
    post = prog.json('p.json')
    first = np.concatenate([np.flatnonzero(np.diff(group, prepend=-1)), [len(X)]])
    prior = post['prior']
    mine = Chain((Counts if counts else Gaussian)(X, prior), first, np.isnan(X).all(1),
                 np.array(prior['initial_concentration']), np.array(prior['transition_concentration']))
    par = mine.seed(R)
    for _ in range(ITERATIONS):
        par = mine.step(par)[0]
    mean = mine.e.moments(par[2])[0]
    k = np.lexsort(mean.T[::-1])
    error = {'bound': abs(post['bound'] - mine.bound(par)) / abs(post['bound'])}
    error['first'] = np.abs(np.array(post['initial_concentration']) - par[0][k]).max()
    error['transitions'] = np.abs(np.array(post['transition_concentration']) - par[1][np.ix_(k, k)]).max()
    for name, x in zip(mine.e.names, par[2]):
        error[name] = np.abs(np.array(post[name]) - x[k]).max() / np.abs(x).max()

    def predicted(what, *more):
        prog.run('predict', '--posterior', 'p.json', *data, '--what', what, *more, '--out', 'o.npy')
        return np.load(prog.file('o.npy'))

    density, ahead = mine.densities(par, steps)
    prog.run('score', '--posterior', 'p.json', *data, '--samples', '--out', 'd.npy')
    error['densities'] = np.abs(np.load(prog.file('d.npy')).ravel() - density).max()
    found = predicted('forecast', '--steps', steps).reshape(len(ahead), -1)
    error['forecast'] = max(np.abs(found[:, 1::4] - ahead[:, :, 0]).max(),
                            np.abs(found[:, 2::4] ** 2 - ahead[:, :, 1]).max())
    error['smoothed'] = np.abs(predicted('smoothed') - mine.step(par)[1][:, k]).max()
    path = np.argsort(k)[mine.path(par)]
    worst = max(error, key=error.get)
    claims.check(error[worst] < TOL and np.array_equal(predicted('states').ravel(), path),
                 f'draw {seed}: {len(X)} rows, {len(first) - 1} sequences, {K} states: worst {worst} {error[worst]:.1e}')


def network(claims, prog):
    rng = np.random.default_rng(3)
    A, rows = np.array([[.9, .1, 0], [.05, .9, .05], [0, .2, .8]]), []
    for g in range(12):
        z = 0
        for _ in range(60):
            z = rng.choice(3, p=A[z])
            rows.append([f'g{g}', *map(float, np.array([[0, 0], [3, 1], [-2, 4]])[z] + rng.normal(size=2))])
    prog.write_csv('x.csv', ['g', 'x', 'y'], rows)
    prog.run('sim', '--model', 'hmm', '--data', 'x.csv', '--group-column', 'g', '--n-components', 3, '--topology', 'ring:n=12',
             '--loss-directed', .2, '--algorithm', 'edge', '--tol', 1e-9, '--rounds', 5000, '--out', 'net')
    post = prog.json('net/posterior.json')
    X = np.array([r[1:] for r in rows])
    mine = Chain(Gaussian(X, post['prior']), np.arange(0, 721, 60), np.zeros(len(X), bool),
                 np.array(post['prior']['initial_concentration']), np.array(post['prior']['transition_concentration']))
    par = (np.array(post['initial_concentration']), np.array(post['transition_concentration']),
           [np.array(post[name], float) for name in Gaussian.names])
    new = mine.step(par)[0]
    moved = max(np.abs(a - b).max() / np.abs(b).max() for a, b in zip([*new[:2], *new[2]], [*par[:2], *par[2]]))
    claims.check(moved < TOL, f'12 nodes, 20 % of the messages lost: one step of the reference moves {moved:.1e} (limit {TOL:g})')


def spreads(claims, prog):
    rng = np.random.default_rng(0)
    z, rows = 0, []
    for _ in range(400):
        z ^= rng.random() < .05
        rows.append([float(rng.normal() * (.3, 1.5)[z])])
    prog.write_csv('x.csv', ['x'], rows)
    found = []
    for seed in range(10):
        prog.run('fit', '--model', 'hmm', '--data', 'x.csv', '--n-components', 2, '--seed', seed, '--out', 'p.json')
        found.append(prog.json('p.json')['bound'])
    claims.check(max(found) - min(found) < 1e-3, f'spread alone: bounds of ten seeds {min(found):.2f} to {max(found):.2f}')


def check(claims, prog):
    for seed in range(20):
        same(claims, prog, seed)
    network(claims, prog)
    spreads(claims, prog)


main(check)

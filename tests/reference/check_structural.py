#!/usr/bin/python3
"""check_structural.py PROGRAM: --model structural against the same posterior in numpy, in which all that moves a
series is one dense Gaussian (20 draws of levels, slopes, seasons and inputs with gaps: parameters, bound,
predictions to 1e-6; intervals of variances), and a network with loss against one machine."""
import json
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import jsonschema
import numpy as np
from scipy.special import digamma, gammaln

from harness import main

TOL = 1e-6
START = 1e4
RATE = {'noise': 1e-3, 'level': 1e-3, 'slope': 3e-5, 'season': 1e-3}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../docs/posterior.schema.json')) as f:
    SCHEMA = jsonschema.Draft7Validator(json.load(f))


class Series:
    """y = C z + e of one series; z: its first state and coefficients, then what moves it."""

    def __init__(self, y, X, trend, season):
        n, k = len(y), max(season - 1, 0)
        m = 1 + trend + k
        T = np.eye(m)
        if trend:
            T[0, 1] = 1
        if k:
            T[1 + trend:, 1 + trend:] = np.eye(k, k, -1)
            T[1 + trend] = np.r_[np.zeros(1 + trend), -np.ones(k)]
        see = np.zeros(m)
        see[0] = 1
        if k:
            see[1 + trend] = 1
        at = [0] + [1] * trend + [1 + trend] * (k > 0)
        self.parts, self.y, self.seen = len(at), y, ~np.isnan(y)
        self.last = int(np.flatnonzero(self.seen)[-1])      # what moves it later says nothing
        state = np.zeros((m, m + X.shape[1] + self.last * self.parts))
        state[:, :m] = np.eye(m)
        C, of = [], []
        for t in range(n):
            row = see @ state
            row[m:m + X.shape[1]] = X[t]
            C.append(row)
            state = T @ state
            for i in range(self.parts if t < self.last else 0):
                state[at[i], m + X.shape[1] + len(of)] = 1
                of.append(i)
        self.C, self.of, self.first = np.array(C), np.array(of, int), m + X.shape[1]

    def smooth(self, var):
        """Mean and covariance of z given y at these variances, noise first; ln p(y)."""
        prior = np.r_[np.full(self.first, START), np.asarray(var)[1:][self.of]]
        C, y, h = self.C[self.seen], self.y[self.seen], var[0]
        L = np.linalg.cholesky(np.diag(1 / prior) + C.T @ C / h)
        V = np.linalg.inv(L)
        V = V.T @ V
        mean = V @ (C.T @ y) / h
        left = y - C @ mean
        ln = -.5 * (len(y) * np.log(2 * np.pi * h) + np.log(prior).sum() + 2 * np.log(np.diag(L)).sum()
                    + left @ left / h + mean @ (mean / prior))
        return mean, V, ln

    def step(self, var):
        """Counts and sums of expected squares of each variance; ln p(y)."""
        mean, V, ln = self.smooth(var)
        C, left = self.C[self.seen], self.y[self.seen] - self.C[self.seen] @ mean
        square = mean**2 + np.diag(V)
        moved = [square[self.first:][self.of == i].sum() for i in range(self.parts)]
        return (np.r_[self.seen.sum(), [(self.of == i).sum() for i in range(self.parts)]],
                np.r_[left @ left + np.einsum('ij,jk,ik->', C, V, C), moved], ln)

    def gap(self, var, t):
        mean, V, _ = self.smooth(var)
        c = self.C[t]
        return c @ mean, c @ V @ c + var[0]


def kl(a, b, a0, b0):
    return ((a - a0) * digamma(a) - gammaln(a) + gammaln(a0) + a0 * (np.log(b) - np.log(b0)) + a * (b0 - b) / b).sum()


def simulate(rng, groups, n, D, trend, season):
    rows = []
    for g in range(groups):
        m, b, s, c = 10 * rng.normal(), .1 * rng.normal() * trend, rng.normal(size=max(season - 1, 1)) * (season > 0), rng.normal(size=D)
        for _ in range(n + g):
            x = rng.normal(size=D) + 3
            y = m + s[0] + x @ c + rng.normal()
            rows.append([f's{g}', *x, y if rng.random() > .1 else np.nan])
            m, b = m + b + .7 * rng.normal(), b + .2 * trend * rng.normal()
            s = np.r_[-s.sum() + .3 * (season > 0) * rng.normal(), s[:-1]]
    return rows


def write(prog, rows, D, name='rows.csv'):
    with open(prog.file(name), 'w') as f:
        f.write(','.join(['group', *(f'x{d}' for d in range(D)), 'y']) + '\n')
        for r in rows:
            f.write(','.join(v if isinstance(v, str) else '' if np.isnan(v) else repr(float(v)) for v in r) + '\n')


def draws(claims, prog):
    worst, valid = {'parameters': 0, 'bound': 0, 'gaps': 0}, True
    for k in range(20):
        rng = np.random.default_rng(k)
        trend, season, D = k % 2, (0, 0, 4, 7)[k // 2 % 4], (0, 0, 1, 2, 0)[k % 5]
        rows = simulate(rng, 1 + k % 3, 40, D, trend, season)
        write(prog, rows, D)
        how = ['--model', 'structural', '--target-column', 'y', '--group-column', 'group']
        how += ['--structural.trend', 'on'] * trend + (['--structural.season', season] if season else [])
        prog.run('fit', '--data', 'rows.csv', *how, '--tol', 1e-13, '--rounds', 20000, '--out', 'fit.json')
        prog.run('predict', '--posterior', 'fit.json', '--data', 'rows.csv', '--group-column', 'group', '--what', 'interval',
                 '--out', 'filled.csv')
        post = prog.json('fit.json')
        valid &= SCHEMA.is_valid(post)
        number, of = np.array([r[1:] for r in rows], float), np.array([r[0] for r in rows])
        seen = ~np.isnan(number[:, -1])
        o, s = np.nanmean(number, axis=0), np.nanstd(number, axis=0, ddof=1)
        z = (number - o) / s
        series = [Series(z[of == g, -1], z[of == g, :-1], trend, season) for g in np.unique(of)]
        a, b = np.array(post['shape']), np.array(post['rate']) / s[-1]**2
        count, square, ln = (sum(x) for x in zip(*(q.step(b / a) for q in series)))
        rate = np.array([RATE[part] for part in ('noise', 'level') + ('slope',) * trend + ('season',) * (season > 0)])
        again = np.r_[1e-3 + count / 2, rate + square / 2]
        worst['parameters'] = max(worst['parameters'], np.abs(again / np.r_[a, b] - 1).max())
        bound = ln + (count / 2 * (digamma(a) - np.log(a))).sum() - kl(a, b, 1e-3, rate) - seen.sum() * np.log(s[-1])
        worst['bound'] = max(worst['bound'], abs(post['bound'] / bound - 1))
        said = np.loadtxt(prog.file('filled.csv'), delimiter=',', skiprows=1)
        for q, g in zip(series, np.unique(of)):
            for t in np.flatnonzero(~q.seen[:q.last]):
                mean, var = q.gap(b / a, t)
                got = said[np.flatnonzero(of == g)[t]]
                worst['gaps'] = max(worst['gaps'], abs(got[0] - (o[-1] + s[-1] * mean)) / s[-1], abs(got[3] / (s[-1] * var**.5) - 1))
    claims.check(max(worst.values()) <= TOL, '20 draws: ' + ', '.join(f'{what} {e:.1e}' for what, e in worst.items()))
    claims.check(valid, 'their files are valid by docs/posterior.schema.json')


def curvature(claims, prog):
    """Intervals of variances beside second differences of the dense log density and the prior."""
    worst = 0
    for k, (trend, season) in enumerate(((0, 0), (1, 0), (0, 4))):
        rows = simulate(np.random.default_rng(200 + k), 2, 60, 0, trend, season)
        write(prog, rows, 0)
        how = ['--structural.trend', 'on'] * trend + (['--structural.season', season] if season else [])
        prog.run('fit', '--data', 'rows.csv', '--model', 'structural', '--target-column', 'y', '--group-column', 'group', *how,
                 '--tol', 1e-12, '--rounds', 20000, '--out', 'out')
        table = np.array(prog.json('out/answer.json')['mean'])
        y, of = np.array([r[-1] for r in rows], float), np.array([r[0] for r in rows])
        s = np.nanstd(y, ddof=1)
        series = [Series((y[of == g] - np.nanmean(y)) / s, np.zeros(((of == g).sum(), 0)), trend, season) for g in np.unique(of)]
        rate = np.array([RATE[part] for part in ('noise', 'level') + ('slope',) * trend + ('season',) * (season > 0)])

        def density(log_var):
            return sum(q.smooth(np.exp(log_var))[2] for q in series) - (1e-3 * log_var + rate * np.exp(-log_var)).sum()
        at, step = np.log(table[:, 0] / s**2), .01 * np.eye(len(table))
        H = np.array([[density(at + a + b) - density(at + a - b) - density(at - a + b) + density(at - a - b) for a in step]
                      for b in step]) / (4 * .01**2)
        sd = np.sqrt(np.diag(np.linalg.inv(-H)))
        worst = max(worst, np.abs(np.log(table[:, 2] / table[:, 1]) / (2 * 1.959964 * sd) - 1).max())
    claims.check(worst < 2e-3, f'intervals of variances are those of the curvature there: {worst:.1e}')


def network(claims, prog):
    rows = simulate(np.random.default_rng(99), 12, 80, 0, 0, 0)
    write(prog, rows, 0)
    how = ['--data', 'rows.csv', '--model', 'structural', '--target-column', 'y', '--group-column', 'group', '--tol', 1e-9]
    prog.run('fit', *how, '--out', 'one.json')
    prog.run('sim', *how, '--topology', 'ring:n=6', '--algorithm', 'sum', '--loss', .2, '--rounds', 8000, '--out', 'net')
    one, net = prog.json('one.json'), prog.json('net/posterior.json')
    far = max(abs(net[v] / one[v] - 1) for v in ('noise_variance', 'level_variance'))
    claims.check(far < TOL and net['verdict'] == 'settled', f'SUM with loss: variances of one machine to {far:.1e}')


def check(claims, prog):
    draws(claims, prog)
    curvature(claims, prog)
    network(claims, prog)


if __name__ == '__main__':
    main(check)

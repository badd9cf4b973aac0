#!/usr/bin/python3
"""check_mixreg.py PROGRAM: --model mixreg against the same posterior in numpy, begun from the segments that the rows
were drawn from (20 draws: parameters, bound, densities, predictions to 1e-6), and networks that lose messages against
one machine."""
import json
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import jsonschema
import numpy as np
from scipy.special import digamma, gammaln, logsumexp
from scipy.stats import t as student

from harness import main

TOL = 1e-6
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../docs/posterior.schema.json')) as f:
    SCHEMA = jsonschema.Draft7Validator(json.load(f))
NETWORK = dict(topology='geometric:n=12,side=2,radius=.8', loss_directed=.2, seed=1)
ROUNDS = 1.5 * 340  # a prototype of the same posterior needed 80 to 340


class Mixture:
    """The posterior at the standard prior, in columns Z (a leading 1 where there is an intercept) and y of mean 0 and
    standard deviation 1."""

    def __init__(self, Z, y, label, K):
        self.Z, self.y, self.K = Z, y, K
        self.step(np.eye(K)[label])

    def step(self, r):
        self.alpha = 1 / self.K + r.sum(axis=0)
        self.lines = []
        for w in r.T:
            L0 = 1e-6 * np.eye(self.Z.shape[1])
            L = L0 + self.Z.T @ (w[:, None] * self.Z)
            m = np.linalg.solve(L, self.Z.T @ (w * self.y))
            left = self.y - self.Z @ m
            self.lines.append((.5 + w.sum() / 2, 1e-4 + (w @ left**2 + m @ L0 @ m) / 2, m, L))

    def ln_rho(self):
        out = []
        for alpha, (a, b, m, L) in zip(self.alpha, self.lines):
            spread = np.einsum('ji,ij->j', self.Z, np.linalg.solve(L, self.Z.T))
            out.append(digamma(alpha) - digamma(self.alpha.sum()) +
                       (digamma(a) - np.log(b) - np.log(2 * np.pi) - spread - a / b * (self.y - self.Z @ m)**2) / 2)
        return np.array(out).T

    def bound(self, ln):
        """Its value: ln Z of the rows, less the divergence of each factor from its prior."""
        K, p, sum_ = self.K, self.Z.shape[1], logsumexp(ln, axis=1).sum()
        ln_pi = digamma(self.alpha) - digamma(self.alpha.sum())
        sum_ -= gammaln(self.alpha.sum()) - gammaln(self.alpha).sum() - gammaln(1) + K * gammaln(1 / K) + (
            (self.alpha - 1 / K) * ln_pi).sum()
        for a, b, m, L in self.lines:
            sum_ -= (a - .5) * digamma(a) - gammaln(a) + gammaln(.5) + .5 * np.log(b / 1e-4) + a * (1e-4 - b) / b
            sum_ -= (np.linalg.slogdet(L)[1] - p * np.log(1e-6) + 1e-6 * np.trace(np.linalg.inv(L)) - p +
                     a / b * 1e-6 * m @ m) / 2
        return sum_

    def run(self, most=20000, tol=1e-14):
        fell, before = 0, -np.inf
        for _ in range(most):
            ln = self.ln_rho()
            bound = self.bound(ln)
            fell = max(fell, before - bound)
            last = self.alpha
            self.step(np.exp(ln - logsumexp(ln, axis=1, keepdims=True)))
            if np.abs(self.alpha / last - 1).max() < tol:
                break
            before = bound
        return bound, fell

    def at(self, z):
        """Weights, locations, scales and degrees of freedom of the target at z."""
        parts = [(m @ z, np.sqrt(b / a * (1 + z @ np.linalg.solve(L, z))), 2 * a) for a, b, m, L in self.lines]
        return self.alpha / self.alpha.sum(), np.array(parts).T


def draw(k):
    rng = np.random.default_rng(300 + k)
    K, D, intercept = int(rng.integers(2, 5)), int(rng.integers(1, 5)), k % 4 != 3
    n = 150 * K
    label = rng.integers(0, K, n)
    X = rng.normal(size=(n, D)) * rng.uniform(.5, 20, D) + 5 * rng.normal(size=D) * intercept
    w = 3 * rng.normal(size=(K, D)) / X.std(axis=0)
    y = (w[label] * X).sum(axis=1) + intercept * (40 + 4 * rng.normal(size=K)[label]) + rng.uniform(.1, .4, K)[label] * rng.normal(size=n)
    return X, y, label, K, intercept


def standard(X, y, intercept):
    T = np.column_stack([X, y])
    o = T.mean(axis=0) if intercept else np.zeros(T.shape[1])
    s = T.std(axis=0, ddof=1) if intercept else np.hypot(T.mean(axis=0), T.std(axis=0, ddof=1))
    T = (T - o) / s
    return (np.column_stack([np.ones(len(y)), T[:, :-1]]) if intercept else T[:, :-1]), T[:, -1], o, s


def back(m, L, o, s, intercept):
    """Coefficients and the diagonal of their Lambda^-1 in data units."""
    T = np.diag(np.r_[1, 1 / s[:-1]] if intercept else 1 / s[:-1]) * s[-1]
    if intercept:
        T[0, 1:] = -o[:-1] / s[:-1] * s[-1]
    mean = T @ m
    mean[0] += o[-1] if intercept else 0
    return mean, np.diag(T @ np.linalg.inv(L) @ T.T)


def fit(prog, X, y, K, intercept):
    names = [f'x{d}' for d in range(X.shape[1])]
    prog.write_csv('rows.csv', [*names, 'y'], [[*x, t] for x, t in zip(X.tolist(), y.tolist())])
    prog.run('fit', '--data', 'rows.csv', '--model', 'mixreg', '--n-components', K, '--target-column', 'y', '--tol', 1e-12,
             '--rounds', 5000, '--intercept', 'on' if intercept else 'off', '--out', 'fit.json')
    return prog.json('fit.json')


def predictions(prog, own, o, s):
    """The worst of mean, variance and the ends of intervals, whose probability is .025 and .975."""
    prog.run('predict', '--posterior', 'fit.json', '--data', 'rows.csv', '--what', 'mean', '--out', 'm.npy')
    prog.run('predict', '--posterior', 'fit.json', '--data', 'rows.csv', '--what', 'interval', '--out', 'i.npy')
    mean, interval, wrong = np.load(prog.file('m.npy')), np.load(prog.file('i.npy')), 0
    for j in range(0, len(own.y), 25):
        share, (at, scale, dof) = own.at(own.Z[j])
        want = share @ at
        wrong = max(wrong, abs(mean[j, 0] - o[-1] - s[-1] * want) / s[-1])
        if dof.min() > 2:
            wrong = max(wrong, abs(mean[j, 1] / s[-1]**2 / (share @ (scale**2 * dof / (dof - 2) + (at - want)**2)) - 1))
        elif np.isfinite(mean[j, 1]):  # a component without rows has no variance
            wrong = np.inf
        for end, p in zip(interval[j, 1:3], (.025, .975)):
            wrong = max(wrong, abs(share @ student.cdf(((end - o[-1]) / s[-1] - at) / scale, dof) - p))
    return wrong


def density(own, s):
    ln = []
    for z, t in zip(own.Z, own.y):
        share, (at, scale, dof) = own.at(z)
        ln.append(np.log(share @ (student.pdf((t - at) / scale, dof) / scale)) - np.log(s[-1]))
    return np.mean(ln)


def draws(claims, prog):
    worst, fell, valid, found = dict.fromkeys(('coefficients', 'scales', 'noise', 'weights', 'bound', 'density',
                                               'predictions'), 0), 0, True, 0
    for k in range(20):
        X, y, label, K, intercept = draw(k)
        Z, t, o, s = standard(X, y, intercept)
        own = Mixture(Z, t, label, K)
        bound, drop = own.run()
        fell = max(fell, drop)
        post = fit(prog, X, y, K, intercept)
        valid &= not list(SCHEMA.iter_errors(post))
        bound -= len(y) * np.log(s[-1])
        if abs(post['bound'] - bound) > 1e-6 * abs(bound):
            claims.note(f'draw {k}: bound {post["bound"]:.3f}, from the true segments {bound:.3f}')
            continue
        found += 1
        first = np.column_stack([post['intercept'], post['coef']]) if intercept else np.array(post['coef'])
        scale = np.column_stack([post['intercept_scale'], post['coef_scale']]) if intercept else np.array(post['coef_scale'])
        for i in range(K):
            a, b, m, L = min(own.lines, key=lambda line: np.abs(back(line[2], line[3], o, s, intercept)[0] - first[i]).max())
            mean, of = back(m, L, o, s, intercept)
            want = np.sqrt(b / a * of)
            weight = own.alpha[[line[2] is m for line in own.lines].index(True)]
            error = {'coefficients': np.abs((first[i] - mean) / want).max(), 'scales': np.abs(scale[i] / want - 1).max(),
                     'noise': abs(post['rate'][i] / post['shape'][i] / (b / a * s[-1]**2) - 1),
                     'weights': abs(post['weight_concentration'][i] / weight - 1)}
            for what, e in error.items():
                worst[what] = max(worst[what], e)
        score = float(prog.run('score', '--posterior', 'fit.json', '--data', 'rows.csv').split('density')[1].split()[0])
        worst['density'] = max(worst['density'], abs(score - density(own, s)))
        worst['bound'] = max(worst['bound'], abs(post['bound'] / bound - 1))
        worst['predictions'] = max(worst['predictions'], predictions(prog, own, o, s))
    claims.check(found >= 18, f'{found} of 20 draws end where a run from the true segments does')
    claims.check(max(worst.values()) <= TOL, '20 draws: ' + ', '.join(f'{what} {e:.1e}' for what, e in worst.items()))
    claims.check(valid, 'their files are valid by docs/posterior.schema.json')
    claims.check(fell <= 1e-9, f'the bound falls by {fell:.1e} at most')


def networks(claims, prog):
    for name in ('edge', 'sum'):
        rounds, far, good = [], 0, True
        for k in range(5):
            rng = np.random.default_rng([7, k])
            K, D = 2 + k % 2, 2 + 2 * (k // 3)
            label, X = rng.integers(0, K, 600), rng.normal(size=(600, D))
            y = (3 * rng.normal(size=(K, D))[label] * X).sum(axis=1) + 3 * rng.normal(size=K)[label] + .3 * rng.normal(size=600)
            prog.write_csv('nodes.csv', ['node', *[f'x{d}' for d in range(D)], 'y'],
                           [[j % 12, *x, t] for j, (x, t) in enumerate(zip(X.tolist(), y.tolist()))])
            net = NETWORK if name == 'edge' else {key: v for key, v in NETWORK.items() if key != 'loss_directed'}
            prog.sim(model='mixreg', data='nodes.csv', node_column='node', target_column='y', n_components=K,
                     algorithm=f'{name},cvb', rounds=5000, out='net', **net)
            run, central = prog.json('net/summary.json')['algorithms']
            good &= run['verdict'] == 'settled' and run['moved'] < 1e-6
            far = max(far, abs(run['bound'] - central['bound']))
            rounds.append(run['rounds'])
        claims.check(good and np.median(rounds) <= ROUNDS and far < .1,
                     f'{name}: five draws settle, median {np.median(rounds):.0f} rounds, {far:.1e} nats from central VB')


def check(claims, prog):
    draws(claims, prog)
    networks(claims, prog)


if __name__ == '__main__':
    main(check)

#!/usr/bin/python3
"""check_mixed.py PROGRAM [ROWS.csv]: --model mixed against the same posterior in numpy, in which the covariance
of each group's rows is a dense matrix (20 draws: parameters, bound, predictions to 1e-6), networks with loss
against one machine, and the coverage of intervals (100 draws of bench/coverage.py, roughly). With lme4's
sleepstudy as ROWS.csv, which is not part of this repository, its figures, too."""
import json
import os
import sys

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import jsonschema
import numpy as np
from scipy.special import digamma, gammaln, multigammaln
from scipy.stats import t as student

from harness import main

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../bench'))
import coverage

TOL = 1e-6
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../docs/posterior.schema.json')) as f:
    SCHEMA = jsonschema.Draft7Validator(json.load(f))
NETWORK = dict(topology='geometric:n=12,side=2,radius=.8', loss_directed=.2, seed=1)
ROUNDS = 1.5 * 460  # a prototype of the same posterior needed 460 to 580


def ln_det(A):
    return np.linalg.slogdet(A)[1]


class Mixed:
    """The posterior at the standard prior, in columns Z (a leading 1 where there is an intercept) and y of mean 0
    and standard deviation 1; S: which of them vary."""

    def __init__(self, Z, y, group, S):
        self.Z, self.y, self.S = Z, y, S
        self.rows = [np.flatnonzero(group == g) for g in np.unique(group)]
        n, p = Z.shape[1], len(S)
        self.prior = (np.zeros(n), 1e-6 * np.eye(n), p + 1., .01 * np.eye(p), .5, 1e-4)
        big = 1e12  # where the program begins: theta certain, E[L] = I, E[tau] = 1
        self.q = (np.zeros(n), big * np.eye(n), big, big * np.eye(p), big, big)
        self.step()

    def expect(self):
        m, P, nu, Wi, a, b = self.q
        W, p = np.linalg.inv(Wi), len(self.S)
        e_ln = digamma((nu - np.arange(p)) / 2).sum() + p * np.log(2) + ln_det(W)
        return m, np.linalg.inv(P), nu * W, e_ln, a / b, digamma(a) - np.log(b)

    def kl(self):
        m, P, nu, Wi, a, b = self.q
        m0, P0, nu0, Wi0, a0, b0 = self.prior
        _, Sigma, L, e_ln, tau, _ = self.expect()
        p = len(self.S)

        def ln_B(nu, Wi):
            return nu / 2 * ln_det(Wi) - nu * p / 2 * np.log(2) - multigammaln(nu / 2, p)

        kl = (np.trace(P0 @ Sigma) + (m - m0) @ P0 @ (m - m0) - len(m) + ln_det(P) - ln_det(P0)) / 2
        kl += ln_B(nu, Wi) - ln_B(nu0, Wi0) + (nu - nu0) / 2 * e_ln - np.trace((Wi - Wi0) @ L) / 2
        return kl + a * np.log(b) - a0 * np.log(b0) - gammaln(a) + gammaln(a0) + (a - a0) * (
            digamma(a) - np.log(b)) - (b - b0) * tau

    def step(self):
        """One step; returns the bound before it."""
        m, Sigma, L, e_ln, tau, e_ln_tau = self.expect()
        h, J, U, E, bound = 0, 0, 0, 0, -self.kl()
        for at in self.rows:
            A, X, y = self.Z[at], self.Z[at][:, self.S], self.y[at]
            V = np.linalg.inv(np.eye(len(at)) / tau + X @ np.linalg.inv(L) @ X.T)
            C = np.linalg.inv(L + tau * X.T @ X)
            K, r = tau * C @ X.T, self.y[at] - A @ m
            h, J = h + A.T @ V @ y, J + A.T @ V @ A
            U = U + C + K @ (np.outer(r, r) + A @ Sigma @ A.T) @ K.T
            M = np.eye(len(at)) - X @ K
            E += ((M @ r)**2).sum() + np.trace(M @ A @ Sigma @ A.T @ M.T) + np.trace(X @ C @ X.T)
            bound += (len(at) * (e_ln_tau - np.log(2 * np.pi)) + e_ln - ln_det(L + tau * X.T @ X) - r @ V @ r -
                      np.trace(A.T @ V @ A @ Sigma)) / 2
        m0, P0, nu0, Wi0, a0, b0 = self.prior
        P = P0 + J
        self.q = (np.linalg.solve(P, P0 @ m0 + h), P, nu0 + len(self.rows), Wi0 + U, a0 + len(self.y) / 2, b0 + E / 2)
        return bound

    def run(self, falls=1e-9):
        before, steps, fell = -np.inf, 0, 0
        while True:
            last, bound, steps = self.q, self.step(), steps + 1
            fell = max(fell, before - bound)
            if steps > 5000 or max(np.abs(np.subtract(x, y)).max() / np.abs(x).max() for x, y in zip(self.q, last)) < 1e-11:
                return bound, fell
            before = bound

    def place(self, known, y, z, noise=1):
        """Location, scale and degrees of freedom at inputs z in a group with the rows `known` and targets y; noise 0:
        of what is expected there."""
        m, Sigma, L, _, tau, _ = self.expect()
        nu, a, b, p = self.q[2], self.q[4], self.q[5], len(self.S)
        X = known[:, self.S]
        C = np.linalg.inv(L + tau * X.T @ X)
        k = tau * X @ C @ z[self.S]
        g = z - known.T @ k
        of_L = z[self.S] @ C @ L @ C @ z[self.S]
        of_tau = z[self.S] @ C @ z[self.S] - of_L + noise * b / a
        of_L, dof = of_L * (nu - 1) / (nu - p), nu - p
        scale2 = g @ Sigma @ g + of_L + of_tau
        return z @ m + k @ (y - known @ m), np.sqrt(scale2), scale2**2 / (of_L**2 / dof + of_tau**2 / (2 * a))


def case(k):
    """Draw k: rows of a few groups, of which inputs vary, with or without an intercept."""
    rng = np.random.default_rng(100 + k)
    D, intercept, groups = int(rng.integers(1, 5)), k % 4 != 3, int(rng.integers(3, 15))
    varying = np.flatnonzero(rng.uniform(size=D) < .4)
    if not intercept and not len(varying):
        varying = np.array([D - 1])
    group = np.repeat(np.arange(groups), rng.integers(1, 30, groups))
    X = rng.normal(size=(len(group), D)) * rng.uniform(.5, 20, D) + 5 * rng.normal(size=D) * intercept
    effect = rng.normal(size=(groups, len(varying))) / X[:, varying].std(axis=0)
    y = 40 + 7 * (X @ (rng.normal(size=D) / X.std(axis=0)) + (X[:, varying] * effect[group]).sum(axis=1) +
                  (rng.normal(size=groups)[group] if intercept else -40 / 7) + .5 * rng.normal(size=len(group)))
    return X, y, group, varying, intercept


def standard(X, y, varying, intercept):
    """Z, the standardised target, S, and what turns both back: origins and scales."""
    T = np.column_stack([X, y])
    o = T.mean(axis=0) if intercept else np.zeros(T.shape[1])
    s = T.std(axis=0, ddof=1) if intercept else np.hypot(T.mean(axis=0), T.std(axis=0, ddof=1))
    T = (T - o) / s
    Z = np.column_stack([np.ones(len(y)), T[:, :-1]]) if intercept else T[:, :-1]
    S = np.r_[0, 1 + varying] if intercept else varying
    return Z, T[:, -1], S.astype(int), o, s


def fit(prog, X, y, group, varying, intercept, out='fit.json'):
    names = [f'x{d}' for d in range(X.shape[1])]
    prog.write_csv('rows.csv', ['site', *names, 'y'], [[f's{g}', *x, t] for g, x, t in zip(group, X.tolist(), y.tolist())])
    prog.run('fit', '--data', 'rows.csv', '--model', 'mixed', '--group-column', 'site', '--target-column', 'y', '--tol',
             1e-11, '--rounds', 5000, '--intercept', 'on' if intercept else 'off',
             *(['--mixed.varying', ','.join(names[d] for d in varying)] if len(varying) else []), '--out', out)
    return prog.json(out if out.endswith('.json') else out + '/answer.json')


def back(q, o, s, intercept):
    """Coefficients and their standard deviations in data units."""
    m, P = q[0], q[1]
    T = np.diag(np.r_[1, 1 / s[:-1]] if intercept else 1 / s[:-1]) * s[-1]
    if intercept:
        T[0, 1:] = -o[:-1] / s[:-1] * s[-1]
    mean = T @ m
    mean[0] += o[-1] if intercept else 0
    return mean, np.sqrt(np.diag(T @ np.linalg.inv(P) @ T.T))


def draws(claims, prog):
    worst, fell = dict.fromkeys(('coefficients', 'deviations', 'noise', 'bound', 'predictions'), 0), 0
    valid = True
    for k in range(20):
        X, y, group, varying, intercept = case(k)
        Z, t, S, o, s = standard(X, y, varying, intercept)
        own = Mixed(Z, t, group, S)
        bound, drop = own.run()
        fell = max(fell, drop)
        post = fit(prog, X, y, group, varying, intercept)
        mean, sd = back(own.q, o, s, intercept)
        first = [post['intercept']] if intercept else []
        spread = [post['intercept_sd']] if intercept else []
        bound -= len(y) * np.log(s[-1])
        error = {'coefficients': np.abs((np.r_[first, post['coef']] - mean) / sd).max(),
                 'deviations': np.abs(np.r_[spread, post['coef_sd']] / sd - 1).max(),
                 'noise': abs(post['rate'] / post['shape'] / (own.q[5] / own.q[4] * s[-1]**2) - 1),
                 'bound': abs(post['bound'] / bound - 1)}
        prog.run('predict', '--posterior', 'fit.json', '--data', 'rows.csv', '--group-column', 'site', '--what',
                 'interval', '--out', 'p.npy')
        seen, wrong = np.load(prog.file('p.npy')), 0
        for j in range(0, len(y), 5):
            others = np.flatnonzero((group == group[j]) & (np.arange(len(y)) != j))
            at, scale, dof = own.place(Z[others], t[others], Z[j])
            half = scale * student.ppf(.975, dof)
            want = [o[-1] + s[-1] * at, o[-1] + s[-1] * (at - half), o[-1] + s[-1] * (at + half)]
            wrong = max(wrong, np.abs(seen[j][:3] - want).max() / (s[-1] * scale))
        error['predictions'] = wrong
        valid &= not list(SCHEMA.iter_errors(post))
        for what, e in error.items():
            worst[what] = max(worst[what], e)
    claims.check(max(worst.values()) <= TOL, '20 draws: ' + ', '.join(f'{what} {e:.1e}' for what, e in worst.items()))
    claims.check(valid, 'their files are valid by docs/posterior.schema.json')
    claims.check(fell <= 1e-9, f'the bound falls by {fell:.1e} at most')


def groups(claims, prog):
    """The effects in each group as a result folder has them, with and without an intercept."""
    for k in (2, 3):
        X, y, group, varying, intercept = case(k)
        Z, t, S, o, s = standard(X, y, varying, intercept)
        own, worst = Mixed(Z, t, group, S), 0
        own.run()
        answer, off = fit(prog, X, y, group, varying, intercept, 'folder'), 0
        said, m = answer['groups'], own.q[0]
        for g in range(len(own.rows) + 1):
            at = own.rows[g] if g < len(own.rows) else np.array([], int)
            u = [own.place(Z[at], t[at], e, 0)[0] - m @ e for e in np.eye(Z.shape[1])[S]]
            off += ((t[at] - Z[at] @ m - Z[at][:, S] @ u)**2).sum()
            for i, v in enumerate(S):
                level = intercept and v == 0
                unit = s[-1] / (1 if level else s[v - intercept])
                z = np.r_[1, (said['at'] - o[:-1]) / s[:-1]] if level else np.eye(Z.shape[1])[v]
                where, scale, dof = own.place(Z[at], t[at], z, 0)
                half = scale * student.ppf(.975, dof)
                want = o[-1] * level + unit * np.array([where, where - half, where + half])
                got = [said['new_' + key][i] if g == len(own.rows) else said[key][g][i] for key in ('mean', 'low', 'high')]
                worst = max(worst, np.abs(got - want).max() / (unit * scale))
        raw = [y[at].mean() for at in own.rows]
        claims.check(abs(answer['rmse'] / (s[-1] * np.sqrt(off / len(y))) - 1) < TOL, f'RMSE {answer["rmse"]:.4f} with their effects')
        claims.check(worst <= TOL and np.allclose(said['target_mean'], raw) and said['names'] == [f's{g}' for g in np.unique(group)],
                     f'{len(raw)} groups and a new one, {len(S)} effects each: {worst:.1e}')


def known(claims, prog):
    """Where the rows leave no doubt about each group, intervals of the mean are those of a normal-Wishart posterior."""
    rng = np.random.default_rng(5)
    group = np.repeat(np.arange(6), 400)
    X, u = rng.normal(size=(len(group), 1)), rng.normal(size=(6, 2))
    y = 5 + u[group, 0] + u[group, 1] * X[:, 0] + .01 * rng.normal(size=len(group))
    said = fit(prog, X, y, group, np.array([0]), True, 'folder')
    sx, sy = X[:, 0].std(ddof=1), y.std(ddof=1)
    c = np.array([np.polyfit((X[group == g, 0] - X.mean()) / sx, y[group == g] / sy, 1) for g in range(6)])[:, 0]
    dof = 3 + 6 - 2
    half = np.sqrt((.01 + ((c - c.mean())**2).sum()) / (6 * dof)) * student.ppf(.975, dof) * sy / sx
    got = (said['high'][1][0] - said['low'][1][0]) / 2
    claims.check(abs(got / half - 1) < 1e-3, f'interval of a slope over six groups that are known: {got:.5f}, exact {half:.5f}')


def networks(claims, prog):
    """One group of 5 to 200 rows a node, with three common effects and one that varies besides the intercept."""
    last = {'edge': [], 'tree': []}
    for k in range(5):
        rng = np.random.default_rng([2, k])
        group = np.repeat(np.arange(12), rng.integers(5, 201, 12))
        X, u = rng.normal(size=(len(group), 4)), rng.normal(size=(12, 2)) * [1, .5]
        y = u[group, 0] + X @ [1, -1, 2, 0] + X[:, 0] * u[group, 1] + rng.normal(size=len(group))
        want = fit(prog, X, y, group, np.array([0]), True)
        prog.write_csv('nodes.csv', ['node', 'x0', 'x1', 'x2', 'x3', 'y'],
                       [[g, *x, t] for g, x, t in zip(group.tolist(), X.tolist(), y.tolist())])
        prog.sim(model='mixed', data='nodes.csv', node_column='node', target_column='y', algorithm='edge,tree', rounds=5000,
                 out='net', extra={'mixed.varying': 'x0'}, **NETWORK)
        for run in prog.json('net/summary.json')['algorithms']:
            post = prog.json(f'net/posterior-{run["name"]}.json')
            run['far'] = np.abs((np.r_[post['intercept'], post['coef']] - np.r_[want['intercept'], want['coef']]) /
                                np.r_[want['intercept_sd'], want['coef_sd']]).max()
            last[run['name']].append(run)
    for name, runs in last.items():
        rounds, far = np.median([run['rounds'] for run in runs]), max(run['far'] for run in runs)
        claims.check(far <= 1e-4 and rounds <= ROUNDS and all(r['verdict'] == 'settled' and r['moved'] < 1e-6 for r in runs),
                     f'{name}, 20 % of the messages lost: five draws settle, median {rounds:.0f} rounds, one machine to '
                     f'{far:.1e} standard deviations')


def hospitals(claims, prog):
    for count in coverage.PROMISED:
        mean, common, _ = coverage.covered(prog.path, 100, count)
        low, high = coverage.ROUGHLY
        claims.check(low <= mean <= high and low <= common <= high,
                     f'{count} hospitals, 100 draws: intervals of the mean contain it in {mean:.2f}, of common effects '
                     f'in {common:.2f}')


def sleepstudy(claims, prog):
    prog.run('fit', '--data', os.path.abspath(sys.argv[2]), '--columns', 'Days,Reaction', '--model', 'mixed',
             '--group-column', 'Subject', '--target-column', 'Reaction', '--mixed.varying', 'Days', '--out', 'sleep.json')
    post = prog.json('sleep.json')
    claims.check(abs(post['intercept'] - 251.4) <= .1 and abs(post['coef'][0] - 10.47) <= .01,
                 f'sleepstudy: {post["intercept"]:.2f} and {post["coef"][0]:.3f} a day')
    claims.check(5.9 <= post['intercept_sd'] <= 6.1 and 1.30 <= post['coef_sd'][0] <= 1.45,
                 f'their standard deviations {post["intercept_sd"]:.2f} and {post["coef_sd"][0]:.2f}')


def check(claims, prog):
    for part in (draws, groups, known, networks, hospitals) + ((sleepstudy,) if len(sys.argv) > 2 else ()):
        part(claims, prog)


if __name__ == '__main__':
    main(check)

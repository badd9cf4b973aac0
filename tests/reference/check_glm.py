#!/usr/bin/python3
"""check_glm.py PROGRAM: --model glm against the direct maximum of its lower bound over mean and Cholesky
factor by scipy (Gauss-Hermite expectations; BFGS, then the root of its gradient: bound to 1e-10, means and
standard deviations to 1e-9), against maximum likelihood by iteratively reweighted least squares in the limit
of a flat prior (0.05 standard deviations), and networks with loss against one machine."""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np
from scipy.optimize import minimize, root
from scipy.special import expit, gammaln

from harness import main

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(150)
WEIGHTS = WEIGHTS / np.sqrt(2 * np.pi)
LINKS = ('logistic', 'poisson')


def data(link, n=150, seed=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) * [1, 3] + [2, -1]
    eta = .3 + (X - [2, -1]) @ [1, -.4]
    y = rng.uniform(size=n) < expit(eta) if link == 'logistic' else rng.poisson(np.exp(eta))
    return X, y.astype(float), rng.integers(0, 12, n)


def bound(m, C, Z, y, link, L0):
    """ELBO of N(m, C C') under the prior N(0, L0^-1)."""
    e, v = Z @ m, ((Z @ C) ** 2).sum(axis=1)
    if link == 'poisson':
        rows = y * e - np.exp(e + v / 2) - gammaln(y + 1)
    else:
        eta = e[:, None] + np.sqrt(v)[:, None] * NODES
        rows = y * e - np.logaddexp(0, eta) @ WEIGHTS
    kl = np.trace(L0 @ C @ C.T) + m @ L0 @ m - len(m) - 2 * np.log(np.diag(C)).sum() - np.linalg.slogdet(L0)[1]
    return rows.sum() - kl / 2


def gradient(m, C, Z, y, link, L0):
    """Of the bound: with respect to m, and to the lower triangle of C."""
    e, v = Z @ m, ((Z @ C) ** 2).sum(axis=1)
    if link == 'poisson':
        by_e, by_v = y - np.exp(e + v / 2), -np.exp(e + v / 2) / 2
    else:
        p = expit(e[:, None] + np.sqrt(v)[:, None] * NODES)
        by_e, by_v = y - p @ WEIGHTS, -(p * (1 - p)) @ WEIGHTS / 2
    by_C = 2 * (Z.T * by_v) @ Z @ C - L0 @ C + np.linalg.inv(C).T
    return np.r_[Z.T @ by_e - L0 @ m, by_C[np.tril_indices(len(m))]]


def direct(Z, y, link, L0):
    p = Z.shape[1]
    tri, diagonal = np.tril_indices(p), np.diag_indices(p)

    def unpack(t):
        C = np.zeros((p, p))
        C[tri] = t[p:]
        C[diagonal] = np.exp(C[diagonal])
        return t[:p], C

    t = np.zeros(p + len(tri[0]))
    t[[p + i * (i + 3) // 2 for i in range(p)]] = -2
    t[0] = np.log(y.mean() + .1) if link == 'poisson' else 0
    found = minimize(lambda t: -bound(*unpack(t), Z, y, link, L0), t, method='BFGS',
                     options={'gtol': 1e-7, 'maxiter': 5000})
    m, C = unpack(found.x)
    lower = np.zeros((p, p))

    def at(t):
        lower[tri] = t[p:]
        return gradient(t[:p], lower, Z, y, link, L0)

    end = root(at, np.r_[m, C[tri]], tol=1e-14).x
    assert np.abs(at(end)).max() < 1e-8
    lower[tri] = end[p:]
    return end[:p], lower, bound(end[:p], lower, Z, y, link, L0)


def likelihood(Z, y, link):
    """Maximum likelihood and standard errors."""
    w = np.zeros(Z.shape[1])
    w[0] = np.log(y.mean()) if link == 'poisson' else 0
    for _ in range(100):
        mean = np.exp(Z @ w) if link == 'poisson' else expit(Z @ w)
        weight = mean if link == 'poisson' else mean * (1 - mean)
        H = (Z.T * weight) @ Z
        w = w + np.linalg.solve(H, Z.T @ (y - mean))
    return w, np.sqrt(np.diag(np.linalg.inv(H)))


def fit(prog, link, X, y, *options):
    prog.write_csv('one.csv', ['a', 'b', 'y'], [[*x, int(t)] for x, t in zip(X, y)])
    prog.run('fit', '--model', 'glm', '--glm.link', link, '--data', 'one.csv', '--target-column', 'y', '--tol',
             1e-11, *options, '--out', 'one.json')
    return prog.json('one.json')


def maximum(claims, prog):
    for link in LINKS:
        X, y, _ = data(link)
        post, mean, sd = fit(prog, link, X, y), X.mean(axis=0), X.std(axis=0, ddof=1)
        Z = np.column_stack([np.ones(len(y)), (X - mean) / sd])
        m, C, best = direct(Z, y, link, .01 * np.eye(3))
        e = np.abs((np.array(post['coef']) - m[1:] / sd) / post['coef_sd']).max()
        e = max(e, np.abs(post['coef_sd'] * sd / np.sqrt(np.diag(C @ C.T))[1:] - 1).max())
        claims.check(e <= 1e-9, f'{link}: coefficients and standard deviations of the direct maximum to {e:.1e}')
        e = abs(post['bound'] - best) / abs(best)
        claims.check(e <= 1e-10, f'{link}: its bound to {e:.1e}')


def flat(claims, prog):
    for link in LINKS:
        X, y, _ = data(link, n=3000, seed=4)
        post = fit(prog, link, X, y, '--prior.lambda0', 1e-8)
        w, se = likelihood(np.column_stack([np.ones(len(y)), X]), y, link)
        e = np.abs(np.r_[post['intercept'], post['coef']] - w) / se
        claims.check(e.max() <= .05, f'{link}: maximum likelihood to {e.max():.3f} standard errors')
        e = np.abs(np.r_[post['intercept_sd'], post['coef_sd']] / se - 1).max()
        claims.check(e <= .01, f'{link}: its standard errors to {e:.4f}')


def networks(claims, prog):
    for link in LINKS:
        X, y, site = data(link)
        rows = [[int(s), *x, int(t)] for s, x, t in zip(site, X, y)]
        prog.write_csv('rows.csv', ['site', 'a', 'b', 'y'], rows)
        prog.sim(model='glm', data='rows.csv', node_column='site', target_column='y',
                 topology='geometric:n=12,side=2,radius=1', algorithm='edge', loss_directed=.2, rounds=5000,
                 tol=1e-10, seed=1, out='net', extra={'glm.link': link})
        post, last, want = prog.json('net/posterior.json'), prog.json('net/summary.json')['algorithms'][0], fit(
            prog, link, X, y)
        e = np.abs((np.array(post['coef']) - want['coef']) / want['coef_sd']).max()
        claims.check(e <= 1e-6 and last['verdict'] == 'settled' and last['moved'] < 1e-6,
                     f'{link}: edge, 20 % of the messages lost: {last["verdict"]}, one machine to {e:.1e}')


def check(claims, prog):
    for part in (maximum, flat, networks):
        part(claims, prog)


if __name__ == '__main__':
    main(check)

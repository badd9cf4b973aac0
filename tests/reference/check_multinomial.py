#!/usr/bin/python3
"""check_multinomial.py PROGRAM [IRIS.csv]: --glm.link multinomial against the direct maximum of its lower bound
over mean and Cholesky factor by scipy, with the tilted bound [KnowlesMinka11] in numpy (BFGS, then the root of its
gradient: bound, means and standard deviations to 1e-6); how far that bound is below the exact one, by Gauss-Hermite
expectations; LogisticRegression in the limit of a flat prior (0.05 standard errors); densities that sum to 1 and
are those of Monte Carlo; networks with loss against one machine. Of simulated rows, and of iris where it is."""
import os
import sys

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import json

import jsonschema
import numpy as np
from scipy.optimize import minimize, root
from sklearn.linear_model import LogisticRegression

from harness import main

IRIS = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                                         '../../../shared/data/iris/iris.csv')


def softmax(eta):
    """Of predictors whose first class has 0: all classes, and ln sum exp."""
    eta = np.concatenate([np.zeros(eta.shape[:-1] + (1,)), eta], axis=-1)
    top = eta.max(axis=-1, keepdims=True)
    total = np.exp(eta - top).sum(axis=-1, keepdims=True)
    return np.exp(eta - top) / total, (top + np.log(total))[..., 0]


def simulated(n, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) * [1, 3] + [2, -1]
    W = np.array([[.3, 1, -.4], [-.5, -.8, 0], [.2, .5, .5]])
    p, _ = softmax(np.column_stack([np.ones(n), (X - [2, -1]) / [1, 2]]) @ W.T)
    return X, (rng.uniform(size=(n, 1)) > p.cumsum(axis=1)).sum(axis=1)


def sets():
    yield 'simulated', *simulated(150, 3)
    if os.path.exists(IRIS):
        rows = np.loadtxt(IRIS, delimiter=',', skiprows=1)
        yield 'iris', rows[:, :-1], rows[:, -1].astype(int)


def tilted(e, V):
    """The bound of E[ln sum exp] of each row and its shares: Newton's method on a, halved steps."""
    eye = np.eye(e.shape[1])

    def f(a):
        Va = np.einsum('ncd,nd->nc', V, a)
        s, lse = softmax(e + np.einsum('ncc->nc', V) / 2 - Va)
        return s[:, 1:], .5 * (a * Va).sum(axis=1) + lse
    a = softmax(e)[0][:, 1:]
    for _ in range(200):
        s, now = f(a)
        if np.abs(s - a).max() < 1e-14:
            break
        H = s[:, :, None] * eye - s[:, :, None] * s[:, None]
        d = np.linalg.solve(eye + H @ V, (s - a)[..., None])[..., 0]
        part = np.ones(len(a))
        for _ in range(40):
            worse = f(a + part[:, None] * d)[1] > now + 1e-13 * (1 + np.abs(now))
            part[worse] /= 2
        a = a + part[:, None] * d
    return f(a)[::-1]


class Problem:
    """Rows in columns of mean 0 and standard deviation 1, an intercept, and the prior N(0, I/lambda)."""

    def __init__(self, X, y, prior=.01):
        self.mean, self.sd, self.y = X.mean(axis=0), X.std(axis=0, ddof=1), y
        Z = np.column_stack([np.ones(len(y)), (X - self.mean) / self.sd])
        self.T, self.prior = y.max(), prior
        self.A = np.einsum('cd,nk->ncdk', np.eye(self.T), Z).reshape(len(y), self.T, -1)
        self.q = self.A.shape[2]
        self.one = np.eye(self.T + 1)[y][:, 1:]
        self.tri = np.tril_indices(self.q)

    def moments(self, m, C):
        G = self.A @ C
        return self.A @ m, G @ G.transpose(0, 2, 1)

    def minus_kl(self, m, C):
        return -.5 * (self.prior * ((C ** 2).sum() + m @ m) - self.q - 2 * np.log(np.abs(np.diag(C))).sum() -
                      self.q * np.log(self.prior))

    def bound(self, m, C):
        """The bound, its gradients."""
        e, V = self.moments(m, C)
        lse, s = tilted(e, V)
        H = s[:, :, None] * np.eye(self.T) - s[:, :, None] * s[:, None]
        by_m = np.einsum('ncq,nc->q', self.A, self.one - s) - self.prior * m
        by_C = -np.einsum('ncp,ncd,ndq->pq', self.A, H, self.A) @ C - self.prior * C + np.linalg.inv(C).T
        return (self.one * e).sum() - lse.sum() + self.minus_kl(m, C), by_m, by_C

    def exact(self, m, C, points=31):
        """The same with the expectation itself."""
        x, w = np.polynomial.hermite_e.hermegauss(points)
        z = np.stack(np.meshgrid(*[x] * self.T, indexing='ij'), axis=-1).reshape(-1, self.T)
        weight = np.prod(np.stack(np.meshgrid(*[w / w.sum()] * self.T, indexing='ij'), axis=-1).reshape(-1, self.T), axis=1)
        e, V = self.moments(m, C)
        lse = [softmax(e_j + z @ np.linalg.cholesky(V_j).T)[1] @ weight for e_j, V_j in zip(e, V)]
        return (self.one * e).sum() - np.sum(lse) + self.minus_kl(m, C)

    def direct(self):
        diagonal = np.flatnonzero(self.tri[0] == self.tri[1])

        def unpack(t):
            C = np.zeros((self.q, self.q))
            C[self.tri] = t[self.q:]
            C[np.diag_indices(self.q)] = np.exp(C[np.diag_indices(self.q)])
            return t[:self.q], C

        def minus(t):
            m, C = unpack(t)
            f, by_m, by_C = self.bound(m, C)
            by = by_C[self.tri]
            by[diagonal] *= np.diag(C)
            return -f, -np.r_[by_m, by]
        t = np.zeros(self.q + len(self.tri[0]))
        t[self.q + diagonal] = -1
        m, C = unpack(minimize(minus, t, jac=True, method='BFGS', options={'gtol': 1e-6, 'maxiter': 5000}).x)
        lower = np.zeros_like(C)

        def at(t):
            lower[self.tri] = t[self.q:]
            _, by_m, by_C = self.bound(t[:self.q], lower)
            return np.r_[by_m, by_C[self.tri]]
        end = root(at, np.r_[m, C[self.tri]], tol=1e-13).x
        assert np.abs(at(end)).max() < 1e-7
        lower[self.tri] = end[self.q:]
        return end[:self.q], lower


def write(prog, X, y, name='one.csv'):
    names = [f'x{k}' for k in range(X.shape[1])]
    return prog.write_csv(name, [*names, 'y'], [[*map(float, x), 'abcdef'[t]] for x, t in zip(X, y)])


def fit(prog, X, y, *options):
    write(prog, X, y)
    prog.run('fit', '--model', 'glm', '--glm.link', 'multinomial', '--data', 'one.csv', '--target-column', 'y', '--tol',
             1e-11, *options, '--out', 'one.json')
    return prog.json('one.json')


def of_post(post):
    """Mean and covariance of all coefficients, data units."""
    m = np.column_stack([post['intercept'], post['coef']]).ravel()
    return m, np.linalg.inv(np.array(post['precision']))


def maximum(claims, prog):
    for name, X, y in sets():
        post, p = fit(prog, X, y), Problem(X, y)
        m, C = p.direct()
        best = p.bound(m, C)[0]
        sd = np.sqrt(np.diag(C @ C.T)).reshape(p.T, -1)[:, 1:] / p.sd
        e = np.abs((np.array(post['coef']) - m.reshape(p.T, -1)[:, 1:] / p.sd) / sd).max()
        e = max(e, np.abs(post['coef_sd'] / sd - 1).max())
        claims.check(e <= 1e-6, f'{name}: coefficients and standard deviations of the direct maximum to {e:.1e}')
        e = abs(post['bound'] - best) / abs(best)
        claims.check(e <= 1e-6, f'{name}: its bound to {e:.1e}')
        exact = p.exact(m, C)
        claims.check(-1e-6 <= exact - best <= .03 * len(y),
                     f'{name}: the bound {best:.3f} is {exact - best:.3f} nats below the exact one, '
                     f'{100 * (exact - best) / len(y):.3f} a hundred rows')


def flat(claims, prog):
    X, y = simulated(3000, 4)
    post = fit(prog, X, y, '--prior.lambda0', 1e-8)
    ml = LogisticRegression(penalty=None, tol=1e-10, max_iter=10000).fit(X, y)
    want = np.column_stack([ml.intercept_, ml.coef_])
    e = np.abs(np.column_stack([post['intercept'], post['coef']]) - (want[1:] - want[0]))
    e = (e / np.column_stack([post['intercept_sd'], post['coef_sd']])).max()
    claims.check(e <= .05, f'LogisticRegression without a penalty to {e:.3f} standard errors')


def densities(claims, prog):
    X, y = simulated(60, 5)
    post = fit(prog, X, y)
    m, V = of_post(post)
    w = np.random.default_rng(6).multivariate_normal(m, V, size=400000).reshape(400000, -1, X.shape[1] + 1)
    new = simulated(8, 7)[0]
    Z = np.column_stack([np.ones(8), new])
    want = np.array([softmax(w @ z)[0].mean(axis=0) for z in Z])
    got = []
    for c in range(4):
        write(prog, new, np.full(8, c), 'new.csv')
        prog.run('score', '--posterior', 'one.json', '--data', 'new.csv', '--samples', '--out', 'each.csv')
        got.append(np.exp(np.loadtxt(prog.file('each.csv'), skiprows=1)))
    got = np.array(got).T
    e = np.abs(got.sum(axis=1) - 1).max()
    claims.check(e <= 1e-12, f'densities of the levels sum to 1 to {e:.1e}')
    e = np.abs(got - want).max()
    claims.check(e <= 3e-3, f'they are those of 400000 draws to {e:.1e}')  # 5 standard errors: 0.5/sqrt(4e5)
    prog.run('predict', '--posterior', 'one.json', '--data', 'new.csv', '--what', 'probabilities', '--out', 'p.npy')
    e = np.abs(np.load(prog.file('p.npy')) - got).max()
    claims.check(e <= 1e-12, f'predict has the same to {e:.1e}')


def networks(claims, prog):
    X, y = simulated(150, 3)
    site = np.random.default_rng(8).integers(0, 12, len(y))
    prog.write_csv('rows.csv', ['site', 'x0', 'x1', 'y'], [[int(s), *map(float, x), 'abcdef'[t]]
                                                           for s, x, t in zip(site, X, y)])
    prog.sim(model='glm', data='rows.csv', node_column='site', target_column='y',
             topology='geometric:n=12,side=2,radius=1', algorithm='edge', loss_directed=.2, rounds=5000,
             tol=1e-10, seed=1, out='net', extra={'glm.link': 'multinomial'})
    post, last, want = prog.json('net/posterior.json'), prog.json('net/summary.json')['algorithms'][0], fit(prog, X, y)
    e = np.abs((np.array(post['coef']) - want['coef']) / want['coef_sd']).max()
    claims.check(e <= 1e-6 and last['verdict'] == 'settled' and last['moved'] < 1e-6,
                 f'edge, 20 % of the messages lost: {last["verdict"]}, one machine to {e:.1e}')


def schemas(claims, prog):
    X, y = simulated(60, 5)
    for intercept in ('on', 'off'):
        fit(prog, X, y, '--intercept', intercept)
        prog.run('genesis', '--model', 'glm', '--glm.link', 'multinomial', '--data', 'one.csv', '--target-column', 'y',
                 '--intercept', intercept, '--out', 'genesis.json')
        for kind, name in (('posterior', 'one.json'), ('genesis', 'genesis.json')):
            with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'docs', f'{kind}.schema.json'),
                      encoding='utf-8') as f:
                valid = jsonschema.Draft7Validator(json.load(f))
            found = prog.json(name)
            claims.check(valid.is_valid(found), f'{kind}, intercept {intercept}: valid by its schema')
            del found['levels']
            claims.check(not valid.is_valid(found), f'{kind}, intercept {intercept}: not so without levels')


def check(claims, prog):
    for part in (maximum, flat, densities, networks, schemas):
        part(claims, prog)


if __name__ == '__main__':
    main(check)

#!/usr/bin/python3
"""check_tmm.py PROGRAM: the robust mixture against the same model written out in numpy: posterior,
bound and responsibilities after any number of iterations from the same responsibilities; its bound
against the joint density at the optimal local factors, integrated by quadrature; its predictive
density by quadrature over the precision of a row and, by drawing parameters, without it. With many
degrees of freedom it is the mixture of Gaussians. Rows far out move the means of that one, not its."""
import numpy as np
from scipy.special import digamma, gammaln, logsumexp
from sklearn.datasets import load_iris

import check_sklearn as steps
from harness import main

TOL = 1e-8
GRID = 2 ** (np.arange(33) / 4)
ITERATIONS = [1, 10, 200]


def lnc(v):
    return v / 2 * np.log(v / 2) - gammaln(v / 2)


class Robust:
    def __init__(self, X, K, dof):
        D = X.shape[1]
        self.X, self.K, self.D, self.dof = X, K, D, dof
        cov = np.cov(X.T)
        self.prior = dict(alpha=np.full(K, 1 / K), beta=np.ones(K), nu=np.full(K, float(D)),
                          m=np.tile(X.mean(axis=0), (K, 1)), W=np.tile(cov, (K, 1, 1)), eta=np.zeros((K, 2)))

    def dofs(self, p):
        """E[v], E[c(v)] and ln P of each component."""
        if self.dof:
            v = np.full(self.K, float(self.dof))
            return v, lnc(v), None
        log = p['eta'][:, :1] * lnc(GRID) + p['eta'][:, 1:] * GRID / 2
        log = log - logsumexp(log, axis=1, keepdims=True)
        return np.exp(log) @ GRID, np.exp(log) @ lnc(GRID), log

    def parts(self, p, X):
        """E[(x - mu)' Lambda (x - mu)] and the rest of E[ln p(x, component | u)] at u = 1."""
        D = self.D
        delta, rest = np.empty((len(X), self.K)), np.empty(self.K)
        for k in range(self.K):
            d = X - p['m'][k]
            delta[:, k] = D / p['beta'][k] + p['nu'][k] * np.einsum('ij,ij->i', d @ np.linalg.inv(p['W'][k]), d)
            det = digamma((p['nu'][k] - np.arange(D)) / 2).sum() + D * np.log(2) - np.linalg.slogdet(p['W'][k])[1]
            rest[k] = digamma(p['alpha'][k]) - digamma(p['alpha'].sum()) + (det - D * np.log(2 * np.pi)) / 2
        return delta, rest

    def log_rho(self, p, X):
        """With u integrated out."""
        e, c, _ = self.dofs(p)
        delta, rest = self.parts(p, X)
        h = (e + self.D) / 2
        return rest + c + gammaln(h) - h * np.log((e + delta) / 2), h, (e + delta) / 2

    def start(self, R):
        """Precisions of 1, and of each row E[ln u] - E[u] at one degree of freedom, u ~ Gamma(1/2, 1/2)."""
        n = R.sum(axis=0)
        return self.update(R, R, np.array([n, n * (digamma(.5) - np.log(.5) - 1)]).T)

    def update(self, R, U, eta):
        q, p = self.prior, {}
        n, s = R.sum(axis=0), U.sum(axis=0)
        p['alpha'], p['nu'], p['beta'] = q['alpha'] + n, q['nu'] + n, q['beta'] + s
        p['m'] = (q['beta'][:, None] * q['m'] + U.T @ self.X) / p['beta'][:, None]
        p['W'] = np.empty_like(q['W'])
        for k in range(self.K):
            d, b = self.X - p['m'][k], q['m'][k] - p['m'][k]
            p['W'][k] = q['W'][k] + (U[:, k, None] * d).T @ d + q['beta'][k] * np.outer(b, b)
        p['eta'] = eta
        return p

    def resp(self, p, X):
        rho, h, b = self.log_rho(p, X)
        return np.exp(rho - logsumexp(rho, axis=1, keepdims=True)), h, b

    def step(self, p):
        R, h, b = self.resp(p, self.X)
        u, ln_u = h / b, digamma(h) - np.log(b)
        return self.update(R, R * u, np.array([R.sum(axis=0), (R * (ln_u - u)).sum(axis=0)]).T)

    def divergence(self, p):
        q, D = self.prior, self.D
        a, a0 = p['alpha'], q['alpha']
        total = gammaln(a.sum()) - gammaln(a).sum() - gammaln(a0.sum()) + gammaln(a0).sum()
        total += (a - a0) @ (digamma(a) - digamma(a.sum()))
        for k in range(self.K):
            nu, nu0, V, V0 = p['nu'][k], q['nu'][k], np.linalg.inv(p['W'][k]), np.linalg.inv(q['W'][k])
            psi = digamma((nu - np.arange(D)) / 2).sum()
            ln = lambda x, M: -x * D / 2 * np.log(2) - x / 2 * np.linalg.slogdet(M)[1] - gammaln((x - np.arange(D)) / 2).sum()
            det = psi + D * np.log(2) + np.linalg.slogdet(V)[1]
            total += ln(nu, V) - ln(nu0, V0) + (nu - nu0) / 2 * det + nu / 2 * (np.trace(np.linalg.solve(V0, V)) - D)
            r, d = q['beta'][k] / p['beta'][k], p['m'][k] - q['m'][k]
            total += (D * (r - 1 - np.log(r)) + q['beta'][k] * nu * d @ V @ d) / 2
        if not self.dof:
            log = self.dofs(p)[2]
            total += (np.exp(log) * (log + np.log(len(GRID)))).sum()
        return total

    def bound(self, p):
        return logsumexp(self.log_rho(p, self.X)[0], axis=1).sum() - self.divergence(p)

    def log_z_by_quadrature(self, p, x):
        """ln of the sum over components of the integral of exp E[ln p(x, u, component)] over u."""
        e, c, _ = self.dofs(p)
        delta, rest = self.parts(p, x[None])
        total = 0
        for k in range(self.K):
            f = lambda t: np.exp(rest[k] + self.D / 2 * t - np.exp(t) * delta[0, k] / 2 + c[k] + e[k] / 2 * (t - np.exp(t)))
            t = np.log((e[k] + self.D) / (e[k] + delta[0, k])) + np.linspace(-60, 6, 33001)
            total += f(t).sum() * (t[1] - t[0])
        return np.log(total)

    def log_predictive(self, p, x):
        """Quadrature over ln u, for each v."""
        e, _, log = self.dofs(p)
        D, out = self.D, []
        for k in range(self.K):
            d = x - p['m'][k]
            dist = d @ np.linalg.solve(p['W'][k], d)
            half, beta = (p['nu'][k] + 1) / 2, p['beta'][k]
            head = gammaln(half) - gammaln(half - D / 2) - D / 2 * np.log(np.pi) - np.linalg.slogdet(p['W'][k])[1] / 2
            for v, w in [(e[k], 0)] if log is None else [(v, w) for v, w in zip(GRID, log[k]) if w > -36]:
                def f(t):
                    s = np.exp(-t) + 1 / beta
                    return head + lnc(v) + v / 2 * (t - np.exp(t)) - D / 2 * np.log(s) - half * np.log1p(dist / s)
                t = np.linspace(-60, 5, 26001)
                y = f(t)
                out.append(np.log(p['alpha'][k] / p['alpha'].sum()) + w + logsumexp(y) + np.log(t[1] - t[0]))
        return logsumexp(out)


def save(prog, name, X):
    prog.write_csv(name, [f'v{d}' for d in range(X.shape[1])], X.tolist())


def program(prog, K, dof, rounds):
    prog.run('fit', '--data', 'x.csv', '--n-components', K, '--init', 'responsibilities:r.csv', '--model', 'tmm',
             '--tmm.dof', dof or 'auto', '--tol', 0, '--rounds', rounds, '--out', 'p.json')
    return prog.json('p.json')


def one(claims, prog, name, X, K, dof):
    resp, spread = steps.start(prog, X, K), X.std(axis=0, ddof=1)
    mine = Robust(X, K, dof)
    for iterations in ITERATIONS:
        post, p = program(prog, K, dof, iterations + 1), mine.start(resp)
        bounds = []
        for _ in range(iterations):
            p = mine.step(p)
            bounds.append(mine.bound(p))
        k = np.lexsort(p['m'].T[::-1])
        ours = {key: np.array(post[key]) for key in ('weight_concentration', 'mean_precision', 'degrees_of_freedom', 'means', 'w_inverse')}
        size = np.outer(spread, spread) * p['nu'][k, None, None]
        error = {'concentrations': np.abs(ours['weight_concentration'] / p['alpha'][k] - 1).max(),
                 'mean precision': np.abs(ours['mean_precision'] / p['beta'][k] - 1).max(),
                 'means': np.abs((ours['means'] - p['m'][k]) / spread).max(),
                 'matrices': np.abs((ours['w_inverse'] - p['W'][k]) / size).max(),
                 'bound': abs(post['bound'] - mine.bound(p)) / abs(post['bound'])}
        if not dof:
            error['dof'] = np.abs(np.array(post['dof_mean']) / mine.dofs(p)[0][k] - 1).max()
            error['dof sums'] = max(np.abs(np.array(post['dof_rows']) / p['eta'][k, 0] - 1).max(),
                                    np.abs(np.array(post['dof_gap']) / p['eta'][k, 1] - 1).max())
        rows = X[:: max(1, len(X) // 12)]
        save(prog, 'few.csv', rows)
        prog.run('predict', '--posterior', 'p.json', '--data', 'x.csv', '--what', 'responsibilities', '--out', 'q.npy')
        error['responsibilities'] = np.abs(np.load(prog.file('q.npy')) - mine.resp(p, X)[0][:, k]).max()
        prog.run('score', '--posterior', 'p.json', '--data', 'few.csv', '--samples', '--out', 'd.npy')
        exact = np.array([mine.log_predictive(p, x) for x in rows])
        error['densities'] = np.abs(np.load(prog.file('d.npy')).ravel() - exact).max()
        claims.check(max(error.values()) <= TOL, f'{name}, dof {dof or "auto"}: {iterations} iterations: '
                     + ', '.join(f'{what} {e:.1e}' for what, e in error.items()) + f' (limit {TOL:g})')
    claims.check((np.diff(bounds) >= -1e-11 * abs(bounds[-1])).all(), f'{name}, dof {dof or "auto"}: the bound never falls')
    z = logsumexp(mine.log_rho(p, X[:5])[0], axis=1)
    e = max(abs(mine.log_z_by_quadrature(p, x) - y) for x, y in zip(X[:5], z))
    claims.check(e <= 1e-9, f'{name}, dof {dof or "auto"}: ln Z by quadrature over u: {e:.1e} (limit 1e-9)')


def integrates(claims, prog):
    """One column: the predictive density sums to 1, far out too."""
    rng = np.random.default_rng(5)
    save(prog, 'one.csv', rng.standard_t(2, size=(60, 1)))
    t = np.linspace(-40, 40, 40001)
    x = np.sinh(t)
    save(prog, 'grid.csv', x[:, None])
    for dof in ('auto', 3):
        prog.run('fit', '--data', 'one.csv', '--n-components', 1, '--model', 'tmm', '--tmm.dof', dof, '--out', 'one.json')
        prog.run('score', '--posterior', 'one.json', '--data', 'grid.csv', '--samples', '--out', 'grid.npy')
        total = (np.exp(np.load(prog.file('grid.npy')).ravel()) * np.cosh(t)).sum() * (t[1] - t[0])
        claims.check(abs(total - 1) < 1e-8, f'dof {dof}: the predictive density integrates to 1{total - 1:+.1e} (limit 1e-8)')


def contaminated(claims, prog, faithful):
    """3 % of the rows of faithful get normal noise of ten standard deviations."""
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        bad = faithful.copy()
        rows = rng.choice(len(bad), 8, replace=False)
        bad[rows] += faithful.std(axis=0) * rng.normal(size=(len(rows), 2)) * 10
        means = {}
        for model in ('gmm', 'tmm'):
            for name, X in (('clean', faithful), ('bad', bad)):
                save(prog, 'x.csv', X)
                prog.run('fit', '--data', 'x.csv', '--n-components', 2, '--model', model, '--out', 'p.json')
                means[model, name] = np.array(prog.json('p.json')['means'])
        off = {m: (np.abs(means[m, 'bad'] / means[m, 'clean'] - 1)).max() for m in ('gmm', 'tmm')}
        claims.check(off['tmm'] < .02 < .2 < off['gmm'], 'faithful, 3 % of its rows far out: means move by at most '
                     f'{off["tmm"]:.1%} (limit 2 %), those of the mixture of Gaussians by {off["gmm"]:.0%} (more than 20 %)')


def check(claims, prog):
    faithful = steps.table(steps.os.path.join(steps.HERE, 'data', 'faithful.csv'))
    for dof in (None, 1, 4, 100):
        one(claims, prog, 'iris', load_iris().data, 3, dof)
        one(claims, prog, 'faithful', faithful, 2, dof)
    integrates(claims, prog)
    contaminated(claims, prog, faithful)


if __name__ == '__main__':
    main(check)

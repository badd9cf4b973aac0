#!/usr/bin/python3
"""check_fa.py PROGRAM: factor analysis against variational Bayes written out in numpy, with a rotation of
its own, on draws of random loadings, with and without gaps (1e-6 of posterior standard deviations), the
bound term by term, a network that loses messages, and scikit-learn's FactorAnalysis: the covariance of
the columns, the number of factors, and its transform of what was exported. With isotropic noise the
same, and scikit-learn's PCA: the variance of the noise, the subspace and the score."""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np
from scipy.special import digamma, gammaln
from scipy.linalg import subspace_angles
from sklearn.decomposition import PCA, FactorAnalysis

from harness import main

TOL, N, D, Q = 1e-6, 200, 6, 2
HYPER = 1e-6  # shape and rate of a relevance
LAMBDA0, A0, B0 = 1e-6, .5, 1e-4  # in columns of mean 0 and variance 1


def draw(seed, n=N, d=D, q=Q, size=(4, 2, 1), noise=None):
    rng = np.random.default_rng(seed)
    W = np.linalg.qr(rng.normal(size=(d, q)))[0] * np.sqrt(size[:q])
    return rng.normal(size=(n, q)) @ W.T + rng.normal(size=(n, d)) * (noise or rng.uniform(.3, .7, d)) + 3 * rng.normal(size=d)


class Bayes:
    """q(w_d, tau_d) for each column, q(alpha), q(h_j), in columns of mean 0 and variance 1; equal: one tau, in
    columns of one scale and the mean variance 1."""

    def __init__(self, X, q, steps=600, equal=False):
        self.equal = equal
        self.o, self.s = np.nanmean(X, axis=0), np.nanstd(X, axis=0, ddof=1)
        if equal:
            self.s = np.full_like(self.s, np.sqrt((self.s ** 2).mean()))
        self.X, self.q = (X - self.o) / self.s, q
        self.seen = ~np.isnan(X)
        full = np.where(self.seen, self.X, 0)
        u, l, v = np.linalg.svd(full, full_matrices=False)
        self.m = np.column_stack([np.zeros(len(v)), (v[:q] * l[:q, None]).T / np.sqrt(len(X))])
        d = X.shape[1]
        self.V = np.array([np.eye(q + 1) * 1e-3] * d)  # Lambda^-1
        self.a, self.b, self.alpha = np.full(d, 1.), np.full(d, .3), np.ones(q)
        for self.steps in range(steps):
            before = self.m.copy()
            self.factors()
            if self.steps < steps - 40:  # the last ones are plain
                self.rotate()
            self.columns()
            self.relevances()
        self.moved = np.abs(self.m - before).max()
        self.factors()

    def factors(self):
        tau = self.a / self.b
        EWW = self.V + tau[:, None, None] * np.einsum('di,dj->dij', self.m, self.m)
        P = np.eye(self.q) + np.einsum('nd,dij->nij', self.seen, EWW[:, 1:, 1:])
        self.C = np.linalg.inv(P)
        full = np.where(self.seen, self.X, 0)
        y = full @ (tau[:, None] * self.m[:, 1:]) - self.seen @ EWW[:, 1:, 0]
        self.h = np.einsum('nij,nj->ni', self.C, y)

    def rotate(self):
        if self.seen.all():
            self.h -= self.h.mean(axis=0)
        S = (np.einsum('ni,nj->ij', self.h, self.h) + self.C.sum(axis=0)) / len(self.h)
        R = np.linalg.cholesky(S) if self.seen.all() else np.eye(self.q)
        tau = self.a / self.b
        B = (self.V + tau[:, None, None] * np.einsum('di,dj->dij', self.m, self.m))[:, 1:, 1:].sum(axis=0)
        T = np.linalg.eigh(R.T @ B @ R)[1].T[::-1] @ np.linalg.inv(R)
        self.h, self.C = self.h @ T.T, T @ self.C @ T.T
        back = np.linalg.inv(T)
        self.m[:, 1:] = self.m[:, 1:] @ back
        self.V[:, 1:, 1:] = back.T @ self.V[:, 1:, 1:] @ back
        self.relevances()

    def columns(self):
        z = np.column_stack([np.ones(len(self.h)), self.h])
        zz = np.einsum('ni,nj->nij', z, z)
        zz[:, 1:, 1:] += self.C
        self.L0 = np.diag(np.r_[LAMBDA0, self.alpha])
        for d, seen in enumerate(self.seen.T):
            x = self.X[seen, d]
            L = self.L0 + zz[seen].sum(axis=0)
            k = z[seen].T @ x
            self.V[d] = np.linalg.inv(L)
            self.m[d] = self.V[d] @ k
            self.a[d] = A0 + len(x) / 2
            self.b[d] = B0 + (x @ x - k @ self.m[d]) / 2
        if self.equal:
            self.a[:] = A0 + (self.a - A0).sum()
            self.b[:] = B0 + (self.b - B0).sum()

    def relevances(self):
        tau = self.a / self.b
        square = (np.einsum('dii->di', self.V) + tau[:, None] * self.m ** 2)[:, 1:].sum(axis=0)
        self.rate = HYPER + square / 2
        self.alpha = (HYPER + len(self.m) / 2) / self.rate

    def bound(self):
        """E[ln p(X, h, w, tau, alpha)] + entropy, data units."""
        a, b, c, d = self.a, self.b, HYPER + len(self.m) / 2, self.rate
        tau, ln_tau, ln_alpha = a / b, digamma(a) - np.log(b), digamma(c) - np.log(d)
        z = np.column_stack([np.ones(len(self.h)), self.h])
        total = 0
        for j, seen in enumerate(self.seen):
            zz = np.outer(z[j], z[j])
            zz[1:, 1:] += self.C[j]
            r = self.X[j] - self.m @ z[j]
            spread = np.einsum('dij,ij->d', self.V, zz) + tau * np.einsum(
                'di,dj,ij->d', self.m[:, 1:], self.m[:, 1:], self.C[j])
            total += (.5 * (ln_tau - np.log(2 * np.pi) - tau * r ** 2 - spread))[seen].sum()
            total += .5 * (self.q + np.linalg.slogdet(self.C[j])[1] - self.h[j] @ self.h[j] - np.trace(self.C[j]))
        square = np.einsum('dii->di', self.V) + tau[:, None] * self.m ** 2
        l0, ln_l0 = np.r_[LAMBDA0, c / d], np.r_[np.log(LAMBDA0), ln_alpha]
        total += (.5 * (ln_tau[:, None] + ln_l0 - np.log(2 * np.pi) - l0 * square)).sum()
        total += (.5 * (self.q + 1) * (1 + np.log(2 * np.pi) - ln_tau) + .5 * np.linalg.slogdet(self.V)[1]).sum()

        def gamma(a0, b0, a, b):
            cross = a0 * np.log(b0) - gammaln(a0) + (a0 - 1) * (digamma(a) - np.log(b)) - b0 * a / b
            return (cross + a - np.log(b) + gammaln(a) + (1 - a) * digamma(a)).sum()

        taus = 1 if self.equal else len(a)
        total += gamma(A0, B0, a[:taus], b[:taus]) + gamma(HYPER, HYPER, c, d)
        return total - (self.seen * np.log(self.s)).sum()


def with_gaps(X, seed):
    return np.where(np.random.default_rng(seed).random(X.shape) < .1, np.nan, X)


def fit(prog, X, q, *options):
    names = [f'x{d + 1}' for d in range(X.shape[1])]
    prog.write_csv('one.csv', names, [['' if np.isnan(x) else repr(float(x)) for x in row] for row in X])
    prog.run('fit', '--model', 'fa', '--data', 'one.csv', '--n-components', q, '--tol', 1e-12, '--rounds', 50000,
             *options, '--out', 'one.json')
    return prog.json('one.json')


def far(post, ref):
    """How far means and loadings are, in posterior standard deviations; the sign of a factor is free."""
    W = np.array(post['loadings']) / ref.s
    m = ref.m[:, 1:].T
    m = m * np.sign((W * m).sum(axis=1))[:, None]
    sd = np.sqrt(np.einsum('dii->di', ref.V) * (ref.b / ref.a)[:, None])
    e = np.abs((W - m) / sd[:, 1:].T).max()
    means = (np.array(post['means']) - ref.o) / ref.s
    return max(e, np.abs((means - ref.m[:, 0]) / sd[:, 0]).max(),
               np.abs(np.array(post['rate']) / ref.s ** 2 / ref.b - 1).max())


def one_machine(claims, prog):
    of_noise(claims, prog, False)
    of_noise(claims, prog, True, '--noise', 'isotropic')


def of_noise(claims, prog, equal, *options):
    worst, bound, gaps, moved = 0, 0, 0, 0
    word = 'isotropic, ' if equal else ''
    noise = .5 if equal else None
    for seed in range(20):
        X = draw(seed, noise=noise)
        post, ref = fit(prog, X, Q, *options), Bayes(X, Q, equal=equal)
        moved = max(moved, ref.moved)
        worst = max(worst, far(post, ref))
        bound = max(bound, abs(post['bound'] / ref.bound() - 1))
    claims.note(f'{word}the last step in numpy moved loadings by {moved:.1e}')
    claims.check(worst <= TOL, f'{word}20 draws: the model in numpy to {worst:.1e} posterior standard deviations')
    claims.check(bound <= 1e-9, f'{word}its bound, term by term, to {bound:.1e}')
    for seed in range(5):
        X = with_gaps(draw(seed, noise=noise), seed)
        post, ref = fit(prog, X, Q, *options), Bayes(X, Q, equal=equal)
        gaps = max(gaps, far(post, ref))
        claims.check(abs(post['bound'] / ref.bound() - 1) <= 1e-6, f'{word}10 % gaps, draw {seed}: the bound')
    claims.check(gaps <= TOL, f'{word}10 % gaps: the model in numpy to {gaps:.1e} posterior standard deviations')


def covariance(post):
    W = np.array(post['loadings'])
    return W.T @ W + np.eye(W.shape[1]) * np.array(post['rate']) / post['shape']


def scikit_learn(claims, prog):
    X = draw(1, n=600, d=10, q=3, size=(5.1, 2.4, 1.2))
    peer = FactorAnalysis(3, tol=1e-8, max_iter=10000).fit(X)
    post = fit(prog, X, 3)
    sd = X.std(axis=0)
    e = np.abs((covariance(post) - peer.get_covariance()) / np.outer(sd, sd)).max()
    claims.check(e <= .005, f'FactorAnalysis: correlations within {e:.4f}')
    less = np.abs((covariance(fit(prog, np.repeat(X, 10, axis=0), 3)) - peer.get_covariance()) / np.outer(sd, sd)).max()
    claims.check(less <= .2 * e, f'each row ten times, whose maximum is the same: within {less:.4f}')
    many = draw(1, n=6000, d=10, q=3, size=(5.1, 2.4, 1.2))
    peer_of_many = FactorAnalysis(3, tol=1e-8, max_iter=10000).fit(many)
    e = np.abs((covariance(fit(prog, many, 3)) - peer_of_many.get_covariance()) / np.outer(many.std(axis=0), many.std(axis=0))).max()
    claims.check(e <= .002, f'of ten times the rows within {e:.4f}: the rest is the prior, and a mean beside a mode')
    post = fit(prog, X, 3)
    prog.run('export', '--posterior', 'one.json', '--format', 'sklearn', '--out', 'fa.npz')
    own = FactorAnalysis(3)
    own.__dict__.update(np.load(prog.file('fa.npz')))
    del own.feature_names_in_  # an array has none
    prog.run('predict', '--posterior', 'one.json', '--data', 'one.csv', '--what', 'scores', '--out', 'own.csv')
    got = np.genfromtxt(prog.file('own.csv'), delimiter=',', skip_header=1)
    e = np.abs(own.transform(X) - got).max()
    claims.check(e <= .05, f'export: its transform has the scores of predict, which know how sure loadings are, to {e:.3f}')
    six = fit(prog, X, 6)
    live = np.array(six['variance_share']) > 1e-3
    e = np.abs(covariance(six) - covariance(post)).max()
    claims.check(live.tolist() == [True] * 3 + [False] * 3 and e <= 1e-5,
                 f'6 factors: 3 of them live, with the covariance of 3 to {e:.1e}')


def principal_components(claims, prog):
    X = draw(1, n=600, d=10, q=3, size=(5.1, 2.4, 1.2), noise=.6)
    peer = PCA(3).fit(X)
    many = draw(1, n=6000, d=10, q=3, size=(5.1, 2.4, 1.2), noise=.6)
    of_many = fit(prog, many, 3, '--noise', 'isotropic')
    e = abs(of_many['noise_variance'] / PCA(3).fit(many).noise_variance_ - 1)
    claims.check(e <= .001, f'PCA of 6,000 rows: the variance of the noise within {100 * e:.2f} %')
    post = fit(prog, X, 3, '--noise', 'isotropic')
    e = abs(post['noise_variance'] / peer.noise_variance_ - 1)
    claims.check(e <= .01, f'of 600 within {100 * e:.2f} %: what is left falls as one over the rows')
    e = subspace_angles(np.array(post['loadings']).T, peer.components_.T).max()
    claims.check(e <= 1e-3, f'its subspace, {e:.1e} away')
    prog.run('score', '--posterior', 'one.json', '--data', 'one.csv', '--samples', '--out', 'own.npy')
    got = np.load(prog.file('own.npy')).mean()
    claims.check(abs(got - peer.score(X)) <= .02, f'its score of a row, {peer.score(X):.4f}: {got:.4f}')
    six = fit(prog, X, 6, '--noise', 'isotropic')
    live = np.array(six['variance_share']) > 1e-3
    e = np.abs(covariance(six) - covariance(post)).max()
    claims.check(live.tolist() == [True] * 3 + [False] * 3 and e <= 1e-5,
                 f'6 factors: 3 of them live, with the covariance of 3 to {e:.1e}')


def networks(claims, prog):
    on_network(claims, prog, 'diagonal', None)
    on_network(claims, prog, 'isotropic', .5)


def on_network(claims, prog, word, noise):
    X = draw(3, noise=noise)
    want = fit(prog, X, Q, '--noise', word)
    for algorithm in ('edge', 'sum'):
        prog.sim(model='fa', data='one.csv', n_components=Q, noise=word, topology='geometric:n=12,side=2,radius=0.8',
                 algorithm=algorithm, loss_directed=.2, rounds=20000, seed=1, out='net')
        post, last = prog.json('net/posterior.json'), prog.json('net/summary.json')['algorithms'][0]
        e = np.abs(np.array(post['loadings']) - want['loadings']).max()
        claims.check(e <= 1e-5 and last['verdict'] == 'settled',
                     f'{word}, {algorithm}, 20 % of the messages lost: {last["verdict"]}, one machine to {e:.1e}')


def returns(claims, prog):
    """Nodes turn their factors apart until they agree, and what they lost meanwhile must return."""
    for seed, q, size in ((3, 3, (4, 2, 1)), (2, 5, (5.1, 3.8, 2.4, 1.8, 1.2))):
        X = draw(seed, n=600, d=10, q=q, size=size)
        want = fit(prog, X, q, '--n-init', 1)['bound']
        prog.sim(model='fa', data='one.csv', n_components=q, topology='geometric:n=12,side=2,radius=0.8', algorithm='edge',
                 loss_directed=.2, rounds=4000, tol=1e-6, seed=1, out='net')
        got = prog.json('net/posterior.json')['bound']
        claims.check(abs(got - want) < .01, f'EDGE, {q} factors: the bound of one machine, {want:.1f}, is that of nodes, {got:.1f}')


def rounds(claims, prog):
    """Of 600 rows of 10 columns, until nodes agree to 1e-6 for good; a place that jumps when factors cross must
    not slow nodes down."""
    agreed, settled = [], 0
    for seed in range(5):
        X = draw(seed, n=600, d=10, q=3, size=(5.1, 2.4, 1.2))
        prog.write_csv('one.csv', [f'x{d + 1}' for d in range(10)], X.tolist())
        prog.sim(model='fa', data='one.csv', n_components=3, topology='geometric:n=12,side=2,radius=0.8', algorithm='edge',
                 loss_directed=.2, rounds=5000, tol=1e-6, seed=1, out='net')
        settled += prog.json('net/summary.json')['algorithms'][0]['verdict'] == 'settled'
        with open(prog.file('net/trace.csv')) as f:
            trace = [line.split(',') for line in f if ',disagreement,' in line]
        agreed.append(max(int(line[0]) for line in trace if float(line[6]) > 1e-6))
    claims.check(settled == 5 and np.median(agreed) <= 600 and max(agreed) <= 900,
                 f'EDGE, 20 % lost, 5 draws: {settled} settled, nodes agree to 1e-6 after {sorted(agreed)} rounds')


def by_quadrature(post, x):
    """ln p(x | data) of one factor and noise of each column: Student's t given h, on a fine grid of h."""
    h = np.linspace(-60, 60, 6001)
    z = np.column_stack([np.ones_like(h), h])
    total = -h ** 2 / 2 - np.log(2 * np.pi) / 2
    for d, value in enumerate(x):
        a, b = post['shape'][d], post['rate'][d]
        s = 1 + np.einsum('ki,ij,kj->k', z, np.linalg.inv(post['precision'][d]), z)
        r = value - z @ [post['means'][d], post['loadings'][0][d]]
        total += gammaln(a + .5) - gammaln(a) - .5 * np.log(2 * np.pi * b * s) - (a + .5) * np.log1p(r ** 2 / (2 * b * s))
    return np.log(np.exp(total - total.max()).sum() * (h[1] - h[0])) + total.max()


def far_rows(claims, prog):
    """Densities of rows that are 3, 6 and 10 standard deviations off, where 40 rows were seen."""
    X = draw(5, n=40, d=6, q=1)
    post, sd, rng = fit(prog, X, 1), X.std(axis=0), np.random.default_rng(5)
    new = np.array([X.mean(axis=0) + k * sd * side for k in (0, 3, 6, 10) for side in (rng.choice([-1, 1], 6), np.eye(6)[0])])
    prog.write_csv('new.csv', [f'x{d + 1}' for d in range(6)], new.tolist())
    prog.run('score', '--posterior', 'one.json', '--data', 'new.csv', '--samples', '--out', 'far.npy')
    want = [by_quadrature(post, x) for x in new]
    e = np.abs(np.load(prog.file('far.npy')).ravel() - want).max()
    claims.check(e <= .05, f'rows up to 10 standard deviations off, of density {min(want):.0f}: quadrature to {e:.4f} nats')


def check(claims, prog):
    for part in (far_rows, one_machine, networks, returns, rounds, scikit_learn, principal_components):
        part(claims, prog)


if __name__ == '__main__':
    main(check)

#!/usr/bin/python3
"""check_sklearn.py PROGRAM: central VB equals scikit-learn's BayesianGaussianMixture within
1e-8 relative after the same number of steps, from the same responsibilities and prior, on
Ionosphere, iris and Old Faithful. Our round r + 1 is their iteration r: their start is already an
M-step."""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import warnings

import numpy as np
from sklearn.datasets import load_iris
from sklearn.mixture import BayesianGaussianMixture

import refimpl as ref
from harness import main

TOL = 1e-8
ITERATIONS = [1, 2, 10, 50]
HERE = os.path.dirname(os.path.abspath(__file__))


class Seeded(BayesianGaussianMixture):
    """Starts from given responsibilities instead of k-means."""

    def _initialize_parameters(self, X, random_state):
        self._initialize(X, self.start)


def table(path, columns=None):
    X = np.genfromtxt(path, delimiter=',', skip_header=1)
    return X if columns is None else X[:, columns]


def sets():
    """(name, X, K)."""
    ionosphere = table(os.path.join(HERE, '..', '..', 'data', 'ionosphere.csv'))
    return [('ionosphere', ionosphere[:, :34], 2), ('iris', load_iris().data, 3),
            ('faithful', table(os.path.join(HERE, 'data', 'faithful.csv')), 2)]


def priors(X, K):
    """(name, alpha0, beta0, mu0, nu0, W0^-1, arguments of the program)."""
    D = X.shape[1]
    origin, scale = ref.range_units(X)
    w0inv = np.cov(X.T) + 0.1 * np.eye(D)
    w0inv = (w0inv + w0inv.T) / 2
    mu0 = X.mean(axis=0)
    words = {'prior.alpha0': 0.4, 'prior.beta0': 0.5, 'prior.nu0': D + 3,
             'prior.mu0': ','.join(repr(float(v)) for v in mu0),
             'prior.w0inv': ','.join(repr(float(v)) for v in w0inv.ravel())}
    return [('weak prior', 1 / K, 1.0, origin, D + 2.0, np.diag(scale ** 2), {'prior': 'weak'}),
            ('given prior', 0.4, 0.5, mu0, D + 3.0, w0inv, words)]


def estimator(K, prior, resp, **options):
    _, alpha0, beta0, mu0, nu0, w0inv, _ = prior
    model = Seeded(n_components=K, covariance_type='full', tol=0, reg_covar=0,
                   weight_concentration_prior_type='dirichlet_distribution',
                   weight_concentration_prior=alpha0, mean_precision_prior=beta0, mean_prior=mu0,
                   degrees_of_freedom_prior=nu0, covariance_prior=w0inv)
    model.start = resp
    return model.set_params(**options)


def theirs(X, K, prior, resp, iterations):
    model = estimator(K, prior, resp, max_iter=iterations)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        model.fit(X)
    return model.weights_, model.means_, model.covariances_


def ours(gmm, phi):
    alpha, nu, beta, m, winv = gmm.textbook(phi)
    return alpha / alpha.sum(), m, winv / nu[:, None, None]


def relative(a, b):
    """Largest difference against the largest entry of each component's array."""
    a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
    return float((np.abs(a - b).max(axis=1) / np.abs(b).max(axis=1)).max())


def start(prog, X, K):
    """The responsibilities of the start; writes x.csv and r.csv."""
    rng = np.random.default_rng(7)
    order = np.lexsort(X.T[::-1])
    hard = np.eye(K)[(np.argsort(order) * K) // len(X)]
    resp = 0.7 * hard + 0.3 * rng.dirichlet(np.ones(K), len(X))
    prog.write_csv('x.csv', [f'v{d}' for d in range(X.shape[1])], X.tolist())
    prog.write_csv('r.csv', [f'r{k}' for k in range(K)], resp.tolist())
    return resp


def one(claims, prog, name, X, K, standardize):
    resp = start(prog, X, K)
    for prior in priors(X, K):
        gmm = ref.Gmm(K, X.shape[1], *prior[1:6])
        rounds = [r + 1 for r in ITERATIONS]
        phi = prog.sim('phi.npy', data='x.csv', algorithm='cvb', topology='complete:n=1',
                       n_components=K, init='responsibilities:r.csv', tol=0, rounds=max(rounds),
                       standardize=standardize, dump_at=','.join(map(str, rounds)), extra=prior[6])
        error = np.zeros(3)
        for step, p in zip(ITERATIONS, phi):
            want = theirs(X, K, prior, resp, step)
            error = np.maximum(error, [relative(a, b) for a, b in zip(ours(gmm, p[0]), want)])
        claims.check(error.max() <= TOL,
                     f'{name}, {prior[0]}, standardize {standardize}: weights {error[0]:.1e}, means'
                     f' {error[1]:.1e}, covariances {error[2]:.1e} after {ITERATIONS} iterations'
                     f' (limit {TOL:g})')


def check(claims, prog):
    for name, X, K in sets():
        for standardize in ('on', 'off'):
            one(claims, prog, name, X, K, standardize)


if __name__ == '__main__':
    main(check)

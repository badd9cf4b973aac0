#!/usr/bin/python3
"""check_columns.py PROGRAM: mixtures with --covariance-type diag and spherical, with default priors.
Given the same responsibilities, one M-step is that of scikit-learn's BayesianGaussianMixture to 1e-8.
Its E-step uses the expected log determinant of a Wishart matrix, which is not that of its own
posterior; with `_estimate_log_prob` replaced by the expectation of independent precisions it agrees
after any number of iterations to 1e-8, and so does the model written out in numpy, bound and
predictions included. `export` has scikit-learn's shapes and numbers."""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import warnings

import numpy as np
from scipy.special import digamma, gammaln, logsumexp
from sklearn.datasets import load_iris
from sklearn.mixture import BayesianGaussianMixture

import check_empirical
import check_sklearn as steps
from harness import main

TOL = 1e-8
ITERATIONS = [1, 10, 200]


class Columns:
    """Precisions tau_m ~ Gamma(a, rate b), each of `dim` columns, mu_d ~ N(m, 1/(tau lambda)): dim is
    1 (diag) or D (spherical). Arrays are K x D; those of precisions K x (D/dim)."""

    def __init__(self, X, K, kind):
        var = X.var(axis=0, ddof=1)
        self.X, self.K, self.D = X, K, X.shape[1]
        self.dim = 1 if kind == 'diag' else self.D
        scatter = var if kind == 'diag' else np.array([var.mean()])
        ones = np.ones((K, self.D // self.dim))
        self.prior = (np.full(K, 1 / K), ones * self.D * self.dim / 2, ones * scatter * self.dim / 2,
                      np.tile(X.mean(axis=0), (K, 1)), np.ones(K))

    def sums(self, x):
        """Over the columns of each precision."""
        return x.reshape(*x.shape[:-1], self.D // self.dim, self.dim).sum(axis=-1)

    def step(self, R):
        """The posterior given responsibilities."""
        alpha0, a0, b0, m0, l0 = self.prior
        n = R.sum(axis=0)
        lam = l0 + n
        m = (l0[:, None] * m0 + R.T @ self.X) / lam[:, None]
        a = a0 + self.dim * n[:, None] / 2
        spread = np.array([R[:, k] @ (self.X - m[k]) ** 2 for k in range(self.K)])
        return alpha0 + n, a, b0 + self.sums(spread + l0[:, None] * (m - m0) ** 2) / 2, m, lam

    def log_rho(self, par):
        alpha, a, b, m, lam = par
        tau = np.repeat(a / b, self.dim, axis=1)
        det = self.dim * (digamma(a) - np.log(b)).sum(axis=1)
        square = np.array([(self.X - m[k]) ** 2 @ tau[k] for k in range(self.K)]).T
        return digamma(alpha) - digamma(alpha.sum()) + (
            det - self.D / lam - self.D * np.log(2 * np.pi) - square) / 2

    def resp(self, par):
        rho = self.log_rho(par)
        return np.exp(rho - logsumexp(rho, axis=1, keepdims=True))

    def divergence(self, par):
        """KL(posterior || prior)."""
        alpha, a, b, m, lam = par
        alpha0, a0, b0, m0, l0 = self.prior
        total = gammaln(alpha.sum()) - gammaln(alpha).sum() - gammaln(alpha0.sum()) + gammaln(alpha0).sum()
        total += (alpha - alpha0) @ (digamma(alpha) - digamma(alpha.sum()))
        total += ((a - a0) * digamma(a) - gammaln(a) + gammaln(a0) + a0 * np.log(b / b0) + a * (b0 - b) / b).sum()
        tau = np.repeat(a / b, self.dim, axis=1)
        ratio = (l0 / lam)[:, None]
        return total + .5 * (ratio - 1 - np.log(ratio) + l0[:, None] * tau * (m - m0) ** 2).sum()

    def bound(self, par):
        return logsumexp(self.log_rho(par), axis=1).sum() - self.divergence(par)

    def left_out(self):
        """What scikit-learn's bound has not: the prior's normaliser and that of the rows' density."""
        alpha0, a0, b0, _, l0 = self.prior
        return gammaln(alpha0).sum() - gammaln(alpha0.sum()) + (gammaln(a0) - a0 * np.log(b0)).sum() \
            - self.D / 2 * np.log(l0).sum() + len(self.X) * self.D / 2 * np.log(2 * np.pi)

    def log_predictive(self, par, x):
        """Each precision's columns are jointly Student's t with 2a degrees of freedom."""
        alpha, a, b, m, lam = par
        out = np.empty((len(x), self.K))
        for k in range(self.K):
            scale = np.repeat(2 * b[k], self.dim) * (1 + 1 / lam[k])
            h = a[k] + self.dim / 2
            terms = gammaln(h) - gammaln(a[k]) - self.sums(np.log(np.pi * scale)) / 2
            out[:, k] = (terms - h * np.log1p(self.sums((x - m[k]) ** 2 / scale))).sum(axis=1)
        return logsumexp(out + np.log(alpha / alpha.sum()), axis=1)


class Corrected(steps.Seeded):
    """scikit-learn with the expectation of its own posterior where that is of independent precisions."""

    def _estimate_log_prob(self, X):
        if self.covariance_type == 'full':
            return super()._estimate_log_prob(X)
        D = X.shape[1]
        dim = 1 if self.covariance_type == 'diag' else D
        cov = self.covariances_ if dim == 1 else np.tile(self.covariances_[:, None], D)
        nu = self.degrees_of_freedom_
        det = (digamma(dim * nu / 2)[:, None] - np.log(dim * nu[:, None] * cov / 2)).sum(axis=1)
        square = np.array([((X - m) ** 2 / c).sum(axis=1) for m, c in zip(self.means_, cov)]).T
        return (det - D / self.mean_precision_ - D * np.log(2 * np.pi) - square) / 2


def fitted(cls, X, K, kind, resp, iterations, weights='dirichlet_distribution'):
    model = cls(n_components=K, covariance_type=kind, tol=0, reg_covar=0, max_iter=iterations,
                weight_concentration_prior_type=weights)
    model.start = resp
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return model.fit(X)


def first_step(X, K, kind, resp):
    """scikit-learn's M-step alone."""
    model = steps.Seeded(n_components=K, covariance_type=kind, reg_covar=0,
                         weight_concentration_prior_type='dirichlet_distribution')
    model.start = resp
    model._check_parameters(X)
    model._initialize_parameters(X, None)
    model.weights_ = model.weight_concentration_ / model.weight_concentration_.sum()
    return model


def program(prog, K, kind, rounds):
    prog.run('fit', '--data', 'x.csv', '--n-components', K, '--init', 'responsibilities:r.csv', '--covariance-type',
             kind, '--tol', 0, '--rounds', rounds, '--out', 'p.json')
    return prog.json('p.json')


def far(spread, kind, post, model):
    """Largest differences from a model of scikit-learn, in the columns' standard deviations; components
    are in canonical order, by means."""
    k = np.lexsort(model.means_.T[::-1])
    unit = spread ** 2 if kind == 'diag' else (spread ** 2).mean()
    prior = post['prior']
    wide = (lambda x: x[k, None]) if kind == 'diag' else (lambda x: x[k])
    scatter = 2 * np.array(prior['rate'])[0] / (1 if kind == 'diag' else len(spread))
    one = [np.abs(np.array(post['weights']) - model.weights_[k]).max(),
           np.abs((np.array(post['means']) - model.means_[k]) / spread).max(),
           np.abs((np.array(post['covariances']) - model.covariances_[k]) / unit).max(),
           np.abs(np.array(post['degrees_of_freedom']) / wide(model.degrees_of_freedom_) - 1).max(),
           np.abs(np.array(post['mean_precision']) / model.mean_precision_[k, None] - 1).max()]
    return one + [max(np.abs(scatter / model.covariance_prior_ - 1).max(),
                      np.abs((np.array(prior['means']) - model.mean_prior_) / spread).max(),
                      np.abs(np.array(prior['degrees_of_freedom']) - model.degrees_of_freedom_prior_).max())]


def against_numpy(claims, prog, name, kind, X, K, resp, iterations, post):
    mine = Columns(X, K, kind)
    par = mine.step(resp)
    for _ in range(iterations):
        par = mine.step(mine.resp(par))
    k = np.lexsort(par[3].T[::-1])
    a, b = (x[k] if kind == 'diag' else x[k, 0] for x in par[1:3])
    spread = X.std(axis=0)
    error = {'concentrations': np.abs(np.array(post['weight_concentration']) / par[0][k] - 1).max(),
             'shapes': np.abs(np.array(post['shape']) / a - 1).max(),
             'rates': np.abs(np.array(post['rate']) / b - 1).max(),
             'means': np.abs((np.array(post['means']) - par[3][k]) / spread).max(),
             'bound': abs(post['bound'] - mine.bound(par)) / abs(post['bound'])}
    prog.run('score', '--posterior', 'p.json', '--data', 'x.csv', '--samples', '--out', 'd.npy')
    error['densities'] = np.abs(np.load(prog.file('d.npy')).ravel() - mine.log_predictive(par, X)).max()
    prog.run('predict', '--posterior', 'p.json', '--data', 'x.csv', '--what', 'responsibilities', '--out', 'q.npy')
    error['responsibilities'] = np.abs(np.load(prog.file('q.npy')) - mine.resp(par)[:, k]).max()
    claims.check(max(error.values()) <= TOL, f'{name}, {kind}: numpy, {iterations} iterations: ' + ', '.join(
        f'{what} {e:.1e}' for what, e in error.items()) + f' (limit {TOL:g})')


def exported(claims, prog, name, kind, post, left_out):
    prog.run('export', '--posterior', 'p.json', '--out', 'm.npz')
    model = BayesianGaussianMixture(covariance_type=kind, weight_concentration_prior_type='dirichlet_distribution')
    with np.load(prog.file('m.npz')) as archive:
        model.__dict__.update(archive)
    del model.feature_names_in_  # X has no names
    cov = np.array(post['covariances'])
    first = (lambda x: np.array(x)[:, 0]) if kind == 'diag' else np.array
    good = model.covariances_.shape == cov.shape and np.allclose(model.precisions_ * cov, 1, rtol=1e-14) \
        and np.allclose(model.precisions_cholesky_ ** 2, model.precisions_, rtol=1e-14) \
        and (model.degrees_of_freedom_ == first(post['degrees_of_freedom'])).all() \
        and (model.mean_precision_ == np.array(post['mean_precision'])[:, 0]).all()
    claims.check(abs(model.lower_bound_ - post['bound'] - left_out) <= TOL * abs(post['bound']),
                 f'{name}, {kind}: lower_bound_ is ours without the normalisers of prior and rows')
    claims.check(good, f'{name}, {kind}: export has covariances, precisions and counts in their shapes')
    return model


def one(claims, prog, name, kind, X, K):
    resp, spread = steps.start(prog, X, K), X.std(axis=0, ddof=1)
    words = 'weights, means, covariances, degrees of freedom, mean precision, prior '
    e = far(spread, kind, program(prog, K, kind, 1), first_step(X, K, kind, resp))
    claims.check(max(e) <= TOL, f'{name}, {kind}: one M-step: {words}{", ".join(f"{x:.1e}" for x in e)} (limit {TOL:g})')
    for iterations in ITERATIONS:
        post = program(prog, K, kind, iterations + 1)
        right = fitted(Corrected, X, K, kind, resp, iterations)
        e = far(spread, kind, post, right)
        claims.check(max(e) <= TOL, f'{name}, {kind}: scikit-learn with the right expectation, {iterations} iterations: '
                     f'{words}{", ".join(f"{x:.1e}" for x in e)} (limit {TOL:g})')
        against_numpy(claims, prog, name, kind, X, K, resp, iterations, post)
    model = exported(claims, prog, name, kind, post, Columns(X, K, kind).left_out())
    prior = [(key, getattr(model, key), getattr(right, key)) for key in sorted(vars(model)) if key.endswith('_prior_')]
    claims.check(len(prior) == 5 and all(np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-12, atol=1e-12 * spread.max())
                                         for _, a, b in prior), f'{name}, {kind}: export has the prior as there')
    theirs = fitted(steps.Seeded, X, K, kind, resp, ITERATIONS[-1])
    e = far(spread, kind, post, theirs)
    claims.note(f'{name}, {kind}: from scikit-learn as it is: {words}{", ".join(f"{x:.1e}" for x in e)}')
    r = np.load(prog.file('q.npy'))
    claims.note(f'{name}, {kind}: its predict_proba with our attributes: {np.abs(model.predict_proba(X) - r).max():.1e}')


def check(claims, prog):
    faithful = steps.table(os.path.join(steps.HERE, 'data', 'faithful.csv'))
    for kind in ('diag', 'spherical'):
        one(claims, prog, 'iris', kind, load_iris().data, 3)
        one(claims, prog, 'faithful', kind, faithful, 2)
        one(claims, prog, 'faithful, more components', kind, faithful, 5)
        one(claims, prog, 'generated', kind, check_empirical.generated(), 3)


if __name__ == '__main__':
    main(check)

#!/usr/bin/python3
"""check_tied.py PROGRAM: mixtures with --covariance-type tied, with default priors. The model written out
in numpy agrees after any number of iterations from the same responsibilities to 1e-8: posterior, bound,
densities and responsibilities, of rows with gaps too. scikit-learn's BayesianGaussianMixture divides the
rows of all components by K, which is no posterior of its own model; with `_estimate_wishart_tied` replaced
by the sums of all rows it agrees to 1e-8. With many rows and a flat prior the means, weights and covariance
are those of its GaussianMixture. One component is that of full covariances. `export` has scikit-learn's
shapes and numbers."""
import json
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import warnings

import jsonschema
import numpy as np
from scipy.special import digamma, gammaln, logsumexp, multigammaln
from sklearn.datasets import load_iris
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

import check_columns
import check_empirical
import check_gaps
import check_sklearn as steps
from harness import main

TOL = 1e-8
ITERATIONS = [1, 10, 200]


class Tied(check_gaps.Full):
    """Lambda ~ Wishart(nu, W), means N(m_k, 1/(beta_k Lambda)): (alpha, beta, m, W^-1, nu), the last two of
    all components."""

    def __init__(self, X, K):
        super().__init__(X, K)
        if not np.isnan(X).any():
            self.S0 = np.cov(X.T)

    def prior(self):
        one = np.ones(self.K)
        return one / self.K, one, np.tile(self.m0, (self.K, 1)), self.S0, float(self.D)

    def each(self, par):
        """The same with a matrix for each component, which the densities of given components need."""
        alpha, beta, m, S, nu = par
        return alpha, beta, m, np.tile(S, (self.K, 1, 1)), np.full(self.K, nu)

    def step(self, R, par=None):
        alpha0, beta0, m0, S0, nu0 = self.prior()
        _, _, m, S, nu = par or self.prior()
        P, n = nu * np.linalg.inv(S), R.sum(axis=0)
        first, second = np.zeros((self.K, self.D)), np.zeros((self.D, self.D))
        for j, x in enumerate(self.X):
            for k in range(self.K):
                full, cov = self.complete(x, m[k], P) if np.isnan(x).any() else (x, 0)
                z = full - self.m0
                first[k] += R[j, k] * z
                second += R[j, k] * (np.outer(z, z) + cov)
        beta = beta0 + n
        shift = first / beta[:, None]
        scatter = S0 + second - (beta[:, None, None] * shift[:, :, None] * shift[:, None, :]).sum(axis=0)
        return alpha0 + n, beta, self.m0 + shift, scatter, nu0 + n.sum()

    def log_rho(self, par, X):
        alpha, beta, m, S, nu = par
        if np.isnan(X).any():
            return super().log_rho(self.each(par), X)
        W = np.linalg.inv(S)
        det = digamma((nu - np.arange(self.D)) / 2).sum() + self.D * np.log(2) + np.linalg.slogdet(W)[1]
        square = np.array([np.einsum('ij,jl,il->i', X - m[k], nu * W, X - m[k]) for k in range(self.K)]).T
        return digamma(alpha) - digamma(alpha.sum()) + (
            det - self.D * check_gaps.LN_2PI - self.D / beta - square) / 2

    def divergence(self, par):
        """KL(posterior || prior): of the weights, the one precision, and the means given it."""
        alpha, beta, m, S, nu = par
        alpha0, beta0, m0, S0, nu0 = self.prior()
        D, W = self.D, np.linalg.inv(S)
        det, det0 = np.linalg.slogdet(S)[1], np.linalg.slogdet(S0)[1]
        log_det = digamma((nu - np.arange(D)) / 2).sum() + D * np.log(2) - det
        total = gammaln(alpha.sum()) - gammaln(alpha).sum() - gammaln(alpha0.sum()) + gammaln(alpha0).sum()
        total += (alpha - alpha0) @ (digamma(alpha) - digamma(alpha.sum()))
        total += (nu * det - nu0 * det0 - (nu - nu0) * D * np.log(2)) / 2 - multigammaln(nu / 2, D) \
            + multigammaln(nu0 / 2, D) + ((nu - nu0) * log_det + nu * (np.trace(S0 @ W) - D)) / 2
        ratio, far = beta0 / beta, m - m0
        return total + .5 * (D * (ratio - 1 - np.log(ratio)) + beta0 * nu * np.einsum('ki,ij,kj->k', far, W, far)).sum()

    def log_predictive(self, par, X):
        return super().log_predictive(self.each(par), X)

    def left_out(self):
        """What scikit-learn's bound has not: the prior's normaliser and that of the rows' density."""
        alpha0, beta0, _, S0, nu0 = self.prior()
        wishart = multigammaln(nu0 / 2, self.D) - self.D * (self.D - 1) / 4 * np.log(np.pi) \
            + nu0 / 2 * (self.D * np.log(2) - np.linalg.slogdet(S0)[1])
        return gammaln(alpha0).sum() - gammaln(alpha0.sum()) + wishart - self.D / 2 * np.log(beta0).sum() \
            + len(self.X) * self.D / 2 * np.log(2 * np.pi)

    def shown(self, par, post, k):
        spread = np.sqrt(np.diag(check_gaps.available(self.X)[1]))
        unit = np.outer(spread, spread)
        return {'means': np.abs((np.array(post['means']) - par[2][k]) / spread).max(),
                'mean precision': np.abs(np.array(post['mean_precision']) / par[1][k] - 1).max(),
                'scatter': np.abs((np.array(post['w_inverse']) - par[3]) / unit).max() / par[4],
                'covariance': np.abs((np.array(post['covariances']) - par[3] / par[4]) / unit).max(),
                'degrees of freedom': abs(post['degrees_of_freedom'] / par[4] - 1),
                'prior': np.abs((np.array(post['prior']['w_inverse']) - self.S0) / unit).max()}


class Right(steps.Seeded):
    """scikit-learn with the posterior of one Wishart distribution."""

    def _estimate_wishart_tied(self, nk, xk, sk):
        D = xk.shape[1]
        far = xk - self.mean_prior_
        self.degrees_of_freedom_ = self.degrees_of_freedom_prior_ + nk.sum()
        weight = nk * self.mean_precision_prior_ / self.mean_precision_
        self.covariances_ = (self.covariance_prior_ + sk * nk.sum() + (weight * far.T) @ far) / self.degrees_of_freedom_
        assert self.covariances_.shape == (D, D)


def fitted(cls, X, K, resp, iterations):
    model = cls(n_components=K, covariance_type='tied', tol=0, reg_covar=0, max_iter=iterations,
                weight_concentration_prior_type='dirichlet_distribution')
    model.start = resp
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return model.fit(X)


def far(spread, post, model):
    """Largest differences from a model of scikit-learn, in the columns' standard deviations."""
    k, unit, prior = np.lexsort(model.means_.T[::-1]), np.outer(spread, spread), post['prior']
    return [np.abs(np.array(post['weights']) - model.weights_[k]).max(),
            np.abs((np.array(post['means']) - model.means_[k]) / spread).max(),
            np.abs((np.array(post['covariances']) - model.covariances_) / unit).max(),
            abs(post['degrees_of_freedom'] / model.degrees_of_freedom_ - 1),
            np.abs(np.array(post['mean_precision']) / model.mean_precision_[k] - 1).max(),
            np.abs((np.array(prior['w_inverse']) - model.covariance_prior_) / unit).max(),
            np.abs((np.array(prior['means']) - model.mean_prior_) / spread).max(),
            abs(prior['degrees_of_freedom'] / model.degrees_of_freedom_prior_ - 1)]


def exported(claims, prog, name, post, X, right, left_out):
    prog.run('export', '--posterior', 'p.json', '--out', 'm.npz')
    model = BayesianGaussianMixture(covariance_type='tied', weight_concentration_prior_type='dirichlet_distribution')
    with np.load(prog.file('m.npz')) as archive:
        model.__dict__.update(archive)
    del model.feature_names_in_  # X has no names
    cov, D, unit = np.array(post['covariances']), X.shape[1], X.std(axis=0)
    good = model.covariances_.shape == (D, D) \
        and np.allclose(unit[:, None] * model.precisions_ @ cov / unit, np.eye(D), atol=1e-9) \
        and np.allclose(model.precisions_cholesky_ @ model.precisions_cholesky_.T, model.precisions_, rtol=1e-12) \
        and np.shape(model.degrees_of_freedom_) == () and model.degrees_of_freedom_ == post['degrees_of_freedom']
    claims.check(good, f'{name}: export has the covariance, its precision and factor, and one number of degrees of freedom')
    claims.check(abs(model.lower_bound_ - post['bound'] - left_out) <= TOL * abs(post['bound']),
                 f'{name}: lower_bound_ is ours without the normalisers of prior and rows')
    prior = [(key, getattr(model, key), getattr(right, key)) for key in sorted(vars(model)) if key.endswith('_prior_')]
    claims.check(len(prior) == 5 and all(np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-12, atol=1e-12 * np.abs(b).max())
                                         for _, a, b in prior), f'{name}: export has the prior as there')
    e = np.abs(model.predict_proba(X) - np.load(prog.file('q.npy'))).max()
    claims.check(e <= TOL, f'{name}: its predict_proba with our attributes: {e:.1e} (limit {TOL:g})')


def one(claims, prog, name, X, K):
    resp, spread = steps.start(prog, X, K), X.std(axis=0, ddof=1)
    words = 'weights, means, covariance, degrees of freedom, mean precision, prior '
    np.save(prog.file('x.npy'), X)
    for iterations in ITERATIONS:
        check_gaps.iterated(claims, prog, name, 'tied', X, resp, iterations)
        post, right = prog.json('p.json'), fitted(Right, X, K, resp, iterations)
        e = far(spread, post, right)
        claims.check(max(e) <= TOL, f'{name}: scikit-learn with the sums of all rows, {iterations} iterations: '
                     f'{words}{", ".join(f"{x:.1e}" for x in e)} (limit {TOL:g})')
    exported(claims, prog, name, post, X, right, Tied(X, K).left_out())
    theirs = fitted(steps.Seeded, X, K, resp, ITERATIONS[-1])
    claims.note(f'{name}: from scikit-learn as it is: {words}{", ".join(f"{x:.1e}" for x in far(spread, post, theirs))}')


def like_full(claims, prog, name, X):
    """One component: only rounding is different."""
    posts = []
    for kind in ('full', 'tied'):
        check_columns.program(prog, 1, kind, 5)
        posts.append(prog.json('p.json'))
    full, tied = posts
    e = [abs(tied['bound'] / full['bound'] - 1), np.abs(np.array(tied['means']) - full['means']).max(),
         np.abs(np.array(tied['w_inverse']) / np.array(full['w_inverse'])[0] - 1).max(),
         abs(tied['degrees_of_freedom'] - full['degrees_of_freedom'][0])]
    claims.check(max(e) <= 1e-10, f'{name}: one component is that of full covariances: ' + ', '.join(f'{x:.1e}' for x in e))


def files(claims, prog):
    """Those of a posterior and of a genesis are as their schemas say, and say so of no other form."""
    prog.run('genesis', '--data', 'x.csv', '--n-components', 2, '--covariance-type', 'tied', '--out', 'g.json')
    for name, schema in (('p.json', 'posterior'), ('g.json', 'genesis')):
        with open(os.path.join(steps.HERE, '..', '..', 'docs', schema + '.schema.json'), encoding='utf-8') as f:
            good = jsonschema.Draft7Validator(json.load(f))
        own, other = prog.json(name), prog.json(name)
        other['covariance_type'] = 'full'
        claims.check(good.is_valid(own) and not good.is_valid(other), f'{schema}: the file has the form of its schema')


def many_rows(claims, prog):
    """Clouds of one shape: what the prior and the uncertainty of the parameters change falls as 1/rows."""
    rng, rows = np.random.default_rng(8), 100000
    shape = np.array([[1, 0, 0], [.7, .5, 0], [-.3, .2, .4]])
    X = rng.normal(size=(rows, 3)) @ shape.T + np.array([[0, 0, 0], [4, 0, 1], [0, 5, -2]])[rng.integers(3, size=rows)]
    resp = steps.start(prog, X, 3)
    prog.run('fit', '--data', 'x.csv', '--n-components', 3, '--init', 'responsibilities:r.csv', '--covariance-type',
             'tied', '--prior.alpha0', 1, '--prior.beta0', 1e-9, '--prior.nu0', 2.5, '--prior.w0inv', 1e-6, '--tol', 1e-12, '--rounds', 300, '--out', 'p.json')
    post = prog.json('p.json')
    model = GaussianMixture(3, covariance_type='tied', tol=1e-12, reg_covar=0, max_iter=300,
                            weights_init=resp.mean(axis=0), means_init=(resp.T @ X) / resp.sum(axis=0)[:, None]).fit(X)
    k = np.lexsort(model.means_.T[::-1])
    e = [np.abs(np.array(post['weights']) - model.weights_[k]).max(), np.abs(np.array(post['means']) - model.means_[k]).max(),
         np.abs(np.array(post['covariances']) - model.covariances_).max()]
    claims.check(max(e) <= 20 / rows, f'GaussianMixture in {rows} rows: weights, means, covariance ' +
                 ', '.join(f'{x:.1e}' for x in e) + f' (limit {20 / rows:g})')


def with_gaps(claims, prog):
    rng, iris = np.random.default_rng(3), load_iris().data.copy()
    iris[rng.random(iris.shape) < 0.3] = np.nan
    hard = np.eye(3)[np.arange(len(iris)) * 3 // len(iris)]
    R = 0.7 * hard + 0.3 * rng.dirichlet(np.ones(3), len(iris))
    check_gaps.write(prog, iris, R)
    for iterations in check_gaps.ITERATIONS:
        check_gaps.iterated(claims, prog, 'iris, 30 % missing', 'tied', iris, R, iterations)


def check(claims, prog):
    check_gaps.MODELS['tied'] = Tied
    faithful = steps.table(os.path.join(steps.HERE, 'data', 'faithful.csv'))
    for name, X, K in (('iris', load_iris().data, 3), ('faithful', faithful, 2), ('faithful, more components', faithful, 5),
                       ('generated', check_empirical.generated(), 3)):
        one(claims, prog, name, X, K)
    steps.start(prog, faithful, 1)
    like_full(claims, prog, 'faithful', faithful)
    files(claims, prog)
    many_rows(claims, prog)
    with_gaps(claims, prog)


if __name__ == '__main__':
    main(check)

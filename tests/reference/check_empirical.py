#!/usr/bin/python3
"""check_empirical.py PROGRAM: with its default prior, --prior empirical, `meshbayes fit` equals
scikit-learn's BayesianGaussianMixture with all of its defaults (weight_concentration_prior_type
"dirichlet_distribution", reg_covar 0) from the same responsibilities: weights, means, covariances
and priors within 1e-8, and the lower bound within 1e-8 nats of max(1, |bound|) after the constant
that scikit-learn leaves out has been added."""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import csv
import warnings

import numpy as np
from scipy.special import gammaln
from sklearn.datasets import load_iris

import check_sklearn as steps
from harness import main

TOL = 1e-8
ITERATIONS = [1, 10, 200]


def generated():
    """Three correlated groups in columns of very different units, some far from 0."""
    rng = np.random.default_rng(11)
    unit, offset = np.array([1, 1e-6, 1e4, 30]), np.array([0, 1e-4, -2e6, 500])
    groups = [rng.normal(size=(n, 4)) @ rng.normal(size=(4, 4)) + 4 * rng.normal(size=4)
              for n in (150, 80, 40)]
    return np.vstack(groups) * unit + offset


def sets():
    """(name, X, K, whole weights or None)."""
    faithful = steps.table(os.path.join(steps.HERE, 'data', 'faithful.csv'))
    weights = np.random.default_rng(5).integers(1, 4, len(faithful))
    return [('iris', load_iris().data, 3, None), ('faithful', faithful, 2, None),
            ('faithful, more components', faithful, 5, None),
            ('generated', generated(), 3, None),
            ('faithful with row weights', faithful, 2, weights)]


def theirs(X, K, resp, weights, iterations):
    """scikit-learn has no weights: a row of weight 2 is there twice."""
    often = np.ones(len(X), int) if weights is None else weights
    model = steps.Seeded(n_components=K, tol=0, reg_covar=0, max_iter=iterations,
                         weight_concentration_prior_type='dirichlet_distribution')
    model.start = np.repeat(resp, often, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return model.fit(np.repeat(X, often, axis=0))


def constant(model, K, D, rows):
    """What the variational bound has and scikit-learn's leaves out: the prior's normalisers, and
    that of the rows' density."""
    a0, b0, nu0 = (model.weight_concentration_prior_, model.mean_precision_prior_,
                   model.degrees_of_freedom_prior_)
    logdet = np.linalg.slogdet(model.covariance_prior_)[1]
    wishart = nu0 / 2 * logdet - nu0 * D / 2 * np.log(2) - gammaln((nu0 - np.arange(D)) / 2).sum()
    return (gammaln(K * a0) - K * gammaln(a0) + K * wishart + K * D / 2 * np.log(b0) -
            rows * D / 2 * np.log(2 * np.pi))


def ours(prog, K, weights, iterations):
    args = ['fit', '--data', 'x.csv', '--n-components', K, '--init', 'responsibilities:r.csv',
            '--tol', 0, '--rounds', iterations + 1, '--out', 'p.json', '--trace', 't.csv']
    prog.run(*args, *(['--weight-column', 'w'] if weights is not None else []))
    with open(prog.file('t.csv')) as f:
        bounds = [float(line['mean']) for line in csv.DictReader(f)
                  if line['metric'] == 'lower_bound_sklearn']
    return prog.json('p.json'), bounds[iterations - 1]


def one(claims, prog, name, X, K, weights):
    resp, rows = steps.start(prog, X, K), len(X) if weights is None else weights.sum()
    if weights is not None:
        columns = [f'v{d}' for d in range(X.shape[1])] + ['w']
        prog.write_csv('x.csv', columns, np.column_stack([X, weights]).tolist())
    for iterations in ITERATIONS:
        model = theirs(X, K, resp, weights, iterations)
        p, bound = ours(prog, K, weights, iterations)
        k = np.lexsort(model.means_.T[::-1])
        spread = np.sqrt(np.diag(model.covariance_prior_))
        scale = np.outer(spread, spread)
        prior = p['prior']
        error = {
            'weights': np.abs(np.array(p['weights']) - model.weights_[k]).max(),
            'means': np.abs((np.array(p['means']) - model.means_[k]) / spread).max(),
            'covariances': np.abs((np.array(p['covariances']) - model.covariances_[k]) / scale).max(),
            'prior': max(np.abs((np.array(prior['w_inverse']) - model.covariance_prior_) / scale).max(),
                         np.abs((np.array(prior['means']) - model.mean_prior_) / spread).max(),
                         np.abs(np.array(prior['degrees_of_freedom']) -
                                model.degrees_of_freedom_prior_).max(),
                         np.abs(np.array(prior['mean_precision']) - model.mean_precision_prior_).max(),
                         np.abs(np.array(prior['weight_concentration']) -
                                model.weight_concentration_prior_).max()),
            'bound': abs(bound - model.lower_bound_ - constant(model, K, X.shape[1], rows)) /
            max(1, abs(bound))}
        claims.check(max(error.values()) <= TOL, f'{name}, {iterations} iterations: ' + ', '.join(
            f'{what} {e:.1e}' for what, e in error.items()) + f' (limit {TOL:g})')


def check(claims, prog):
    for data in sets():
        one(claims, prog, *data)


if __name__ == '__main__':
    main(check)

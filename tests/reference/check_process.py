#!/usr/bin/python3
"""check_process.py PROGRAM: mixtures with --weight-concentration-prior-type dirichlet_process and default
priors against scikit-learn's BayesianGaussianMixture of that type from the same responsibilities: posterior,
bound, responsibilities and exported attributes to 1e-8. Where scikit-learn's E-step is not that of its own
posterior (diag, spherical) one M-step, and the corrected E-step of check_columns.py."""
import numpy as np
from sklearn.datasets import load_iris
from sklearn.mixture import BayesianGaussianMixture

import check_columns
import check_empirical
import check_sklearn as steps
from harness import main

TOL = 1e-8
ITERATIONS = [1, 10, 200]


def theirs(X, K, kind, resp, iterations):
    return check_columns.fitted(check_columns.Corrected, X, K, kind, resp, iterations,
                                'dirichlet_process')


def one(claims, prog, name, X, K, kind):
    resp, spread = steps.start(prog, X, K), X.std(axis=0, ddof=1)
    for iterations in ITERATIONS:
        prog.run('fit', '--data', 'x.csv', '--n-components', K, '--init', 'responsibilities:r.csv', '--covariance-type', kind,
                 '--weight-concentration-prior-type', 'dirichlet_process', '--tol', 0, '--rounds', iterations + 1,
                 '--trace', 't.csv', '--out', 'p.json')
        post, model = prog.json('p.json'), theirs(X, K, kind, resp, iterations)
        a, b = model.weight_concentration_
        ours = np.array(post['weight_concentration'])
        unit = np.outer(spread, spread) if kind == 'full' else spread ** 2 if kind == 'diag' else (spread ** 2).mean()
        error = {'a': np.abs(ours[:, 0] / a - 1).max(), 'b': np.abs(ours[:, 1] / b - 1).max(),
                 'weights': np.abs(np.array(post['weights']) - model.weights_).max(),
                 'means': np.abs((np.array(post['means']) - model.means_) / spread).max(),
                 'covariances': np.abs((np.array(post['covariances']) - model.covariances_) / unit).max()}
        prog.run('predict', '--posterior', 'p.json', '--data', 'x.csv', '--what', 'responsibilities', '--out', 'q.npy')
        error['responsibilities'] = np.abs(np.load(prog.file('q.npy')) - model.predict_proba(X)).max()
        prog.run('export', '--posterior', 'p.json', '--out', 'm.npz')
        same = BayesianGaussianMixture(covariance_type=kind, weight_concentration_prior_type='dirichlet_process')
        with np.load(prog.file('m.npz')) as archive:
            same.__dict__.update(archive)
        error['exported'] = max(np.abs(same.weight_concentration_ / np.array([a, b]) - 1).max(),
                                abs(float(same.weight_concentration_prior_) * K - 1))
        claims.check(max(error.values()) <= TOL, f'{name}, {kind}: {iterations} iterations: ' + ', '.join(
            f'{what} {e:.1e}' for what, e in error.items()) + f' (limit {TOL:g})')
        if kind == 'full' and iterations == ITERATIONS[-1]:  # its formula holds where the steps have ended
            _, log_resp = model._e_step(X)
            bound = model._compute_lower_bound(log_resp, None)
            gap = abs(float(same.lower_bound_) - bound)
            claims.check(gap <= TOL * abs(bound), f'{name}, {kind}: lower_bound_ is its bound at the end: {gap:.1e}')
    with open(prog.file('t.csv')) as f:
        bounds = np.array([float(line.split(',')[3]) for line in f if ',bound,' in line])
    claims.check(len(bounds) > 5 and (np.diff(bounds) >= -1e-11 * abs(bounds[-1])).all(), f'{name}, {kind}: the bound never falls')


def check(claims, prog):
    faithful = steps.table(steps.os.path.join(steps.HERE, 'data', 'faithful.csv'))
    for kind in ('full', 'diag', 'spherical'):
        one(claims, prog, 'iris', load_iris().data, 4, kind)
        one(claims, prog, 'faithful', faithful, 6, kind)
        one(claims, prog, 'generated', check_empirical.generated(), 5, kind)


if __name__ == '__main__':
    main(check)

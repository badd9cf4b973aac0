#!/usr/bin/python3
"""check_export.py PROGRAM: `meshbayes export` writes every attribute that scikit-learn's estimators
have after fit, with their values: an estimator that is given them predicts as the program does, and
lower_bound_ and the rest are those of scikit-learn fitted from the same start and prior."""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import json
import warnings

import numpy as np
from sklearn.linear_model import BayesianRidge
from sklearn.mixture import BayesianGaussianMixture

import check_sklearn as steps
from harness import main

SAME = 1e-8


def attributes(estimator):
    """Names of what fit has set."""
    return set(vars(estimator)) - set(estimator.get_params())


def error(a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    return (np.abs(a - b) / np.maximum(1, np.abs(b))).max() if a.shape == b.shape else np.inf


def given(prog, estimator, name):
    with np.load(prog.file(name)) as archive:
        estimator.__dict__.update(archive)
    return estimator


def mixture(claims, prog, name, X, K):
    """From the same responsibilities to rest. Components are matched by their means."""
    resp = steps.start(prog, X, K)
    prior = steps.priors(X, K)[1]
    args = ['fit', '--data', 'x.csv', '--n-components', K, '--init', 'responsibilities:r.csv',
            '--tol', 1e-10, '--rounds', 20000, '--out', 'p.json']
    for key, value in prior[6].items():
        args += ['--' + key, value]
    prog.run(*args)
    prog.run('export', '--posterior', 'p.json', '--out', 'm.npz')
    ours = given(prog, BayesianGaussianMixture(), 'm.npz')
    theirs = steps.estimator(K, prior, resp, max_iter=20000, tol=1e-13)
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        theirs.fit(X)
    missing = attributes(theirs) - attributes(ours) - {'start'}
    claims.check(not missing, f'{name}: every attribute is there; missing: {sorted(missing)}')
    order = [int(np.abs(theirs.means_ - m).sum(axis=1).argmin()) for m in ours.means_]
    for key in sorted(attributes(theirs) - {'start', 'n_iter_'}):
        want = getattr(theirs, key)
        if np.ndim(want) and np.shape(want)[0] == K and not key.endswith('prior_'):
            want = want[order]
        e = error(getattr(ours, key), want)
        claims.check(e <= 1e-5, f'{name}: {key} is that of the same fit there to {e:.1e}')
    e = abs(ours.lower_bound_ - theirs.lower_bound_) / len(X)
    claims.check(e <= SAME, f'{name}: lower_bound_ has their constant, to {e:.1e} nats a row')
    claims.check(ours.converged_.dtype == bool and ours.converged_ and ours.n_iter_.dtype == np.int64
                 and ours.n_iter_ == prog.json('p.json')['rounds'] and ours.n_features_in_ == X.shape[1],
                 f'{name}: converged_ and counts have their types')
    with open(prog.file('x.csv')) as f:
        head = f.readline().strip().split(',')
    claims.check(ours.feature_names_in_.dtype.kind == 'U' and list(ours.feature_names_in_) == head,
                 f'{name}: feature_names_in_ are the columns')
    del ours.feature_names_in_  # X has no names
    prog.run('predict', '--posterior', 'p.json', '--data', 'x.csv', '--what', 'responsibilities', '--out', 'r.npy')
    e = np.abs(ours.predict_proba(X) - np.load(prog.file('r.npy'))).max()
    claims.check(e <= SAME, f'{name}: predict_proba is that of the program to {e:.1e}')
    score = json.loads(prog.run('score', '--posterior', 'p.json', '--data', 'x.csv', '--density', 'expected', '--json'))
    e = abs(ours.score_samples(X).mean() - score['mean_log_density'])
    claims.check(e <= SAME, f'{name}: score_samples, too, to {e:.1e}')
    claims.check(ours.sample(5)[0].shape == (5, X.shape[1]), f'{name}: sample works')


def old_file(claims, prog):
    """A posterior without what newer files say of the run."""
    post = prog.json('p.json')
    for key in ('verdict', 'bound', 'weight_total'):
        del post[key]
    with open(prog.file('old.json'), 'w') as f:
        json.dump(post, f)
    prog.run('export', '--posterior', 'old.json', '--out', 'old.npz')
    names = set(np.load(prog.file('old.npz')).files)
    claims.check(names == set(np.load(prog.file('m.npz')).files) - {'converged_', 'lower_bound_'},
                 'an older file gives all but converged_ and lower_bound_')


def posterior(X, y, L0, m0, a0, b0):
    """The conjugate posterior, written out: Lambda, m, a, b."""
    L = L0 + X.T @ X
    m = np.linalg.solve(L, L0 @ m0 + X.T @ y)
    b = b0 + (y @ y + m0 @ L0 @ m0 - m @ L @ m) / 2
    return L, m, a0 + len(y) / 2, b


def evidence(X, y, L0, m0, a0, b0):
    """ln p(y | X) of the conjugate model."""
    from scipy.special import gammaln
    L, _, a, b = posterior(X, y, L0, m0, a0, b0)
    return (np.linalg.slogdet(L0)[1] - np.linalg.slogdet(L)[1]) / 2 + a0 * np.log(b0) - a * np.log(b) \
        + gammaln(a) - gammaln(a0) - len(y) / 2 * np.log(2 * np.pi)


def regression(claims, prog):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 3)) * [1, 4, .5] + [3, -20, 0]
    y = X @ [1.5, -.25, 2] + 4 + .3 * rng.normal(size=80)
    np.savetxt(prog.file('y.csv'), np.column_stack([X, y]), delimiter=',', header='µ,b,c,y', comments='',
               encoding='utf-8')
    theirs = BayesianRidge(compute_score=True).fit(X, y)
    prog.run('fit', '--model', 'linreg', '--target-column', 'y', '--data', 'y.csv', '--prior.lambda0', .25,
             '--prior.a0', 2, '--prior.b0', .5, '--prior.m0', 0, '--out', 'q.json')
    prog.run('export', '--posterior', 'q.json', '--out', 'q.npz')
    ours = given(prog, BayesianRidge(), 'q.npz')
    missing = attributes(theirs) - attributes(ours)
    claims.check(not missing, f'regression: every attribute is there; missing: {sorted(missing)}')
    one = np.column_stack([np.ones(80), X])
    prior = (np.eye(4) / 4, np.zeros(4), 2.0, .5)
    L, m, a, b = posterior(one, y, *prior)
    want = {'coef_': m[1:], 'intercept_': m[0], 'alpha_': a / b, 'lambda_': .25 * a / b,
            'sigma_': np.linalg.inv(L)[1:, 1:] * b / a, 'X_offset_': X.mean(axis=0), 'X_scale_': np.ones(3),
            'scores_': [evidence(one, y, *prior)], 'n_features_in_': 3}
    for key, value in want.items():
        e = error(getattr(ours, key), value)
        claims.check(e <= SAME, f'regression: {key} to {e:.1e}')
    claims.check(list(ours.feature_names_in_) == ['µ', 'b', 'c'], 'regression: names in UTF-8')
    del ours.feature_names_in_
    prog.run('predict', '--posterior', 'q.json', '--data', 'y.csv', '--what', 'mean', '--out', 'mean.npy')
    e = error(ours.predict(X), np.load(prog.file('mean.npy'))[:, 0])
    claims.check(e <= SAME, f'regression: predict is that of the program to {e:.1e}')
    prog.run('fit', '--model', 'linreg', '--target-column', 'y', '--data', 'y.csv', '--intercept', 'off', '--out', 'o.json')
    prog.run('export', '--posterior', 'o.json', '--out', 'o.npz')
    off = np.load(prog.file('o.npz'))
    claims.check('lambda_' not in off.files, 'no lambda_ where coefficients have precisions of their own')
    claims.check(off['intercept_'] == 0 and (off['X_offset_'] == 0).all(), 'without an intercept it is 0')


def check(claims, prog):
    for name, X, K in steps.sets()[1:]:
        mixture(claims, prog, name, X, K)
    old_file(claims, prog)
    regression(claims, prog)


if __name__ == '__main__':
    main(check)

#!/usr/bin/python3
"""check_estimators.py PROGRAM: scikit-learn's check_estimator on every estimator, but for what
estimator_checks.txt names with a reason; BayesianGaussianMixture beside scikit-learn's; networks."""
import os
import pickle
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from beside import PYTHON, excused, package
from harness import main

RNG = np.random.default_rng(3)
X = np.concatenate([RNG.normal(size=(n, 2)) * s + c for n, s, c in ((90, 1, 0), (60, .5, 7), (50, 1.5, -9))])


def every_check(claims, name, estimator, excuses):
    from sklearn.utils.estimator_checks import check_estimator
    passed, wrong, left = 0, [], set()
    for made, one in check_estimator(estimator, generate_only=True):
        what = one.func.__name__
        try:
            one(made)
            passed += 1
        except Exception as why:
            if type(why).__name__ == 'SkipTest':
                continue
            left.add((name, what))
            if (name, what) not in excuses:
                wrong.append(f'{what}: {type(why).__name__} {why}'[:300])
    stale = {e for e in excuses if e[0] == name and e[1].startswith('check_')} - left
    claims.check(not wrong and not stale and passed > 25,
                 f'{name}: {passed} checks of scikit-learn hold, {len(left)} are excused: {wrong} {stale}')


def beside_sklearn(claims, mb):
    from sklearn.mixture import BayesianGaussianMixture as Theirs
    for how in ('full', 'diag', 'spherical'):
        given = dict(n_components=3, covariance_type=how, random_state=1, tol=1e-9, max_iter=500,
                     weight_concentration_prior_type='dirichlet_distribution')
        ours, theirs = mb.BayesianGaussianMixture(**given).fit(X), Theirs(**given).fit(X)
        place = [int(np.argmin(np.abs(theirs.means_ - m).sum(1))) for m in ours.means_]
        # Their reg_covar, 1e-6, is added to variances of about 1.
        same = all(np.allclose(getattr(ours, a), np.asarray(getattr(theirs, a))[place], rtol=1e-5, atol=1e-5)
                   for a in ('weights_', 'means_', 'covariances_', 'weight_concentration_', 'mean_precision_'))
        claims.check(same and np.allclose(ours.predict_proba(X), theirs.predict_proba(X)[:, place], atol=1e-4),
                     f"{how}: attributes and probabilities are scikit-learn's")
        # Of others it takes the expected log determinant of full matrices.
        claims.check(how != 'full' or np.allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-4),
                     f'{how}: so are log densities of full matrices')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        defaults = {k: v for k, v in mb.BayesianGaussianMixture().get_params().items() if k != 'algorithm'}
    claims.check(defaults == Theirs().get_params(), "parameters and defaults are scikit-learn's")
    rows, component = ours.sample(50)
    claims.check(rows.shape == (50, 2) and np.all(np.diff(component) >= 0), 'a sample comes by component')


def on_networks(claims, mb):
    y = X @ [1., -2.] + RNG.normal(size=len(X))
    node = np.arange(len(X)) % 4
    for estimator, target in ((mb.BayesianMixture(n_components=3, random_state=0, n_jobs=-1), None),
                              (mb.BayesianLinearRegression(), y), (mb.BayesianLogisticRegression(), y > 0)):
        name = type(estimator).__name__
        estimator.fit(X, target, node=node, network='ring:n=4')
        claims.check(len(estimator.result_['agreement'].distance) == 4 and estimator.result_['agreement'].disagreement < 1e-3,
                     f'{name}: nodes of a network agree')
        again = pickle.loads(pickle.dumps(estimator))
        claims.check(np.array_equal(again.predict(X), estimator.predict(X)), f'{name}: it can be pickled')
    mean, sd = mb.BayesianLinearRegression().fit(X, y).predict(X, return_std=True)
    claims.check(np.mean(np.abs(y - mean) < 2 * sd) > .9, 'a regression says how sure it is')
    words = np.where(y > 0, 'high', np.where(y > -5, 'middle', 'low'))
    claims.check(mb.BayesianLogisticRegression().fit(X, words).score(X, words) > .8, 'classes are words')


def lazily(claims):
    ask = 'import meshbayes, sys; print("sklearn" in sys.modules); meshbayes.RobustMixture; print("sklearn" in sys.modules)'
    done = subprocess.run([sys.executable, '-c', ask], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=os.path.join(PYTHON, 'src')))
    claims.check(done.stdout.split() == ['False', 'True'], f'scikit-learn is loaded when it is needed{done.stderr}')


def check(claims, prog):
    mb = package(prog)
    warnings.simplefilter('ignore')
    excuses = excused()
    # In a thread of its own, where a fit needs no other one: they are hundreds.
    with ThreadPoolExecutor(1) as thread:
        for name in mb._ESTIMATORS:
            thread.submit(every_check, claims, name, getattr(mb, name)(), excuses).result()
    models = {getattr(mb, name)._model for name in mb._ESTIMATORS}
    # Rows of `mixed` are in groups, which no estimator has as yet: meshbayes.fit(groups=..) fits it.
    claims.check(models | {'mixed'} == set(mb.models()), f'every other model has an estimator: {sorted(models)}')
    beside_sklearn(claims, mb)
    on_networks(claims, mb)
    lazily(claims)


main(check)

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

from beside import PYTHON, excused, package, says
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


def by_formula(claims, mb):
    x = np.column_stack([X[:, 0], 1 + np.abs(X[:, 1])])
    y = x[:, 0] + 3 * np.log(x[:, 1]) + .1 * RNG.normal(size=len(x))
    text = '~ x1 + log(x2)'
    e = mb.BayesianLinearRegression(formula=text).fit(x, y)
    claims.check(np.allclose(e.coef_, [1, 3], atol=.1) and np.array_equal(pickle.loads(pickle.dumps(e)).predict(x), e.predict(x))
                 and e.score(x, y) > .99, 'a regression by a formula')
    c = mb.BayesianLogisticRegression(formula=text).fit(x, np.where(y > 3, 'high', 'low'))
    n = mb.BayesianPoissonRegression(formula=text).fit(x, np.floor(np.exp(y / 9)))
    claims.check(set(c.predict(x)) == {'high', 'low'} and c.score(x, np.where(y > 3, 'high', 'low')) > .8 and
                 np.all(n.predict(x) > 0), 'classes and counts, too')
    for estimator, column in ((mb.BayesianLinearRegression, y), (mb.BayesianLogisticRegression, y > 3),
                              (mb.BayesianPoissonRegression, np.floor(np.exp(y / 9))), (mb.HierarchicalRegression, y)):
        whole, what = np.column_stack([x, column]), 'predict_proba' if estimator is mb.BayesianLogisticRegression else 'predict'
        own, given = estimator(formula='x3 ~ x1 + log(x2)').fit(whole), estimator(formula=text).fit(x, column)
        claims.check(own.posterior_.targets == ['x3'] and np.array_equal(getattr(own, what)(whole), getattr(given, what)(x)),
                     f'{estimator.__name__}: the response of a formula is a column of an array')
    says(claims, 'a response that is another column than y', 'its response is "x2"; expected the target',
         mb.BayesianLinearRegression(formula='x2 ~ x1').fit, x, y)
    says(claims, 'a formula without a response and no y', 'y: got None', mb.BayesianLinearRegression(formula=text).fit, x)
    says(claims, 'a mixture has none', 'got a parameter "formula"', mb.BayesianMixture, formula=text, kind=TypeError)
    says(claims, 'covariances are not widened', "'reg_covar' should be 0 or 1e-6, but got 0.1", mb.BayesianGaussianMixture(reg_covar=.1).fit, X)


def by_group(claims, mb):
    site = RNG.permutation(np.repeat(np.arange(20), 6))
    x = RNG.normal(size=(120, 1))
    y = 1 + 2 * x[:, 0] + 2 * RNG.normal(size=20)[site] + .3 * RNG.normal(size=120)
    h = mb.HierarchicalRegression(mixed_varying='x1').fit(x, y, groups=site)
    own, new = h.predict(x, True, groups=site), h.predict(x, True)
    claims.check(h.n_groups_ == 20 and np.allclose(h.coef_, 2, atol=.3) and np.mean((own[0] - y)**2) < .2 < 1 < np.mean((new[0] - y)**2)
                 and np.all(own[1] < new[1]), 'effects of known groups are those of their rows, of new ones the distribution')
    claims.check(np.array_equal(h.predict(x[:2], groups=['a', 'b']), new[0][:2]), 'a group that is not known is new')
    order = np.argsort(site, kind='stable')
    p = mb.fit(x[order], y[order], model='mixed', groups=site[order], mixed_varying='x1').posterior
    claims.check(np.array_equal(p['coef'], h.coef_), 'rows need not be in the order of their groups')
    both = np.column_stack([x, site])
    k = mb.HierarchicalRegression(groups=1, mixed_varying='x1').fit(both, y, sample_weight=np.ones(120))
    claims.check(np.allclose(k.predict(both), own[0]) and k.score(both, y) > .9 and
                 np.array_equal(pickle.loads(pickle.dumps(k)).predict(both), k.predict(both)), 'a column of X has the groups')
    f = mb.HierarchicalRegression(formula='~ x1 + (1 + x1 | site)').fit(x, y, groups=site)
    claims.check(np.array_equal(f.predict(x, groups=site), own[0]), 'a formula says what varies')
    net = mb.HierarchicalRegression().fit(x, y, groups=site, node=site % 4, network='ring:n=4')
    claims.check(net.result_['agreement'].disagreement < 1e-3, 'groups of the nodes of a network')
    says(claims, 'groups of other rows', 'groups: got 3; expected 120', h.fit, x, y, groups=site[:3])
    for text, fitted, asked in (('floats', site.astype(float), site), ('whole numbers', site, site.astype(float)),
                                ('objects', np.array([4.0 if s == 4 else int(s) for s in site], object), site)):
        again = mb.HierarchicalRegression(mixed_varying='x1').fit(x, y, groups=fitted)
        claims.check(np.allclose(again.predict(x, groups=asked), own[0]), f'4 and 4.0 are one group: {text} are fitted')
    says(claims, 'groups of fewer rows than are predicted', 'groups: got 3; expected 120', h.predict, x, groups=site[:3])
    a = mb.HierarchicalRegression(formula='y ~ x1 + (1 + x1 | x2)').fit(both, y)
    claims.check(np.array_equal(a.predict(both), own[0]), 'a formula names the column of an array that has the groups')
    odd = np.arange(120) % 2 == 1
    w = mb.HierarchicalRegression().fit(x, np.where(odd, 1e3, y), sample_weight=1 - odd, groups=site)
    claims.check(np.array_equal(w.predict(x, groups=site), mb.HierarchicalRegression().fit(
        x[~odd], y[~odd], sample_weight=np.ones(60), groups=site[~odd]).predict(x, groups=site)), 'rows of weight 0 are not kept')
    says(claims, 'a column that is none', 'expected the place of a column of X', mb.HierarchicalRegression(groups='site').fit, x, y)


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
    claims.check(models == set(mb.models()), f'every model has an estimator: {sorted(models)}')
    beside_sklearn(claims, mb)
    on_networks(claims, mb)
    by_formula(claims, mb)
    by_group(claims, mb)
    lazily(claims)


main(check)

#!/usr/bin/python3
"""check_estimators.py PROGRAM: scikit-learn's check_estimator on every estimator, but for what
estimator_checks.txt names with a reason; BayesianGaussianMixture beside scikit-learn's; networks."""
import functools
import inspect
import io
import os
import pickle
import subprocess
import sys
import types
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from beside import PYTHON, Frame, Held, Other, every_frame, excused, others_read, package, refused, says
from harness import main

RNG = np.random.default_rng(3)
X = np.concatenate([RNG.normal(size=(n, 2)) * s + c for n, s, c in ((90, 1, 0), (60, .5, 7), (50, 1.5, -9))])


def rows_for(estimator):
    """X, or as counts where an estimator takes nothing else, which scikit-learn's checks leave out."""
    return X if '2darray' in estimator._get_tags()['X_types'] else np.floor(np.abs(X)) + [1, 0]


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
    claims.check(not wrong and not stale and (passed > 25 or rows_for(estimator) is not X),
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
        defaults = {k: v for k, v in mb.BayesianGaussianMixture().get_params().items() if k not in ('algorithm', 'missing')}
    claims.check(defaults == Theirs().get_params(), "parameters and defaults are scikit-learn's")
    rows, component = ours.sample(50)
    claims.check(rows.shape == (50, 2) and np.all(np.diff(component) >= 0), 'a sample comes by component')


def on_networks(claims, mb):
    y = X @ [1., -2.] + RNG.normal(size=len(X))
    site = np.arange(len(X)) // 5
    node, few = site % 4, np.floor(np.exp(y / 9)).clip(max=2)  # numbers, counts and classes
    for name, algorithm in ((name, algorithm) for name in mb._ESTIMATORS for algorithm in ('edge', 'tree')):
        estimator = getattr(mb, name)(algorithm=algorithm)
        known = {'n_components': 3, 'random_state': 0, 'n_jobs': -1}
        estimator.set_params(**{k: v for k, v in known.items() if k in estimator.get_params()})
        x = rows_for(estimator)
        estimator.fit(x, few, node=node, network='ring:n=4', **({'groups': site} if 'groups' in inspect.signature(estimator.fit).parameters else {}))
        found = estimator.result_['agreement']
        claims.check(len(found.distance) == 4 and found.disagreement < 1e-3, f'{name}: nodes of a network agree by {algorithm}')
        again = pickle.loads(pickle.dumps(estimator))
        says_of = 'predict' if hasattr(estimator, 'predict') else 'transform'
        claims.check(np.array_equal(getattr(again, says_of)(x), getattr(estimator, says_of)(x)), f'{name}: it can be pickled')
    for how in ({}, {'tol': 1e-9, 'max_iter': 5000}):
        m = mb.BayesianGaussianMixture(n_components=3, random_state=0, **how).fit(X, network='ring:n=4', node=node)
        one = mb.BayesianGaussianMixture(n_components=3, random_state=0, tol=1e-9, max_iter=5000).fit(X)
        claims.check(m.converged_ and m.result_['agreement'].disagreement < 1e-3 and
                     np.allclose(np.sort(m.means_, 0), np.sort(one.means_, 0), atol=.02),
                     f'BayesianGaussianMixture {how}: nodes agree about what one machine finds')
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        mb.BayesianMixture(n_components=2, random_state=0).fit(X[:90])
    claims.check(len(seen) == 1 and seen[0].filename == __file__, 'doubts are warnings at the line of the call')
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
    odd, whole = np.arange(len(x)) % 2, np.column_stack([x, np.arange(len(x)) // 20, y])
    for estimator, text in ((mb.BayesianLinearRegression, 'x4 ~ x1'), (mb.HierarchicalRegression, 'x4 ~ x1 + (1 | x3)')):
        fits = [refused(estimator(formula=text).fit, rows, sample_weight=odd) or estimator(formula=text).fit(rows, sample_weight=odd).coef_
                for rows in (whole, whole.tolist())]
        claims.check(np.array_equal(*fits), f'{estimator.__name__}: a list of rows has weights, by a formula: {fits}')
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
    says(claims, 'groups of other rows', 'groups: got 3; expected 120', mb.HierarchicalRegression().fit, x, y, groups=site[:3])
    for text, fitted, asked in (('floats', site.astype(float), site), ('whole numbers', site, site.astype(float)),
                                ('objects', np.array([4.0 if s == 4 else int(s) for s in site], object), site)):
        again = mb.HierarchicalRegression(mixed_varying='x1').fit(x, y, groups=fitted)
        claims.check(np.allclose(again.predict(x, groups=asked), own[0]), f'4 and 4.0 are one group: {text} are fitted')
    says(claims, 'groups of fewer rows than are predicted', 'groups: got 3; expected 120', h.predict, x, groups=site[:3])
    a = mb.HierarchicalRegression(formula='y ~ x1 + (1 + x1 | x2)').fit(both, y)
    claims.check(np.array_equal(a.predict(both), own[0]), 'a formula names the column of an array that has the groups')
    for frame in every_frame():
        held = {'site': site, 'dose': x[:, 0], 'y': y}
        f = mb.HierarchicalRegression(formula='y ~ dose + (1 + dose | site)').fit(frame(held))
        alone = frame({n: held[n] for n in ('dose', 'site')})
        claims.check(np.array_equal(f.predict(frame(held)), own[0]) and np.array_equal(f.predict(alone), own[0]) and
                     f.score(frame(held)) == f.score(alone, y) == h.score(x, y, groups=site) > .9 > f.score(frame({'dose': x[:, 0]}), y),
                     f'{frame.__module__}: predictions and scores take the group of the formula out of a frame')
        time = 1 + 9 * np.random.default_rng(4).random(120)
        count = np.random.default_rng(5).poisson(time * np.exp(.5 * x[:, 0])).astype(float)
        held = {'time': time, 'dose': x[:, 0], 'count': count}
        c = mb.BayesianPoissonRegression(formula='count ~ dose', exposure_column='time').fit(frame(held))
        same = mb.BayesianPoissonRegression(exposure_column='x1').fit(np.column_stack([time, x]), count)
        claims.check(np.array_equal(c.predict(frame(held)), same.predict(np.column_stack([time, x]))) and
                     np.allclose(c.predict(frame({**held, 'time': 2 * time})), 2 * same.predict(np.column_stack([time, x]))),
                     f'{frame.__module__}: counts in twice the time are twice as many')
    odd = np.arange(120) % 2 == 1
    w = mb.HierarchicalRegression().fit(x, np.where(odd, 1e3, y), sample_weight=1 - odd, groups=site)
    claims.check(np.array_equal(w.predict(x, groups=site), mb.HierarchicalRegression().fit(
        x[~odd], y[~odd], sample_weight=np.ones(60), groups=site[~odd]).predict(x, groups=site)), 'rows of weight 0 are not kept')
    says(claims, 'a column that is none', 'expected the place of a column of X', mb.HierarchicalRegression(groups='site').fit, x, y)


def of_others(claims, mb):
    """Rows of other packages, which have only __array__ or __dataframe__, are what they hold."""
    x = np.column_stack([X[:, 0], 1 + np.abs(X[:, 1]), np.arange(len(X)) // 20])
    y = x[:, 0] + 3 * np.log(x[:, 1]) + x[:, 2] % 3
    names, formula = ['x1', 'x2', 'x3', 'x4'], {'formula': 'x4 ~ x1 + log(x2)'}

    def learnt(estimator, rows, target):
        e = estimator.fit(rows, target)
        found = e.predict(rows), e.score(rows, target)
        return found if hasattr(e, 'n_groups_') else (*found, e.partial_fit(rows, target).predict(rows))

    for kind, hold, other in (('__array__', np.asarray, Held), ('__dataframe__', lambda a: Frame(dict(zip(names, a.T))), Other)):
        groups = {'groups': 2 if other is Held else 'x3'}
        for name, how, target in (
                ('BayesianMixture', {}, None), ('BayesianLinearRegression', {}, y), ('BayesianLinearRegression', formula, y),
                ('BayesianLogisticRegression', formula, y > 3), ('BayesianPoissonRegression', formula, np.floor(np.exp(y / 9))),
                ('HierarchicalRegression', {'formula': 'x4 ~ x1 + (1 | x3)'}, y), ('HierarchicalRegression', groups, y)):
            rows, target = (hold(np.column_stack([x, target])), None) if 'formula' in how else (hold(x), target)
            make = functools.partial(getattr(mb, name), **how)
            with others_read():
                why = refused(learnt, make(), other(rows), target)
                same = not why and all(map(np.array_equal, learnt(make(), other(rows), target), learnt(make(), rows, target)))
            claims.check(same, f'{name} {how}: rows that have only {kind} are read: {why}')


def from_the_list(claims, mb):
    """Classes and models, in both directions; what a class is, by what its model says of rows."""
    from meshbayes import _estimators as of, estimators
    from meshbayes._handle import known_models
    made = {m.estimator: m for m in known_models()}
    claims.check(set(made) == {m.estimator for m in known_models() if m.estimator} and len(made) == len(mb.models()),
                 f'every model names a class of its own: {sorted(made)}')
    fixed = set(estimators.__all__) - set(made)
    claims.check(mb._ESTIMATORS == estimators.__all__ and set(made) < set(estimators.__all__) and
                 fixed == {'BayesianGaussianMixture', 'BayesianPoissonRegression'},
                 f'the classes are those of the models, and two that fix options: {sorted(fixed)}')
    for name, model in made.items():
        cls, base = getattr(mb, name), getattr(mb, name).__mro__[1]
        answers = set(of._answers(model.name))
        claims.check(cls._model == model.name and cls.__module__ == 'meshbayes.estimators' and
                     model.title[1:] in cls.__doc__ and 'algorithm : default' in cls.__doc__ and
                     (base is of.Mixture) == ('responsibilities' in answers and not {'states', 'mean'} & set(answers)) and
                     (base is of.Sequences) == ('states' in answers and 'mean' not in answers) and
                     (base is of.Classification) == ('probabilities' in answers) and
                     (base is of.Factors) == ('scores' in answers) and (base is of.Topics) == ('topics' in answers) and
                     (base is of.GroupedRegression) == (model.groups == 'always' and 'mean' in answers) and
                     ('missing' in cls().get_params()) == (model.gaps == 'gaps' and 'mean' not in answers), f'{name}: a {base.__name__} by its row, documented')
    other = made['LatentClassMixture']._replace(name='lca', estimator='Other', title='one more')
    of.known_models, before = lambda: [other], of.known_models
    try:
        one = of.made()['Other'](n_components=2).fit(X)
    finally:
        of.known_models = before
    claims.check(one.predict_proba(X).shape == (len(X), 2), 'a row more is a class more')
    says(claims, 'a name that is none', 'has no attribute NoMixture', getattr, mb, 'NoMixture', kind=AttributeError)


def topics(claims, mb):
    """Counts as scikit-learn's LatentDirichletAllocation takes them, of documents without words and sparse, too."""
    from scipy import sparse
    rng = np.random.default_rng(1)
    beta = rng.dirichlet(np.full(12, .1), 3)
    counts = np.array([rng.multinomial(50, rng.dirichlet([.2] * 3) @ beta) for _ in range(60)])
    counts[7] = 0
    m = mb.LatentDirichletAllocation(n_components=3, random_state=0).fit(counts)
    shares = m.transform(counts)
    same = mb.LatentDirichletAllocation(n_components=3, random_state=0).fit_transform(sparse.csr_matrix(counts))
    claims.check(shares.shape == (60, 3) and np.allclose(shares.sum(1), 1) and np.allclose(shares[7], 1 / 3) and
                 np.array_equal(shares, same), 'shares of topics of each document, also of sparse counts')
    far = np.abs(m.components_[:, None] / m.components_.sum(1)[:, None, None] - beta).sum(-1).min(0)
    claims.check(m.components_.shape == (3, 12) and np.all(far < .2) and np.isclose(m.doc_topic_prior_, 1 / 3) and
                 np.isclose(m.components_.sum(), counts.sum() + 12) and 1 < m.perplexity(counts) < 12, f'topics are found: {far}')
    theirs = m.posterior_.to_sklearn().set_params(mean_change_tol=1e-10, max_doc_update_iter=5000)
    claims.check(np.allclose(theirs.transform(counts), shares, rtol=0, atol=1e-7), "scikit-learn's own class has the same shares")
    odd = np.arange(60) % 2
    half = mb.LatentDirichletAllocation(n_components=3, random_state=0).fit(counts, sample_weight=odd)
    claims.check(np.array_equal(half.components_, mb.LatentDirichletAllocation(n_components=3, random_state=0).fit(counts[odd == 1]).components_),
                 'a document of weight 0 is none')
    for wrong in (-1, .5):
        says(claims, f'{wrong} words', f'X: got {wrong}; expected counts, whole numbers from 0', m.fit, np.full((4, 3), wrong))
    says(claims, 'no words', 'X: got no words', m.fit, np.zeros((4, 3)))


def series(claims, mb):
    """Rows that are predicted follow those that were fitted."""
    rng = np.random.default_rng(5)
    x, level = rng.normal(size=(130, 1)), 50 + np.cumsum(rng.normal(size=130))
    y = level + 3 * x[:, 0] + .1 * rng.normal(size=130)
    e = mb.StructuralTimeSeries().fit(x[:120], y[:120])
    mean, sd = e.predict(x[120:], return_std=True)
    same = mb.StructuralTimeSeries().fit(x[:120], y[:120], groups=['a'] * 120).predict(x[120:], groups=['a'] * 10)
    claims.check(np.array_equal(mean, same) and abs(mean[0] - 3 * x[120, 0] - level[119]) < 1 and
                 np.all(np.diff(sd) > -1e-9) and np.all(abs(y[120:] - mean) < 4 * sd) and sd[0] < 3,
                 f'a series is continued, by less with each row: {mean[0]:.3f} {sd[[0, -1]]}')


def in_batches(claims, mb):
    """partial_fit: where the posterior is exact it is that of all rows, to rounding."""
    parts = np.array_split(np.random.default_rng(1).permutation(len(X)), 5)
    y = X @ [1., -2.] + np.random.default_rng(2).normal(size=len(X))
    words, counts, site = np.where(y > 0, 'high', np.where(y > -5, 'middle', 'low')), np.floor(np.exp(y / 9)), np.arange(len(X)) // 5

    def both(estimator, *target, batches=parts, **how):
        at_once, later = estimator(), estimator()
        at_once.fit(X, *target, **how)
        for k, part in enumerate(batches):
            given = {name: value[part] for name, value in how.items()}
            if k == 0 and estimator is mb.BayesianLogisticRegression:
                given['classes'] = np.unique(*target)
            later.partial_fit(X[part], *(t[part] for t in target), **given)
        return at_once, later

    weight = np.arange(len(X)) % 3.
    for how in ({}, {'sample_weight': weight}):
        a, b = both(mb.BayesianLinearRegression, y, **how)
        claims.check(np.allclose(a.coef_, b.coef_, rtol=1e-9) and np.allclose(a.predict(X, True), b.predict(X, True), rtol=1e-9) and
                     b.posterior_.rows == (len(X) if not how else np.count_nonzero(weight)), f'a linear regression in batches {list(how)} is that of all rows')
    prior = dict(n_components=1, mean_prior=[0, 0], mean_precision_prior=1, degrees_of_freedom_prior=2, covariance_prior=[1, 0, 0, 1])
    a, b = both(lambda: mb.BayesianMixture(**prior))
    claims.check(np.allclose(a.means_, b.means_, rtol=1e-9) and np.allclose(a.covariances_, b.covariances_, rtol=1e-9),
                 'so is one Gaussian, with a prior that is given')
    for name in ('BayesianGaussianMixture', 'BayesianMixture', 'RobustMixture', 'LatentClassMixture'):
        a, b = both(lambda: getattr(mb, name)(n_components=3, random_state=0))
        claims.check(b.posterior_.rows == len(X) and abs(a.score(X) - b.score(X)) < .15, f'{name} in batches is near it')
    a, b = both(mb.BayesianLogisticRegression, words)
    claims.check(list(b.classes_) == ['high', 'low', 'middle'] and abs(a.score(X, words) - b.score(X, words)) < .02, 'so are classes')
    says(claims, 'a class that is none', "y: got 'none'; expected one of high, low, middle", b.partial_fit, X[:1], ['none'])
    a, b = both(mb.BayesianPoissonRegression, counts)
    claims.check(np.allclose(a.coef_, b.coef_, atol=.01), 'so are counts')
    a, b = both(mb.HierarchicalRegression, y, batches=np.array_split(np.arange(len(X)), 4), groups=site)
    claims.check(np.allclose(a.coef_, b.coef_, atol=.05) and b.n_groups_ == 40 and
                 np.allclose(a.predict(X, groups=site), b.predict(X, groups=site), atol=.25), 'so are groups, which are all known')
    says(claims, 'a group again', 'groups: got 3 again; expected all rows of a group in one batch', b.partial_fit, X[:1], y[:1], groups=[3])
    a, b = (mb.HierarchicalRegression().fit(X, y) for _ in range(2))
    a.partial_fit(X[:10], y[:10], sample_weight=[0] * 3 + [1] * 7)
    claims.check(np.array_equal(a.coef_, b.partial_fit(X[3:10], y[3:10], sample_weight=[1] * 7).coef_) and
                 np.array_equal(a.coef_, a.partial_fit(X[:2], y[:2], sample_weight=[0, 0]).coef_) and
                 np.array_equal(a.coef_, a.partial_fit(X[:2], y[:2], sample_weight=[0, 0], groups=[8, 9]).coef_) and a.n_groups_ == 2, 'rows of weight 0 are none in a batch of groups')
    b.partial_fit(X, y, groups=site).partial_fit(X[:2], y[:2], sample_weight=[0, 0])
    claims.check(b.n_groups_ == 42 and b.fit(X, y, groups=site).n_groups_ == 40, f'each batch without groups is one group: {b.n_groups_}')
    for m in (mb.BayesianLinearRegression().fit(X, y), mb.BayesianMixture(n_components=2, random_state=0).fit(X)):
        says(claims, f'{type(m).__name__}: errors of a batch name the parameter', 'max_iter: got "-3"', m.set_params(max_iter=-3).partial_fit, X, y,
             place=('max_iter', -1, -1))
    again = mb.BayesianLinearRegression().partial_fit(X[:9], y[:9]).fit(X, y)
    claims.check(np.array_equal(again.coef_, mb.BayesianLinearRegression().fit(X, y).coef_), 'a fit begins anew')


def not_fitted(claims, mb):
    """After a fit that failed, which has set what scikit-learn's check of rows sets."""
    from sklearn.exceptions import NotFittedError
    for name in mb._ESTIMATORS:
        m, y = getattr(mb, name)(tol=-1), np.arange(len(X)) % 2
        x = rows_for(m)
        failed = refused(m.fit, x, y)
        asked = [call for call in ('predict', 'predict_proba', 'transform', 'score_samples', 'sample') if hasattr(m, call)]
        given = {call: () if call == 'sample' else (x,) for call in asked}
        found = {call: type(refused(getattr(m, call), *args)) for call, args in given.items()}
        claims.check(isinstance(failed, ValueError) and m.n_features_in_ == 2 and set(found.values()) == {NotFittedError},
                     f'{name}: a fit that failed leaves it unfitted: {failed} {found}')
        if hasattr(m, 'partial_fit'):
            claims.check(refused(m.set_params(tol=1e-3).partial_fit, x, y) is None, f'{name}: and the next batch is the first')
        again = refused(m.set_params(tol=-1).fit, x[:, :1], y + 1)
        left = [left for left in vars(m) if left.endswith('_') and left != 'n_features_in_']
        claims.check(isinstance(again, ValueError) and not left and isinstance(refused(m.score, x[:, :1], y), NotFittedError),
                     f'{name}: one that fails after another leaves nothing of that: {again} {left}')


def with_gaps(claims, mb):
    holes = np.where(np.arange(len(X))[:, None] % 7 == [0, 3], np.nan, X)
    for name in mb._ESTIMATORS:
        cls = getattr(mb, name)
        if 'missing' not in cls().get_params():
            says(claims, f'{name}: it bears no gaps', 'got a parameter "missing"', cls, missing='marginalise', kind=TypeError)
            continue
        m = cls(n_components=3, random_state=0, missing='marginalise')
        same = mb.fit(holes, **m._options(), model=cls._model).posterior
        found = getattr(m.fit(holes), 'predict' if hasattr(m, 'predict') else 'transform')(holes)
        claims.check(np.array_equal(found, same.predict(holes)) and np.isfinite(m.score(holes)) and
                     m._get_tags()['allow_nan'] and not cls()._get_tags()['allow_nan'], f'{name}: gaps are integrated out')
        says(claims, f'{name}: unless they are refused', 'contains NaN', cls().fit, holes)
        says(claims, f'{name}: infinity is none', 'infinity', m.fit, np.where(np.isnan(holes), np.inf, holes))
    says(claims, 'gaps are not dropped', "missing: got 'drop'; expected None or 'marginalise'", mb.BayesianMixture(missing='drop').fit, holes)


def as_tools(claims, mb):
    """What scikit-learn and joblib do with estimators: pipelines, searches, copies, other processes, names of columns."""
    import joblib
    from sklearn.base import clone
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    label = np.repeat([0, 1, 2], (90, 60, 50))
    for name in ('BayesianGaussianMixture', 'BayesianMixture'):
        m = getattr(mb, name)(random_state=0)
        found = GridSearchCV(m, {'n_components': [1, 2, 3]}, n_jobs=2 if name == 'BayesianMixture' else 1, cv=3).fit(X[np.argsort(X[:, 0] % 1)])
        claims.check(found.best_params_ == {'n_components': 3}, f'{name}: a search finds three components')
        copy = clone(m.set_params(n_components=3, algorithm='tree'))
        claims.check(copy.get_params() == m.get_params() and 'posterior_' not in vars(copy), f'{name}: a clone has the parameters alone')
        kept = io.BytesIO()
        joblib.dump(m.fit(X), kept)
        kept.seek(0)
        claims.check(np.array_equal(joblib.load(kept).predict_proba(X), m.predict_proba(X)), f'{name}: joblib keeps it')
        out = make_pipeline(StandardScaler(), clone(m), LogisticRegression())
        claims.check(out.fit(X, label).score(X, label) > .95, f'{name}: a step of a pipeline, whose columns are its probabilities')
        claims.check(list(m.get_feature_names_out()) == [f'{name.lower()}{k}' for k in range(3)], f'{name}: which have names')
    for frame in every_frame():
        rows = frame({'a': X[:, 0], 'b': X[:, 1]})
        m = mb.BayesianMixture(n_components=3, random_state=0).fit(rows)
        claims.check(list(m.feature_names_in_) == ['a', 'b'] and m.posterior_.columns == ['a', 'b'], f'{frame.__module__}: names of the columns')
        says(claims, f'{frame.__module__}: other ones', 'feature names', m.predict, frame({'b': X[:, 1], 'a': X[:, 0]}))
    class Held(types.SimpleNamespace):
        """What scikit-learn calls pandas.DataFrame with."""
        def __init__(self, data, index=None, columns=None, copy=None):
            super().__init__(data=data, columns=columns)

    there = sys.modules.get('pandas')
    sys.modules['pandas'] = types.SimpleNamespace(DataFrame=Held)
    try:
        whole = m.set_output(transform='pandas').transform(X)
    finally:
        sys.modules.pop('pandas')
        if there:
            sys.modules['pandas'] = there
    claims.check(isinstance(whole, Held) and list(whole.columns) == list(m.get_feature_names_out()) and
                 np.array_equal(whole.data, m.predict_proba(X)), 'set_output makes a frame of them')


def later_versions(claims, mb):
    """Stand-ins for what scikit-learn 1.6 calls, which is not installed."""
    import sklearn.base
    from sklearn.utils import validation
    seen = []

    def validate_data(estimator, X='no_validation', y='no_validation', reset=True, skip_check_array=False, ensure_all_finite=True, **how):
        seen.append(ensure_all_finite)
        if skip_check_array:
            sklearn.base.BaseEstimator._check_feature_names(estimator, X, reset=reset)
            sklearn.base.BaseEstimator._check_n_features(estimator, X, reset=reset)
            return X
        return sklearn.base.BaseEstimator._validate_data(estimator, X, y, reset, force_all_finite=ensure_all_finite, **how)

    def tags(self):
        return types.SimpleNamespace(input_tags=types.SimpleNamespace(allow_nan=False),
                                     target_tags=types.SimpleNamespace(multi_output=False, positive_only=False))
    validation.validate_data, sklearn.base.BaseEstimator.__sklearn_tags__ = validate_data, tags
    try:
        gaps = mb.BayesianMixture(n_components=2, missing='marginalise').fit(np.where(X > 6, np.nan, X))
        claims.check(seen == ['allow-nan'] and gaps.predict(X).shape == (len(X),), 'rows are checked by its function')
        y = np.abs(X[:, 0]).round()
        claims.check(mb.BayesianLinearRegression(formula='~ x1').fit(X, y).n_features_in_ == 2 and seen[-1] is True, 'and columns noted')
        said = [e.__sklearn_tags__() for e in (gaps, mb.BayesianLinearRegression(), mb.BayesianPoissonRegression())]
        claims.check([s.input_tags.allow_nan for s in said] == [True, False, False] and
                     [s.target_tags.multi_output for s in said] == [False, True, False] and
                     [s.target_tags.positive_only for s in said] == [False, False, True], 'tags are where it looks for them')
    finally:
        del validation.validate_data, sklearn.base.BaseEstimator.__sklearn_tags__


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
    from_the_list(claims, mb)
    beside_sklearn(claims, mb)
    on_networks(claims, mb)
    by_formula(claims, mb)
    by_group(claims, mb)
    of_others(claims, mb)
    series(claims, mb)
    topics(claims, mb)
    in_batches(claims, mb)
    not_fitted(claims, mb)
    with_gaps(claims, mb)
    as_tools(claims, mb)
    later_versions(claims, mb)
    lazily(claims)


main(check)

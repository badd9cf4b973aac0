#!/usr/bin/python3
"""check_mixtures.py PROGRAM: scikit-learn's own tests of its mixtures, of the installed package, on ours, but
for what estimator_checks.txt names with a reason; warm starts, words on the way, log densities; posteriors as
estimators of scikit-learn."""
import contextlib
import importlib
import io
import re
import sys
import types
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from beside import excused, package, refused, says
from harness import main

TESTS = ('test_bayesian_mixture', 'test_mixture')
RNG = np.random.default_rng(3)
X = np.concatenate([RNG.normal(size=(n, 2)) * s + c for n, s, c in ((90, 1, 0), (60, .5, 7), (50, 1.5, -9))])


@contextlib.contextmanager
def raises(kind, match=''):
    try:
        yield
    except kind as why:
        if not re.search(match, str(why)):
            raise AssertionError(f'got "{why}"; expected "{match}"') from why
        return
    raise AssertionError(f'raised nothing; expected {kind.__name__}')


def parametrize(names, values):
    names = [n.strip() for n in names.split(',')]

    def mark(test):
        test.cases = [dict(zip(names, v if len(names) > 1 else [v])) for v in values]
        return test
    return mark


class Marks:
    parametrize = staticmethod(parametrize)

    def __getattr__(self, name):
        """All others leave a test as it is."""
        return lambda *_, **__: lambda test: test


def pytest():
    """As much of pytest as these files ask for."""
    made = types.ModuleType('pytest')
    made.raises, made.fixture, made.mark = raises, Marks().fixture, Marks()
    return made


def their_tests(claims, ours):
    import sklearn.mixture
    sys.modules['pytest'], sklearn.mixture.BayesianGaussianMixture = pytest(), ours
    excuses = {test for name, test in excused() if name == ours.__name__}
    failed = set()
    for file in TESTS:
        module = importlib.import_module('sklearn.mixture.tests.' + file)
        for name in [n for n in vars(module) if n.startswith('test_')]:
            test = getattr(module, name)
            wrong = []
            for case in getattr(test, 'cases', [{}]):
                try:
                    test(**case)
                except Exception as why:
                    wrong.append(f'{type(why).__name__} {why} {case}'[:200])
            if wrong:
                failed.add(name)
            excuse = ', excused' if name in excuses else ''
            claims.check(not wrong or excuse, f'{file}: {name}{excuse}{": " if wrong else ""}{" ".join(wrong)}')
    known = {e for e in excuses if e.startswith('test_')}
    claims.check(known <= failed, f'what is excused does not hold: {known - failed}')


def warm_starts(claims, ours):
    m = ours(n_components=5, max_iter=1, random_state=1, warm_start=True)
    bounds = [m.fit(X).lower_bound_ for _ in range(5)]
    claims.check(all(b > a for a, b in zip(bounds, bounds[1:])) and m.n_iter_ == 1, f'a warm start goes on where the last fit ended: {bounds}')
    cold = ours(n_components=3, max_iter=3, random_state=1)
    claims.check(cold.fit(X).lower_bound_ == cold.fit(X).lower_bound_, 'without it each fit begins anew')


def progress(claims, ours):
    def said(**how):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            ours(n_components=3, random_state=1, max_iter=12, tol=0, **how).fit(X)
        return out.getvalue().splitlines()

    claims.check(said() == [], 'it prints nothing')
    claims.check(said(verbose=1, verbose_interval=5) == ['Initialization 0', '  Iteration 5', '  Iteration 10',
                                                       'Initialization converged: False'],
                 'verbose: iterations as scikit-learn prints them')
    claims.check(re.match(r'  Iteration 10\t time lapse \d+\.\d{5}s\t ll change \d+\.\d{5}$', said(verbose=2)[1]) is not None,
                 'verbose=2: their time and change')
    two = said(verbose=1, n_init=2)
    claims.check([w for w in two if 'nit' in w or 'best' in w][:3] == ['Initialization 0', 'Initialization 1',
                                                                      'The best of them:'], f'and initialisations: {two}')


def densities(claims, ours):
    """Of a form without matrices: sums over its own gamma distributions."""
    from scipy.special import digamma, logsumexp
    for how, members in (('diag', 1), ('spherical', X.shape[1])):
        m = ours(n_components=3, covariance_type=how, weight_concentration_prior_type='dirichlet_distribution').fit(X)
        shape = members * m.degrees_of_freedom_ / 2
        variance = m.covariances_ if how == 'diag' else m.covariances_[:, None].repeat(X.shape[1], 1)
        log_det = X.shape[1] * (digamma(shape) - np.log(shape)) - np.log(variance).sum(1)
        far = ((X[:, None] - m.means_) ** 2 / variance).sum(2) + X.shape[1] / m.mean_precision_
        share = digamma(m.weight_concentration_) - digamma(m.weight_concentration_.sum())
        want = logsumexp(share + (log_det - X.shape[1] * np.log(2 * np.pi) - far) / 2, axis=1)
        claims.check(np.allclose(m.score_samples(X), want, rtol=1e-12, atol=1e-12),
                     f'{how}: log densities have the log determinant of the form itself')


def converted(claims, mb):
    """Posteriors as fitted estimators of scikit-learn."""
    y = X @ [1., 2.] + RNG.normal(size=200)
    for process in ('dirichlet_distribution', 'dirichlet_process'):
        how = {'n_components': 3, 'weight_concentration_prior_type': process}
        for form in ('full', 'tied'):
            p = mb.fit(X, covariance_type=form, **how).posterior
            m = p.to_sklearn()
            far = max(abs(m.predict_proba(X) - p.predict_proba(X)).max(),
                      abs(m.score_samples(X) / p.score_samples(X, expected=True) - 1).max())
            claims.check(far < 1e-12 and np.array_equal(m.predict(X), p.predict(X)) and m.converged_
                         and m.get_params()['covariance_type'] == form and m.sample(3)[0].shape == (3, 2),
                         f'{form}, {process}: probabilities and densities of an estimator are those of the posterior: {far}')
        for form in ('diag', 'spherical'):
            says(claims, f'{form}, {process}', 'expected full or tied', mb.fit(X, covariance_type=form, **how).posterior.to_sklearn,
                 kind=TypeError)
    drawn = mb.fit(X, n_components=2, network='ring:n=4').node(2)
    claims.check(np.array_equal(drawn.to_sklearn().means_, drawn['means']) and not hasattr(drawn.to_sklearn(), 'feature_names_in_'),
                 'that of a node, too; columns of an array have no names')
    named = mb.fit(X, n_components=2, columns=['a', 'b']).posterior
    claims.check(list(named.to_sklearn().feature_names_in_) == ['a', 'b'], 'others have')
    for how, called in (({}, 'BayesianRidge'), ({'linreg_relevance': 'on'}, 'ARDRegression'), ({'intercept': False}, 'BayesianRidge')):
        p = mb.fit(X, y, model='linreg', **how).posterior
        m = p.to_sklearn()
        claims.check(type(m).__name__ == called and np.allclose(m.predict(X), p.predict(X), rtol=1e-12, atol=1e-12)
                     and m.predict(X[:2], return_std=True)[1].shape == (2,), f'a regression is {called}: {how}')
        sd, own = m.predict(X, return_std=True)[1], np.sqrt(p.predict(X, 'mean')[:, 1])
        known = own * np.sqrt(1 - 2 / p['degrees_of_freedom'])
        claims.check(np.allclose(sd, known, rtol=1e-12) if 'intercept' in how else np.all(sd < known) and np.all(sd > .97 * own),
                     f'its standard deviations, of inputs about 0, are those of a known noise and intercept: {how}')
    faded = np.column_stack([X, 1e3 * X[::-1, 0]])
    p = mb.fit(faded, y, model='linreg', linreg_relevance='on').posterior
    m, own = p.to_sklearn(), np.sqrt(p.predict(faded, 'mean')[:, 1])
    why = refused(m.predict, faded, return_std=True)
    claims.check(m.lambda_.max() > 1e4 and not why and np.allclose(m.predict(faded, return_std=True)[1], own, rtol=.02) and
                 not refused(m.fit, faded, y), f'standard deviations are also of inputs that fade: {why}')
    for words, x, target, how in (
            ('model tmm has no estimator', X, None, {'model': 'tmm'}), ('model glm has no estimator', X, y > 0, {'model': 'glm'}),
            ('has one target', X, np.column_stack([y, y + X[:, 0]]), {'model': 'linreg'}),
            ('columns that a formula', X, y, {'model': 'linreg', 'formula': '~ x1*x2'}),
            ('whole groups', X, None, {'groups': np.arange(200) // 2, 'gmm_unit': 'group', 'n_components': 2})):
        says(claims, 'what no estimator has', words, mb.fit(x, target, **how).posterior.to_sklearn, kind=TypeError)


def words(claims, ours):
    """Values and errors are those of scikit-learn's parameters."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture
    taken = GaussianMixture._parameter_constraints['init_params'][0].options
    for word in sorted(taken):
        m = ours(n_components=3, init_params=word, random_state=2, max_iter=500).fit(X)
        claims.check(m.converged_ and m.get_params()['init_params'] == word, f'init_params: {word}')
    says(claims, 'another word', 'init_params: got "foo", which is not known', ours(init_params='foo').fit, X, place=('init_params', -1, -1))
    says(claims, 'a number of iterations', 'max_iter: got "-1", which is out of range', ours(max_iter=-1).fit, X)
    says(claims, 'a sample of no row', 'n_samples: got 0; expected at least 1', ours(n_components=2).fit(X).sample, 0)
    for how, kind in (('dirichlet_process', tuple), ('dirichlet_distribution', np.ndarray)):
        m = ours(n_components=3, weight_concentration_prior_type=how).fit(X)
        claims.check(type(m.weight_concentration_) is kind, f'{how}: concentrations are a {kind.__name__}')
    for iterations, doubts in ((1, 1), (100, 0)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter('always')
            ours(n_components=3, max_iter=iterations).fit(X)
        claims.check([w.category for w in seen] == doubts * [ConvergenceWarning] and all(w.filename == __file__ for w in seen),
                     f'after {iterations} iterations {doubts} warning that it has not converged')


def check(claims, prog):
    mb = package(prog)
    ours = mb.BayesianGaussianMixture
    warnings.simplefilter('ignore')
    converted(claims, mb)   # before scikit-learn's own class is replaced
    # In a thread of its own, where a fit needs no other one: they are thousands.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(their_tests, claims, ours).result()
    for part in (warm_starts, progress, densities, words):
        part(claims, ours)
    says(claims, 'degrees of freedom', "'degrees_of_freedom_prior' should be greater than 1, but got 0.500",
         ours(degrees_of_freedom_prior=.5, covariance_type='diag').fit, X)


main(check)

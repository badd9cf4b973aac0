"""Estimators of scikit-learn, whose parameters come from the library's list of options.

Imported when one of them is asked for: scikit-learn is no need of the package itself.
"""
from __future__ import annotations

import inspect
import time
from typing import Any, Dict, Optional, Tuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, DensityMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ._fit import fit as _fit
from ._handle import Array, Handle, Option, Round, algorithms, options
from ._posterior import Posterior
from ._rows import Named, Taken, by_formula, is_frame, kind_of, pick, places, table, text_of

# Options that are arguments of fit, or that an estimator decides itself.
_NOT = ('target-column', 'linreg.targets', 'gmm.unit', 'glm.link', 'trace')
# Options of models that explain something.
_FORMULAS = ('formula', 'coding')
# What scikit-learn's check of rows sets, or takes away.
_CHECKED = ('feature_names_in_', 'n_features_in_')


def _default(o: Option) -> Any:
    """An option's default as Python has it."""
    if o.default in ('', 'auto'):
        return o.default or None
    return int(o.default) if o.type == 'integer' else float(o.default) \
        if o.type in ('real', 'auto') else o.default


def _parameters(model: str) -> Dict[str, Option]:
    """Parameters of an estimator: scikit-learn's name of an option where it has one."""
    found: Dict[str, Option] = {}
    known = options(model)
    explains = any(o.name == 'target-column' for o in known)
    for o in known:
        name = (o.sklearn or o.name).replace('-', '_').replace('.', '_')
        if o.owner in ('fit', model) and o.name not in _NOT and (explains or o.name not in _FORMULAS):
            found[name] = o
    return found


class _Estimator(BaseEstimator):
    """What all have in common. Subclasses say which model, what they fix, and their own defaults."""

    _model = 'gmm'
    _fixed: Dict[str, Any] = {}
    _own: Optional[Dict[str, Any]] = None   # parameters and defaults, if not those of the list
    _taken = False      # whether the response is a column of X
    _more: Dict[str, str] = {}  # parameters more, whose default is None, and what they are

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        if '_model' not in cls.__dict__:
            return
        known = _parameters(cls._model)
        values = dict(cls._own) if cls._own is not None else \
            {name: _default(o) for name, o in known.items()}
        if cls._own is None:
            values.update(random_state=None, n_jobs=None, **{name: None for name in cls._more})
        values['algorithm'] = 'edge'

        def __init__(self: Any, **given: Any) -> None:
            for name in given:
                if name not in values:
                    raise TypeError(f'{cls.__name__}: got a parameter "{name}"; expected one of '
                                    + ', '.join(values))
            for name, value in values.items():
                setattr(self, name, given.get(name, value))

        __init__.__signature__ = inspect.Signature(     # type: ignore[attr-defined]
            [inspect.Parameter('self', inspect.Parameter.POSITIONAL_OR_KEYWORD)]
            + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
               for name, value in values.items()])
        setattr(cls, '__init__', __init__)
        lines = [f'{name} : default {value!r}\n    '
                 + (known[name].help if name in known else cls._more.get(name, 'as scikit-learn has it'))
                 for name, value in values.items() if name != 'algorithm']
        lines.append('algorithm : default \'edge\'\n    of a network: ' + ', '.join(algorithms()))
        cls.__doc__ = (cls.__doc__ or '') + '\n\nParameters\n----------\n' + '\n'.join(lines) + '\n'

    def _options(self) -> Dict[str, Any]:
        """Parameters that differ from the defaults of the library, as options of a fit."""
        found = dict(self._fixed)
        for name, o in _parameters(self._model).items():
            value = getattr(self, name, None)
            if name == 'random_state':
                value = self._seed()
            if name == 'n_jobs' and value == -1:
                value = 0   # all that pay
            if value is not None and not isinstance(value, str) or value not in (None, o.default):
                found[o.name] = value
        return found

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2 ** 31 - 1)) \
            if self.random_state is not None else 0

    def _learn(self, X: Any, y: Any, weight: Any, node: Any, network: Any, **how: Any) -> Any:
        """Fits, and keeps the result."""
        if weight is not None:
            weight = _check_sample_weight(weight, X)
            keep = weight != 0      # a row of weight 0 is none: nor does it begin a component
            X, weight = _some(X, keep), weight[keep]
            y = y if y is None else np.asarray(y)[keep]
            node = node if node is None else np.asarray(node)[keep]
        options = {**self._options(), **self._begin(X)}
        found = _fit(X, Taken(y) if self._taken else y, model=self._model, sample_weight=weight, node=node, network=network,
                     algorithm=self.algorithm, progress=False,
                     columns=None if is_frame(X) else getattr(self, 'feature_names_in_', None),
                     **how, **options)
        self.posterior_: Posterior = found.posterior
        self.result_: Dict[str, Any] = {name: getattr(found, name) for name in
                                        ('verdict', 'rounds', 'bound', 'agreement', 'warnings')}
        self.converged_ = found.verdict == 'settled'
        for name, other in (('n_iter_', found.rounds), ('lower_bound_', found.bound)):
            try:
                other = self.posterior_['sklearn.' + name]
            except KeyError:
                pass
            setattr(self, name, max(1, int(other)) if name == 'n_iter_' else other)
        return self

    def _begin(self, X: Array) -> Dict[str, Any]:
        """What a fit to these rows is given besides its options."""
        return {}

    def _as_it_is(self, X: Any) -> bool:
        """Whether the library codes the columns, by a formula or because they are words."""
        return getattr(self, 'formula', None) is not None or (
            is_frame(X) and hasattr(X, 'columns') and any(getattr(t, 'kind', 'O') not in 'biuf' for t in X.dtypes))

    def _named(self, X: Any, y: Any, groups: Any = None) -> Named:
        """What the formula names of the columns of X, and what it leaves."""
        handle = Handle(self._model)
        if self.formula is not None:
            handle.option('formula', self.formula)
        columns = None if is_frame(X) else getattr(self, 'feature_names_in_', None)
        return by_formula(handle.list('formula'), X, y, groups, columns) if self.formula is not None \
            else Named(X, y, groups, columns, None)

    def _examples(self, X: Any, y: Any, **how: Any) -> Any:
        """Rows and targets that were checked; of a formula y may be a column of X."""
        self._taken = y is None
        if not self._as_it_is(X):
            return self._validate_data(X, y, dtype=[np.float64, np.float32], ensure_min_samples=2, **how)
        X, y = self._named(X, y)[:2]
        if y is None:
            raise ValueError('y: got None; expected the targets, or a formula whose response is a column of X')
        self._check_feature_names(X, reset=True)
        self._check_n_features(X, reset=True)
        return X, np.asarray(y)

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        if self._as_it_is(X):
            return X
        return self._validate_data(X, reset=False, dtype=[np.float64, np.float32])

    def __getattr__(self, name: str) -> Any:
        """Parameters of the posterior as scikit-learn has them: means_, coef_, covariances_ .."""
        if name.endswith('_') and name not in _CHECKED and 'posterior_' in self.__dict__:
            for key in ('sklearn.' + name, name[:-1]):
                try:
                    return self.posterior_[key]
                except KeyError:
                    pass
        raise AttributeError(f'{type(self).__name__} has no attribute "{name}"')


def _some(X: Any, keep: Array) -> Any:
    """Rows of an array or a frame."""
    return X.iloc[np.flatnonzero(keep) if keep.dtype == bool else keep] if is_frame(X) else X[keep]


def _labels(groups: Any, n: int) -> Tuple[Array, Array]:
    """The groups of n rows, as numbers in whose order they come and as texts."""
    code = places('groups', groups)
    if len(code) != n:
        raise ValueError(f'groups: got {len(code)}; expected {n}, as X has rows')
    return code, np.array([text_of(g) for g in np.asarray(groups).tolist()])


def _mean_and_sd(posterior: Posterior, out: Array, return_std: bool) -> Any:
    """Of the answer "mean": the means and, if asked for, the standard deviations."""
    names = posterior.predict_columns('mean')
    mean, variance = (out[:, [k for k, n in enumerate(names) if n.split('.')[0] == what]]
                      for what in ('mean', 'variance'))
    if mean.shape[1] == 1:
        mean, variance = mean[:, 0], variance[:, 0]
    return (mean, np.sqrt(variance)) if return_std else mean


class _Mixture(DensityMixin, _Estimator):
    """Mixtures: labels, probabilities, densities, samples."""

    _expected = False   # 1: densities as scikit-learn's mixtures have them

    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None, node: Any = None,
            network: Any = None) -> Any:
        """Fits to rows, of one machine or of the nodes of a network (as `meshbayes.fit`); y is not read."""
        X = self._validate_data(X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        self._check(X)
        return self._learn(X, None, sample_weight, node, network)

    def _check(self, X: Array) -> None:
        pass

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Labels of the rows that are fitted."""
        self.fit(X)
        return self.predict(X)

    def predict(self, X: Any) -> Array:
        """The most probable component of each row."""
        found: Array = self.posterior_.predict(self._rows(X)) if 'posterior_' in self.__dict__ else self._rows(X)
        return found

    def predict_proba(self, X: Any) -> Array:
        """The probability of each component, for each row."""
        X = self._rows(X)
        return self.posterior_.predict_proba(X)

    def score_samples(self, X: Any) -> Array:
        """The log density of each row, in nats."""
        X = self._rows(X)
        return self.posterior_.score_samples(X, expected=self._expected)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log density of a row, in nats."""
        return float(self.score_samples(X).mean())

    def sample(self, n_samples: int = 1) -> Any:
        """Rows of the predictive distribution, by component, and their components."""
        check_is_fitted(self)
        rows, component = self.posterior_.sample(n_samples, self._seed())
        order = np.argsort(component, kind='stable')
        return rows[order], component[order]


class BayesianGaussianMixture(_Mixture):
    """Mixture of Gaussians with the parameters, defaults and meaning of scikit-learn's.

    `tol` is compared with the change of the lower bound. reg_covar may be its default or 0, and any other
    value is refused: the prior keeps covariances positive, and covariance_prior widens them. A warm start begins with the probabilities of the rows at the
    posterior before. Of diag and spherical matrices lower bound and densities have the log determinant
    of their own family, where scikit-learn has that of full ones."""

    _expected = True
    _own = dict(n_components=1, covariance_type='full', tol=1e-3, reg_covar=1e-6, max_iter=100,
                n_init=1, init_params='kmeans', weight_concentration_prior_type='dirichlet_process',
                weight_concentration_prior=None, mean_precision_prior=None, mean_prior=None,
                degrees_of_freedom_prior=None, covariance_prior=None, random_state=None,
                warm_start=False, verbose=0, verbose_interval=10)
    _fixed = {'stop': 'bound', 'accelerate': 'off'}
    _model = 'gmm'

    def _check(self, X: Array) -> None:
        if self.reg_covar not in (0, 1e-6):
            raise ValueError(f"The parameter 'reg_covar' should be 0 or 1e-6, but got {self.reg_covar}: the prior "
                             'keeps covariances positive, and covariance_prior widens them.')
        if len(X) < self.n_components:
            raise ValueError(f'Expected n_samples >= n_components but got n_components = '
                             f'{self.n_components}, n_samples = {len(X)}')
        freedom = self.degrees_of_freedom_prior     # of all forms, as scikit-learn has it
        if freedom is not None and not freedom > X.shape[1] - 1:
            raise ValueError("The parameter 'degrees_of_freedom_prior' should be greater than "
                             f'{X.shape[1] - 1}, but got {freedom:.3f}.')

    def _begin(self, X: Array) -> Dict[str, Any]:
        found: Dict[str, Any] = {'callback': _Progress(self.verbose_interval, self.verbose)} if self.verbose else {}
        if self.warm_start and 'posterior_' in self.__dict__:
            found.update({'init': None, 'n-init': 1, 'responsibilities': self.posterior_.predict_proba(X)})
        return found

    def _learn(self, X: Any, y: Any, weight: Any, node: Any, network: Any, **how: Any) -> Any:
        before = self.__dict__.get('lower_bound_') if self.warm_start else None
        super()._learn(X, y, weight, node, network, **how)
        if before is not None and abs(self.lower_bound_ - before) < self.tol:
            self.converged_ = True
        if self.verbose:
            print('Initialization converged:', self.converged_)
        return self


class _Progress:
    """Prints initialisations and iterations, as scikit-learn does."""

    def __init__(self, interval: int, verbose: int) -> None:
        self.interval, self.verbose = interval, verbose
        self.attempt: Optional[int] = None
        self.bound = np.nan
        self.since = time.perf_counter()

    def __call__(self, now: Round) -> None:
        if now.attempt != self.attempt:
            again = now.attempt < 0 and self.attempt is not None
            print('The best of them:' if again else f'Initialization {max(now.attempt, 0)}')
            self.attempt = now.attempt
        if now.round % self.interval == 0:
            more = f'\t time lapse {time.perf_counter() - self.since:.5f}s\t ll change {now.bound - self.bound:.5f}'
            print(f'  Iteration {now.round}' + (more if self.verbose > 1 else ''))
            self.since = time.perf_counter()
        self.bound = now.bound


class BayesianMixture(_Mixture):
    """Mixture of Gaussians with the defaults of this library."""

    _model = 'gmm'


class RobustMixture(_Mixture):
    """Mixture of Student's t, which rows far out do not lead."""

    _model = 'tmm'


class LatentClassMixture(_Mixture):
    """Latent classes: columns are independent within a class."""

    _model = 'lca'


class BayesianLinearRegression(RegressorMixin, _Estimator):
    """Linear regression of one or several targets."""

    _model = 'linreg'

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, node: Any = None,
            network: Any = None) -> Any:
        """Fits to rows, of one machine or of the nodes of a network (as `meshbayes.fit`); y None: the
        response of the formula is a column of X."""
        X, y = self._examples(X, y, multi_output=True, y_numeric=True)
        return self._learn(X, y, sample_weight, node, network)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean of the targets of each row and, if asked for, the standard deviation."""
        X = self._rows(X)
        return _mean_and_sd(self.posterior_, self.posterior_.predict(X, 'mean'), return_std)

    def _more_tags(self) -> Dict[str, Any]:
        return {'multioutput': True}


class HierarchicalRegression(RegressorMixin, _Estimator):
    """Linear regression whose intercept, and the effects that `mixed_varying` or a formula names, vary by
    group, as of hospitals or patients. A row of a group that was fitted is predicted from the group's own
    rows, which the estimator keeps; of another group, or of none, from the distribution of groups."""

    _model = 'mixed'
    _more = {'groups': 'the column of X, by its name or place, that has the group of each row'}

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None, node: Any = None,
            network: Any = None) -> Any:
        """Fits to rows and the group of each: `groups`, a column of X that the parameter `groups` or the
        formula names, or one group of all. Rows need not be in order."""
        X, groups = self._split_groups(X, groups, True)
        if self._as_it_is(X):
            groups = self._named(X, y, groups).groups
        X, y = self._examples(X, y, y_numeric=True)
        order = np.arange(len(y))
        if groups is not None:
            code, groups = _labels(groups, len(y))
            order = np.argsort(code, kind='stable')
            if sample_weight is not None:
                sample_weight = _check_sample_weight(sample_weight, y)[order]
                keep = sample_weight != 0   # a row of weight 0 is none, nor kept
                order, sample_weight = order[keep], sample_weight[keep]
            groups = groups[order]
            X, y = _some(X, order), y[order]
            node = node if node is None else np.asarray(node)[order]
        self.n_groups_ = 1 if groups is None else len(np.unique(groups))
        self._learn(X, y, sample_weight, node, network, groups=groups)
        self._known = None if groups is None else (self._coded(X), y, groups)
        return self

    def _split_groups(self, X: Any, groups: Any, needed: bool) -> Any:
        """X without the column that the parameter `groups` names, and that column."""
        name = self.groups
        if name is None:
            return X, groups
        if is_frame(X):
            names = [str(c) for c in X.columns]
            if str(name) not in names and needed and groups is None:
                raise ValueError(f'groups: got no column "{name}"; expected one of ' + ', '.join(names))
            if str(name) not in names:
                return X, groups
            k = names.index(str(name))
            return X.iloc[:, [j for j in range(len(names)) if j != k]], X.iloc[:, k] if groups is None else groups
        X = np.asarray(X)
        if X.ndim != 2 or not isinstance(name, (int, np.integer)) or not -X.shape[1] <= name < X.shape[1]:
            raise ValueError(f'groups: got {name!r}; expected the place of a column of X')
        return np.delete(X, name, 1), X[:, name] if groups is None else groups

    def _coded(self, X: Any) -> Array:
        """The columns that were fitted as numbers, which can be kept and put together."""
        names = self.posterior_._inputs or self.posterior_.inputs
        rows: Array = np.asarray(table('x', pick(X, names), self.posterior_._levels[0]).x) if is_frame(X) else np.asarray(X)
        return rows

    def predict(self, X: Any, return_std: bool = False, *, groups: Any = None) -> Any:
        """The mean of the target of each row and, if asked for, the standard deviation. groups: of each
        row, where no column of X has them; None: of groups that are new, each row another one."""
        check_is_fitted(self)
        X, groups = self._split_groups(X, groups, False)
        if self.formula is not None:
            groups = self._named(X, None, groups).groups
        X = self._rows(X)
        asked = None if groups is None else _labels(groups, len(X))[1]
        if asked is None or self._known is None:
            return _mean_and_sd(self.posterior_, self.posterior_.predict(X, 'mean', groups=np.arange(len(X))), return_std)
        rows, y, known = self._known
        among = np.isin(known, asked)
        label = np.concatenate([known[among], asked])
        order = np.argsort(label, kind='stable')
        out = self.posterior_.predict(np.concatenate([rows[among], self._coded(X)])[order], 'mean',
                                      groups=label[order],
                                      y=np.concatenate([y[among], np.full(len(asked), np.nan)])[order])
        mine = np.empty_like(out)
        mine[order] = out
        return _mean_and_sd(self.posterior_, mine[-len(asked):], return_std)


class BayesianPoissonRegression(RegressorMixin, _Estimator):
    """Regression of counts, whose logarithm is linear."""

    _model = 'glm'
    _fixed = {'glm.link': 'poisson'}

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, node: Any = None,
            network: Any = None) -> Any:
        """Fits to counts: whole numbers from 0 up; y None: the response of the formula is a column of X."""
        X, y = self._examples(X, y, y_numeric=True)
        return self._learn(X, y, sample_weight, node, network)

    def predict(self, X: Any) -> Array:
        """The expected count of each row."""
        X = self._rows(X)
        return self.posterior_.predict(X)

    def _more_tags(self) -> Dict[str, Any]:
        return {'requires_positive_y': True}


class BayesianLogisticRegression(ClassifierMixin, _Estimator):
    """Logistic regression of two classes, softmax regression of more."""

    _model = 'glm'

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, node: Any = None,
            network: Any = None) -> Any:
        """Fits to classes: numbers or words; y None: the response of the formula is a column of X."""
        X, y = self._examples(X, y)
        check_classification_targets(y)
        self.classes_, place = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError('y: got 1 class; expected at least 2 classes')
        two = len(self.classes_) == 2
        kinds = {'y': kind_of([str(c) for c in self.classes_])}
        return self._learn(X, place.astype(np.float64), sample_weight, node, network, kinds=kinds,
                           glm_link='logistic' if two else 'multinomial')

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, for each row."""
        X = self._rows(X)
        return self.posterior_.predict_proba(X)

    def predict(self, X: Any) -> Array:
        """The most probable class of each row."""
        found: Array = self.classes_[self.predict_proba(X).argmax(1)] if 'posterior_' in self.__dict__ \
            else self._rows(X)
        return found


__all__ = ['BayesianGaussianMixture', 'BayesianLinearRegression', 'BayesianLogisticRegression',
           'BayesianMixture', 'BayesianPoissonRegression', 'HierarchicalRegression', 'LatentClassMixture',
           'RobustMixture']

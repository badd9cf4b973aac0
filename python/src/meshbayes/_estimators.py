"""Estimators of scikit-learn: what those of a mixture, a regression, a classification have in common, and
the classes that are made of the library's list of models. Parameters are those of its list of options."""
from __future__ import annotations

import contextlib
import functools
import inspect
import time
import warnings
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple, Type

import numpy as np
from sklearn.base import (BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, DensityMixin,
                          RegressorMixin, TransformerMixin)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ._compat import Tags, note_columns, validate
from ._fit import fit as _fit
from ._handle import (Array, Handle, MeshbayesError, Model, Option, Round, algorithms, depth, known_models,
                      options)
from ._posterior import Posterior
from ._rows import Named, Taken, by_formula, is_frame, kind_of, pick, places, rows_of, table, text_of

# Of the module where users find the classes.
_PUBLIC = 'meshbayes.estimators'
# Options of models that explain something.
_FORMULAS = ('formula', 'coding')
# What scikit-learn's check of rows sets, or takes away.
_CHECKED = ('feature_names_in_', 'n_features_in_')


def _anew(fit: Callable[..., Any]) -> Callable[..., Any]:
    """A fit that fails leaves no earlier answer, whose classes and columns would not be those of the attributes
    it has set."""
    @functools.wraps(fit)
    def whole(self: Any, *args: Any, **named: Any) -> Any:
        try:
            return fit(self, *args, **named)
        except BaseException:
            self._forget()
            raise
    return whole


def _is_switch(o: Option) -> bool:
    return o.choices in ('off|on', 'on|off')


def _default(o: Option) -> Any:
    """An option's default as Python has it."""
    if _is_switch(o):
        return o.default == 'on'
    if o.default in ('', 'auto'):
        return o.default or None
    return int(o.default) if o.type == 'integer' else float(o.default) \
        if o.type in ('real', 'auto') else o.default


@functools.lru_cache(maxsize=None)
def _model_of(name: str) -> Model:
    return next(m for m in known_models() if m.name == name)


@functools.lru_cache(maxsize=None)
def _answers(model: str) -> List[str]:
    """What a posterior of the model says of rows, which is how its estimators differ."""
    return [row[0] for row in Handle(model).list('answers')]


def _explains(model: str) -> bool:
    """Whether the model has a target."""
    return any(what in ('mean', 'probabilities') for what in _answers(model))


@functools.lru_cache(maxsize=None)
def _parameters(model: str) -> Dict[str, Option]:
    """Parameters of an estimator: scikit-learn's name of an option where it has one. Not among them are
    arguments of fit, and what an estimator decides itself."""
    decided = ['target-column', 'trace', _model_of(model).groups.split('=')[0],
               *(f'{model}.{name}' for name in ('targets', 'link', 'vocabulary'))]
    decided += [] if _explains(model) else _FORMULAS
    return {(o.sklearn or o.name).replace('-', '_').replace('.', '_'): o for o in options(model)
            if o.owner in ('fit', model) and o.name not in decided}


class Estimator(Tags, BaseEstimator):
    """What all have in common. Subclasses say which model, what they fix, and their own defaults."""

    _model: str
    _fixed: Dict[str, Any] = {}
    _own: Optional[Dict[str, Any]] = None   # parameters and defaults, if not those of the list
    _taken = False      # whether the response is a column of X
    _more: Dict[str, str] = {}  # parameters more, whose default is None, and what they are

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        if '_model' not in cls.__dict__:
            return
        known, more = _parameters(cls._model), dict(cls._more)
        if _model_of(cls._model).gaps and not _explains(cls._model):     # gaps of targets: scikit-learn refuses them
            more['missing'] = "NaN is refused; 'marginalise': it is a missing value, which is integrated out"
        values = dict(cls._own) if cls._own is not None else \
            {**{name: _default(o) for name, o in known.items()}, 'random_state': None, 'n_jobs': None}
        values.update({name: None for name in more}, algorithm=_model_of(cls._model).algorithm)

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
        more['algorithm'] = 'of a network: ' + ', '.join(algorithms())
        lines = [f'{name} : default {value!r}\n    '
                 + (known[name].help if name in known else more.get(name, 'as scikit-learn has it'))
                 for name, value in values.items()]
        cls.__doc__ = (cls.__doc__ or '') + '\n\nParameters\n----------\n' + '\n'.join(lines) + '\n'

    def _bears_gaps(self) -> bool:
        """Whether NaN is a missing value."""
        missing = getattr(self, 'missing', None)
        if missing not in (None, 'marginalise'):
            raise ValueError(f"missing: got {missing!r}; expected None or 'marginalise'")
        return missing is not None

    def _says(self) -> Dict[str, bool]:
        return {'allow_nan': getattr(self, 'missing', None) == 'marginalise'}

    def _checked(self, X: Any, y: Any = 'no_validation', **how: Any) -> Any:
        """Rows, and targets where they are given, as scikit-learn checks them."""
        return validate(self, rows_of('X', X), y, allow_nan=self._bears_gaps(), dtype=[np.float64, np.float32], **how)

    def _options(self) -> Dict[str, Any]:
        """Parameters that differ from the defaults of the library, as options of a fit."""
        found = dict(self._fixed)
        for name, o in _parameters(self._model).items():
            value = getattr(self, name, None)
            if name == 'random_state':
                value = self._seed()
            if name == 'n_jobs' and value == -1:
                value = 0   # all that pay
            if isinstance(value, str):      # "k-means++" and "random_from_data" are words of scikit-learn
                value = {_plain(word): word for word in o.words}.get(_plain(value), value)
            if value is not None and not isinstance(value, str) or value not in (None, o.default):
                found[o.name] = value
        return found

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2 ** 31 - 1)) \
            if self.random_state is not None else 0

    def _counted(self, X: Any, y: Any, weight: Any, node: Any = None) -> Any:
        """Rows with their targets, weights and nodes: one of weight 0 is none, nor does it begin a component."""
        if weight is None or not len(X):
            return X, y, weight, node
        weight = _check_sample_weight(weight, X)
        keep = weight != 0
        return (_some(X, keep), y if y is None else np.asarray(y)[keep], weight[keep],
                node if node is None else np.asarray(node)[keep])

    def _learn(self, X: Any, y: Any, weight: Any, node: Any, network: Any, **how: Any) -> Any:
        """Fits, and keeps the result."""
        X, y, weight, node = self._counted(X, y, weight, node)
        options = {**self._options(), **self._begin(X, network)}
        with self._in_its_words():
            found = _fit(X, Taken(y) if self._taken else y, model=self._model, sample_weight=weight, node=node,
                         network=network, algorithm=self.algorithm, progress=False,
                         columns=None if is_frame(X) else getattr(self, 'feature_names_in_', None),
                         **how, **options)
        return self._keep(found.posterior, found.rounds, found.warnings, found.agreement)

    @contextlib.contextmanager
    def _in_its_words(self) -> Iterator[None]:
        """Errors of an option have the parameter's name."""
        try:
            yield
        except MeshbayesError as why:
            name = next((name for name, o in _parameters(self._model).items() if o.name == why.option), None)
            head = f'{why.option}:'
            if name is None or not str(why).startswith(head):
                raise
            raise MeshbayesError(f'{name}:{str(why)[len(head):]}', name, why.row, why.column) from None

    def _learn_more(self, X: Any, y: Any, weight: Any, **how: Any) -> Any:
        """Adds rows to the posterior."""
        X, y, weight, _ = self._counted(X, y, weight)
        if not len(X):
            return self
        run = {o.name for o in _parameters(self._model).values() if o.owner == 'fit'} - {'formula', 'coding'}
        options = {name: value for name, value in self._options().items() if name in run}
        with self._in_its_words():
            found = self.posterior_._updated(X, y, sample_weight=weight, **how, options=options)
        return self._keep(found, found.rounds, found._handle.warnings(), None)

    def __sklearn_is_fitted__(self) -> bool:
        return 'posterior_' in self.__dict__

    def _keep(self, posterior: Posterior, rounds: int, said: List[str], agreement: Any) -> Any:
        """The attributes of a fitted estimator."""
        self.posterior_ = posterior
        self.result_: Dict[str, Any] = dict(verdict=posterior.verdict, rounds=rounds, bound=posterior.bound,
                                            agreement=agreement, warnings=said)
        before = self.__dict__.get('lower_bound_')
        for name, other in (('n_iter_', rounds), ('lower_bound_', posterior.bound)):
            try:
                other = self.posterior_['sklearn.' + name]
            except KeyError:
                pass
            setattr(self, name, max(1, int(other)) if name == 'n_iter_' else other)
        self.converged_ = posterior.verdict == 'settled' or self._stays(before)
        if not self.converged_:
            warnings.warn(f'{type(self).__name__} has not settled after {rounds} rounds; expected a larger max_iter or tol',
                          ConvergenceWarning, stacklevel=depth())
        return self

    def _forget(self) -> None:
        """No answer, as before the first fit."""
        for name in [name for name in self.__dict__ if name.endswith('_') and name not in _CHECKED]:
            delattr(self, name)

    def _stays(self, before: Optional[float]) -> bool:
        """Whether the bound of a fit before says that this one has ended."""
        return False

    def _begin(self, X: Array, network: Any) -> Dict[str, Any]:
        """What a fit to these rows is given besides its options."""
        return {}

    def _as_it_is(self, X: Any) -> bool:
        """Whether the library codes the columns, by a formula or because they are words."""
        return getattr(self, 'formula', None) is not None or (
            is_frame(X) and hasattr(X, 'columns') and any(getattr(t, 'kind', 'O') not in 'biuf' for t in X.dtypes))

    def _named(self, X: Any, y: Any, groups: Any = None) -> Named:
        """What the formula names of the columns of X, and what it leaves."""
        handle = Handle(self._model)
        for name, o in _parameters(self._model).items():
            if o.name == 'formula' or o.name.endswith('-column'):
                handle.option(o.name, getattr(self, name))
        columns = None if is_frame(X) else getattr(self, 'feature_names_in_', None)
        return by_formula(handle.named(), X, y, groups, columns) if self.formula is not None \
            else Named(X, y, groups, columns, None)

    def _examples(self, X: Any, y: Any, reset: bool = True, **how: Any) -> Any:
        """Rows and targets that were checked; of a formula y may be a column of X. reset: they are the first."""
        X, self._taken = rows_of('X', X), y is None
        if not self._as_it_is(X):
            return self._checked(X, y, reset=reset, ensure_min_samples=2 if reset else 1, **how)
        X, y = self._named(X, y).X, self._target(X, y)
        if reset:
            note_columns(self, X)
        return X, y

    def _target(self, X: Any, y: Any) -> Any:
        """The target that is given, or the column of X that the formula names."""
        y = y if y is not None else self._named(rows_of('X', X), y).y
        if y is None:
            raise ValueError('y: got None; expected the targets, or a formula whose response is a column of X')
        return np.asarray(y)

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        X = rows_of('X', X)
        return X if self._as_it_is(X) else self._checked(X, reset=False)

    def __getattr__(self, name: str) -> Any:
        """Parameters of the posterior as scikit-learn has them: means_, coef_, covariances_ .."""
        if name.endswith('_') and name not in _CHECKED and 'posterior_' in self.__dict__:
            for key in ('sklearn.' + name, name[:-1]):
                try:
                    return self.posterior_[key]
                except KeyError:
                    pass
        raise AttributeError(f'{type(self).__name__} has no attribute "{name}"')


def _plain(word: str) -> str:
    """A word of a choice without what joins its parts."""
    return word.replace('-', '').replace('_', '')


def _some(X: Any, keep: Array) -> Any:
    """Rows of an array, a list or a frame."""
    if is_frame(X):
        return X.iloc[np.flatnonzero(keep) if keep.dtype == bool else keep]
    return (np.asarray(X) if isinstance(X, (list, tuple)) else X)[keep]


def _labels(groups: Any, n: int) -> Tuple[Array, Array]:
    """The groups of n rows, as numbers in whose order they come and as texts."""
    code = places('groups', groups)
    if len(code) != n:
        raise ValueError(f'groups: got {len(code)}; expected {n}, as X has rows')
    return code, np.array([text_of(g) for g in np.asarray(groups).tolist()])


def _of_rows(groups: Any, X: Any, weight: Any = None) -> Dict[str, Any]:
    """The argument `groups` of a call with these rows, but those of weight 0, where it is given."""
    if groups is None:
        return {}
    label = _labels(groups, len(X))[1]
    return {'groups': label if weight is None else label[_check_sample_weight(weight, X) != 0]}


def _mean_and_sd(posterior: Posterior, out: Array, return_std: bool) -> Any:
    """Of the answer "mean": the means and, if asked for, the standard deviations."""
    names = posterior.predict_columns('mean')
    mean, variance = (out[:, [k for k, n in enumerate(names) if n.split('.')[0] == what]]
                      for what in ('mean', 'variance'))
    if mean.shape[1] == 1:
        mean, variance = mean[:, 0], variance[:, 0]
    return (mean, np.sqrt(variance)) if return_std else mean


class Unsupervised(DensityMixin, Estimator):
    """Its answers are densities of rows."""

    _expected = False   # True: densities as scikit-learn's mixtures have them

    @_anew
    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None, node: Any = None,
            network: Any = None) -> Any:
        """Fits to rows, of one machine or of the nodes of a network (as `meshbayes.fit`); y is not read."""
        X = self._checked(X, ensure_min_samples=2)
        self._check(X)
        return self._learn(X, None, sample_weight, node, network)

    def partial_fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Any:
        """Adds a batch of rows to those that were fitted; the first batch is a fit, whose prior holds for all.
        What is latent of a row is settled with its batch and stays: the order of batches matters, and all
        rows at once are fitted better."""
        if not self.__sklearn_is_fitted__():
            return self.fit(X, sample_weight=sample_weight)
        return self._learn_more(self._checked(X, reset=False), None, sample_weight)

    def _check(self, X: Array) -> None:
        pass

    def score_samples(self, X: Any) -> Array:
        """The log density of each row, in nats."""
        X = self._rows(X)
        return self.posterior_.score_samples(X, expected=self._expected)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log density of a row, in nats."""
        return float(self.score_samples(X).mean())


class Mixture(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Unsupervised):
    """Its answers are labels of rows, probabilities of components, densities and samples."""

    def fit_predict(self, X: Any, y: Any = None) -> Array:
        """Labels of the rows that are fitted."""
        self.fit(X)
        return self.predict(X)

    def predict(self, X: Any) -> Array:
        """The most probable component of each row."""
        X = self._rows(X)
        return self.posterior_.predict(X)

    def predict_proba(self, X: Any) -> Array:
        """The probability of each component, for each row."""
        X = self._rows(X)
        return self.posterior_.predict_proba(X)

    def transform(self, X: Any) -> Array:
        """The same, as columns for the next step of a pipeline; `set_output` makes them a frame."""
        return self.predict_proba(X)

    @property
    def _n_features_out(self) -> int:
        return len(self.posterior_.predict_columns('responsibilities'))

    def _draw(self, n_samples: int) -> Any:
        check_is_fitted(self)
        if n_samples < 1:
            raise ValueError(f'n_samples: got {n_samples}; expected at least 1')
        return self.posterior_.sample(n_samples, self._seed())

    def sample(self, n_samples: int = 1) -> Any:
        """Rows of the predictive distribution, by component, and their components."""
        rows, component = self._draw(n_samples)
        order = np.argsort(component, kind='stable')
        return rows[order], component[order]


class Sequences(Mixture):
    """Rows follow each other in sequences, as measurements of a sensor or a person: `groups` says of which each row
    is, all rows of one after the other; without it all rows are one sequence, or with `node` those of each node."""

    @_anew
    def fit(self, X: Any, y: Any = None, *, groups: Any = None, sample_weight: Any = None, node: Any = None,
            network: Any = None) -> Any:
        """Fits to sequences; y is not read."""
        X = self._checked(X, ensure_min_samples=2)
        return self._learn(X, None, sample_weight, node, network, **_of_rows(groups, X, sample_weight))

    def fit_predict(self, X: Any, y: Any = None, *, groups: Any = None) -> Array:
        """States of the rows that are fitted."""
        self.fit(X, groups=groups)
        return self.predict(X, groups=groups)

    def partial_fit(self, X: Any, y: Any = None, *, groups: Any = None, sample_weight: Any = None) -> Any:
        """Adds sequences to those that were fitted, without groups one; the first batch is a fit, whose prior holds
        for all."""
        if not self.__sklearn_is_fitted__():
            return self.fit(X, groups=groups, sample_weight=sample_weight)
        X = self._checked(X, reset=False)
        groups = np.zeros(len(X)) if groups is None else groups
        return self._learn_more(X, None, sample_weight, **_of_rows(groups, X, sample_weight))

    def predict(self, X: Any, *, groups: Any = None) -> Array:
        """The state of each row on the likeliest path of its sequence."""
        X = self._rows(X)
        return self.posterior_.predict(X, 'states', **_of_rows(groups, X)).astype(np.int64)

    def predict_proba(self, X: Any, *, groups: Any = None) -> Array:
        """The probability of each state of each row, given all rows of its sequence."""
        X = self._rows(X)
        return self.posterior_.predict_proba(X, **_of_rows(groups, X))

    def transform(self, X: Any, *, groups: Any = None) -> Array:
        """The same, as columns for the next step of a pipeline; `set_output` makes them a frame."""
        return self.predict_proba(X, groups=groups)

    def sample(self, n_samples: int = 1) -> Any:
        """Rows of a sequence of the predictive distribution, one after the other, and their states."""
        return self._draw(n_samples)

    def score_samples(self, X: Any, *, groups: Any = None) -> Array:
        """The log density of each row given those before it, in nats."""
        X = self._rows(X)
        return self.posterior_.score_samples(X, **_of_rows(groups, X))

    def score(self, X: Any, y: Any = None, *, groups: Any = None) -> float:
        """The mean log density of a row, in nats."""
        return float(self.score_samples(X, groups=groups).mean())


class Factors(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Unsupervised):
    """Its answers are scores of the factors behind each row, and densities. No batches are added: parts of its
    prior depend on each other, which those of a posterior do not."""

    @property
    def partial_fit(self) -> Any:
        raise AttributeError(f'{type(self).__name__} has no attribute "partial_fit"')

    def transform(self, X: Any) -> Array:
        """The expected values of the factors of each row, which may have gaps."""
        X = self._rows(X)
        return self.posterior_.predict(X, 'scores')

    @property
    def _n_features_out(self) -> int:
        return len(self.posterior_.predict_columns('scores'))


def _words(X: Any) -> Tuple[Array, Array]:
    """Counts of documents and terms as rows of a term and its count, and the document of each."""
    from scipy import sparse    # type: ignore[import]
    X = sparse.csr_matrix(X)
    document = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    keep = X.data != 0
    return np.column_stack([X.indices, X.data])[keep], document[keep]


class Topics(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """X has how often each term (a column) is in each document (a row), as scikit-learn has it: whole numbers, in
    an array, a frame or a sparse matrix. Its answers are shares of topics and densities of words. Weights and nodes
    are those of documents."""

    def _more_tags(self) -> Dict[str, Any]:
        return {**self._says(), 'X_types': ['2dcounts'], 'requires_positive_X': True}

    def _counts(self, X: Any, reset: bool) -> Any:
        X = validate(self, X, 'no_validation', accept_sparse='csr', dtype=np.float64, reset=reset)
        data = X.data if hasattr(X, 'indptr') else X
        wrong = np.flatnonzero((data < 0) | (data % 1 != 0))
        if len(wrong):
            raise ValueError(f'X: got {np.ravel(data)[wrong[0]]:g}; expected counts, whole numbers from 0')
        return X

    def _begin(self, X: Any, network: Any) -> Dict[str, Any]:
        names = getattr(self, 'feature_names_in_', range(self.n_features_in_))
        return {'kinds': [kind_of([str(n) for n in names]), 'count'], f'{self._model}.vocabulary': 0}

    @_anew
    def fit(self, X: Any, y: Any = None, *, sample_weight: Any = None, node: Any = None, network: Any = None) -> Any:
        """Fits to documents; y is not read."""
        X = self._counts(X, True)
        rows, document = _words(X)
        if not len(rows):
            raise ValueError('X: got no words; expected a count above 0')
        of = {name: None if x is None else np.asarray(x)[document]
              for name, x in (('weight', sample_weight), ('node', node))}
        return self._learn(rows, None, of['weight'], of['node'], network, groups=document.astype(str))

    def _learn(self, X: Any, y: Any, weight: Any, node: Any, network: Any, **how: Any) -> Any:
        if weight is not None:
            how['groups'] = how['groups'][np.asarray(weight) != 0]
        return super()._learn(X, y, weight, node, network, **how)

    def _of(self, X: Any, what: str) -> Tuple[Array, Array, Array, int]:
        """An answer for each document that has words, these, the words of each, and how many there are."""
        check_is_fitted(self)
        X = self._counts(X, False)
        rows, document = _words(X)
        found, count = np.unique(document), X.shape[0]
        words = np.bincount(document, rows[:, 1], count)
        out = self.posterior_.predict(rows, what, groups=document.astype(str)) if len(rows) else np.zeros((0, 1))
        return out, found, words, count

    def transform(self, X: Any) -> Array:
        """The expected shares of topics in each document; of one without words those of the prior."""
        out, found, _, count = self._of(X, 'topics')
        shares = np.full((count, self._n_features_out), 1 / self._n_features_out)
        shares[found] = np.reshape(out, (len(found), -1)) if len(found) else 0
        return shares

    def score_samples(self, X: Any) -> Array:
        """The log density of each document, each term given those before it, in nats."""
        out, found, _, count = self._of(X, 'group-density')
        density = np.zeros(count)
        density[found] = np.ravel(out)[:len(found)]
        return density

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log density of a word, in nats."""
        return float(self.score_samples(X).sum() / np.sum(self._counts(X, False)))

    def perplexity(self, X: Any) -> float:
        """exp of the negative score."""
        return float(np.exp(-self.score(X)))

    @property
    def _n_features_out(self) -> int:
        return len(self.posterior_.predict_columns('topics'))


class BayesianGaussianMixture(Mixture):
    """Mixture of Gaussians with the parameters, defaults and meaning of scikit-learn's.

    `tol` is compared with the change of the lower bound. reg_covar may be its default or 0, and any other
    value is refused: the prior keeps covariances positive, and covariance_prior widens them. A warm start begins with the probabilities of the rows at the
    posterior before. On a network `tol` is compared with how far a round moves the posterior, in its standard
    deviations, since no node knows the bound, and tol and max_iter are by default those of the library. Of diag and spherical matrices lower bound and densities have the log determinant
    of their own family, where scikit-learn has that of full ones."""

    _expected = True
    _own = dict(n_components=1, covariance_type='full', tol=1e-3, reg_covar=1e-6, max_iter=100,
                n_init=1, init_params='kmeans', weight_concentration_prior_type='dirichlet_process',
                weight_concentration_prior=None, mean_precision_prior=None, mean_prior=None,
                degrees_of_freedom_prior=None, covariance_prior=None, random_state=None,
                warm_start=False, verbose=0, verbose_interval=10)
    _fixed = {'stop': 'bound', 'accelerate': 'off'}
    _model = 'gmm'
    __module__ = _PUBLIC

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

    def _begin(self, X: Array, network: Any) -> Dict[str, Any]:
        found: Dict[str, Any] = {'callback': _Progress(self.verbose_interval, self.verbose)} if self.verbose else {}
        if self.warm_start and self.__sklearn_is_fitted__():
            found.update({'init': None, 'n-init': 1, 'responsibilities': self.posterior_.predict_proba(X)})
        if network is not None:     # no node knows the bound of all rows
            usual = self._own or {}
            found.update({'stop': None, 'accelerate': None, 'tol': None if self.tol == usual['tol'] else self.tol,
                          'rounds': None if self.max_iter == usual['max_iter'] else self.max_iter})
        return found

    def _stays(self, before: Optional[float]) -> bool:
        return bool(self.warm_start) and before is not None and abs(self.lower_bound_ - before) < self.tol

    def _learn(self, X: Any, y: Any, weight: Any, node: Any, network: Any, **how: Any) -> Any:
        super()._learn(X, y, weight, node, network, **how)
        if self.verbose:
            print('Initialization converged:', self.converged_)
        return self

    @property
    def weight_concentration_(self) -> Any:
        """Of a Dirichlet process two arrays, as scikit-learn has them."""
        found = self.__getattr__('weight_concentration_')
        return tuple(found) if found.ndim == 2 else found


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


class _Explained:
    """What explains a target, before scikit-learn's mixin."""

    _target: Any

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """As scikit-learn has it; y None: the response of the formula is a column of X."""
        found: float = super().score(X, self._target(X, y), sample_weight)  # type: ignore[misc]
        return found


class Regression(_Explained, RegressorMixin, Estimator):
    """Its answers are means of the target, or of several targets, with standard deviations."""

    @_anew
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, node: Any = None,
            network: Any = None) -> Any:
        """Fits to rows, of one machine or of the nodes of a network (as `meshbayes.fit`); y None: the
        response of the formula is a column of X."""
        X, y = self._examples(X, y, multi_output=self._several(), y_numeric=True)
        return self._learn(X, y, sample_weight, node, network)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Adds a batch of rows to those that were fitted; the first batch is a fit, whose prior holds for all.
        Linear regressions are those of all rows at once, others nearly."""
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y, sample_weight)
        X, y = self._examples(X, y, False, multi_output=self._several(), y_numeric=True)
        return self._learn_more(X, y, sample_weight)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean of the targets of each row and, if asked for, the standard deviation."""
        X = self._rows(X)
        return _mean_and_sd(self.posterior_, self.posterior_.predict(X, 'mean'), return_std)

    def _several(self) -> bool:
        """Whether there may be more targets than one."""
        return any(o.name == self._model + '.targets' for o in options(self._model))

    def _says(self) -> Dict[str, bool]:
        return {**super()._says(), 'multioutput': self._several()}


class GroupedRegression(_Explained, RegressorMixin, Estimator):
    """Rows are in groups, as of hospitals or patients: effects of the group are among what explains the target.
    A row of a group that was fitted is predicted from the group's own rows, which the estimator keeps; of
    another group, or of none, from the distribution of groups."""

    _more = {'groups': 'the column of X, by its name or place, that has the group of each row'}

    @_anew
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None, node: Any = None,
            network: Any = None) -> Any:
        """Fits to rows and the group of each: `groups`, a column of X that the parameter `groups` or the
        formula names, or one group of all. Rows need not be in order."""
        X, y, groups, weight, node = self._in_order(X, y, groups, sample_weight, node, True)
        self._known: Any = None     # rows, targets and groups of those that were fitted; None: without groups
        self._learn(X, y, weight, node, network, groups=groups)
        return self._remember(X, y, self._one_series(y, groups), True)

    def _is_series(self) -> bool:
        """Rows of a group follow each other in time: those that are predicted follow those that were fitted."""
        return 'filtered' in _answers(self._model)

    def _one_series(self, y: Array, groups: Any) -> Any:
        """Groups, or those of rows that are all of one series."""
        return _labels(np.zeros(len(y)), len(y))[1] if groups is None and self._is_series() else groups

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> Any:
        """Adds a batch of rows of new groups to those that were fitted, without groups of one; the first batch is
        a fit, whose prior holds for all."""
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y, sample_weight, groups=groups)
        X, y, groups, weight, _ = self._in_order(X, y, groups, sample_weight, None, False)
        if groups is not None and self._known is not None:
            for again in np.intersect1d(groups, self._known[2])[:1]:
                raise ValueError(f'groups: got {again} again; expected all rows of a group in one batch')
        self._learn_more(X, y, weight, groups=np.zeros(len(y)) if groups is None else groups)
        return self._remember(X, y, self._one_series(y, groups), False)

    def _in_order(self, X: Any, y: Any, groups: Any, weight: Any, node: Any, reset: bool) -> Any:
        """Rows that were checked, those of a group one after the other."""
        X, groups = self._split_groups(rows_of('X', X), groups, True)
        if self._as_it_is(X):
            groups = self._named(X, y, groups).groups
        X, y = self._examples(X, y, reset, y_numeric=True)
        if groups is None:
            X, y, weight, node = self._counted(X, y, weight, node)
            return X, y, None, weight, node
        code, groups = _labels(groups, len(y))
        order = np.argsort(code, kind='stable')
        if weight is not None:
            weight = _check_sample_weight(weight, y)[order]
            keep = weight != 0      # a row of weight 0 is none, nor kept
            order, weight = order[keep], weight[keep]
        return _some(X, order), y[order], groups[order], weight, node if node is None else np.asarray(node)[order]

    def _remember(self, X: Any, y: Array, groups: Any, first: bool) -> Any:
        """Keeps the rows of groups, which predictions of these groups need; a batch without groups is one more."""
        if groups is not None and len(groups):
            rows = self._coded(X), y, groups
            self._known = rows if self._known is None else tuple(map(np.concatenate, zip(self._known, rows)))
        if len(y):
            self.n_groups_: int = (0 if first else self.n_groups_) + (1 if groups is None else len(np.unique(groups)))
        return self

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None) -> float:
        """As scikit-learn has it, of predictions for these groups; y None: the response of the formula is a
        column of X."""
        return float(r2_score(self._target(X, y), self.predict(X, groups=groups), sample_weight=sample_weight))

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
        row, where no column of X has them; None: of groups that are new, each row another one. Rows of a time
        series follow those that were fitted, without groups those of the one series."""
        check_is_fitted(self)
        X, groups = self._split_groups(rows_of('X', X), groups, False)
        if self.formula is not None:
            groups = self._named(X, None, groups).groups
        X = self._rows(X)
        groups = np.zeros(len(X)) if groups is None and self._is_series() else groups
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


class BayesianPoissonRegression(Regression):
    """Regression of counts, whose logarithm is linear."""

    _model = 'glm'
    _fixed = {'glm.link': 'poisson'}
    __module__ = _PUBLIC

    def predict(self, X: Any) -> Array:     # type: ignore[override]
        """The expected count of each row."""
        X = self._rows(X)
        return self.posterior_.predict(X)

    def _says(self) -> Dict[str, bool]:
        return {**super()._says(), 'requires_positive_y': True}


class Classification(_Explained, ClassifierMixin, Estimator):
    """Its answers are classes of rows, numbers or words, and their probabilities."""

    @_anew
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, *, node: Any = None,
            network: Any = None) -> Any:
        """Fits to classes; y None: the response of the formula is a column of X."""
        X, y = self._examples(X, y)
        return self._learn_classes(X, y, np.unique(y), sample_weight, node, network)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Any:
        """Adds a batch of rows to those that were fitted; the first batch is a fit, whose prior holds for all,
        and `classes` are those of all batches. Nearly what all rows at once are."""
        if not self.__sklearn_is_fitted__():
            X, y = self._examples(X, y)
            return self._learn_classes(X, y, np.unique(y if classes is None else classes), sample_weight, None, None)
        X, y = self._examples(X, y, False)
        return self._learn_more(X, self._places(y), sample_weight)

    def _learn_classes(self, X: Any, y: Any, classes: Array, weight: Any, node: Any, network: Any) -> Any:
        check_classification_targets(y)
        self.classes_ = classes
        if len(classes) < 2:
            raise ValueError('y: got 1 class; expected at least 2 classes')
        kinds = {'y': kind_of([str(c) for c in classes])}
        link = {'glm_link': 'logistic' if len(classes) == 2 else 'multinomial'}
        return self._learn(X, self._places(y), weight, node, network, kinds=kinds, **link)

    def _places(self, y: Any) -> Array:
        """The place of each class."""
        place = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1)
        other = self.classes_[place] != y
        if np.any(other):
            raise ValueError(f'y: got {y[np.argmax(other)]!r}; expected one of ' + ', '.join(map(str, self.classes_)))
        found: Array = place.astype(np.float64)
        return found

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, for each row."""
        X = self._rows(X)
        return self.posterior_.predict_proba(X)

    def predict(self, X: Any) -> Array:
        """The most probable class of each row."""
        place = self.predict_proba(X).argmax(1)
        found: Array = self.classes_[place]
        return found


def _base(model: Model) -> Type[Estimator]:
    """What the model's answers make of its estimator."""
    answers = _answers(model.name)
    if 'probabilities' in answers:
        return Classification
    if 'mean' in answers:
        return GroupedRegression if model.groups == 'always' else Regression
    if 'scores' in answers:
        return Factors
    if 'topics' in answers:
        return Topics
    if 'responsibilities' in answers:
        return Sequences if 'states' in answers else Mixture
    return Unsupervised


def made() -> Dict[str, Type[Estimator]]:
    """The classes of the models that name one, and those with fixed options, by their names."""
    found: Dict[str, Type[Estimator]] = {c.__name__: c for c in (BayesianGaussianMixture, BayesianPoissonRegression)}
    for model in known_models():
        if model.estimator:
            base = _base(model)
            text = f'{model.title[0].upper()}{model.title[1:]}.\n\n    {base.__doc__}'
            found[model.estimator] = type(model.estimator, (base,), dict(_model=model.name, __module__=_PUBLIC, __doc__=text))
    return dict(sorted(found.items()))

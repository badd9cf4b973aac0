"""Posteriors: what they say of rows, and how they learn from more."""
from __future__ import annotations

import ctypes
import functools
import json
import warnings
from typing import Any, List, Mapping, Optional, Tuple

import numpy as np

from ._convert import to_sklearn, to_xarray
from ._handle import (Array, Callback, Handle, MeshbayesError, MeshbayesWarning, depth, encoded, real,
                      whole, wrong_type)
from ._rows import Levels, beside, by_formula, is_frame, pick, places, rows_of, table, together
from ._show import html

# Numbers that are drawn by one call of the library.
_AT_ONCE = 2 ** 18
_PROBABILITIES = ('responsibilities', 'probabilities')


def check_callback(callback: Any) -> None:
    """TypeError: it cannot be called."""
    if callback is not None and not callable(callback):
        raise wrong_type('callback', callback, 'a function of one Round, or None')


def say(handle: Handle) -> List[str]:
    """Its sentences, as warnings too, at the line that called this package."""
    found = handle.warnings()
    for text in found:
        warnings.warn(text, MeshbayesWarning, stacklevel=depth())
    return found


class Statistics:
    """Sums over rows at a posterior, of `Posterior.expected_statistics`. Those of parts of the rows are
    added with +; `Posterior.update` takes the sums of all.

    Attributes
    ----------
    sums : ndarray
        Expected statistics of the rows.
    logz : float
        Their log evidence at the posterior, in nats and units of the data.
    weight : float
        Of the rows.
    rows : int
        How many they are.
    """

    def __init__(self, sums: Array, logz: float, weight: float, rows: int) -> None:
        self.sums, self.logz, self.weight, self.rows = sums, logz, weight, rows

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(self.sums + other.sums, self.logz + other.logz, self.weight + other.weight,
                          self.rows + other.rows)

    def __repr__(self) -> str:
        return f'<Statistics of {self.rows} rows of weight {self.weight:.9g}>'


def _property_of(name: str, text: str, node: Optional[int] = -1) -> Any:
    """A property that the library has by its name: of the fit, or (node None) of the node."""
    return property(lambda posterior: posterior._get(name, node), doc=text)


class Posterior:
    """A posterior of a fit, of one of its nodes, or of a file.

    Parameters are its items: `posterior["means"]`; `posterior.parameters` has their names. A posterior
    does not change: `update` returns another one. It can be pickled and copied.
    """

    def __init__(self, handle: Handle, node: int = -1, inputs: Optional[List[str]] = None) -> None:
        self._handle, self._node = handle, node
        self._inputs = inputs   # names of the columns that were fitted; None: they had none

    # ---- what it is

    def _get(self, name: str, node: Optional[int] = None) -> Any:
        with self._handle.lock:
            return self._handle.get(name, self._node if node is None else node)

    model: str = _property_of('model', "The model's name.")
    columns: List[str] = _property_of('columns', 'Names of the inputs.')
    draw_columns: List[str] = _property_of('names.draws', 'Names of the columns of `draws`.')
    rounds: int = _property_of('rounds', 'Rounds of the fit.')
    bound: float = _property_of('bound', 'The lower bound, in nats and units of the data.')
    rows: int = _property_of('rows', 'Rows that were learnt.')
    moved: float = _property_of('moved', 'How far the last step from statistics moved it, relative; NaN: there was none.')
    parameters: List[str] = _property_of('parameters', 'Names of the parameters.', None)

    @property
    def verdict(self) -> Optional[str]:
        """How the fit ended: "settled", "moving", "interrupted" ..; None after one step from statistics, of
        which `moved` says how far it went."""
        try:
            found: str = self._get('verdict')
            return found
        except MeshbayesError:
            return None

    @property
    def _ended(self) -> str:
        return f'{self.verdict or "a step"} after {self.rounds} rounds'

    @functools.cached_property
    def inputs(self) -> List[str]:
        """Names of the columns of rows; `columns` are what a formula or categories make of them."""
        try:
            found: List[str] = self._get('inputs')
            return found
        except MeshbayesError:
            return self.columns

    @property
    def targets(self) -> List[str]:
        """Names of what a regression explains; [] of other models."""
        try:
            found: List[str] = self._get('targets')
            return found
        except MeshbayesError:
            return []

    @functools.cached_property
    def answers(self) -> List[str]:
        """What `predict` can say, the usual one first."""
        with self._handle.lock:
            return [row[0] for row in self._handle.list('answers')]

    def __getitem__(self, name: str) -> Any:
        """A parameter by its name; "prior.NAME": of the prior; "sklearn.NAME_": as scikit-learn has it."""
        if not isinstance(name, str):
            raise wrong_type('posterior', name, 'the name of a parameter')
        try:
            return self._get(name)
        except MeshbayesError as why:
            raise KeyError(str(why)) from None

    def __iter__(self) -> Any:
        return iter(self.parameters)

    def __len__(self) -> int:
        return len(self.parameters)

    def keys(self) -> List[str]:
        """Names of the parameters, so that dict(posterior) has them all."""
        return self.parameters

    def summary(self) -> str:
        """A text: what was fitted, how it ended, and the parameters."""
        lines = [f'{self.model}, {self.rows} rows, columns: {", ".join(self.columns)}',
                 f'{self._ended}, lower bound {self.bound:.9g} nats']
        with np.printoptions(precision=4, suppress=True, threshold=60):
            for name in self.parameters:
                try:
                    value = str(self[name])
                except KeyError:
                    continue    # one that this posterior has no values of
                lines.append(name + ':' + ('\n' if '\n' in value else ' ') + value)
        return '\n'.join(lines)

    def __repr__(self) -> str:
        return (f'<Posterior: {self.model}, {self.rows} rows of {len(self.columns)} columns, '
                f'{self.verdict or "a step"}, bound {self.bound:.9g}>')

    def _repr_html_(self) -> str:
        return html(self)

    # ---- JSON

    def to_json(self) -> str:
        """The posterior as the program's files have it."""
        with self._handle.lock:
            return self._handle.json(self._node)

    @classmethod
    def from_json(cls, text: str) -> Posterior:
        """A posterior of a text of `to_json`, or of a file of the program.

        Parameters
        ----------
        text : str or bytes
            JSON.
        """
        if isinstance(text, (bytes, bytearray)):
            return cls(Handle(text=bytes(text)))
        return cls(Handle(text=encoded('json', text)))

    @classmethod
    def _restored(cls, text: str, inputs: Optional[List[str]]) -> Posterior:
        return cls(Handle(text=encoded('json', text)), inputs=inputs)

    def __reduce__(self) -> Tuple[Any, ...]:
        return Posterior._restored, (self.to_json(), self._inputs)

    def __copy__(self) -> Posterior:
        return self

    def __deepcopy__(self, _: Any) -> Posterior:
        return self

    @functools.cached_property
    def _levels(self) -> Tuple[Levels, List[str]]:
        """Categories of the inputs, by column, and of the target."""
        said = json.loads(self.to_json())
        return said.get('design', said).get('categories') or {}, said.get('levels') or []

    # ---- as other packages have it

    def to_sklearn(self) -> Any:
        """A fitted estimator of scikit-learn: BayesianGaussianMixture, BayesianRidge, ARDRegression,
        FactorAnalysis or LatentDirichletAllocation.

        It has the attributes that `meshbayes export --format sklearn` writes. TypeError: scikit-learn has no class
        with these answers, as of other models, of covariance_type "diag" and "spherical" and of formulas.

        Returns
        -------
        sklearn.base.BaseEstimator
            Whose predict and predict_proba are those of this posterior. Standard deviations of regressions,
            `predict(X, return_std=True)`, are not: scikit-learn takes noise and intercept as known (about 0.7 of
            them at 8 rows, 0.98 at 120), and inputs from 0 (larger where their means are far from it).

        Examples
        --------
        >>> import meshbayes, numpy
        >>> X = numpy.r_[numpy.random.default_rng(1).normal(size=(100, 2)), [[9, 9]] * 50]
        >>> posterior = meshbayes.fit(X, n_components=2).posterior
        >>> bool(abs(posterior.to_sklearn().predict_proba(X) - posterior.predict_proba(X)).max() < 1e-12)
        True
        """
        return to_sklearn(self)

    def to_xarray(self, draws: Optional[int] = None, seed: int = 0) -> Any:
        """The parameters as a Dataset of xarray, or draws of them.

        Parameters
        ----------
        draws : int, optional
            This number of draws from the posterior, with the dimensions `chain` and `draw`, as ArviZ takes them; None:
            the parameters themselves.
        seed : int
            Of the draws.

        Returns
        -------
        xarray.Dataset
            Dimensions are component, column, target ..; their coordinates are numbers of components and names.
        """
        if draws is not None:
            draws = whole('draws', draws, 1, 2 ** 31 - 1)
        return to_xarray(self, draws, seed)

    @functools.cached_property
    def _formula(self) -> Optional[str]:
        """The formula of the inputs; None: there is none."""
        return json.loads(self.to_json()).get('design', {}).get('formula') if self.targets else None

    @functools.cached_property
    def _series(self) -> bool:
        """Rows are of series, whose own targets are what others are predicted from."""
        return 'forecast' in self.answers and bool(self.targets)

    # ---- rows

    def _group_of(self, X: Any, needed: bool = True) -> Any:
        """The column of X that the formula names as the group of each row; None: it names none, or (not
        needed) X has none."""
        if self._formula is None:
            return None
        handle = Handle(self.model)
        handle.option('formula', self._formula)
        named = handle.named()
        found = by_formula(named, X, None, None, self._inputs).groups
        name = next((name for name, what in named if what == 'group'), None)
        if needed and name is not None and found is None:
            raise MeshbayesError(f'groups: got None, and no column "{name}" of X; expected the group of each row, '
                                 'as the formula names it', 'groups')
        return found

    def _give(self, X: Any, y: Any = None, groups: Any = None, sample_weight: Any = None,
              learns: bool = True) -> int:
        """Gives the rows to the handle, and returns how many they are. learns: a frame has the targets, too."""
        X, y = rows_of('x', X), rows_of('y', y)
        learns = learns or self._series
        if learns and y is None and is_frame(X) and hasattr(X, 'columns') and self.targets:
            y = pick(X, self.targets)
        X, target_of_x, columns = beside(X, self._inputs, self.targets)
        y = target_of_x if learns and y is None else y
        inputs, target = self._levels if is_frame(X) or y is not None else ({}, [])
        if self._series and not self.inputs and self._formula is None:     # rows of the target alone
            if y is not None and len(y) != len(X):
                raise MeshbayesError(f'y: got {len(y)} values; expected one for each of {len(X)} rows', 'y')
            X, y = X if y is None else y, None
        else:
            X = pick(X, self.inputs) if is_frame(X) else X
        x = table('x', X, inputs)
        self._handle.forget()
        if not self.inputs and self._formula is not None:   # an intercept alone
            x = table('x', np.zeros((len(x.x), 1)))
        if self.targets:
            self._handle.texts('columns', x.names or columns)
        self._handle.array('x', x.x)
        if y is not None:
            self._handle.array('y', table('y', y, {t: target for t in self.targets}
                                          if target else None).x)
        if groups is not None:
            self._handle.array('group', together('groups', places('groups', groups)))
        if sample_weight is not None:
            self._handle.array('sample_weight', sample_weight)
        return len(x.x)

    def predict(self, X: Any, what: Optional[str] = None, *, level: float = 0.95, ahead: int = 0,
                groups: Any = None, y: Any = None) -> Array:
        """What the posterior says of rows.

        Parameters
        ----------
        X : array-like of shape (n, d), or a frame
            Rows; a frame's columns are found by their names.
        what : str, optional
            One of `answers`; by default labels of a mixture, and the means alone of a regression.
        level : float
            Probability of intervals.
        ahead : int
            Rows of a forecast.
        groups : array-like of shape (n,), optional
            The group of each row; by default the column of X that the formula names.
        y : array-like of shape (n,), optional
            Of rows in groups: targets that are known, and NaN where they are to be predicted from the
            others of the group.

        Returns
        -------
        ndarray of shape (n,) or (n, k)
            Labels as whole numbers, or as the words of the target.
        """
        with self._handle.lock:
            usual = what is None
            what = self.answers[0] if usual else what
            if not isinstance(what, str):
                raise wrong_type('what', what, 'one of ' + ', '.join(self.answers))
            given = (self._node, encoded('what', what), real('level', level),
                     whole('ahead', ahead, 0, 2 ** 31 - 1))
            shape = (ctypes.c_int64 * 2)()
            X = rows_of('x', X)
            try:
                # Of rows alone the groups make no difference.
                if groups is None and (y is not None or what == 'group-density'):
                    groups = self._group_of(X, False)
                if groups is None and 'forecast' in self.answers and what in ('forecast', 'group-density'):
                    groups = np.zeros(len(X))   # all rows are one series
                self._give(X, y, groups, learns=False)
                self._handle.call('predict', *given, None, shape)
                out = np.empty(tuple(shape))
                self._handle.call('predict', *given, out.ctypes.data, shape)
            finally:
                self._handle.forget()
        if what == 'labels':
            return self._labels(out)
        if usual:
            alone = [k for k, name in enumerate(self.predict_columns(what))
                     if name.split('.')[0] == what]
            out = out[:, alone] if alone else out
        return out[:, 0] if out.shape[1] == 1 else out

    def predict_columns(self, what: str) -> List[str]:
        """Names of the columns of an answer.

        Parameters
        ----------
        what : str
            One of `answers`.
        """
        found: List[str] = self._get('names.' + what)
        return found

    def _labels(self, out: Array) -> Array:
        labels = out[:, 0].astype(np.int64)
        words = self._levels[1] if self.targets else []
        return np.array(words)[labels] if words else labels

    def predict_proba(self, X: Any, *, groups: Any = None) -> Array:
        """Probabilities of components, or of the levels of a target; shape (n, k).

        Parameters
        ----------
        X : array-like of shape (n, d), or a frame
            Rows.
        groups : array-like of shape (n,), optional
            The group of each row.
        """
        answers = self.answers
        for what in _PROBABILITIES:
            if what in answers:
                out = self.predict(X, what, groups=groups)
                return out if out.ndim > 1 else out[:, None]
        raise MeshbayesError(f'predict: model {self.model} has no probabilities; it has '
                             + ', '.join(answers))

    def score_samples(self, X: Any, y: Any = None, *, expected: bool = False,
                      groups: Any = None) -> Array:
        """The log density of each row, in nats.

        Parameters
        ----------
        X, y : array-like
            Rows, and targets of a regression.
        expected : bool
            False: ln p(row | data). True: as scikit-learn's mixtures.
        groups : array-like of shape (n,), optional
            The group of each row; by default the column of X that the formula names.
        """
        return self._score(X, y, expected, groups, None)[1]

    def score(self, X: Any, y: Any = None, *, expected: bool = False, groups: Any = None,
              sample_weight: Any = None) -> float:
        """The mean of `score_samples`, by weights.

        Parameters
        ----------
        X, y : array-like
            Rows, and targets of a regression.
        expected : bool
            As of `score_samples`.
        groups : array-like of shape (n,), optional
            The group of each row.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.
        """
        return self._score(X, y, expected, groups, sample_weight)[0]

    def _score(self, X: Any, y: Any, expected: Any, groups: Any,
               weight: Any) -> Tuple[float, Array]:
        mean, total = ctypes.c_double(), ctypes.c_double()
        X = rows_of('x', X)
        with self._handle.lock:
            try:
                groups = self._group_of(X, False) if groups is None else groups
                each = np.empty(self._give(X, y, groups, weight))
                self._handle.call('score', self._node, 1 if expected else 0, ctypes.byref(mean),
                                  ctypes.byref(total), each.ctypes.data)
            finally:
                self._handle.forget()
        return mean.value, each

    def sample(self, n: int = 1, seed: int = 0, *, first: int = 0) -> Tuple[Array, Array]:
        """Rows of the predictive distribution.

        Parameters
        ----------
        n : int
            How many.
        seed : int
            Of the generator.
        first : int
            Number of the first, from 0: rows by one seed are always the same.

        Returns
        -------
        rows : ndarray of shape (n, d)
        components : ndarray of shape (n,)
            Of each row, from 0.
        """
        n = whole('n', n, 0, 2 ** 40)
        component = np.zeros(n, np.int64)
        return self._sample(0, n, seed, first, component), component

    def draws(self, n: int = 1, seed: int = 0, *, first: int = 0) -> Array:
        """Draws of the parameters from the posterior.

        Parameters
        ----------
        n, seed, first : int
            As of `sample`.

        Returns
        -------
        ndarray of shape (n, rows, columns)
            Columns are `draw_columns`, rows the components, or one.
        """
        out = self._sample(1, n, seed, first, None)
        return out.reshape(whole('n', n, 0, 2 ** 40), -1 if n else 0, out.shape[1])

    def _sample(self, parameters: int, n: int, seed: int, first: int,
                component: Optional[Array]) -> Array:
        given = self._node, parameters, whole('seed', seed, 0, 2 ** 64 - 1)
        first, n = whole('first', first, 0, 2 ** 40), whole('n', n, 0, 2 ** 40)
        shape = (ctypes.c_int64 * 2)()
        with self._handle.lock:
            self._handle.call('sample', *given, first, n, None, None, shape)
            out = np.empty(tuple(shape))
            each = len(out) // max(n, 1)
            step = max(1, _AT_ONCE // max(1, each * out.shape[1]))
            for at in range(0, n, step):    # Ctrl-C ends it in between
                self._handle.call('sample', *given, first + at, min(step, n - at), out[at * each:].ctypes.data,
                                  None if component is None else component[at:].ctypes.data, shape)
        return out

    def expected_statistics(self, X: Any, y: Any = None, *, sample_weight: Any = None,
                            groups: Any = None) -> Statistics:
        """Sums over rows that lie here, for a step over rows in several places: `update` takes those of all.

        Parameters
        ----------
        X, y : array-like
            Rows, and targets of a regression.
        sample_weight, groups : array-like of shape (n,), optional
            As of `update`.
        """
        n, logz, weight = ctypes.c_int64(), ctypes.c_double(), ctypes.c_double()
        out = Posterior._restored(self.to_json(), self._inputs)
        given = ctypes.byref(logz), ctypes.byref(weight)
        out._handle.call('statistics', ctypes.byref(n), None, *given)
        sums = np.empty(n.value)
        rows = out._give(X, y, groups, sample_weight)
        out._handle.call('statistics', ctypes.byref(n), sums.ctypes.data, *given)
        return Statistics(sums, logz.value, weight.value, rows)

    def update(self, X: Any, y: Any = None, forget: float = 1.0, *, sample_weight: Any = None,
               groups: Any = None, callback: Optional[Callback] = None) -> Posterior:
        """The posterior after one more batch of rows, or after a step of central VB from sums over all rows.

        Parameters
        ----------
        X, y : array-like
            Rows, and targets of a regression; or X alone: Statistics of all rows at this posterior.
        forget : float
            How much what was learnt before counts: above 0, at most 1.
        sample_weight, groups : array-like of shape (n,), optional
            Weights and groups of the rows; without groups the column of X that the formula names has them.
        callback : callable, optional
            As of `fit`.

        Returns
        -------
        Posterior
            Another one; this one stays.
        """
        return self._updated(X, y, forget, sample_weight, groups, callback)

    def _updated(self, X: Any, y: Any = None, forget: float = 1.0, sample_weight: Any = None, groups: Any = None,
                 callback: Optional[Callback] = None, options: Mapping[str, Any] = {}) -> Posterior:
        """`update` with options of a fit."""
        check_callback(callback)
        forget = real('forget', forget)
        out = Posterior._restored(self.to_json(), self._inputs)
        if isinstance(X, Statistics):
            sums = np.ascontiguousarray(X.sums, np.float64)
            out._handle.call('add_statistics', sums.size, sums.ctypes.data, real('logz', X.logz), real('weight', X.weight),
                             whole('rows', X.rows, 1, 2 ** 53))
            return out
        for name, value in options.items():
            out._handle.option(name, value)
        X = rows_of('x', X)
        out._give(X, y, self._group_of(X) if groups is None else groups, sample_weight)
        out._handle.work('update', callback, forget)
        say(out._handle)
        return out


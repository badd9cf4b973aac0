"""Fits, and what is left of them."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from ._algorithm import Algorithm
from ._handle import Array, Callback, Handle, MeshbayesError, encoded, known_models, spellings, whole, wrong_type
from ._network import Network
from ._posterior import Posterior, check_callback, say
from ._progress import bar
from ._rows import all_kinds, beside, by_formula, is_frame, listed, places, rows_of, table, together
from ._show import html


class Agreement(NamedTuple):
    """How far the nodes of a network agree, and what it cost them.

    Attributes
    ----------
    moved : float
        How far the last round moved the posterior, in its standard deviations.
    disagreement : float
        The largest distance of a node from the mean.
    distance : ndarray of shape (nodes,)
        Of each node from the mean, relative.
    outside : int
        Nodes outside the domain, which have no posterior.
    frames, bytes : int
        Messages that were sent.
    """

    moved: float
    disagreement: float
    distance: Array
    outside: int
    frames: int
    bytes: int


class Result:
    """What a fit has found.

    Attributes
    ----------
    posterior : Posterior
        Of all rows; of a network the mean of its nodes.
    verdict : str
        "settled"; otherwise why not: "elsewhere", "moving", "interrupted" ..
    rounds : int
        Rounds of the run.
    bound : float
        The lower bound, in nats and units of the data.
    trace : ndarray of shape (rounds, 2) or None
        Round and bound, with the option trace.
    nodes : int
        Nodes of the network; 0: one machine.
    network : Network or None
        With its links, also where a description was drawn.
    agreement : Agreement or None
        Of the nodes of a network.
    n_init, at_best : int
        Initialisations, and how many of them reached the best bound.
    warnings : list of str
        Sentences on the result, which were also Python's warnings.
    """

    def __init__(self, handle: Handle, said: List[str], names: Optional[List[str]] = None,
                 inputs: Optional[List[str]] = None) -> None:
        self.posterior = Posterior(handle, inputs=inputs)
        self.warnings = said
        self.verdict: str = handle.get('verdict')
        self.rounds: int = handle.get('rounds')
        self.bound: float = handle.get('bound')
        self.nodes: int = handle.get('nodes')
        self.n_init: int = handle.get('n_init')
        self.at_best: int = handle.get('at_best')
        try:
            self.trace: Optional[Array] = handle.get('trace')
        except MeshbayesError:
            self.trace = None
        self.agreement: Optional[Agreement] = None
        self.network: Optional[Network] = None
        if self.nodes:
            links = np.ascontiguousarray(handle.get('links'), np.int32)
            self.network = Network(n=self.nodes, edges=links, names=names)
            self.agreement = Agreement(*(handle.get(name) for name in Agreement._fields))

    def node(self, i: int) -> Posterior:
        """The posterior of a node. ValueError: it is outside the domain, and has none.

        Parameters
        ----------
        i : int
            Its number, from 0.
        """
        if not self.nodes:
            raise MeshbayesError('node: the fit was that of one machine; expected a network', 'node')
        found = Posterior(self.posterior._handle, whole('node', i, 0, self.nodes - 1), self.posterior._inputs)
        found.parameters    # refused here
        return found

    def __getstate__(self) -> Dict[str, Any]:
        # A node of a network that was kept is in its posterior no longer: texts are what stays.
        raise wrong_type('pickle', self, 'its posterior, or that of a node')

    def __repr__(self) -> str:
        where = f' on {self.nodes} nodes' if self.nodes else ''
        return (f'<Result: {self.posterior.model}{where}, {self.verdict} after {self.rounds} rounds, '
                f'bound {self.bound:.9g}>')

    def _repr_html_(self) -> str:
        return html(self.posterior, f' on {self.nodes} nodes' if self.nodes else '', self.warnings)


def _give_rows(handle: Handle, X: Any, y: Any, sample_weight: Any, columns: Any, kinds: Any,
               groups: Any, formula: Optional[str]) -> Optional[List[str]]:
    """The rows of a fit. Returns the names of their inputs, None: they have none."""
    X, y, names = rows_of('x', X), rows_of('y', y), None
    if formula is not None:
        encoded('formula', formula)
        handle.option('formula', formula)
        X, y, groups, columns, names = by_formula(handle.named(), X, y, groups, columns)
    given = columns
    if formula is None and y is None and handle.named() and np.ndim(X) == 2 and not is_frame(X):
        # Inputs that change places are those of the columns without a target.
        given = [f'x{k + 1}' for k in range(np.shape(X)[1])] if columns is None else listed('columns', columns)
        names = [handle.target or given[-1]]
        if isinstance(kinds, (list, tuple)) and names[0] in given and len(kinds) == len(given):
            k = given.index(names[0])
            kinds = [*kinds[:k], *kinds[k + 1:], kinds[k]]
        X, y, columns = beside(X, given, names)
    x = table('x', X)
    target = None if y is None else table('y', y)
    handle.array('x', x.x)
    width = np.shape(x.x)[1] if np.ndim(x.x) > 1 else 1
    if target is not None:
        handle.array('y', target.x)
        handle.texts('targets', target.names or names)
    if sample_weight is not None:
        handle.array('sample_weight', sample_weight)
    if groups is not None:
        handle.array('group', together('groups', places('groups', groups)))
    columns = x.names if columns is None else listed('columns', columns)
    handle.texts('columns', columns)
    handle.texts('kinds', all_kinds(x, target, kinds, columns, width))
    found: Optional[List[str]] = columns if given is None else listed('columns', given)
    return found


def _give_network(handle: Handle, network: Any, node: Any, algorithm: Union[str, Algorithm]) -> Optional[List[str]]:
    """The network of a fit, and where its rows lie. Returns the names of its nodes, None: they have none."""
    if network is None:
        if node is not None:
            raise MeshbayesError('node: got an array; expected a network, too', 'node')
        return None
    network = Network.of(network)
    network._give(handle)
    if isinstance(algorithm, Algorithm):
        handle.algorithm(algorithm.name, algorithm._halves(handle.raised, handle.left), algorithm.vectors)
    else:
        handle.algorithm(algorithm)
    if node is not None:
        handle.array('node', places('node', node, network.names))
    names: Optional[List[str]] = network.names
    return names


def fit(X: Any, y: Any = None, *, model: str = 'gmm', formula: Optional[str] = None, sample_weight: Any = None,
        columns: Optional[Sequence[str]] = None, kinds: Any = None, groups: Any = None,
        node: Any = None, network: Any = None, algorithm: Union[str, Algorithm, None] = None,
        callback: Optional[Callback] = None, progress: Optional[bool] = None, threads: int = 0,
        **options: Any) -> Result:
    """Fits a model to rows, on one machine or on a network.

    Parameters
    ----------
    X : array-like of shape (n, d), or a frame
        Rows. float64, float32, int64, int32 and uint8 are read where they are, with any strides. NaN
        is a missing value in mixtures. Words and categories of a frame become kinds; regressions code
        them. Frames are those of pandas, and with pandas what has `__dataframe__`, and the name of a file
        that ends in .parquet.
    y : array-like of shape (n,) or (n, t), optional
        Targets of a regression; words are categories.
    model : str
        One of `meshbayes.models()`.
    formula : str, optional
        Of a regression, as R writes it: "y ~ a*b + poly(x, 2) + (1 | site)". Response, inputs and
        group are columns of X by their names, of an array `columns` or x1, x2, .., unless y and
        groups are given.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows, at least 0.
    columns : sequence of str, optional
        Names of the columns of X; those of a frame by default.
    kinds : sequence of str, or dict by column, optional
        "number", "count", "flag" or "category(f|m)" of each column of X and then y.
    groups : array-like of shape (n,), optional
        The group of each row; rows of a group follow each other.
    node : array-like of shape (n,), optional
        The node of each row, its number from 0 or its name; otherwise the option `deal` decides.
    network : Network, str, array-like, sparse matrix or networkx graph, optional
        As `Network.of` takes it; None: one machine.
    algorithm : str or Algorithm, optional
        Of the network: one of `meshbayes.algorithms()`, "cvb", central VB, or one of your own. None: "edge", or
        what the model is for ("sum" of series).
    callback : callable, optional
        Called with a `Round` after each round; the fit ends with what there is where it returns
        something true. What it raises ends the fit, and comes out of it.
    progress : bool, optional
        A bar of tqdm, at a terminal or in a notebook. None: of fits that take more than a second, where
        tqdm is there.
    threads : int
        0: as many as make rounds faster. Results do not depend on it.
    **options
        Any of `meshbayes.options(model)`, with "_" for "-" and ".": n_components, prior_mu0 ..;
        arrays for centres, responsibilities, labels and options of the model that are numbers.

    Returns
    -------
    Result

    Raises
    ------
    ValueError, TypeError
        In the words of the library, with `option`, `row` and `column`.
    KeyboardInterrupt
        After Ctrl-C, which ends the work.

    Examples
    --------
    >>> import meshbayes, numpy
    >>> X = numpy.r_[numpy.random.default_rng(1).normal(size=(100, 2)), [[9, 9]] * 50]
    >>> meshbayes.fit(X, n_components=2, network="ring:n=5").nodes
    5
    """
    check_callback(callback)
    handle = Handle(encoded('model', model).decode())
    known = spellings(model)
    if algorithm is None:
        algorithm = next(m.algorithm for m in known_models() if m.name == encoded('model', model).decode())
    for name, value in {'threads': threads, **options}.items():
        handle.option(known.get(name, name), value)
    names = _give_network(handle, network, node, algorithm)
    inputs = _give_rows(handle, X, y, sample_weight, columns, kinds, groups, formula)
    called = algorithm.name if isinstance(algorithm, Algorithm) else algorithm
    with bar(progress, model if network is None else f'{model}, {called}', callback) as tick:
        handle.work('fit', tick)
    return Result(handle, say(handle), names, inputs)

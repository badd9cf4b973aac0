"""Several algorithms on the same rows and network, and what came of them."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Sequence, Tuple, Union

from ._algorithm import Algorithm
from ._fit import Result, fit
from ._handle import MeshbayesError, algorithms as listed, wrong_type
from ._library import other
from ._network import Network
from ._show import html_of_rows


class Simulation(Mapping[str, Result]):
    """Results by the names of their algorithms, `simulation["edge"]`, and a table of them.

    Attributes
    ----------
    columns : tuple of str
        Of the table.
    errors : dict
        Why an algorithm has no result, by its name.
    """

    columns = ('algorithm', 'verdict', 'rounds', 'bound', 'moved', 'disagreement', 'outside', 'frames',
               'bytes', 'error')

    def __init__(self, results: Dict[str, Result], errors: Dict[str, MeshbayesError],
                 order: Sequence[str]) -> None:
        self._results, self.errors, self._order = results, errors, tuple(order)

    def __getitem__(self, name: str) -> Result:
        return self._results[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)

    def _row(self, name: str) -> Tuple[Any, ...]:
        if name in self.errors:
            return (name, 'failed', *[None] * (len(self.columns) - 3), str(self.errors[name]))
        found = self._results[name]
        # Of central VB, which has no nodes, the agreement is None.
        return (name, *(getattr(found, of, getattr(found.agreement, of, None))
                        for of in self.columns[1:-1]), None)

    @property
    def rows(self) -> List[Tuple[Any, ...]]:
        """The table: a row for each algorithm, in the order that was asked for."""
        return [self._row(name) for name in self._order]

    def to_frame(self) -> Any:
        """The table as a frame of pandas. ImportError: there is no pandas."""
        pandas = other('pandas', 'to_frame', 'pandas', ', or use rows and columns')
        return pandas.DataFrame(self.rows, columns=list(self.columns))

    def __repr__(self) -> str:
        cells = [self.columns] + [tuple('' if c is None else f'{c:.6g}' if isinstance(c, float) else str(c)
                                        for c in row) for row in self.rows]
        wide = [max(map(len, column)) for column in zip(*cells)]
        return '\n'.join('  '.join(c.ljust(w) for c, w in zip(row, wide)).rstrip() for row in cells)

    def _repr_html_(self) -> str:
        return html_of_rows(self.columns, self.rows)


# Central VB beside algorithms of networks: from their initialisation, in plain steps.
_BESIDE = {'n_init': 1, 'accelerate': 'off'}


def simulate(X: Any, network: Any, y: Any = None, *,
             algorithms: Sequence[Union[str, Algorithm]] = ('edge',), **how: Any) -> Simulation:
    """Fits with each algorithm to the same rows on the same network, as `meshbayes sim` does.

    Parameters
    ----------
    X : array-like of shape (n, d), or a frame
        Rows, as of `fit`.
    network : Network, str, array-like, sparse matrix or networkx graph
        As `Network.of` takes it.
    y : array-like, optional
        Targets of a regression.
    algorithms : sequence of str or Algorithm
        Of `meshbayes.algorithms()`, "cvb", central VB, or your own.
    **how
        As of `fit`: model, node, loss, rounds, seed .. The trace is on if it is not said.

    Returns
    -------
    Simulation
        An algorithm that fails is in its table with the reason. ValueError: all of them did.

    Examples
    --------
    >>> import meshbayes, numpy
    >>> X = numpy.r_[numpy.random.default_rng(1).normal(size=(100, 2)), [[9, 9]] * 50]
    >>> found = meshbayes.simulate(X, "ring:n=5", algorithms=["cvb", "edge"], loss=0.2)
    >>> [row[:2] for row in found.rows]
    [('cvb', 'settled'), ('edge', 'settled')]
    """
    if isinstance(algorithms, (str, Algorithm)):
        algorithms = [algorithms]
    names: List[str] = []
    for one in algorithms:
        name = one.name if isinstance(one, Algorithm) else one
        if not isinstance(name, str):
            raise wrong_type('algorithms', one, 'names, or Algorithms of your own')
        if name == one and name != 'cvb' and name not in listed():
            raise MeshbayesError(f'algorithms: got "{name}"; expected cvb, ' + ', '.join(listed()),
                                 'algorithms')
        if name in names:
            raise MeshbayesError(f'algorithms: got "{name}" twice', 'algorithms')
        names.append(name)
    if not names:
        raise MeshbayesError('algorithms: got none; expected at least 1', 'algorithms')
    network = Network.of(network)
    results: Dict[str, Result] = {}
    errors: Dict[str, MeshbayesError] = {}
    how = {'trace': True, **how}
    for name, one in zip(names, algorithms):
        try:
            results[name] = fit(X, y, network=network, algorithm=one,
                                **({**_BESIDE, **how} if name == 'cvb' else how))
        except MeshbayesError as why:
            errors[name] = why
    if not results:
        raise errors[names[0]]
    return Simulation(results, errors, names)

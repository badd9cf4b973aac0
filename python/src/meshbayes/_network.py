"""Networks of nodes, as a fit takes them."""
from __future__ import annotations

from typing import Any, Iterable, List, Optional, Sequence

import numpy as np

from ._handle import Array, Handle, MeshbayesError, encoded, numbers, whole, wrong_type

_MOST = 2 ** 31 - 1


class Network:
    """Who exchanges messages with whom. Made by `draw`, `from_edges`, `from_scipy` or `from_networkx`.

    Attributes
    ----------
    spec : str or None
        The description that is drawn, with `seed`.
    n : int or None
        Nodes; None: the description says it.
    edges : ndarray of shape (m, 2) or None
        Ends of the links, from 0.
    names : list of str or None
        Names of the nodes.
    """

    def __init__(self, spec: Optional[str] = None, seed: int = 0, n: Optional[int] = None,
                 edges: Optional[Array] = None, names: Optional[List[str]] = None) -> None:
        self.spec, self.seed, self.n, self.edges, self.names = spec, seed, n, edges, names
        self._give(Handle())    # refused here, not in the fit

    @classmethod
    def draw(cls, spec: str, seed: int = 0) -> Network:
        """A network by a description, such as "ring:n=10" or "geometric:n=20,side=2.4,radius=0.9".

        Parameters
        ----------
        spec : str
            As `meshbayes help graph` describes it.
        seed : int
            Of what is random in it.
        """
        encoded('network', spec)
        return cls(spec, whole('seed', seed, 0, 2 ** 64 - 1))

    @classmethod
    def from_edges(cls, edges: Any, n: Optional[int] = None,
                   names: Optional[Sequence[Any]] = None) -> Network:
        """A network of links.

        Parameters
        ----------
        edges : array-like of shape (m, 2)
            Two nodes for each link: numbers from 0, or names.
        n : int, optional
            Nodes; as many as there are names, or as the largest number says.
        names : sequence, optional
            Names of the nodes, in their order; by default those in the links, sorted.
        """
        pairs = edges if isinstance(edges, np.ndarray) else list(edges) \
            if isinstance(edges, Iterable) and not isinstance(edges, str) else edges
        words = np.array(pairs, dtype=object)
        if words.size and not (words.ndim == 2 and words.shape[1] == 2):
            raise MeshbayesError(f'edges: got an array of shape {words.shape}; expected (m, 2)',
                                 'edges')
        if names is None and any(isinstance(w, str) for w in words.flat):
            names = sorted({str(w) for w in words.flat})
        if names is not None:
            called = [str(w) for w in names]
            place = {w: k for k, w in enumerate(called)}
            unknown = [w for w in words.flat if str(w) not in place]
            if unknown:
                raise MeshbayesError(f'edges: got "{unknown[0]}"; expected a name of a node', 'edges')
            ends = np.array([place[str(w)] for w in words.flat], np.int64)
        else:
            called, ends = [], numbers('edges', pairs).ravel()
        if ends.size and (not np.all(ends == np.floor(ends)) or ends.min() < 0 or ends.max() > _MOST):
            raise MeshbayesError(f'edges: expected whole numbers from 0 to {_MOST}', 'edges')
        least = len(called) if called else int(ends.max()) + 1 if ends.size else 0
        n = least if n is None else whole('n', n, least, _MOST)
        return cls(None, 0, n, np.ascontiguousarray(ends.reshape(-1, 2), np.int32), called or None)

    @classmethod
    def from_scipy(cls, matrix: Any) -> Network:
        """The links of a sparse matrix: each entry that is not zero, off the diagonal.

        Parameters
        ----------
        matrix : sparse matrix of shape (n, n)
            Of scipy.
        """
        coo = matrix.tocoo()
        keep = (coo.row != coo.col) & (coo.data != 0)
        pairs = np.sort(np.column_stack([coo.row[keep], coo.col[keep]]), axis=1)
        return cls.from_edges(np.unique(pairs, axis=0) if len(pairs) else np.empty((0, 2), int),
                              coo.shape[0])

    @classmethod
    def from_networkx(cls, graph: Any) -> Network:
        """A graph of networkx, with the names of its nodes in their order.

        Parameters
        ----------
        graph : networkx.Graph
            Whose directions and loops are not read.
        """
        pairs = {tuple(sorted((str(a), str(b)))) for a, b in graph.edges() if a != b}
        return cls.from_edges(sorted(pairs), names=list(graph.nodes()))

    @classmethod
    def of(cls, network: Any) -> Network:
        """A network of what stands for one.

        Parameters
        ----------
        network : Network, str, array-like, sparse matrix or networkx graph
            Itself, a description as of `draw`, links as of `from_edges`, or what the others take.
        """
        if isinstance(network, cls):
            return network
        if isinstance(network, str):
            return cls.draw(network)
        if hasattr(network, 'tocoo'):
            return cls.from_scipy(network)
        if hasattr(network, 'edges') and hasattr(network, 'nodes'):
            return cls.from_networkx(network)
        if isinstance(network, (list, tuple, np.ndarray)):
            return cls.from_edges(network)
        raise wrong_type('network', network, 'a Network, a description, links, a sparse matrix or a '
                         'graph of networkx')

    def _give(self, handle: Handle) -> None:
        handle.texts('nodes', self.names)
        if self.spec is not None:
            handle.call('network', encoded('network', self.spec), self.seed, 0, 0, None)
            return
        ends = np.empty((0, 2), np.int32) if self.edges is None else self.edges
        if not self.n:
            raise MeshbayesError('network: got no nodes; expected at least 1', 'network')
        handle.call('network', None, 0, self.n, len(ends), ends.ctypes.data)

    def __repr__(self) -> str:
        if self.spec is not None:
            return f'Network.draw({self.spec!r}, seed={self.seed})'
        return f'<Network of {self.n} nodes and {0 if self.edges is None else len(self.edges)} links>'

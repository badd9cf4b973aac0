"""Pictures with matplotlib, which is imported when one is asked for."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional, Tuple, Union

import numpy as np

from ._handle import Array, MeshbayesError, whole
from ._network import Network
from ._show import covariances, found


def _axes(ax: Any, called: str) -> Any:
    """ax, or the current axes of matplotlib."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(f'{called}: matplotlib is missing; expected it installed, as by '
                          '"pip install matplotlib"') from None
    return pyplot.gca()


def plot_components(posterior: Any, X: Any = None, *, columns: Tuple[Union[int, str], Union[int, str]] = (0, 1),
                    ax: Any = None) -> Any:
    """Components as ellipses of one and two standard deviations, over rows where they are given.

    Parameters
    ----------
    posterior : Posterior or Result
        Of a mixture.
    X : array-like of shape (n, d), optional
        Rows, coloured by their component.
    columns : two of int or str
        Which columns are shown: places from 0, or names.
    ax : matplotlib axes, optional
        Where; the current ones by default.

    Returns
    -------
    matplotlib axes
    """
    posterior = getattr(posterior, 'posterior', posterior)
    means, c = found(posterior, 'means'), covariances(posterior)
    names = posterior.columns
    if means is None or c is None or means.shape[1] != len(names) or len(names) < 2:
        raise MeshbayesError('plot_components: got no two columns of numbers; expected a mixture of them')
    for name in columns:
        if isinstance(name, str) and name not in names:
            raise MeshbayesError(f'columns: got "{name}"; expected one of {", ".join(names)}', 'columns')
    i, j = (names.index(k) if isinstance(k, str) else whole('columns', k, 0, len(names) - 1) for k in columns)
    ax = _axes(ax, 'plot_components')
    label = None if X is None else posterior.predict(X)
    turn = np.linspace(0, 2 * np.pi, 100)
    for k, mean in enumerate(means):
        colour = f'C{k % 10}'
        if label is not None:
            rows = np.asarray(X)[label == k]
            ax.plot(rows[:, i], rows[:, j], '.', color=colour, alpha=.4, markersize=3)
        size, axes = np.linalg.eigh(c[k][np.ix_([i, j], [i, j])])
        round_it = axes @ (np.sqrt(np.maximum(size, 0))[:, None] * [np.cos(turn), np.sin(turn)])
        for sd in (1, 2):
            ax.plot(mean[i] + sd * round_it[0], mean[j] + sd * round_it[1], '-', color=colour,
                    label=f'component {k}' if sd == 1 else None)
    ax.set_xlabel(names[i])
    ax.set_ylabel(names[j])
    return ax


def _places(network: Network) -> Array:
    """By the second and third eigenvector of the Laplacian: who is linked lies together."""
    n = network.n or 0
    laplacian = np.zeros((n, n))
    for a, b in [] if network.edges is None else network.edges.tolist():
        if a != b:
            laplacian[a, b] = laplacian[b, a] = -1
    laplacian -= np.diag(laplacian.sum(1))
    places = np.zeros((n, 2))
    vectors = np.linalg.eigh(laplacian)[1][:, 1:3]
    places[:, :vectors.shape[1]] = vectors
    return places


def plot_network(network: Any, values: Optional[Any] = None, *, places: Optional[Any] = None, ax: Any = None) -> Any:
    """Nodes and links, coloured by a value of each node, such as `agreement.distance`.

    Parameters
    ----------
    network : Result, Network, array-like, sparse matrix or networkx graph
        Of links, or a result of a fit on them: those of a description are known once it was drawn.
    values : array-like of shape (nodes,), optional
        What colours the nodes.
    places : array-like of shape (nodes, 2), optional
        Where they are drawn; by default neighbours lie together.
    ax : matplotlib axes, optional
        Where; the current ones by default.

    Returns
    -------
    matplotlib axes
    """
    network = Network.of(getattr(network, 'network', network))
    if network.edges is None:
        raise MeshbayesError('network: got a description; expected links, or the result of a fit on it', 'network')
    at = _places(network) if places is None else np.asarray(places, float)
    for name, x, shape in (('places', at, (network.n, 2)), ('values', values, (network.n,))):
        if x is not None and np.shape(x) != shape:
            raise MeshbayesError(f'{name}: got an array of shape {np.shape(x)}; expected {shape}', name)
    ax = _axes(ax, 'plot_network')
    for a, b in network.edges:
        ax.plot(at[[a, b], 0], at[[a, b], 1], '-', color='0.7', linewidth=1, zorder=1)
    ax.scatter(at[:, 0], at[:, 1], c='C0' if values is None else np.asarray(values, float), zorder=2)
    for k, name in enumerate(network.names or []):
        ax.annotate(name, at[k])
    ax.set_axis_off()
    return ax


def plot_trace(result: Any, *, ax: Any = None) -> Any:
    """The lower bound by rounds, of a Result or of all those of a Simulation.

    Parameters
    ----------
    result : Result or Simulation
        With a trace.
    ax : matplotlib axes, optional
        Where; the current ones by default.

    Returns
    -------
    matplotlib axes
    """
    several = result if isinstance(result, Mapping) else {None: result}
    for one in several.values():
        if one.trace is None:
            raise MeshbayesError('trace: got none; expected a fit with trace=True', 'trace')
    ax = _axes(ax, 'plot_trace')
    for name, one in several.items():
        ax.plot(one.trace[:, 0], one.trace[:, 1], label=name)
    ax.set_xlabel('round')
    ax.set_ylabel('lower bound, nats')
    if len(several) > 1:
        ax.legend()
    return ax

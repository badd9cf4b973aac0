"""Pictures with matplotlib, which is imported when one is asked for."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._handle import Array, MeshbayesError, real, whole
from ._library import other
from ._network import Network
from ._show import BY_COMPONENT, covariances, found


# Of the parameters, for intervals.
_DRAWS = 1000


def _axes(ax: Any, called: str) -> Any:
    """ax, or the current axes of matplotlib."""
    if ax is not None:
        return ax
    return other('matplotlib.pyplot', called, 'matplotlib').gca()


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


def _spread(posterior: Any, prefix: str, values: Array) -> Array:
    """Variances of the rows of a component in each column."""
    if prefix == 'mean.':
        c = covariances(posterior)
        assert c is not None    # where there are means
        values = np.einsum('kjj->kj', c)
    elif prefix == 'share.':
        values = values * (1 - values)
    return values


def _profiles(posterior: Any) -> Tuple[List[str], Array, Array, List[int], bool]:
    """Of all that components have a mean, rate or share of: names, means and variances by component, where draws
    have it, and whether all are shares."""
    names: List[str] = []
    places: List[int] = []
    parts = []
    drawn = posterior.draw_columns
    for prefix, parameter in BY_COMPONENT:
        at = [k for k, name in enumerate(drawn) if name.startswith(prefix)]
        values = found(posterior, parameter)
        if not at or values is None:
            continue
        names += [drawn[k][len(prefix):] for k in at]
        places += at
        parts.append((values, _spread(posterior, prefix, values)))
    if not parts or found(posterior, 'weights') is None:
        raise MeshbayesError('plot_profiles: got no components; expected a mixture or latent classes')
    means, variances = (np.concatenate([part[k] for part in parts], axis=1) for k in (0, 1))
    return names, means, variances, places, all(drawn[k].startswith('share.') for k in places)


def plot_profiles(posterior: Any, *, columns: Optional[Sequence[str]] = None, level: float = 0.95,
                  standard: Optional[bool] = None, ax: Any = None) -> Any:
    """Components as lines over columns: means of numbers, rates of counts, shares of flags and categories, with
    intervals of these from draws of the posterior.

    Parameters
    ----------
    posterior : Posterior or Result
        Of a mixture or latent classes.
    columns : sequence of str, optional
        Which columns are shown, in this order; "NAME=LEVEL" of categories and flags. By default
        all, of two levels the second.
    level : float
        Probability of the intervals.
    standard : bool, optional
        Whether as standard deviations of all rows from their mean; by default unless all columns are shares.
    ax : matplotlib axes, optional
        Where; the current ones by default.

    Returns
    -------
    matplotlib axes
    """
    posterior = getattr(posterior, 'posterior', posterior)
    names, means, variances, places, shares = _profiles(posterior)
    level = real('level', level)
    if not 0 < level < 1:
        raise MeshbayesError(f'level: got {level}; expected a number between 0 and 1', 'level')
    pairs = [[n for n in names if n.startswith(column + '=')] for column in posterior.columns]
    first = {pair[0] for pair in pairs if len(pair) == 2}   # of two levels, whose shares add up to 1
    chosen = list([n for n in names if n not in first] if columns is None else columns)
    for name in chosen:
        if name not in names:
            raise MeshbayesError(f'columns: got "{name}"; expected one of {", ".join(names)}', 'columns')
    order = [names.index(name) for name in chosen]
    weights = posterior['weights']
    low, high = np.quantile(posterior.draws(_DRAWS)[:, :, places], [.5 - level / 2, .5 + level / 2], axis=0)
    centre, scale = np.zeros(len(names)), np.ones(len(names))
    standard = not shares if standard is None else standard
    if standard:
        centre = weights @ means
        scale = np.sqrt(weights @ (variances + (means - centre) ** 2))
        scale[scale == 0] = 1   # of columns that are constant
    means, low, high = ((x - centre) / scale for x in (means, low, high))
    ax = _axes(ax, 'plot_profiles')
    at = np.arange(len(order))
    for k, mean in enumerate(means):
        beside = at + (k - (len(means) - 1) / 2) * .3 / len(means)      # so that intervals lie beside each other
        ax.errorbar(beside, mean[order], [(mean - low[k])[order].clip(0), (high[k] - mean)[order].clip(0)], color=f'C{k % 10}',
                    marker='o', markersize=4, capsize=3, label=f'component {k} ({weights[k]:.0%})')
    slanted = len(''.join(chosen)) > 40     # they would lie on each other
    ax.set_xticks(at, chosen, rotation=30 if slanted else 0, ha='right' if slanted else 'center')
    ax.set_ylabel('standard deviations from the mean' if standard else 'share' if shares else 'mean, rate or share')
    ax.legend()
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
        ax.annotate(name, at[k], xytext=(5, 3), textcoords='offset points')
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

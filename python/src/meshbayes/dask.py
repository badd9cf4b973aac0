"""Fits to rows in the workers of a Dask cluster: sums travel in each round. Imported by name: `import meshbayes.dask`."""
from __future__ import annotations

from typing import Any, List, Optional

from ._fit import fit as _fit
from ._handle import MeshbayesError, real, whole
from ._posterior import Posterior, Statistics


def _sums(X: Any, y: Any, text: str) -> Statistics:
    """Of one part, in a worker."""
    return Posterior.from_json(text).expected_statistics(X, y)


def _add(*parts: Statistics) -> Statistics:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _parts(client: Any, x: Any) -> List[Any]:
    """Futures of the parts: of a Dask array or frame, or of a list, whose arrays go to workers here, once."""
    if not hasattr(x, 'to_delayed'):
        parts = list(x)
        here = [k for k, part in enumerate(parts) if not callable(getattr(part, 'result', None))]
        for k, future in zip(here, client.scatter([parts[k] for k in here], hash=False) if here else []):
            parts[k] = future
        return parts
    blocks = x.to_delayed()
    return list(client.compute(blocks.ravel().tolist() if hasattr(blocks, 'ravel') else blocks))


def fit(client: Any, X: Any, y: Any = None, *, start: Optional[Posterior] = None, rounds: int = 1000,
        tol: float = 1e-9, branches: int = 8, **how: Any) -> Posterior:
    """Central VB over rows that stay in the workers; their sums are added along a tree.

    In each round the posterior goes to each part as JSON, and one sum from each. Arrays of a list go to workers
    once, before the first round; targets that lie in another worker than their rows are fetched by Dask.

    Parameters
    ----------
    client : distributed.Client
        Of the cluster, whose workers have this package.
    X, y : dask array or frame, or a list of futures or arrays
        Rows in parts, of an array by rows alone, and targets of a regression in the same parts.
    start : Posterior, optional
        Where it begins, with the prior that it keeps; by default of a fit to the first part by `how`.
    rounds : int
        At most so many steps.
    tol : float
        It ends where a step moves the posterior by less, relative.
    branches : int
        Sums that are added at once.
    **how
        Of the fit to the first part, as of `fit`.

    Returns
    -------
    Posterior
    """
    rounds, tol, branches = whole('rounds', rounds, 1, 2 ** 31 - 1), real('tol', tol), whole('branches', branches, 2, 2 ** 20)
    parts = _parts(client, X)
    targets = [None] * len(parts) if y is None else _parts(client, y)
    if not parts or len(parts) != len(targets):
        raise MeshbayesError(f'X: got {len(parts)} parts, y {len(targets)}; expected as many, at least 1', 'x')
    posterior = start or client.submit(_begin, parts[0], targets[0], how, pure=False).result()
    for _ in range(rounds):
        text = posterior.to_json()
        sums = [client.submit(_sums, x, t, text, pure=False) for x, t in zip(parts, targets)]
        while len(sums) > 1:
            sums = [client.submit(_add, *sums[k:k + branches], pure=False) for k in range(0, len(sums), branches)]
        posterior = posterior.update(sums[0].result())
        if posterior.moved < tol:
            break
    return posterior


def _begin(X: Any, y: Any, how: Any) -> Posterior:
    return _fit(X, y, **how).posterior

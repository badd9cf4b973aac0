"""Posteriors as objects of scikit-learn and of xarray, which are imported when one is asked for."""
from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._handle import Array, MeshbayesError, MeshbayesTypeError
from ._library import other

# Forms of covariances whose E-step in scikit-learn is that of full matrices, with other probabilities.
_APPROXIMATE = ('diag', 'spherical')


def to_sklearn(posterior: Any) -> Any:
    """An estimator of scikit-learn with the attributes that the posterior has for it."""
    def refuse(why: str) -> MeshbayesTypeError:
        return MeshbayesTypeError(f'to_sklearn: {why}', 'posterior')

    try:
        found = {name: posterior['sklearn.' + name] for name in posterior._get('sklearn.parameters')}
    except MeshbayesError as why:
        raise refuse(str(why)) from None
    form = found.get('covariance_type')
    if form in _APPROXIMATE:
        raise refuse(f'got covariance_type {form}, whose probabilities scikit-learn computes as of full matrices; '
                     'expected full or tied, or use posterior["sklearn.means_"] ..')
    if json.loads(posterior.to_json()).get('unit') == 'group':
        raise refuse('got components of whole groups of rows; expected those of rows')
    if posterior.inputs != posterior.columns:
        raise refuse('got columns that a formula or categories make of ' + ', '.join(posterior.inputs)
                     + '; expected columns as they are')
    name = 'mixture.BayesianGaussianMixture' if form else \
        'decomposition.LatentDirichletAllocation' if 'exp_dirichlet_component_' in found else \
        'decomposition.FactorAnalysis' if 'components_' in found else \
        'linear_model.' + ('ARDRegression' if np.ndim(found.get('lambda_', 0)) else 'BayesianRidge')
    module, called = name.split('.')
    made = getattr(other('sklearn.' + module, 'to_sklearn', 'scikit-learn'), called)()
    names = found.pop('feature_names_in_')
    if names not in ([f'x{k + 1}' for k in range(len(names))], [f'{k}' for k in range(len(names))]):    # of an array
        found['feature_names_in_'] = np.array(names, object)
    if 'threshold_lambda' in vars(made):
        made.set_params(threshold_lambda=np.finfo(float).max)   # no input was removed
    if 'exp_dirichlet_component_' in found:
        made.set_params(n_components=len(found['components_']))
    vars(made).update(found, converged_=posterior.verdict == 'settled')
    return made


# The last dimension of a parameter, where it is not the columns; those that are square have it twice.
_LAST = {'weight_concentration': 'stick', 'precision': 'coefficient', 'group_scatter': 'effect', 'group_sd': 'effect',
         'count_shape': 'count', 'count_rate': 'count', 'count_means': 'count',
         'share_concentration': 'level', 'shares': 'level'}
_SQUARE = ('covariances', 'scale_matrices', 'w_inverse', 'precision', 'group_scatter')
# Kinds of inputs that have no coefficient.
_ADDED = ('offset', 'exposure')
Labels = Mapping[str, Sequence[Any]]


def _labels(posterior: Any, said: Dict[str, Any], drawn: List[str]) -> Dict[str, List[Any]]:
    """Coordinates of the dimensions that parameters and draws may have. said: its file; drawn: columns of draws."""
    kinds = said.get('kinds') or [''] * len(posterior.columns)
    columns = [c for c, kind in zip(posterior.columns, kinds) if kind not in _ADDED]
    out: Dict[str, List[Any]] = {}
    if said.get('weights') is not None:
        out['component'] = list(range(len(said['weights'])))
    for dim, prefix in (('count', 'rate.'), ('level', 'share.'), ('column', 'mean.')):
        names = [n[len(prefix):] for n in drawn if n.startswith(prefix)]
        out.update({dim: names} if names and out.get('component') else {})
    out.setdefault('column', columns)   # after that of the counts, which may be all columns
    out['stick'] = ['a', 'b']
    if posterior.targets:
        intercept = [] if said.get('intercept') is None else ['(intercept)']
        out['target'] = said['levels'][1:] if said.get('link') == 'multinomial' else posterior.targets
        each = intercept + columns
        out['coefficient'] = [f'{t}.{c}' for t in out['target'] for c in each] if said.get('link') == 'multinomial' else each
        out['effect'] = ['(intercept)'] + [c for c, kind in zip(columns, kinds) if kind == 'varying']
    return out


def _axes(name: str, n: int, mixture: bool, common: bool) -> List[str]:
    """Names of the dimensions of a parameter that has n of them."""
    last = _LAST.get(name, 'column')
    square = [last, last + '_2']
    if mixture:
        return (square if common and name in _SQUARE else ['component', *square])[:n]
    if name in _SQUARE:
        return square[:n]
    lead = [] if name == 'group_sd' else ['target']
    return (lead + [last] * (not lead or name.startswith(('coef', 'relevance'))))[-n:] if n else []


def _named(name: str, shape: Tuple[int, ...], axes: Sequence[str], labels: Labels) -> List[str]:
    """Dimensions of that shape: a name of the posterior's own where it is none of those that are known."""
    return [axes[k] if k < len(axes) and len(labels.get(axes[k].replace('_2', ''), ())) == size else f'{name}_dim_{k}'
            for k, size in enumerate(shape)]


def _dataset(variables: Dict[str, Tuple[List[str], Array]], labels: Labels, posterior: Any) -> Any:
    xarray = other('xarray', 'to_xarray', 'xarray')
    used = {dim for dims, _ in variables.values() for dim in dims}
    coordinates = {dim: list(labels[dim.replace('_2', '')]) for dim in sorted(used) if dim.replace('_2', '') in labels}
    return xarray.Dataset(variables, coordinates, {'model': posterior.model, 'rows': posterior.rows, 'bound': posterior.bound})


def to_xarray(posterior: Any, draws: Optional[int], seed: int) -> Any:
    """Parameters, or draws of them, as a Dataset."""
    said, drawn = json.loads(posterior.to_json()), posterior.draw_columns
    labels = _labels(posterior, said, drawn)
    if draws is not None:
        return _draws(posterior, draws, seed, labels, drawn)
    variables = {}
    common = str(said.get('covariance_type')) == 'tied'
    for name in posterior.parameters:
        try:
            value = np.asarray(posterior[name])
        except KeyError:
            continue    # one that this posterior has no values of
        if value.dtype.kind in 'fi':
            axes = _axes(name, value.ndim, 'component' in labels, common)
            variables[name] = (_named(name, value.shape, axes, labels), value)
    return _dataset(variables, labels, posterior)


def _whole(labels: Labels) -> List[Tuple[List[str], List[str]]]:
    """Dimensions that the numbers of a draw may run over, and what they are then called."""
    one = [([dim], [str(w) for w in words]) for dim, words in labels.items() if dim != 'component']
    columns = labels['column']
    return one + [(['target', 'column'], [f'{t}.{c}' for t in labels.get('target', ()) for c in columns])]


def _square(labels: Labels, called: List[str]) -> Optional[str]:
    """The dimension whose pairs, the lower triangle by rows, they are."""
    for dim in ('column', 'effect'):
        words = labels.get(dim, ())
        if called == [f'{a}.{b}' for i, a in enumerate(words) for b in words[:i + 1]]:
            return dim
    return None


def _draws(posterior: Any, n: int, seed: int, labels: Dict[str, List[Any]], drawn: List[str]) -> Any:
    out = posterior.draws(n, seed)
    lead = ['draw'] + ['component'] * ('component' in labels)
    out = out if len(lead) == 2 else out[:, 0]
    places: Dict[str, List[int]] = {}
    for k, name in enumerate(drawn):
        if name not in ('draw', 'component'):
            places.setdefault(name.split('.')[0], []).append(k)
    variables = {}
    for key, at in places.items():
        values, called = out[..., at], [drawn[k][len(key) + 1:] for k in at]
        square = _square(labels, called) if called != [''] else None
        dims = next((dims for dims, words in _whole(labels) if words == called), [f'{key}_dim'])
        if called == ['']:
            values, dims = values[..., 0], []
        elif square:
            i, j = np.tril_indices(len(labels[square]))
            matrix = np.empty((*values.shape[:-1], len(labels[square]), len(labels[square])))
            matrix[..., i, j] = matrix[..., j, i] = values
            values, dims = matrix, [square, square + '_2']
        else:
            values = values.reshape(*values.shape[:-1], *(len(labels[d]) if d in labels else len(called) for d in dims))
            labels.setdefault(dims[0], called)
        variables[key] = (['chain', *lead, *dims], values[None])
    return _dataset(variables, {**labels, 'chain': [0], 'draw': list(range(n))}, posterior)

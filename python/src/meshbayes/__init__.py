"""Variational Bayes on networks without a centre: mixtures, latent classes and regressions.

`fit` fits a model to arrays, on one machine or on a network; its Result has a Posterior.
"""
import typing as _typing
from importlib import import_module as _import_module
from typing import Any as _Any, List as _List

from ._algorithm import Algorithm, AlgorithmNode
from ._fit import Agreement, Result, fit
from ._handle import (MeshbayesError, MeshbayesTypeError, MeshbayesWarning, Option, Round, algorithms,
                      known_models as _known_models, models, options)
from ._library import version as _version
from ._network import Network
from ._plot import plot_components, plot_network, plot_profiles, plot_trace
from ._posterior import Posterior, Statistics
from ._simulate import Simulation, simulate

if _typing.TYPE_CHECKING:
    from ._node import Node
    from .estimators import *

# Of estimators.py, which is imported when one is asked for, as _node.py is: those that models name, and two
# that fix options.
_ESTIMATORS = sorted({m.estimator for m in _known_models() if m.estimator} |
                     {'BayesianGaussianMixture', 'BayesianPoissonRegression'})

__version__ = _version()
__all__ = [*_ESTIMATORS, 'Agreement', 'Algorithm', 'AlgorithmNode', 'MeshbayesError', 'MeshbayesTypeError',
           'MeshbayesWarning', 'Network', 'Node', 'Option', 'Posterior', 'Result', 'Round', 'Simulation',
           'Statistics', 'algorithms', 'fit', 'models', 'options', 'plot_components', 'plot_network', 'plot_profiles', 'plot_trace',
           'simulate', '__version__']


if not _typing.TYPE_CHECKING:      # or it would have every name
    def __getattr__(name: str) -> _Any:
        if name not in ('Node', *_ESTIMATORS):
            raise AttributeError(f'module {__name__} has no attribute {name}')
        return getattr(_import_module('._node' if name == 'Node' else '.estimators', __name__), name)


def __dir__() -> _List[str]:
    return sorted(__all__)

"""Variational Bayes on networks without a centre: mixtures, latent classes and regressions.

`fit` fits a model to arrays, on one machine or on a network; its Result has a Posterior.
"""
from ._fit import Agreement, Result, fit
from ._handle import (MeshbayesError, MeshbayesTypeError, MeshbayesWarning, Option, Round, algorithms,
                      models, options)
from ._library import version as _version
from ._network import Network
from ._posterior import Posterior

__version__ = _version()
__all__ = ['Agreement', 'MeshbayesError', 'MeshbayesTypeError', 'MeshbayesWarning', 'Network',
           'Option', 'Posterior', 'Result', 'Round', 'algorithms', 'fit', 'models', 'options',
           '__version__']

"""Variational Bayes on networks without a centre: mixtures, latent classes and regressions."""
from ._library import version as _version

__version__ = _version()
__all__ = ['__version__']

"""Estimators of scikit-learn, made of the library's list of models: one that names a class appears here by
itself. estimators.pyi has what type checkers and editors see, as python/stubs.py writes it.

Imported when one of them is asked for: scikit-learn is no need of the package itself.
"""
from ._estimators import made as _made

_classes = _made()
globals().update(_classes)
__all__ = list(_classes)

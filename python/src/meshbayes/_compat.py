"""What versions of scikit-learn call differently. 1.2 is tested; what 1.6 and later call is not tested with
them, only with stand-ins for their functions and tags (python/tests/check_estimators.py)."""
from __future__ import annotations

from typing import Any, Dict

from sklearn.utils import validation

# A tag of 1.2, and where later versions have it.
_PLACE = {'allow_nan': ('input_tags', 'allow_nan'), 'multioutput': ('target_tags', 'multi_output'),
          'requires_positive_y': ('target_tags', 'positive_only')}


def validate(estimator: Any, X: Any, y: Any = 'no_validation', *, allow_nan: bool = False, **how: Any) -> Any:
    """Rows, and targets where they are given, that scikit-learn has checked."""
    finite: Any = 'allow-nan' if allow_nan else True
    if hasattr(validation, 'validate_data'):    # 1.6
        return validation.validate_data(estimator, X, y, ensure_all_finite=finite, **how)
    return estimator._validate_data(X, y, force_all_finite=finite, **how)


def note_columns(estimator: Any, X: Any) -> None:
    """Keeps the names and the number of the columns that are fitted."""
    if hasattr(validation, 'validate_data'):
        validation.validate_data(estimator, X, reset=True, skip_check_array=True)
        return
    estimator._check_feature_names(X, reset=True)
    estimator._check_n_features(X, reset=True)


class Tags:
    """Tags of an estimator, which says in `_says` those of them that differ from the usual."""

    def _says(self) -> Dict[str, bool]:
        return {}

    def _more_tags(self) -> Dict[str, bool]:
        return self._says()

    def __sklearn_tags__(self) -> Any:      # 1.6
        tags = super().__sklearn_tags__()   # type: ignore[misc]
        for name, value in self._says().items():
            group, tag = _PLACE[name]
            setattr(getattr(tags, group), tag, value)
        return tags

"""Rows as the library reads them: arrays where they are; columns of frames with names and kinds."""
from __future__ import annotations

import os
from numbers import Real
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

import numpy as np

from ._handle import Array, MeshbayesError, MeshbayesTypeError, encoded, wrong_type
from ._library import other

Levels = Mapping[str, Sequence[str]]


class Table(NamedTuple):
    """Columns: numbers, names (None: of an array) and kinds (None: all numbers)."""

    x: Any
    names: Optional[List[str]]
    kinds: Optional[List[str]]


def is_frame(x: Any) -> bool:
    """A frame or a series of pandas, which is not imported."""
    return hasattr(x, 'iloc') and hasattr(x, 'to_numpy')


def rows_of(name: str, x: Any) -> Any:
    """Frames of others (`__dataframe__`) and files of Parquet as frames of pandas, what has `__array__` as an array,
    all else as it is."""
    if is_frame(x) or isinstance(x, np.ndarray) or hasattr(x, 'tocoo'):
        return x
    frames = hasattr(x, '__dataframe__')
    files = isinstance(x, (str, os.PathLike)) and os.fspath(x)[-8:] in ('.parquet', b'.parquet')
    if not (frames or files or hasattr(x, '__array__')):
        return x
    try:
        if files:
            return other('pandas', name, 'pandas').read_parquet(x)
        if frames:
            return other('pandas.api.interchange', name, 'pandas', f', or {name} as an array').from_dataframe(x)
        return np.asarray(x)
    except ImportError as why:  # also of what pandas reads Parquet with
        raise ImportError(f'{name}: got a file of Parquet; expected pandas with pyarrow or fastparquet: {why}'
                          .splitlines()[0] if files else str(why)) from None
    except OSError:
        raise
    except Exception as why:    # of the object's own functions
        raise MeshbayesTypeError(f'{name}: got {type(x).__name__}, which cannot be read: {why}', name) from None


def kind_of(levels: Sequence[str]) -> str:
    """"category(f|m)" of names."""
    escaped = (''.join('\\' + c if c in '\\,|():' else c for c in level) for level in levels)
    return 'category(' + '|'.join(escaped) + ')'


def coded(name: str, column: int, words: Array, missing: Array,
          levels: Sequence[str]) -> Array:
    """Numbers of words among levels, NaN where one is missing."""
    place = {level: k for k, level in enumerate(levels)}
    out = np.full(len(words), np.nan)
    for j, word in enumerate(words):
        if missing[j]:
            continue
        if str(word) not in place:
            raise MeshbayesError(f'{name}: got "{word}" in row {j}, column {column}; expected one of '
                                 + ', '.join(levels), name, j, column)
        out[j] = place[str(word)]
    return out


def _column(name: str, k: int, c: Any, known: Optional[Sequence[str]]) -> Any:
    """Numbers of a column of a frame, and its levels or None."""
    missing = np.asarray(c.isna())
    if hasattr(c.dtype, 'categories'):
        levels = list(known or map(str, c.dtype.categories))
    elif known or c.dtype.kind in 'OU':
        words = c.to_numpy(dtype=object)[~missing]
        if not known and not all(isinstance(w, str) for w in words):
            return c.to_numpy(dtype=np.float64, na_value=np.nan), None
        levels = list(known or sorted(set(words)))
    else:
        return c.to_numpy(dtype=np.float64, na_value=np.nan), None
    return coded(name, k, c.to_numpy(dtype=object), missing, levels), levels


def numpy_of(x: Any) -> Optional[Array]:
    """A list as an array; None: it is none."""
    try:
        return np.asarray(x) if isinstance(x, (list, tuple)) else None
    except ValueError:
        return None


def is_words(a: Array) -> bool:
    """Whether all items are texts."""
    return a.dtype.kind == 'U' or (a.dtype.kind == 'O' and a.size > 0
                                   and all(isinstance(w, str) for w in a.flat))


def table(name: str, x: Any, levels: Optional[Levels] = None) -> Table:
    """A frame's columns, or an array as it is. levels: of columns that were learnt as categories."""
    if not is_frame(x):
        words = x if isinstance(x, np.ndarray) else numpy_of(x)
        if name != 'y' or words is None or words.ndim != 1 or not is_words(words):
            return Table(x, None, None)
        found = next(iter((levels or {}).values()), None) or sorted(set(words.tolist()))
        return Table(coded(name, 0, words, np.zeros(len(words), bool), found), None,
                     [kind_of(found)])
    if not hasattr(x, 'columns'):
        x = x.to_frame()
        if x.columns[0] in (None, 0):
            x.columns = [name]
    names = [str(c) for c in x.columns]
    levels = levels or {}
    if all(getattr(t, 'kind', 'O') in 'biuf' and not hasattr(t, 'na_value') for t in x.dtypes) \
            and not set(levels) & set(names):
        return Table(x.to_numpy(), names, None)
    out, kinds = np.empty(x.shape), ['number'] * len(names)
    for k, column in enumerate(names):
        try:
            out[:, k], found = _column(name, k, x.iloc[:, k], levels.get(column))
        except (TypeError, ValueError) as why:
            if isinstance(why, MeshbayesError):
                raise
            raise MeshbayesTypeError(f'{name}: column "{column}": got items of type '
                                     f'{x.dtypes.iloc[k]}; expected numbers, words or categories',
                                     name, -1, k) from None
        if found:
            kinds[k] = kind_of(found)
    return Table(out, names, kinds if any(k != 'number' for k in kinds) else None)


def pick(x: Any, columns: Sequence[str]) -> Any:
    """The columns of a frame that a posterior has, in its order; an array as it is."""
    if not is_frame(x) or not hasattr(x, 'columns'):
        return x
    names = [str(c) for c in x.columns]
    missing = [c for c in columns if c not in names]
    if missing:
        raise MeshbayesError(f'x: got no column "{missing[0]}"; expected ' + ', '.join(columns), 'x')
    return x if names == list(columns) else x.iloc[:, [names.index(c) for c in columns]]


class Taken(NamedTuple):
    """A response that is a column of X, as the formula names it."""

    y: Any


class Named(NamedTuple):
    """Rows as a formula names them."""

    X: Any
    y: Any
    groups: Any
    columns: Optional[Sequence[str]]
    target: Optional[List[str]]     # name of a target that has none


def by_formula(named: Sequence[Sequence[str]], X: Any, y: Any, groups: Any,
               columns: Optional[Sequence[str]]) -> Named:
    """Response, group and inputs out of the columns of X. named: names and roles, as the library has them."""
    role = {what: name for name, what in named}
    target = [role['response']] if 'response' in role else None
    other = y is not None and not isinstance(y, Taken)
    y = y.y if isinstance(y, Taken) else y
    if is_frame(X) and hasattr(X, 'columns'):
        names = [str(c) for c in X.columns]
        apart = [role[what] for what in ('response', 'group') if what in role]
        found = {name: X.iloc[:, names.index(name)] for name in apart if name in names}
        keep = [k for k, name in enumerate(names)
                if name not in apart and ('inputs' in role or [name, 'input'] in [list(n) for n in named])]
        X = X.iloc[:, keep] if keep else np.zeros((X.shape[0], 1))
        columns = [names[k] for k in keep] or ['(none)'] if columns is None else columns
    else:
        a = numpy_of(X) if isinstance(X, (list, tuple)) else X
        width = a.shape[1] if isinstance(a, np.ndarray) and a.ndim == 2 else 0
        names = listed('columns', columns) if columns is not None else [f'x{k + 1}' for k in range(width or 1)]
        found = {name: a[:, k] for k, name in enumerate(names[:width]) if isinstance(a, np.ndarray)}
        if other and target and target[0] in found:     # another column than y
            target = None
    if y is None and target:
        y = found.get(target[0])
    return Named(X, y, found.get(role.get('group', '')) if groups is None else groups, columns, target)


def beside(X: Any, columns: Optional[Sequence[str]], targets: Sequence[str]) -> Any:
    """Inputs and targets of an array that has both, by the names of its columns (None: x1, x2, ..), and its
    names without those of the targets; without targets: what it has."""
    a = numpy_of(X) if isinstance(X, (list, tuple)) else X
    if is_frame(X) or not targets or not isinstance(a, np.ndarray) or a.ndim != 2:
        return X, None, columns
    names = [f'x{k + 1}' for k in range(a.shape[1])] if columns is None else list(columns)
    rest = [name for name in names if name not in targets]
    if len(names) - len(rest) < len(targets) or a.shape[1] not in (len(names), len(rest)):
        return X, None, columns
    if a.shape[1] == len(rest):
        return X, None, rest
    y, last = a[:, [names.index(t) for t in targets]], names[len(rest):] == list(targets)
    return a[:, :len(rest)] if last else a[:, [names.index(name) for name in rest]], y, rest


def listed(name: str, words: Any) -> List[str]:
    """Texts of a list, a tuple, an array or an index."""
    words = words.tolist() if hasattr(words, 'tolist') else words
    if not isinstance(words, (list, tuple)):
        raise wrong_type(name, words, 'a list of texts')
    for word in words:
        encoded(name, word)     # refused here
    return list(words)


def all_kinds(x: Table, y: Optional[Table], kinds: Any, columns: Optional[Sequence[str]],
              width: int) -> Optional[List[str]]:
    """Kinds of the columns of x and then y: those of frames, and those that the caller gives, as a
    list, or by name."""
    dy = 0 if y is None else (len(y.kinds) if y.kinds else np.shape(y.x)[1] if np.ndim(y.x) > 1 else 1)
    found = (x.kinds or ['number'] * width) + ((y.kinds if y and y.kinds else ['number'] * dy))
    if kinds is None:
        return found if x.kinds or (y and y.kinds) else None
    if not isinstance(kinds, Mapping):
        return listed('kinds', kinds)
    names = list(columns or x.names or [f'x{k + 1}' for k in range(width)])
    names += (y.names or ['y'])[:dy] if y else []
    for name, kind in kinds.items():
        if name not in names:
            raise MeshbayesError(f'kinds: got "{name}"; expected a column: ' + ', '.join(names),
                                 'kinds')
        found[len(names) - 1 - names[::-1].index(name)] = kind  # a target's, where both have it
    return found


def text_of(label: Any) -> str:
    """The text of a label: whole numbers print alike, so that 4.0 is 4."""
    return str(int(label) if isinstance(label, Real) and label % 1 == 0 else label)


def places(name: str, labels: Any, known: Optional[Sequence[str]] = None) -> Array:
    """Labels of rows as numbers: whole numbers as they are, others by their place among the known
    ones or, of groups, one number for each."""
    if hasattr(labels, 'to_numpy'):
        labels = labels.to_numpy()
    try:
        a = np.asarray(labels)
    except ValueError:
        raise wrong_type(name, labels, 'one number or name for each row') from None
    if a.ndim != 1:
        raise MeshbayesError(f'{name}: got {a.ndim} dimensions; expected 1', name)
    if a.dtype.kind in 'biuf':
        return a
    if a.dtype.kind not in 'OUS':
        raise wrong_type(name, labels, 'numbers or names')
    if known is None:
        place: Array = np.unique([text_of(w) for w in a.tolist()], return_inverse=True)[1] if len(a) else np.empty(0)
        return place
    return coded(name, 0, a, np.zeros(len(a), bool), known)


def together(name: str, group: Array) -> Array:
    """Groups whose rows follow each other. ValueError: one comes again."""
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]]) if len(group) else np.empty(0, int)
    seen: Dict[Any, int] = {}
    for j in starts if len(np.unique(group)) < len(starts) else starts[:0]:
        if group[j] in seen:
            raise MeshbayesError(f'{name}: the group of row {seen[group[j]]} comes again in row {j}; '
                                 'expected the rows of a group one after the other', name, int(j))
        seen[group[j]] = int(j)
    return group

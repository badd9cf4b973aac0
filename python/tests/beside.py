"""What the tests of the package share: the package beside them, with the library of the program."""
import contextlib
import os
import sys
import types
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.dirname(HERE)
TOP = os.path.dirname(PYTHON)
sys.path[:0] = [os.path.join(PYTHON, 'src'), os.path.join(TOP, 'tests', 'reference')]


def package(prog):
    """The package, which calls the objects that the program was linked from."""
    os.environ['MESHBAYES_LIBRARY'] = prog.library()
    import meshbayes
    warnings.simplefilter('ignore', meshbayes.MeshbayesWarning)
    return meshbayes


def excused():
    """Estimators and checks of scikit-learn's that do not hold."""
    with open(os.path.join(HERE, 'estimator_checks.txt')) as f:
        return {tuple(line.split()[:2]) for line in f if line[0] != '#'}


def refused(call, *args, **how):
    """The error that it raises, None: none."""
    try:
        call(*args, **how)
    except Exception as why:
        return why
    return None


def says(claims, text, words, call, *args, kind=ValueError, place=None, **how):
    why = refused(call, *args, **how)
    found = None if why is None else (getattr(why, 'option', None), getattr(why, 'row', None),
                                      getattr(why, 'column', None))
    claims.check(isinstance(why, kind) and words in str(why) and (place is None or place == found),
                 f'{text}: {type(why).__name__} {why} {found}')


class Column(np.ndarray):
    """As much of a series of pandas as is asked for."""
    iloc = None

    def isna(self):
        return np.array([v is None or v != v for v in self.tolist()])

    def to_numpy(self, dtype=None, na_value=None):
        return np.asarray(self, dtype=dtype)

    def to_frame(self):
        return Frame({0: self})


class Frame:
    """As much of a frame of pandas as is asked for."""

    def __init__(self, columns):
        self.columns, self.iloc = list(columns), self
        self.held = [np.asarray(c).view(Column) for c in columns.values()]
        self.dtypes, self.shape = [c.dtype for c in self.held], (len(self.held[0]), len(self.held))

    def __getitem__(self, at):
        if not isinstance(at, tuple):
            return Frame({name: column[at] for name, column in zip(self.columns, self.held)})
        if isinstance(at[1], int):
            return self.held[at[1]]
        return Frame({self.columns[k]: self.held[k] for k in at[1]})

    def __len__(self):
        return self.shape[0]

    def __array__(self, dtype=None):
        return np.asarray(self.to_numpy(), dtype)

    def to_numpy(self):
        return np.column_stack(self.held)


class Other:
    """A frame of another package: all that is known of it is its interchange object."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, *_, **__):
        return self._frame.__dataframe__()


class Held:
    """An array of another package."""

    def __init__(self, x):
        self._x = x

    def __array__(self, *_, **__):
        if self._x is None:
            raise RuntimeError('it is elsewhere')
        return self._x


@contextlib.contextmanager
def others_read():
    """As pandas reads frames of others: what they hold is their frame."""
    name = 'pandas.api.interchange'
    kept, sys.modules[name] = sys.modules.get(name), types.SimpleNamespace(from_dataframe=lambda x: x._frame)
    try:
        yield
    finally:
        del sys.modules[name]
        if kept is not None:
            sys.modules[name] = kept


def every_frame():
    """Kinds of frames: the stand-in, and that of pandas where it is there."""
    try:
        from pandas import DataFrame
    except ImportError:
        return [Frame]
    return [Frame, DataFrame]

"""A handle of the library, and its errors as Python's."""
from __future__ import annotations

import contextlib
import contextvars
import ctypes
import functools
import inspect
import numbers as _numbers
import os
import re
import threading
import time
from typing import (TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, NoReturn, Optional, Sequence,
                    Tuple)

import numpy as np

from ._library import LIB, TEXTS, TICK, texts

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]    # of any shape and type
else:
    Array = np.ndarray      # has no items before Python 3.9


class MeshbayesError(ValueError):
    """What the library refuses, in its words.

    Attributes
    ----------
    option : str
        The option or array that is wrong; "": none.
    row, column : int
        Where, from 0; -1: nowhere.
    """

    def __init__(self, text: str, option: str = '', row: int = -1, column: int = -1) -> None:
        super().__init__(text)
        self.option, self.row, self.column = option, row, column


class MeshbayesTypeError(TypeError):
    """A value of a type that is not accepted; `option` is its name."""

    def __init__(self, text: str, option: str = '', row: int = -1, column: int = -1) -> None:
        super().__init__(text)
        self.option, self.row, self.column = option, row, column


class MeshbayesWarning(UserWarning):
    """A sentence on a result that its reader should know."""


def depth() -> int:
    """Calls of the package that lead to the caller, for a warning at the line of the user's."""
    frame, n = inspect.currentframe(), 0
    while frame and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        frame, n = frame.f_back, n + 1
    return n


def wrong_type(name: str, value: Any, expected: str) -> MeshbayesTypeError:
    """The error that says so."""
    return MeshbayesTypeError(f'{name}: got {type(value).__name__}; expected {expected}', name)


def encoded(name: str, text: Any) -> bytes:
    """A text for the library. Neither a zero nor half a character has a place in it."""
    if not isinstance(text, str):
        raise wrong_type(name, text, 'a text')
    try:
        code = text.encode()
    except UnicodeEncodeError:
        raise MeshbayesError(f'{name}: got a text that is not Unicode; expected one', name) from None
    if b'\0' in code:
        raise MeshbayesError(f'{name}: got a text with a zero character; expected none', name)
    return code


_CODES = {'float64': 0, 'float32': 1, 'int64': 2, 'int32': 3, 'uint8': 4}


def numbers(name: str, x: Any) -> Array:
    """x as an array that the library reads where it is; a copy only of types that it does not know."""
    if hasattr(x, 'tocoo'):
        raise MeshbayesTypeError(f'{name}: got a sparse matrix; expected an array, '
                                 f'as {name}.toarray() makes', name)
    if isinstance(x, np.ma.MaskedArray):
        masked: Any = x.astype(np.float64)
        x = masked.filled(np.nan)
    try:
        a = np.asarray(x)
        if a.dtype.kind == 'O':
            a = a.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as why:
        raise MeshbayesTypeError(f'{name}: got {type(x).__name__}; expected numbers: {why}',
                                 name) from None
    if a.dtype.kind not in 'biuf':
        raise MeshbayesTypeError(f'{name}: got items of type {a.dtype}; expected numbers', name)
    if a.dtype.kind == 'b':
        a = a.view(np.uint8)
    elif a.dtype.name not in _CODES:
        a = a.astype(np.float64)
    if not (a.dtype.isnative and a.flags.aligned):
        a = a.astype(a.dtype.newbyteorder('='))
    return a


def whole(name: str, value: Any, least: int, most: int) -> int:
    """A whole number of the range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, _numbers.Integral):
        raise wrong_type(name, value, f'a whole number from {least} to {most}')
    if not least <= int(value) <= most:
        raise MeshbayesError(f'{name}: got {value}; expected a whole number from {least} to {most}',
                             name)
    return int(value)


def real(name: str, value: Any) -> float:
    """A number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, _numbers.Real):
        raise wrong_type(name, value, 'a number')
    return float(value)


class Round(NamedTuple):
    """What a callback receives after each round.

    Attributes
    ----------
    attempt : int
        Of the initialisations, from 0; -1: of the run whose result is taken.
    round : int
        Rounds of this run so far.
    bound : float
        The lower bound, in nats and units of the data; NaN: it is not known.
    """

    attempt: int
    round: int
    bound: float


Callback = Callable[[Round], Any]
_NO_TICK = TICK(0)
# Seconds that Ctrl-C waits for the end of a round or a pass over the rows.
_PATIENCE = 0.5


class Handle:
    """Owns an mb_bind. One thread at a time: those who call hold `lock`."""

    def __init__(self, model: Optional[str] = None, text: Optional[bytes] = None) -> None:
        self._b: Optional[int] = None
        if text is None:
            self._b = LIB.mb_bind_new(None if model is None else encoded('model', model))
        else:
            self._b = LIB.mb_bind_from_json(text, len(text))
        self.lock = threading.RLock()
        self._arrays: List[Array] = []   # arrays that the library reads
        self.raised: List[BaseException] = []   # by functions of the caller's, in work
        self._halves: Tuple[Any, ...] = (None, None)
        self.left = threading.Event()   # by a caller who was interrupted, while it works
        self._columns: Dict[str, str] = {}      # that options name, such as an exposure
        if not self._b:
            raise MemoryError('meshbayes: out of memory')
        if LIB.mb_bind_error(self._b, None, None, None, None):
            self.refuse()

    def __del__(self, free: Callable[..., Any] = LIB.mb_bind_free) -> None:
        if getattr(self, '_b', None):
            free(self._b)

    def refuse(self) -> NoReturn:
        """Raises the error of the last call."""
        text, option = ctypes.c_char_p(), ctypes.c_char_p()
        row, column = ctypes.c_int64(), ctypes.c_int64()
        code = LIB.mb_bind_error(self._b, ctypes.byref(text), ctypes.byref(option),
                                 ctypes.byref(row), ctypes.byref(column))
        said = (text.value or b'').decode(errors='replace')
        if code == -1:
            raise MemoryError(said)
        raise MeshbayesError(said, (option.value or b'').decode(errors='replace'), row.value,
                             column.value)

    def call(self, name: str, *given: Any) -> None:
        """mb_bind_NAME of this handle."""
        if getattr(LIB, 'mb_bind_' + name)(self._b, *given):
            self.refuse()

    def list(self, what: str) -> List[Tuple[str, ...]]:
        """Rows of a list."""
        text, n, d = TEXTS(), ctypes.c_int64(), ctypes.c_int64()
        self.call('list', what.encode(), ctypes.byref(text), ctypes.byref(n), ctypes.byref(d))
        return [tuple(text[j * d.value + k].decode() for k in range(d.value))
                for j in range(n.value)]

    def array(self, name: str, x: Any) -> None:
        """Gives an array, which is kept until `forget`."""
        a = numbers(name, x)
        self._arrays.append(a)
        size = ctypes.c_int64 * a.ndim
        self.call('array', encoded('option', name), _CODES[a.dtype.name], a.ndim, size(*a.shape),
                  size(*a.strides), a.__array_interface__['data'][0])

    def forget(self) -> None:
        """No array is read any more."""
        LIB.mb_bind_array(self._b, None, 0, 0, None, None, None)
        self._arrays.clear()

    def algorithm(self, name: str, halves: Tuple[Any, ...] = (None, None), vectors: int = 0) -> None:
        """Of the list, "cvb", or the caller's own, whose functions are kept."""
        self.call('algorithm', encoded('algorithm', name), *halves, vectors, None)
        self._halves = halves

    def texts(self, name: str, words: Optional[Sequence[str]]) -> None:
        """Gives texts; None: none."""
        code = tuple(encoded(name, w) for w in words or ())
        self.call('texts', name.encode(), len(code), texts(code))

    def named(self) -> List[Tuple[str, ...]]:
        """The columns that the formula and other options name, and what they are."""
        return self.list('formula') + [(column, 'input') for name, column in self._columns.items()
                                       if name != 'target-column']

    @property
    def target(self) -> Optional[str]:
        """The column that is explained, where an option names it."""
        return self._columns.get('target-column')

    def option(self, name: str, value: Any) -> None:
        """Sets an option: numbers, texts, True and False, or an array; None: its default."""
        code = encoded('option', name)
        if name.endswith('-column') and isinstance(value, str):
            self._columns[name] = value
        if isinstance(value, np.ndarray) and not value.ndim:
            value = value.item()
        if isinstance(value, (list, tuple, np.ndarray)):
            self.array(name, value)
            return
        if value is None:
            self.call('set', code, None)
            return
        if isinstance(value, (bool, np.bool_)):
            value = 'on' if value else 'off'
        elif isinstance(value, _numbers.Integral):
            value = str(int(value))
        elif isinstance(value, _numbers.Real):
            value = repr(float(value))
        elif not isinstance(value, str):
            raise wrong_type(name, value, 'a number, a text, True, False or an array')
        self.call('set', code, encoded(name, value))

    def get(self, name: str, node: int = -1) -> Any:
        """A copy of a thing of the result: a number, an array, a text or a list of texts."""
        kind, ndim = ctypes.c_int(), ctypes.c_int32()
        shape, x = (ctypes.c_int64 * 3)(), ctypes.c_void_p()
        self.call('get', node, encoded('get', name), ctypes.byref(kind), ctypes.byref(ndim), shape,
                  ctypes.byref(x))
        size = tuple(shape[:ndim.value])
        if kind.value == 5:
            if not size:
                return ctypes.cast(x, TEXTS)[0].decode()
            return [ctypes.cast(x, TEXTS)[k].decode() for k in range(size[0])] if size[0] else []
        dtype = np.int64 if kind.value == 2 else np.float64
        n = int(np.prod(size))
        out = np.frombuffer(ctypes.string_at(x.value or 0, 8 * n), dtype).reshape(size).copy() \
            if n else np.empty(size, dtype)
        return out if size else out[()].item()

    def warnings(self) -> List[str]:
        """Sentences on the result."""
        text = TEXTS()
        return [text[k].decode() for k in range(LIB.mb_bind_warnings(self._b, ctypes.byref(text)))]

    def json(self, node: int = -1) -> str:
        """A posterior as JSON."""
        text, n = ctypes.c_void_p(), ctypes.c_size_t()
        self.call('json', node, ctypes.byref(text), ctypes.byref(n))
        return ctypes.string_at(text.value or 0, n.value).decode()

    def work(self, name: str, callback: Optional[Callback], *given: Any) -> None:
        """A fit or an update, which Ctrl-C ends."""
        raised = self.raised
        raised.clear()

        def tick(_: Any, attempt: int, t: int, bound: float) -> int:
            if self.left.is_set():
                return 2
            try:
                return 1 if callback(Round(attempt, t, bound)) else 0   # type: ignore[misc]
            except BaseException as why:    # goes on in the caller of fit
                raised.append(why)
                return 2

        c_tick = TICK(tick) if callback else _NO_TICK
        function = getattr(LIB, 'mb_bind_' + name)

        def run() -> int:
            try:
                return int(function(self._b, *given, c_tick, None))
            finally:
                self._arrays.clear()

        code = self._in_a_thread(run)
        if raised:
            raise raised.pop(0)
        if code:
            self.refuse()

    def _in_a_thread(self, work: Callable[[], int]) -> int:
        """The main thread waits, since a signal reaches Python only there; others work themselves. Work that does not
        end soon after a signal is left: it ends when it asks, and has all that it reads until then."""
        if threading.current_thread() is not threading.main_thread():
            return work()
        done, begins, begun, code = threading.Event(), threading.Lock(), [False], [0]
        interrupt: Optional[BaseException] = None
        until = np.inf

        def stop() -> None:
            while not done.wait(0.1):
                LIB.mb_bind_stop(self._b)

        def run() -> None:
            with begins:
                if interrupt:
                    return
                begun[0] = True
            try:
                code[0] = work()
            finally:
                done.set()

        thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True,
                                  name='meshbayes')
        while True:
            try:
                if not (begun[0] or interrupt):
                    thread.start()
                # Stopped again and again: the work may only just begin.
                while not (self.left.is_set() or done.wait(0.02 if interrupt else None)):
                    LIB.mb_bind_stop(self._b)
                    if time.monotonic() > until:
                        self.left.set()
                if self.left.is_set():
                    with contextlib.suppress(RuntimeError):     # no more threads: it was asked above
                        threading.Thread(target=stop, daemon=True, name='meshbayes stop').start()
                break
            except BaseException as why:    # KeyboardInterrupt, or what a handler of a signal raises
                interrupt, until = why, min(until, time.monotonic() + _PATIENCE)
                with begins:
                    if not begun[0]:
                        raise
            finally:    # also where a second signal leaves this loop
                if interrupt:
                    LIB.mb_bind_stop(self._b)
        if interrupt:
            raise interrupt
        return code[0]


class Option(NamedTuple):
    """An option of fits, of a model or of an algorithm, as the library lists it."""

    name: str
    owner: str
    type: str
    default: str
    least: str
    most: str
    choices: str
    unit: str
    sklearn: str
    help: str

    @property
    def words(self) -> List[str]:
        """Words that a choice takes, others for the same too."""
        return re.split('[|=]', self.choices)


@functools.lru_cache(maxsize=None)
def _listed(what: str, model: Optional[str]) -> Tuple[Tuple[str, ...], ...]:
    return tuple(Handle(model).list(what))


class Model(NamedTuple):
    """A model, as the library lists it: what it has none of is empty."""

    name: str
    title: str
    estimator: str      # name of its class
    groups: str         # which rows are in groups: "always", "OPTION=CHOICE"
    gaps: str           # "gaps": NaN is a missing value
    algorithm: str = 'edge'     # of networks, where none is asked for


def known_models() -> List[Model]:
    """All of them. A later library may say more."""
    return [Model(*row[:len(Model._fields)]) for row in _listed('models', None)]


def models() -> Dict[str, str]:
    """Models: names and titles."""
    return {m.name: m.title for m in known_models()}


def algorithms() -> Dict[str, str]:
    """Algorithms of networks: names and titles."""
    return dict(_listed('algorithms', None))    # type: ignore[arg-type]


def options(model: str = 'gmm') -> List[Option]:
    """Options of a model, of fits and of all algorithms, with defaults, ranges and help.

    Parameters
    ----------
    model : str
        One of `meshbayes.models()`.
    """
    encoded('model', model)
    return [Option(*row) for row in _listed('options', model)]


@functools.lru_cache(maxsize=None)
def spellings(model: str) -> Dict[str, str]:
    """Names of options as keywords, "prior_mu0", and how the list spells them, "prior.mu0"."""
    return {o.name.replace('-', '_').replace('.', '_'): o.name for o in options(model)}

"""Algorithms of the caller's own: two functions of a node."""
from __future__ import annotations

import ctypes
import threading
from ctypes import POINTER, c_double, c_int, c_int32, c_int64, c_uint8, c_void_p
from typing import Any, Callable, List, Optional, Tuple

import numpy as np

from ._handle import Array, MeshbayesError, encoded, whole, wrong_type


class _Seen(ctypes.Structure):
    """mb_bind_node."""

    _fields_ = [('len', c_int64), ('t', c_int64), ('id', c_int32), ('deg', c_int32), ('scale', c_double),
                ('prior', c_void_p), ('phi_star', c_void_p), ('phi', c_void_p), ('state', c_void_p),
                ('message', c_void_p), ('received', POINTER(c_void_p)), ('fresh', POINTER(c_uint8)),
                ('weight', POINTER(c_double)), ('weight_self', c_double)]


HALF = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(_Seen))


def _copy(at: int, *shape: int) -> Array:
    n = int(np.prod(shape))
    return np.frombuffer(ctypes.string_at(at, 8 * n) if n else b'').reshape(shape).copy()


class AlgorithmNode:
    """A node as `emit` and `absorb` see it. Arrays are its own copies; `phi`, `message` (in emit) and
    `state` are what the node has afterwards, and may be written or replaced.

    Attributes
    ----------
    id, round, neighbours : int
        Its number from 0, the round from 1, how many neighbours it has.
    scale : float
        Nodes of the network.
    prior : ndarray
        phi without rows.
    phi_star : ndarray
        Of the last local step: prior + scale times the statistics of its rows.
    phi : ndarray
        Its estimate, which the algorithm moves.
    state : ndarray of shape (vectors, len(phi))
        The algorithm's own, zero at first.
    message : ndarray
        What it sends.
    received : list of ndarray or None
        In absorb: the newest message of each neighbour; None: none came yet.
    fresh : list of bool
        In absorb: whether it came in this round.
    weight, weight_self : list of float, float
        In absorb: combination weights of the neighbours, and of the node itself.
    """

    def __init__(self, seen: _Seen, vectors: int) -> None:
        n = seen.len
        self.id: int = seen.id
        self.round: int = seen.t
        self.neighbours: int = seen.deg
        self.scale: float = seen.scale
        self.prior, self.phi_star, self.phi, self.message = (
            _copy(at, n) for at in (seen.prior, seen.phi_star, seen.phi, seen.message))
        self.state = _copy(seen.state, vectors, n)
        self.weight_self: float = seen.weight_self
        self._shapes = {'phi': (n,), 'message': (n,), 'state': (vectors, n)}
        here = range(seen.deg if seen.received else 0)
        self.received: List[Optional[Array]] = [
            _copy(seen.received[j], n) if seen.received[j] else None for j in here]
        self.fresh = [bool(seen.fresh[j]) for j in here]
        self.weight = [float(seen.weight[j]) for j in here]

    def _back(self, seen: _Seen, names: Tuple[str, ...]) -> None:
        """What it has afterwards."""
        for name in names:
            a = np.array(getattr(self, name), np.float64, order='C')
            if a.shape != self._shapes[name]:
                raise MeshbayesError(f'algorithm: got {name} of shape {a.shape}; expected '
                                     f'{self._shapes[name]}', 'algorithm')
            ctypes.memmove(getattr(seen, name), a.ctypes.data, a.nbytes)


class Algorithm:
    """An algorithm of your own, which `fit` and `simulate` take in place of a name.

    Parameters
    ----------
    name : str
        Its name in results.
    emit : callable
        Of an `AlgorithmNode`: sets its message, first half of a round; what is true: it sends nothing.
    absorb : callable
        Of an `AlgorithmNode`: moves its phi by what was received, second half of a round.
    vectors : int
        Vectors of state that each node keeps.

    Notes
    -----
    Both are called in one thread, in the order of the nodes. What they raise ends the fit, and comes
    out of it.
    """

    def __init__(self, name: str, emit: Callable[[AlgorithmNode], Any], absorb: Callable[[AlgorithmNode], Any],
                 vectors: int = 0) -> None:
        encoded('name', name)
        for half, function in (('emit', emit), ('absorb', absorb)):
            if not callable(function):
                raise wrong_type(half, function, 'a function of one AlgorithmNode')
        self.name, self.emit, self.absorb = name, emit, absorb
        self.vectors = whole('vectors', vectors, 0, 1000)

    def _halves(self, raised: List[BaseException], left: threading.Event) -> Tuple[Any, Any]:
        """Both as the library calls them; what they raise is put into the list. left: they are called no longer."""
        def half(function: Callable[[AlgorithmNode], Any], emits: bool) -> Any:
            kept = ('phi', 'state', 'message') if emits else ('phi', 'state')

            def call(_: Any, at: Any) -> int:
                if left.is_set():
                    return 2
                try:
                    node = AlgorithmNode(at.contents, self.vectors)
                    quiet = function(node)
                    node._back(at.contents, kept)
                    return 1 if emits and quiet else 0
                except BaseException as why:    # goes on in the caller of fit
                    raised.append(why)
                    return 2
            return HALF(call)
        return half(self.emit, True), half(self.absorb, False)

    def __repr__(self) -> str:
        return f'<Algorithm {self.name}>'

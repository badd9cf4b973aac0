"""Finds the shared library and declares the functions of bind.h."""
from __future__ import annotations

import ctypes
import ctypes.util
import importlib
import os
import shutil
from ctypes import (CFUNCTYPE, POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
                    c_uint64, c_void_p)
from typing import Any, Iterator, List, Optional, Tuple

TEXTS = POINTER(c_char_p)
TICK = CFUNCTYPE(c_int, c_void_p, c_int32, c_int64, c_double)
_HANDLE = c_void_p
_OUT64 = POINTER(c_int64)
_OUT32 = POINTER(c_int32)
_REAL = POINTER(c_double)

# Of each function mb_bind_NAME: what it returns, what it is given.
FUNCTIONS = {
    'version': (c_char_p, ()),
    'new': (_HANDLE, (c_char_p,)),
    'from_json': (_HANDLE, (c_char_p, c_size_t)),
    'free': (None, (_HANDLE,)),
    'error': (c_int, (_HANDLE, TEXTS, TEXTS, _OUT64, _OUT64)),
    'warnings': (c_int64, (_HANDLE, POINTER(TEXTS))),
    'list': (c_int, (_HANDLE, c_char_p, POINTER(TEXTS), _OUT64, _OUT64)),
    'set': (c_int, (_HANDLE, c_char_p, c_char_p)),
    'array': (c_int, (_HANDLE, c_char_p, c_int, c_int32, _OUT64, _OUT64, c_void_p)),
    'texts': (c_int, (_HANDLE, c_char_p, c_int64, TEXTS)),
    'network': (c_int, (_HANDLE, c_char_p, c_uint64, c_int32, c_int64, c_void_p)),
    'algorithm': (c_int, (_HANDLE, c_char_p, c_void_p, c_void_p, c_int32, c_void_p)),
    'fit': (c_int, (_HANDLE, TICK, c_void_p)),
    'stop': (None, (_HANDLE,)),
    'update': (c_int, (_HANDLE, c_double, TICK, c_void_p)),
    'statistics': (c_int, (_HANDLE, _OUT64, c_void_p, _REAL, _REAL)),
    'add_statistics': (c_int, (_HANDLE, c_int64, c_void_p, c_double, c_double, c_int64)),
    'get': (c_int, (_HANDLE, c_int32, c_char_p, POINTER(c_int), _OUT32, _OUT64,
                    POINTER(c_void_p))),
    'predict': (c_int, (_HANDLE, c_int32, c_char_p, c_double, c_int32, c_void_p, _OUT64)),
    'score': (c_int, (_HANDLE, c_int32, c_int, _REAL, _REAL, c_void_p)),
    'sample': (c_int, (_HANDLE, c_int32, c_int, c_uint64, c_int64, c_int64, c_void_p, c_void_p,
                       _OUT64)),
    'json': (c_int, (_HANDLE, c_int32, POINTER(c_void_p), POINTER(c_size_t))),
}


_HERE = os.path.dirname(os.path.abspath(__file__))


def built(name: str) -> List[str]:
    """Paths of a file in build folders of the sources that this package lies in, the newest first."""
    top = os.path.dirname(os.path.dirname(os.path.dirname(_HERE)))
    build = os.path.join(top, 'build')
    if not (os.path.exists(os.path.join(top, 'CMakeLists.txt')) and os.path.isdir(build)):
        return []
    found = [os.path.join(build, f, name) for f in os.listdir(build)]
    return sorted(filter(os.path.exists, found), key=os.path.getmtime, reverse=True)


def program(name: str, variable: str) -> Optional[str]:
    """A program as the variable names it, of the PATH, or of a build folder; None: there is none."""
    given = os.environ.get(variable)
    return next(filter(None, map(shutil.which, [given] if given is not None else [name, *built(name)])), None)


def missing(name: str, variable: str) -> str:
    """Why there is none."""
    given = os.environ.get(variable)
    return f'{variable}: got "{given}"; expected a program' if given is not None else \
        (f'got no program "{name}" in the PATH or in build/*/; expected one, as the package {name} of Debian has it, '
         f'or as {variable} names it')


def _places() -> Iterator[str]:
    """Where the library may be: as MESHBAYES_LIBRARY says, beside this file, in a build folder of the
    sources, the newest first, where the system has it."""
    if 'MESHBAYES_LIBRARY' in os.environ:
        yield os.environ['MESHBAYES_LIBRARY']
        return
    yield os.path.join(_HERE, 'libmeshbayes.so')
    yield from built('libmeshbayes.so')
    name = ctypes.util.find_library('meshbayes')
    if name:
        yield name


def _load() -> ctypes.CDLL:
    tried: List[str] = []
    for place in _places():
        if os.sep in place and not os.path.exists(place):
            tried.append(place + ': there is no such file')
            continue
        try:
            lib = ctypes.CDLL(place)
            declare(lib)
            return lib
        except (OSError, AttributeError) as why:
            tried.append(f'{place}: {why}')
    raise ImportError('meshbayes: the library was not found; expected it as MESHBAYES_LIBRARY names '
                      'it, beside the package, or installed; tried:\n  ' + '\n  '.join(tried))


def declare(lib: ctypes.CDLL) -> None:
    """Types of the functions. AttributeError: the library is an older one."""
    for name, (returned, given) in FUNCTIONS.items():
        function = getattr(lib, 'mb_bind_' + name)
        function.restype, function.argtypes = returned, given


def other(module: str, called: str, package: str, instead: str = '') -> Any:
    """A module of a package that is not needed otherwise. ImportError: it is missing, in the name of what was called."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(f'{called}: {package} is missing; expected it installed, as by "pip install {package}"'
                          + instead) from None


LIB = _load()


def version() -> str:
    """The version of the library, "MAJOR.MINOR.PATCH"."""
    return bytes(LIB.mb_bind_version()).decode()


def texts(words: Tuple[bytes, ...]) -> ctypes.Array[c_char_p]:
    """An array of texts."""
    return (c_char_p * len(words))(*words)

"""A bar of tqdm, where it is there."""
from __future__ import annotations

import contextlib
import sys
from typing import Any, Iterator, Optional

from ._handle import Callback, Round, wrong_type
from ._library import other

# Seconds of a fit before a bar that was not asked for appears.
_SHORT = 1.0


def _is_watched() -> bool:
    """Whether somebody reads along: a terminal or a notebook."""
    return 'ipykernel' in sys.modules or bool(sys.stderr is not None and sys.stderr.isatty())


@contextlib.contextmanager
def bar(progress: Any, title: str, callback: Optional[Callback]) -> Iterator[Optional[Callback]]:
    """The callback, which moves a bar, too; as it is where there is none. progress: as of `fit`."""
    if progress is not None and not isinstance(progress, bool):
        raise wrong_type('progress', progress, 'True, False or None')
    tqdm = None
    if progress or progress is None and _is_watched():
        try:
            tqdm = other('tqdm.auto', 'progress', 'tqdm').tqdm
        except ImportError:
            if progress:
                raise
    if tqdm is None or not _is_watched():
        yield callback
        return
    with tqdm(desc=title, unit=' rounds', leave=False, delay=0 if progress else _SHORT) as shown:
        def moved(now: Round) -> Any:
            shown.set_postfix_str(f'bound {now.bound:.9g}', refresh=False)
            shown.update()
            return callback(now) if callback else None
        yield moved

"""`python -m meshbayes ..` runs the program, where there is one."""
import os
import shutil
import sys
from typing import Optional

from ._library import built


def program() -> Optional[str]:
    """As MESHBAYES_PROGRAM says, of the PATH, or of a build folder; None: there is none."""
    if 'MESHBAYES_PROGRAM' in os.environ:
        return shutil.which(os.environ['MESHBAYES_PROGRAM'])
    return next(filter(None, (shutil.which(name) for name in ('meshbayes', *built('meshbayes')))), None)


def main() -> None:
    """Becomes the program: its answers, its signals, its status."""
    found = program()
    if not found:
        given = os.environ.get('MESHBAYES_PROGRAM')
        sys.exit('meshbayes: ' + (f'MESHBAYES_PROGRAM: got "{given}"; expected a program' if given else
                                  'got no program "meshbayes" in the PATH or in build/*/; expected one, as the '
                                  'package meshbayes of Debian has it, or as MESHBAYES_PROGRAM names it'))
    os.execv(found, ['meshbayes', *sys.argv[1:]])


if __name__ == '__main__':
    main()

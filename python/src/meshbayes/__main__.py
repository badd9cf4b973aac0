"""`python -m meshbayes ..` runs the program, where there is one."""
import os
import sys

from ._library import missing, program

_WHICH = ('meshbayes', 'MESHBAYES_PROGRAM')


def main() -> None:
    """Becomes the program: its answers, its signals, its status."""
    found = program(*_WHICH)
    if not found:
        sys.exit('meshbayes: ' + missing(*_WHICH))
    os.execv(found, ['meshbayes', *sys.argv[1:]])


if __name__ == '__main__':
    main()

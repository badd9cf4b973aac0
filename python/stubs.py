#!/usr/bin/python3
"""stubs.py: prints src/meshbayes/estimators.pyi, the classes that the library's list of models makes, with
their parameters. Of the library of MESHBAYES_LIBRARY, or as the package finds it. check_types.py compares."""
import inspect
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = '''"""Written by python/stubs.py from the library's lists of models and options."""
from typing import Any, Optional, Union

from . import _estimators

__all__ = {names}
'''
KINDS = {'integer': 'int', 'real': 'float', 'auto': 'Union[float, str]', 'choice': 'str', 'flag': 'bool'}


def kind(option, default):
    """The type of a parameter. Texts may be arrays."""
    if option is None or option.sklearn == 'random_state':      # which may be a generator of numpy
        return 'Any' if default is None else type(default).__name__
    found = KINDS.get('flag' if isinstance(default, bool) else option.type, 'Any')
    return f'Optional[{found}]' if default is None and found != 'Any' else found


def stub(cls, base, known):
    parameters = [f'{p.name}: {kind(known.get(p.name), p.default)} = ...'
                  for p in inspect.signature(cls).parameters.values()]
    lines, line = [], '    def __init__(self, *'
    for one in parameters:
        if len(line) + len(one) > 105:
            lines.append(line + ',')
            line = '                 ' + one
        else:
            line += ', ' + one
    return f'\n\nclass {cls.__name__}(_estimators.{base}):\n' + '\n'.join([*lines, line + ') -> None: ...']) + '\n'


def text():
    """What the file is to be."""
    from meshbayes import _estimators, estimators
    classes = [getattr(estimators, name) for name in estimators.__all__]
    own = vars(_estimators)
    # One that is written there keeps what it has more than its base.
    return HEAD.format(names=estimators.__all__) + ''.join(
        stub(c, c.__name__ if own.get(c.__name__) is c else c.__mro__[1].__name__, _estimators._parameters(c._model))
        for c in classes)


if __name__ == '__main__':
    sys.path.insert(0, os.path.join(HERE, 'src'))
    print(text(), end='')

#!/usr/bin/python3
"""check_docs.py PROGRAM: the Python of docs/howto/python.md, of its gallery and of the README, as it stands
there, prints what stands behind it, with anything for "..."; the examples of the package's texts hold, and they have the form of numpydoc."""
import contextlib
import doctest
import io
import os
import re
import sys

import numpy as np

from beside import TOP, package
from harness import main


def page(*name):
    with open(os.path.join(TOP, *name)) as f:
        return f.read()


def printed(code, names):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, 'block', 'exec'), names)
    return out.getvalue()


def as_shown(got, shown):
    return re.fullmatch(r'.*'.join(map(re.escape, shown.split('...'))), got) is not None


def blocks_of(claims, name, least):
    """Code and what it prints."""
    found = re.findall(r'^```python\n(.*?)^```\n\n```text\n(.*?)^```$', page('docs', 'howto', name), re.M | re.S)
    claims.check(len(found) >= least, f'docs/howto/{name} has {len(found)} blocks')
    return found


def one_page(claims):
    """Its blocks follow each other; rows of its table are evaluated where the table stands."""
    names, beside = {}, {}
    for code, shown in blocks_of(claims, 'python.md', 4):
        got = printed(code, names)
        claims.check(as_shown(got, shown), f'{code.splitlines()[0][:60]}: {got}')
        if 'theirs' in names and not beside:
            beside.update(names)
    table = re.findall(r'^\| `(.+?)` \| `(.+?)` \| (\S+) \|$', page('docs', 'howto', 'python.md'), re.M)
    claims.check(len(table) >= 10, f'the table beside scikit-learn has {len(table)} rows')
    for theirs, ours, to in table:
        a, b = eval(theirs, beside), eval(ours, beside)
        claims.check(np.shape(a) == np.shape(b) and (to == 'shape' or np.abs(np.subtract(a, b)).max() <= float(to)),
                     f'{theirs} and {ours} agree: {to}')


class Any:
    """In place of matplotlib: all that is asked for is there, and does nothing."""

    def __getattr__(self, name):
        return self

    def __call__(self, *_, **__):
        return self


def gallery(claims):
    """Each block stands alone, in at most twelve lines, and has a picture."""
    try:
        __import__('matplotlib').use('Agg')
    except ImportError:
        claims.note('no matplotlib: the gallery runs without its pictures')
        sys.modules['matplotlib'] = sys.modules['matplotlib.pyplot'] = Any()
    blocks = blocks_of(claims, 'python-gallery.md', 12)
    for code, shown in blocks:
        got = printed(code, {})
        drawn = sys.modules['matplotlib.pyplot']
        claims.check(as_shown(got, shown) and len(code.splitlines()) <= 12 and drawn.gca().has_data(),
                     f'{code.splitlines()[-1][:70]}: {got}')
        drawn.close('all')
    pictures = re.findall(r'```\n\n!\[.+\]\((.+)\)', page('docs', 'howto', 'python-gallery.md'))
    sizes = [os.path.getsize(os.path.join(TOP, 'docs', 'howto', picture)) for picture in pictures]
    claims.check(len(sizes) == len(set(pictures)) == len(blocks) and sum(sizes) < 1e6, f'pictures after the examples: {sizes}')


# What numpydoc asks for and these texts do without: text that begins on the second line, sections of examples,
# references and of what the first line says already, capitals and full stops in the library's help.
NOT_ASKED = ('GL01', 'GL02', 'ES01', 'EX01', 'SA01', 'SS05', 'SS06', 'RT01', 'RT03', 'PR08', 'PR09')


def form(claims, mb):
    """Texts of all public names have numpydoc's form, and name all parameters; of classes that the library makes, and
    of the methods that scikit-learn has, too, only those that are theirs."""
    try:
        from numpydoc.validate import validate
    except ImportError:
        claims.note('no numpydoc: the form of the texts is left out')
        return
    names = ['dask.fit', *mb.__all__[:-1]]
    for name in mb.__all__[:-1]:
        methods = vars(getattr(mb, name)) if isinstance(getattr(mb, name), type) else {}
        names += [f'{name}.{m}' for m, of in methods.items()
                  if m[0] != '_' and (callable(of) or isinstance(of, (classmethod, staticmethod, property)))]
    estimators = tuple(mb._ESTIMATORS)
    wrong = [f'{name}: {text}' for name in names for code, text in validate('meshbayes.' + name)['errors'] if code not in NOT_ASKED
             and not (code == 'PR01' and (name.startswith(estimators) or isinstance(getattr(mb, name, None), type)))]
    claims.check(not wrong and len(names) > 60, f'{len(names)} texts in the form of numpydoc: {wrong}')


def check(claims, prog):
    mb = package(prog)
    form(claims, mb)
    one_page(claims)
    gallery(claims)
    block = re.search(r'^    import .*\n(?:    .*\n)+', page('README.md'), re.M)
    claims.check(block is not None, 'the README has a block for Python')
    got = printed(re.sub('^    ', '', block.group(0), flags=re.M), {})
    claims.check(re.search(r'on \d+ nodes, settled after', got) is not None, f'it prints a result: {got}')
    for module in (mb._fit, mb._posterior, mb._network, mb._simulate):
        claims.check(not doctest.testmod(module).failed, f'the examples of {module.__name__} hold')


main(check)

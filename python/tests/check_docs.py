#!/usr/bin/python3
"""check_docs.py PROGRAM: the Python of docs/howto/python.md and of the README, as it stands there, prints
what stands behind it, with anything for "..."; the examples of the package's texts hold."""
import contextlib
import doctest
import io
import os
import re

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


def check(claims, prog):
    mb = package(prog)
    blocks = re.findall(r'^```python\n(.*?)^```\n\n```text\n(.*?)^```$', page('docs', 'howto', 'python.md'),
                        re.M | re.S)
    claims.check(len(blocks) >= 4, f'docs/howto/python.md has {len(blocks)} blocks')
    names = {}
    for code, shown in blocks:
        got = printed(code, names)
        claims.check(as_shown(got, shown), f'{code.splitlines()[0][:60]}: {got}')
    block = re.search(r'^    import .*\n(?:    .*\n)+', page('README.md'), re.M)
    claims.check(block is not None, 'the README has a block for Python')
    got = printed(re.sub('^    ', '', block.group(0), flags=re.M), {})
    claims.check(re.search(r'on \d+ nodes, settled after', got) is not None, f'it prints a result: {got}')
    for module in (mb._fit, mb._posterior, mb._network, mb._simulate):
        claims.check(not doctest.testmod(module).failed, f'the examples of {module.__name__} hold')


main(check)

#!/usr/bin/python3
"""check_types.py PROGRAM: `mypy --strict` finds no fault in the package, whose users see its types."""
import os
import shutil
import subprocess
import sys

from beside import PYTHON, TOP
from harness import main

USER = """import meshbayes
result = meshbayes.fit([[1.0]], n_components=1)
reveal_type(result.posterior.columns)
result.posterior.predict(level=0.5)
"""


def mypy(*args):
    """What it says. Its cache is kept, as builds are."""
    found = shutil.which('mypy')
    if not found:
        sys.exit('check_types: there is no mypy; please install the package mypy')
    return subprocess.run([found, '--strict', '--config-file', 'pyproject.toml', '--cache-dir',
                           os.path.join(TOP, 'build', 'mypy'), *args], cwd=PYTHON, capture_output=True, text=True)


def check(claims, prog):
    done = mypy()
    claims.check(done.returncode == 0, f'mypy --strict: {done.stdout}{done.stderr}')
    with open(prog.file('user.py'), 'w') as f:
        f.write(USER)
    said = mypy(prog.file('user.py')).stdout
    claims.check('list[builtins.str]' in said, f'users see the types of the package: {said}')
    claims.check('user.py:4: error: Missing positional argument "X"' in said, 'a call that is wrong is found')


main(check)

#!/usr/bin/python3
"""check_types.py PROGRAM: `mypy --strict` finds no fault in the package, whose users see its types, those of
the estimators as the library lists them."""
import os
import shutil
import subprocess
import sys

from beside import PYTHON, TOP, package
from harness import main

USER = """import meshbayes
result = meshbayes.fit([[1.0]], n_components=1)
reveal_type(result.posterior.columns)
result.posterior.predict(level=0.5)
meshbayes.LatentClassMixture(n_components=2, missing="marginalise").fit([[1.0]])
meshbayes.LatentClassMixture(n_components="two")
meshbayes.NoMixture
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
    for line, words in ((4, 'Missing positional argument "X"'), (6, 'incompatible type "str"; expected "int"'),
                        (7, 'Module has no attribute "NoMixture"')):
        claims.check(f'user.py:{line}: error: ' in said and words in said, f'what is wrong is found: {words}')
    claims.check('user.py:5' not in said, 'an estimator is called as it is')
    package(prog)
    sys.path.insert(0, PYTHON)
    import stubs
    with open(os.path.join(PYTHON, 'src', 'meshbayes', 'estimators.pyi')) as f:
        claims.check(f.read() == stubs.text(), 'estimators.pyi is what python/stubs.py writes')


main(check)

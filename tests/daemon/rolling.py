#!/usr/bin/python3
"""rolling.py OLD NEW: a ring of nodes of two builds comes to the right answer; then each node ends and goes on
with its state under the other program, until none is left as it was; and back. Ports 7390 to 7399."""
import os
import sys
import tempfile
from contextlib import closing

from claims import claim, claims
from mesh import FAR, Mesh, ring

BASE, N, SECONDS = 7390, 6, 60


def right(mesh, what):
    try:
        took = mesh.settle(SECONDS)
    except AssertionError as e:
        return claim(f'{what}: {e}', False)
    far = mesh.far()
    return claim(f'{what}: settled after {took:.1f} s, N = {N}, one step {far:.0e}', far <= FAR)


def start(mesh, build, i):
    mesh.program = os.path.join(build, 'meshbayes-node')
    mesh.start(i)


def check(builds, folder, more, what):
    with closing(Mesh(builds[0], os.path.join(folder, what.split()[-1]), N, BASE, links=ring(N, (1,)), **more)) as mesh:
        for i in range(N):
            start(mesh, builds[i % 2], i)
        right(mesh, f'{what}: every other node is new')
        for i in range(N):
            claim(f'node {i} ends', mesh.stop(i) == [0])
            start(mesh, builds[1 - i % 2], i)
            right(mesh, f'{what}: node {i} is {("new", "old")[i % 2]} now')
        claim(f'{what}: no frame is refused for its version or values', not [
            (i, r) for i in range(N) for r in mesh.status(i)['frames_refused'] if r in ('version', 'value', 'plan')])


def main():
    if len(sys.argv) != 3:
        sys.exit(f'use: {sys.argv[0]} OLD NEW')
    builds = [os.path.abspath(path) for path in sys.argv[1:]]
    with tempfile.TemporaryDirectory(prefix='mb', ignore_cleanup_errors=True) as folder:
        check(builds, folder, {}, 'a genesis from a file')
        check(builds, folder, {'genesis': None, 'model': {'name': 'gmm', 'n_components': 3}}, 'one drawn from a sample')
    sys.exit(claims.finish())


main()

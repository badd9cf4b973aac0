#!/usr/bin/python3
"""check_failed.py BUILD: a node that fails says so in a line of its log and ends with status 1, and the next
life begins. Ports 7340 to 7349."""
import os
import shutil
from contextlib import closing

from claims import claim, main
from mesh import Mesh, soon
from reasons import edit, log

BASE = 7340


def check(build, folder):
    """Node 3 is node 2 once more, in a later life; both of the neighbours of node 2 hear it."""
    with closing(Mesh(build, os.path.join(folder, 'net'), 4, BASE, links={(0, 1), (0, 2), (1, 2)})) as mesh:
        mesh.start(0, 1, 2)
        mesh.settle(30)
        shutil.copy(mesh.where(2, 'node.json'), mesh.where(3, 'node.json'))
        shutil.copy(mesh.where(2, 'node.key'), mesh.where(3, 'node.key'))
        edit(mesh, 3, lambda c: c.update(listen=f'tcp://127.0.0.1:{BASE + 3}'))
        mesh.start(3)
        first = mesh.running[2]
        soon('node 2 has not ended', lambda: (first.poll() is not None, log(mesh, 2)), 15)
        claim(f'it ends with status {first.returncode}', first.returncode == 1)
        lines = [x for x in log(mesh, 2).splitlines() if 'verdict=failed' in x]
        claim('one line of its log says why', len(lines) == 1 and 'reason="another node has this node\'s id' in lines[0])
        mesh.kill(3)
        mesh.running.pop(2)
        mesh.start(2)
        mesh.settle(30, [0, 1, 2])
        claim('the next life goes on', mesh.far([0, 1, 2]) < 1e-6)


main(check)

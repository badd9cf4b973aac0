#!/usr/bin/python3
"""check_names.py BUILD: neighbours whose addresses are names: a name server that does not answer, that has
no address, and that has another one later. Ports 7310 to 7319."""
import os
import subprocess
import time
from contextlib import closing

from claims import claim, main
from mesh import Mesh, soon
from reasons import becomes, edit, links, neighbour

BASE = 7310
HERE = os.path.dirname(os.path.abspath(__file__))


class Named(Mesh):
    """With a name server of its own."""

    def answer(self, **names):
        with open(self.where(0, 'names.new'), 'w') as f:
            f.write(''.join(f'{name}.test {address}\n' for name, address in names.items()))
        os.replace(self.where(0, 'names.new'), self.where(0, 'names'))


def check(build, folder):
    shim = os.path.join(folder, 'names_shim.so')
    subprocess.run([os.environ.get('CC', 'cc'), '-std=c11', '-O1', '-shared', '-fPIC', '-o', shim,
                    os.path.join(HERE, 'names_shim.c'), '-ldl'], check=True)
    with closing(Named(build, os.path.join(folder, 'net'), 4, BASE, links={(0, 3), (1, 3), (2, 3)})) as mesh:
        edit(mesh, 3, lambda c: neighbour(c, 1).update(address=f'tcp://moves.test:{BASE + 1}'))
        edit(mesh, 3, lambda c: neighbour(c, 2).update(address=f'tcp://nowhere.test:{BASE + 2}'))
        mesh.answer(nowhere='-')
        mesh.environment = dict(os.environ, LD_PRELOAD=shim, NAMES=mesh.where(0, 'names'))
        mesh.start()
        soon('node 3 answers', lambda: (os.path.exists(mesh.where(3, 's')), ''))
        becomes(mesh, 3, '0', 'live')
        becomes(mesh, 3, '2', 'unresolved', 'nowhere.test')
        becomes(mesh, 3, '1', 'unresolved', 'no answer of the name server')
        claim('a link by address works meanwhile', links(mesh, 3)['0'][0] == 'live')
        mesh.answer(moves='127.0.0.1', nowhere='-')
        becomes(mesh, 3, '1', 'live')
        mesh.stop(1)
        becomes(mesh, 3, '1', 'silent')
        edit(mesh, 1, lambda c: c.update(listen=f'tcp://127.0.0.2:{BASE + 1}'))
        mesh.answer(moves='127.0.0.2', nowhere='127.0.0.1')
        mesh.start(1)
        becomes(mesh, 3, '1', 'live')
        becomes(mesh, 3, '2', 'live')
        mesh.answer()                              # the server is gone again
        mesh.kill(2)
        time.sleep(6)
        claim('and links go on without it', [links(mesh, 3)[k][0] for k in '01'] == ['live', 'live'])
        begun = time.monotonic()
        claim('the node ends with 0', mesh.stop(3) == [0])
        claim('at once', time.monotonic() - begun < 3)


main(check)

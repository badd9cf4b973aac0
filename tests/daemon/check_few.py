#!/usr/bin/python3
"""check_few.py BUILD: nodes with min_nodes wait for each other: they draw no genesis, and none of a part says
settled, until there are as many. Ports 7290 to 7299."""
import json
import os
from contextlib import closing

from claims import claim, main
from mesh import Mesh, soon
from reasons import edit, log

BASE, RING = 7290, {(0, 1), (1, 2), (2, 3), (0, 3)}
FEW = '3 of at least 4 nodes (min_nodes)'


def reasons(mesh, i):
    return json.loads(mesh.get(i, '/readyz')[1])['reasons']


def says(mesh, nodes, words):
    """All of them have it as a reason."""
    def holds():
        try:
            said = [reasons(mesh, i) for i in nodes]
        except OSError:
            return False, ''
        return all(words in one for one in said), said

    soon(words, holds, 30)


def drawn(build, folder, source):
    with closing(Mesh(build, folder, 4, BASE, RING, min_nodes=4)) as mesh:
        for i in range(4):
            edit(mesh, i, lambda c: (c.pop('genesis'),
                                     c.update(model={'n_components': 3, 'genesis': source})))
        mesh.start(1, 2, 3)
        says(mesh, (1, 2, 3), FEW)
        claim(f'{source}: three of four draw nothing', all('no genesis yet' in reasons(mesh, i) for i in (1, 2, 3)))
        claim('the status says so', mesh.status(2)['message'] == 'waits for min_nodes nodes')
        mesh.start(0)
        mesh.settle(60)
        claim(f'{source}: four have one answer', mesh.far() < 1e-6)
        mesh.kill(0)
        says(mesh, (1, 2, 3), FEW)
        claim('and three of them are not settled', all(mesh.status(i)['verdict'] == 'moving' for i in (1, 2, 3)))
        claim('and are not ready', all(mesh.get(i, '/readyz')[0] == 503 for i in (1, 2, 3)))
        mesh.start(0)
        mesh.settle(60)
        claim('until it is back', mesh.get(1, '/readyz')[0] == 200)
        leaves(mesh)


def leaves(mesh):
    """What docs/howto/deploy.md says of a node that leaves for good."""
    claim('one leaves', mesh.stop(0) == [0])
    says(mesh, (1, 2, 3), FEW)
    for i in (1, 2, 3):
        edit(mesh, i, lambda c: c.update(min_nodes=3))
    mesh.signal(1, 1)
    soon('SIGHUP is handled', lambda: ('reload=done' in log(mesh, 1), ''))
    claim('SIGHUP says that it does not read min_nodes', 'ignored="min_nodes"' in log(mesh, 1))
    for i in (1, 2, 3):
        claim(f'node {i} is started again', mesh.stop(i) == [0])
        mesh.start(i)
    mesh.settle(60, (1, 2, 3))
    claim('with the smaller number the others settle', mesh.far((1, 2, 3)) < 1e-6)


def parts(build, folder):
    """Two nodes draw a genesis each before the one between them is there: one of them gives way, and says so."""
    with closing(Mesh(build, folder, 3, BASE, {(0, 1), (1, 2)})) as mesh:
        for i in range(3):
            edit(mesh, i, lambda c: (c.pop('genesis'), c.update(model={'n_components': 3, 'genesis': 'sample'})))
        mesh.start(0, 2)
        soon('both begin', lambda: (all('rounds=' in log(mesh, i) and mesh.status(i)['n_nodes'] > 0 and
                                        mesh.status(i)['hops'] == 0 and mesh.status(i)['bound'] is not None
                                        for i in (0, 2)), ''), 30)
        mesh.start(1)
        mesh.settle(60)
        said = ['another part of the network has it' in log(mesh, i) for i in range(3)]
        claim('of two parts with a genesis each one takes the other one and says so in its log', any(said))


def check(build, folder):
    parts(build, os.path.join(folder, 'parts'))
    for source in ('sample', 'sums'):
        drawn(build, os.path.join(folder, source), source)


main(check)

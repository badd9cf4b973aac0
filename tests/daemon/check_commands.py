#!/usr/bin/python3
"""check_commands.py BUILD: `reset` and `refuse` reach a running node, and numbers that no rows make are
refused with neighbour, block and value. Ports 7360 to 7369."""
import json
import os
import subprocess
from contextlib import closing

from claims import claim, main
from mesh import Mesh, soon

BASE = 7360


def command(mesh, node, *words):
    return subprocess.run([mesh.program, words[0], '--config', mesh.where(node, 'node.json'), *words[1:]],
                          capture_output=True, text=True, check=False)


def log(mesh, node):
    with open(mesh.where(node, 'log')) as f:
        return f.read()


def one(mesh, node, name):
    return next((k for k in mesh.status(node)['neighbours'] if k['node'] == name), None)


def refuses(mesh):
    mesh.settle(60)
    wrong = command(mesh, 0, 'refuse', '--id', '7')
    claim('an id of no neighbour is refused in words: ' + wrong.stderr.strip(),
          wrong.returncode == 2 and 'got neighbour 7' in wrong.stderr)
    missing = command(mesh, 0, 'refuse')
    claim('an id that is missing too', missing.returncode == 2 and '--id is missing' in missing.stderr)
    done = command(mesh, 0, 'refuse', '--id', '2')
    claim('refuse ends with status 0: ' + done.stderr.strip(), done.returncode == 0)
    claim('the neighbour is gone at once', len(mesh.status(0)['neighbours']) == 1)
    claim('and logged', 'id=2 change=refused' in log(mesh, 0))
    mesh.signal(0, 1)
    soon('SIGHUP is handled', lambda: ('reload=done' in log(mesh, 0), 'log'))
    claim('SIGHUP does not bring it back', len(mesh.status(0)['neighbours']) == 1)
    mesh.settle(60)


def resets(mesh):
    rounds = mesh.status(1)['host']['rounds']
    done = command(mesh, 1, 'reset')
    claim('reset ends with status 0: ' + done.stderr.strip(), done.returncode == 0)
    soon('the node begins again', lambda: (mesh.status(1)['host']['rounds'] < rounds, rounds))
    claim('and says so', 'reset=yes' in log(mesh, 1))
    mesh.settle(60)
    claim('to the same answer', mesh.far() < 1e-6)


def counts(mesh):
    for node in range(3):
        now = mesh.status(node)
        claim(f'node {node}: nobody honest is refused, clipped or led astray',
              now['clipped'] == 0 and now['returned'] == 0 and
              all(k['refused'] == 0 and k['clipped'] == 0 for k in now['neighbours']))
    text = mesh.get(0, '/metrics')[1]
    text = text.decode() if isinstance(text, bytes) else text
    claim('metrics have the same', all(f'meshbayes_node_{name}' in text for name in (
        'clipped_total 0', 'returned_total 0', 'neighbour_refused_frames_total{', 'neighbour_clipped_total{')))


def declare(mesh, **what):
    """The same genesis with these fields."""
    path = os.path.join(mesh.folder, 'genesis.json')
    with open(path) as f:
        genesis = json.load(f)
    genesis.update(what)
    with open(path, 'w') as f:
        json.dump(genesis, f)


def declared(build, folder):
    """Where the genesis declares the rows nobody is refused; with a thousandth of them nodes say whom and what."""
    with closing(Mesh(build, folder, 3, BASE + 5)) as mesh:
        declare(mesh, rows=120, nodes_max=3, weight_max=1)
        mesh.start()
        mesh.settle(60)
        counts(mesh)
        mesh.stop()
        declare(mesh, rows=.12)
        mesh.start()
        soon('a value is refused by name',
             lambda: ('cause=value' in log(mesh, 0) and ': block dirichlet' in log(mesh, 0), 'log'))
        found = one(mesh, 0, mesh.status(1)['node'])
        claim(f'and in the status: {found["reason"]}',
              found['refused'] > 0 and 'expected at most' in (found['reason'] or ''))


def check(build, folder):
    with closing(Mesh(build, os.path.join(folder, 'net'), 3, BASE)) as mesh:
        mesh.start()
        refuses(mesh)
        resets(mesh)
        counts(mesh)
        claim('it ends with status 0', mesh.stop() == 3 * [0])
    declared(build, os.path.join(folder, 'declared'))


main(check)

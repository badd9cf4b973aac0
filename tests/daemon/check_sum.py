#!/usr/bin/python3
"""check_sum.py BUILD: nodes that run sum: the same answer to the bit at all of them, without one that was killed and
with it again, after kills every 250 ms, and recorded; float16 is refused. Ports 7610 to 7619."""
import json
import os
import subprocess
from contextlib import closing

from claims import claim, main
from mesh import Mesh, storm_of_kills
from reasons import edit, log

BASE, RING = 7610, {(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)}


def answers(mesh, nodes):
    """The arrays of the answers, each once."""
    out = set()
    for i in nodes:
        post = json.loads(mesh.get(i, '/posterior')[1])
        out.add(json.dumps({k: v for k, v in post.items() if isinstance(v, list)}, sort_keys=True))
    return out


def agreed(mesh, nodes, what):
    mesh.settle(60, nodes)
    far = mesh.far(nodes)
    claim(f'{what}: one answer to the bit at {len(nodes)} nodes, one centralised step moves {far:.0e}',
          len(answers(mesh, nodes)) == 1 and far < 1e-6)
    return [mesh.status(i)['sum'] for i in nodes]


def lives(mesh):
    mesh.start()
    first = agreed(mesh, range(5), 'at first')
    claim('they are in one epoch, whose sums have 79 bits', all(s['complete'] and s['least_bits'] == 79 and
          (s['epoch'], s['root'], s['pass']) == (first[0]['epoch'], first[0]['root'], first[0]['pass']) for s in first))
    mesh.kill(4)
    less = agreed(mesh, range(4), 'one was killed')
    claim('the others are in a later epoch', all(s['epoch'] > first[0]['epoch'] for s in less))
    claim('and no pass was made again', all(s['pass'] > first[0]['pass'] for s in less))
    mesh.start(4)
    back = agreed(mesh, range(5), 'it is there again')
    claim('in a later epoch still', all((s['epoch'], s['root'], s['pass']) > (less[0]['epoch'], less[0]['root'], less[0]['pass']) for s in back))
    killed = storm_of_kills(mesh, 3, .25, wipe=True)
    agreed(mesh, range(5), f'{killed} kills')


def check(build, folder):
    more = {'algorithm': 'sum', 'record': 'record'}
    with closing(Mesh(build, os.path.join(folder, 'net'), 5, BASE, RING, **more)) as mesh:
        lives(mesh)
        claim('they end when they are asked to', mesh.stop() == [0] * 5)
        files = [mesh.where(0, 'record', f) for f in sorted(os.listdir(mesh.where(0, 'record')))]
        done = [subprocess.run([mesh.main, 'replay', f], capture_output=True, text=True) for f in files]
        claim(f'{len(files)} records replay to the bit', files and all(d.returncode == 0 for d in done))
        edit(mesh, 0, lambda c: c.update(wire='float16'))
        mesh.start(0)
        claim('float16 is refused', mesh.running.pop(0).wait(20) == 1 and 'sum sends integers' in log(mesh, 0))


if __name__ == '__main__':
    main(check)

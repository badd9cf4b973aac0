#!/usr/bin/python3
"""check_keys.py BUILD: a node of a ring changes its key while all run, no link is lost, and the old key is
refused by name once it is revoked. Ports 7480 to 7489."""
import json
import os
import signal
import subprocess
from contextlib import closing

from claims import claim, main
from mesh import Mesh, soon
from reasons import becomes, edit, links, log, neighbour
from zmtp import DEALER, Socket, keys

BASE = 7480


def reload(mesh, i, change=lambda c: None):
    edit(mesh, i, change)
    before = log(mesh, i).count('event=config')
    mesh.signal(i, signal.SIGHUP)
    soon(f'node {i} reloads', lambda: (log(mesh, i).count('event=config') > before, ''))
    return [x for x in log(mesh, i).splitlines() if 'event=config' in x][-1]


def in_use(mesh, i, who):
    return next(n['key'] for n in mesh.status(i)['neighbours'] if n['node'] == str(who))


def all_use(mesh, field):
    """Both neighbours of node 1 are connected by this key of it, and all links are in use."""
    for i in (0, 2):
        soon(f'node {i}', lambda: ((now := in_use(mesh, i, 1)) == field, now))
    for i in range(3):
        soon(f'links of {i}', lambda: ((now := links(mesh, i)) and all(s == 'live' for s, _ in now.values()), now))
    return True


def keygen(mesh, i, name):
    return subprocess.run([mesh.program, 'keygen', '--out', mesh.where(i, name)], check=True, capture_output=True,
                          text=True).stdout.strip()


def counts(mesh, i):
    return mesh.status(i)['host']['connections_refused']


def rotate(mesh):
    """Node 1, which connects to node 0 and to which node 2 connects, has a new pair."""
    old, new = keys(mesh, 1), keygen(mesh, 1, 'new.key')
    claim('all are connected by public_key', all_use(mesh, 'public_key'))
    for i in (0, 2):
        line = reload(mesh, i, lambda c: neighbour(c, 1).update(next_public_key=new))
        claim(f'node {i} takes the next key and ignores nothing', 'reload=done' in line and 'ignored' not in line)
    claim('which ends no connection', all_use(mesh, 'public_key') and not any(counts(mesh, i) for i in range(3)))
    os.replace(mesh.where(1, 'new.key'), mesh.where(1, 'node.key'))
    reload(mesh, 1)
    claim('both are connected by next_public_key', all_use(mesh, 'next_public_key'))
    for i in (0, 2):
        reload(mesh, i, lambda c: (neighbour(c, 1).pop('next_public_key'), neighbour(c, 1).update(public_key=new),
                                   c.update(revoked=[old['public_key']])))
    claim('which is public_key afterwards', all_use(mesh, 'public_key'))
    claim('no link was lost', not any('live=no' in log(mesh, i) for i in range(3)))
    mesh.settle(30)
    claim('and the answer is that of all', mesh.far() < 1e-6)
    return old, new


def old_key(mesh, old):
    """Who has the old key is refused by its name, at both ends."""
    s = Socket(DEALER, f'tcp://127.0.0.1:{BASE}', old, mesh.public[0])
    s.send(b'x', seconds=.3)
    words = 'revoked_key 127.0.0.1 ' + old['public_key']
    soon('the log of node 0', lambda: (words in log(mesh, 0), log(mesh, 0)))
    claim('the log names the revoked key', counts(mesh, 0)['revoked_key'] > 0 and
          'unknown_key' not in counts(mesh, 0))
    s.close()
    with open(mesh.where(1, 'node.key')) as f:
        new = f.read()
    with open(mesh.where(1, 'node.key'), 'w') as f:
        json.dump(old, f)
    reload(mesh, 1)
    becomes(mesh, 1, '0', 'our_key', 'does not accept', 25)
    becomes(mesh, 2, '1', 'their_key', 'another key', 25)
    with open(mesh.where(1, 'node.key'), 'w') as f:
        f.write(new)
    reload(mesh, 1)
    claim('with the new one all are connected again', all_use(mesh, 'public_key'))


def replaced(mesh):
    """A neighbour all of whose keys are others is another one: its edge ends with the reload, not when it has been
    silent for long."""
    right = mesh.public[0]
    reload(mesh, 2, lambda c: neighbour(c, 0).update(public_key=keygen(mesh, 2, 'other.key')))
    claim('the edge of a neighbour with other keys has ended', links(mesh, 2)['0'][0] != 'live')
    reload(mesh, 2, lambda c: neighbour(c, 0).update(public_key=right))
    claim('and with its key it is in use again', all_use(mesh, 'public_key'))


def cut(mesh, new):
    """A key in use that is revoked: its connection ends, whoever has opened it."""
    for i in (0, 2):
        reload(mesh, i, lambda c: c['revoked'].append(new))
        becomes(mesh, i, '1', 'revoked_key', 'revoked', 25)
    becomes(mesh, 1, '0', 'our_key', 'does not accept', 25)
    claim('the link of the others stays', links(mesh, 2)['0'][0] == 'live')


def refusals(mesh, old, new):
    """`check` refuses these changes of node 2's configuration."""
    with open(mesh.where(2, 'node.json')) as f:
        fine = f.read()
    cases = {'the same key as the next': (lambda c: neighbour(c, 1).update(next_public_key=new), 'another one than'),
             "another neighbour's as the next": (
                 lambda c: neighbour(c, 1).update(next_public_key=mesh.public[0]), 'public_key of 0 and 1'),
             'the own key as the next': (lambda c: neighbour(c, 1).update(next_public_key=mesh.public[2]),
                                         'the public_key of this node'),
             'a short key': (lambda c: neighbour(c, 1).update(next_public_key='x'), '40 characters'),
             'a revoked key that is none': (lambda c: c.update(revoked=[40 * '"']), 'no key in Z85'),
             'a revoked number': (lambda c: c.update(revoked=[1]), 'a list of public keys'),
             'the own key as revoked': (lambda c: c.update(revoked=[mesh.public[2]]), 'the key of this node')}
    for what, (change, words) in cases.items():
        config = json.loads(fine)
        change(config)
        with open(mesh.where(2, 'node.json'), 'w') as f:
            json.dump(config, f)
        run = subprocess.run([mesh.program, 'check', '--config', mesh.where(2, 'node.json')], capture_output=True,
                             text=True)
        claim(f'check refuses {what}', run.returncode in (1, 2) and words in run.stderr and run.stderr.count('\n') == 1)
        if words not in run.stderr:
            print(run)
    with open(mesh.where(2, 'node.json'), 'w') as f:
        f.write(fine)
    run = subprocess.run([mesh.program, 'check', '--config', mesh.where(2, 'node.json')], capture_output=True, text=True)
    claim('and warns of a neighbour whose key is revoked', run.returncode == 0 and
          f'neighbour 1: its public_key, {new}, is revoked' in run.stderr)


def check(build, folder):
    with closing(Mesh(build, os.path.join(folder, 'net'), 3, BASE)) as mesh:
        mesh.start()
        mesh.settle(60)
        old, new = rotate(mesh)
        old_key(mesh, old)
        replaced(mesh)
        cut(mesh, new)
        refusals(mesh, old, new)
        claim('all end with status 0', mesh.stop() == 3 * [0])


main(check)

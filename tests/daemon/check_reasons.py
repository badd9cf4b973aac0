#!/usr/bin/python3
"""check_reasons.py BUILD: what is the matter with a neighbour, in log, status and top: other models and
genesis blocks, keys, versions, and those that are not there. Ports 7300 to 7309."""
import json
import os
import struct
import subprocess
import time
from contextlib import closing

import jsonschema

from claims import claim, main
from crc_by_bit import crc32c
from mesh import Mesh, soon
from reasons import becomes, edit, log, neighbour
from zmtp import DEALER, Socket, keys

BASE = 7300
HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, '..', '..', 'docs', 'status.schema.json')
OTHER_KEY = 'rv&Qc]UY+ppd!c){igZ4L).feKmH%4YgQyMUBgs!'


def genesis(mesh, name, data, k):
    subprocess.run([mesh.main, 'genesis', '--data', data, '--n-components', str(k), '--out',
                    os.path.join(mesh.folder, name)], check=True, capture_output=True)


def spoil(mesh):
    """Node 7 has seven neighbours, of which one is as it should be."""
    genesis(mesh, 'two.json', os.path.join(mesh.folder, 'all.csv'), 2)
    genesis(mesh, 'units.json', mesh.where(2, 'rows.csv'), 3)
    with open(mesh.where(6, 'rows.csv')) as f:
        rows = f.read().replace('a,b', 'a,pressure', 1)
    with open(mesh.where(6, 'rows.csv'), 'w') as f:
        f.write(rows)
    genesis(mesh, 'columns.json', mesh.where(6, 'rows.csv'), 3)
    edit(mesh, 1, lambda c: c.update(genesis='../two.json'))
    edit(mesh, 2, lambda c: c.update(genesis='../units.json'))
    edit(mesh, 6, lambda c: c.update(genesis='../columns.json'))
    edit(mesh, 3, lambda c: neighbour(c, 7).update(public_key=OTHER_KEY))
    edit(mesh, 7, lambda c: neighbour(c, 4).update(public_key=OTHER_KEY))
    edit(mesh, 7, lambda c: neighbour(c, 1).update(name='ki"el'))


def version(mesh):
    """Node 8 speaks a protocol of the future."""
    frame = bytearray(132)
    struct.pack_into('<4sH', frame, 0, b'MBM1', 9)
    struct.pack_into('<III', frame, 24, 8, 7, 1)
    struct.pack_into('<I', frame, 128, crc32c(bytes(frame[:128])))
    s = Socket(DEALER, f'tcp://127.0.0.1:{BASE + 7}', keys(mesh, 8), mesh.public[7])
    for _ in range(20):
        s.send(frame)
        time.sleep(.1)
    becomes(mesh, 7, '8', 'other_version', 'version')
    s.close()


def told(mesh):
    """The log of node 7, and what top says of it."""
    lines = log(mesh, 7).splitlines()
    claim('the log says what differs', any('reason="neighbour 1 (ki\'el): K is 3 here and 2 there"' in x
                                           for x in lines))
    for state in ('their_key', 'our_key', 'other_model', 'other_genesis', 'never_connected', 'live'):
        claim(f'the log has {state}', any(f'state={state}' in x for x in lines))
    claim('and few lines on it', sum('event=neighbour' in x for x in lines) < 40)
    refused = [x for x in log(mesh, 3).splitlines() if 'event=refused' in x]
    claim('node 3 has refused a key, and says which and from where', refused and
          f'from="unknown_key 127.0.0.1 {mesh.public[7]}"' in refused[0])
    becomes(mesh, 3, '7', 'never_connected', f'no neighbour\'s: {mesh.public[7]}, from 127.0.0.1')
    top = subprocess.run([mesh.main, 'top', mesh.where(7), '--once'], capture_output=True, text=True)
    claim('top has reasons', 'K is 3 here and 2 there' in top.stdout)
    top = subprocess.run([mesh.main, 'top', mesh.where(7), '--once', '--json'], capture_output=True, text=True)
    dead = {d['node']: d for d in json.loads(top.stdout)[0]['dead']}
    claim('and all of them as JSON', dead['4']['state'] == 'their_key' and
          dead['ki"el']['reason'] == 'K is 3 here and 2 there' and '0' not in dead)


def neighbours(build, folder):
    mesh = Mesh(build, folder, 9, BASE, links={(j, 7) for j in range(7)} | {(7, 8)})
    with closing(mesh):
        spoil(mesh)
        mesh.start(0, 1, 2, 3, 4, 6, 7)
        soon('node 7 answers', lambda: (os.path.exists(mesh.where(7, 's')), ''))
        becomes(mesh, 7, '0', 'live')
        becomes(mesh, 7, 'ki"el', 'other_model', 'K is 3 here and 2 there')
        becomes(mesh, 7, '2', 'other_genesis', 'units differ: the origin of a is ')
        becomes(mesh, 7, '3', 'our_key', 'does not accept the key of this node')
        becomes(mesh, 7, '4', 'their_key', 'another key')
        becomes(mesh, 7, '5', 'never_connected', 'nothing answers at tcp://127.0.0.1:7305')
        becomes(mesh, 7, '6', 'other_model', 'column 2 is b here and pressure there')
        becomes(mesh, 7, '8', 'never_connected', 'it connects to this node')
        version(mesh)
        with open(SCHEMA) as f:
            jsonschema.validate(mesh.status(7), json.load(f))
        soon('the log has all', lambda: ('state=never_connected' in log(mesh, 7), ''))
        told(mesh)
        mesh.kill(0)
        becomes(mesh, 7, '0', 'silent', 'silent since 20')


def check(build, folder):
    neighbours(build, os.path.join(folder, 'net'))


main(check)

#!/usr/bin/python3
"""check_attacks.py BUILD: frames of a neighbour whose key was stolen, of strangers and of nobody: refused,
counted by cause, logged once, and the state of the node is what it was. Ports 7440 to 7449."""
import json
import os
import socket
import struct
import time
from contextlib import closing

import numpy as np

from claims import claim, main
from crc_by_bit import crc32c
from mesh import Mesh
from zmtp import DEALER, ROUTER, Socket, keys

BASE = 7440
MAGIC, FROM, TO, INCARNATION, TICK, HEAD = 0, 24, 28, 32, 40, 128
NUMBERS = ('weight_concentration', 'degrees_of_freedom', 'mean_precision', 'means', 'w_inverse')
STILL = 1e-6                   # a node at rest still takes a step a second towards the end, relative


def changed(frame, at, form, value):
    """The frame with another value, and with a checksum that is right."""
    out = bytearray(frame)
    struct.pack_into('<' + form, out, at, value)
    struct.pack_into('<I', out, len(out) - 4, crc32c(out[:-4]))
    return bytes(out)


def recorded(mesh):
    """Frames of node 2 to node 0, by a server that has the key of node 0, which is away meanwhile."""
    mesh.stop(0)
    server = Socket(ROUTER, f'tcp://127.0.0.1:{BASE}', keys(mesh, 0))
    time.sleep(1)
    frames = [part for part in server.receive(4) if part[:4] == b'MBM1' and
              struct.unpack_from('<I', part, FROM)[0] == 2]
    server.close()
    mesh.start(0)
    mesh.settle(60)
    return frames


def state(mesh):
    """What must not change, of node 0."""
    said, post = mesh.status(0), json.loads(mesh.get(0, '/posterior')[1])
    here = {k: said[k] for k in ('verdict', 'n_nodes', 'rows', 'leader', 'incarnation', 'message')}
    here['n_nodes'] = round(here['n_nodes'], 9)
    return (here, [(n['node'], n['live']) for n in said['neighbours']],
            np.concatenate([np.ravel(post[k]) for k in NUMBERS]))


def refused(mesh):
    said = mesh.status(0)
    return dict(said['frames_refused'], **{'connection ' + k: v for k, v in
                                           said['host']['connections_refused'].items()})


class Attack:
    """Sends by a connection that has the key of node 2; what is refused for it must be `cause`."""

    def __init__(self, mesh):
        self.mesh, self.before = mesh, state(mesh)
        self.s = Socket(DEALER, f'tcp://127.0.0.1:{BASE}', keys(mesh, 2), mesh.public[0])

    def send(self, what, cause, *messages):
        was = refused(self.mesh).get(cause, 0)
        sent = sum(self.s.send(*(m if isinstance(m, tuple) else (m,))) for m in messages)
        end = time.monotonic() + 3
        while time.monotonic() < end and refused(self.mesh).get(cause, 0) < was + sent:
            time.sleep(.05)
        now = refused(self.mesh).get(cause, 0)
        claim(f'{what}: {sent} refused as {cause}', sent == len(messages) and now == was + sent)
        self.unchanged(what)

    def unchanged(self, what):
        here, live, numbers = state(self.mesh)
        moved = float(np.abs(numbers / self.before[2] - 1).max())
        if (here, live) != self.before[:2] or moved > STILL:
            print(f'      {self.before[:2]}, then {here, live}; numbers moved by {moved:.1e}')
        claim(f'{what}: the state is what it was', here == self.before[0] and live == self.before[1] and
              moved <= STILL)


def stolen_key(mesh, frames):
    """Node 2 is away for good; who has its key says what he likes."""
    newest = frames[-1]
    life = struct.unpack_from('<I', newest, INCARNATION)[0]
    fresh = changed(changed(newest, INCARNATION, 'I', life + 7), TICK, 'Q', 1 << 40)
    a = Attack(mesh)
    a.send('frames replayed', 'old', *frames[-20:])
    a.send('a frame replayed ten times', 'old', *10 * [newest])
    a.send('frames for another node (1)', 'stranger', *5 * [changed(fresh, FROM, 'I', 1)])
    a.send('frames in the name of the node itself', 'own_id', *5 * [changed(fresh, FROM, 'I', 0)])
    a.send('frames meant for node 1', 'stranger', *5 * [changed(fresh, TO, 'I', 1)])
    a.send('changed bytes', 'damaged', *[fresh[:k] + bytes([fresh[k] ^ 64]) + fresh[k + 1:]
                                         for k in range(0, len(fresh), 37)])
    a.send('short ones', 'short', fresh[:-1], fresh[:HEAD], fresh[:5], b'')
    a.send('another version', 'version', changed(fresh, 4, 'H', 9))
    a.send('another plan', 'plan', changed(fresh, 8, 'Q', 12345))
    a.send('no tick', 'value', changed(fresh, TICK, 'Q', 1 << 63))
    a.send('several parts', 'connection malformed', (fresh, fresh), (b'', b'', fresh))
    a.s.send(os.urandom(1 << 20))
    time.sleep(.5)
    a.unchanged('a message of a megabyte')
    a.s.close()


def strangers(mesh):
    """Who has no key that is known, or no idea of ZeroMQ."""
    a = Attack(mesh)
    a.s.close()
    address = f'tcp://127.0.0.1:{BASE}'
    before = refused(mesh)
    other = {'public_key': 'rv&Qc]UY+ppd!c){igZ4L).feKmH%4YgQyMUBgs!',
             'secret_key': '3y71maff*n^te8pG+sj20Zm)a:^=>p}M!3zP*B7]'}
    clients = [Socket(DEALER, address, other, mesh.public[0]),                 # unknown key
               Socket(DEALER, address, keys(mesh, 2), mesh.public[1]),         # wrong server key
               Socket(DEALER, address)]                                        # no CURVE
    for text in 20 * [b''] + [b'GET / HTTP/1.0\r\n\r\n', os.urandom(5000), b'\xff' * 64, b'\0' * 9]:
        with socket.create_connection(('127.0.0.1', BASE), 5) as s:            # a port scanner, and noise
            if text:
                s.sendall(text)
    silent = [socket.create_connection(('127.0.0.1', BASE), 5) for _ in range(50)]
    time.sleep(2)
    for s in clients:
        claim('nothing is said to it', s.receive(.1) == [])
        s.close()
    for s in silent:
        s.close()
    now = refused(mesh)
    for cause, least in (('connection unknown_key', 1), ('connection no_curve', 20)):
        claim(f'{cause} is counted', now.get(cause, 0) >= before.get(cause, 0) + least)
    a.unchanged('strangers')
    with open(f'/proc/{mesh.running[0].pid}/status') as f:
        claim('its memory is small', next(int(x.split()[1]) for x in f if x.startswith('VmRSS')) < 20000)


def logged_once(mesh):
    """A line for each new cause, and not one a frame."""
    with open(mesh.where(0, 'log')) as f:
        lines = [line for line in f if 'event=refused' in line]
    causes = len(refused(mesh))
    claim(f'{len(lines)} lines of the log on {causes} causes', 1 <= len(lines) <= causes + 2)
    claim('that name them', all(f'frames_{cause}=' in lines[-1] for cause in ('old', 'stranger', 'damaged')))


def check(build, folder):
    with closing(Mesh(build, os.path.join(folder, 'net'), 3, BASE)) as mesh:
        mesh.start()
        mesh.settle(60)
        frames = recorded(mesh)
        claim(f'{len(frames)} frames were recorded', len(frames) >= 3)
        mesh.kill(2)
        mesh.settle(60)
        time.sleep(3)
        stolen_key(mesh, frames)
        strangers(mesh)
        logged_once(mesh)
        mesh.start(2)
        mesh.settle(60)
        claim('node 2 comes back, and the answer is right', mesh.far() < 1e-6)


main(check)

#!/usr/bin/python3
"""check_reload.py BUILD: SIGHUP reads the neighbours again, as often as one likes. Ports 7430 to 7439."""
import os
import random
import signal
import time
from contextlib import closing

from claims import claim, main
from hour import sample
from mesh import Mesh, soon

BASE, MORE = 7430, 64          # first port; kB that memory may grow, less than a tenth of one byte a byte read
PATIENT = 120                  # seconds for what a machine does at once that has nothing else to do


def reload(mesh, times, every=.004, change=lambda: None, node=0):
    for _ in range(times):
        change()
        mesh.signal(node, signal.SIGHUP)
        time.sleep(every)


def reloads(mesh):
    """SIGHUPs that node 0 has handled: its log says all of them or counts, in a later second, what it left out."""
    with open(mesh.where(0, 'log')) as f:
        lines = [line for line in f if 'event=config' in line]
    return sum(int(line.split('dropped=')[1]) if 'dropped=' in line else 1 for line in lines)


def handled(mesh, times):
    """SIGHUPs until node 0 has handled so many: those that wait together are one."""
    end = reloads(mesh) + times

    def enough():
        reload(mesh, 50)
        return reloads(mesh) >= end, f'{reloads(mesh)} of {end}'

    soon('SIGHUPs are not handled', enough, PATIENT)


def less(mesh, before, kb, descriptors):
    """Memory and descriptors of node 0, once they are no more than this above those before: ZeroMQ closes sockets
    in a thread of its own."""
    def has_less():
        is_ = sample(mesh.running[0].pid)
        return is_[1] - before[1] <= kb and is_[2] - before[2] <= descriptors, is_

    return soon('memory or descriptors are more', has_less)


def unchanged(mesh):
    handled(mesh, 100)
    before = sample(mesh.running[0].pid)
    handled(mesh, 1000)
    after = less(mesh, before, MORE, 1)
    claim(f'1000 reloads leave private memory as it was: {before[1]} kB, then {after[1]} kB',
          after[1] - before[1] <= MORE)
    claim('and the number of descriptors', after[2] - before[2] <= 1)
    mesh.settle(PATIENT)


def toggled(mesh):
    """A link that goes and comes back: its sockets go with it."""
    def toggle(times):
        for _ in range(times):
            mesh.links ^= {(0, 2)}
            mesh.write(0)
            mesh.signal(0, signal.SIGHUP)
            time.sleep(.01)         # mostly enough
            soon('the link is as before', lambda: (len(mesh.status(0)['neighbours']) == len(mesh.neighbours(0)), ''), PATIENT)

    toggle(60)
    before = sample(mesh.running[0].pid)
    toggle(200)
    after = less(mesh, before, 2 * MORE, 2)
    claim(f'200 changes of a link leave memory as it was: {before[1]} kB, then {after[1]} kB',
          after[1] - before[1] <= 2 * MORE)
    claim(f'and descriptors: {before[2]}, then {after[2]}', after[2] - before[2] <= 2)
    mesh.settle(PATIENT)


def dialled(mesh):
    """A link that this node dials ends while its connection begins, again and again: the other link stays in use."""
    at_random = random.Random(1)

    def change():
        mesh.links ^= {(0, 2)}
        mesh.write(2)

    for _ in range(9):
        reload(mesh, 55, at_random.uniform(.001, .012), change, node=2)
    mesh.settle(PATIENT)
    claim('a link that ends while it is dialled takes no other one with it', True)


def broken(mesh):
    """A file that cannot be used changes nothing."""
    with open(mesh.where(0, 'node.json'), 'a') as f:
        f.write('}')
    before = sample(mesh.running[0].pid)
    handled(mesh, 300)
    after = less(mesh, before, MORE, 1)
    claim('300 broken files leave memory as it was', after[1] - before[1] <= MORE)
    claim('and the neighbours', len(mesh.status(0)['neighbours']) == 2)
    mesh.write(0)


def check(build, folder):
    with closing(Mesh(build, os.path.join(folder, 'net'), 3, BASE)) as mesh:
        mesh.start()
        mesh.settle(PATIENT)
        unchanged(mesh)
        toggled(mesh)
        dialled(mesh)
        broken(mesh)
        claim('it ends with status 0', mesh.stop() == 3 * [0])


main(check)

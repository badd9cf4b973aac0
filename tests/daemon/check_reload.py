#!/usr/bin/python3
"""check_reload.py BUILD: SIGHUP reads the neighbours again, as often as one likes. Ports 7430 to 7439."""
import os
import signal
import time
from contextlib import closing

from claims import claim, main
from hour import sample
from mesh import Mesh

BASE, MORE = 7430, 64          # first port; kB that memory may grow, less than a tenth of one byte a byte read


def reload(mesh, times, every=.004, change=lambda: None):
    for _ in range(times):
        change()
        mesh.signal(0, signal.SIGHUP)
        time.sleep(every)


def reloads(mesh):
    """SIGHUPs that the node has handled: its log says all of them or counts what it left out."""
    with open(mesh.where(0, 'log')) as f:
        lines = [line for line in f if 'event=config' in line]
    return sum(int(line.split('dropped=')[1]) if 'dropped=' in line else 1 for line in lines)


def unchanged(mesh):
    reload(mesh, 100)
    before, pid = sample(mesh.running[0].pid), mesh.running[0].pid
    reload(mesh, 1000)
    after = sample(pid)
    time.sleep(1.1)
    reload(mesh, 1)
    time.sleep(.5)
    claim(f'most of 1101 SIGHUPs are handled one by one ({reloads(mesh)})', reloads(mesh) > 500)
    claim(f'1000 reloads leave private memory as it was: {before[1]} kB, then {after[1]} kB',
          after[1] - before[1] <= MORE)
    claim('and the number of descriptors', after[2] - before[2] <= 1)
    mesh.settle(30)


def toggled(mesh):
    """A link that goes and comes back: its sockets go with it."""
    def change():
        mesh.links ^= {(0, 2)}
        mesh.write(0)

    reload(mesh, 60, .05, change)
    before, pid = sample(mesh.running[0].pid), mesh.running[0].pid
    reload(mesh, 200, .05, change)
    time.sleep(1)
    after = sample(pid)
    claim(f'200 changes of a link leave memory as it was: {before[1]} kB, then {after[1]} kB',
          after[1] - before[1] <= 2 * MORE)
    claim(f'and descriptors: {before[2]}, then {after[2]}', after[2] - before[2] <= 2)
    mesh.settle(30)


def broken(mesh):
    """A file that cannot be used changes nothing."""
    with open(mesh.where(0, 'node.json'), 'a') as f:
        f.write('}')
    before = sample(mesh.running[0].pid)
    reload(mesh, 300)
    after = sample(mesh.running[0].pid)
    claim('300 broken files leave memory as it was', after[1] - before[1] <= MORE)
    claim('and the neighbours', len(mesh.status(0)['neighbours']) == 2)
    mesh.write(0)


def check(build, folder):
    with closing(Mesh(build, os.path.join(folder, 'net'), 3, BASE)) as mesh:
        mesh.start()
        mesh.settle(60)
        unchanged(mesh)
        toggled(mesh)
        broken(mesh)
        claim('it ends with status 0', mesh.stop() == 3 * [0])


main(check)

#!/usr/bin/python3
"""check_clock.py BUILD: the time of day jumps by a year, forward and back, while nodes run, and before
they begin: nothing ages, nobody waits, and the answer is right. Ports 7450 to 7459."""
import os
import subprocess
import time
from contextlib import closing

import numpy as np

from claims import claim, main
from mesh import Mesh, all_live

BASE, YEAR = 7450, 365 * 86400
HERE = os.path.dirname(os.path.abspath(__file__))


class Clocks(Mesh):
    """Every node has a time of day of its own."""

    def start(self, *nodes):
        for i in nodes or range(self.n):
            self.environment = dict(os.environ, LD_PRELOAD=self.shim, CLOCK_OFF=self.where(i, 'clock'))
            super().start(i)

    def jump(self, i, seconds):
        with open(self.where(i, 'clock.new'), 'w') as f:
            f.write(f'{seconds}\n')
        os.replace(self.where(i, 'clock.new'), self.where(i, 'clock'))

    def year(self, i):
        """That of the newest line of the log."""
        with open(self.where(i, 'log')) as f:
            return int(f.read().rsplit('time=', 1)[1][:4])


def ticks(mesh, seconds):
    before = [mesh.status(i)['tick'] for i in range(mesh.n)]
    time.sleep(seconds)
    return [(mesh.status(i)['tick'] - b) / seconds for i, b in enumerate(before)]


def running(mesh):
    """A jump while they run: 0 goes a year forward, 1 a year back, 2 keeps its time."""
    for _ in range(15):                          # settled nodes fall back to a tick a second
        rest = ticks(mesh, 2)
        if max(rest) < 3:
            break
    years = [mesh.year(i) for i in range(3)]
    mesh.jump(0, YEAR)
    mesh.jump(1, -YEAR)
    later = ticks(mesh, 6)
    claim(f'their ticks go on: {rest} a second, then {later}', all(.5 < x < 3 for x in rest + later))
    claim('all are settled', mesh.settled(range(3)))
    claim('no row has aged', [mesh.status(i)['rows'] for i in range(3)] == 3 * [40])
    claim('their uptimes are small', all(0 < mesh.status(i)['host']['uptime_s'] < 600 for i in range(3)))
    mesh.jump(0, -YEAR)
    mesh.jump(1, YEAR)
    time.sleep(2)
    for i in range(3):                             # something new, that they must agree on
        mesh.get(i, '/rows', b'a,b\n1,2\n')
    time.sleep(.3)
    mesh.settle(30)
    claim('rows that arrive then are taken', [mesh.status(i)['rows'] for i in range(3)] == 3 * [41])
    return years


def restarted(mesh, years):
    """They begin a new life with another time of day, with their checkpoints."""
    for i, to in ((0, YEAR), (1, -YEAR)):
        before = mesh.status(i)['incarnation']
        claim(f'node {i} ends with 0', mesh.stop(i) == [0])
        mesh.jump(i, to)
        mesh.start(i)
        time.sleep(1)
        mesh.settle(30)
        claim(f'node {i} begins in the year {mesh.year(i)}', mesh.year(i) == years[i] + (1 if to > 0 else -1))
        claim('its life is counted on', mesh.status(i)['incarnation'] > before)


def future(mesh, i):
    """A life with a clock of the future, whose state is then deleted."""
    mesh.kill(i, wipe=True)
    mesh.jump(i, 3 * YEAR)
    mesh.start(i)
    time.sleep(1)
    mesh.settle(30)
    late = mesh.status(i)['incarnation']
    for wipe, life in ((True, late + 1), (False, late + 2)):
        mesh.kill(i, wipe)
        mesh.jump(i, 0)
        mesh.start(i)
        time.sleep(1)
        mesh.settle(30)
        claim(f'node {i} lives on after life {late}: {mesh.status(i)["incarnation"]}',
              mesh.status(i)['incarnation'] == life)
    with open(mesh.where(i, 'log')) as f:
        claim('and says so once', f.read().count('which had a later clock than life') == 1)
    claim('its leader is the same for all', {mesh.status(j)['leader'] for j in range(3)} == {'0'})


def check(build, folder):
    shim = os.path.join(folder, 'clock_shim.so')
    subprocess.run([os.environ.get('CC', 'cc'), '-std=c11', '-O1', '-shared', '-fPIC', '-o', shim,
                    os.path.join(HERE, 'clock_shim.c'), '-ldl'], check=True)
    with closing(Clocks(build, os.path.join(folder, 'net'), 3, BASE,
                        window={'seconds': 500 * 86400})) as mesh:
        mesh.shim = shim
        mesh.start()
        mesh.settle(60)
        all_live(mesh, 60)                       # a link that comes late wakes those that have settled
        mesh.settle(60)
        restarted(mesh, running(mesh))
        rows = [np.vstack([r, [[1, 2]]]) for r in mesh.rows]
        claim(f'the answer is right: one step {mesh.far(rows=rows):.0e}', mesh.far(rows=rows) < 1e-6)
        claim('all end with 0', mesh.stop() == 3 * [0])
    with closing(Clocks(build, os.path.join(folder, 'late'), 3, BASE)) as mesh:
        mesh.shim = shim
        mesh.start()
        mesh.settle(60)
        for i in (1, 0):
            future(mesh, i)
        claim(f'the answer is right: one step {mesh.far():.0e}', mesh.far() < 1e-6)


main(check)

#!/usr/bin/python3
"""check_disk.py BUILD: a full disk and one that has become read-only: the node goes on and says so, what
it wrote before can be read after a crash, and it writes again when it can. The disk is a small tmpfs;
where mounting is not permitted this is skipped, in words. Ports 7460 to 7469."""
import os
import subprocess
import time

from claims import claim, main
from mesh import Mesh

BASE = 7460


def checkpoint(mesh):
    return mesh.status(0)['host']['checkpoint']


def becomes(mesh, holds, seconds=15):
    """The words of the status once they are such; None: they are not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        said = checkpoint(mesh)
        if holds(said):
            return said
        time.sleep(.1)
    return None


def fill(path):
    """Until not a byte fits."""
    with open(path, 'wb', buffering=0) as f:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while f.write(bytes(size)) == size:
                    pass
            except OSError:
                pass


def damaged_disk(mesh, what, words, begin, end):
    """The disk fails, the node is killed and comes back, the disk works again."""
    claim(f'{what}: checkpoints are written before', becomes(mesh, lambda c: c['written'] and not c['trouble']))
    begin()
    mesh.get(0, '/rows', b'a,b\n1,2\n')            # something new to store
    said = becomes(mesh, lambda c: c['trouble'])
    claim(f'{what}: the status says {said and said["trouble"]}', said and words in said['trouble'])
    mesh.settle(30)
    claim(f'{what}: all are settled', mesh.settled(range(3)))
    before = mesh.status(0)
    time.sleep(3)
    claim(f'{what}: it ticks', mesh.status(0)['tick'] - before['tick'] >= 2)
    mesh.kill(0)
    mesh.start(0)
    time.sleep(.5)
    mesh.settle(30)
    with open(mesh.where(0, 'log')) as f:
        starts = [line for line in f if 'event=start' in line]
    claim(f'{what}: after kill -9 it begins with the older checkpoint', 'resumed=yes' in starts[-1])
    claim(f'{what}: in a later life', mesh.status(0)['incarnation'] > before['incarnation'])
    end()
    claim(f'{what}: it writes again', becomes(mesh, lambda c: c['written'] and not c['trouble'], 30))
    claim(f'{what}: the log has it', logged(mesh, words))


def logged(mesh, words):
    with open(mesh.where(0, 'log')) as f:
        lines = [line for line in f if 'event=checkpoint' in line]
    return any(words in line for line in lines) and len(lines) < 30


def check(build, folder):
    mesh = Mesh(build, os.path.join(folder, 'net'), 3, BASE, checkpoint_ticks=3, rows_max=2000)
    state = mesh.where(0, 'state')
    os.makedirs(state)

    def mount(*how):
        return subprocess.run(['mount', *how, state], capture_output=True, text=True)

    made = mount('-t', 'tmpfs', '-o', 'size=512k', 'tmpfs')
    if made.returncode:
        print(f'skipped  a tmpfs cannot be mounted: {made.stderr.strip()}')
        return
    try:
        mesh.start()
        mesh.settle(60)
        filler = os.path.join(state, 'filler')
        damaged_disk(mesh, 'full', 'No space left', lambda: fill(filler), lambda: os.remove(filler))
        damaged_disk(mesh, 'read-only', 'Read-only', lambda: mount('-o', 'remount,ro'),
                     lambda: mount('-o', 'remount,rw'))
        claim('all end with 0', mesh.stop() == 3 * [0])
    finally:
        mesh.close()
        subprocess.run(['umount', state], capture_output=True)


main(check)

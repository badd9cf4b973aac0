#!/usr/bin/python3
"""check_tempo.py BUILD: how fast nodes are: ticks and bytes a second where they are limited, a rest of a minute,
and a neighbour that never rests, which is named and no longer keeps the others awake. The log is JSON.
Ports 7280 to 7289."""
import json
import os
import signal
import threading
import time
from contextlib import closing

from claims import claim, main
from mesh import Mesh, right, soon
from reasons import edit, log

BASE, RING = 7280, {(0, 1), (1, 2), (2, 3), (0, 3)}


class Rows:
    """Rows for some nodes, 20 a second for each, until the end of the block."""

    def __init__(self, mesh, nodes, row):
        self.mesh, self.nodes, self.row, self.going = mesh, nodes, row, True

    def post(self):
        while self.going:
            for i in self.nodes:
                self.mesh.get(i, '/rows', self.row)
            time.sleep(.05)

    def __enter__(self):
        self.thread = threading.Thread(target=self.post)
        self.thread.start()

    def __exit__(self, *_):
        self.going = False
        self.thread.join()


def rates(mesh, seconds, what):
    before, begun = [mesh.status(i)[what] for i in range(mesh.n)], time.monotonic()
    time.sleep(seconds)
    return [(mesh.status(i)[what] - b) / (time.monotonic() - begun) for i, b in enumerate(before)]


def limited(build, folder):
    """While rows come; the limits change at SIGHUP."""
    with closing(Mesh(build, folder, 4, BASE, RING, tick_least_ms=20, rest_ms=60000)) as mesh:
        mesh.start()
        mesh.settle(30)
        time.sleep(1)
        rest = rates(mesh, 4, 'tick')
        claim(f'with a rest of a minute nodes do not tick: {rest}', max(rest) < 1)
        with Rows(mesh, range(4), b'a,b\n1,2\n'):
            time.sleep(.5)
            ticks = rates(mesh, 3, 'tick')
            claim(f'tick_least_ms: {ticks} ticks a second', all(1 < x <= 51 for x in ticks))
            for i in range(4):
                edit(mesh, i, lambda c: c.update(bytes_per_second=4000, tick_least_ms=0, log_level='warning'))
                mesh.signal(i, signal.SIGHUP)
            time.sleep(2)
            before = log(mesh, 0)
            sent = rates(mesh, 4, 'bytes_sent')
            claim(f'bytes_per_second: {sent}', all(400 < x < 4800 for x in sent))
            claim('all links are live', all(n['live'] for i in range(4) for n in mesh.status(i)['neighbours']))
        soon('who is at rest has all rows', lambda: (mesh.settled(range(4)), mesh.told(range(4))), 40)
        claim('with another level the log has no info any more', before and 'ignored' not in before and
              'level=info' not in log(mesh, 0)[len(before):])


def kept_awake(build, folder):
    """Rows of node 3 that weigh nothing: it is never at rest, and nothing moves anywhere."""
    with closing(Mesh(build, folder, 4, BASE, RING, tick_least_ms=20, log_format='json')) as mesh:
        for i in range(4):
            with open(mesh.where(i, 'rows.csv')) as f:
                rows = f.read().splitlines()
            with open(mesh.where(i, 'rows.csv'), 'w') as f:
                f.write('\n'.join([rows[0] + ',w', *(r + ',1' for r in rows[1:])]) + '\n')
            edit(mesh, i, lambda c: c.update(weight_column='w'))
        mesh.start()
        mesh.settle(30)
        with Rows(mesh, [3], b'a,b,w\n1,2,1e-12\n'):
            named = soon('node 3 is named', lambda: reason(mesh, 0), 60)
            claim(f'node 3 is named: {named}', True)
            ready = mesh.get(0, '/readyz')
            claim('and keeps the node from being ready', ready[0] == 503 and b'neighbour 3 (3) keeps' in ready[1])
            time.sleep(4)
            ticks = rates(mesh, 5, 'tick')
            claim(f'the others tick once a second: {ticks}', max(ticks[:3]) < 3)
        lines = [json.loads(x) for x in log(mesh, 0).splitlines()]
        line = [x for x in lines if 'keeps this node awake' in x.get('reason', '')]
        claim('a line of the log says so', 1 <= len(line) <= 2 and line[0]['level'] == 'warning' and
              line[0]['node'] == '3' and line[0]['id'] == 3 and line[0]['event'] == 'neighbour')
        mesh.settle(30)
        mesh.get(1, '/rows', b'a,b,w\n1,2,1\n')
        time.sleep(.2)
        claim('rows are as quick as before: ' + f'{mesh.settle(30):.1f} s', True)


def reason(mesh, i):
    said = {n['node']: n['reason'] for n in mesh.status(i)['neighbours']}
    return 'keeps this node awake' in (said['3'] or '') and not said['1'], said


def check(build, folder):
    limited(build, os.path.join(folder, 'net'))
    kept_awake(build, os.path.join(folder, 'awake'))


main(check)

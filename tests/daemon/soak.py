"""soak.py BUILD [--small] [--nodes N] [--seconds T] [--port P] [--only NAME,..] [--hour [T]] [--sum] [--out F]:
faults on real processes.

Each case starts a network of meshbayes-node processes with CURVE, breaks something, and asks that every
node is within 1e-6 of a fixed point of central VB of all rows that are there, by numpy. One line a
case; exit status 1 when one fails. --hour: only rows that arrive for so many seconds, and the memory
of the processes. --sum: nodes run sum, not edge. --out: the figures as JSON.
"""
import argparse
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import numpy as np

from hour import ROWS, Rows, rows_for_an_hour, sample
from mesh import FAR, Mesh, all_live, counts, ring, right, rows_taken, soon, storm_of_kills
from network import a_relay_does_harm, networks_fail


class Soak:
    def __init__(self, opt, folder):
        self.opt, self.folder, self.count = opt, folder, 0
        self.kept = {}                         # figures of the case that runs, for --out
        self.skipped = []                      # what this machine does not permit

    def mesh(self, n, away=(), **more):
        """Every network has ports of its own, so that nothing waits for the one before. away: nodes
        that are not started."""
        self.count += 1
        if self.opt.sum:
            more['algorithm'] = 'sum'
        m = Mesh(self.opt.build, os.path.join(self.folder, str(self.count)), n,
                 self.opt.port + 100 * self.count, **more)
        self.kept.setdefault('parts', [])
        m.figures = self.kept['parts']
        m.start(*[i for i in range(n) if i not in away])
        return m


def kills(soak, wipe):
    m = soak.mesh(soak.opt.nodes)
    try:
        right(m, 120)
        killed = storm_of_kills(m, soak.opt.seconds, .25, wipe)
        said = right(m, 120, what=f'{killed} kills')
        assert m.stop() == [0] * soak.opt.nodes, 'a node did not end with status 0'
        return f'{killed} kills, then {said}'
    finally:
        m.close()


def killed_nodes_come_back(soak):
    return kills(soak, False)


def wiped_nodes_come_back(soak):
    return kills(soak, True)


def moving_rates(m, nodes, seconds):
    """Ticks a second of nodes while they say moving, which rows that arrive make them do; the slowest
    first. How long they rest between rows depends on how soon they settle, and is not counted."""
    arrive, end = Rows(m, .04, 10, nodes=nodes), time.monotonic() + seconds
    ticks, took, last = dict.fromkeys(nodes, 0), dict.fromkeys(nodes, 0.0), {}
    while time.monotonic() < end:
        arrive.poll()
        for i in nodes:
            said, now = m.status(i), time.monotonic()
            tick, then = last.pop(i, (None, 0))
            if said['verdict'] == 'moving':
                ticks[i] += said['tick'] - (said['tick'] if tick is None else tick)
                took[i] += 0 if tick is None else now - then
                last[i] = said['tick'], now
        time.sleep(.01)
    assert min(took.values()) > .1 * seconds, f'seconds that they moved, of {seconds}: {took}'
    return sorted(ticks[i] / took[i] for i in nodes)


def a_stopped_node_catches_up(soak):
    """SIGSTOP while all move: the others go on at their rate and settle without it, and need no memory;
    SIGCONT: it is there again within 2 s."""
    m, others = soak.mesh(6, follow=True, window={'rows': ROWS}), range(1, 6)
    try:
        right(m, 60)
        before = moving_rates(m, others, 2)
        held = [sample(m.running[i].pid)[1] for i in others]
        m.signal(0, signal.SIGSTOP)
        for _ in range(3):                         # other work on the machine slows nodes down, too
            during = moving_rates(m, others, soak.opt.seconds / 2)
            if during[0] > .6 * before[0]:
                break
        assert during[0] > .6 * before[0], f'ticks a second: {before}, then {during}'
        rows_taken(m, others)
        without = right(m, 60, others, what='one of 6 stopped')
        grown = max(sample(m.running[i].pid)[1] - kb for i, kb in zip(others, held))
        assert grown < 256, f'a neighbour of the stopped node grew by {grown} kB'
        m.signal(0, signal.SIGCONT)
        back = all_live(m, 2)
        said = right(m, 60, what='awake again', back_s=back, rates=[before[0], during[0]], grown_kb=grown)
        return (f'the slowest of the others made {before[0]:.0f} ticks a second, then {during[0]:.0f}; '
                f'{without}; private memory grew by {grown} kB; awake: links in use after {back:.1f} s, {said}')
    finally:
        m.close()


def live_links(m, i, count):
    def enough():
        live = sum(n['live'] for n in m.status(i)['neighbours'])
        return live >= count, f'{live} of {count}'

    soon(f'node {i} has fewer links in use', enough)


def refused_at(m, i, cause, before=0):
    """Whether node i has refused connections for this cause, more than before; for soon()."""
    seen = m.status(i).get('host', {}).get('connections_refused', {})
    return seen.get(cause, 0) > before, seen


def add_links(m, *links):
    """By SIGHUP at both ends, where they run."""
    m.links |= set(links)
    for i in sorted({i for link in links for i in link}):
        m.write(i)
        m.signal(i, signal.SIGHUP)


def nodes_leave_join_and_get_links(soak):
    """One leaves and comes back; two get a link; a new one comes with its rows, whose neighbours learn of
    its key only later."""
    n = 7 if soak.opt.small else 50
    new = n - 1
    m = soak.mesh(n, links=ring(new, (1,) if soak.opt.small else (1, 7)), away=[new])
    try:
        right(m, 120)
        assert m.stop(new - 1) == [0]
        left = right(m, 120, what='one has left')
        m.start(new - 1)
        back = right(m, 120, what='it is back')
        add_links(m, (0, 3))
        live_links(m, 0, len(m.neighbours(0)))
        linked = right(m, 120, what='a link more')
        m.links |= {(0, new), (3, new)}
        m.write(new)
        m.start(new)
        soon('nothing is said of a key that is not known yet', lambda: refused_at(m, 0, 'unknown_key'))
        add_links(m, (0, new), (3, new))
        live_links(m, new, 2)
        return (f'left: {left}; back: {back}; with a link more: {linked}; '
                f'a new one: {right(m, 120, what="a new one")}')
    finally:
        m.close()


def rows_arrive(soak):
    """A file that grows: the answer is that of all rows."""
    m = soak.mesh(4, follow=True)
    try:
        right(m, 60)
        more = m.rows[1][:15] + .1
        with open(m.where(1, 'rows.csv'), 'a') as f:
            np.savetxt(f, more, delimiter=',', fmt='%.17g')
        rows_taken(m, [1])
        rows = list(m.rows)
        rows[1] = np.vstack([rows[1], more])
        return right(m, 60, rows=rows, what='rows arrived')
    finally:
        m.close()


def poke(port, text, wait):
    with socket.create_connection(('127.0.0.1', port), 5) as s:
        if text:
            s.sendall(text)
        time.sleep(wait)


def strangers_are_refused(soak):
    """A key that no neighbour has, a wrong server key, a port scanner, HTTP and noise."""
    m = soak.mesh(4, links={(0, 1), (1, 2), (0, 2)})
    try:
        m.kill(3)
        right(m, 60, range(3))
        m.links |= {(0, 3), (1, 3)}
        m.write(3)                             # 3 knows the others, they do not know 3
        m.start(3)
        for text in (b'', b'GET / HTTP/1.0\r\n\r\n', os.urandom(4096), b'\xff' * 64):
            poke(m.base, text, .2)
        soon('nothing is said of the unknown key', lambda: refused_at(m, 0, 'unknown_key'))
        time.sleep(3)
        said = m.status(0)
        host = said['host']['connections_refused']
        assert abs(said['n_nodes'] - 3) < 1e-9 and said['verdict'] == 'settled', (
            f'N is {said["n_nodes"]!r}, {said["verdict"]}')
        far = m.far(range(3))
        assert far <= FAR, f'one centralised step moves {far:.1e}'
        m.kill(3)
        m.public[0] = m.public[3]              # 1 expects another key of 0
        m.links = {(0, 1), (1, 2), (0, 2)}
        m.write(1)
        m.signal(1, signal.SIGHUP)
        time.sleep(3)
        refused = soon('nothing is said of the handshake that failed',
                       lambda: refused_at(m, 0, 'no_curve', host.get('no_curve', 0)))
        live = {n['node']: n['live'] for n in m.status(1)['neighbours']}
        assert not live['0'], 'node 1 uses a link to a node that has not the key it expects'
        return f'refused by node 0: {counts(host)}; after a wrong server key {counts(refused)}'
    finally:
        m.close()


def a_bad_disk_is_said(soak):
    """A state folder that is gone: the node goes on, says so, and writes again when it is there."""
    m = soak.mesh(3, checkpoint_ticks=5)
    try:
        right(m, 60)
        for i in range(3):
            m.stop(i)
            shutil.rmtree(m.where(i, 'state'))
            open(m.where(i, 'state'), 'w').close()      # a file where the folder should be
            m.start(i)
        said = right(m, 60, what='no state folders')
        trouble = m.status(0).get('host', {}).get('checkpoint', {}).get('trouble')
        assert trouble, 'the status says nothing of the disk'
        return f'{said}; {trouble}'
    finally:
        m.close()


def recorded_nodes_replay(soak):
    """The records of processes, one of them killed and restarted, run again to the bit."""
    m = soak.mesh(4, record='record')
    try:
        right(m, 60)
        m.kill(2)
        m.start(2)
        said = right(m, 60, what='a node was killed')
        m.stop()
        for i in range(4):
            done = subprocess.run([m.main, 'replay', m.where(i, 'record', f'node-{i + 1}.mbr')],
                                  capture_output=True, text=True)
            assert done.returncode == 0 and 'the same to the bit' in done.stdout, (
                f'node {i}: {done.stdout}{done.stderr}')
        return f'{said}; {done.stdout.splitlines()[0]}'
    finally:
        m.close()


CASES = (killed_nodes_come_back, wiped_nodes_come_back, a_stopped_node_catches_up,
         nodes_leave_join_and_get_links, rows_arrive, strangers_are_refused, a_bad_disk_is_said,
         recorded_nodes_replay, a_relay_does_harm, networks_fail)


def main():
    ask = argparse.ArgumentParser()
    ask.add_argument('build')
    ask.add_argument('--small', action='store_true')
    ask.add_argument('--nodes', type=int)
    ask.add_argument('--seconds', type=float)
    ask.add_argument('--port', type=int, default=12000)
    ask.add_argument('--only', default='')
    ask.add_argument('--hour', type=float, nargs='?', const=3600.0)
    ask.add_argument('--sum', action='store_true')
    ask.add_argument('--out')
    opt = ask.parse_args()
    opt.nodes = opt.nodes or (12 if opt.small else 50)
    opt.seconds = opt.seconds or (5 if opt.small else 20)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    failed, told = 0, []
    with tempfile.TemporaryDirectory(prefix='mbs') as folder:   # Unix sockets have short paths
        soak = Soak(opt, folder)
        for case in (rows_for_an_hour,) if opt.hour else CASES:
            if opt.only and case.__name__ not in opt.only.split(','):
                continue
            soak.kept, begun = {}, time.monotonic()
            try:
                said, mark = case(soak), 'ok  '
            except Exception as e:                              # one line a case, whatever it was
                said, mark = f'{type(e).__name__}: {e}', 'FAIL'
            failed += mark == 'FAIL'
            print(f'{mark}  {case.__name__}: {said}', flush=True)
            told.append({'case': case.__name__, 'ok': mark != 'FAIL', 'said': said,
                         'wall_s': time.monotonic() - begun, **soak.kept})
    for what in sorted(set(soak.skipped)):
        print(f'skipped  {what}')
    print(f'{failed} failed')
    if opt.out:
        with open(opt.out, 'w') as f:
            json.dump({'date': time.strftime('%Y-%m-%d', time.gmtime()), 'load': os.getloadavg()[2], 'nodes': opt.nodes,
                       'seconds': opt.hour or opt.seconds, 'skipped': sorted(set(soak.skipped)),
                       'cases': told}, f, indent=1)
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())

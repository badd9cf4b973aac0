"""A network of meshbayes-node processes on this machine, for tests: folders, processes, statuses, and
a check of all posteriors against central VB in numpy, which shares nothing with the program."""
import http.client
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'storm'))
from invariants import Prior, fixed_point  # noqa: E402

CENTRES = np.array([[0.0, 0.0], [4.0, 4.0], [0.0, 5.0]])

FAR = 1e-6                     # what one centralised step may move, relative


def counts(of):
    """Causes and how often, in words."""
    return ', '.join(f'{why} {n}' for why, n in sorted(of.items()))


def ring(n, steps=(1, 2)):
    """Pairs i < j of a ring with chords."""
    pairs = {tuple(sorted((i, (i + k) % n))) for i in range(n) for k in steps}
    return {(i, j) for i, j in pairs if i != j}


class Unix(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__('localhost', timeout=5)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(5)
        self.sock.connect(self.path)


class Mesh:
    """Folders of n nodes; node i listens at base + i of host(i), or its neighbours reach it at the port
    via(i, j); inside(i) is a command that runs another one where the node is to run;
    more: fields of all configurations, None leaves one out."""

    def __init__(self, build, folder, n, base, links=None, rows=40, seed=1, via=None,
                 host=None, inside=None, **more):
        self.program = os.path.join(build, 'meshbayes-node')
        self.main = os.path.join(build, 'meshbayes')
        self.folder, self.n, self.base, self.more = folder, n, base, more
        self.via = via or (lambda i, j: base + j)
        self.host, self.inside = host or (lambda i: '127.0.0.1'), inside or (lambda i: [])
        self.links = set(links if links is not None else ring(n))
        self.running, self.public, self.figures, self.environment = {}, [], [], None
        rng = np.random.default_rng(seed)
        self.rows = [CENTRES[rng.integers(0, 3, rows)] + rng.normal(size=(rows, 2))
                     for _ in range(n)]
        shutil.rmtree(folder, ignore_errors=True)
        for i in range(n):
            self._folder(i)
        self._genesis()
        for i in range(n):
            self.write(i)

    def where(self, i, *names):
        return os.path.join(self.folder, str(i), *names)

    def _folder(self, i):
        os.makedirs(self.where(i))
        np.savetxt(self.where(i, 'rows.csv'), self.rows[i], delimiter=',', header='a,b',
                   comments='', fmt='%.17g')
        self.rows[i] = np.loadtxt(self.where(i, 'rows.csv'), delimiter=',', skiprows=1)
        made = subprocess.run([self.program, 'keygen', '--out', self.where(i, 'node.key')],
                              check=True, capture_output=True, text=True)
        self.public.append(made.stdout.strip())

    def _genesis(self):
        path = os.path.join(self.folder, 'all.csv')
        np.savetxt(path, np.vstack(self.rows), delimiter=',', header='a,b', comments='',
                   fmt='%.17g')
        subprocess.run([self.main, 'genesis', '--data', path, '--n-components', '3', '--out',
                        os.path.join(self.folder, 'genesis.json')], check=True,
                       capture_output=True)

    def neighbours(self, i):
        return sorted({a + b - i for a, b in self.links if i in (a, b)})

    def write(self, i):
        config = {'id': i, 'listen': f'tcp://{self.host(i)}:{self.base + i}', 'key': 'node.key',
                  'data': 'rows.csv', 'genesis': '../genesis.json', 'state': 'state',
                  'status': 'unix:s', 'checkpoint_ticks': 50,
                  'neighbours': [{'id': j, 'address': f'tcp://{self.host(j)}:{self.via(i, j)}',
                                  'public_key': self.public[j]} for j in self.neighbours(i)]}
        config = {k: v for k, v in {**config, **self.more}.items() if v is not None}
        with open(self.where(i, 'node.json'), 'w') as f:
            json.dump(config, f, indent=1)

    def start(self, *nodes):
        for i in nodes or range(self.n):
            with open(self.where(i, 'log'), 'a') as log:
                self.running[i] = subprocess.Popen(
                    [*self.inside(i), self.program, 'run', '--config', self.where(i, 'node.json')], stderr=log,
                    stdin=subprocess.DEVNULL, env=self.environment)

    def signal(self, i, which):
        self.running[i].send_signal(which)

    def kill(self, i, wipe=False):
        self.running[i].kill()
        self.running.pop(i).wait()
        if wipe:
            shutil.rmtree(self.where(i, 'state'), ignore_errors=True)

    def stop(self, *nodes):
        """Exit statuses after SIGTERM."""
        chosen = nodes or list(self.running)
        for i in chosen:
            self.running[i].send_signal(signal.SIGTERM)
        return [self.running.pop(i).wait(20) for i in chosen]

    def close(self):
        for p in self.running.values():
            p.kill()
            p.wait()
        self.running = {}

    def get(self, i, route, body=None):
        c = Unix(self.where(i, 's'))
        try:
            c.request('POST' if body else 'GET', route, body)
            answer = c.getresponse()
            return answer.status, answer.read()
        finally:
            c.close()

    def status(self, i):
        return json.loads(self.get(i, '/status')[1])

    def dead(self):
        """Nodes that have ended by themselves."""
        return [i for i, p in self.running.items() if p.poll() is not None]

    def settled(self, nodes):
        for i in nodes:
            try:
                said = self.status(i)
            except (OSError, http.client.HTTPException, ValueError):
                return False
            if said['verdict'] != 'settled' or abs(said['n_nodes'] - len(nodes)) > 1e-9 * len(nodes):
                return False
        return True

    def settle(self, seconds, nodes=None):
        """Seconds until all say settled with N exact; raises when that takes too long."""
        nodes = sorted(nodes if nodes is not None else self.running)
        begun = time.monotonic()
        while not self.settled(nodes):
            if time.monotonic() - begun > seconds:
                raise AssertionError(f'not settled after {seconds} s: ' + self.told(nodes))
            time.sleep(0.2)
        return time.monotonic() - begun

    def told(self, nodes):
        out = []
        for i in nodes:
            try:
                said = self.status(i)
                out.append(f'{i} {said["verdict"]} N {said["n_nodes"]:.6g}')
            except (OSError, http.client.HTTPException, ValueError) as e:
                out.append(f'{i} {type(e).__name__}')
        return ', '.join(out)

    def far(self, nodes=None, rows=None):
        """What one centralised step of all rows moves at the node where it moves most, relative."""
        nodes = sorted(nodes if nodes is not None else self.running)
        X = np.vstack([(rows or self.rows)[i] for i in nodes])
        most = 0
        for i in nodes:
            post = json.loads(self.get(i, '/posterior')[1])
            gmm = Prior(post['prior'])
            most = max(most, fixed_point(gmm, gmm.of(post), X, np.ones(len(X)))[0])
        return most


def soon(what, holds, seconds=20):
    """Until it holds; raises `what` and what was seen, when that takes too long. holds: (bool, seen)."""
    end = time.monotonic() + seconds
    while True:
        fine, seen = holds()
        if fine:
            return seen
        assert time.monotonic() < end, f'{what} after {seconds} s: {seen}'
        time.sleep(.05)


def all_live(m, seconds):
    """Seconds until every node uses all its links."""
    def live():
        away = [i for i in range(m.n) for n in m.status(i)['neighbours'] if not n['live']]
        return not away, f'nodes {sorted(set(away))}'

    begun = time.monotonic()
    soon('links are not in use', live, seconds)
    return time.monotonic() - begun


def rows_taken(m, nodes=None):
    """Until every node has taken all rows that its file has: it looks every 200 ms."""
    def all_of(i):
        with open(m.where(i, 'rows.csv')) as f:
            there = sum(1 for line in f) - 1
        return lambda: ((seen := m.status(i)['host']['data']['rows']) == there, f'{seen} of {there}')

    for i in range(m.n) if nodes is None else nodes:
        soon(f'node {i} has not taken its rows', all_of(i))


def right(m, seconds, nodes=None, rows=None, **more):
    """Settled and right: in words, and as figures for --out."""
    took = m.settle(seconds, nodes)
    far = m.far(nodes, rows)
    m.figures.append({'nodes': len(m.running if nodes is None else nodes), 'settled_s': took,
                      'far': far, **more})
    assert far <= FAR, f'one centralised step moves {far:.1e}'
    return f'{took:.1f} s to settled, one step {far:.0e}'


def storm_of_kills(mesh, seconds, every, wipe, seed=1):
    """kill -9 of a random node every so often, each restarted at once; how many."""
    rng, end, killed = random.Random(seed), time.monotonic() + seconds, 0
    while time.monotonic() < end:
        i = rng.choice(sorted(mesh.running))
        gone = [j for j in mesh.dead()]
        assert not gone, f'nodes {gone} ended by themselves'
        mesh.kill(i, wipe and rng.random() < .5)
        mesh.start(i)
        killed += 1
        time.sleep(every)
    return killed

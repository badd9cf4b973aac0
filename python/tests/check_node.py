#!/usr/bin/python3
"""check_node.py PROGRAM: three nodes as processes, which a Node runs, watches, asks and gives rows. Ports 7510 to
7519."""
import os
import subprocess
import sys
import time

import numpy as np

from beside import TOP, package, says
from harness import main

sys.path.append(os.path.join(TOP, 'tests', 'daemon'))
BASE = 7510


def asked(claims, mb, mesh, nodes):
    seen = []
    until = time.monotonic() + 60
    while [(s['verdict'], round(s['n_nodes'])) for s in seen] != [('settled', 3)] * 3 and time.monotonic() < until:
        seen = [list(node.watch(0.05))[-1] for node in nodes]   # two of them may settle before the third begins
    claims.check([round(s['n_nodes']) for s in seen] == [3] * 3, 'they are watched until they settle')
    p = nodes[0].posterior()
    pooled = np.vstack(mesh.rows)
    claims.check(p.model == 'gmm' and p.predict(pooled).shape == (120,), 'a posterior is asked for')
    one = mb.fit(pooled, n_components=3)
    claims.check(abs(p.score(pooled) - one.posterior.score(pooled)) < .1, 'it is about that of one machine')


def posted(claims, mb, mesh, nodes):
    node = nodes[1]
    before = node.status()['rows']
    claims.check(node.post([[.1, 4.9], [4.2, 3.9]], key='a') == 2, 'rows are posted')
    claims.check(node.post([[.1, 4.9], [4.2, 3.9]], key='a') == 0, 'and under the same key they are not again')
    claims.check(node.post(np.array([[5., .2]]), columns=['b', 'a']) == 1, 'columns by name')
    claims.check(node.post([[1., float('nan')]]) == 1, 'a value that is missing')
    claims.check(node.status()['rows'] == before + 4, 'all are counted once')
    says(claims, 'rows of another width', 'got 3 columns; expected a, b', node.post, [[1., 2., 3.]])
    says(claims, "a column that is none, in the node's words", 'column', node.post, [[1., 2.]], columns=['a', 'z'])


def ended(claims, mb, mesh, nodes):
    claims.check([node.stop() for node in nodes] == [0] * 3, 'they end in peace')
    says(claims, 'a node that ended', '', nodes[0].status, kind=OSError)
    says(claims, 'no address', 'expected unix:PATH or HOST:PORT', mb.Node, 'localhost:x')
    with open(mesh.where(0, 'node.json'), 'w') as f:
        f.write('{"status": "unix:s"}')
    says(claims, 'a configuration that is none', 'ended with status 1', mb.Node.run, mesh.where(0, 'node.json'),
         stderr=subprocess.DEVNULL)


# A process that listens as in node.json, ends with status 7, and leaves a child, which answers once.
LEAVES = """#!/usr/bin/python3
import os, socket, sys, time
listens = socket.socket(socket.AF_UNIX)
listens.bind(os.path.join(os.path.dirname(sys.argv[-1]), 's'))
listens.listen()
listens.settimeout(10)
parent = os.getpid()
if os.fork():
    os._exit(7)
while os.getppid() == parent:
    time.sleep(.01)
asks = listens.accept()[0]
asks.recv(4096)
asks.sendall(b'HTTP/1.0 200 OK\\r\\n\\r\\n{}')
"""


def left_alone(claims, mb, prog):
    here = prog.file('left')
    os.mkdir(here)
    program, config = os.path.join(here, 'program'), os.path.join(here, 'node.json')
    with open(program, 'w') as f:
        f.write(LEAVES)
    os.chmod(program, 0o700)
    with open(config, 'w') as f:
        f.write('{"status": "unix:s"}')
    before, os.environ['MESHBAYES_NODE'] = os.environ['MESHBAYES_NODE'], program
    try:
        says(claims, 'another one that answers for a process that ended', 'ended with status 7', mb.Node.run, config)
        with open(config, 'w') as f:
            f.write('["status"]')
        says(claims, 'a configuration that is a list', 'has no "status"', mb.Node.run, config)
    finally:
        os.environ['MESHBAYES_NODE'] = before


def check(claims, prog):
    program = os.path.join(os.path.dirname(prog.path), 'meshbayes-node')
    if not os.path.exists(program):
        claims.note(f'no {program}: left out')
        return
    mb = package(prog)
    from mesh import Mesh
    os.environ['MESHBAYES_NODE'] = program
    mesh = Mesh(os.path.dirname(prog.path), prog.file('mesh'), 3, BASE)
    nodes = []
    try:
        nodes += [mb.Node.run(mesh.where(i, 'node.json'), stderr=subprocess.DEVNULL) for i in range(3)]
        says(claims, 'a node that runs already', 'another process answers', mb.Node.run, mesh.where(0, 'node.json'))
        asked(claims, mb, mesh, nodes)
        posted(claims, mb, mesh, nodes)
        ended(claims, mb, mesh, nodes)
        left_alone(claims, mb, prog)
    finally:
        for node in nodes:
            node.stop()


main(check)

#!/usr/bin/python3
"""check_weights.py BUILD: rows with weights, from files and posted: the answer is that of central VB
with the rows written out; /posterior says what /status says. Ports 7470 to 7479."""
import json
import os
import time
from contextlib import closing

import numpy as np

from ask import post
from claims import claim, main
from mesh import Mesh

BASE = 7470


def weights(mesh):
    """A second network, whose rows have weights: from its file and posted in both forms."""
    bad = {'a,b\n1,2\n': 'no column "w"', 'a,b,w\n1,2,-1\n': 'POST /rows:2: column "w": got -1',
           'a,b,w\n1,2,1e16\n': '1e16', '{"columns": ["a", "b"], "rows": [[1, 2]]}': 'no column "w"',
           '{"columns": ["a", "b", "w"], "rows": [[1, 2, -3]]}': 'weight -3'}
    for body, words in bad.items():
        code, answer = post(mesh, body, 'application/x')
        claim(f'bad weights: {words}', code == 400 and words in answer['error'])
    claim('CSV with weights is taken', post(mesh, 'w,b,a\n2,2,1\n0,9,9\n') == (200, {'rows': 2}))
    claim('and JSON', post(mesh, '{"columns": ["b", "w", "a"], "rows": [[5, 3, 5]]}',
                           'application/json') == (200, {'rows': 1}))
    mesh.settle(60)
    twice = [np.vstack([r, r]) for r in mesh.rows]  # the files have weight 2
    twice[0] = np.vstack([twice[0], 2 * [[1, 2]], 3 * [[5, 5]]])
    claim('the answer is that of rows written out', mesh.far(rows=twice) < 1e-6)


def same_words(mesh, verdict):
    """Both are asked between two ticks: a node that is alone since a moment ago still moves."""
    for _ in range(100):
        said, posterior = mesh.status(0), json.loads(mesh.get(0, '/posterior')[1])
        if mesh.status(0)['tick'] == said['tick']:
            break
    claim(f'/posterior says {verdict}, as the status does', said['verdict'] == posterior['verdict'] == verdict)
    claim('and the same bound', abs(said['bound'] - posterior['bound']) <= 1e-3 * abs(said['bound']))


def check(build, folder):
    with closing(Mesh(build, os.path.join(folder, 'net'), 2, BASE, rows_max=100, weight_column='w')) as mesh:
        for i in range(2):
            np.savetxt(mesh.where(i, 'rows.csv'), np.hstack([mesh.rows[i], np.full((40, 1), 2)]),
                       delimiter=',', header='a,b,w', comments='', fmt='%.17g')
        mesh.start()
        mesh.settle(60)
        weights(mesh)
        same_words(mesh, 'settled')
        claim('a neighbour that loses no frame has no loss', mesh.status(0)['neighbours'][0]['loss'] < .05)
        claim('node 1 ends by SIGTERM', mesh.stop(1) == [0])
        end = time.monotonic() + 30
        while mesh.status(0)['verdict'] != 'alone' and time.monotonic() < end:
            time.sleep(.1)
        same_words(mesh, 'alone')
        claim('so does node 0', mesh.stop() == [0])


main(check)

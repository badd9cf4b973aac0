#!/usr/bin/python3
"""check_posted.py BUILD: rows whose POST was answered with 200 are there after kill -9, each once, whatever
checkpoints were written meanwhile. Ports 7350 to 7359."""
import http.client
import json
import os
import socket
import time
from contextlib import closing

from ask import post
from claims import claim, main
from mesh import Mesh, Unix, soon
from reasons import edit

BASE = 7350


def keyed(mesh, body, key):
    c = Unix(mesh.where(0, 's'))
    c.request('POST', '/rows', body, {'Idempotency-Key': key, 'Content-Type': 'text/csv'})
    r = c.getresponse()
    answer = r.status, json.loads(r.read())
    c.close()
    return answer


def rows(mesh):
    return mesh.status(0)['rows']


def start(mesh):
    mesh.start(0)

    def answers():
        try:
            return rows(mesh) is not None, ''
        except (OSError, http.client.HTTPException):
            return False, ''
    soon('it answers', answers)


def files(mesh):
    return sorted(f for f in os.listdir(mesh.where(0, 'state')) if f.startswith('posted'))


def storm(mesh, n):
    """Killed at random moments while rows arrive and checkpoints are written."""
    taken, lost = 0, []
    for life in range(n):
        end = time.monotonic() + .1 + .13 * (life % 4)
        while time.monotonic() < end:
            try:
                taken += post(mesh, 'a,b\n1,2\n')[0] == 200
            except (OSError, http.client.HTTPException, socket.timeout):
                break
            time.sleep(.03)
        mesh.kill(0)
        start(mesh)
        if rows(mesh) != 40 + taken:
            lost.append((life, rows(mesh), 40 + taken))
            taken = rows(mesh) - 40
    claim(f'{taken} rows posted in {n} lives, all there and each once {lost or ""}', not lost and taken > n)


def once(mesh):
    before = rows(mesh)
    claim('rows under a key are taken', keyed(mesh, 'a,b\n1,2\n3,4\n', 'batch 7') == (200, {'rows': 2}))
    claim('and again under it they are not', keyed(mesh, 'a,b\n1,2\n3,4\n', 'batch 7') ==
          (200, {'rows': 0, 'repeated': True}))
    mesh.kill(0)
    start(mesh)
    claim('after a crash neither', keyed(mesh, 'a,b\n1,2\n3,4\n', 'batch 7')[1].get('repeated'))
    mesh.stop(0)
    start(mesh)
    claim('nor after an end in peace', keyed(mesh, 'a,b\n1,2\n3,4\n', 'batch 7')[1].get('repeated'))
    claim('they counted once', rows(mesh) == before + 2)
    claim('another key is another batch', keyed(mesh, 'a,b\n1,2\n', 'batch 8') == (200, {'rows': 1}))
    claim('refused rows leave no key', keyed(mesh, 'a,b\n1,x\n', 'batch 9')[0] == 400 and
          keyed(mesh, 'a,b\n1,2\n', 'batch 9') == (200, {'rows': 1}))


def full(mesh):
    """Rows beyond rows_max are refused, and not there after a crash."""
    there = rows(mesh)
    claim('too many are refused', post(mesh, 'a,b\n' + 900 * '1,2\n')[0] == 429)
    mesh.kill(0)
    start(mesh)
    claim('and stay so', rows(mesh) == there)


def torn(mesh):
    """The last record was written in part: those before it are there."""
    claim('an end in peace', mesh.stop(0) == [0])
    claim(f'waits for a checkpoint and cuts the log: {files(mesh)}', len(files(mesh)) <= 1)
    edit(mesh, 0, lambda c: c.update(checkpoint_ticks=1000000))
    start(mesh)
    there = rows(mesh)
    claim('three rows', [post(mesh, 'a,b\n5,6\n')[0] for _ in range(3)] == [200, 200, 200])
    mesh.kill(0)
    path = mesh.where(0, 'state', files(mesh)[-1])
    os.truncate(path, os.path.getsize(path) - 5)
    start(mesh)
    claim('two of them are whole', rows(mesh) == there + 2)
    claim('it ends in peace again', mesh.stop(0) == [0])
    start(mesh)
    claim('in the checkpoint afterwards, too', rows(mesh) == there + 2)
    claim(f'and the log is cut: {files(mesh)}', len(files(mesh)) <= 1)


def unwritable(build, folder):
    """200 means that the rows are written."""
    with closing(Mesh(build, folder, 1, BASE + 5, links=(), checkpoint_ticks=1000000)) as mesh:
        start(mesh)
        there = rows(mesh)
        os.mkdir(mesh.where(0, 'state', 'posted-1'))
        code, answer = post(mesh, 'a,b\n1,2\n')
        claim(f'rows that cannot be written are refused: {answer}', code == 503 and 'posted-1' in answer['error'])
        claim('and are not taken', rows(mesh) == there and
              mesh.status(0)['host']['requests_refused'] == {'not_stored': 1})


def check(build, folder):
    with closing(Mesh(build, os.path.join(folder, 'net'), 1, BASE, links=(), checkpoint_ticks=7, tick_ms=5,
                      rows_max=600)) as mesh:
        start(mesh)
        storm(mesh, 14)
        once(mesh)
        full(mesh)
        torn(mesh)
    unwritable(build, os.path.join(folder, 'unwritable'))


main(check)

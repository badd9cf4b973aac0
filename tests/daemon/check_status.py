#!/usr/bin/python3
"""check_status.py BUILD: the status of a node: every route, what is refused, and that neither a slow
nor a large request keeps the node from its ticks. Ports 7410 to 7429."""
import http.client
import json
import os
import re
import signal
import socket
import stat
import subprocess
import time
from contextlib import closing

import jsonschema
import numpy as np

from ask import post
from claims import claim, main
from mesh import Mesh, soon

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')
BASE, STATUS = 7410, 7425
ROUTES = ('/', '/status', '/curves', '/posterior', '/metrics', '/healthz', '/readyz')


def valid(schema, value):
    with open(os.path.join(TOP, 'docs', schema + '.schema.json')) as f:
        jsonschema.validate(value, json.load(f))
    return True


def tcp(route, method='GET', body=None, host=None):
    c = http.client.HTTPConnection('127.0.0.1', STATUS, timeout=15)
    try:
        c.request(method, route, body, {'Host': host} if host else {})
        r = c.getresponse()
        return r.status, r.getheaders(), r.read()
    finally:
        c.close()


def many(mesh, body, n):
    """Codes of n posts that are sent at once over one connection."""
    one = f'POST /rows HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n{body}'
    text = b''
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(15)
        s.connect(mesh.where(0, 's'))
        s.sendall((n * one).encode())
        while text.count(b'HTTP/1.1 ') < n:
            text += s.recv(1 << 16)
    return [int(code) for code in re.findall(rb'HTTP/1.1 (\d+)', text)]


def asked(mesh, route):
    code, text = mesh.get(0, route)
    return code, json.loads(text)


def ticks(mesh, seconds):
    before = mesh.status(0)['tick']
    time.sleep(seconds)
    return mesh.status(0)['tick'] - before


def routes(mesh):
    said = mesh.status(0)
    claim('/status follows its schema', valid('status', said))
    claim('and has the rows of the file', said['rows'] == 40 and said['host']['data']['rows'] == 40)
    code, text = mesh.get(0, '/posterior')
    claim('/posterior follows its schema', code == 200 and valid('posterior', json.loads(text)))
    path = mesh.where(0, 'posterior.json')
    with open(path, 'wb') as f:
        f.write(text)
    claim('and is a file of the program', subprocess.run(
        [mesh.main, 'score', '--posterior', path, '--data', mesh.where(0, 'rows.csv')],
        capture_output=True).returncode == 0)
    claim('its posterior is that of central VB', mesh.far() < 1e-6)
    claim('/healthz is ok', asked(mesh, '/healthz') == (200, {'healthy': True, 'reasons': []}))
    claim('and /readyz', asked(mesh, '/readyz') == (200, {'ready': True, 'reasons': []}))
    time.sleep(2.5)
    curves = json.loads(mesh.get(0, '/curves')[1])
    n = len(curves['time'])
    claim('/curves has a value for each time', n > 2 and all(
        len(curves[k]) == n for k in ('disagreement', 'bound', 'n_nodes')))
    claim('in order', curves['time'] == sorted(curves['time']))
    last = curves['time'][-2]
    newer = json.loads(mesh.get(0, f'/curves?since={last}')[1])['time']
    claim('or what is newer than a time', newer and newer[0] == curves['time'][-1])


def metrics(mesh):
    said, text = mesh.status(0), mesh.get(0, '/metrics')[1].decode()
    lines = text.splitlines()
    sample = re.compile(r'^(meshbayes_node_[a-z_]+)(\{[a-z]+="(?:[^"\\]|\\.)*"\})? (\S+)$')
    names, typed = [], []
    for line in lines:
        if line.startswith('# TYPE '):
            typed.append(line.split()[2])
        if line.startswith('#'):
            continue
        found = sample.match(line)
        assert found, line
        float(found[3])
        names.append(found[1])
        assert typed[-1] == found[1], line  # all samples of a name follow its type
    claim('/metrics has one type a name', len(typed) == len(set(typed)) and set(names) <= set(typed))
    claim('and help', all(f'# HELP {name} ' in text for name in typed))
    claim('and the numbers of the status', f'\nmeshbayes_node_rows {said["rows"]}\n' in text)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'packaging', 'meshbayes.rules.yml')) as f:
        used = set(re.findall(r'meshbayes_node_[a-z_]+', f.read()))
    claim(f'and all that the alert rules use: {sorted(used - set(typed))}', used and used <= set(typed))
    claim('and escapes names', r'neighbour="si\"te\\1"' in text)


def page():
    code, head, text = tcp('/')
    head = dict(head)
    page = text.decode()
    claim('/ is a page', code == 200 and head['Content-Type'].startswith('text/html'))
    claim('that names no other address',
          set(re.findall(r'https?://[^\s\'"]+', page)) == {'http://www.w3.org/2000/svg'})
    claim('and may load nothing', "default-src 'none'" in head['Content-Security-Policy'])
    claim('HEAD is answered without a body', tcp('/status', 'HEAD')[::2] == (200, b''))


def refusals(mesh):
    for route in ('/nothing', '/status/', '/../node.key', '//'):
        claim(f'{route} is not there', tcp(route)[0] == 404)
    for route in ROUTES:
        code, head, text = tcp(route, 'DELETE')
        claim(f'DELETE {route} is refused', code == 405 and dict(head)['Allow'] == 'GET, HEAD' and
              'error' in json.loads(text))
    claim('rows are not there to be read', tcp('/rows')[0] == 405)
    for route, body in (('/rows', 'a,b\n1,2\n'), ('/reset', ''), ('/refuse', '1'), ('/without', '1')):
        code, _, text = tcp(route, 'POST', body)
        claim(f'POST {route} is refused over TCP', code == 403 and
              f'POST {route}: got a TCP connection' in json.loads(text)['error'])
    claim('a name of another host is refused', tcp('/status', host='example.org')[0] == 403)
    claim('names of this one are not', all(tcp('/status', host=h)[0] == 200 for h in
                                           ('localhost', 'localhost:80', '[::1]:1', '127.0.0.1')))
    refused = mesh.status(1)['host']['requests_refused']
    claim('all are counted', refused['not_found'] == 4 and refused['method'] == 8 and
          refused['forbidden'] == 4 and refused['host'] == 1)


def rows(mesh):
    claim('CSV is taken', post(mesh, 'b,note,a\n2,x,1\n4,y,3\n') == (200, {'rows': 2}))
    claim('and JSON', post(mesh, '{"columns": ["b", "a"], "rows": [[5, 5], [6, 7], [0, 1]]}',
                           'application/json') == (200, {'rows': 3}))
    claim('and is counted', mesh.status(0)['rows'] == 45 and
          mesh.status(0)['host']['data']['posted'] == 5)
    mesh.settle(30)
    mine = [r.copy() for r in mesh.rows]
    mine[0] = np.vstack([mine[0], [[1, 2], [3, 4], [5, 5], [7, 6], [1, 0]]])
    claim('the answer is that of all rows', mesh.far(rows=mine) < 1e-6)
    bad = {'a,b\n1,2\n3,x\n': 'POST /rows:3: column "b": "x"',
           'a,c\n1,2\n': 'no column "b"',
           'a,b\n1\n': 'POST /rows:2',
           '': 'no rows',
           '{"columns": ["a"], "rows": [[1]]}': 'no column "b"',
           '{"columns": ["a", "b"], "rows": [[1, 2], [3]]}': 'rows[1]',
           '{"columns": ["a", "b"], "rows": [[1, "x"]]}': 'rows[0][1]',
           '{"columns": ["a", "b"], "rows": [[1, 1e200]]}': '1e+200',
           '{"columns": ["a", 3], "rows": [[1, 2]]}': 'columns',
           '{"rows": [[1, 2]]': 'not JSON',
           '{"columns": ' + 3000 * '[': 'not JSON'}
    for body, words in bad.items():
        code, answer = post(mesh, body, 'application/x')
        claim(f'bad rows: {words}', code == 400 and words in answer['error'])
    claim('bytes that are no text', post(mesh, b'a,b\n\xff\xfe,1\n')[0] == 400)
    claim('none of them were taken', mesh.status(0)['rows'] == 45)


def limits(mesh):
    code, answer = post(mesh, 'a,b\n' + 300000 * '1,22\n')
    claim('more than 1 MiB is refused', code == 413 and '1048576' in answer['error'])
    claim('and more than 10000 rows', post(mesh, 'a,b\n' + 10001 * '1,2\n')[0] == 413)
    claim('in JSON, too', post(mesh, json.dumps({'columns': ['a', 'b'], 'rows': 10001 * [[1, 2]]}),
                               'application/json')[0] == 413)
    code, answer = post(mesh, 'a,b\n' + 100 * '1,2\n')
    claim('and more than rows_max', code == 429 and 'rows_max' in answer['error'])
    time.sleep(1.1)
    codes = many(mesh, 'a,b\n1,z\n', 60)
    claim('and more than 50 in a second', codes == 50 * [400] + 10 * [429])
    claim('none of them were taken', mesh.status(0)['rows'] == 45)


def slow(mesh):
    """All connections in use, each sending a byte now and then; the node ticks, and answers soon."""
    held = []
    for k in range(16):
        s = socket.socket(socket.AF_UNIX)
        s.connect(mesh.where(0, 's'))
        s.send(b'POST /rows HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n' if k % 2 else b'GET /st')
        held.append(s)
    begun, came = time.monotonic(), False
    while time.monotonic() - begun < 8 and not came:
        for s in held:
            try:
                s.send(b'a')
            except OSError:
                pass
        try:
            came = mesh.get(0, '/healthz')[0] == 200
        except (OSError, http.client.HTTPException):
            pass
    claim('slow requests that take all connections are cut soon', came)
    claim('and counted', mesh.status(0)['host']['requests_refused'].get('slow', 0) >= 8)
    for s in held:
        s.close()
    alone = socket.socket(socket.AF_UNIX)
    alone.settimeout(15)
    alone.connect(mesh.where(0, 's'))
    alone.send(b'GET /status HTTP/1.1\r\nHost')
    begun = time.monotonic()
    while time.monotonic() - begun < 14:
        try:
            alone.send(b'o')
            time.sleep(.5)
        except OSError:
            break
    claim('one slow request is cut after 10 s', 9 < time.monotonic() - begun < 13)
    alone.close()
    for noise in (b'\0\xff' * 5000, b'GET ' + 40000 * b'/', b'X' * 70000, b'\x16\x03\x01\x02\x00'):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(mesh.where(0, 's'))
            try:
                s.sendall(noise)
            except OSError:
                pass
    claim('the node ticks on', ticks(mesh, 2.5) >= 2)
    claim('and is settled', mesh.status(0)['verdict'] == 'settled')


def addresses(mesh):
    with open(mesh.where(0, 'node.json')) as f:
        config = json.load(f)
    path = mesh.where(0, 'other.json')

    def check(address, verb='check'):
        with open(path, 'w') as f:
            json.dump(dict(config, status=address), f)
        run = subprocess.run([mesh.program, verb, '--config', path], capture_output=True, text=True,
                             timeout=20)
        return run.returncode, run.stderr

    for address in ('0.0.0.0:8100', '192.168.1.1:8100', '[::]:8100', 'example.org:80', '127.0.0.1',
                    '127.0.0.1:0', '127.0.0.1:70000', ':8100', 'unix:' + 120 * 'x'):
        code, why = check(address)
        claim(f'{address[:20]} is refused in one line', code == 2 and why.count('\n') == 1 and
              'status: got' in why)
    for address in ('127.0.0.1:8100', '[::1]:8100', 'localhost:8100', 'unix:s'):
        claim(f'{address} is accepted', check(address)[0] == 0)
    config['listen'] = f'tcp://127.0.0.1:{BASE + 9}'
    config['state'] = 'other'
    claim('a port in use is an error', check(f'127.0.0.1:{STATUS}', 'run')[1].find('in use') > 0)
    claim('so is a socket in use', 'another process listens' in check('unix:s', 'run')[1])
    claim('so is another file', 'no socket' in check('unix:rows.csv', 'run')[1])
    os.remove(path)


def sockets(mesh):
    path = mesh.where(0, 's')
    claim('the socket is the owner\'s alone', stat.S_IMODE(os.stat(path).st_mode) == 0o600)
    addresses(mesh)
    mesh.kill(0)
    claim('a killed process leaves its socket', os.path.exists(path))
    mesh.start(0)
    mesh.settle(30)
    claim('which the next one replaces', mesh.status(0)['incarnation'] > 1)
    claim('rows that were posted are in the checkpoint', mesh.status(0)['rows'] == 45)
    claim('the process ends with 0', mesh.stop(0) == [0])
    claim('and removes it', not os.path.exists(path))


def readiness(mesh):
    """Node 0 without its neighbours, and with them again."""
    mesh.stop(1, 2)
    found = soon('a node without neighbours is ready', lambda: (
        (said := asked(mesh, '/readyz'))[0] == 503 and 'no live link' in said[1]['reasons'], said))[1]
    claim('/readyz without a live link: 503', found['ready'] is False)
    claim('with a reason for each neighbour', [r.split(':')[0] for r in found['reasons'] if 'neighbour' in r] ==
          ['neighbour 1 (si"te\\1)', 'neighbour 2 (si"te\\2)'])
    claim('/healthz: 200', asked(mesh, '/healthz') == (200, {'healthy': True, 'reasons': []}))
    mesh.start(1, 2)
    mesh.settle(30)
    claim('/readyz when it has settled: 200', asked(mesh, '/readyz') == (200, {'ready': True, 'reasons': []}))


def moving(build, folder):
    """A node with a new row whose neighbour does not answer for some time."""
    with closing(Mesh(build, folder, 2, BASE + 12, rows_max=60)) as mesh:
        mesh.start()
        time.sleep(1)
        mesh.settle(30)
        mesh.signal(1, signal.SIGSTOP)
        post(mesh, 'a,b\n9,9\n')
        soon('a node that moves does not say so', lambda: (
            (said := asked(mesh, '/readyz'))[0] == 503 and said[1]['reasons'][0].startswith('moving'), said))
        mesh.signal(1, signal.SIGCONT)
        mesh.settle(30)
        claim('/readyz after a change: 200', asked(mesh, '/readyz') == (200, {'ready': True, 'reasons': []}))


def lone(build, folder):
    """A node of which no neighbours are configured."""
    with closing(Mesh(build, folder, 1, BASE + 12, links=())) as mesh:
        mesh.start()
        soon('a node that has no neighbours is not ready', lambda: (
            os.path.exists(mesh.where(0, 's')) and (said := mesh.get(0, '/readyz'))[0] == 200, 'no 200'))
        claim('a node that has no neighbours is ready at its answer', mesh.far() < 1e-6)


def waiting(build, folder):
    """A node that waits for its genesis block, because it has no rows."""
    mesh = Mesh(build, folder, 1, BASE + 12, links=())
    with open(mesh.where(0, 'node.json')) as f:
        config = json.load(f)
    del config['genesis'], config['data']
    config['model'] = {'name': 'gmm', 'n_components': 3, 'columns': ['a', 'b']}
    with open(mesh.where(0, 'node.json'), 'w') as f:
        json.dump(config, f)
    mesh.start()
    try:
        for _ in range(600):
            time.sleep(.1)
            try:
                mesh.status(0)
                break
            except (OSError, http.client.HTTPException):
                pass
        claim('/healthz without a genesis block: 200', asked(mesh, '/healthz')[0] == 200)
        claim('/readyz without a genesis block: 503', asked(mesh, '/readyz') == (
            503, {'ready': False, 'reasons': ['no genesis yet']}))
        code, text = mesh.get(0, '/posterior')
        claim('/posterior, too', code == 503 and 'error' in json.loads(text))
        claim('/status is there', valid('status', mesh.status(0)))
    finally:
        mesh.close()


def names(mesh):
    """Names of nodes, one of them hard to quote; node 1 has its status at a TCP port, too."""
    for i in range(mesh.n):
        path = mesh.where(i, 'node.json')
        with open(path) as f:
            config = json.load(f)
        config['name'] = f'si"te\\{i}'
        for one in config['neighbours']:
            one['name'] = f'si"te\\{one["id"]}'
        if i == 1:
            config['status'] = f'127.0.0.1:{STATUS}'
        with open(path, 'w') as f:
            json.dump(config, f)


class Both(Mesh):
    """Node 1 is asked over TCP."""

    def get(self, i, route, body=None):
        return tcp(route)[::2] if i == 1 else super().get(i, route, body)


def check(build, folder):
    with closing(Both(build, os.path.join(folder, 'net'), 3, BASE, rows_max=60)) as mesh:
        names(mesh)
        mesh.start()
        time.sleep(1)
        mesh.settle(60)
        routes(mesh)
        metrics(mesh)
        page()
        refusals(mesh)
        rows(mesh)
        limits(mesh)
        slow(mesh)
        readiness(mesh)
        sockets(mesh)
        moving(build, os.path.join(folder, 'moving'))
        lone(build, os.path.join(folder, 'lone'))
        waiting(build, os.path.join(folder, 'waits'))


main(check)

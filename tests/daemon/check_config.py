#!/usr/bin/python3
"""check_config.py BUILD: `check` says what `run` refuses, and warns of what cannot work; SIGHUP says what it
has ignored. Ports 7320 to 7329."""
import json
import os
import signal
import subprocess
import time
from contextlib import closing

from claims import claim, main
from mesh import Mesh, soon
from reasons import edit, log, neighbour

BASE = 7320
HERE = os.path.dirname(os.path.abspath(__file__))


def says(mesh, verb, config, **environment):
    path = mesh.where(2, 'other.json')
    with open(path, 'w') as f:
        json.dump(config, f)
    try:
        run = subprocess.run([mesh.program, verb, '--config', path], capture_output=True, text=True, timeout=4,
                             env=dict(os.environ, **environment))
        return run.returncode, run.stderr, run.stdout
    except subprocess.TimeoutExpired:
        return 0, '', ''                           # it runs


def refusals(mesh):
    """Each is a change of a configuration that is fine, and words of the answer."""
    def port(c):
        c['status'] = f'127.0.0.1:{BASE + 2}'

    def all_of(c):
        c['listen'] = f'tcp://0.0.0.0:{BASE + 2}'
        port(c)

    cases = {
        'more rows than rows_max': (lambda c: c.update(rows_max=39), 'got 40 rows; expected at most rows_max, 39'),
        'two neighbours with one key': (lambda c: neighbour(c, 0).update(public_key=mesh.public[1]),
                                        'public_key of 0 and 1'),
        'two neighbours with one address': (lambda c: neighbour(c, 0).update(address=neighbour(c, 1)['address']),
                                            'address of 0 and 1'),
        'the own key for a neighbour': (lambda c: neighbour(c, 1).update(public_key=mesh.public[2]),
                                        'the public_key of this node'),
        'a key of other characters': (lambda c: neighbour(c, 1).update(public_key=40 * '"'), 'no key in Z85'),
        'the own address for a neighbour': (lambda c: neighbour(c, 1).update(address=c['listen']), 'listen'),
        'status on the port of listen': (port, 'another port than that of listen'),
        'the same of every interface': (all_of, 'another port than that of listen'),
        'a host name in listen': (lambda c: c.update(listen=f'tcp://localhost:{BASE + 2}'), 'in numbers'),
        'noise in a file of its own': (lambda c: c.update(privacy='epsilon=1,delta=1e-5'), 'all nodes have the same, in the genesis file'),
        'a value that no row can have': (lambda c: c.update(data='huge.csv'), '1e200 is too large')}
    with open(mesh.where(2, 'huge.csv'), 'w') as f:
        f.write('a,b\n1,1e200\n')
    with open(mesh.where(2, 'node.json')) as f:
        fine = f.read()
    claim('the configuration is fine', says(mesh, 'check', json.loads(fine))[0] == 0)
    for what, (change, words) in cases.items():
        config = json.loads(fine)
        change(config)
        for verb in ('check', 'run'):
            code, why, _ = says(mesh, verb, config)
            claim(f'{verb} refuses {what}', code in (1, 2) and words in why and why.count('\n') == 1)
            if words not in why:
                print(code, why)
    return json.loads(fine)


def room(mesh, fine):
    """Without rows_max there is room for the file."""
    with open(mesh.where(2, 'many.csv'), 'w') as f:
        f.write('a,b\n' + 20000 * '1,2\n')
    config = dict(fine, data='many.csv')
    code, why, text = says(mesh, 'check', config)
    claim('a file of 20000 rows needs no rows_max', code == 0 and 'at most 25000 rows' in text)
    claim('a file that grows either', 'at most 40000 rows' in says(mesh, 'check', dict(config, follow=True))[2])
    why = says(mesh, 'check', dict(config, follow=True, rows_max=100))[1]
    claim('with one it is a warning', 'has 20000 rows: those beyond rows_max, 100, are refused' in why)
    claim('of a small one the default is as before', 'at most 10000 rows' in says(mesh, 'check', fine)[2])


def names(mesh, folder, fine):
    shim = os.path.join(folder, 'names_shim.so')
    subprocess.run([os.environ.get('CC', 'cc'), '-std=c11', '-O1', '-shared', '-fPIC', '-o', shim,
                    os.path.join(HERE, 'names_shim.c'), '-ldl'], check=True)
    with open(mesh.where(2, 'names'), 'w') as f:
        f.write('nowhere.test -\nhere.test 127.0.0.1\n')
    neighbour(fine, 0)['address'] = f'tcp://nowhere.test:{BASE}'
    neighbour(fine, 1)['address'] = f'tcp://here.test:{BASE + 1}'
    begun = time.monotonic()
    code, why, _ = says(mesh, 'check', fine, LD_PRELOAD=shim, NAMES=mesh.where(2, 'names'))
    claim('check warns of a name that does not resolve', code == 0 and
          f'neighbour 0: the name in tcp://nowhere.test:{BASE} does not resolve' in why and
          'here.test:7321' not in why)
    claim('at once', time.monotonic() - begun < 2)


def reload(mesh):
    mesh.start(2)
    soon('node 2 answers', lambda: (os.path.exists(mesh.where(2, 's')), ''))
    edit(mesh, 2, lambda c: c.update(tick_ms=30, tol=1e-6, status='unix:other'))
    mesh.signal(2, signal.SIGHUP)
    text = soon('SIGHUP', lambda: ('reload=done' in log(mesh, 2), log(mesh, 2)))
    line = next(one for one in text.splitlines() if 'reload=done' in one)
    claim('SIGHUP names what it has ignored', 'ignored="status, tick_ms, tol"' in line)
    edit(mesh, 2, lambda c: neighbour(c, 1).update(public_key=mesh.public[2]))
    mesh.signal(2, signal.SIGHUP)
    soon('SIGHUP refuses the own key', lambda: ('reload=failed' in log(mesh, 2), log(mesh, 2)))
    claim('names in the log are quoted', 'event=start node="2"' in log(mesh, 2))


def check(build, folder):
    with closing(Mesh(build, os.path.join(folder, 'net'), 3, BASE)) as mesh:
        fine = refusals(mesh)
        room(mesh, fine)
        names(mesh, folder, fine)
        reload(mesh)
        help = [subprocess.run([mesh.program, *words], capture_output=True, text=True)
                for words in (['help'], ['--help'])]
        claim('help is --help', help[0].returncode == 0 and help[0].stdout == help[1].stdout != '')


main(check)

#!/usr/bin/python3
"""check_access.py BUILD: a status that other machines can read: for those who have its token, or a certificate
of its authority, and by curl. Ports 7490 to 7499."""
import json
import os
import shutil
import subprocess
from contextlib import closing

from claims import claim, main
from mesh import Mesh, soon
from reasons import edit

BASE, STATUS = 7490, 7495
TOKEN = 'b0f1c2d3e4f5a6b7c8d9'


def run(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def signed(folder, name, by):
    """NAME.pem, signed by BY.pem: `by` the same is an authority of its own."""
    path = os.path.join(folder, name)
    more = ['-addext', 'subjectAltName=IP:127.0.0.1'] + ([] if name == by else ['-CA', os.path.join(folder, by + '.pem'),
                                                         '-CAkey', os.path.join(folder, by + '.key')])
    run('openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
        '-subj', '/CN=' + name, '-keyout', path + '.key', '-out', path + '.pem', *more)
    os.chmod(path + '.key', 0o600)


def curl(scheme, *more, route='/metrics'):
    """Code and body; 0: no answer."""
    p = subprocess.run(['curl', '-s', '--max-time', '10', '-w', '\n%{http_code}', *more,
                        f'{scheme}://127.0.0.1:{STATUS}{route}'], capture_output=True, text=True)
    body, _, code = p.stdout.rpartition('\n')
    return int(code), body


def served(mesh, scheme, *more):
    mesh.start()
    soon('the status', lambda: ((now := curl(scheme, *more)[0]) == 200, now))


def token(mesh):
    bearer = ('-H', 'Authorization: Bearer ' + TOKEN)
    edit(mesh, 0, lambda c: c.update(status=f'0.0.0.0:{STATUS}', status_token_file='token'))
    with open(mesh.where(0, 'token'), 'w', opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
        f.write(TOKEN + '\n')
    served(mesh, 'http', *bearer)
    claim('metrics need the token', curl('http')[0] == 401)
    for wrong in (TOKEN[:-1], TOKEN + 'x', ''):
        claim(f'another one, "{wrong}", is refused', curl('http', '-H', 'Authorization: Bearer ' + wrong)[0] == 401)
    claim('so does every route, also one that is not there', all(curl('http', route=r)[0] == 401 for r in (
        '/', '/status', '/posterior', '/nothing')))
    claim('the answer names the header', 'WWW-Authenticate: Bearer' in curl('http', '-i')[1])
    claim('with it there are numbers, under any name of the machine',
          'meshbayes_node_rows 40' in curl('http', *bearer, '-H', 'Host: edge-7.example')[1])
    claim('but rows cannot be posted', curl('http', *bearer, '-d', 'a,b', route='/rows')[0] == 403)
    claim('refusals are counted', json.loads(curl('http', *bearer, route='/status')[1])['host'][
        'requests_refused']['token'] >= 8)
    mesh.stop()


def certificates(mesh):
    folder = mesh.where(0)
    for name, by in (('ca', 'ca'), ('server', 'ca'), ('reader', 'ca'), ('other', 'other'), ('stranger', 'other')):
        signed(folder, name, by)

    def at(name, *more):
        path = os.path.join(folder, name)
        return ('--cacert', os.path.join(folder, 'ca.pem'), '--cert', path + '.pem', '--key', path + '.key', *more)

    tls = {'cert': 'server.pem', 'key': 'server.key', 'client_ca': 'ca.pem'}
    edit(mesh, 0, lambda c: (c.pop('status_token_file'), c.update(status_tls=tls)))
    served(mesh, 'https', *at('reader'))
    claim('a certificate of the authority may read', 'meshbayes_node_rows 40' in curl('https', *at('reader'))[1])
    claim('one of another authority may not', curl('https', *at('stranger'))[0] in (0, 403))
    claim('nor who has none', curl('https', '--cacert', os.path.join(folder, 'ca.pem'))[0] == 403)
    claim('nor who does not speak TLS', curl('http')[0] == 0)
    claim('the reader sees that it is this node', curl('https', *at('reader', '--cacert',
                                                       os.path.join(folder, 'other.pem')))[0] == 0)
    mesh.stop()


def refusals(mesh):
    with open(mesh.where(0, 'node.json')) as f:
        fine = json.load(f)
    folder, bare = mesh.where(0), {k: v for k, v in fine.items() if k != 'status_tls'}
    shutil.copy(os.path.join(folder, 'server.key'), os.path.join(folder, 'open.key'))
    os.chmod(os.path.join(folder, 'open.key'), 0o644)
    with open(os.path.join(folder, 'short'), 'w') as f:
        f.write('secret\n')
    os.chmod(os.path.join(folder, 'short'), 0o600)

    def tls(**change):
        return dict(fine, status_tls=dict(fine['status_tls'], **change))

    cases = {'another machine without either': (bare, 'needs status_token_file or status_tls.client_ca'),
             'or with a certificate alone': (dict(fine, status_tls={k: fine['status_tls'][k] for k in ('cert', 'key')}),
                                             'needs status_token_file or status_tls.client_ca'),
             'a name for an address': (dict(fine, status=f'edge-7:{STATUS}'), 'in numbers'),
             'a Unix socket with TLS': (dict(fine, status='unix:s'), 'none, because'),
             'a key that others can read': (tls(key='open.key'), 'expected 0600'),
             'a certificate that is none': (tls(cert='rows.csv'), 'PEM'),
             'a file that is not there': (tls(client_ca='none.pem'), 'none.pem'),
             'TLS without a key': (dict(fine, status_tls={'cert': 'server.pem'}), 'status_tls.key'),
             'a short token': (dict(bare, status_token_file='short'), 'one line of 16'),
             'the port of listen': (dict(fine, status=f'0.0.0.0:{BASE}'), 'another port than that of listen')}
    for what, (config, words) in cases.items():
        with open(mesh.where(0, 'other.json'), 'w') as f:
            json.dump(config, f)
        p = subprocess.run([mesh.program, 'check', '--config', mesh.where(0, 'other.json')], capture_output=True, text=True)
        claim(f'check refuses {what}', p.returncode in (1, 2) and words in p.stderr and p.stderr.count('\n') == 1)
        if words not in p.stderr:
            print(p)
    said = run(mesh.program, 'check', '--config', mesh.where(0, 'node.json'))
    claim('check says who may read', f'status: 0.0.0.0:{STATUS}, TLS, for certificates of ' in said)


def check(build, folder):
    with closing(Mesh(build, os.path.join(folder, 'net'), 1, BASE)) as mesh:
        token(mesh)
        certificates(mesh)
        refusals(mesh)


main(check)

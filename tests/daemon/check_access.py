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


def write_secret(path, text):
    with open(path, 'w', opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
        f.write(text)


def curl(scheme, *more, route='/metrics'):
    """Code and body; 0: no answer."""
    p = subprocess.run(['curl', '-s', '--max-time', '10', '-w', '\n%{http_code}', *more,
                        f'{scheme}://127.0.0.1:{STATUS}{route}'], capture_output=True, text=True)
    body, _, code = p.stdout.rpartition('\n')
    return int(code), body


def served(mesh, scheme, *more):
    mesh.start()
    soon('the status', lambda: ((now := curl(scheme, *more)[0]) == 200, now))


def program(mesh, *words):
    return subprocess.run([mesh.program.removesuffix('-node'), *words], capture_output=True, text=True)


def look(mesh, *where):
    """What `top --once --json` says of the only node: verdict and message."""
    p = program(mesh, 'top', '--once', '--json', *where)
    node = json.loads(p.stdout)[0] if p.stdout else {}
    return node.get('verdict'), node.get('message') or p.stderr


def fleet(mesh, *words, **fields):
    """What `fleet check` prints of a network of this node."""
    path = mesh.where(0, 'network.json')
    node = {'id': 0, 'address': f'tcp://127.0.0.1:{BASE}', 'status_at': f'http://127.0.0.1:{STATUS}', **fields}
    with open(path, 'w') as f:
        json.dump({'nodes': [node], 'links': [], 'all': {'model': {'name': 'gmm'}}}, f)
    return program(mesh, 'fleet', 'check', path, *words).stdout


def clients(mesh):
    """`top` and `fleet check`, which have the token from the node's folder or a file."""
    file, at = mesh.where(0, 'token'), f'http://127.0.0.1:{STATUS}'
    wrong = mesh.where(0, 'wrong')
    write_secret(wrong, TOKEN + 'x\n')
    claim('top has the token of the folder of a node', look(mesh, mesh.where(0))[0] in ('alone', 'settled'))
    claim('or of a file', look(mesh, at, '--token-file', file)[0] in ('alone', 'settled'))
    for what, more, words in (('no', (), 'got no token'), ('another', ('--token-file', wrong), 'got another token')):
        said = look(mesh, at, *more)
        claim(f'with {what} token it says so: {said}', said[0] == 'down' and words in said[1])
        said = fleet(mesh, *more)
        claim(f'fleet check says so, too: {said}', f'0: it does not answer at {at}: {words}' in said)
    said = fleet(mesh, '--token-file', file)
    claim(f'with it all is right: {said}', said.startswith('all right: 1 node'))
    network = os.path.join(os.path.dirname(mesh.where(0)), 'nodes')
    os.makedirs(network)
    os.symlink(mesh.where(0), os.path.join(network, '0'))
    said = fleet(mesh, '--dir', os.path.dirname(network), status_token_file='token')
    claim(f'or with that of the folder: {said}', said.startswith('all right: 1 node'))
    write_secret(wrong, 'no token\n')
    said = look(mesh, at, '--token-file', wrong)[1]
    claim(f'a file that has no token is refused: {said}', 'expected a token, one line' in said)
    shutil.copy(file, wrong)
    os.chmod(wrong, 0o640)
    said = look(mesh, at, '--token-file', wrong)[1], fleet(mesh, '--token-file', wrong)
    claim(f'as is one that others can read: {said}', 'got mode 0640; expected 0600' in said[0] and not said[1])
    os.chmod(file, 0o640)
    said = look(mesh, mesh.where(0))
    claim(f'that of the folder, too, in words: {said}', said[0] == 'down' and 'got mode 0640; expected 0600' in said[1])
    os.chmod(file, 0o600)


def token(mesh):
    bearer = ('-H', 'Authorization: Bearer ' + TOKEN)
    edit(mesh, 0, lambda c: c.update(status=f'0.0.0.0:{STATUS}', status_token_file='token'))
    write_secret(mesh.where(0, 'token'), TOKEN + '\n')
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
    clients(mesh)
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
    for said in (look(mesh, mesh.where(0))[1], fleet(mesh)):
        claim(f'top and fleet check say that they do not: {said}', 'speaks TLS (status_tls): that needs a proxy' in said and said.count('\n') < 2)
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

#!/usr/bin/python3
"""check_audit.py BUILD: where the genesis lists members, nodes on sockets sign with Ed25519 and audit each
other: an honest network accuses no member, one with more rows than it declared is named in status and log
and dropped, and keys and links that are not listed are refused by name. Ports 7380 to 7389."""
import json
import os
import re
import signal
import subprocess
from contextlib import closing

from claims import claim, main
from mesh import Mesh, soon
from reasons import edit, log

BASE, LIAR = 7380, 2


def member(i, file, rows, links):
    with open(file) as f:
        key = json.load(f)
    return {'id': i, 'key': key['public_key'], 'signing_key': key['signing_public_key'], 'rows': rows, 'links': links}


def top(mesh, *more):
    return subprocess.run([mesh.main, 'top', *(mesh.where(i) for i in range(mesh.n)), '--once', *more],
                          capture_output=True, text=True).stdout


def fleet(mesh):
    """Exit status and lines of `fleet check`."""
    path = os.path.join(mesh.folder, 'network.json')
    with open(path, 'w') as f:
        json.dump({'all': {'model': {'name': 'gmm'}}, 'links': sorted(mesh.links), 'nodes': [
            {'id': i, 'address': f'tcp://127.0.0.1:{BASE + i}', 'status_at': 'unix:' + mesh.where(i, 's')}
            for i in range(mesh.n)]}, f)
    done = subprocess.run([mesh.main, 'fleet', 'check', path], capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


def declare(mesh, rows):
    """The list of members in the genesis: keys, links and rows."""
    path = os.path.join(mesh.folder, 'genesis.json')
    with open(path) as f:
        genesis = json.load(f)
    genesis['members'] = [member(i, mesh.where(i, 'node.key'), rows[i], mesh.neighbours(i)) for i in range(mesh.n)]
    with open(path, 'w') as f:
        json.dump(genesis, f)
    return genesis, path


def audit(mesh, i):
    """That of the status of node i, which may not be up yet."""
    try:
        return mesh.status(i)['audit']
    except OSError:
        return {'rounds': 0, 'judged': 0, 'broken': []}


def refused(mesh, what, words):
    run = subprocess.run([mesh.program, 'check', '--config', mesh.where(0, 'node.json')], capture_output=True, text=True,
                         check=False)
    claim(f'{what}: {run.stderr.strip()}', run.returncode != 0 and words in run.stderr)


def honest(build, folder):
    with closing(Mesh(build, os.path.join(folder, 'honest'), 5, BASE)) as mesh:
        genesis, path = declare(mesh, [40] * 5)
        mesh.start()
        soon('not all have judged all', lambda: (all(audit(mesh, i)['judged'] == 5 for i in range(5)), audit(mesh, 0)), 60)
        is_on = [audit(mesh, i) for i in range(5)]
        claim('an honest network is audited and accuses no member',
              all(a['state'] == 'on' and not a['broken'] and not a['statements_refused'] for a in is_on))
        mesh.settle(30)
        claim('and is at the answer of all rows', mesh.far(range(5)) < 1e-6)
        said = top(mesh).splitlines()[0]
        claim(f'top says how far: {said}', said == '5 nodes, 5 settled, 0 down; audits on at 5 of 5 nodes, '
                                                   '5 of 5 members judged, 0 broken')
        said = fleet(mesh)
        claim(f'so does fleet check: {said}', said[0] == 0 and said[1][0].endswith(
            '; audits on at 5 of 5 nodes, 5 of 5 members judged, 0 broken'))
        mesh.stop()
        genesis['members'][1]['key'] = mesh.public[2][::-1]
        with open(path, 'w') as f:
            json.dump(genesis, f)
        refused(mesh, 'a key that is not listed', 'neighbour 1 (1): public_key is not that of member 1')
        genesis['members'][1]['key'] = mesh.public[1]
        for m in genesis['members']:
            m['links'] = [j for j in m['links'] if {j, m['id']} != {0, 1}]
        with open(path, 'w') as f:
            json.dump(genesis, f)
        refused(mesh, 'a link that is not listed', 'lists no link between members 0 and 1')


def liar(build, folder):
    others = [i for i in range(5) if i != LIAR]
    with closing(Mesh(build, os.path.join(folder, 'liar'), 5, BASE, on_broken='drop')) as mesh:
        declare(mesh, [40 if i != LIAR else 10 for i in range(5)])
        mesh.start()
        soon('the liar is not named by all', lambda: (
            all([b['node'] for b in audit(mesh, i)['broken']] == [str(LIAR)] for i in others),
            [audit(mesh, i) for i in others]), 60)
        why = audit(mesh, 0)['broken'][0]['reason']
        claim(f'it is named: {why}', 'rows: got 40' in why)
        claim('the log names it', f'event=audit member={LIAR} broken=yes reason="rows: got 40' in log(mesh, 0))
        named = '[45] nodes: rows: got 40'  # it may name itself
        said = top(mesh)
        claim(f'so does top, once for all: {said}', len(re.findall(
            rf'^member {LIAR} \({LIAR}\) fails the audits of {named}', said, re.M)) == 1 and ', 1 broken' in said)
        said = json.loads(top(mesh, '--json'))[0]['audit']
        claim(f'and in JSON: {said}', said['state'] == 'on' and [(b['id'], b['reason']) for b in said['broken']] == [
            (LIAR, why)])
        code, said = fleet(mesh)
        claim(f'for fleet check it is a difference: {said}', code == 1 and any(
            re.match(f'{LIAR}: it fails the audits of {named}', line) for line in said))
        soon('the others have not settled', lambda: (all(
            mesh.status(i)['verdict'] == 'settled' and abs(mesh.status(i)['n_nodes'] - 4) < 1e-6 for i in others), ''), 60)
        claim('with drop the others are at the answer of their rows', mesh.far(others) < 1e-6)


def up(build, folder, *more):
    return subprocess.Popen([os.path.join(build, 'meshbayes'), 'up', '--data', 'rows.csv', '--node-column', 'site',
                             '--network', 'links.csv', '--n-components', '3', '--base-port', str(BASE), '--out', 'net',
                             *more], cwd=folder, stdout=subprocess.DEVNULL)


def audits_of(build, folder):
    done = subprocess.run([os.path.join(build, 'meshbayes'), 'top', 'net', '--once', '--json'], cwd=folder,
                          capture_output=True, text=True)
    return [n.get('audit', {'broken': []}) for n in json.loads(done.stdout or '[]')]


def paragraphs(folder):
    with open(os.path.join(folder, 'net', 'report.html')) as f:
        return re.findall(r'<p>(.*?)</p>', re.sub('</?b>', '', f.read()))


def report(build, folder):
    """Keys of `meshbayes up` remain, so that a second run has the members that the first one has made."""
    folder, n = os.path.join(folder, 'up'), 4
    with closing(Mesh(build, folder, n, BASE)) as mesh:
        with open(os.path.join(folder, 'rows.csv'), 'w') as f:
            f.writelines(['a,b,site\n', *(f'{x[0]},{x[1]},n{i}\n' for i in range(n) for x in mesh.rows[i])])
        with open(os.path.join(folder, 'links.csv'), 'w') as f:
            f.writelines(['i,j\n', *(f'n{a},n{b}\n' for a, b in mesh.links)])
        claim('up has an end', up(build, folder).wait(120) == 0)
        claim('the report says that there was no audit', 'There was no audit: the genesis lists no members.' in
              paragraphs(folder))
        with open(os.path.join(folder, 'genesis.json')) as f:
            genesis = json.load(f)
        genesis['members'] = [member(i, os.path.join(folder, 'net', 'nodes', f'n{i}', 'node.key'), 40 if i != LIAR else 10,
                                     mesh.neighbours(i)) for i in range(n)]
        with open(os.path.join(folder, 'members.json'), 'w') as f:
            json.dump(genesis, f)
        running = up(build, folder, '--genesis', 'members.json', '--until', '1h')
        try:
            soon('all name it', lambda: (sum(bool(a['broken']) for a in audits_of(build, folder)) >= n - 1, ''), 120)
        finally:
            running.send_signal(signal.SIGTERM)
            running.wait(60)
        said = [p for p in paragraphs(folder) if 'audit' in p]
        claim(f'the report says how far, and names it: {said}', '4 members: not all put in what they declared' in said[0] and
              any(p.startswith(f'Member n{LIAR} fails the audits of ') and 'rows: got 40' in p for p in said))


def check(build, folder):
    honest(build, folder)
    liar(build, folder)
    report(build, folder)


main(check)

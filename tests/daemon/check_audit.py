#!/usr/bin/python3
"""check_audit.py BUILD: where the genesis lists members, nodes on sockets sign with Ed25519 and audit each
other: an honest network accuses no member, one with more rows than it declared is named in status and log
and dropped, and keys and links that are not listed are refused by name. Ports 7380 to 7389."""
import json
import os
import subprocess
from contextlib import closing

from claims import claim, main
from mesh import Mesh, soon
from reasons import edit, log

BASE, LIAR = 7380, 2


def declare(mesh, rows):
    """The list of members in the genesis: keys, links and rows."""
    path = os.path.join(mesh.folder, 'genesis.json')
    with open(path) as f:
        genesis = json.load(f)
    genesis['members'] = []
    for i in range(mesh.n):
        with open(mesh.where(i, 'node.key')) as f:
            key = json.load(f)
        genesis['members'].append({'id': i, 'key': mesh.public[i], 'signing_key': key['signing_public_key'],
                                   'rows': rows[i], 'links': mesh.neighbours(i)})
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
        soon('the others have not settled', lambda: (all(
            mesh.status(i)['verdict'] == 'settled' and abs(mesh.status(i)['n_nodes'] - 4) < 1e-6 for i in others), ''), 60)
        claim('with drop the others are at the answer of their rows', mesh.far(others) < 1e-6)


def check(build, folder):
    honest(build, folder)
    liar(build, folder)


main(check)

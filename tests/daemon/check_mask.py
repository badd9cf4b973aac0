#!/usr/bin/python3
"""check_mask.py BUILD: nodes that mask their sums settle on the bits of nodes that do not, wait for a member that is
killed until it is back or left out, and refuse what masks would not hide. Ports 7650 to 7659."""
import json
import os
import re
import shutil
import struct
import subprocess
import time
import zlib
from contextlib import closing

import numpy as np

from check_sum import agreed, answers
from claims import claim, main
from mesh import Mesh, soon
from reasons import becomes, edit, log, neighbour

BASE, N, RING = 7650, 5, {(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)}
REST = [0, 1, 2, 4]                 # without node 3


def genesis(mesh, change):
    path = os.path.join(mesh.folder, 'genesis.json')
    with open(path) as f:
        block = json.load(f)
    change(block)
    with open(path, 'w') as f:
        json.dump(block, f)


def members(mesh):
    return [{'id': i, 'key': mesh.public[i], 'rows': len(mesh.rows[i]), 'links': mesh.neighbours(i)}
            for i in range(mesh.n)]


def masks(mesh, i):
    return mesh.status(i)['mask']


def run(mesh, verb, i, *more):
    return subprocess.run([mesh.program, verb, '--config', mesh.where(i, 'node.json'), *more], capture_output=True,
                          text=True)


def called(mesh, i):
    """Node 3 in words of node i."""
    return 'kiel (3)' if 3 in mesh.neighbours(i) else 'member 3'


def gone(mesh):
    """Who is root of the sums, once it waits for node 3."""
    def waits():
        seen = {i: mesh.status(i) for i in REST}
        roots = [i for i, s in seen.items()
                 if f'waits for {called(mesh, i)}, missing since ' in (s['message'] or '')]
        return roots, {i: s['message'] for i, s in seen.items()}

    soon('the root waits for node 3', waits)
    return waits()[0][0]


def named(mesh, root):
    """/readyz of the root calls a neighbour by its name."""
    who = called(mesh, root)
    said = json.loads(mesh.get(root, '/readyz')[1])['reasons']
    claim(f'/readyz names {who}', any(r.startswith(f'moving: {who} is missing since ') for r in said))


def lives(mesh):
    for i in mesh.neighbours(3):
        edit(mesh, i, lambda c: neighbour(c, 3).update(name='kiel'))
    mesh.start()
    agreed(mesh, range(N), 'with masks')
    claim('all share masks with all others', all(masks(mesh, i)['partners'] == N - 1 for i in range(N)))
    bits = answers(mesh, range(N))
    mesh.kill(3)
    root = gone(mesh)
    passes = [mesh.status(i)['sum']['pass'] for i in REST]
    time.sleep(.5)
    claim('without node 3 nobody makes a pass', [mesh.status(i)['sum']['pass'] for i in REST] == passes)
    claim('the root names it', [m['id'] for m in masks(mesh, root)['missing']] == [3])
    named(mesh, root)
    mesh.start(3)
    agreed(mesh, range(N), 'it is there again')
    mesh.kill(3)
    root = gone(mesh)
    other = run(mesh, 'without', REST[(REST.index(root) + 1) % 4], '--id', '3')
    claim('the command belongs to the root', other.returncode == 2 and f'node {root} is the root' in other.stderr)
    said = run(mesh, 'without', root, '--id', '3')
    claim('which says what others can compute', said.returncode == 0 and 'second moments of node 3' in said.stdout)
    agreed(mesh, REST, 'without it')
    claim('all show who is left out', all([m['id'] for m in masks(mesh, i)['left_out']] == [3] for i in REST))
    soon('all log it', lambda: (all('member=3 sums=left_out' in log(mesh, i) for i in REST), ''))
    mesh.start(3)
    agreed(mesh, range(N), 'it is there once more')
    status, why = mesh.get(0, '/rows', 'a,b\n1,1\n')
    claim('rows that are posted are refused', status == 400 and b'with masks those of a node are fixed' in why)
    mesh.stop()
    return bits


def refusals(mesh):
    """check refuses each of these by name."""
    for change, words in (({'follow': True}, 'field "follow"'), ({'window': {'rows': 9}}, 'field "window"'),
                          ({'algorithm': 'edge'}, '"algorithm": "sum"'),
                          ({'insecure': True}, 'in place of "insecure"'), ({'data': '-'}, 'field "data"'),
                          ({'wire': 'float16'}, 'sum sends integers'), ({'mask': False}, 'that of the genesis')):
        with open(mesh.where(0, 'node.json')) as f:
            before = f.read()
        edit(mesh, 0, lambda c, change=change: c.update(change))
        said = run(mesh, 'check', 0)
        claim(f'{json.dumps(change)} is refused with masks', said.returncode == 1 and words in said.stderr)
        with open(mesh.where(0, 'node.json'), 'w') as f:
            f.write(before)
    for key, value, words in (('key', None, 'key and rows of member 2'), ('rows', None, 'key and rows of member 2')):
        genesis(mesh, lambda g, key=key, value=value: g['members'][2].pop(key))
        said = run(mesh, 'check', 0)
        claim(f'a member without {key} is refused', said.returncode == 1 and words in said.stderr)
        genesis(mesh, lambda g: g.update(members=members(mesh)))
    genesis(mesh, lambda g: g.pop('members'))
    said = run(mesh, 'check', 0)
    claim('masks without a list are refused', said.returncode == 1 and 'lists all members' in said.stderr)
    genesis(mesh, lambda g: g.update(members=members(mesh)))


def tapes(mesh):
    """What was recorded of lives runs again with the key of the node alone."""
    def replay(i, *key):
        return subprocess.run([mesh.program, 'replay', mesh.where(i, 'record', f'node-{i + 1}.mbr'), *key],
                              capture_output=True, text=True)

    for i in range(N):
        own = replay(i, '--key', mesh.where(i, 'node.key'))
        claim(f'the record of node {i} runs again to the bit', own.returncode == 0 and 'the same to the bit' in own.stdout)
    claim('one begins with a checkpoint', any('from a checkpoint of tick' in replay(
        i, '--key', mesh.where(i, 'node.key')).stdout for i in range(N)))
    none, other = replay(0), replay(0, '--key', mesh.where(1, 'node.key'))
    claim('without its key it is refused', none.returncode == 2 and 'expected meshbayes-node replay' in none.stderr)
    claim('as with that of another node', other.returncode == 2 and 'not that of member 0' in other.stderr)
    for i in (0, 2):
        said = keyless(mesh, i, replay)
        claim(f'a record without the key of member {i} is refused', said.returncode == 1 and
              f'got no key of member {i}' in said.stderr)


def keyless(mesh, i, replay):
    """The record of node 0 with blanks for the key of member i, and checksum and plan put right."""
    path = mesh.where(0, 'record', 'node-1.mbr')
    with open(path, 'rb') as f:
        kept = f.read()
    tape, n = bytearray(kept), struct.unpack('<I', kept[4:8])[0]
    key = list(re.finditer(rb'"key": ?"[^"]{40}",\s*', kept[:36 + n]))[i]
    tape[key.start():key.end()] = b' ' * len(key.group())
    for _ in range(2):
        tape[36 + n:40 + n] = struct.pack('<I', zlib.crc32(bytes(tape[:36 + n])))
        with open(path, 'wb') as f:
            f.write(tape)
        said = replay(0, '--key', mesh.where(0, 'node.key'))
        plan = re.search(r'expected ([0-9a-f]{16}), which', said.stderr)
        tape[8:16] = struct.pack('<Q', int(plan.group(1), 16)) if plan else tape[8:16]
    with open(path, 'wb') as f:
        f.write(kept)
    return said


def others(mesh):
    """Rows that have changed, and a neighbour that masks nothing."""
    path = mesh.where(1, 'rows.csv')
    with open(path) as f:
        rows = f.read()
    with open(path, 'w') as f:
        f.write(rows.replace('\n', '\n0,0\n', 1).rsplit('\n', 2)[0] + '\n')
    mesh.start(1)
    claim('a data file that has changed is refused',
          mesh.running.pop(1).wait(20) == 2 and 'with masks they are fixed' in log(mesh, 1))
    with open(path, 'w') as f:
        f.write(rows + '0,0\n')
    claim('so are more rows than declared', 'as ../genesis.json' not in (said := run(mesh, 'check', 1)).stdout and
          'declares of member 1' in said.stderr)
    with open(path, 'w') as f:
        f.write(rows)
    with open(os.path.join(mesh.folder, 'open.json'), 'w') as f:
        with open(os.path.join(mesh.folder, 'genesis.json')) as g:
            json.dump({**json.load(g), 'mask': False}, f)
    edit(mesh, 3, lambda c: c.update(genesis='../open.json', state=None))
    mesh.start()
    soon('they answer', lambda: (all(os.path.exists(mesh.where(i, 's')) for i in range(N)), ''))
    becomes(mesh, 2, 'kiel', 'other_model', 'mask')
    time.sleep(1)
    claim('beside one without masks nobody makes a pass', all(not mesh.status(i)['sum']['complete'] for i in REST))
    mesh.stop()


def without_block(mesh, **declared):
    """The genesis file has model, bounds and members, and nodes make the block."""
    path = os.path.join(mesh.folder, 'genesis.json')
    bounds = os.path.join(mesh.folder, 'bounds.csv')
    with open(bounds, 'w') as f:
        f.write('column,low,high\na,-30,30\nb,-30,30\n')
    subprocess.run([mesh.main, 'genesis', 'ranges', '--bounds', bounds, '--n-components', '3', '--out', path], check=True,
                   capture_output=True)
    genesis(mesh, lambda g: g.update(members=members(mesh), **declared))


def starts(mesh):
    """Nodes make the start, masked, while one of them is killed; without masks it has the same bits."""
    without_block(mesh)
    said = run(mesh, 'check', 0)
    claim('a genesis without a block bears masks', '\nmask: on\n' in said.stdout and 'no node sees a row' in said.stdout)
    mesh.start()
    time.sleep(.1)
    mesh.kill(2, wipe=True)
    time.sleep(.5)
    mesh.start(2)
    agreed(mesh, range(N), 'with a start of masked sums')
    claim('whose masks are shared with all', all(masks(mesh, i)['partners'] == N - 1 for i in range(N)))
    bits = answers(mesh, range(N))
    mesh.stop()
    genesis(mesh, lambda g: g.update(mask=False))
    for i in range(N):
        shutil.rmtree(mesh.where(i, 'state'), ignore_errors=True)
    mesh.start()
    agreed(mesh, range(N), 'with one of open sums')
    claim('the bits are those of masked ones', answers(mesh, range(N)) == bits and len(bits) == 1)
    mesh.stop()


def post(mesh, i, n, rng):
    rows = rng.normal(size=(n, 2)).round(6)
    mesh.rows[i] = [*map(list, mesh.rows[i]), *map(list, rows)]
    return mesh.get(i, '/rows', 'a,b\n' + ''.join(f'{a},{b}\n' for a, b in rows))


def taken(mesh, nodes=range(N)):
    return [(mesh.status(i)['rows'], masks(mesh, i)['rows_waiting']) for i in nodes]


def heard(mesh, i):
    """Milliseconds since its neighbours heard node i last."""
    return [n['age_ms'] for j in mesh.neighbours(i) for n in mesh.status(j)['neighbours'] if n['node'] == str(i)]


def batches(mesh):
    """New rows wait until three nodes have ten each; what is in the sums survives restarts."""
    without_block(mesh, rows_batch=10)
    edit(mesh, 4, lambda c: c.update(follow=True))
    mesh.start()
    agreed(mesh, range(N), 'with batches')
    first, rng = answers(mesh, range(N)), np.random.default_rng(7)
    posted = [post(mesh, i, n, rng)[0] for i, n in ((0, 10), (1, 9), (2, 12))]
    claim('rows that are posted are taken', posted == [200] * 3)
    with open(mesh.where(4, 'rows.csv'), 'a') as f:
        f.write('3,3\n')
    mesh.rows[4] = [*map(list, mesh.rows[4]), [3, 3]]
    soon('the file is read', lambda: (taken(mesh, [4])[0][1] == 1, taken(mesh)))
    time.sleep(1.5)
    claim('they wait', taken(mesh) == [(40, 10), (40, 9), (40, 12), (40, 0), (40, 1)] and answers(mesh, range(N)) == first)
    claim('the status says why', 'which wait until 3 nodes have at least 10 each' in mesh.status(1)['message'])
    root = next(i for i in range(N) if mesh.status(i)['sum']['root'] == mesh.status(i)['node'])
    soon('the root knows of two', lambda: (masks(mesh, root)['batches'] == 2, masks(mesh, root)))
    claim('posted beside a file that grows they are refused', post(mesh, 4, 1, rng)[0] == 400)
    mesh.rows[4].pop()
    barred = mesh.where(3, 'state', 'checkpoint')
    soon('a checkpoint is there', lambda: (os.path.exists(barred), ''))
    os.rename(barred, barred + '.kept')
    os.makedirs(os.path.join(barred, 'full'))
    post(mesh, 1, 1, rng)
    soon('a node cannot write', lambda: ('written=no' in log(mesh, 3), log(mesh, 3)[-300:]))
    time.sleep(1.5)
    claim('what it cannot remember is in no total', answers(mesh, range(N)) == first)
    soon('which is silent', lambda: (min(heard(mesh, 3)) > 1000, heard(mesh, 3)))
    claim('it ends', mesh.stop(3) == [0])
    ages = heard(mesh, 3)
    claim(f'without a word more, last heard {ages} ms ago', min(ages) > 1000)
    shutil.rmtree(barred)
    os.rename(barred + '.kept', barred)
    mesh.start(3)
    soon('it is back', lambda: (os.path.exists(mesh.where(3, 's')), ''))
    soon('three batches enter', lambda: (taken(mesh) == [(50, 0), (50, 0), (52, 0), (40, 0), (40, 1)], taken(mesh)))
    mesh.rows[4].pop()
    agreed(mesh, range(N), 'with the rows of three nodes')
    soon('nodes log it', lambda: (all(' waiting=' in log(mesh, i) for i in range(N)), ''))
    for i in (0, 1):
        mesh.kill(i)
    time.sleep(.3)
    mesh.start(0, 1)
    agreed(mesh, range(N), 'after a restart')
    claim('the same rows are in the sums', taken(mesh) == [(50, 0), (50, 0), (52, 0), (40, 0), (40, 1)])
    mesh.kill(2, wipe=True)
    os.remove(mesh.where(2, 's'))
    mesh.start(2)
    soon('it is there', lambda: (os.path.exists(mesh.where(2, 's')), ''))
    soon('a node that lost rows sends nothing and says so', lambda: (
        'has fewer rows than are in the sums of it' in (mesh.status(2)['message'] or ''), mesh.status(2)['message']))
    mesh.stop(3)
    with open(mesh.where(3, 'rows.csv'), 'a') as f:
        f.write('3,3\n')
    mesh.start(3)
    soon('it is there again', lambda: (os.path.exists(mesh.where(3, 's')), log(mesh, 3)[-300:]))
    soon('a file that has grown meanwhile has rows that wait', lambda: (taken(mesh, [3]) == [(40, 1)], taken(mesh, [3])))
    mesh.stop()
    with open(mesh.where(3, 'state', 'checkpoint'), 'r+b') as f:
        whole = f.read()
        f.seek(24)                                 # rows that it had been given
        f.write(struct.pack('<q', -1 << 40))
    mesh.start(3)
    code = mesh.running.pop(3).wait(20)
    claim(f'a checkpoint of impossible rows is refused, not read (status {code})', code > 0)
    with open(mesh.where(3, 'state', 'checkpoint'), 'wb') as f:
        f.write(whole)
    with open(mesh.where(3, 'rows.csv')) as f:
        lines = f.read().splitlines()
    with open(mesh.where(3, 'rows.csv'), 'w') as f:
        f.write('\n'.join([lines[0], '1,1', *lines[2:]]) + '\n')
    mesh.start(3)
    claim('one whose first rows are others is refused',
          mesh.running.pop(3).wait(20) and 'which may have more rows at its end' in log(mesh, 3))
    edit(mesh, 4, lambda c: c.update(state=None))
    said = run(mesh, 'check', 4)
    claim('without a folder for its state they are refused', said.returncode == 1 and 'field "state"' in said.stderr)


def check(build, folder):
    with closing(Mesh(build, os.path.join(folder, 'batch'), N, BASE, RING, algorithm='sum', min_nodes=N)) as mesh:
        batches(mesh)
    with closing(Mesh(build, os.path.join(folder, 'start'), N, BASE, RING, algorithm='sum', min_nodes=N)) as mesh:
        starts(mesh)
    with closing(Mesh(build, os.path.join(folder, 'net'), N, BASE, RING, algorithm='sum', min_nodes=N, record='record',
                      record_limit=60000)) as mesh:
        genesis(mesh, lambda g: g.update(members=members(mesh)))
        said = run(mesh, 'check', 0)
        claim('sum with keys and a list masks', said.returncode == 0 and '\nmask: on\n' in said.stdout)
        bits = lives(mesh)
        tapes(mesh)
        genesis(mesh, lambda g: g.update(mask=True))
        refusals(mesh)
        others(mesh)
    with closing(Mesh(build, os.path.join(folder, 'open'), N, BASE, RING, algorithm='sum', min_nodes=N,
                      mask=False)) as mesh:
        genesis(mesh, lambda g: g.update(members=members(mesh)))
        mesh.start()
        agreed(mesh, range(N), 'without masks')
        claim('the answer has the bits of that with masks', answers(mesh, range(N)) == bits and len(bits) == 1)


if __name__ == '__main__':
    main(check)

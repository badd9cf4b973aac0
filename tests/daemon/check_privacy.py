#!/usr/bin/python3
"""check_privacy.py BUILD: nodes whose genesis asks for privacy release masked sums with noise once: the answer of
all is the posterior of the noisy total, which the files of what each added show; a later life says the same
again, and a new release is booked or refused. Ports 7660 to 7664."""
import json
import os
import struct
import subprocess
from contextlib import closing

import jsonschema
import numpy as np

from check_mask import genesis, members, run
from claims import claim, main
from mesh import Mesh, soon
from reasons import edit, log

BASE, N, ROWS, RING = 7660, 5, 400, {(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)}
EPSILON, DELTA, LOW, HIGH = 2, 1e-5, -8, 8


class Private(Mesh):
    """A regression of b on a, within bounds that cut some rows off."""

    def _genesis(self):
        with open(os.path.join(self.folder, 'bounds.csv'), 'w') as f:
            f.write(f'column,low,high\na,{LOW},{HIGH}\nb,{LOW},{HIGH}\n')
        subprocess.run([self.main, 'genesis', 'ranges', '--model', 'linreg', '--target-column', 'b',
                        '--bounds', os.path.join(self.folder, 'bounds.csv'),
                        '--privacy', f'epsilon={EPSILON},delta={DELTA}',
                        '--out', os.path.join(self.folder, 'genesis.json')], check=True, capture_output=True)


def released(mesh, i):
    """What node i added: the whole numbers of its file."""
    with open(mesh.where(i, 'state', 'release'), 'rb') as f:
        head, rest = f.read(40), f.read()
    numbers = struct.unpack('4Q', head[:32])[3]
    return np.array(struct.unpack(f'{numbers}q', rest))


def posteriors(mesh):
    return [json.loads(mesh.get(i, '/posterior')[1]) for i in range(N)]


def settled(mesh, what):
    mesh.settle(60)
    claim(what, True)
    return posteriors(mesh)


def moments(x):
    """Upper triangle of sums of (1, a, b) with itself, columns scaled to -1 .. 1, in svec order."""
    z = np.column_stack([np.ones(len(x)), np.clip((x - (LOW + HIGH) / 2) / ((HIGH - LOW) / 2), -1, 1)])
    m = z.T @ z
    return np.array([m[i, j] * (1 if i == j else np.sqrt(2)) for i in range(3) for j in range(i + 1)])


def answer(mesh, found):
    """The total of the files, beside the rows and beside the answer."""
    is_ = found[0]['privacy']
    unit_sd = is_['noise_sd']
    total = sum(released(mesh, i) for i in range(N)).astype(float)
    exact = moments(np.vstack(mesh.rows))
    unit = exact[0] / total[0]          # the number of rows has no noise; to half a unit of each, 1e-7
    off = (total * unit - exact)[1:]
    claim(f'the total has noise of the sd that the answer states, {unit_sd:.3g}: largest {abs(off).max() / unit_sd:.2g} sd',
          .05 < abs(off).max() / unit_sd < 5)
    m = np.zeros((3, 3))
    for at, (i, j) in enumerate((i, j) for i in range(3) for j in range(i + 1)):
        m[i, j] = m[j, i] = total[at] * unit / (1 if i == j else np.sqrt(2))
    slope = np.linalg.solve(m[:2, :2], m[:2, 2])
    off = abs(found[0]['coef'][0] / slope[1] - 1)
    claim(f'the answer is that of the total: slope {slope[1]:.6f}, {off:.0e} away', off < 1e-6)
    claim('all nodes have it to the bit', len({json.dumps(of(p)) for p in found}) == 1)
    claim(f'it is valid by docs/posterior.schema.json {invalid(found[0], "posterior")}', not invalid(found[0], 'posterior'))
    claim('it says what it promises', is_['epsilon'] == EPSILON and is_['colluders'] == N // 2 and is_['nodes'] == N and
          is_['mask'] == 'on' and is_['noise'] == 'random')


def invalid(is_, schema):
    with open(os.path.join(os.path.dirname(__file__), '..', '..', 'docs', f'{schema}.schema.json')) as f:
        return [e.message for e in jsonschema.Draft7Validator(json.load(f)).iter_errors(is_)]


def of(posterior):
    return [posterior[k] for k in ('intercept', 'coef', 'precision', 'shape', 'rate')]


def booked(mesh, i):
    with open(mesh.where(i, 'rows.csv.ledger.json')) as f:
        return len(json.load(f)['data'][0]['releases'])


def refusals(mesh):
    for change, words in (({'state': None}, 'field "state"'), ({'record': 'tape'}, 'field "record"'),
                          ({'window': {'rows': 5}}, 'field "window"'), ({'data': '-'}, 'field "data"'),
                          ({'mask': False}, 'field "mask"'), ({'budget': -1}, 'field "budget"'),
                          ({'privacy': {}}, 'field "privacy"')):
        with open(mesh.where(0, 'node.json')) as f:
            before = f.read()
        edit(mesh, 0, lambda c, change=change: c.update(change))
        said = run(mesh, 'check', 0)
        claim(f'{json.dumps(change)} is refused with privacy, without advice to do without masks',
              said.returncode == 1 and words in said.stderr and 'false' not in said.stderr)
        with open(mesh.where(0, 'node.json'), 'w') as f:
            f.write(before)
    claim('nothing was booked by what was refused', not os.path.exists(mesh.where(0, 'rows.csv.ledger.json')))


def refuses(mesh, i, rows, words):
    """Node i, which is not running, with other lines of rows: it ends, and nothing is booked or forgotten."""
    path, kept = mesh.where(i, 'rows.csv'), released(mesh, i) if os.path.exists(mesh.where(i, 'state', 'release')) else None
    with open(path) as f:
        before = f.read()
    with open(path, 'w') as f:
        f.write('\n'.join(rows(before.splitlines())) + '\n')
    mesh.start(i)
    claim(f'other rows are refused: {words}', mesh.running.pop(i).wait(20) and words in log(mesh, i))
    with open(path, 'w') as f:
        f.write(before)
    if kept is None:
        claim('and nothing is booked', not os.path.exists(mesh.where(i, 'rows.csv.ledger.json')))
        return
    with open(mesh.where(i, 'rows.csv.ledger.json')) as f:
        claim('and nothing is booked', len(json.load(f)['data']) == 1)
    claim('nor forgotten', np.array_equal(released(mesh, i), kept))


def check(build, folder):
    with closing(Private(build, os.path.join(folder, 'net'), N, BASE, RING, rows=ROWS)) as mesh:
        genesis(mesh, lambda g: g.update(members=members(mesh)))
        refusals(mesh)
        said = run(mesh, 'check', 0)
        claim('a look says what a run would book', said.returncode == 0 and
              'run books release 1 in ' in said.stdout and 'rows.csv.ledger.json, epsilon 2 of 2' in said.stdout)
        claim('and books nothing', not os.path.exists(mesh.where(0, 'rows.csv.ledger.json')))
        refuses(mesh, 0, lambda lines: lines[:-1], 'got 399 rows')
        mesh.start(0, 1, 2, 3)
        soon('four begin', lambda: (all(os.path.exists(mesh.where(i, 's')) for i in range(4)), log(mesh, 0)[-200:]))
        soon('before there is a block the root says for whom it waits', lambda: (
            any('waits for member 4, missing since' in (mesh.status(i)['message'] or '') for i in range(4)),
            [mesh.status(i)['message'] for i in range(4)]))
        mesh.start(4)
        first = settled(mesh, 'nodes release and settle')
        answer(mesh, first)
        claim('each has booked one release', [booked(mesh, i) for i in range(N)] == [1] * N)
        claim('as its log says', all('release=booked epsilon=2' in log(mesh, i) for i in range(N)))
        mesh.stop()
        claim('a look says that the release is remembered', 'state/release has what was booked' in run(mesh, 'check', 0).stdout)
        refuses(mesh, 0, lambda lines: [*lines[:-1], '1,1'], 'the rows are others')
        claim('which does not advise what privacy refuses', '"mask": false' not in log(mesh, 0) and
              'expected the same file, or another genesis (--seed)' in log(mesh, 0))
        os.remove(mesh.where(1, 'state', 'checkpoint'))
        refuses(mesh, 1, lambda lines: [*lines[:-1], '1,1'], 'it is of other rows')
        mesh.start()
        again = settled(mesh, 'their next lives settle')
        claim('with the same answer to the bit', list(map(of, again)) == list(map(of, first)))
        claim('which is no new release', [booked(mesh, i) for i in range(N)] == [1] * N and
              all('release=remembered' in log(mesh, i) for i in range(N)))
        mesh.kill(3, wipe=True)
        soon('it is missed', lambda: (any('missing since' in (mesh.status(i)['message'] or '') for i in (0, 1, 2, 4)),
                                      [mesh.status(i)['message'] for i in (0, 1, 2, 4)]))
        said = [run(mesh, 'without', i, '--id', '3') for i in (0, 1, 2, 4)]
        claim('sums with noise are not continued without a member', all(s.returncode for s in said) and
              any('would show what it added' in s.stderr for s in said))
        mesh.start(3)
        claim('a life that has forgotten its release is refused: the budget is spent',
              mesh.running.pop(3).wait(20) == 2 and 'would cost epsilon' in log(mesh, 3))
        edit(mesh, 3, lambda c: c.update(budget=4))
        mesh.start(3)
        settled(mesh, 'with a larger budget it releases once more')
        claim('which is booked', booked(mesh, 3) == 2)


if __name__ == '__main__':
    main(check)

#!/usr/bin/python3
"""check_rows.py BUILD: lines that are no rows are counted and named by their line, and a cell without a
value is the same in a file, in one that grows and in POST /rows; rows of hospitals that differ (mixed), also
after a node was killed; a formula of the genesis. Ports 7330 to 7339."""
import json
import os
import subprocess
import time
from contextlib import closing

import numpy as np

from ask import post
from claims import claim, main
from mesh import Mesh, ring, soon
from reasons import edit, log

BASE = 7330


def append(mesh, text, i=0):
    with open(mesh.where(i, 'rows.csv'), 'a') as f:
        f.write(text)


def data(mesh, i=0):
    return mesh.status(i)['host']['data']


def lines(build, folder):
    with closing(Mesh(build, folder, 1, BASE, links=(), follow=True, checkpoint_ticks=1)) as mesh:
        mesh.start()
        soon('rows', lambda: (os.path.exists(mesh.where(0, 's')) and data(mesh)['rows'] == 40, ''))
        append(mesh, '1,2\n3,x\n5,6\n7\n')         # lines 42 to 45
        soon('four lines', lambda: (data(mesh)['refused'] == 2 and data(mesh)['rows'] == 42, data(mesh)))
        refused = [x for x in log(mesh, 0).splitlines() if 'event=rows' in x]
        claim('the log names line 43', 'line=43 reason="column' in refused[0])
        claim('and line 45', 'line=45' in refused[1])
        claim('the status names the newest', data(mesh)['refused_newest'].startswith('line 45: '))
        claim('metrics count them', '\nmeshbayes_node_refused_rows_total 2\n' in
              mesh.get(0, '/metrics')[1].decode())
        mesh.stop(0)
        mesh.start(0)
        soon('it is back', lambda: (os.path.exists(mesh.where(0, 's')), ''))
        append(mesh, '8,9\n,y\n')                  # 46 and 47
        soon('two lines more', lambda: (data(mesh)['refused'] == 1 and data(mesh)['rows'] == 43, data(mesh)))
        claim('after a restart lines are counted on', data(mesh)['refused_newest'].startswith('line 47: '))


def answer(mesh, i):
    """Once it rests."""
    soon(f'node {i} has its rows', lambda: ((seen := mesh.status(i))['rows'] == 60 and
                                            seen['disagreement'] is not None and seen['disagreement'] < 1e-6,
                                            seen['rows']))
    p = json.loads(mesh.get(i, '/posterior')[1])
    return np.concatenate([np.ravel(p[k]) for k in ('weights', 'means')])


def gaps(build, folder):
    """Nodes without links, which get the same rows in different ways."""
    with closing(Mesh(build, folder, 4, BASE + 2, links=())) as mesh:
        rng = np.random.default_rng(3)
        rows = rng.normal(size=(60, 2)) + 5 * (rng.random((60, 1)) < .5)
        text = [f'{a:.17g},{b:.17g}' if k % 7 else f'{"nan" if k % 2 else ""},{b:.17g}'
                for k, (a, b) in enumerate(rows)]
        with open(mesh.where(0, 'rows.csv'), 'w') as f:
            f.write('a,b\n' + '\n'.join(text) + '\n')
        subprocess.run([mesh.main, 'genesis', '--data', mesh.where(0, 'rows.csv'), '--n-components', '1',
                        '--out', os.path.join(mesh.folder, 'genesis.json')], check=True, capture_output=True)
        with open(mesh.where(1, 'rows.csv'), 'w') as f:
            f.write('a,b\n')
        edit(mesh, 1, lambda c: c.update(follow=True))
        for i in (2, 3):
            edit(mesh, i, lambda c: c.pop('data'))
        mesh.start()
        soon('nodes answer', lambda: (all(os.path.exists(mesh.where(i, 's')) for i in range(4)), ''))
        append(mesh, '\n'.join(text) + '\n', 1)
        claim('CSV is posted', post(mesh, 'a,b\n' + '\n'.join(text) + '\n', node=2) == (200, {'rows': 60}))
        values = [[None if t.split(',')[0] in ('', 'nan') else a, b] for t, (a, b) in zip(text, rows.tolist())]
        claim('JSON is posted', post(mesh, json.dumps({'columns': ['a', 'b'], 'rows': values}),
                                     'application/json', node=3) == (200, {'rows': 60}))
        of = [answer(mesh, i) for i in range(4)]
        for i, how in ((1, 'a file that grows'), (2, 'posted CSV'), (3, 'posted JSON')):
            far = np.abs(of[i] - of[0]).max()
            claim(f'{how} is as a file: {far:.0e}', far < 1e-4)


def refused(build, folder):
    """A model that needs all values."""
    with closing(Mesh(build, folder, 1, BASE + 7, links=(), follow=True)) as mesh:
        made = subprocess.run([mesh.main, 'genesis', '--data', mesh.where(0, 'rows.csv'), '--model', 'linreg',
                               '--target-column', 'b', '--out', os.path.join(mesh.folder, 'genesis.json')],
                              capture_output=True, text=True)
        assert not made.returncode, made.stderr
        mesh.start()
        soon('it answers', lambda: (os.path.exists(mesh.where(0, 's')), ''))
        append(mesh, 'nan,1\n')
        soon('a line', lambda: (data(mesh)['refused'] == 1, data(mesh)))
        for body, kind in (('a,b\nnan,1\n', 'text/csv'), ('a,b\n,1\n', 'text/csv'),
                           ('{"columns": ["a", "b"], "rows": [[null, 1]]}', 'application/json')):
            claim(f'{body!r} is refused', post(mesh, body, kind)[0] == 400)
        edit(mesh, 0, lambda c: c.pop('follow'))
        run = subprocess.run([mesh.program, 'check', '--config', mesh.where(0, 'node.json')],
                             capture_output=True, text=True)
        claim('so is the file', run.returncode == 1 and ':42' in run.stderr)
        time.sleep(.3)
        claim('none was taken', mesh.status(0)['rows'] == 40)


def hospitals(build, folder):
    """Five nodes, of which the first has two hospitals and the others one."""
    rng, n, head = np.random.default_rng(4), 5, 'site,a,y\n'
    with closing(Mesh(build, folder, n, BASE + 4, ring(n, (1,)), group_column='site')) as mesh:
        text = ['' for _ in range(n)]
        for h in range(n + 1):
            a, u = rng.normal(size=20), rng.normal(size=2)
            y = 3 + u[0] + (1 + u[1]) * a + rng.normal(size=20)
            text[max(h - 1, 0)] += ''.join(f'h{h},{p:.17g},{q:.17g}\n' for p, q in zip(a, y))
        for i, path in enumerate([mesh.where(i, 'rows.csv') for i in range(n)] + [os.path.join(mesh.folder, 'all.csv')]):
            with open(path, 'w') as f:
                f.write(head + ''.join(text[i:i + 1] or text))
        of = ['--data', 'all.csv', '--model', 'mixed', '--target-column', 'y', '--group-column', 'site', '--mixed.varying', 'a']
        for command, more in (('genesis', []), ('fit', ['--tol', '1e-12'])):
            subprocess.run([mesh.main, command, *of, *more, '--out', command + '.json'], cwd=mesh.folder, check=True,
                           capture_output=True)
        said = [subprocess.run([mesh.program, 'check', '--config', mesh.where(i, 'node.json')], capture_output=True,
                               text=True).stderr for i in (0, 1)]
        claim('check names a node with one group', ['the effects of its only group' in t for t in said] == [False, True])
        with open(os.path.join(mesh.folder, 'fit.json')) as f:
            want = json.load(f)

        def far():
            return max(abs(p[k] - want[k]) / want[k + '_sd'] for i in range(n)
                       for p in [json.loads(mesh.get(i, '/posterior')[1])] for k in ('intercept',))

        mesh.start()
        mesh.settle(60)
        claim(f'five nodes have the answer of one machine: {far():.0e} standard deviations', far() < 1e-5)
        soon('a checkpoint', lambda: (mesh.status(2)['host']['checkpoint']['written'], ''))
        mesh.kill(2)
        mesh.start(2)
        mesh.settle(60)
        claim('one that is killed goes on from its checkpoint', log(mesh, 2).count('resumed=yes') == 1)
        claim(f'to the same answer: {far():.0e}', far() < 1e-5)


def formula(build, folder):
    """A genesis whose formula makes the columns, of numbers, words and a flag: two nodes, with a file and with posted rows."""
    with closing(Mesh(build, folder, 2, BASE + 8, links={(0, 1)})) as mesh:
        rng = np.random.default_rng(4)
        text = [f'{x:.17g},{"abc"[k % 3]},{("no", "yes")[k % 2]},{1 + 2 * np.log(x) + k % 3 + rng.normal() / 9:.17g}'
                for k, x in enumerate(rng.uniform(1, 9, 60))]
        every = os.path.join(mesh.folder, 'every.csv')
        for where, some in ((every, text), (mesh.where(0, 'rows.csv'), text[:30])):
            with open(where, 'w') as f:
                f.write('\n'.join(['dose,arm,wet,y', *some, '']))
        line = ['--data', every, '--model', 'linreg', '--formula', 'y ~ log(dose)*arm + wet', '--out']
        for command, out in (('genesis', 'genesis.json'), ('fit', 'fit.json')):
            subprocess.run([mesh.main, command, *line, os.path.join(mesh.folder, out)], check=True, capture_output=True)
        edit(mesh, 1, lambda c: c.pop('data'))
        mesh.start()
        soon('nodes answer', lambda: (all(os.path.exists(mesh.where(i, 's')) for i in range(2)), ''))
        unknown = post(mesh, 'dose,arm,wet,y\n1,q,no,2\n', node=1)
        claim(f'an unknown level is refused in words: {unknown}', unknown[0] == 400 and 'expected a, b, c' in str(unknown[1]))
        zero = post(mesh, 'dose,arm,wet,y\n0,a,no,2\n', node=1)
        claim(f'so is the logarithm of 0: {zero}', zero[0] == 400 and 'log(dose) is -inf' in str(zero[1]))
        claim('rows are posted', post(mesh, '\n'.join(['y,wet,arm,dose', *(','.join(t.split(',')[::-1]) for t in text[30:]), '']),
                                      node=1) == (200, {'rows': 30}))
        soon('both rest', lambda: (all((seen := mesh.status(i))['disagreement'] is not None and seen['disagreement'] < 1e-6
                                       and seen['n_nodes'] > 1.9 for i in range(2)), mesh.status(0)))
        got, want = json.loads(mesh.get(1, '/posterior')[1]), json.load(open(os.path.join(mesh.folder, 'fit.json')))
        far = np.abs(np.subtract(got['coef'], want['coef'])).max()
        claim(f"the answer is that of fit: {far:.0e}", got['features'] == want['features'] and far < 1e-4)
        claim('and has the design', got['design']['categories'] == {'arm': ['a', 'b', 'c']})
        with open(mesh.where(0, 'rows.csv'), 'a') as f:
            f.write('3,z,no,1\n')
        run = subprocess.run([mesh.program, 'check', '--config', mesh.where(0, 'node.json')], capture_output=True, text=True)
        claim(f'check names an unknown level of a file: {run.stderr}', run.returncode == 1 and '"z"; expected a, b, c' in run.stderr)


def check(build, folder):
    formula(build, os.path.join(folder, 'formula'))
    lines(build, os.path.join(folder, 'lines'))
    gaps(build, os.path.join(folder, 'gaps'))
    refused(build, os.path.join(folder, 'refused'))
    hospitals(build, os.path.join(folder, 'hospitals'))


main(check)

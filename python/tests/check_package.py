#!/usr/bin/python3
"""check_package.py PROGRAM: arrays that are not copied, frames, errors, callbacks, threads, Ctrl-C,
processes, memory, what the lists say, and the wheel."""
import copy
import glob
import io
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
import zipfile

import numpy as np

from beside import PYTHON, TOP, Frame, Held, Other, every_frame, others_read, package, refused, says
from fuzz_calls import odd_calls
from harness import main

RNG = np.random.default_rng(5)
X = np.concatenate([RNG.normal(size=(40, 3)) + c for c in (0, 6, -5)])
Y = X @ [1., 2., 3.] + RNG.normal(size=len(X))
SMALL = {'n_components': 3, 'n_init': 1}


def arrays(claims, mb):
    from meshbayes._handle import numbers
    wide = RNG.normal(size=(50, 8))
    for name, a in {'C order': wide, 'a slice': wide[::2, 1:7:2], 'Fortran order': np.asfortranarray(wide),
                    'reversed': wide[::-1, ::-1], 'float32': wide.astype('f4'), 'int64': wide.astype('i8'),
                    'int32': wide.astype('i4'), 'uint8': wide.astype('u1'), 'bool': wide > 0}.items():
        claims.check(np.shares_memory(numbers('x', a), a), f'no copy: {name}')
    want = mb.fit(X, **SMALL).posterior.to_json()
    for name, a in {'Fortran order': np.asfortranarray(X), 'reversed twice': X[::-1].copy()[::-1],
                    'big-endian': X.astype('>f8'), 'a list': X.tolist(), 'objects': X.astype(object),
                    'a slice': np.repeat(X, 2, axis=1)[:, ::2]}.items():
        claims.check(mb.fit(a, **SMALL).posterior.to_json() == want, f'the same bits: {name}')
    for name, dtype in {'float16': 'f2', 'int16': 'i2', 'uint64': 'u8', 'longdouble': 'g'}.items():
        a = np.round(X).clip(0).astype(dtype)
        claims.check(mb.fit(a, **SMALL).bound == mb.fit(a.astype(float), **SMALL).bound,
                     f'the same bits: {name}')
    masked = np.ma.array(X, mask=RNG.random(X.shape) < .1)
    claims.check(mb.fit(masked, **SMALL).bound == mb.fit(masked.filled(np.nan), **SMALL).bound,
                 'what is masked is missing')


def answers(claims, mb):
    p = mb.fit(X, **SMALL).posterior
    claims.check(p.predict(X).dtype == np.int64 and set(p.predict(X)) == {0, 1, 2},
                 'labels are whole numbers')
    claims.check(np.array_equal(p.predict_proba(X).argmax(1), p.predict(X)),
                 'the label is the most probable component')
    claims.check(abs(p.score_samples(X).mean() - p.score(X)) < 1e-12 * abs(p.score(X)),
                 'the score is the mean over the rows')
    rows, component = p.sample(1000, seed=3)
    claims.check(rows.shape == (1000, 3) and np.mean(p.predict(rows) == component) > .95,
                 'rows that are drawn come from their component')
    claims.check(np.array_equal(p.sample(5, 3, first=2)[0], rows[2:7]), 'draws are numbered')
    claims.check(p.draws(4).shape == (4, 3, len(p.draw_columns)), 'draws have a row a component')
    for text, q in (('pickle', pickle.loads(pickle.dumps(p))), ('copy', copy.deepcopy(p)),
                    ('JSON', mb.Posterior.from_json(p.to_json()))):
        claims.check(q.to_json() == p.to_json() and np.array_equal(q.predict(X), p.predict(X)),
                     f'the same posterior: {text}')
    claims.check(set(dict(p)) == set(p.parameters) and 'gmm, 120 rows' in p.summary()
                 and 'bound' in repr(p), 'a posterior shows its parameters')
    r = mb.fit(X, Y, model='linreg').posterior
    claims.check(r.predict(X).shape == (120,) and r.predict(X, 'interval').shape == (120, 5),
                 'a regression predicts means, and intervals when asked')
    words = mb.fit(X, np.where(Y > 0, 'high', 'low'), model='glm', glm_link='multinomial').posterior
    claims.check(set(words.predict(X, 'labels')) == {'high', 'low'}, 'words of a target come back')
    both = mb.fit(X, n_components=3, n_init=1, centres=[[0] * 3, [6] * 3, [-5] * 3], tol=1e-4)
    claims.check(both.verdict == 'settled', 'arrays and numbers are options')
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter('always')
        found = mb.fit(X[:40], n_components=2)
        mb.simulate(X[:40], 'ring:n=3', algorithms=['cvb'], n_components=2)
        mb.BayesianMixture(n_components=2).fit(X[:40])
    texts = [str(w.message) for w in seen]
    claims.check(texts[:len(found.warnings)] == found.warnings and 'n-components 1' in found.warnings[0]
                 and len(texts) > len(found.warnings) and {w.filename for w in seen} == {__file__} and len({w.lineno for w in seen}) > 1,
                 'doubts are warnings at the line of the call')


def other_rows(claims, mb):
    """Of other packages, and files of Parquet; with pandas itself where it is."""
    p = mb.fit(X, **SMALL).posterior
    q = mb.fit(Held(X), **SMALL).posterior
    claims.check(q.to_json() == p.to_json() and np.array_equal(q.predict(Held(X)), p.predict(X)) and
                 q.update(Held(X)).to_json() == p.update(X).to_json(), 'what has __array__ is an array')
    line = {'model': 'linreg', 'formula': 'y ~ x1 + x3', 'columns': ['x1', 'x2', 'x3', 'y']}
    both = np.column_stack([X, Y])
    claims.check(mb.fit(Held(both), **line).bound == mb.fit(both, **line).bound, 'of a formula, too')
    says(claims, 'an array that cannot be read', 'got Held, which cannot be read: it is elsewhere', mb.fit, Held(None), kind=TypeError)
    names, site = ['x1', 'x2', 'x3', 'site', 'y'], np.arange(len(X)) // 6
    both = np.column_stack([X, site, Y + 3 * np.sin(site)])
    p = mb.fit(both, model='mixed', formula='y ~ x1 + x3 + (1 | site)', columns=names).posterior
    with others_read():
        for rows in (Held(both), Other(Frame(dict(zip(names, both.T))))):
            claims.check(p.score(rows) == p.score(both) and np.array_equal(p.score_samples(rows), p.score_samples(both)) and
                         np.array_equal(*(p.predict(x, 'group-density', y=both[:, -1]) for x in (rows, both))),
                         f'{type(rows).__name__}: the column that a formula names as the group is found in rows of other packages')
    kept = {name: sys.modules.get(name) for name in ('pandas', 'pandas.api', 'pandas.api.interchange')}
    sys.modules.update(dict.fromkeys(kept))
    says(claims, 'frames of others without pandas', 'pandas is missing', mb.fit, Other(None), kind=ImportError)
    says(claims, 'Parquet without pandas', 'expected pandas with pyarrow', mb.fit, 'rows.parquet', kind=ImportError)
    sys.modules['pandas'] = stub = type(sys)('pandas')
    stub.read_parquet = {'rows.parquet': Frame({'a': X[:, 0], 'b': X[:, 1], 'c': X[:, 2]})}.__getitem__
    claims.check(mb.fit('rows.parquet', **SMALL).posterior.columns == ['a', 'b', 'c'], 'a file of Parquet is what pandas reads of it')
    for name, module in kept.items():
        del sys.modules[name]
        if module is not None:
            sys.modules[name] = module
    try:
        import pandas
    except ImportError:
        return
    frame = pandas.DataFrame(X, columns=['a', 'b', 'c'])
    frame['d'] = pandas.Categorical(np.array(['low', 'high'])[np.arange(120) % 2])
    how = {'model': 'lca', **SMALL}
    p, q = mb.fit(frame, **how).posterior, mb.fit(Other(frame), **how).posterior
    claims.check(q.to_json() == p.to_json() and q.columns == ['a', 'b', 'c', 'd'] and
                 np.array_equal(q.predict(Other(frame)), p.predict(frame)), 'frames of others keep names and categories')
    says(claims, 'a frame that cannot be read', 'got Other, which cannot be read', mb.fit, Other(3), kind=TypeError)
    try:
        pandas.DataFrame.to_parquet(frame)
    except ImportError:
        says(claims, 'Parquet without an engine', 'expected pandas with pyarrow or fastparquet', mb.fit, 'rows.parquet', kind=ImportError)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def progress(claims, mb):
    """Of tqdm, of which a part stands here."""
    bars = []

    class Bar:
        def __init__(self, **how):
            self.how, self.n, self.closed, self.text = how, 0, False, ''
            bars.append(self)

        def __enter__(self):
            return self

        def __exit__(self, *_):
            self.closed = True

        def update(self):
            self.n += 1

        def set_postfix_str(self, text, refresh):
            self.text = text

    kept, stderr = {name: sys.modules.get(name) for name in ('tqdm', 'tqdm.auto')}, sys.stderr
    sys.modules.update(dict.fromkeys(kept))
    says(claims, 'a bar without tqdm', 'progress: tqdm is missing', mb.fit, X, progress=True, kind=ImportError)
    says(claims, 'a bar that is none', 'progress: got str; expected True, False or None', mb.fit, X, progress='yes', kind=TypeError)
    sys.stderr = Terminal()
    want = mb.fit(X, **SMALL)
    for name in kept:
        sys.modules[name] = type(sys)(name)
        sys.modules[name].tqdm = Bar
    seen = []
    found = [mb.fit(X, progress=how, callback=seen.append, **SMALL) for how in (True, None, False)]
    claims.check([b.n for b in bars] == [len(seen) // 3] * 2 and all(b.closed and 'bound' in b.text for b in bars) and len(seen) > 5,
                 'at a terminal a bar has a step a round, beside a callback')
    claims.check([b.how['delay'] for b in bars] == [0, 1] and all(r.bound == want.bound for r in found),
                 'one that was not asked for waits a second; results are the same')
    del bars[:]
    mb.simulate(X, 'ring:n=4', algorithms=['cvb', 'edge'], n_components=2, progress=True)
    claims.check([b.how['desc'] for b in bars] == ['gmm, cvb', 'gmm, edge'], 'a bar for each algorithm')
    claims.check(refused(mb.fit, X, callback=lambda s: 1 / 0) is not None and bars[-1].closed, 'it ends where a callback fails')
    del bars[:]
    mb.BayesianMixture(n_components=2).fit(X)
    claims.check(not bars, 'estimators are quiet, as those of scikit-learn')
    sys.stderr = io.StringIO()
    for how in (True, None):
        mb.fit(X, progress=how, **SMALL)
    claims.check(not bars and not sys.stderr.getvalue(), 'it is quiet where there is no terminal')
    sys.stderr = stderr
    for name, module in kept.items():
        del sys.modules[name]
        if module is not None:
            sys.modules[name] = module


def frames(claims, mb, frame):
    """frame: how one is made of a dict of columns."""
    side = np.arange(90) % 3
    columns = {'size': RNG.normal(size=90) + 4 * side, 'seen': RNG.poisson(2 + side),
               'colour': np.array(['red', 'green|x', 'blue'], object)[side]}
    columns['colour'][4] = None
    p = mb.fit(frame(columns), model='lca', kinds={'seen': 'count'}, **SMALL).posterior
    said = json.loads(p.to_json())
    claims.check(said['features'] == list(columns) and said['kinds'] == ['number', 'count', 'category']
                 and said['categories'] == {'colour': ['blue', 'green|x', 'red']},
                 f'{frame.__module__}: names and words of a frame are columns and categories')
    turned = frame({name: columns[name] for name in reversed(columns)})
    claims.check(np.array_equal(p.predict(turned), p.predict(frame(columns))),
                 f'{frame.__module__}: columns are found by name')
    says(claims, f'{frame.__module__}: a column that is missing', 'got no column "size"', p.predict,
         frame({'seen': side, 'colour': columns['colour']}))
    other = dict(columns, colour=np.array(['pink'] * 90, object))
    says(claims, f'{frame.__module__}: a word that was not learnt', 'got "pink" in row 0, column 2',
         p.predict, frame(other), place=('x', 0, 2))


def formulas(claims, mb, frame):
    """frame: how one is made of a dict of columns."""
    site = np.repeat(np.arange(15), 6)
    size, kind = RNG.normal(size=90), np.array(['low', 'mid', 'high'], object)[np.arange(90) % 3]
    columns = {'y': 2 * size + (kind == 'mid') + RNG.normal(size=15)[site] + .1 * RNG.normal(size=90), 'size': size,
               'kind': kind, 'site': np.array([f's{k}' for k in site], object), 'note': np.array(['?'] * 90, object)}
    rows, text = frame(columns), f'{frame.__module__}, a formula'
    r = mb.fit(rows, formula='y ~ poly(size, 2)*kind', model='linreg')
    p, again = r.posterior, pickle.loads(pickle.dumps(r.posterior))
    claims.check(p.inputs == ['size', 'kind'] and p.targets == ['y'] and 'poly(size, 2)1:kindlow' in p.columns,
                 f'{text}: response and inputs are columns of the frame')
    said = p.predict(rows)
    claims.check(np.array_equal(again.predict(rows), said) and np.mean((said - columns['y'])**2) < 2, f'{text}: is pickled')
    other = dict(columns, kind=np.array(['none'] * 90, object))
    says(claims, f'{text}: a level that was not learnt', 'got "none" in row 0, column 1; expected one of high, low, mid',
         p.predict, frame(other), place=('x', 0, 1))
    claims.check(p.update(rows).rows == 180 and p.score(rows) < 0, f'{text}: a frame has the targets of updates and scores')
    m = mb.fit(rows, formula='y ~ size + kind + (1 + size | site)', model='mixed').posterior
    known, new = (m.predict(rows, groups=columns['site'], y=y) for y in (np.where(np.arange(90) % 6, columns['y'], np.nan), None))
    miss = [np.mean((out - columns['y'])[::6]**2) for out in (known, new)]
    claims.check(miss[0] < miss[1] / 4, f'{text}: a row is predicted from others of its group: {miss}')
    claims.check(np.array_equal(m.update(rows)['coef'], m.update(rows, groups=columns['site'])['coef']),
                 f'{text}: an update finds the group that the formula names')
    mine = m.score_samples(rows, groups=columns['site'])
    claims.check(np.array_equal(m.score_samples(rows), mine, equal_nan=True) and
                 np.array_equal(m.predict(rows, y=columns['y']), m.predict(rows, groups=columns['site'], y=columns['y'])),
                 f'{text}: so do scores, and predictions from others of the group')
    says(claims, f'{text}: an update without the group', 'groups: got None, and no column "site" of X; expected the group',
         m.update, frame({name: column for name, column in columns.items() if name != 'site'}), place=('groups', -1, -1))
    says(claims, f'{text}: a column that is missing', 'no column "weight"; expected ', mb.fit, rows,
         formula='y ~ size + weight', model='linreg', place=('formula', -1, -1))
    says(claims, f'{text}: no group', '"ward" is the group of rows that have none', mb.fit, rows,
         formula='y ~ size + (1 | ward)', model='mixed', place=('formula', -1, -1))
    says(claims, f'{text}: of a mixture', 'model gmm has no target', mb.fit, rows, formula='~ size', place=('formula', -1, -1))
    says(claims, f'{text}: no text', 'formula: got list; expected a text', mb.fit, rows, formula=['y ~ size'], model='linreg',
         kind=TypeError)


def arrays_by_formula(claims, mb):
    x = np.column_stack([X, 1 + np.abs(X[:, 0])])
    y, last = x @ [1, 2, 3, .5] + RNG.normal(size=len(x)), x.shape[1]
    p = mb.fit(x, y, formula=f'dose ~ x2 + log(x{last})', model='linreg').posterior
    claims.check(p.targets == ['dose'] and p.columns == ['x2', f'log(x{last})'] and np.array_equal(
        pickle.loads(pickle.dumps(p)).predict(x), p.predict(x)), 'columns of an array are x1, x2, .. of a formula')
    names = [f'c{k}' for k in range(last)] + ['out']
    q = mb.fit(np.column_stack([x, y]), formula=f'out ~ c1 + log(c{last - 1})', columns=names, model='linreg').posterior
    claims.check(np.array_equal(q['coef'], p['coef']), 'or have the names that are given, the response, too')
    z = mb.fit(x, y, formula='~ 1', model='linreg').posterior
    claims.check(np.allclose(z.predict(x[:2]), y.mean(), atol=1e-3) and z.columns == [], 'an intercept alone needs no column')
    site = np.arange(len(x)) // 6
    g = mb.fit(np.column_stack([x, site]), y, formula=f'~ x2 + (1 | x{last + 1})', model='mixed').posterior
    claims.check(np.array_equal(g.update(np.column_stack([x, site]), y)['coef'], g.update(x, y, groups=site)['coef']) and
                 'no column' in str(refused(g.update, x, y)), 'an update finds the column of an array that has the groups')
    codes = np.arange(len(x)) % 3
    c = mb.fit(np.column_stack([x[:, 0], codes]), y, kinds={'x2': 'category(a|b|c)'}, coding='sum', model='linreg').posterior
    claims.check(c.columns == ['x1', 'x21', 'x22'] and c.inputs == ['x1', 'x2'], 'categories of an array are codes')
    says(claims, 'a code that is none', 'x: got 3 in row 0, column 1; expected a category', c.predict, [[0., 3.]], place=('x', 0, 1))


def series(claims, prog, mb):
    """A series without inputs, whose rows are its target alone, as the program predicts it."""
    flow = 1000 + 50 * RNG.normal(size=60).cumsum() + 100 * RNG.normal(size=60)
    flow[[3, 20]] = np.nan
    with open(prog.file('flow.csv'), 'w') as f:
        f.write('flow\n' + ''.join('""\n' if np.isnan(v) else f'{float(v)!r}\n' for v in flow))
    prog.run('fit', '--data', 'flow.csv', '--model', 'structural', '--target-column', 'flow', '--out', 'flow.json')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')     # rows without groups are one
        p = mb.fit(Frame({'flow': flow}), model='structural', target_column='flow').posterior
    for what, more in {'interval': [], 'forecast': ['--steps', '3']}.items():
        prog.run('predict', '--posterior', 'flow.json', '--data', 'flow.csv', '--what', what, *more, '--out', 'said.csv')
        want = np.genfromtxt(prog.file('said.csv'), delimiter=',', names=True)['mean']
        for text, x, y in (('a frame', Frame({'flow': flow}), None), ('an array', flow, None),
                           ('no columns and y', np.empty((60, 0)), flow)):
            claims.check(np.array_equal(p.predict(x, what, y=y, ahead=3)[:, 0], want),
                         f'a series as {text}: {what} as the program says')
    says(claims, 'targets of other rows', 'y: got 60 values; expected one for each of 9 rows', p.predict, np.empty((9, 0)), y=flow)


def exposures(claims, mb):
    """An exposure at each place of an array that has the target, too, by name and by number: that of arrays apart."""
    time, size = RNG.uniform(1, 20, 150), RNG.normal(size=150)
    count = RNG.poisson(time * np.exp(.3 + .5 * size)).astype(float)
    how, apart = dict(model='glm', glm_link='poisson'), np.column_stack([time, size])
    want = mb.fit(apart, count, **how, exposure_column='x1').posterior
    for order in ((0, 1, 2), (1, 0, 2), (2, 0, 1), (1, 2, 0)):
        held = {'time': time, 'size': size, 'count': count}
        names = [list(held)[k] for k in order]
        whole, place = np.column_stack([held[n] for n in names]), {n: f'x{k + 1}' for k, n in enumerate(names)}
        kinds = ['count' if n == 'count' else 'number' for n in names]
        forms = {'names': dict(exposure_column='time', target_column='count', columns=names),
                 'names and kinds': dict(exposure_column='time', target_column='count', columns=names, kinds=kinds),
                 'numbers': dict(exposure_column=place['time'], target_column=place['count']),
                 'a formula': dict(formula=f'{place["count"]} ~ {place["size"]}', exposure_column=place['time']),
                 'an offset': dict(formula=f'{place["count"]} ~ {place["size"]} + offset(log({place["time"]}))')}
        for form, more in forms.items():
            p = mb.fit(whole, **how, **more).posterior
            again = pickle.loads(pickle.dumps(p))
            inputs = whole[:, [k for k, n in enumerate(names) if n != 'count']]
            claims.check(np.array_equal(p['coef'], want['coef']) and np.array_equal(again.predict(whole), want.predict(apart)) and
                         p.score(whole) == want.score(apart, count) and
                         np.array_equal(p.update(whole)['coef'], want.update(apart, count)['coef']) and
                         (names[-1] != 'count' or np.array_equal(p.predict(inputs), want.predict(apart))),
                         f'{", ".join(names)}, {form}: the exposure and the target are found in an array')
    says(claims, 'an exposure that is none', 'exposure-column', mb.fit, np.column_stack([apart, count]), exposure_column='x9', **how)


def networks(claims, mb):
    from scipy.sparse import coo_matrix
    node = np.arange(len(X)) % 4
    ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    want = mb.fit(X, network=mb.Network.from_edges(ring), node=node, **SMALL)
    sparse = coo_matrix((np.ones(4), np.transpose(ring)), (4, 4))
    names = np.array(['a', 'b', 'c', 'd'])

    class Graph:
        def nodes(self):
            return list(names)

        def edges(self):
            return [(names[i], names[j]) for i, j in ring]

    for text, network, where in (
            ('a description', 'ring:n=4', node), ('links', ring, node), ('an array', np.array(ring), node),
            ('a sparse matrix', sparse, node), ('names', [tuple(names[list(e)]) for e in ring], names[node]),
            ('a graph', Graph(), names[node])):
        got = mb.fit(X, network=network, node=where, **SMALL)
        claims.check(got.bound == want.bound and got.nodes == 4, f'the same network: {text}')
    says(claims, 'a network in two parts', 'connected', mb.fit, X, network=[(0, 1), (2, 3)])
    says(claims, 'a node that is none', 'expected one of a, b', mb.fit, X, network=[('a', 'b')],
         node=['z'] * len(X), place=('node', 0, 0))
    says(claims, 'nodes without a network', 'expected a network', mb.fit, X, node=node)
    says(claims, 'a posterior of a node of one machine', 'expected a network', mb.fit(X).node, 0)


def errors(claims, mb):
    hole = X.copy()
    hole[7, 2] = np.inf
    says(claims, 'a cell', 'inf is not a finite number', mb.fit, hole, place=('x', 7, 2))
    says(claims, 'an option', 'expected whole numbers 1 to 10000', mb.fit, X, n_components=0,
         place=('n-components', -1, -1))
    says(claims, 'a keyword that is none', 'got "colour"', mb.fit, X, colour=3)
    says(claims, 'a weight', 'row 2', mb.fit, X, sample_weight=np.r_[1, 1, -1, np.ones(117)],
         place=('sample_weight', 2, -1))
    says(claims, 'a model', 'expected one of the list', mb.fit, X, model='tree')
    says(claims, 'groups that are apart', 'comes again in row 3', mb.fit, X, groups=np.arange(120) % 3)
    says(claims, 'texts', 'expected numbers', mb.fit, [['a', 'b']] * 9, kind=TypeError)
    says(claims, 'a sparse matrix', 'x.toarray()', mb.fit, __import__('scipy.sparse').sparse.eye(9),
         kind=TypeError)
    says(claims, 'a dict', 'n-components: got dict', mb.fit, X, n_components={}, kind=TypeError)
    says(claims, 'no function', 'expected a function', mb.fit, X, callback=3, kind=TypeError)
    says(claims, 'names that are none', 'columns: got list; expected a text', mb.fit, X, Y, model='linreg', formula='~ 1',
         columns=[[], 'b', 'c'], kind=TypeError)
    says(claims, 'no JSON', '', mb.Posterior.from_json, '{"format": 3}')
    says(claims, 'other columns', 'got 2 columns; expected 3', mb.fit(X).posterior.predict, X[:, :2])
    claims.check(isinstance(refused(mb.fit(X).posterior.__getitem__, 'x'), KeyError), 'no such parameter')
    gone = subprocess.run([sys.executable, '-c', 'import meshbayes'], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=os.path.join(PYTHON, 'src'),
                                   MESHBAYES_LIBRARY='/nowhere/libmeshbayes.so'))
    claims.check('ImportError' in gone.stderr and '/nowhere/libmeshbayes.so: there is no such file' in gone.stderr,
                 'a library that is missing is named')


def callbacks(claims, mb):
    seen = []
    r = mb.fit(X, callback=seen.append, **SMALL)
    last = [s for s in seen if s.attempt == -1]
    claims.check([s.round for s in last] == list(range(1, r.rounds + 1)), 'one call a round')
    claims.check(abs(last[-1].bound - r.bound) < 1e-9 * abs(r.bound), 'it is told the bound')
    r = mb.fit(X, callback=lambda s: s.attempt == -1 and s.round == 2, **SMALL)
    claims.check(r.verdict == 'interrupted' and r.rounds == 2, 'what is true ends the fit')
    claims.check(isinstance(refused(mb.fit, X, callback=lambda s: 1 / 0), ZeroDivisionError),
                 'what it raises comes out')
    inner = []
    mb.fit(X, callback=lambda s: inner.append(mb.fit(X, **SMALL).bound) or True, **SMALL)
    claims.check(inner[0] == mb.fit(X, **SMALL).bound, 'a fit in a callback')


def threads(claims, mb):
    want = [mb.fit(X, seed=s, n_components=3).posterior.to_json() for s in range(6)]
    got = [None] * 6

    def work(s):
        got[s] = mb.fit(X, seed=s, n_components=3).posterior.to_json()

    running = [threading.Thread(target=work, args=(s,)) for s in range(6)]
    for t in running:
        t.start()
    for t in running:
        t.join()
    claims.check(got == want, 'fits in six threads at once: the bits of fits in turn')
    out, into = os.pipe()
    child = os.fork()
    if not child:
        same = mb.fit(X, seed=0, n_components=3, threads=2).bound == mb.fit(X, seed=0, n_components=3).bound
        os.write(into, b'same' if same else b'other')
        os._exit(0)
    claims.check(os.waitpid(child, 0)[1] == 0 and os.read(out, 9) == b'same', 'fits after fork')


def interrupts(claims, mb):
    """Fits that would not end; the signal comes from the callback, or a little later."""
    sent = set()

    def now(_):
        if text not in sent:
            sent.add(text)
            os.kill(os.getpid(), signal.SIGINT)

    def later(seconds):
        timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        return timer

    # A shell's jobs in the background ignore SIGINT; the alarm ends this program where Ctrl-C does not.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.alarm(300)
    forever = {'tol': 0, 'rounds': 10 ** 9}
    large = np.tile(X, (2000, 1)) + RNG.normal(size=(2000 * len(X), 3))
    for text, x, how in (('in the search', X, {'callback': now}),
                         ('in rounds', X, dict(SMALL, callback=now, **forever)),
                         ('in rounds of a network', X, dict(SMALL, callback=now, network='ring:n=5', **forever)),
                         ('in k-means', large, dict(n_components=60, n_init=1, **forever)),
                         ('on two threads', large, dict(n_components=9, n_init=1, threads=2, **forever))):
        began = time.time()
        try:
            if 'callback' not in how:
                later(.3)
            mb.fit(x, **how)
            ended = False
        except KeyboardInterrupt:
            ended = True
        claims.check(ended, f'Ctrl-C ends a fit {text}: {time.time() - began:.2f} s')
    p = mb.fit(X, **SMALL).posterior
    claims.check(p.parameters and mb.fit(X, **SMALL).verdict == 'settled', 'and the next one is a fit again')
    from meshbayes import _handle
    Handle, lib = _handle.Handle, _handle.LIB
    start, refused_threads = threading.Thread.start, []

    def starts(thread):
        """As where the process may have no more threads."""
        if thread.name == 'meshbayes stop' and len(refused_threads) < 3:
            refused_threads.append(thread)
            raise RuntimeError("can't start new thread")
        start(thread)

    class Lasting:
        """The library, whose fits last until `going`."""

        def __getattr__(self, name):
            return getattr(lib, name)

        def mb_bind_fit(self, *_):
            going.wait(120)
            held.extend(handle._arrays)
            ended.set()
            return 0

    for text, function, most in (('', start, 0), (', also where no other thread can be started', starts, 1)):
        going, held, ended, handle = threading.Event(), [], threading.Event(), Handle('gmm')
        handle.array('x', X)
        _handle.LIB, threading.Thread.start = Lasting(), function
        later(.3)
        try:
            handle.work('fit', None)
            left = False
        except (KeyboardInterrupt, RuntimeError) as why:
            left = isinstance(why, KeyboardInterrupt) and not ended.is_set()
        _handle.LIB, threading.Thread.start = lib, start
        going.set()
        claims.check(left and ended.wait(120) and len(held) == 1 and held[0] is X and len(refused_threads) == most,
                     f'Ctrl-C leaves a step that lasts, which has what it reads until it ends{text}')
    calls = []
    p._handle.call = lambda name, *given: calls.append(name) or Handle.call(p._handle, name, *given)
    draws = p.draws(20000)[::4000]
    claims.check(len(calls) > 2 and all(np.array_equal(a, p.draws(1, first=4000 * k)[0]) for k, a in enumerate(draws)),
                 'many draws are made by several calls, between which Ctrl-C ends them, and are those of one')
    signal.alarm(0)


def pages():
    with open('/proc/self/statm') as f:
        return int(f.read().split()[1]) * os.sysconf('SC_PAGESIZE')


def memory(claims, mb):
    def fits(n):
        for k in range(n):
            r = mb.fit(X[::3], seed=k, callback=lambda s: None, n_components=2, n_init=1)
            pickle.loads(pickle.dumps(r.posterior)).predict(X)
            refused(mb.fit, X, n_components=-1)
    fits(60)
    before = pages()
    fits(1000)
    # Results that are not freed take 30 MB; the heap's own holes up to 2.3 MB.
    claims.check(pages() - before < 6_000_000, f'1000 fits grow by {(pages() - before) / 1024:.0f} KB')


def peak():
    with open('/proc/self/status') as f:
        return next(1024 * int(line.split()[1]) for line in f if line.startswith('VmHWM'))


def copies(claims, mb):
    """The peak of memory during fits to 64 MB of rows, of which a copy would be seen."""
    x, single = np.empty((200_000, 40)), np.empty((200_000, 40), np.float32)
    RNG.standard_normal(out=x)
    RNG.standard_normal(out=single, dtype=np.float32)
    line = {'model': 'linreg'}
    for name, a, how in (('C order', x, line), ('a slice', x[::2, 1:], line), ('float32', single, line),
                         ('a mixture, C order', x, {'n_components': 2, 'init': 'kmeans++', 'n_init': 1, 'rounds': 1}),
                         ('big-endian', x.astype('>f8'), line)):
        with open('/proc/self/clear_refs', 'w') as f:
            f.write('5')    # the peak begins anew
        before = peak()
        mb.fit(*((a[:, 1:], a[:, 0]) if how is line else (a,)), **how)
        share = (peak() - before) / a.nbytes
        claims.check(share > .9 if name == 'big-endian' else share < .5, f'the peak of a fit grows by {share:.2f} of the rows: {name}')


def fuzz(claims, mb):
    refusals, bad = odd_calls(mb, 400)
    claims.check(not bad and refusals > 200, f'400 calls with odd values, {refusals} refused in our words: {bad[:4]}')


def lists(claims, mb):
    claims.check('gmm' in mb.models() and 'edge' in mb.algorithms(), 'models and algorithms are listed')
    for model in mb.models():
        from meshbayes._handle import spellings
        claims.check(len(spellings(model)) == len({o.name for o in mb.options(model)}),
                     f'{model}: options differ as keywords, too')
    from meshbayes._library import FUNCTIONS
    with open(os.path.join(TOP, 'include', 'meshbayes', 'bind.h')) as f:
        declared = {w.split('(')[0] for w in f.read().replace('*', ' ').split() if w.startswith('mb_bind_')
                    and '(' in w}
    called = {'mb_bind_' + name for name in FUNCTIONS}
    claims.check(called <= declared, f'all functions that are called are declared: {called - declared}')


def program(claims, prog):
    """python -m meshbayes."""
    def ran(*words, **env):
        env = {k: v for k, v in {**os.environ, 'PYTHONPATH': os.path.join(PYTHON, 'src'), **env}.items() if v is not None}
        return subprocess.run([sys.executable, '-m', 'meshbayes', *words], capture_output=True, text=True, env=env)

    here = prog.file('bin')
    os.mkdir(here)
    os.symlink(prog.path, os.path.join(here, 'meshbayes'))
    want = subprocess.run([prog.path, 'help', 'fit'], capture_output=True, text=True).stdout
    claims.check(ran('help', 'fit', MESHBAYES_PROGRAM=prog.path).stdout == want, 'python -m meshbayes: the program that is named')
    claims.check(ran('help', 'fit', MESHBAYES_PROGRAM=None, PATH=here).stdout == want, 'python -m meshbayes: that of the PATH')
    bad = ran('fit', '--no-such', MESHBAYES_PROGRAM=prog.path)
    claims.check(bad.returncode == 2 and bad.stderr.startswith('meshbayes fit: error:'), f'its status and errors: {bad.returncode} {bad.stderr}')
    none = ran('fit', MESHBAYES_PROGRAM='/nowhere/meshbayes', PATH=here)
    claims.check(none.returncode == 1 and none.stderr == 'meshbayes: MESHBAYES_PROGRAM: got "/nowhere/meshbayes"; expected a program\n',
                 f'one that is missing is named: {none.stderr}')
    sources = prog.file('apart')
    shutil.copytree(os.path.join(PYTHON, 'src', 'meshbayes'), os.path.join(sources, 'python', 'src', 'meshbayes'))
    apart = {'MESHBAYES_PROGRAM': None, 'PATH': sources, 'PYTHONPATH': os.path.join(sources, 'python', 'src')}
    none = ran('fit', **apart)
    claims.check('got no program "meshbayes" in the PATH or in build/*/' in none.stderr, f'without one it says so: {none.stderr}')
    os.makedirs(os.path.join(sources, 'build', 'any'))
    open(os.path.join(sources, 'CMakeLists.txt'), 'w').close()
    os.symlink(prog.path, os.path.join(sources, 'build', 'any', 'meshbayes'))
    claims.check(ran('help', 'fit', **apart).stdout == want, 'python -m meshbayes: that of a build folder')


def wheel(claims, prog):
    """Packed with the library of the program; imported where there is nothing else."""
    tree, made = prog.file('tree'), prog.file('made')
    shutil.copytree(PYTHON, os.path.join(tree, 'python'),
                    ignore=shutil.ignore_patterns('build', '*.egg-info', '__pycache__'))
    shutil.copy(os.path.join(TOP, 'CMakeLists.txt'), tree)
    pip = [sys.executable, '-m', 'pip', 'wheel', '-q', '--no-deps', '--no-build-isolation', '--no-index',
           '--disable-pip-version-check', '-w', made, os.path.join(tree, 'python')]
    done = subprocess.run(pip, capture_output=True, text=True)
    found = glob.glob(os.path.join(made, 'meshbayes-*-py3-none-*.whl'))
    if not claims.check(len(found) == 1, f'one wheel for every Python 3: {os.listdir(made) if os.path.isdir(made) else done.stderr}'):
        return
    with zipfile.ZipFile(found[0]) as z:
        z.extractall(prog.file('site'))
        claims.check({'meshbayes/py.typed', 'meshbayes/estimators.pyi', 'meshbayes/libmeshbayes.so'} <= set(z.namelist()),
                     'it has the library, and types')
    ask = ('import meshbayes, sys; r = meshbayes.fit([[0.], [1.], [9.], [8.]], n_components=2, network="path:n=2");'
           'print(r.nodes, [m for m in ("sklearn", "scipy", "pandas") if m in sys.modules])')
    env = {k: v for k, v in os.environ.items() if k != 'MESHBAYES_LIBRARY'}
    done = subprocess.run([sys.executable, '-W', 'ignore', '-c', ask], env=dict(env, PYTHONPATH=prog.file('site')),
                          capture_output=True, text=True)
    claims.check(done.stdout == '2 []\n', f'it fits, and loads numpy alone: {done.stdout}{done.stderr}')
    env['PATH'] = prog.file('nowhere')
    done = subprocess.run([sys.executable, 'setup.py', 'build_py'], env=env, cwd=os.path.join(tree, 'python'),
                          capture_output=True, text=True)
    claims.check('missing: cmake (cmake), gcc and libc6-dev (cc)' in done.stderr,
                 'what is missing to build the library is named')


def check(claims, prog):
    mb = package(prog)
    for part in (arrays, answers, arrays_by_formula, exposures, networks, errors, callbacks, threads, interrupts, memory, copies, fuzz, lists,
                 other_rows, progress):
        part(claims, mb)
    if len(every_frame()) == 1:
        claims.note('no pandas: its frames, and those of others that it reads, are left out')
    for frame in every_frame():
        frames(claims, mb, frame)
        formulas(claims, mb, frame)
    series(claims, prog, mb)
    program(claims, prog)
    wheel(claims, prog)


main(check)

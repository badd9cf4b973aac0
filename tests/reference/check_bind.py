#!/usr/bin/python3
"""check_bind.py PROGRAM [ANOTHER]: what bind.h gives, of the objects of this or another program, is what
the program writes into its files, to the bit, for all that mb_bind_list names: models with every word
of their choices, rows with gaps, weights, groups and columns of every kind, batches, and networks with
every algorithm. What one refuses the other refuses, too."""
import csv
import ctypes
import json
import re
import subprocess
import sys

import numpy as np

from harness import Program, main

ROWS, BATCH, NODES, ROUNDS = 60, 20, 6, 12
RING = f'ring:n={NODES}'
TYPES = {'float64': 0, 'int64': 2}
# Of a posterior file: the file's own name and hash, and the options as each caller spells them.
OWN = ('data', 'options')


def library(prog):
    """The shared library of the program's objects, as ctypes calls it."""
    lib = ctypes.CDLL(prog.library())
    lib.mb_bind_new.restype = ctypes.c_void_p
    lib.mb_bind_from_json.restype = ctypes.c_void_p
    lib.mb_bind_warnings.restype = ctypes.c_int64
    return lib


class Refused(Exception):
    """What a handle or the program says of what it does not do."""


class Handle:
    """A handle of the library."""

    def __init__(self, lib, model=None, text=None):
        self.lib = lib
        self.b = ctypes.c_void_p(lib.mb_bind_new(model and model.encode()) if text is None else
                                 lib.mb_bind_from_json(text, ctypes.c_size_t(len(text))))
        self.kept = []      # arrays that the library reads

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lib.mb_bind_free(self.b)

    def call(self, name, *args):
        if getattr(self.lib, 'mb_bind_' + name)(self.b, *args):
            text = ctypes.c_char_p()
            self.lib.mb_bind_error(self.b, ctypes.byref(text), None, None, None)
            raise Refused(text.value.decode())

    def set(self, options):
        for name, value in options.items():
            self.call('set', name.encode(), str(value).encode())

    def array(self, name, x):
        self.kept.append(x)
        n = ctypes.c_int64 * 2
        self.call('array', name.encode(), TYPES[x.dtype.name], x.ndim, n(*x.shape), n(*x.strides),
                  ctypes.c_void_p(x.ctypes.data))

    def texts(self, name, texts):
        self.call('texts', name.encode(), ctypes.c_int64(len(texts)),
                  (ctypes.c_char_p * len(texts))(*(t.encode() for t in texts)))

    def give(self, rows):
        self.array('x', rows.x)
        if rows.y is not None:
            self.array('y', rows.y)
            self.texts('targets', ['y'])
        if rows.w is not None:
            self.array('sample_weight', rows.w)
        if rows.group is not None:
            self.array('group', rows.group)
        if rows.kinds:
            self.texts('kinds', [k for _, k in rows.declared()])

    def list(self, what):
        text = ctypes.POINTER(ctypes.c_char_p)()
        n, d = ctypes.c_int64(), ctypes.c_int64()
        self.call('list', what.encode(), ctypes.byref(text), ctypes.byref(n), ctypes.byref(d))
        return [[text[j * d.value + k].decode() for k in range(d.value)] for j in range(n.value)]

    def get(self, name):
        kind, ndim = ctypes.c_int(), ctypes.c_int32()
        shape, x = (ctypes.c_int64 * 3)(), ctypes.c_void_p()
        self.call('get', -1, name.encode(), ctypes.byref(kind), ctypes.byref(ndim), shape,
                  ctypes.byref(x))
        item = ctypes.c_int64 if kind.value == 2 else ctypes.c_double
        size = tuple(shape[:ndim.value])
        at = ctypes.cast(x, ctypes.POINTER(item))
        return np.ctypeslib.as_array(at, size or (1,)).reshape(size).tolist()

    def warnings(self):
        text = ctypes.POINTER(ctypes.c_char_p)()
        n = self.lib.mb_bind_warnings(self.b, ctypes.byref(text))
        return [text[k].decode() for k in range(n)]

    def json(self, node=-1):
        text, n = ctypes.c_void_p(), ctypes.c_size_t()
        self.call('json', node, ctypes.byref(text), ctypes.byref(n))
        return json.loads(ctypes.string_at(text.value, n.value))


class Rows:
    """Rows as arrays and as a CSV file: y, w, group and kinds may be None."""

    def __init__(self, seed, targets, form, n=ROWS):
        rng = np.random.default_rng(seed)
        side = rng.integers(3, size=n)
        self.x = rng.normal(size=(n, 3)) + 4 * side[:, None]
        self.y = (self.x.sum(1) + 6 * rng.normal(size=n) > 12).astype(float) if targets else None
        self.w = self.group = self.kinds = None
        if form == 'gaps':
            self.x[rng.random(self.x.shape) < .1] = np.nan
        if form == 'weights':
            self.w = rng.integers(1, 9, size=n) / 4
        if form == 'groups':
            self.group = np.arange(n) // 4
        if form == 'kinds' and targets:
            self.kinds = ['number'] * 3 + ['category(a|b)']
        elif form in ('kinds', 'categories'):
            self.x[:, 1:] = np.column_stack([rng.poisson(3 + 2 * side), side])
            self.kinds = ['number', 'count', 'category(a|b|c)'] + ['number'] * targets
        if form == 'site':
            self.group = np.arange(n) // 5

    def suit(self, model, options):
        """As a model takes them whose columns are a term and its count, or whose states emit words."""
        if model == 'lda':
            self.x = np.column_stack([np.abs(self.x[:, 0]) // 2 % 3, np.abs(self.x[:, 1]) // 1])
            self.kinds = ['category(a|b|c)', 'count']
        elif options.get('emission') == 'poisson' and not self.kinds:
            self.x = np.abs(self.x) // 1
        elif options.get('emission') == 'categorical' and not self.kinds:
            self.x = np.abs(self.x) // 2 % 3
            self.kinds = ['category(a|b|c)'] * 3
        return self

    def declared(self):
        return list(zip(['x1', 'x2', 'x3', 'y'], self.kinds))

    def cells(self, x, name):
        words = self.kinds and dict(self.declared())[name].startswith('category')
        # Numbers in digits that read back to the same.
        return ['' if np.isnan(v) else 'abc'[int(v)] if words else f'{v:.17g}' for v in x]

    def write(self, file):
        columns = {f'x{k + 1}': self.x[:, k] for k in range(self.x.shape[1])}
        if self.y is not None:
            columns['y'] = self.y
        columns = {name: self.cells(x, name) for name, x in columns.items()}
        if self.w is not None:
            columns['weight'] = self.w
        if self.group is not None:
            columns['group'] = [f'g{v}' for v in self.group]
        with open(file, 'w', newline='') as f:
            out = csv.writer(f, lineterminator='\n')
            out.writerow(columns)
            out.writerows(zip(*columns.values()))

    def arguments(self):
        return ((['--target-column', 'y'] if self.y is not None else []) +
                (['--weight-column', 'weight'] if self.w is not None else []) +
                (['--group-column', 'group'] if self.group is not None else []) +
                (['--column', ','.join(f'{n}:{k}' for n, k in self.declared())]
                 if self.kinds else []))


def asked(prog, command, *args):
    """The program's answer, files in o; Refused with its words."""
    done = subprocess.run([prog.path, command, *map(str, args)], cwd=prog.folder,
                          capture_output=True, text=True)
    if done.returncode:
        raise Refused(done.stderr)
    return done.stdout


def spelled(options):
    return [word for name, value in options.items() for word in ('--' + name, value)]


def tried(call, *args):
    """What it returns, or the words with which it is refused."""
    try:
        return call(*args), ''
    except Refused as why:
        return None, str(why)


def bits(x):
    """A text in which numbers have the digits that read back to the same bits."""
    return json.dumps(x, sort_keys=True)


def same(claims, got, want, text):
    """Two dicts, whose entries are compared; those that differ are named."""
    wrong = [k for k in sorted(set(got) | set(want))
             if k not in OWN and bits(got.get(k)) != bits(want.get(k))]
    claims.check(not wrong, text + (': ' + ', '.join(wrong) if wrong else ''))


def trace_of(prog, metric):
    with open(prog.file('trace.csv')) as f:
        return [[float(r['t']), float(r['mean'])] for r in csv.DictReader(f)
                if r['metric'] == metric]


def by_program(prog, model, rows, options):
    rows.write(prog.file('rows.csv'))
    asked(prog, 'fit', '--data', 'rows.csv', '--model', model, '--out', 'o.json', '--trace',
          'trace.csv', *rows.arguments(), *spelled(options))
    return prog.json('o.json'), trace_of(prog, 'bound')


def by_handle(lib, model, rows, options):
    with Handle(lib, model) as b:
        b.set(dict(options, trace='on'))
        b.give(rows)
        b.call('fit', None, None)
        return b.json(), b.get('trace')


def same_fit(claims, prog, lib, model, form, targets, options):
    """1: both have the same answer; 0: both refuse, or they differ."""
    rows = Rows(1, targets, form).suit(model, options)
    got, why = tried(by_handle, lib, model, rows, options)
    want, said = tried(by_program, prog, model, rows, options)
    name = f'{model}, {form}, ' + ' '.join(map(str, options.values()))
    if got and want:
        same(claims, dict(got[0], trace=got[1]), dict(want[0], trace=want[1]), name)
        return 1
    claims.check(not got and not want and ' --' not in ' ' + why, f'{name}: both refuse: "{why}" "{said.strip()}"')
    return 0


def groups_of(lib):
    """Names of all models, and which of their rows are in groups."""
    with Handle(lib) as b:
        return {row[0]: row[3] for row in b.list('models')}


def in_groups(groups, model, own):
    """Whether batches of this model are rows in groups: always, or for inputs whose effects vary."""
    return groups[model] == 'always' or f'{model}.varying' in own


def every_model(claims, prog, lib):
    models = groups_of(lib)
    for model in models:
        with Handle(lib, model) as b:
            table = [o for o in b.list('options') if o[1] == model]
        own = {o[0] for o in table}
        targets, usual = usual_options(own)
        words = [(o[0], w) for o in table if o[2] == 'choice' for w in re.split('[|=]', o[6]) if w != o[3]]
        fits = sum(same_fit(claims, prog, lib, model, form, targets, dict(usual, **choice))
                   for choice in [{}] + [{name: word} for name, word in words]
                   for form in ('numbers', 'gaps', 'weights', 'groups', 'kinds'))
        claims.check(fits > len(words), f'{model}: {fits} fits')
        if targets:
            every_formula(claims, prog, lib, model, usual)
        for form, more in batch_forms(targets):
            batches(claims, prog, lib, model, targets, form, dict(usual, **more), in_groups(models, model, own))


# Of every regression; those of `site` of one whose effects vary. Refused: by both.
FORMULAS = {'numbers': ['y ~ x1 + x2', 'y ~ .', '~ 0 + x1:x2 + I(x3^2)', 'y ~ poly(x1, 3) + log(x2 + 99)', 'y ~ 1',
                        'y ~ x1 + nowhere', 'y ~ log(x1 - 99)', 'x1 ~ x2', 'y ~ x1 +', 'y ~ poly(x1, 2) + offset(x2)'],
            'categories': [None, 'y ~ .', 'y ~ x3*x1 + x2', 'y ~ 0 + x3 + x1:x3', 'y ~ (x1 + x2 + x3)^2 - x2', 'y ~ log(x3)'],
            'site': ['y ~ x1 + x2 + (1 + x1 | group)', '~ x1 + (1 | group)', 'y ~ x2 + (1 + x1 | group)',
                     'y ~ x1 + (0 + x1 | group)']}


def formula_cases(usual):
    """Rows and options: each formula, and categories with both codings."""
    for form, texts in FORMULAS.items():
        for text in texts:
            options = dict(usual, formula=text) if text else usual
            yield form, options
            if form == 'categories':
                yield form, dict(options, coding='sum')


def every_formula(claims, prog, lib, model, usual):
    fits = sum(same_fit(claims, prog, lib, model, form, True, options) for form, options in formula_cases(usual))
    claims.check(fits >= 6, f'{model}: {fits} fits by formulas')


def usual_options(own):
    """Whether a model with these options has targets, and the options of its fits here."""
    usual = {'rounds': ROUNDS}
    if 'n-components' in own:
        usual.update({'n-components': 3, 'n-init': 2})
    return 'target-column' in own, usual


def batch_forms(targets):
    """Rows of batches and what more their fit is asked for: of regressions, also by a formula."""
    return [('numbers', {})] + targets * [('categories', {'formula': 'y ~ poly(x1, 2)*x3 + log(x2 + 1)'})]


def batches_by_program(prog, model, targets, form, options, grouped):
    """The rows of a fit and two updates, of which the second counts what was learnt by half; o.json has
    the program's posterior of them. Grouped: five rows are a group. Beside the rows, the words with which an
    update is refused."""
    some = [Rows(seed, targets, form, BATCH).suit(model, options) for seed in (2, 3, 4)]
    for rows in some:
        rows.group = np.arange(BATCH) // 5 if grouped else None
    for k, (rows, forget) in enumerate(zip(some, (None, 1, .5))):
        rows.write(prog.file(f'b{k}.csv'))
        how = (['--update', 'o.json', '--forget', forget] if forget else
               ['--model', model, *rows.arguments(), *spelled(options)])
        _, said = tried(asked, prog, 'fit', '--data', f'b{k}.csv', '--out', 'o.json', *how)
        if said and not forget:
            raise Refused(said)
        if said:
            return some, said
    return some, ''


def batches(claims, prog, lib, model, targets, form, options, grouped):
    some, said = batches_by_program(prog, model, targets, form, options, grouped)
    with Handle(lib, model) as b:
        b.set(options)
        b.give(some[0])
        b.call('fit', None, None)
        text = json.dumps(b.json()).encode()
    found, why = tried(updated, lib, text, some[1:])
    if said or why:
        claims.check(said and why, f'{model}, {form}: both refuse an update: "{why}" "{said.strip()}"')
    else:
        same(claims, found, prog.json('o.json'), f'{model}, {form}: a fit and two updates')


def updated(lib, text, some):
    with Handle(lib, text=text) as b:
        for rows, forget in zip(some, (1., .5)):
            rows.kinds = None
            b.give(rows)
            b.call('update', ctypes.c_double(forget), None, None)
        return b.json()


def doubts(claims, prog, lib, model, rows, options, text):
    """What speaks against the result: as the program says it, but for the dashes of options."""
    rows.write(prog.file('rows.csv'))
    asked(prog, 'fit', '--data', 'rows.csv', '--model', model, '--out', 'dir', *rows.arguments(),
          *spelled(options))
    want = (prog.json('dir/answer.json')['doubts'] + prog.json('dir/summary.json')['warnings'])
    with Handle(lib, model) as b:
        b.set(options)
        b.give(rows)
        b.call('fit', None, None)
        got = b.warnings()
    claims.check(sorted(got) == sorted(w.replace('--', '') for w in want) and text in ' '.join(got),
                 f'{model}: warnings are what the program says: {got}')


def every_doubt(claims, prog, lib):
    rows = Rows(1, False, 'numbers')
    rows.x[:2] = 1e4
    doubts(claims, prog, lib, 'gmm', rows, {'n-components': 3}, ' expected rows, fewer than two')
    doubts(claims, prog, lib, 'tmm', rows, {'n-components': 3}, ' higher: tmm.trim 0 takes')
    one = Rows(1, False, 'numbers')
    one.x = np.random.default_rng(1).normal(size=one.x.shape)
    doubts(claims, prog, lib, 'gmm', one, {'n-components': 2}, ' higher: n-components 1')
    for form in ('numbers', 'kinds'):
        apart = Rows(1, True, form)
        apart.y = (apart.x[:, 0] > 2).astype(float)
        link = 'multinomial' if form == 'kinds' else 'logistic'
        doubts(claims, prog, lib, 'glm', apart, {'glm.link': link}, 'the inputs separate the ')
    flat = Rows(1, False, 'numbers')
    flat.x[:, 2] = flat.x[:, 1]
    doubts(claims, prog, lib, 'gmm', flat, {'n-components': 2}, 'prior.w0inv gives another')


def network(claims, prog, lib, algorithm, options, form='numbers'):
    """Posteriors of the network and of a node, agreement, messages, bounds of rounds."""
    rows = Rows(1, False, form)
    rows.write(prog.file('rows.csv'))
    options = {'n-components': 3, 'rounds': ROUNDS, 'deal': 'blocks', **options}
    command = ['sim', '--data', 'rows.csv', *rows.arguments(), '--topology', RING, '--algorithm',
               algorithm, '--trace', 'trace.csv', '--metrics', 'bound', *spelled(options)]
    said = json.loads(asked(prog, *command, '--json', '--out', 'dir'))['algorithms'][0]
    asked(prog, *command, '--out', 'o.json', '--node', '4')
    with Handle(lib, 'gmm') as b:
        b.set(dict(options, trace='on'))
        b.give(rows)
        b.call('network', RING.encode(), ctypes.c_uint64(0), 0, ctypes.c_int64(0), None)
        b.call('algorithm', algorithm.encode(), None, None, 0, None)
        b.call('fit', None, None)
        name = ' '.join([algorithm, form] + [f'{k} {v}' for k, v in list(options.items())[2:]])
        same(claims, b.json(), prog.json('dir/posterior.json'), f"{name}: the network's posterior")
        same(claims, b.json(3), prog.json('o.json'), f"{name}: a node's")
        numbers = ('bound', 'rounds', 'moved', 'disagreement', 'outside', 'frames', 'bytes')
        same(claims, {k: b.get(k) for k in numbers}, {k: said[k] for k in numbers},
             f'{name}: agreement and messages')
        with open(prog.file('dir/nodes.csv')) as f:
            want = [r['disagreement'] for r in csv.DictReader(f)]
        claims.check([f'{x:.9g}' for x in b.get('distance')] == want,
                     f'{name}: distances of the nodes, in the nine digits of the file')
        claims.check(bits(b.get('trace')) == bits(trace_of(prog, 'bound')), f'{name}: trace')


def check(claims, prog):
    lib = library(Program(sys.argv[-1], prog.folder))
    every_model(claims, prog, lib)
    every_doubt(claims, prog, lib)
    with Handle(lib) as b:
        algorithms = [row[0] for row in b.list('algorithms')]
    for algorithm in algorithms:
        network(claims, prog, lib, algorithm, {})
    for options in ({'loss': .2}, {'loss-directed': .2, 'delay': 2}, {'silent': .3},
                    {'weights': 'nearest', 'seed': 3}):
        network(claims, prog, lib, 'edge', options)
    for form in ('gaps', 'weights', 'groups'):
        network(claims, prog, lib, 'edge', {'deal': 'random', 'seed': 3}, form)


if __name__ == '__main__':
    main(check)

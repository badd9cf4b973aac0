"""Draws a storm from its seed: network, rows, faults, schedule; and what is there at its end.

A storm is a dict that holds all that its run needs, so that it can be reduced and written again.
"""
import numpy as np

import chains
import classes
import effects
import logistic

MOST_HOPS = 12
TICK = 0.02                                        # seconds
CALM = 20000                                       # ticks after the last event
REGRESSIONS = ('linreg', 'mixed', 'glm')
GROUPED = ('mixed', 'hmm')                         # their rows are in groups, each at one node


def links_of(rng, kind, n):
    """Pairs i < j; geometric networks are connected by a path along their first coordinate."""
    if kind in ('path', 'sorted'):
        return {(i, i + 1) for i in range(n - 1)}
    if kind == 'ring':
        return {(min(i, (i + 1) % n), max(i, (i + 1) % n)) for i in range(n)}
    if kind == 'star':
        return {(0, i) for i in range(1, n)}
    if kind == 'complete':
        return {(i, j) for i in range(n) for j in range(i + 1, n)}
    if kind == 'tree':
        return {(int(rng.integers(0, i)), i) for i in range(1, n)}
    if kind == 'grid':
        wide = int(np.ceil(np.sqrt(n)))
        return ({(i, i + 1) for i in range(n - 1) if (i + 1) % wide}
                | {(i, i + wide) for i in range(n - wide)})
    if kind == 'bridge':                           # two complete halves and a link between them
        return {(i, j) for i in range(n) for j in range(i + 1, n) if (i < n // 2) == (j < n // 2)} | {(n // 2 - 1, n // 2)}
    at = rng.uniform(size=(n, 2))
    near = {(i, j) for i in range(n) for j in range(i + 1, n) if np.hypot(*(at[i] - at[j])) < 0.35}
    order = np.argsort(at[:, 0])
    return near | {(int(min(a, b)), int(max(a, b))) for a, b in zip(order, order[1:])}


def reach(links, nodes, start):
    """Hops from start to every node that it reaches."""
    hops, edge = {start: 0}, [start]
    while edge:
        edge = sorted({j for i in edge for j in nodes
                       if j not in hops and (min(i, j), max(i, j)) in links})
        hops.update(dict.fromkeys(edge, 1 + max(hops.values())))
    return hops


class Stage:
    """The network as a schedule changes it: written from the issue's text, not from the program."""

    def __init__(self, storm):
        self.links = {tuple(pair) for pair in storm['links']}
        self.life = ['live'] * storm['nodes']
        for _, what, a, _ in storm['events']:
            if what == 'join':
                self.life[a] = 'absent'
        self.until = {}                            # node: end of a pause
        self.wiped, self.cut, self.apart = set(), set(), {}
        self.more = {i: [] for i in range(storm['nodes'])}

    def awake(self, now):
        for i, end in list(self.until.items()):
            if end is not None and end <= now:
                self.life[i] = 'live'
                del self.until[i]

    def happen(self, now, what, a, b):
        self.awake(now)
        if what in ('kill', 'wipe', 'leave'):
            self.life[a] = 'left' if what == 'leave' else 'dead'
            self.until.pop(a, None)
            if what == 'wipe':
                self.wiped.add(a)
        elif what in ('start', 'join', 'resume'):
            self.life[a] = 'live'
            self.until.pop(a, None)
            self.wiped.discard(a)
        elif what == 'pause':
            self.life[a] = 'paused'
            self.until[a] = now + b if b else None
        elif what in ('cut', 'oneway'):
            self.cut |= {(a, b)} if what == 'oneway' else {(a, b), (b, a)}
        elif what == 'heal':
            self.cut -= {(a, b), (b, a)}
        elif what == 'partition':
            for i, j in self.links:
                if (i in a) != (j in a):
                    self.apart[i, j] = 1
        elif what == 'rejoin':
            self.apart = {}
        elif what == 'rows':
            self.more[a].append(b)

    def open(self):
        return {(i, j) for i, j in self.links
                if (i, j) not in self.cut and (j, i) not in self.cut and (i, j) not in self.apart}

    def parts(self):
        """Connected parts of the live network, and the most hops in one."""
        live = {i for i, life in enumerate(self.life) if life in ('live', 'paused')}
        links, out, most = self.open(), [], 0
        while live:
            part = reach(links, live, min(live))
            most = max([most] + [max(reach(links, set(part), i).values()) for i in part])
            out.append(sorted(part))
            live -= set(part)
        return out, most


def final(storm):
    stage = Stage(storm)
    for now, what, a, b in storm['events']:
        stage.happen(now, what, a, b)
    return stage


def is_sound(storm):
    """What is paused goes on, and no part at the end is too deep: only then must a storm settle."""
    stage = final(storm)
    parts, deepest = stage.parts()
    asleep = any(life == 'paused' and stage.until.get(i) is None for i, life in enumerate(stage.life))
    return bool(parts) and deepest <= MOST_HOPS and not asleep


def possible(rng, s, stage, now):
    """Events that make sense now: (what, a, b), one of each kind at most."""
    def one(nodes):
        return int(rng.choice(sorted(nodes)))
    out = []
    of = {life: [i for i, is_ in enumerate(stage.life) if is_ == life]
          for life in ('live', 'paused', 'dead', 'left', 'absent')}
    up, there = of['live'] + of['paused'], of['live'] + of['paused'] + of['dead']
    if len(of['live']) > 2:
        out += [('kill', one(of['live']), None), ('kill', one(of['live']), None),
                ('leave', one(of['live']), None),
                ('pause', one(of['live']), round(float(rng.uniform(0.1, 4)), 2)),
                ('pause', one(of['live']), None)]
        wipes = set(of['live']) - stage.wiped
        out += [('wipe', one(wipes), None)] if wipes else []
    if of['dead']:
        out += [('start', one(of['dead']), None)] * 3
    if of['paused']:
        out.append(('resume', one(of['paused']), None))
    if up:
        jump = float(np.round(rng.choice([-1, 1]) * 10 ** rng.uniform(-1, 7.5), 1))
        out += [('clock', one(up), jump or 1.0),
                ('drift', one(up), round(float(rng.uniform(0.7, 1.5)), 2))]
    out.append(('diskfull', one(there), round(float(rng.uniform(0.5, 5)), 1)))
    whole = [(i, j) for i, j in sorted(stage.links)
             if (i, j) not in stage.cut and (j, i) not in stage.cut]
    if whole:
        a, b = whole[rng.integers(len(whole))]
        out += [('cut', a, b), ('oneway', *((a, b) if rng.random() < .5 else (b, a)))]
    if stage.cut:
        out.append(('heal', *sorted(stage.cut)[rng.integers(len(stage.cut))]))
    size = int(rng.integers(1, s['nodes']))
    out.append(('partition', sorted(int(i) for i in rng.permutation(s['nodes'])[:size]), None))
    out += [('rejoin', None, None)] * 2 if stage.apart else []
    files = sum(len(more) for more in stage.more.values())
    out.append(('rows', one(there), f'more{files}.csv'))
    return [e for e in out if not (e[0] == 'rejoin' and not stage.apart)]


def schedule(rng, s, most):
    """Up to `most` events, then what is paused goes on."""
    joins = [int(i) for i in rng.permutation(s['nodes'])[:rng.integers(0, 1 + s['nodes'] // 4)]]
    now, todo = 0.0, list(joins)
    s['events'] = [(0.0, 'join', a, None) for a in joins]
    stage = Stage(s)
    s['events'] = []
    for _ in range(int(rng.integers(1, most + 1))):
        now = round(now + float(rng.exponential(1.5) if rng.random() < .85 else rng.uniform(5, 40)), 3)
        stage.awake(now)
        choice = possible(rng, s, stage, now) + [('join', i, None) for i in todo[:1] * 3]
        event = choice[rng.integers(len(choice))]
        if event[0] == 'join':
            todo.pop(0)
        stage.happen(now, *event)
        s['events'].append((now, *event))
    for a in todo:
        now = round(now + 0.5, 3)
        stage.happen(now, 'join', a, None)
        s['events'].append((now, 'join', a, None))
    now = round(now + 0.5, 3)
    stage.awake(now)
    for a in [i for i, life in enumerate(stage.life) if life == 'paused' and stage.until[i] is None]:
        stage.happen(now, 'resume', a, None)
        s['events'].append((now, 'resume', a, None))


def faults(rng):
    """Options of `up`; about half of the faults are absent."""
    def maybe(most, share=.5):
        return round(float(rng.uniform(0, most)), 4) if rng.random() < share else 0
    slow = [1, 10, 50, 100][rng.integers(4)]
    out = {'loss': maybe(.5, .6), 'duplicate': maybe(.2), 'reorder': maybe(.3),
           'corrupt': maybe(.05), 'delay': f'1ms..{slow}ms',
           'speed': ['1', '1..2', '1..5'][rng.integers(3)],
           'wire': 'float16' if rng.random() < .25 else 'float64',
           'genesis': ['sample', 'sums', 'genesis.json'][np.searchsorted([.3, .6], rng.random())],
           'checkpoint-ticks': int([0, 10, 50, 200][rng.integers(4)])}
    if rng.random() < .25:
        out['bandwidth'] = f'{[30, 60, 200][rng.integers(3)]}kB'
    return out


def rows(rng, s):
    """(rows of each node, rows of each `rows` event): clusters apart, shares of their own."""
    D, C = s['D'], s['clusters']
    centre = rng.normal(size=(4000, D)) * 6
    chosen = [centre[0]]
    for c in centre[1:]:                           # at least 5 standard deviations apart
        if len(chosen) < C and min(np.linalg.norm(c - o) for o in chosen) > 5:
            chosen.append(c)
    chosen = np.array(chosen)

    def some(n, share):
        return chosen[rng.choice(len(chosen), size=n, p=share)] + rng.normal(size=(n, D))
    shares = rng.dirichlet(np.full(len(chosen), [.3, 1, 10][rng.integers(3)]), size=s['nodes'])
    if s['kind'] == 'sorted':                      # a cluster after the other along the path
        shares = np.eye(len(chosen))[np.arange(s['nodes']) * len(chosen) // s['nodes']]
    own = [some(int(rng.integers(20, 61)), p / p.sum()) for p in shares]
    share = np.full(len(chosen), 1 / len(chosen))
    return own, [some(int(rng.integers(5, 31)), share) for _ in range(40)]


def more_kinds(rng, s, model):
    """What not every storm has: another model, weights of rows, a window, disks that fail."""
    s['model'] = 'linreg' if rng.random() < .15 else 'gmm'
    s['model'] = model or s['model']
    s['weights'] = bool(rng.random() < .25)
    s['window'] = int(rng.integers(20, 41)) if rng.random() < .2 and model not in GROUPED else 0  # which would cut groups
    for fault in ('disk-fail', 'disk-torn', 'disk-short'):
        if s['options']['checkpoint-ticks'] and rng.random() < .3:
            s['options'][fault] = round(float(rng.uniform(0, .5)), 3)
    s['age'] = round(float(10 ** rng.uniform(.7, 1.8)), 2) if not s['window'] and rng.random() < .25 and model not in GROUPED else 0
    if s['age']:
        s['age'] += 40 * (s['options']['genesis'] != 'genesis.json')   # without rows there is nothing to draw it from
        arrive(rng, s)


def arrive(rng, s):
    """Rows for most nodes at the end, or a window by age would leave few."""
    stage = final(s)
    files = sum(len(more) for more in stage.more.values())
    now = s['events'][-1][0]
    for i, life in enumerate(stage.life):
        if life != 'left' and rng.random() < .7:
            now = round(now + float(rng.exponential(.05)), 3)
            s['events'].append((now, 'rows', i, f'more{files}.csv'))
            files += 1


def dress(rng, s, pieces):
    """(rows, their weights) of each piece: a regression has its target after the columns, and then its groups."""
    slope = rng.normal(size=s['D'] + 1)
    out, groups = [], 0
    for X in pieces:
        if s['model'] in REGRESSIONS:
            X = np.column_stack([X, slope[0] + X @ slope[1:] + .5 * rng.normal(size=len(X))])
        if s['model'] == 'glm':
            X[:, -1] = logistic.flags(rng, X[:, -1])
        if s['model'] == 'tmm':                    # Student's t, 3 degrees of freedom, and a row far out
            X = X + rng.normal(size=X.shape) * (1 / np.sqrt(rng.chisquare(3, size=(len(X), 1)) / 3) - 1)
            X[0] += 30
        if s['model'] == 'lca':
            X = classes.dress(X)
        w = rng.uniform(.2, 2, len(X)) if s['weights'] else np.ones(len(X))
        if s['model'] == 'mixed':
            X, groups = effects.dress(rng, X, groups)
        if s['model'] == 'hmm':
            X, groups = chains.dress(X, groups)
        w = effects.weigh(X, w) if s['model'] in GROUPED else w
        out.append((X, w))
    return out


def uneven(rng, own, counts):
    """The rows of nodes that have so many: of more than there are, weights stand for the others."""
    return [(X[:int(n)], rng.uniform(.5, 1.5, len(X[:int(n)])) * n / len(X[:int(n)])) for (X, _), n in zip(own, counts)]


LIES = ['far_beat', 'long_way', 'more_leaders', 'fewer_leaders', 'many_neighbours', 'stiff', 'huge', 'heavy_rows',
        'miscount', 'other_genesis']
SUM_LIES = ['twice_the_sum', 'far_sum', 'last_record']


def lie(rng, s):
    """A tenth of the nodes lies for a while (tests/lib/lies.h); half of them are gone in the end, and rows that
    come then wake the others. other_life is left out: a node that hears a liar alone believes it, and fails."""
    liars = [int(i) for i in rng.permutation(s['nodes'])[:max(1, s['nodes'] // 10)]]
    s['options']['wire'] = 'float64'               # lies in vectors are float64
    s['lies'] = []
    for i in liars:
        what, first = str(rng.choice(LIES)), int(rng.integers(20, 300))
        s['lies'].append((i, what, first, first + int(rng.integers(1, 60))))
    stage = final(s)
    now = (s['events'][-1][0] if s['events'] else 0) + float(np.round(rng.uniform(10, 40), 3))
    gone = [i for i in liars if stage.life[i] in ('live', 'paused') and rng.random() < .5]
    left = [i for i, life in enumerate(stage.life) if life == 'live' and i not in gone]
    s['events'] += [(now, 'kill', i, None) for i in gone]
    files = sum(len(more) for more in stage.more.values())
    s['events'] += [(now + 20, 'rows', i, f'more{files}.csv') for i in left[:1]]


def lie_in_sums(s):
    """Lies of nodes that run sum, whose genesis lists members and their rows, which are then fixed: without them a
    parent cannot see what a child's sum should be, and a network that rests on a false one is not woken."""
    rng = np.random.default_rng([20261130, s['seed']])
    s['options'].update(genesis='genesis.json', algorithm='sum', wire='float64')
    s['window'] = s['age'] = 0
    s['events'] = [e for e in s['events'] if e[1] != 'rows']
    s['lies'] = [(i, str(rng.choice(SUM_LIES)) if rng.random() < .7 else what, first, last) for i, what, first, last in s['lies']]


def stay(s):
    """For nodes that mask their sums: nobody leaves for good, and in the end all are there. Of every two storms one
    has a file without a block; of these half have rows in batches, else rows are fixed."""
    s['options'].update(genesis='genesis.json', mask='on')
    if s['seed'] % 2 and s['model'] in ('gmm', 'linreg', 'tied'):
        s['options']['genesis'] = 'stated.json'
        s['batch'] = 0 if s['seed'] % 4 == 1 or s['nodes'] < 4 else 3
    s['window'] = s['age'] = 0
    s['events'] = [e for e in s['events'] if e[1] not in ('leave',) + ('rows',) * (not s.get('batch'))]
    stage, now = final(s), s['events'][-1][0] if s['events'] else 0.0
    back = [('start', i, None) for i, life in enumerate(stage.life) if life == 'dead']
    back += [('heal', *pair) for pair in sorted({tuple(sorted(pair)) for pair in stage.cut})]
    back += [('rejoin', None, None)] * bool(stage.apart)
    s['events'] += [(round(now + .5 + .1 * k, 3), *event) for k, event in enumerate(back)]


def storm(seed, small, model=None, rows=False, lies=False):
    """The storm of a seed; model: of this one, whatever the seed says; rows: 1 to 1e6 a node, on networks with
    bridges and sorted paths too; lies: of some nodes. Draws again until no part at its end is too deep."""
    rng = np.random.default_rng([20261122, seed])
    kinds = ['ring', 'grid', 'star', 'path', 'tree', 'geometric', 'complete'] + ['bridge', 'sorted'] * rows
    while True:
        clusters = int(rng.integers(2, 5))
        s = {'seed': seed, 'nodes': int(rng.integers(3, 11 if small else 21)),
             'D': int(rng.integers(1, 3 if small else 5)), 'clusters': clusters,
             'K': int(rng.integers(2, clusters + 1)),
             'kind': str(rng.choice(kinds)), 'counts': [], 'lies': []}
        s['links'] = sorted(links_of(rng, s['kind'], s['nodes']))
        s['options'] = faults(rng)
        schedule(rng, s, 8 if small else 16)
        more_kinds(np.random.default_rng([20261124, seed]), s, model)
        again = np.random.default_rng([20261128, seed])
        if rows:
            s['weights'] = True
            s['counts'] = [float(n) for n in 10 ** again.uniform(0, 6, s['nodes'])]
        if lies:
            lie(again, s)
        if is_sound(s):
            return s

#!/usr/bin/python3
"""check_lies.py BUILD [all | LIE..]: one authenticated node of a ring of six sends false frames, the others run
the shipped program. A lie of six ticks, after which the liar is honest and then gone: the others come to their
own answer within 60 s, also after they have all restarted. A lie without end: within 60 s its neighbours name
the liar, or it does no harm; nobody settles with a wrong number of nodes; and once its links are dropped the
others come to their answer. `all` is what script/lies runs, without names a share that fits into a build.
Ports 7370 to 7379."""
import http.client
import json
import os
import signal
import sys
import time
from contextlib import closing

from claims import claim, main
from mesh import FAR, Mesh, ring, soon
from reasons import log

BASE, N, LIAR, SECONDS = 7370, 6, 3, 60
OTHERS = [i for i in range(N) if i != LIAR]
BESIDE = (LIAR - 1, LIAR + 1)
TURNS = 20                      # looks in turn in which it is named: one that is honest may be for a moment
ALIKE = 1e-6                    # relative, of bounds and numbers of nodes
DRAWN = {'genesis': None, 'model': {'name': 'gmm', 'n_components': 3}}
# What one that lasts comes to: it is named, or all settle in spite of it.
NAMED, HARMLESS = 'named', 'harmless'
# Lie (tests/lib/lies.h): what comes of it when it lasts (None: not tried), its first tick, configuration.
LIES = {
    'far_beat': (HARMLESS, 60, {}),
    'long_way': (HARMLESS, 60, {}),
    'huge': (NAMED, 60, {}),
    'heavy_rows': (NAMED, 60, {}),
    'other_life': (NAMED, 60, {}),
    'more_leaders': (NAMED, 60, {}),
    'fewer_leaders': (NAMED, 60, {}),
    'many_neighbours': (NAMED, 60, {}),
    'stiff': (NAMED, 60, {}),
    'miscount': (NAMED, 60, {}),
    'other_genesis': (None, 150, DRAWN),
}
FEW = (('far_beat', 'other_life'), ('miscount', 'other_life'))   # of a build: that end, that last


class Lying(Mesh):
    """Node LIAR runs the program of the tests, and says `lie` in its ticks from first to last (0: no end)."""

    def __init__(self, build, folder, lie, first, last, **more):
        self.environment, self.lied = None, os.path.join(folder, 'told')
        super().__init__(build, os.path.join(folder, 'net'), N, BASE, links=ring(N, (1,)), **more)
        self.shipped = self.program
        self.environment = dict(os.environ, MB_LIES=f'{LIAR} {lie} {first} {last}', MB_LIES_TOLD=self.lied)

    def start(self, *nodes):
        for i in nodes or range(self.n):
            self.program = self.shipped + '-liar' * (i == LIAR)
            super().start(i)

    def begin(self):
        """The liar last, when nobody would hear it alone: who does believes that another node has its id."""
        self.start(*OTHERS)
        soon('links are not in use', lambda: (all(self.lives(i) for i in OTHERS), ''), SECONDS)
        self.start(LIAR)

    def lives(self, i):
        try:
            return all(n['live'] for n in self.status(i)['neighbours'] if n['node'] != str(LIAR))
        except (OSError, http.client.HTTPException, ValueError):
            return False

    def false_frames(self):
        if not os.path.exists(self.lied):
            return 0
        with open(self.lied) as f:
            return sum(1 for _ in f)

    def is_past(self, tick):
        """Whether the liar is, once it answers; for soon()."""
        try:
            seen = self.status(LIAR)['tick']
        except (OSError, http.client.HTTPException, ValueError) as e:
            return False, e
        return seen > tick, seen

    def wrong(self):
        """Honest nodes that say settled with another number of nodes than there are."""
        there, out = (N, N - 1) if LIAR in self.running else (N - 1,), []
        for i in OTHERS:
            try:
                is_ = self.status(i)
            except (OSError, http.client.HTTPException, ValueError):
                continue
            if is_['verdict'] == 'settled' and min(abs(is_['n_nodes'] - n) for n in there) > ALIKE * N:
                out.append(f'node {i}: N = {is_["n_nodes"]:.9g}')
        return out

    def naming(self, i):
        """What node i says of the liar where it is the matter: in its status, readiness or log."""
        of = [n for n in self.status(i)['neighbours'] if n['node'] == str(LIAR)]
        said = [n['reason'] for n in of if n['state'] != 'live' and n['reason']]
        said += [r for r in json.loads(self.get(i, '/readyz')[1])['reasons'] if f'neighbour {LIAR}' in r
                 or f'moving: {LIAR} ' in r]
        return said + [x for x in log(self, i).splitlines() if f'id={LIAR} frames=refused' in x]

    def bounds(self):
        return {i: self.status(i)['bound'] for i in OTHERS}

    def priors(self):
        """Rows of the first component that they hold: the false genesis has 1e60."""
        return [json.loads(self.get(i, '/posterior')[1])['prior']['weight_concentration'][0] for i in OTHERS]


def answer(mesh, what, bounds, since):
    """All others are right within 60 s; bounds: of a run without a liar, None: not known."""
    try:
        mesh.settle(SECONDS - (time.monotonic() - since), OTHERS)
    except AssertionError as e:
        return claim(f'{what}: {e}', False)
    took, far, now = time.monotonic() - since, mesh.far(OTHERS), mesh.bounds()
    off = max(abs(now[i] / bounds[i] - 1) for i in OTHERS) if bounds else 0
    return claim(f'{what}: right after {took:.1f} s, N = {N - 1}, one step {far:.0e}, bounds off by {off:.0e}',
                 far <= FAR and off <= ALIKE and max(mesh.priors()) < 1e6)


def ends(build, folder, lie, bounds):
    """Bounds of the others in the end."""
    _, first, more = LIES.get(lie, (None, 60, {}))
    with closing(Lying(build, os.path.join(folder, lie), lie, first, first + 5, **more)) as mesh:
        mesh.begin()
        soon('the liar has not lied', lambda: mesh.is_past(first + 20), SECONDS)
        since = time.monotonic()
        claim(f'{lie}: {mesh.false_frames()} false frames were used', mesh.false_frames() > 0)
        time.sleep(1)
        mesh.kill(LIAR)
        answer(mesh, f'{lie}, gone', None if more else bounds, since)
        claim(f'{lie}: no other node has ended', not mesh.dead())
        mesh.stop(*OTHERS)
        mesh.start(*OTHERS)
        answer(mesh, f'{lie}, all restarted', None if more else bounds, time.monotonic())
        if lie == 'honest':
            named = [x for i in OTHERS for x in log(mesh, i).splitlines() if 'frames=refused' in x]
            claim(f'an honest node is not named: {named}', not named)
        return mesh.bounds()


def lasts(build, folder, lie, bounds):
    comes, first, more = LIES[lie]
    with closing(Lying(build, os.path.join(folder, lie + '-lasts'), lie, first, 0, **more)) as mesh:
        mesh.begin()
        soon('the liar has not lied', lambda: (mesh.false_frames() > 0, ''), SECONDS)
        since, wrong, turns, said = time.monotonic(), set(), dict.fromkeys(BESIDE, 0), {}
        while time.monotonic() - since < SECONDS:
            wrong.update(mesh.wrong())
            said.update({i: mesh.naming(i) for i in BESIDE})
            turns.update({i: turns[i] + 1 if said[i] else 0 for i in BESIDE})
            if (min(turns.values()) > TURNS if comes == NAMED else mesh.settled(range(N))) and time.monotonic() - since > 5:
                break
            time.sleep(.05)
        took, said = time.monotonic() - since, [f'node {i}: {s[-1]}' for i, s in said.items() if s]
        if lie == 'other_life':
            states = {n['state'] for i in BESIDE for n in mesh.status(i)['neighbours'] if n['node'] == str(LIAR)}
            claim(f'{lie} lasts: its state says so: {states}', states == {lie})
        if comes == NAMED:
            claim(f'{lie} lasts: named after {took:.1f} s: {said}', min(turns.values()) > TURNS)
        else:
            claim(f'{lie} lasts: all settle with N = {N} after {took:.1f} s {said}', mesh.settled(range(N)))
        claim(f'{lie} lasts: nobody settles with a wrong number of nodes {sorted(wrong)}', not wrong)
        mesh.links = {link for link in mesh.links if LIAR not in link}
        for i in BESIDE:
            mesh.write(i)
            mesh.signal(i, signal.SIGHUP)
        answer(mesh, f'{lie}, dropped', bounds, time.monotonic())


def check(build, folder):
    chosen = sys.argv[2:]
    every = chosen == ['all']
    bounds = ends(build, folder, 'honest', None)
    for lie in LIES if every else chosen or FEW[0]:
        ends(build, folder, lie, bounds)
    for lie in LIES if every else chosen or FEW[1]:
        if LIES[lie][0]:
            lasts(build, folder, lie, bounds)


main(check)

#!/usr/bin/env python3
"""stopping.py PROGRAM [--quick] [--seed S]: 500 networks (--quick: 60) of 2 to 10 nodes on which a run
could be called settled too early: loss and silence up to .99, columns far from the origin, heavy rows; and
as many networks of other shapes (caterpillars, cliques with bridges, random regular ones, grids, rings with
tails), of nodes with 1 to 200 rows each, with edge, tree and flow. No run may be called settled where one centralised step, made here with numpy from the posterior file,
moves an entry by more than 1e-6. Prints how the runs ended and what the rule costs in rounds."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
from harness import Claims, Program  # noqa: E402
from refimpl import Gmm  # noqa: E402

RUNS, QUICK = 500, 60
SETTLED = 1e-6   # MB_SETTLED
SLACK = 1.01     # the step here and the program's differ by rounding
RATES = (0, .3, .6, .9, .95, .99)
OFFSETS = (0, 0, 10, 1e3, 1e5, 1e7)


def svec(phi, gmm):
    """Entries as the library has them: alpha - 1; (nu-D)/2 and the lower triangle of -M/2 of each
    component, entries beside the diagonal times sqrt 2."""
    pi, a, S, b, c = gmm.parts(phi)
    out = list(pi)
    for k in range(gmm.K):
        M = np.zeros((gmm.D + 1, gmm.D + 1))
        M[0, 0], M[1:, 0], M[1:, 1:] = c[k], b[k] / 2, S[k]
        out.append(a[k])
        out += [M[i, j] * (1 if i == j else 2 ** .5) for i in range(gmm.D + 1) for j in range(i + 1)]
    return np.array(out)


def numbers(p):
    """Textbook parameters of a posterior file or its prior."""
    return [np.array(p[key], float) for key in ('weight_concentration', 'degrees_of_freedom',
                                                'mean_precision', 'means', 'w_inverse')]


def moved(posterior, X, w, origin, scale):
    """One centralised step in run units: the largest change of an entry, relative to max(1, |entry|)."""
    K, D = len(posterior['weights']), X.shape[1]
    gmm = Gmm(K, D, 1, 1, np.zeros(D), D + 1, np.eye(D))

    def natural(p):
        alpha, nu, beta, m, winv = numbers(p)
        return gmm.natural(alpha, nu, beta, (m - origin) / scale, winv / np.outer(scale, scale))
    phi = natural(posterior)
    gmm.prior = natural(posterior['prior'])
    after = gmm.prior + gmm.step(phi, (X - origin) / scale, w)
    before, after = svec(phi, gmm), svec(after, gmm)
    return float((np.abs(after - before) / np.maximum(1, np.abs(before))).max())


class Case:
    """One network with its rows and faults, drawn by its number."""
    links = None  # of a network that no topology of the program makes

    def __init__(self, seed, number):
        g = self.g = np.random.default_rng([seed, number])
        self.N, self.D, self.K = int(g.integers(2, 11)), int(g.integers(1, 3)), int(g.integers(1, 4))
        per = int(g.integers(3, 41))
        n = self.N * per
        centre = g.normal(size=(self.K, self.D)) * g.choice([1, 3])
        self.offset = float(g.choice(OFFSETS))
        self.X = centre[g.integers(0, self.K, n)] + g.normal(size=(n, self.D)) + self.offset
        if g.random() < .2:  # one cluster lies far from the others
            self.X[:n // 3] += 10 ** g.uniform(1, 5)
        self.w = np.ones(n)
        if g.random() < .25:
            self.w[g.integers(n)] = 10 ** g.uniform(1, 9)
        self.node = np.arange(n) % self.N + 1
        self.rate, self.kind = float(g.choice(RATES)), str(g.choice(['loss', 'loss-directed', 'silent']))
        self.topology = str(g.choice([f'path:n={self.N}', f'star:n={self.N}', f'complete:n={self.N}'] +
                                     [f'ring:n={self.N}'] * (self.N > 2)))
        self.standardize = str(g.choice(['on', 'off']))
        self.delay = int(g.choice([0, 0, 0, 3]))
        others = ['flow', 'dsvb', 'average', 'nsg'] + ['admm'] * (self.rate == 0 and self.delay == 0)
        self.algorithm = 'edge,' + str(g.choice(others))
        self.number = number

    def plain(self):
        return self.offset == 0 and self.w.max() == 1 and np.ptp(self.X) < 50

    def __str__(self):
        return (f'case {self.number}: {self.topology}, {len(self.w)} rows, D {self.D}, K {self.K}, '
                f'{self.kind} {self.rate}, delay {self.delay}, offset {self.offset:g}, heaviest row '
                f'{self.w.max():.2g}, standardize {self.standardize}, {self.algorithm}')

    def args(self, rounds):
        return ['sim', '--data', 'rows.csv', '--node-column', 'node', '--weight-column', 'weight',
                '--topology', self.topology, '--n-components', self.K, '--standardize',
                self.standardize, '--' + self.kind, self.rate, '--delay', self.delay, '--seed',
                self.number, '--rounds', rounds, '--threads', 1]


def caterpillar(g):
    """A path, and leaves at its nodes."""
    spine = int(g.integers(3, 13))
    leaves = g.integers(0, 4, spine)
    owner = np.repeat(np.arange(spine), leaves)
    return [(i, i + 1) for i in range(spine - 1)] + [(int(o), spine + k) for k, o in enumerate(owner)]


def cliques(g):
    """Cliques in a row, a bridge between neighbours."""
    links, at, last = [], 0, None
    for size in g.integers(3, 11, int(g.integers(2, 5))):
        links += [(at + i, at + j) for j in range(size) for i in range(j)]
        if last is not None:
            links.append((last, at))
        last, at = at + int(size) - 1, at + int(size)
    return links


def regular(g):
    """Each node has the same number of neighbours: pairs of a shuffled list, until they make a network."""
    n, degree = 2 * int(g.integers(4, 16)), int(g.integers(3, 5))
    while True:
        ends = g.permutation(np.repeat(np.arange(n), degree)).reshape(-1, 2)
        links = {(int(min(e)), int(max(e))) for e in ends if e[0] != e[1]}
        reached = {0}
        for _ in range(n):
            reached |= {v for link in links if reached & set(link) for v in link}
        if len(links) == n * degree // 2 and len(reached) == n:
            return sorted(links)


def grid(g):
    rows, cols = int(g.integers(2, 8)), int(g.integers(2, 8))
    return [(cols * r + c, cols * r + c + 1) for r in range(rows) for c in range(cols - 1)] + \
        [(cols * r + c, cols * r + c + cols) for r in range(rows - 1) for c in range(cols)]


def ring_with_tails(g):
    n = int(g.integers(3, 16))
    links = [(i, (i + 1) % n) for i in range(n)]
    at = n
    for _ in range(int(g.integers(1, 4))):
        end = int(g.integers(n))
        for _ in range(int(g.integers(1, 8))):
            links.append((end, at))
            end, at = at, at + 1
    return links


SHAPES = (caterpillar, cliques, regular, grid, ring_with_tails)


class Unlike(Case):
    """A network of another shape, of nodes with 1 to 200 rows each, on the clusters of one mixture: some
    apart, some of which overlap."""

    def __init__(self, seed, number):
        g = self.g = np.random.default_rng([seed, number, 1])
        shape = SHAPES[number % len(SHAPES)]
        self.links, self.name, self.number = shape(g), shape.__name__, number
        self.N = 1 + max(map(max, self.links))
        self.D, self.K, self.offset = int(g.integers(1, 4)), int(g.integers(1, 5)), 0.
        each = np.maximum(1, (float(g.choice([5, 20, 200])) ** g.random(self.N)).astype(int))
        n = max(int(each.sum()), 3 * self.D * self.K)
        each[0] += n - int(each.sum())
        self.node = np.repeat(np.arange(self.N), each) + 1
        kind = g.integers(0, self.K, n)
        if g.random() < .5:  # nodes have clusters of their own
            kind = (kind * (g.random(n) < .3) + self.node * self.K // (self.N + 1)) % self.K
        self.X = g.normal(size=(self.K, self.D))[kind] * g.choice([1.5, 5]) + g.normal(size=(n, self.D))
        self.w, self.standardize = np.ones(n), 'on'
        self.rate, self.kind, self.delay = float(g.choice([0, 0, .1, .3])), 'loss-directed', int(g.choice([0, 0, 0, 2]))
        self.topology, self.algorithm = 'links.csv', 'edge,tree,flow'

    def plain(self):
        return False

    def __str__(self):
        return f'{self.name}: {self.N} nodes, ' + super().__str__()

    def args(self, rounds):
        args = super().args(rounds)
        args[args.index('--topology')] = '--network'
        return args


def run(prog, case):
    """Verdict and independent step of each algorithm."""
    if case.links:
        prog.write_csv('links.csv', ['i', 'j'], [(i + 1, j + 1) for i, j in case.links])
    prog.write_csv('rows.csv', [f'x{d}' for d in range(case.D)] + ['node', 'weight'],
                   [[*map(float, x), int(i), float(v)] for x, i, v in zip(case.X, case.node, case.w)])
    shutil.rmtree(prog.file('out'), ignore_errors=True)
    done = subprocess.run([prog.path, *map(str, case.args(6000)), '--algorithm', case.algorithm,
                           '--out', 'out'], cwd=prog.folder, capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: an algorithm failed, and the summary says which
        raise RuntimeError(f'{case}: exit status {done.returncode}: {done.stderr}')
    resolved = prog.json('out/config.json')['resolved']
    origin = np.array(resolved['agreed_origin'])
    scale = np.array(resolved['agreed_scale']) if case.standardize == 'on' else np.ones(case.D)
    for one in prog.json('out/summary.json')['algorithms']:
        step = None
        if one['status'] == 'ok' and one['verdict'] != 'failed' and one['bound'] is not None:
            posterior = prog.json(f'out/posterior-{one["name"]}.json')
            assert posterior['verdict'] == one['verdict']
            order = np.argsort(case.node, kind='stable')
            step = moved(posterior, case.X[order], case.w[order], origin, scale)
        yield one, step


def cost(prog, case, rounds):
    """Rounds to the end over rounds to within 1e-6 of it, relative, at all nodes; in raw columns."""
    at = list(range(2, rounds + 1, max(1, rounds // 400)))
    if at[-1] != rounds:
        at.append(rounds)
    prog.run(*case.args(rounds), '--algorithm', 'edge', '--dump-phi', 'phi.npy', '--dump-at',
             ','.join(map(str, at)))
    phi = np.load(prog.file('phi.npy'))
    end = phi[-1].mean(axis=0)
    far = (np.linalg.norm(phi - end, axis=2) / np.linalg.norm(end)).max(axis=1) > 1e-6
    last = np.flatnonzero(far)
    return rounds / at[min(last[-1] + 1, len(at) - 1)] if len(last) else None


def attack(claims, prog, draw, seed, runs):
    ends, costs, largest = {}, [], 0
    for number in range(runs):
        case, bad = draw(seed, number), []
        for one, step in run(prog, case):
            ends.setdefault(one['name'], {}).setdefault(one['verdict'], []).append(one['rounds'])
            if one['verdict'] != 'settled':
                continue
            largest = max(largest, step)
            if not step <= SETTLED * SLACK or not one['disagreement'] <= SETTLED:
                bad.append(f'{one["name"]} settled, one step moves {step:.2g}, nodes '
                           f'{one["disagreement"]:.2g} apart')
            elif one['name'] == 'edge' and case.plain() and len(costs) < runs // 4:
                costs.append(cost(prog, case, one['rounds']))
        claims.check(not bad, f'{case}' + ''.join('; ' + b for b in bad))
    for name, verdicts in sorted(ends.items()):
        claims.note(f'{name}: ' + ', '.join(f'{len(r)} {v}' for v, r in sorted(verdicts.items())))
    costs = [c for c in costs if c]
    claims.note(f'largest centralised step of a settled run: {largest:.2g}')
    claims.check(len(ends['edge'].get('settled', [])) > runs / 2, 'most runs of edge settle')
    if costs:
        claims.note(f'rounds to the end over rounds to within 1e-6 of it, {len(costs)} runs of edge: '
                    f'median {np.median(costs):.2f}, largest {max(costs):.2f}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--seed', type=int, default=1)
    given, claims = parser.parse_args(), Claims()
    with tempfile.TemporaryDirectory() as folder:
        for draw in (Case, Unlike):
            attack(claims, Program(given.program, folder), draw, given.seed, QUICK if given.quick else RUNS)
    sys.exit(claims.finish())


if __name__ == '__main__':
    main()

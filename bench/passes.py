#!/usr/bin/python3
"""passes.py - passes over the rows with and without extrapolated steps (`--accelerate auto` and `off`):
problems x starts, one initialisation each, until the lower bound is within TOLERANCE of the one the run
ends with, and until the run has settled; and whether the bound at the end is equal or better (SAME). Time
is not measured. --full: 14 starts instead of 2, and with --data, the folder with the data sets, their
problems too."""
import os

import numpy as np

from harness import Bench, clusters, digits, say, spread
from time_to_answer import packed, principal, table

TOLERANCE = 1e-8  # of the bound, relative
SAME = 1e-6       # of the bound, relative
TOL = 1e-8        # of the stopping rule
STARTS_FULL, STARTS_QUICK = 14, 2
HERE = os.path.dirname(os.path.abspath(__file__))


def overlapping(n, D, K, apart, seed):
    """Rows of K unit Gaussians whose means are `apart` standard deviations from each other on a line."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((n, D))
    rows[:, 0] += apart * rng.integers(0, K, n)
    return rows


def problems(bench):
    """(name, rows, components, options)."""
    yield 'ionosphere', table(os.path.join(HERE, '..', 'data', 'ionosphere.csv'))[:, 3:9], 4, []
    yield 'ionosphere, diag', table(os.path.join(HERE, '..', 'data', 'ionosphere.csv'))[:, 3:-1], 5, ['--covariance-type', 'diag']
    yield 'synthetic, 8 columns', clusters(2000, 8, 5)[0], 5, []
    yield 'overlapping, 2 columns', overlapping(2000, 2, 3, 1.5, 1), 3, []
    yield 'overlapping, 4 columns', overlapping(2000, 4, 2, 1.5, 2), 2, []
    if not bench.full or bench.data == '.':
        return
    at = lambda *names: os.path.join(bench.data, *names)
    faithful, iris = table(at('faithful', 'faithful.csv')), table(at('iris', 'iris.csv'))[:, :-1]
    yield 'faithful', faithful, 2, []
    yield 'faithful, 6 components', faithful, 6, []
    yield 'faithful, Dirichlet process', faithful, 8, ['--weight-concentration-prior-type', 'dirichlet_process']
    yield "faithful, Student's t", faithful, 3, ['--model', 'tmm']
    yield 'iris', iris, 3, []
    yield 'iris, tied', iris, 5, ['--covariance-type', 'tied']
    digits8x8 = table(at('digits8x8', 'digits8x8.csv'))[:, :-1]
    yield 'digits8x8', digits8x8, 10, []
    yield 'digits8x8, 10 principal components', principal(digits8x8, 10), 10, []
    yield 'usps, 10 principal components', principal(packed(at('usps', 'usps_u8.npy.gz')) / 255, 10)[:3000], 10, []
    yield 'coil20, 15 principal components', principal(np.load(at('coil20', 'coil20_u8.npy')) / 255, 15), 20, []
    yield 'shuttle', table(at('shuttle', 'shuttle.csv.gz'))[:5000, :-1], 7, []


def run(bench, K, options, seed, accelerate):
    """Passes to the bound, passes in all, the bound, and by how much it ever fell, relative."""
    answer, _ = bench.json('fit', '--data', 'rows.npy', '--n-components', K, '--n-init', 1, '--seed', seed, '--tol', TOL,
                           '--accelerate', accelerate, '--trace', 'trace.csv', *options)
    with open(bench.file('trace.csv')) as f:
        bound = np.array([float(line.split(',')[3]) for line in f if line.split(',')[1] == 'bound'])
    last = float(bound[-1])
    near = bound >= last - TOLERANCE * abs(last)
    fall = float(np.max((bound[:-1] - bound[1:]) / np.abs(bound[1:]))) if len(bound) > 1 else 0
    return int(np.argmax(near)) + 1, len(bound), last, max(fall, 0)


def measure(bench, name, rows, K, options):
    np.save(bench.file('rows.npy'), rows)
    found = []
    for seed in range(STARTS_FULL if bench.full else STARTS_QUICK):
        off, auto = (run(bench, K, options, seed, how) for how in ('off', 'auto'))
        found.append({'plain': off[0], 'accelerated': auto[0], 'ratio': off[0] / auto[0], 'settled': off[1] / auto[1],
                      'gain': (auto[2] - off[2]) / abs(off[2]), 'fall': auto[3]})
    of = lambda key: [f[key] for f in found]
    out = {'problem': name, 'n': rows.shape[0], 'columns': rows.shape[1], 'K': K, 'starts': len(found),
           'plain': spread(of('plain')), 'accelerated': spread(of('accelerated')), 'ratio': spread(of('ratio')),
           'settled': spread(of('settled')), 'better': sum(g > SAME for g in of('gain')),
           'worse': sum(g < -SAME for g in of('gain')), 'largest_fall': max(of('fall'))}
    say(f'{name}: {out["plain"]["median"]:.0f} and {out["accelerated"]["median"]:.0f} passes, ratio {out["ratio"]["median"]}, '
        f'to settled {out["settled"]["median"]}; {out["better"]} better, {out["worse"]} worse of {len(found)}; '
        f'fall {digits(out["largest_fall"], 2)}')
    return out


def main():
    bench = Bench('passes')
    found = [measure(bench, *problem) for problem in problems(bench)]
    starts = sum(p['starts'] for p in found)
    bench.finish(tolerance=TOLERANCE, same=SAME, tol=TOL, problems=found, starts=starts, ratio=digits(float(np.exp(np.mean([np.log(p['ratio']['median']) for p in found])))),
                 settled=digits(float(np.exp(np.mean([np.log(p['settled']['median']) for p in found])))),
                 equal_or_better=digits(1 - sum(p['worse'] for p in found) / starts))


if __name__ == '__main__':
    main()

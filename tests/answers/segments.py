#!/usr/bin/python3
"""segments.py PROGRAM [DRAWS]: of draws of a mixture of regressions (600 rows), the share whose bound is within 1 nat
of a run from the segments that the rows were drawn from, or above: one initialisation (k-means of the rows), two (the
second begins with lines through few rows), as many as `fit` makes, and where five nodes that make their own start
end (a fit goes on from there, since their prior is of a sample). The table of docs/math.md, section 33."""
import os
import sys
import tempfile

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../reference'))
from check_mixreg import Mixture, standard
from harness import Program

CELLS = [('inputs', 2, 2), ('inputs', 3, 2), ('inputs', 3, 4), ('inputs', 4, 3), ('x, x^2', 2, 2), ('x, x^2', 3, 2)]


def draw(kind, K, p, seed):
    rng = np.random.default_rng([seed, K, p])
    label, x = rng.integers(0, K, 600), rng.normal(size=(600, p))
    if kind != 'inputs':
        x = np.column_stack([t := rng.uniform(0, 10, 600), t**2])
    z = (x - x.mean(axis=0)) / x.std(axis=0)
    y = (rng.normal(size=(K, p))[label] * z).sum(axis=1) + rng.normal(size=K)[label] + .3 * rng.normal(size=600)
    return x, y, label


def main():
    draws = int(sys.argv[2]) if len(sys.argv) > 2 else 30
    with tempfile.TemporaryDirectory() as folder:
        prog = Program(sys.argv[1], folder)
        print('| rows | K | inputs | one | two | fit | nodes |\n|---|---|---|---|---|---|---|')
        for kind, K, p in CELLS:
            reached = np.zeros(4)
            for seed in range(draws):
                x, y, label = draw(kind, K, p, seed)
                Z, t, _, s = standard(x, y, True)
                want = Mixture(Z, t, label, K).run(500, 1e-6)[0] - len(y) * np.log(s[-1])
                np.save(prog.file('rows.npy'), np.column_stack([x, y]))
                for i, n in enumerate((1, 2, 'auto')):
                    prog.run('fit', '--data', 'rows.npy', '--model', 'mixreg', '--n-components', K, '--n-init', n, '--out', 'p.json')
                    reached[i] += prog.json('p.json')['bound'] > want - 1
                prog.run('up', '--virtual', '--data', 'rows.npy', '--model', 'mixreg', '--n-components', K, '--topology', 'ring:n=5',
                         '--algorithm', 'sum', '--until', 'settled', '--seed', seed, '--out', 'up')
                prog.run('fit', '--data', 'rows.npy', '--model', 'mixreg', '--n-components', K, '--n-init', 1,
                         '--init', 'posterior:up/posterior.json', '--out', 'p.json')
                reached[3] += prog.json('p.json')['bound'] > want - 1
            print(f'| {kind} | {K} | {p} | ' + ' | '.join(f'{r / draws:.2f}' for r in reached) + ' |', flush=True)


if __name__ == '__main__':
    main()

#!/usr/bin/env python3
"""How often 95 % intervals of coefficients cover the truth, on drawn data and with default options;
usage: coverage.py PROGRAM [DRAWS]. A table on standard output."""
import csv
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy import stats


def draw(rng, n, p):
    """n rows, p inputs and a target that has noise of standard deviation 1."""
    X, w = rng.normal(size=(n, p)), rng.normal(size=p)
    return X, X @ w + rng.normal(size=n), w


def linreg(program, draws, n, p, seed, options=()):
    """Share of the intervals of p coefficients, over all draws, that cover."""
    rng, covered = np.random.default_rng([seed, n, p]), 0
    with tempfile.TemporaryDirectory() as folder:
        data, out = os.path.join(folder, 'rows.csv'), os.path.join(folder, 'posterior.json')
        for _ in range(draws):
            X, y, w = draw(rng, n, p)
            with open(data, 'w', newline='') as f:
                table = csv.writer(f)
                table.writerow([f'x{d}' for d in range(p)] + ['y'])
                table.writerows([map(float, row) for row in np.column_stack([X, y])])
            subprocess.run([program, 'fit', '--model', 'linreg', '--data', data, '--target-column', 'y', *options,
                            '--out', out], check=True, capture_output=True)
            with open(out) as f:
                post = json.load(f)
            half = stats.t.ppf(.975, post['degrees_of_freedom']) * np.array(post['coef_scale'])
            covered += int((np.abs(np.array(post['coef']) - w) <= half).sum())
    return covered / draws / p


def main():
    program, draws = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    print('| model | rows | inputs | draws | prior | cover |\n|---|---|---|---|---|---|')
    for n, p in ((20, 9), (20, 14)):
        for prior in ('reference', 'empirical'):
            share = linreg(program, draws, n, p, 1, ('--prior', prior))
            print(f'| linreg | {n} | {p} | {draws} | {prior} | {share:.3f} |', flush=True)


if __name__ == '__main__':
    main()

#!/usr/bin/python3
"""What a start costs that shows no row: genesis.py PROGRAM [--seeds N] [--sets NAME,..] [--data DIR]

Central VB of a network of 6 nodes from one initialisation, on the sets of answers.py, standardised: by k-means
(`--init kmeans`), from the centres of a genesis of 64 rows (`meshbayes genesis`, as nodes draw it), and from one
Gaussian inside stated bounds (`--init ranges`), the values of each column rounded outwards to whole numbers.
Prints a table: median (worst) over the seeds of the lower bound and of the log density of the held-out fifth, nats a
row, and of the adjusted Rand index; then of the last two by how much ranges is below each other start in the median."""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np
from sklearn.metrics import adjusted_rand_score

from answers import ALL, SMALL, Set

SAMPLE = 64
STARTS = {'k-means': 'kmeans', 'a sample of 64 rows': None, 'ranges': 'ranges'}


def write(path, head, rows):
    with open(path, 'w') as f:
        f.write(','.join(head) + '\n' + ''.join(','.join(map(str, row)) + '\n' for row in rows))


def centres(program, folder, names, s, seed):
    """The centres of a genesis from some rows, as a file."""
    X = s.train
    some = X[np.random.default_rng(seed).choice(len(X), min(SAMPLE, len(X)), replace=False)]
    write(os.path.join(folder, 'some.csv'), names, some)
    subprocess.run([program, 'genesis', '--data', 'some.csv', '--n-components', str(s.K), '--seed', str(seed),
                    '--out', 'genesis.json'], cwd=folder, check=True, capture_output=True)
    with open(os.path.join(folder, 'genesis.json')) as f:
        g = json.load(f)
    write(os.path.join(folder, 'centres.csv'), names, g['start'])
    return 'centres:centres.csv'


def run(program, folder, names, s, seed, init):
    init = init or centres(program, folder, names, s, seed)
    bounds = ['--bounds', 'bounds.csv'] if init == 'ranges' else []
    subprocess.run([program, 'sim', '--data', 'rows.csv', '--topology', 'complete:n=6', '--n-components', str(s.K),
                    '--algorithm', 'cvb', '--init', init, *bounds, '--rounds', '20000', '--seed', str(seed),
                    '--out', 'out'], cwd=folder, check=True, capture_output=True)
    with open(os.path.join(folder, 'out', 'summary.json')) as f:
        bound = json.load(f)['algorithms'][0]['bound'] / len(s.train)
    score = subprocess.run([program, 'score', '--posterior', 'out/posterior.json', '--data', 'test.csv', '--json'],
                           cwd=folder, check=True, capture_output=True, text=True).stdout
    done = subprocess.run([program, 'predict', '--posterior', 'out/posterior.json', '--data', 'rows.csv'], cwd=folder,
                          check=True, capture_output=True, text=True).stdout.split()
    at = done[0].split(',').index('label')
    label = [int(line.split(',')[at]) for line in done[1:]]
    ari = np.nan if s.label is None else adjusted_rand_score(s.label, label)
    return bound, json.loads(score)['mean_log_density'], ari


def below(name, median):
    """Lines on where ranges is worse in the median, by a thousandth at least."""
    words = ['lower bound', 'held-out log density', 'ARI']
    for start in list(STARTS)[:2]:
        for k in (1, 2):
            less = median[start][k] - median['ranges'][k]
            if less >= 0.0005:
                yield f'{name}: ranges is {less:.3f} below {start} in the {words[k]}'


def main():
    args = argparse.ArgumentParser()
    args.add_argument('program')
    args.add_argument('--seeds', type=int, default=20)
    args.add_argument('--data')
    args.add_argument('--sets')
    args = args.parse_args()
    print('| data | start | lower bound, nats a row | held out, nats a row | ARI |\n|---|---|---|---|---|')
    worse = []
    for name in args.sets.split(',') if args.sets else ALL if args.data else SMALL:
        s = Set(name, args.data)
        names = [f'x{d}' for d in range(s.train.shape[1])]
        with tempfile.TemporaryDirectory() as folder:
            write(os.path.join(folder, 'rows.csv'), names, s.train)
            write(os.path.join(folder, 'test.csv'), names, s.test)
            median = {}
            write(os.path.join(folder, 'bounds.csv'), ['column', 'low', 'high'],
                  zip(names, np.floor(s.train.min(0)), np.maximum(np.ceil(s.train.max(0)), np.floor(s.train.min(0)) + 1)))
            for start, init in STARTS.items():
                got = np.array([run(os.path.abspath(args.program), folder, names, s, seed, init) for seed in range(args.seeds)])
                cells = [f'{np.median(c):.3f} ({c.min():.3f})' if np.isfinite(c).all() else '' for c in got.T]
                print(f'| {name} | {start} | {" | ".join(cells)} |', flush=True)
                median[start] = np.median(got, axis=0)
            worse += below(name, median)
    print('\n' + '\n'.join(worse))


if __name__ == '__main__':
    main()

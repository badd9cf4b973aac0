#!/usr/bin/env python3
"""How often a single initialisation, of a network by default, loses a cluster, beside scikit-learn's single start,
on six shapes of clear clusters; usage: starts.py PROGRAM [--seeds N] [--shapes A,B,..]
A run is lost when its adjusted Rand index is below that of the true clusters' own densities by .05.
Ends with status 1 when the program loses more runs than scikit-learn."""
import argparse
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import BayesianGaussianMixture

NODES = 6


def blobs(rng, K, D, spread, sizes=None, sd=None, n=2000):
    """n rows of K Gaussians whose centres are spread N(0, I), and their labels."""
    centre = spread * rng.normal(size=(K, D))
    sizes, sd = np.ones(K) if sizes is None else sizes, np.ones(K) if sd is None else sd
    label = rng.choice(K, n, p=sizes / sizes.sum())
    return centre[label] + sd[label, None] * rng.normal(size=(n, D)), label


def stretched(rng, K=4, D=3):
    """Clusters that are 5 times as long as wide, in random directions."""
    X, label = blobs(rng, K, D, 8)
    for k in range(K):
        axis = rng.normal(size=D)
        axis /= np.linalg.norm(axis)
        mine = label == k
        X[mine] += 4 * rng.normal(size=(mine.sum(), 1)) * axis
    return X, label


SHAPES = {
    'eight in 10 columns': (8, lambda r: blobs(r, 8, 10, 3)),
    'five of unlike size in 2': (5, lambda r: blobs(r, 5, 2, 8, sizes=np.array([8., 4, 2, 1, 1]))),
    'twelve in 5': (12, lambda r: blobs(r, 12, 5, 5)),
    'four stretched in 3': (4, stretched),
    'sixteen in 16': (16, lambda r: blobs(r, 16, 16, 3)),
    'six of unlike spread in 4': (6, lambda r: blobs(r, 6, 4, 6, sd=np.array([.3, .5, 1, 1, 1.5, 2]))),
}


NETWORK = ['--topology', f'complete:n={NODES}']
COMMANDS = {
    'sim': ['sim', *NETWORK, '--algorithm', 'edge'],
    'fit': ['fit', '--n-init', '1'],
    'sample': ['up', '--virtual', '--time', '600s', *NETWORK],  # a genesis of 64 rows
    'sums': ['up', '--virtual', '--time', '600s', *NETWORK, '--genesis', 'sums'],
}


def oracle(X, label, K):
    """The index that the true clusters' Gaussians reach."""
    ln = np.empty((len(X), K))
    for k in range(K):
        mine = X[label == k]
        d, C = X - mine.mean(0), np.cov(mine.T)
        ln[:, k] = np.log(len(mine)) - .5 * np.linalg.slogdet(C)[1] - .5 * (d * np.linalg.solve(C, d.T).T).sum(1)
    return adjusted_rand_score(label, ln.argmax(1))


def ours(program, X, K, seed, folder, command):
    data, out = os.path.join(folder, 'rows.csv'), os.path.join(folder, 'posterior.json')
    np.savetxt(data, X, delimiter=',', header=','.join(f'x{d}' for d in range(X.shape[1])), comments='')
    subprocess.run([program, *COMMANDS[command], '--data', data, '--n-components', str(K), '--seed', str(seed), '--out',
                    folder if COMMANDS[command][0] == 'up' else out],
                   check=True, capture_output=True)
    done = subprocess.run([program, 'predict', '--posterior', out, '--data', data], check=True,
                          capture_output=True, text=True)
    lines = done.stdout.split()
    at = lines[0].split(',').index('label')
    return np.array([int(line.split(',')[at]) for line in lines[1:]])


def theirs(X, K, seed):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return BayesianGaussianMixture(n_components=K, random_state=seed, max_iter=1000).fit_predict(X)


def main():
    args = argparse.ArgumentParser()
    args.add_argument('program')
    args.add_argument('--seeds', type=int, default=20)
    args.add_argument('--shapes', default=','.join(SHAPES))
    args.add_argument('--command', choices=list(COMMANDS), default='sim')
    args = args.parse_args()
    total = np.zeros(2, int)
    print(f'| shape | K | seeds | lost by {args.command} | by scikit-learn |\n|---|---|---|---|---|')
    for name in args.shapes.split(','):
        K, make = SHAPES[name]
        lost = np.zeros(2, int)
        for seed in range(args.seeds):
            X, label = make(np.random.default_rng([seed, K]))
            least = oracle(X, label, K) - .05
            with tempfile.TemporaryDirectory() as folder:
                found = ours(args.program, X, K, seed, folder, args.command), theirs(X, K, seed)
            lost += [adjusted_rand_score(label, labels) < least for labels in found]
        total += lost
        print(f'| {name} | {K} | {args.seeds} | {lost[0]} | {lost[1]} |', flush=True)
    print(f'| all | | | {total[0]} | {total[1]} |')
    return int(total[0] > total[1])


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/python3
"""check_lloyd.py PROGRAM: `--init kmeans` is Lloyd's iteration from `--init kmeans++`.

A fit of one round shows the clusters of its initialisation: with beta0 and mu0 given, their rows and
means follow from the posterior. From the clusters of k-means++ numpy goes on by itself, in columns
brought to the common units, and must end at the clusters of k-means."""
import os

import numpy as np
from sklearn.datasets import load_iris, load_wine

import refimpl as ref
from harness import main

HERE = os.path.dirname(os.path.abspath(__file__))


def clusters(prog, init, K, seed, weighted):
    """Rows and means of the clusters that an initialisation makes, by rows, then means."""
    args = ['fit', '--data', 'x.csv', '--n-components', K, '--init', init, '--rounds', 1, '--tol', 0,
            '--seed', seed, '--n-init', 1, '--prior.alpha0', 1, '--prior.beta0', 1,
            '--prior.mu0', 0, '--out', 'p.json']
    prog.run(*args, *(['--weight-column', 'weight'] if weighted else []))
    p = prog.json('p.json')
    rows, beta = np.array(p['weight_concentration']) - 1, np.array(p['mean_precision'])
    means = np.array(p['means']) * beta[:, None] / np.maximum(beta - 1, 1e-300)[:, None]
    return rows, means


def lloyd(Z, w, centres):
    for _ in range(300):
        d2 = ((Z[:, None, :] - centres[None]) ** 2).sum(axis=2)
        label = d2.argmin(axis=1)
        new = np.array([np.average(Z[label == k], axis=0, weights=w[label == k]) for k in range(len(centres))])
        if np.array_equal(new, centres):
            break
        centres = new
    return np.bincount(label, w, len(centres)), centres


def by_size(rows, means):
    order = np.lexsort([*means.T.round(6), rows.round(6)])
    return rows[order], means[order]


def one_set(claims, prog, name, X, K, w):
    names = [f'f{d}' for d in range(X.shape[1])] + (['weight'] if w is not None else [])
    table = X if w is None else np.column_stack([X, w])
    prog.write_csv('x.csv', names, table.tolist())
    origin, scale = ref.common_units(X, w)
    ones = np.ones(len(X)) if w is None else w
    worst = 0
    for seed in range(5):
        _, first = clusters(prog, 'kmeans++', K, seed, w is not None)
        rows, means = lloyd((X - origin) / scale, ones, (first - origin) / scale)
        want = by_size(rows, origin + scale * means)
        got = by_size(*clusters(prog, 'kmeans', K, seed, w is not None))
        worst = max(worst, abs(got[0] - want[0]).max(), abs((got[1] - want[1]) / scale).max())
    claims.check(worst < 1e-9, f'{name}{"" if w is None else ", weighted"}: rows and means of {K} clusters,'
                 f' five seeds, agree with numpy to {worst:.1e}')


def check(claims, prog):
    rng = np.random.default_rng(4)
    faithful = np.genfromtxt(os.path.join(HERE, 'data', 'faithful.csv'), delimiter=',', skip_header=1)
    for name, X, K in (('iris', load_iris().data, 3), ('wine', load_wine().data, 5), ('faithful', faithful, 6)):
        one_set(claims, prog, name, X, K, None)
        one_set(claims, prog, name, X, K, rng.random(len(X)) + 0.5)


if __name__ == '__main__':
    main(check)

#!/usr/bin/python3
"""check_lloyd.py PROGRAM: `--init kmeans` ends where Lloyd's iteration ends.

A fit of one round shows the clusters of its initialisation: with beta0 and mu0 given, their rows and
means follow from the posterior. numpy continues Lloyd's iteration from them, in columns brought to the
common units, and must stay there; and the clusters must be tighter than those of `--init kmeans++`,
which are not iterated, on the whole. (The iteration itself is compared with a plain one, step by step,
in tests/unit/test_lloyd.c.)"""
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


def within(Z, w, centres):
    return (w * ((Z[:, None, :] - centres[None]) ** 2).sum(axis=2).min(axis=1)).sum()


def by_size(rows, means):
    order = np.lexsort([*means.T.round(6), rows.round(6)])
    return rows[order], means[order]


def one_set(claims, prog, name, X, K, w):
    names = [f'f{d}' for d in range(X.shape[1])] + (['weight'] if w is not None else [])
    table = X if w is None else np.column_stack([X, w])
    prog.write_csv('x.csv', names, table.tolist())
    origin, scale = ref.common_units(X, w)
    ones = np.ones(len(X)) if w is None else w
    worst, tighter, looser = 0, 0, 0
    for seed in range(5):
        drawn = clusters(prog, 'kmeans++', K, seed, w is not None)[1]
        found = clusters(prog, 'kmeans', K, seed, w is not None)
        rows, means = lloyd((X - origin) / scale, ones, (found[1] - origin) / scale)
        want, got = by_size(rows, origin + scale * means), by_size(*found)
        worst = max(worst, abs(got[0] - want[0]).max(), abs((got[1] - want[1]) / scale).max())
        tighter += within((X - origin) / scale, ones, (found[1] - origin) / scale)
        looser += within((X - origin) / scale, ones, (drawn - origin) / scale)
    of = f'{name}{"" if w is None else ", weighted"}: {K} clusters, five seeds'
    claims.check(worst < 1e-9, f'{of}: rows and means stay where they are in numpy, to {worst:.1e}')
    claims.check(tighter < looser, f'{of}: sum of squares {tighter:.4g}, of k-means++ {looser:.4g}')


def check(claims, prog):
    rng = np.random.default_rng(4)
    faithful = np.genfromtxt(os.path.join(HERE, 'data', 'faithful.csv'), delimiter=',', skip_header=1)
    for name, X, K in (('iris', load_iris().data, 3), ('wine', load_wine().data, 5), ('faithful', faithful, 6)):
        one_set(claims, prog, name, X, K, None)
        one_set(claims, prog, name, X, K, rng.random(len(X)) + 0.5)


if __name__ == '__main__':
    main(check)

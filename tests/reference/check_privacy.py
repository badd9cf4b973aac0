#!/usr/bin/env python3
"""Private releases of the program against independent formulas: the price of Gaussian noise by scipy, whole
numbers against the integral, the posterior of the noisy sums in numpy, coverage of 90 % intervals; usage:
check_privacy.py PROGRAM"""
import json
import pathlib
import sys
import tempfile

import jsonschema
import numpy as np
from scipy import optimize, stats

import harness

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / 'bench'))
import privacy  # noqa: E402

SAME = 1e-9
DRAWS, WITHIN = 200, (.84, .96)  # standard error of 1,000 intervals that come in fives: about .012


def delta_of(epsilon, mu):
    """Balle and Wang (2018), theorem 8."""
    return stats.norm.cdf(mu / 2 - epsilon / mu) - np.exp(epsilon + stats.norm.logcdf(-mu / 2 - epsilon / mu))


def whole_numbers(claims):
    """The discrete Gaussian of sd 2^10 units, shifted along one axis: its delta is a sum, not an integral."""
    sigma = 1 << 10
    x = np.arange(-40 * sigma, 40 * sigma + 1, dtype=float)
    for epsilon, delta in ((.1, 1e-5), (1, 1e-5), (8, 1e-9)):
        mu = optimize.brentq(lambda m, e=epsilon, d=delta: delta_of(e, m) - d, 1e-3, 30)
        shift = np.floor(mu * sigma)
        p, q = np.exp(-x ** 2 / (2. * sigma ** 2)), np.exp(-(x - shift) ** 2 / (2. * sigma ** 2))
        exact = np.maximum(q - np.exp(epsilon) * p, 0).sum() / p.sum()
        claims.check(abs(exact / delta_of(epsilon, shift / sigma) - 1) < 1e-3,
                     f'epsilon {epsilon}: whole numbers cost {exact:.4e}, the integral {delta_of(epsilon, shift / sigma):.4e}')


def price(claims, program):
    """sensitivity / noise_sd is the mu that epsilon and delta allow; two releases cost what their sum does."""
    rng = np.random.default_rng(1)
    rows = rng.uniform(-1, 1, size=(300, 3))
    np.save(program.file('r.npy'), rows)
    with open(program.file('b.csv'), 'w') as f:
        f.write('column,low,high\nx1,-1,1\nx2,-1,1\nx3,-1,1\n')
    for epsilon, delta in ((.01, 1e-9), (.5, 1e-5), (1, 1e-5), (3, 1e-7), (8, 1e-2), (50, 1e-12)):
        program.run('fit', '--data', 'r.npy', '--model', 'linreg', '--bounds', 'b.csv', '--privacy', f'epsilon={epsilon},delta={delta}',
                    '--ledger', f'{epsilon}.json', '--out', 'p.json')
        said = program.json('p.json')['privacy']
        mu = optimize.brentq(lambda m, e=epsilon, d=delta: delta_of(e, m) - d, 1e-6, 60, xtol=1e-15)
        got = said['sensitivity'] / said['noise_sd'] / mu
        claims.check(1 - 1e-3 < got <= 1, f'epsilon {epsilon}, delta {delta}: noise for {got:.6f} of the mu by scipy')
        claims.check(abs(said['sensitivity'] - np.sqrt(2) * 4) < SAME, f'sensitivity {said["sensitivity"]:.6f} is sqrt 2 B^2')
    text = program.run('fit', '--data', 'r.npy', '--model', 'linreg', '--bounds', 'b.csv', '--privacy', 'epsilon=1,delta=1e-5',
                       '--ledger', '1.json', '--privacy.budget', 9)
    mu = np.sqrt(2) * optimize.brentq(lambda m: delta_of(1, m) - 1e-5, 1e-6, 60)
    both = optimize.brentq(lambda e: delta_of(e, mu) - 1e-5, 0, 50)
    claims.check(f'2 releases, epsilon {both:.4g} of 9' in text, f'two releases of epsilon 1 cost {both:.4g}')


def posterior(claims, program):
    """Of the same noisy sums: those are found from what the posterior says of A and m."""
    rng = np.random.default_rng(2)
    X, coef = privacy.draw(rng, 20000)
    privacy.write(program.folder, X, privacy.BOUNDS)
    p = privacy.release(program.path, program.folder, 3, 1)
    n, d = len(X), privacy.D + 1
    half = np.array([(high - low) / 2 for low, high in privacy.BOUNDS])
    m = np.r_[p['intercept'], p['coef']] * np.r_[1, half[:-1]] / half[-1]
    s, v = p['privacy']['noise_sd'], p['noise_variance'] / half[-1] ** 2
    units = np.outer(np.r_[1, 1 / half[:-1]], np.r_[1, 1 / half[:-1]])
    L = np.array(p['precision']) * units
    Z = np.c_[np.ones(n), X / half]
    # A S^-1 A with the exact A: the noise in A itself is a few per cent.
    A, Q = Z[:, :d].T @ Z[:, :d], s ** 2 / 2 * ((1 + m @ m) * np.eye(d) + np.outer(m, m))
    Q[0, 0] -= s ** 2 * m[0] ** 2
    want = A @ np.linalg.solve(A + Q / v, A)
    claims.check(np.all(abs(np.diag(L) / np.diag(want) - 1) < .25), f'precisions are those of V + A^-1 Q A^-1 {np.diag(L) / np.diag(want)}')
    of_rest = s ** 2 * ((1 + m @ m) ** 2 - m[0] ** 4)
    shape = 2 + 1 / (1 / ((n - d) / 2 - 2) + of_rest / (v * (n - d - 2)) ** 2)
    check_schema(claims, p, 'one machine')
    claims.check(abs(p['shape'] / shape - 1) < SAME, f'the shape {p["shape"]:.6f} has the noise of the residual squares, {shape:.6f}')


def check_schema(claims, p, of):
    with open(pathlib.Path(__file__).parents[2] / 'docs' / 'posterior.schema.json') as f:
        wrong = [e.message for e in jsonschema.Draft7Validator(json.load(f)).iter_errors(p)]
    claims.check(not wrong, f'the file of {of} is valid by docs/posterior.schema.json {wrong[:1]}')


def network(claims, program):
    """Of 12 nodes with 5 colluders: what the seven others draw is the noise of one machine."""
    for colluders in (0, 5, 11):
        out = []
        for nodes in (1, 12):
            where = ['--topology', 'grid:rows=3,cols=4', '--algorithm', 'sum', '--sum.mask', 'simulated'] if nodes > 1 else []
            program.run('sim' if where else 'fit', '--data', 'r.npy', '--model', 'linreg', '--bounds', 'b.csv', *where, '--privacy',
                        'epsilon=2,delta=1e-6' + (f',colluders={colluders}' if where else ''), '--ledger', f'n{nodes}-{colluders}.json',
                        '--out', 'p.json')
            out.append(program.json('p.json')['privacy'])
        check_schema(claims, program.json('p.json'), 'a network')
        got = out[1]['noise_sd'] / out[0]['noise_sd']
        claims.check(abs(got / np.sqrt(12 / (12 - colluders)) - 1) < 1e-5, f'{colluders} of 12 nodes may collude: {got:.4f} times the noise')


def coverage(claims, program):
    for nodes in (1, 8):
        share, raised, _ = privacy.covered(program.path, DRAWS, 4000, 3 if nodes == 1 else 8, nodes)
        claims.check(WITHIN[0] <= share <= WITHIN[1], f'{nodes} nodes: {share:.3f} of 90 % intervals contain the truth in {DRAWS} draws')
        claims.check(raised < .2, f'eigenvalues are raised in {raised:.1%} of them')


def main():
    claims = harness.Claims()
    whole_numbers(claims)
    with tempfile.TemporaryDirectory(dir=privacy.MEMORY) as folder:
        program = harness.Program(sys.argv[1], folder)
        price(claims, program)
        network(claims, program)
        posterior(claims, program)
        coverage(claims, program)
    return claims.finish()


if __name__ == '__main__':
    sys.exit(main())

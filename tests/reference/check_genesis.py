#!/usr/bin/python3
"""check_genesis.py PROGRAM: the genesis of a run is what numpy finds in the same rows.

Units: powers of two near the standard deviations, means rounded to a multiple of a 64th of them. Prior:
scikit-learn's, mean and covariance of all rows. Natural parameters: [alpha - 1], then for each component
[(nu - D)/2, svec(-M/2)], M = [beta, beta m'; beta m, W^-1 + beta m m'] in these units. Centres of a sample:
the least sum of squared distances that scikit-learn's KMeans finds in the same units. The hash: FNV-1a
over the bytes that docs/protocol.md lists."""
import json
import math
import os
import subprocess
import struct

import jsonschema
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine

import refimpl as ref
from harness import main


def schema(name):
    with open(os.path.join(os.path.dirname(__file__), '..', '..', 'docs', f'{name}.schema.json')) as f:
        found = json.load(f)
    jsonschema.Draft7Validator.check_schema(found)
    return jsonschema.Draft7Validator(found)


VALID = schema('genesis')


def svec(S):
    return [S[i, j] * (1 if i == j else math.sqrt(2)) for i in range(len(S)) for j in range(i + 1)]


def natural(alpha, nu, beta, mean, w_inverse, origin, scale, K):
    m = (mean - origin) / scale
    W = w_inverse / np.outer(scale, scale)
    D = len(m)
    M = np.empty((D + 1, D + 1))
    M[0, 0], M[0, 1:], M[1:, 0], M[1:, 1:] = beta, beta * m, beta * m, W + beta * np.outer(m, m)
    return np.array([alpha - 1] * K + K * ([(nu - D) / 2] + svec(-M / 2)))


def block(g):
    """The bytes whose hash is the run id."""
    columns = g['features'] + ([g['target']] if 'target' in g else [])
    text = lambda t: struct.pack('<I', len(t.encode())) + t.encode()
    K, D = g.get('n_components', 0), len(g['features'])
    prior, intercept = g['prior'], 0
    if g['model'] == 'gmm':
        par = list(prior['weight_concentration'])
        for k in range(K):
            W = prior['w_inverse'][k]
            par += [prior['degrees_of_freedom'][k], prior['mean_precision'][k], *prior['means'][k]]
            par += [W[i][j] for i in range(D) for j in range(i + 1)]
    else:
        intercept = int(prior['intercept'] is not None)
        L = prior['precision']
        par = [prior['shape'], prior['rate'], *([prior['intercept']] * intercept), *prior['coef']]
        par += [L[i][j] for i in range(len(L)) for j in range(i + 1)]
    start = [x for row in g.get('start', []) for x in row]
    out = b'MBG1' + struct.pack('<I', 1) + text(g['model']) + struct.pack('<4I', K, D, intercept, len(columns))
    out += b''.join(map(text, columns)) + struct.pack('<2I', g['maker'], g['counter'])
    out += struct.pack('<2Q', len(par), len(start))
    numbers = [*g['origin'], *g['scale'], *g['prior_natural'], *par, *start]
    return out + struct.pack(f'<{len(numbers)}d', *numbers)


def fnv(data):
    h = 0xcbf29ce484222325
    for byte in data:
        h = (h ^ byte) * 0x100000001b3 % 2 ** 64
    return f'{h:016x}'


def worst(got, want):
    got, want = np.array(got), np.array(want)
    return abs((got - want) / np.maximum(1, abs(want))).max()


def mixture(claims, prog, name, X, K):
    D = X.shape[1]
    names = [f'f{d}' for d in range(D)]
    prog.write_csv('x.csv', names, X.tolist())
    origin, scale = ref.common_units(X, None)
    mean, cov = X.mean(axis=0), np.cov(X.T).reshape(D, D)
    want = natural(1 / K, D, 1, mean, cov, origin, scale, K)
    prog.run('sim', '--data', 'x.csv', '--n-components', K, '--topology', 'ring:n=6', '--rounds', 2, '--tol', 0,
             '--write-genesis', 'run.json')
    prog.run('genesis', '--data', 'x.csv', '--n-components', K, '--out', 'sample.json')
    for file in ('run.json', 'sample.json'):
        g = prog.json(file)
        claims.check(g['origin'] == origin.tolist() and g['scale'] == scale.tolist(),
                     f'{name}, {file}: origin and scale are those of numpy')
        e = worst(g['prior_natural'], want)
        claims.check(e < 1e-12, f'{name}, {file}: natural parameters of the prior agree to {e:.1e}')
        e = max(worst(g['prior']['means'], [mean] * K), worst(g['prior']['w_inverse'], [cov] * K),
                worst(g['prior']['weight_concentration'], [1 / K] * K))
        claims.check(e < 1e-11, f'{name}, {file}: textbook parameters agree to {e:.1e}')
        claims.check(VALID.is_valid(g), f'{name}, {file}: the file is valid by its schema')
        claims.check(fnv(block(g)) == g['hash'], f'{name}, {file}: the hash is that of the protocol\'s bytes')
    Z = (X - origin) / scale
    cost = ((Z[:, None] - (np.array(g['start']) - origin) / scale) ** 2).sum(axis=2).min(axis=1).sum()
    best = KMeans(K, n_init=20, random_state=0).fit(Z).inertia_
    claims.check(cost <= best * (1 + 1e-3), f'{name}: the centres of a sample have the sum of squares of KMeans,'
                 f' {cost:.6g} for {best:.6g}')


def regression(claims, prog, intercept):
    rng = np.random.default_rng(3)
    X = rng.normal([5, -100, 1e6], [2, 7, 30], (80, 3))
    prog.write_csv('x.csv', ['a', 'b', 'y'], X.tolist())
    prog.run('genesis', '--data', 'x.csv', '--model', 'linreg', '--target-column', 'y', '--intercept', intercept,
             '--out', 'lin.json')
    g = prog.json('lin.json')
    claims.check(VALID.is_valid(g), f'regression, intercept {intercept}: the file is valid by its schema')
    origin, scale = ref.common_units(X, None)
    claims.check(g['scale'] == scale.tolist() and g['origin'] == (origin if intercept == 'on' else 0 * origin).tolist(),
                 f'regression, intercept {intercept}: origin and scale are those of numpy')
    claims.check(fnv(block(g)) == g['hash'], f'regression, intercept {intercept}: the hash is that of the bytes')


# A choice of each model that has some, which its file then says.
CHOICES = (['hmm', '--n-components', 2, '--emission', 'student'], ['fa', '--n-components', 2, '--noise', 'isotropic'],
           ['structural', '--structural.trend', 'on', '--structural.season', '4'], ['glm', '--glm.link', 'poisson'],
           ['gmm', '--n-components', 2, '--covariance-type', 'tied'], ['linreg', '--linreg.relevance', 'on'])


def choices(claims, prog):
    prog.write_csv('counts.csv', ['a', 'b'], np.random.default_rng(1).poisson(3, (40, 2)).tolist())
    for model, *options in CHOICES:
        target = ['--target-column', 'b'] if model in ('structural', 'glm', 'linreg') else []
        prog.run('genesis', '--data', 'counts.csv', '--model', model, *options, *target, '--out', f'{model}.json')
        claims.check(VALID.is_valid(prog.json(f'{model}.json')), f'the genesis of {model} {options} is valid by its schema')


def schemas(claims, prog):
    """Files that are wrong are refused by the schema as by the program, and the status of a node has its own."""
    for change in ({'maker': -1}, {'sale': [1]}, {'scale': [1, 'x']}, {'prior': {'means': []}}):
        broken = dict(prog.json('sample.json'), **change)
        with open(prog.file('broken.json'), 'w') as f:
            json.dump(broken, f, indent=2)
        claims.check(not VALID.is_valid(broken), f'the schema refuses {change}')
        done = subprocess.run([prog.path, 'up', '--virtual', '--data', 'x.csv', '--topology', 'ring:n=4',
                               '--n-components', '3', '--genesis', 'broken.json'], cwd=prog.folder,
                              capture_output=True, text=True)
        claims.check(done.returncode in (1, 2) and 'broken.json' in done.stderr,
                     f'and the program says: {done.stderr.strip()[-110:]}')
    prog.run('up', '--virtual', '--data', 'x.csv', '--topology', 'ring:n=4', '--n-components', 3, '--out', 'folder')
    for node in '1234':
        status = prog.json(f'folder/nodes/{node}/status.json')
        claims.check(schema('status').is_valid(status), f'status.json of node {node} is valid by its schema')


def check(claims, prog):
    mixture(claims, prog, 'iris', load_iris().data, 3)
    mixture(claims, prog, 'wine', load_wine().data, 3)
    schemas(claims, prog)
    choices(claims, prog)
    regression(claims, prog, 'on')
    regression(claims, prog, 'off')


if __name__ == '__main__':
    main(check)

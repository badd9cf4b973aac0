#!/usr/bin/env python3
"""Posterior files and what is done with them: the schema, scikit-learn's predictions, scipy's densities,
constant memory; usage: check_posterior.py PROGRAM"""
import json
import os
import resource
import subprocess

import jsonschema
import numpy as np
from scipy import stats
from sklearn.mixture import BayesianGaussianMixture

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
SAME = 1e-9
MEMORY = 400 << 20  # address space; the program's libraries map about half of it
ROWS = 30_000_000   # 480 MB of float64


def table(prog, name):
    return np.genfromtxt(prog.file(name), delimiter=',', names=True)


def mixture_data(prog, name, offset=0.0, n=600):
    rng = np.random.default_rng(3)
    k = rng.integers(0, 3, n)
    x = rng.normal(size=(n, 2)) * [1, .5] + np.array([[0, 0], [4, 1], [-3, 3]])[k] + offset
    prog.write_csv(name, ['height', 'width'], x.tolist())
    return x


def as_sklearn(post):
    """scikit-learn's estimator with the file's parameters."""
    g = BayesianGaussianMixture(n_components=post['n_components'], weight_concentration_prior_type='dirichlet_distribution')
    g.weight_concentration_ = np.array(post['weight_concentration'])
    g.weights_ = np.array(post['weights'])
    g.means_ = np.array(post['means'])
    g.mean_precision_ = np.array(post['mean_precision'])
    g.degrees_of_freedom_ = np.array(post['degrees_of_freedom'])
    g.covariances_ = np.array(post['covariances'])
    g.precisions_cholesky_ = np.array([np.linalg.inv(np.linalg.cholesky(c)).T for c in g.covariances_])
    return g


def log_density(post, x):
    """The posterior predictive: a mixture of Student t."""
    w, D = np.array(post['weights']), x.shape[1]
    terms = []
    for k in range(post['n_components']):
        beta, nu = post['mean_precision'][k], post['degrees_of_freedom'][k]
        df = nu + 1 - D
        shape = np.array(post['w_inverse'][k]) * (1 + beta) / (beta * df)
        terms.append(np.log(w[k]) + stats.multivariate_t(post['means'][k], shape, df).logpdf(x))
    return np.logaddexp.reduce(terms, axis=0)


def mixture(claims, prog, offset):
    x = mixture_data(prog, 'x.csv', offset)
    prog.run('fit', '--data', 'x.csv', '--n-components', 3, '--seed', 2, '--out', 'p.json')
    post = prog.json('p.json')
    near = dict(post, means=(np.array(post['means']) - offset).tolist())
    prog.run('predict', '--posterior', 'p.json', '--data', 'x.csv', '--what', 'responsibilities', '--out', 'r.csv')
    prog.run('predict', '--posterior', 'p.json', '--data', 'x.csv', '--out', 'l.csv')
    prog.run('score', '--posterior', 'p.json', '--data', 'x.csv', '--samples', '--out', 's.csv')
    r = np.loadtxt(prog.file('r.csv'), delimiter=',', skiprows=1)
    g = as_sklearn(near)
    e = np.abs(r - g.predict_proba(x - offset)).max()
    claims.check(e <= SAME, f'offset {offset:g}: responsibilities are scikit-learn\'s to {e:.1e}')
    same = (table(prog, 'l.csv')['label'] == g.predict(x - offset)).all()
    claims.check(same, f'offset {offset:g}: labels are scikit-learn\'s')
    want = log_density(near, x - offset)
    e = np.abs(table(prog, 's.csv')['log_density'] - want).max()
    claims.check(e <= SAME, f'offset {offset:g}: every row\'s density is scipy\'s mixture of Student t to {e:.1e}')
    mean = json.loads(prog.run('score', '--posterior', 'p.json', '--data', 'x.csv', '--json'))
    claims.check(abs(mean['mean_log_density'] - want.mean()) <= SAME, f'offset {offset:g}: and so is the mean')


def regression(claims, prog):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(200, 2)) + 1e4
    y = x @ [1, -2] + rng.normal(size=200)
    prog.write_csv('all.csv', ['a', 'y', 'b'], np.column_stack([x[:, 0], y, x[:, 1]]).tolist())
    prog.write_csv('new.csv', ['b', 'a'], x[:, ::-1].tolist())
    prog.run('fit', '--model', 'linreg', '--data', 'all.csv', '--target-column', 'y', '--out', 'q.json')
    post = prog.json('q.json')
    for what in ('mean', 'interval'):
        prog.run('predict', '--posterior', 'q.json', '--data', 'new.csv', '--what', what, '--level', .9, '--out', what + '.csv')
    prog.run('score', '--posterior', 'q.json', '--data', 'all.csv', '--samples', '--out', 's.csv')
    Z = np.column_stack([np.ones(200), x])
    a, b, L = post['shape'], post['rate'], np.array(post['precision'])
    location = post['intercept'] + x @ post['coef']
    # x' Lambda^-1 x about the inputs' mean, where it does not cancel
    T = np.eye(3)
    T[0, 1:] = -x.mean(0)
    spread = 1 + np.einsum('ij,ji->i', Z @ T, np.linalg.solve(T.T @ L @ T, (Z @ T).T))
    t = stats.t(2 * a, location, np.sqrt(b / a * spread))
    got, mean, score = table(prog, 'interval.csv'), table(prog, 'mean.csv'), table(prog, 's.csv')
    e = max(np.abs(got['lower'] - t.ppf(.05)).max(), np.abs(got['upper'] - t.ppf(.95)).max())
    claims.check(e <= 1e-7, f'regression: 90 % intervals are Student\'s t to {e:.1e}; inputs are found by name')
    e = np.abs(mean['variance'] / t.var() - 1).max()
    claims.check(e <= 1e-7, f'regression: predictive variances to {e:.1e}')
    e = np.abs(score['log_density'] - t.logpdf(y)).max()
    claims.check(e <= 1e-6, f'regression: log densities to {e:.1e}')


def files(claims, prog):
    with open(os.path.join(HERE, '..', '..', 'docs', 'posterior.schema.json')) as f:
        schema = json.load(f)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    for name in ('p.json', 'q.json'):
        wrong = [e.message for e in validator.iter_errors(prog.json(name))]
        claims.check(not wrong, f'{name} is valid by docs/posterior.schema.json {wrong[:1]}')
    broken = prog.json('p.json')
    broken['mean_precision'][0] = 'many'
    claims.check(not validator.is_valid(broken), 'the schema refuses a word for a number')
    same = json.loads(prog.run('compare', 'p.json', 'p.json', '--json'))
    claims.check(same['kl_first_second'] == 0 and same['largest_difference'] == 0 and same['match'] == [0, 1, 2],
                 'a file read back is the same posterior')
    post = prog.json('p.json')
    turned = dict(post)
    for key in ('weight_concentration', 'weights', 'mean_precision', 'degrees_of_freedom', 'means', 'covariances', 'w_inverse'):
        turned[key] = [post[key][k] for k in (2, 0, 1)]
    with open(prog.file('turned.json'), 'w') as f:
        json.dump(turned, f)
    same = json.loads(prog.run('compare', 'p.json', 'turned.json', '--json'))
    claims.check(same['match'] == [1, 2, 0] and same['largest_difference'] == 0,
                 'components in another order are aligned')


def constant_memory(claims, prog):
    path = prog.file('long.npy')
    block = np.random.default_rng(1).normal(size=(100_000, 2))
    with open(path, 'wb') as f:
        np.lib.format.write_array_header_1_0(f, {'descr': '<f8', 'fortran_order': False, 'shape': (ROWS, 2)})
        for _ in range(ROWS // len(block)):
            f.write(block.tobytes())
    done = subprocess.run([prog.path, 'score', '--posterior', prog.file('p.json'), '--data', path, '--json'],
                          capture_output=True, text=True, env=dict(os.environ, OMP_NUM_THREADS='1'),
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    size = os.path.getsize(path) >> 20
    os.remove(path)
    ok = done.returncode == 0 and json.loads(done.stdout)['rows'] == ROWS
    claims.check(ok, f'{size} MB of rows are scored in {MEMORY >> 20} MB of address space: {done.stderr.strip()[:80]}')


def check(claims, prog):
    for offset in (0.0, 2.0 ** 20):
        mixture(claims, prog, offset)
    regression(claims, prog)
    files(claims, prog)
    constant_memory(claims, prog)


if __name__ == '__main__':
    harness.main(check)

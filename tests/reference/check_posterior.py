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
    prog.write_csv('flags.csv', ['x', 'y'], [[j % 5, j % 2] for j in range(20)])
    alone = [('linreg', '1'), ('glm', '1'), ('mixed', '1'), ('linreg', 'poly(x, 2)')]
    for k, (model, terms) in enumerate(alone):
        prog.run('fit', '--data', 'flags.csv', '--model', model, '--formula', f'y ~ {terms}', '--out', f'alone{k}.json')
    for name in ('p.json', 'q.json', *(f'alone{k}.json' for k in range(len(alone)))):
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


def triangles(claims, prog):
    with open(os.path.join(HERE, '..', '..', 'docs', 'posterior.schema.json')) as f:
        validator = jsonschema.Draft7Validator(json.load(f))
    n = 65
    np.save(prog.file('wide.npy'), np.random.default_rng(5).normal(size=(300, n)))
    prog.run('fit', '--data', 'wide.npy', '--n-components', 1, '--out', 'wide.json')
    prog.run('export', '--posterior', 'wide.json', '--out', 'wide.npz')
    p, g = prog.json('wide.json'), np.load(prog.file('wide.npz'))
    claims.check(p['version'] == 2 and validator.is_valid(p), 'a file of triangles is valid by docs/posterior.schema.json')
    p['covariances'] = p['w_inverse']
    claims.check(not validator.is_valid(p), 'and has no matrices that follow from others')
    for name, post in (('covariances_', p), ('covariance_prior_', p['prior'])):
        i = np.tril_indices(n)
        W = np.zeros((n, n))
        W[i] = W.T[i] = post['w_inverse'][0]
        of = W / post['degrees_of_freedom'][0] if post is p else W
        claims.check((of == g[name].reshape(n, n)).all(), f'{name} of the export is what the triangle says')


def arrays(claims, prog):
    prog.run('export', '--posterior', 'wide.json', '--format', 'arrays', '--out', 'arrays.npz')
    prog.run('fit', '--data', 'wide.npy', '--n-components', 1, '--out', 'fit.npz')
    claims.check(bytes_of(prog, 'fit.npz') == bytes_of(prog, 'arrays.npz'), 'fit --out FILE.npz has the arrays of the posterior file')
    for posterior, out in (('wide.json', 'fit.npz'), ('p.json', 'p.npz'), ('q.json', 'q.npz')):
        prog.run('export', '--posterior', posterior, '--format', 'arrays', '--out', out)
        p, g = prog.json(posterior), np.load(prog.file(out))
        for before, fields in (('', p), ('prior.', p['prior'])):
            real = {name: np.array(x) for name, x in fields.items() if name not in ('version', 'rounds', 'seed', 'n_components')
                    and np.array(x).dtype == float and not (p['version'] == 2 and name == 'w_inverse')}
            claims.check(real and all(g[before + name].shape == x.shape and (g[before + name] == x).all() for name, x in real.items()),
                         f'{out} has the {len(real)} fields of {posterior} under the names "{before}.." for numpy.load')
        claims.check(list(g['features']) == p['features'] and g['model'] == p['model'], f'{out} has model and features')
    g = np.load(prog.file('fit.npz'))
    of = g['w_inverse'] / g['degrees_of_freedom'][:, None, None]
    claims.check((g['covariances'] == of).all() and (of == of.transpose(0, 2, 1)).all(), 'matrices of triangles are there in full')


def export(claims, prog):
    """What scikit-learn gets is what the program has."""
    x = mixture_data(prog, 'x.csv')
    prog.run('fit', '--data', 'x.csv', '--n-components', 3, '--seed', 2, '--prior.alpha0', .7, '--out', 'p.json')
    prog.run('export', '--posterior', 'p.json', '--format', 'sklearn', '--out', 'm.npz')
    g = BayesianGaussianMixture(weight_concentration_prior_type='dirichlet_distribution')
    g.__dict__.update(np.load(prog.file('m.npz')))
    for what in ('responsibilities', 'labels'):
        prog.run('predict', '--posterior', 'p.json', '--data', 'x.csv', '--what', what, '--out', what + '.npy')
    r, labels = np.load(prog.file('responsibilities.npy')), np.load(prog.file('labels.npy'))
    e = np.abs(r - g.predict_proba(x)).max()
    claims.check(r.shape == (600, 3) and e <= SAME, f'predict_proba of the exported mixture is ours to {e:.1e}')
    claims.check(labels.shape == (600,) and (labels == g.predict(x)).all(), 'and so is predict, a vector in NPY')
    mean = json.loads(prog.run('score', '--posterior', 'p.json', '--data', 'x.csv', '--density', 'expected', '--json'))
    e = abs(mean['mean_log_density'] - g.score(x))
    claims.check(e <= SAME, f'--density expected is score of the exported mixture to {e:.1e}')
    prog.run('score', '--posterior', 'p.json', '--data', 'x.csv', '--density', 'expected', '--samples', '--out', 'each.npy')
    each = np.load(prog.file('each.npy'))
    e = np.abs(each - g.score_samples(x)).max()
    claims.check(each.shape == (600,) and e <= SAME, f'and of each row is its score_samples to {e:.1e}')
    full = json.loads(prog.run('score', '--posterior', 'p.json', '--data', 'x.csv', '--json'))
    claims.check(full['mean_log_density'] > mean['mean_log_density'], 'and less than the predictive density')
    post = prog.json('p.json')
    claims.check(g.weight_concentration_prior_ == .7 and g.degrees_of_freedom_prior_ == x.shape[1] and
                 (g.covariance_prior_ == np.array(post['prior']['w_inverse'][0])).all(), 'the prior is exported, too')


def bytes_of(prog, name):
    with open(prog.file(name), 'rb') as f:
        return f.read()


def save(prog, name, value):
    with open(prog.file(name), 'w') as f:
        json.dump(value, f)


def refused(prog, name):
    done = subprocess.run([prog.path, 'export', '--posterior', name, '--format', 'json', '--out', 'none.json'],
                          cwd=prog.folder, capture_output=True, text=True)
    return done.stderr.strip() if done.returncode == 1 and not os.path.exists(prog.file('none.json')) else ''


def rewritten(claims, prog):
    for name in ('p.json', 'q.json'):
        prog.run('export', '--posterior', name, '--format', 'json', '--out', 'again.json')
        claims.check(bytes_of(prog, name) == bytes_of(prog, 'again.json'), f'{name} read and written is the same bytes')
        save(prog, 'python.json', prog.json(name))
        prog.run('export', '--posterior', 'python.json', '--format', 'json', '--out', 'again.json')
        claims.check(bytes_of(prog, name) == bytes_of(prog, 'again.json'), f'{name} by way of Python, too')
    noted = dict(prog.json('p.json'), note='mine')
    save(prog, 'noted.json', noted)
    prog.run('export', '--posterior', 'noted.json', '--format', 'json', '--out', 'again.json')
    claims.check(prog.json('again.json') == noted, 'a field of the user\'s own is kept')
    for name, path, value, want in [
            ('p.json', ['means', 1, 0], 'x', 'field "means[1][0]"'),
            ('p.json', ['means', 2], [1.0], 'field "means[2]"'),
            ('p.json', ['weights', 0], .5, 'field "weights"'),
            ('p.json', ['covariances', 0, 0, 1], 7.0, 'field "covariances"'),
            ('p.json', ['w_inverse', 1, 0, 1], 1e9, 'field "w_inverse[1][1][0]"'),
            ('p.json', ['w_inverse', 2], [[1.0, 2.0], [2.0, 4.0]], 'field "w_inverse[2]"'),
            ('p.json', ['degrees_of_freedom', 0], 1.0, 'field "degrees_of_freedom[0]"'),
            ('p.json', ['prior', 'mean_precision', 2], 0.0, 'field "prior.mean_precision[2]"'),
            ('p.json', ['n_components'], 1000000, 'field "w_inverse"'),
            ('p.json', ['options', 'tol'], 1, 'field "options.tol"'),
            ('q.json', ['rate'], -1.0, 'field "rate"'),
            ('q.json', ['coef', 1], None, 'field "coef[1]"'),
            ('q.json', ['intercept'], None, 'field "precision"'),
            ('q.json', ['noise_variance'], 3.5, 'field "noise_variance"'),
            ('q.json', ['target'], 'a', 'field "target"')]:
        post = prog.json(name)
        place = post
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        save(prog, 'wrong.json', post)
        said = refused(prog, 'wrong.json')
        claims.check(want in said and said.count('\n') == 0, f'{name} with {path} = {value} is refused: {want}')


def later_rows(claims, prog):
    """Errors count rows over all batches; a pipe is as good as a file."""
    x = np.tile(mixture_data(prog, 'x.csv'), (20, 1))
    x[10007, 1] = 1e200
    prog.write_csv('bad.csv', ['width', 'site', 'height'], [[w, 'a', h] for h, w in x.tolist()])
    command = [prog.path, 'score', '--posterior', 'p.json', '--data']
    done = subprocess.run(command + ['bad.csv'], cwd=prog.folder, capture_output=True, text=True)
    claims.check(done.returncode == 1 and 'bad.csv:10009: column "width": 1e+200 is too large' in done.stderr,
                 'a number that is too large is named by its line')
    claims.check('note: bad.csv: columns not used: site\n' in done.stderr, 'columns that are not used are a note')
    x[10007] = 0
    prog.write_csv('good.csv', ['height', 'width'], x.tolist())
    with open(prog.file('good.csv')) as f:
        piped = subprocess.run(command + ['/dev/stdin', '--json'], cwd=prog.folder, stdin=f, capture_output=True, text=True)
    named = prog.run('score', '--posterior', 'p.json', '--data', 'good.csv', '--json')
    claims.check(piped.stdout == named and json.loads(named)['rows'] == 12000, 'rows may come through a pipe')
    want = log_density(prog.json('p.json'), x).mean()
    claims.check(abs(json.loads(named)['mean_log_density'] - want) <= SAME, 'the mean is over all batches')


def distances(claims, prog):
    prog.run('fit', '--data', 'x.csv', '--n-components', 3, '--rounds', 3, '--tol', 0, '--out', 'early.json')
    out = json.loads(prog.run('compare', 'p.json', 'early.json', '--json'))
    p, q = prog.json('p.json'), prog.json('early.json')
    for part in out['parts']:
        k, c = part['component'], part['other']
        d = np.array(p['means'][k]) - np.array(q['means'][c])
        sd = np.sqrt(d @ np.linalg.solve(np.array(p['covariances'][k]), d))
        e = max(abs(part['mean_distance'] - np.linalg.norm(d)), abs(part['mean_distance_sd'] - sd))
        claims.check(e <= SAME, f'component {k}: the distance of the means, in both units, to {e:.1e}')
    claims.check(out['kl_first_second'] > 0 and [q['component'] for q in out['parts']] == [0, 1, 2], 'one line a component')


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
    triangles(claims, prog)
    arrays(claims, prog)
    export(claims, prog)
    rewritten(claims, prog)
    later_rows(claims, prog)
    distances(claims, prog)
    constant_memory(claims, prog)


if __name__ == '__main__':
    harness.main(check)

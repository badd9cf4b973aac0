#!/usr/bin/python3
"""models.py - the answer of every model against a peer in Debian 12 on the same rows: processor seconds
of the whole command, from the file to the written posterior, one thread and one initialisation, against
those from reading the file to the fitted estimator; imports and the start of Python or R are not
counted. Turns alternate. A model without a peer is timed alone, against the mixture of Gaussians.
flexmix (r-cran-flexmix) is used where R has it."""
import json
import os
import resource
import shutil
import subprocess

import numpy as np

from harness import PYTHON, Bench, clusters, digits, say, spread

TURNS_FULL, TURNS_QUICK = 7, 1
ROWS_FULL, ROWS_QUICK = 100000, 2000
FLEXMIX = '''
suppressMessages(library(flexmix))
x <- as.matrix(read.csv("%s")); set.seed(1)
t <- system.time(m <- flexmix(x ~ 1, k = %d, model = FLXMCmvbinary(), control = list(tolerance = 3e-7, iter.max = 5000)))
cat(sprintf('{"seconds": %%.4f, "iterations": %%d}', t[["user.self"]] + t[["sys.self"]], m@iter))
'''


def regression(rng, n, D, link):
    x = rng.standard_normal((n, D))
    eta = x @ rng.normal(size=D) * (.3 if link == 'poisson' else 1) * np.sqrt(20 / D) + .2
    y = {'identity': lambda: eta + .5 * rng.standard_normal(n), 'poisson': lambda: rng.poisson(np.exp(eta)),
         'logistic': lambda: rng.random(n) < 1 / (1 + np.exp(-eta))}[link]()
    return np.column_stack([x, y])


def classes(rng, n, D, C):
    x = rng.standard_normal((n, D))
    eta = x @ rng.normal(size=(D, C)) / 2
    return np.column_stack([x, (eta + rng.gumbel(size=(n, C))).argmax(axis=1)])


def flags(rng, n, D, K):
    share = rng.uniform(.1, .9, size=(K, D))
    return (rng.random((n, D)) < share[rng.integers(0, K, n)]).astype(float)


def cases(n):
    """(model, shape, rows, components, options, peer of tool/model_peer.py, its name)."""
    rng = np.random.default_rng(1)
    mix, binary = clusters(n, 8, 5)[0], flags(rng, n, 10, 4)
    none = 'none in Debian 12'
    return [('gmm full', mix, 5, [], 'full', 'BayesianGaussianMixture'),
            ('gmm diag', mix, 5, ['--covariance-type', 'diag'], 'diag', 'BayesianGaussianMixture'),
            ('gmm spherical', mix, 5, ['--covariance-type', 'spherical'], 'spherical', 'BayesianGaussianMixture'),
            ('gmm tied', mix, 5, ['--covariance-type', 'tied'], 'tied', 'BayesianGaussianMixture'),
            ('gmm, Dirichlet process', mix, 5, ['--weight-concentration-prior-type', 'dirichlet_process'], 'process',
             'BayesianGaussianMixture'),
            ('tmm', mix, 5, ['--model', 'tmm'], None, none),
            ('lca, 10 flags', binary, 4, ['--model', 'lca'], 'flexmix', 'flexmix, FLXMCmvbinary'),
            ('linreg', regression(rng, n, 20, 'identity'), 0, ['--model', 'linreg'], 'ridge', 'BayesianRidge'),
            ('linreg, relevance', regression(rng, n, 20, 'identity'), 0, ['--model', 'linreg', '--linreg.relevance', 'on'],
             'ard', 'ARDRegression'),
            ('glm logistic', regression(rng, n, 20, 'logistic'), 0, ['--model', 'glm'], 'logistic', 'LogisticRegression'),
            ('glm poisson', regression(rng, n, 20, 'poisson'), 0, ['--model', 'glm', '--glm.link', 'poisson'], 'poisson',
             'PoissonRegressor'),
            ('glm multinomial, 4 classes', classes(rng, n, 20, 4), 0, ['--model', 'glm', '--glm.link', 'multinomial'], 'logistic',
             'LogisticRegression'),
            ('glm logistic, a tenth of the rows', regression(rng, n // 10, 200, 'logistic'), 0, ['--model', 'glm'], 'logistic',
             'LogisticRegression'),
            ('glm poisson, a tenth of the rows', regression(rng, n // 10, 200, 'poisson'), 0,
             ['--model', 'glm', '--glm.link', 'poisson'], 'poisson', 'PoissonRegressor')]


def ours(bench, K, options):
    more = ['--n-components', K, '--n-init', 1] if K else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    bench.meshbayes('fit', '--data', 'rows.npy', *more, '--threads', 1, '--out', 'p.json', *options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(bench.file('p.json')) as f:
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, json.load(f)['rounds']


def theirs(bench, rows, K, peer):
    if peer == 'flexmix':
        if not shutil.which('Rscript') or subprocess.run(['Rscript', '-e', 'library(flexmix)'], capture_output=True).returncode:
            return None
        np.savetxt(bench.file('rows.csv'), rows, fmt='%g', delimiter=',', header=','.join(f'x{d}' for d in range(rows.shape[1])),
                   comments='')
        command = ['Rscript', '-e', FLEXMIX % (bench.file('rows.csv'), K)]
    else:
        command = [PYTHON, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'tool', 'model_peer.py'), peer,
                   bench.file('rows.npy'), str(K)]
    env = dict(os.environ, OPENBLAS_NUM_THREADS='1', OMP_NUM_THREADS='1')
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode:
        raise RuntimeError(f'{peer}: {done.stderr.strip()[-200:]}')
    return json.loads(done.stdout.strip().splitlines()[-1])


def row(bench, model, rows, K, options, peer, name):
    np.save(bench.file('rows.npy'), rows)
    mine, its, rounds, iterations = [], [], 0, None
    for _ in range(TURNS_FULL if bench.full else TURNS_QUICK):
        seconds, rounds = ours(bench, K, options)
        mine.append(seconds)
        got = peer and theirs(bench, rows, K, peer)
        if got:
            its.append(got['seconds'])
            iterations = got['iterations']
    out = {'model': model, 'n': rows.shape[0], 'columns': rows.shape[1], 'K': K, 'rounds': rounds, 'seconds': spread(mine), 'peer': name}
    if its:
        out.update(peer_seconds=spread(its), peer_iterations=iterations, ratio=spread([b / a for a, b in zip(mine, its)]))
    say(f'{model}: {digits(np.median(mine), 3)} s, {rounds} rounds; {name}' + (f': {digits(np.median(its), 3)} s, {iterations} '
        'iterations' if its else ''))
    return out


def main():
    bench = Bench('models')
    bench.finish(rows=[row(bench, *case) for case in cases(ROWS_FULL if bench.full else ROWS_QUICK)])


if __name__ == '__main__':
    main()

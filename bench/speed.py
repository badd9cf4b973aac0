#!/usr/bin/python3
"""speed.py - how long a user waits: every model, shape and command beside its peers on the same data, one
thread each. TABLE has the rows of the page (docs/speed.md), one line each. Ours is the whole process, from the
file to the written posterior; a peer's time begins when it reads the file and ends with the fitted estimator.
Ours and its peers alternate; seconds of processor time count, because the machine may have other work, and
those of the clock are shown beside them. The quality of both is the mean log density of rows held out (the
predictive one; beside BayesianGaussianMixture with other than whole covariances the one that its score takes; of topics that of a word of the
second halves of documents, given the first), of predictions the largest difference. --rows REGEX: only rows whose names contain it."""
import collections
import json
import os
import resource
import time

import numpy as np
from scipy import sparse

import lda
import up
from harness import Bench, Worker, clusters, digits, say, spread

TURNS_FULL, TURNS_QUICK = 5, 1
SECONDS_A_ROW = 25   # no further turn begins after this
LIMIT = 60           # seconds of processor time of a peer; then it is "more than"
TEST = 5             # rows held out: a fifth as many
QUICK_SHAPE = (2000, 4, 3)  # rows, columns and components, at most, of quick sizes
QUICK_TEXT = (100, 200, 3)  # documents, terms and topics
QUICK_NODES, ROWS_A_NODE = 4, 100
TOLERANCE = .01      # nats a row that ours may predict worse
DIFFERENCE = 1e-6    # of two predictions by one posterior

Row = collections.namedtuple('Row', 'name make n D K options peers why', defaults=('',))  # why: a peer is faster


def regression(rng, n, D, link):
    x = rng.standard_normal((n, D))
    eta = x @ rng.normal(size=D) * (.3 if link == 'poisson' else 1) * np.sqrt(20 / D) + .2
    y = {'identity': lambda: eta + .5 * rng.standard_normal(n), 'poisson': lambda: rng.poisson(np.exp(eta)),
         'logistic': lambda: rng.random(n) < 1 / (1 + np.exp(-eta))}[link]()
    return np.column_stack([x, y])


def linear(rng, n, D, _):
    return regression(rng, n, D, 'identity')


def sites(rng, n, D, _):
    """Inputs, the site of each row and the target, of 200 rows a site: those held out are other sites."""
    x, site = rng.standard_normal((n, D)), np.arange(n) // 200
    intercept, slope = rng.standard_normal((2, n // 200 + 1))
    y = 1 + intercept[site] + x @ rng.normal(size=D) + .5 * slope[site] * x[:, 0] + .7 * rng.standard_normal(n)
    return np.column_stack([x, site, y])


def segments(rng, n, D, K):
    """Rows of K lines, which cross."""
    x, of = rng.standard_normal((n, D)), rng.integers(0, K, n)
    y = (rng.normal(size=(K, D))[of] * x).sum(axis=1) + 2 * rng.normal(size=K)[of] + .5 * rng.standard_normal(n)
    return np.column_stack([x, y])


def curves(rng, n, D, _):
    """A line and a parabola of one input, as flexmix's NPreg; columns x and x^2."""
    x, of = rng.uniform(0, 10, n), rng.integers(0, 2, n)
    return np.column_stack([x, x**2, np.where(of, 5 * x, 15 + 10 * x - x**2) + 3 * rng.standard_normal(n)])


def series(rng, n, D, _, slope=0, season=0):
    """One series: a level that changes by a third of the noise a row; a slope, a season of 12."""
    level, trend, shape, out = 0, .1 * slope, season * rng.standard_normal(11), []
    for e in rng.standard_normal((n, 4)):
        out.append(level + shape[0] + e[0])
        level, trend = level + trend + e[1] / 3, trend + slope * e[2] / 50
        shape = np.r_[-shape.sum() + season * e[3] / 20, shape[:-1]]
    return np.array(out)[:, None]


def sales(rng, n, D, _):
    return series(rng, n, D, _, 1, 2)


def logistic(rng, n, D, _):
    return regression(rng, n, D, 'logistic')


def counts(rng, n, D, _):
    return regression(rng, n, D, 'poisson')


def classes(rng, n, D, _, C=4):
    x = rng.standard_normal((n, D))
    eta = x @ rng.normal(size=(D, C)) / 2
    return np.column_stack([x, (eta + rng.gumbel(size=(n, C))).argmax(axis=1)])


def flags(rng, n, D, K):
    share = rng.uniform(.1, .9, size=(K, D))
    return (rng.random((n, D)) < share[rng.integers(0, K, n)]).astype(float)


def mixed(_, n, D, K):
    return clusters(n, D, K)[0]


def distant(rng, n, D, K):
    """Clusters that are round and far from each other."""
    centre = 8 * rng.standard_normal((K, D))
    return centre[rng.integers(0, K, n)] + rng.standard_normal((n, D))


def states(rng, n, D, K):
    """One sequence, whose states last 20 rows on average and differ in mean and spread."""
    z = np.cumsum(rng.random(n) < .05) * rng.integers(1, K) % K
    return 2 * z[:, None] + (.5 + .5 * z[:, None]) * rng.standard_normal((n, D))


def factors(rng, n, D, K, noise=None):
    W = rng.standard_normal((K, D))
    return rng.standard_normal((n, K)) @ W + rng.standard_normal((n, D)) * (noise or rng.uniform(.5, 1.5, D))


def alike(rng, n, D, K):
    return factors(rng, n, D, K, .8)


def documents(rng, n, D, K):
    """Counts of D terms in n documents of K topics."""
    return lda.draw(rng, n, D, K)


SINGLE = 'one initialisation'
BAYES, LIKELIHOOD = 'BayesianGaussianMixture', 'GaussianMixture'
BOTH = [BAYES, LIKELIHOOD]
# Why a peer is faster, measured or reasoned, as it says.
POSTERIOR = ('the peer finds the maximum by gradients, ours a posterior with the covariances of all coefficients: each round factors a '
             'matrix of all inputs and multiplies it with all rows')
WIDE = ('three initialisations end at different bounds, where the peer makes one, and one component is fitted beside them; each factors '
        'and inverts matrices of all columns for its steps and bounds')
LOCAL = ('initialisations end at different bounds, so a sample is searched and several of all rows are run, where the peer makes one')
SEARCH = 'the peer makes one initialisation and has no posterior; ours makes one of all rows and four of a sample, and runs their answers on all rows again'
SMALL = 'the peer solves one system; ours adds up the products of all columns twice, the first time to see whether inputs are collinear'
RELEVANCE = 'each round factors and inverts a matrix of all inputs; the peer leaves inputs out on the way'
FACTORS = 'the peer needs the covariance of the columns once; ours goes through the rows in each round'
TOPICS = 'documents end their iterations at 1e-10 here, at 1e-3 there'
ONE = ['--n-init', '1']
GROUPS = ['--group-column', 'site']
TABLE = [
    Row('mixture of a CSV file', mixed, 200000, 10, 4, ['csv'], BOTH, SEARCH),
    Row('mixture, 2 columns', mixed, 1000000, 2, 3, [], BOTH, SEARCH),
    Row('mixture, 5 clusters in 8 columns', mixed, 300000, 8, 5, [], BOTH, SEARCH),
    Row('mixture, 256 columns', mixed, 2000, 256, 4, [], BOTH, WIDE),
    Row('mixture, 512 columns', mixed, 1500, 512, 4, [], BOTH, WIDE),
    Row('mixture, 50 components', distant, 100000, 8, 50, [], BOTH, LOCAL),
    Row('mixture, 200 components', distant, 50000, 4, 200, [], BOTH, LOCAL),
    Row('mixture, full', mixed, 100000, 8, 5, ONE, [BAYES]),
    Row('mixture, diag', mixed, 100000, 8, 5, [*ONE, '--covariance-type', 'diag'], [BAYES]),
    Row('mixture, spherical', mixed, 100000, 8, 5, [*ONE, '--covariance-type', 'spherical'], [BAYES]),
    Row('mixture, tied', mixed, 100000, 8, 5, [*ONE, '--covariance-type', 'tied'], [BAYES]),
    Row('mixture, Dirichlet process', mixed, 100000, 8, 5, [*ONE, '--weight-concentration-prior-type', 'dirichlet_process'], [BAYES]),
    Row("mixture of Student's t", mixed, 100000, 8, 5, [*ONE, '--model', 'tmm'], []),
    Row('latent classes of 10 flags', flags, 100000, 10, 4, [*ONE, '--model', 'lca'], ['flexmix']),
    Row('logistic', logistic, 100000, 20, 0, ['--model', 'glm'], ['LogisticRegression', 'glm of R'], POSTERIOR),
    Row('logistic, 200 inputs', logistic, 10000, 200, 0, ['--model', 'glm'], ['LogisticRegression', 'glm of R'], POSTERIOR),
    Row('Poisson', counts, 100000, 20, 0, ['--model', 'glm', '--glm.link', 'poisson'], ['PoissonRegressor', 'glm of R'], POSTERIOR),
    Row('Poisson, 200 inputs', counts, 10000, 200, 0, ['--model', 'glm', '--glm.link', 'poisson'], ['PoissonRegressor', 'glm of R'], POSTERIOR),
    Row('multinomial, 4 classes', classes, 100000, 20, 0, ['--model', 'glm', '--glm.link', 'multinomial'], ['LogisticRegression'], POSTERIOR),
    Row('linear', linear, 100000, 20, 0, ['--model', 'linreg'], ['LinearRegression', 'BayesianRidge', 'lm of R'], SMALL),
    Row('linear, 200 inputs', linear, 10000, 200, 0, ['--model', 'linreg'], ['LinearRegression', 'BayesianRidge', 'lm of R'], SMALL),
    Row('effects of 500 sites', sites, 100000, 5, 0, ['csv', *GROUPS, '--model', 'mixed', '--target-column', 'y', '--mixed.varying', 'x1'], ['lmer of R']),
    Row('mixture of regressions', segments, 50000, 5, 3, ['--model', 'mixreg'], ['regressions of flexmix']),
    Row('a line and a parabola', curves, 2000, 2, 2, ['--model', 'mixreg'], ['regressions of flexmix']),
    Row('series of a level', series, 20000, 0, 0, ['--model', 'structural'], ['StructTS, level']),
    Row('series of level, slope and season of 12', sales, 600, 0, 0,
        ['--model', 'structural', '--structural.trend', 'on', '--structural.season', '12'], ['StructTS, BSM']),
    Row('hidden Markov model', states, 20000, 1, 2, [*ONE, '--model', 'hmm'], ['MarkovRegression']),
    Row('factors', factors, 100000, 20, 3, [*ONE, '--model', 'fa'], ['FactorAnalysis'], FACTORS),
    Row('factors, equal noise', alike, 100000, 20, 3, [*ONE, '--model', 'fa', '--noise', 'isotropic'], ['PCA', 'FactorAnalysis'], FACTORS),
    Row('topics of documents', documents, 1000, 1000, 20, [*ONE, '--model', 'lda', '--rounds', '100'], ['LatentDirichletAllocation'], TOPICS),
    Row('linear, relevance', linear, 100000, 20, 0, ['--model', 'linreg', '--linreg.relevance', 'on'], ['ARDRegression'], RELEVANCE),
    Row('linear, relevance, 200 inputs', linear, 10000, 200, 0, ['--model', 'linreg', '--linreg.relevance', 'on'], ['ARDRegression'], RELEVANCE),
    Row('predict, responsibilities', mixed, 10000000, 4, 5, ['predict', '--what', 'responsibilities'], ['predict_proba']),
    Row('score of each row', mixed, 10000000, 4, 5, ['score', '--samples', '--density', 'expected'], ['score_samples']),
    Row('12 nodes', None, 12, 2, 3, ['geometric:n=12,side=1.7,radius=0.8'], []),
    Row('50 nodes', None, 50, 2, 3, ['geometric:n=50,side=3.5,radius=0.8'], []),
]


def used(work):
    """(processor seconds of the processes that work starts, seconds of the clock, what it returns)."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    got = work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - began, got


def is_expected(row):
    """Whether a peer's density is that of Gaussians at the expected logarithms, as its score has it."""
    return BAYES in row.peers and '--covariance-type' in row.options


def ours(bench, row, files, *more):
    """One fit: the seconds of both clocks, what it says of itself and the density of the rows held out."""
    options = [word for word in row.options if word != 'csv'] + (['--n-components', row.K] if row.K else [])
    seconds, wall, (said, _) = used(lambda: bench.json('fit', '--data', files['train'], *options, *more, '--threads', 1, '--out', 'p.json'))
    densities = ['predictive', 'expected'] if is_expected(row) else ['predictive']
    groups = GROUPS if GROUPS[0] in options else []
    scores = {name: bench.json('score', '--posterior', 'p.json', '--data', files['test'], '--density', name, *groups)[0]['mean_log_density']
              for name in densities}
    algorithm = said['algorithms'][0]
    return {'seconds': seconds, 'wall': wall, 'iterations': algorithm['rounds'], 'density': scores['predictive'], **scores,
            'at_best': algorithm['at_best'], 'attempts': algorithm['attempts']}


def request(bench, row, files, peer):
    kind = dict(zip(row.options, row.options[1:]))
    of_r = 'poisson' if 'poisson' in row.options else 'binomial'
    return json.dumps({'peer': peer, 'K': row.K, 'limit': LIMIT, **{k: bench.file(v) for k, v in files.items()},
                       'kind': kind.get('--covariance-type', 'full') if row.K else of_r,
                       'weights': kind.get('--weight-concentration-prior-type', 'dirichlet_distribution')})


def ours_predicting(bench, row, files):
    command, *options = row.options
    seconds, wall, _ = used(lambda: bench.meshbayes(command, '--posterior', 'p.json', '--data', files['train'], *options,
                                                    '--threads', 1, '--out', 'ours.npy'))
    return {'seconds': seconds, 'wall': wall}


def is_prediction(row):
    return row.options[:1] in (['predict'], ['score'])


def is_topics(row):
    return row.make is documents


def write_documents(bench, row):
    rng = np.random.default_rng(1)
    counts, names = row.make(rng, row.n + row.n // TEST, row.D, row.K), {}
    known, hidden = lda.halves(counts[:row.n // TEST], rng)
    for name, part in (('train', counts[row.n // TEST:]), ('known', known), ('hidden', hidden)):
        names[name] = f'{name}.npz'
        sparse.save_npz(bench.file(names[name]), part)
    return names


def ours_of_topics(bench, row, files):
    got = lda.ours(bench, *(sparse.load_npz(bench.file(files[name])) for name in ('train', 'known', 'hidden')), row.K)
    return {**got, 'predictive': got['density']}


def write_rows(bench, row):
    """Names of the files of a row; the first of the rows that are made are held out."""
    if is_topics(row):
        return write_documents(bench, row)
    test = 0 if is_prediction(row) else row.n // TEST
    rows = row.make(np.random.default_rng(1), row.n + test, row.D, row.K)
    names = {'train': 'train.csv' if 'csv' in row.options else 'train.npy'}
    if test:
        names['test'] = 'test.csv' if GROUPS[0] in row.options else 'test.npy'
    header = ','.join([*(f'x{d + 1}' for d in range(row.D)), *(['site', 'y'] if GROUPS[0] in row.options else [])])
    for name, part in (('train', rows[test:]), ('test', rows[:test])):
        if names.get(name, '').endswith('.csv'):
            np.savetxt(bench.file(names[name]), part, fmt='%.9g', delimiter=',', header=header, comments='')
        elif name in names:
            np.save(bench.file(names[name]), part)
    return names


def programs_of(bench, row, files, worker):
    """What runs in turn: {name: a function that runs it once}."""
    if is_prediction(row):
        np.save(bench.file('few.npy'), row.make(np.random.default_rng(1), 20000, row.D, row.K))
        bench.meshbayes('fit', '--data', 'few.npy', '--n-components', row.K, '--n-init', 1, '--out', 'p.json')
        bench.meshbayes('export', '--posterior', 'p.json', '--out', 'p.npz')
        files = {**files, 'attributes': 'p.npz', 'out': 'peer.npy'}
        out = {'ours': lambda: ours_predicting(bench, row, files)}
    elif is_topics(row):
        out = {'ours': lambda: ours_of_topics(bench, row, files)}
    else:
        out = {'ours': lambda: ours(bench, row, files)}
    if row.K and not is_prediction(row) and '--n-init' not in row.options:
        out[SINGLE] = lambda: ours(bench, row, files, *ONE)
    return {**out, **{peer: lambda peer=peer: worker.ask(request(bench, row, files, peer)) for peer in row.peers}}


def turns(bench, programs):
    """[{name: result}]: every program once a turn, in alternating order."""
    out, began, over = [], time.monotonic(), {}
    while not out or (len(out) < (TURNS_FULL if bench.full else TURNS_QUICK) and time.monotonic() - began < SECONDS_A_ROW):
        names = list(programs) if len(out) % 2 == 0 else list(reversed(programs))
        out.append({name: over.get(name) or programs[name]() for name in names})
        over.update({name: got for name, got in out[-1].items() if 'over' in got or 'absent' in got})
    return out


def summary(taken, name):
    """Of one program: medians, and the ratio of its time to ours."""
    first = taken[0][name]
    if 'seconds' not in first:
        return {'program': name, **first, **({'at_least': digits(first['over'] / np.median([t['ours']['seconds'] for t in taken]))}
                                             if 'over' in first else {})}
    out = {'program': name, **{k: v for k, v in first.items() if k not in ('seconds', 'wall')},
           'seconds': spread([t[name]['seconds'] for t in taken]), 'wall': spread([t[name]['wall'] for t in taken])}
    if name != 'ours':
        out['ratio'] = spread([t[name]['seconds'] / t['ours']['seconds'] for t in taken])
    return out


def difference(bench):
    mine, its = (np.load(bench.file(name), mmap_mode='r') for name in ('ours.npy', 'peer.npy'))
    return float(np.abs(mine - its).max()) if mine.shape == its.shape else float('inf')


def nodes(bench, row):
    """Real processes of the paper's problem: what they use while they move and at rest. n: how many."""
    if not os.path.exists(os.path.join(bench.build, 'meshbayes-node')):
        return {'name': row.name, 'absent': 'meshbayes-node was not built'}
    shape = (row.n, row.options[0], ROWS_A_NODE, 8) if bench.full else (QUICK_NODES, f'ring:n={QUICK_NODES}', ROWS_A_NODE, 1)
    got = up.rates(bench.apart(row.name), *shape)
    say(f'{row.name}: moving {got["moving"]}, at rest {got["resting"]}')
    return {'name': row.name, 'D': row.D, 'K': row.K, **got}


def measure(bench, row, worker):
    if not row.make:
        return nodes(bench, row)
    if not bench.full:
        row = row._replace(**{name: min(getattr(row, name), most) for name, most in zip(('n', 'D', 'K'), QUICK_TEXT if is_topics(row) else QUICK_SHAPE)})
    taken = turns(bench, programs_of(bench, row, write_rows(bench, row), worker))
    out = {'name': row.name, 'n': row.n, 'D': row.D, 'K': row.K, 'options': ' '.join(row.options),
           'programs': [summary(taken, name) for name in taken[0]]}
    if is_prediction(row):
        out['difference'] = difference(bench)
    say(f'{row.name}: ' + '; '.join(f'{p["program"]} ' + (f'{p["seconds"]["median"]:.3g} s' if 'seconds' in p else 'not run')
                                    for p in out['programs']))
    return out


def main():
    bench = Bench('speed')
    chosen = [row for row in TABLE if bench.rows.search(row.name)]
    with Worker([*bench.tool('model_peer.py')], 1) as worker:
        rows = [measure(bench, row, worker) for row in chosen]
    bench.finish(limit=LIMIT, tolerance=TOLERANCE, largest_difference=DIFFERENCE, every=bench.rows.pattern, rows=rows)


if __name__ == '__main__':
    main()

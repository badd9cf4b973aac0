#!/usr/bin/python3
"""time_to_answer.py - processor seconds until an answer of equal quality: the density of rows held out is
within TOLERANCE nats a row of the best answer of anybody. Every program runs with one thread, several
settings and seeds; a setting that succeeds in a share p of its runs needs its mean time over p, and a
program is as fast as its best setting. A posterior is judged by its predictive density, an answer that is
none by the mixture of its weights, means and covariances. How high the density can be depends on how small
covariances may become, and a prior of the means widens those of narrow clusters that are far out, so priors
as weak as the peers' reg_covar are among the settings. The time of meshbayes is that of the whole process,
from the file to the written posterior; that of a peer begins when it reads the file. As many sets are
measured at once as there are processors, at most two, each in turns of all programs. --full needs --data,
the folder with the data sets; peers that are not installed are named."""
import gzip
import io
import json
import math
import multiprocessing
import os
import resource
import signal
import subprocess

import numpy as np

from harness import PYTHON, Bench, clusters, digits, say

TOLERANCE = .01
TIME_LIMIT = 200  # seconds of one run, wall clock; a setting that needs more is not tried with another seed
PRIORS = [('.1', '.01'), ('1e-6', '.01')]  # of covariances, and the precision of means; weaker than the default
OURS = ['', '--n-init 1', '--n-init 3', '--n-init 10']
SETTINGS = {
    'meshbayes': OURS + [f'--prior.w0inv {c} --prior.beta0 {m} {starts}'.strip() for c, m in PRIORS for starts in OURS],
    'BayesianGaussianMixture': ['n_init=1', 'n_init=10', 'n_init=10 tol=1e-6'] + [
        f'n_init={starts} covariance_prior={c} mean_precision_prior={m}' for c, m in PRIORS for starts in (1, 10)],
    'GaussianMixture': ['n_init=1', 'n_init=10', 'n_init=10 tol=1e-6', 'n_init=10 reg_covar=1e-4'],
    'OpenCV': ['n_init=1'], 'mclust': ['n_init=1'], 'Armadillo': ['n_init=1', 'n_init=10']}
HELD = {}
SEEDS_FULL, LARGE = 3, 100000
OF_LARGE = {'meshbayes': 3}  # large sets: one seed, and so many settings, of peers one


def principal(X, n):
    centred = X - X.mean(axis=0)
    return centred @ np.linalg.svd(centred, full_matrices=False)[2][:n].T


def table(path):
    with gzip.open(path, 'rt') if path.endswith('.gz') else open(path) as f:
        return np.genfromtxt(f, delimiter=',', skip_header=1)


def packed(path):
    with gzip.open(path) as f:
        return np.load(io.BytesIO(f.read()))


def sets(bench):
    """(name, maker of the rows, K), in the order of the page; the classes are columns of no set."""
    if not bench.full:
        return [('synthetic 4 columns', lambda: clusters(3000, 4, 3)[0], 3)]
    at = lambda *names: os.path.join(bench.data, *names)
    return [
        ('digits8x8', lambda: table(at('digits8x8', 'digits8x8.csv'))[:, :-1], 10),
        ('coil20, 15 principal components', lambda: principal(np.load(at('coil20', 'coil20_u8.npy')) / 255, 15), 20),
        ('usps, 20 principal components', lambda: principal(packed(at('usps', 'usps_u8.npy.gz')) / 255, 20), 10),
        ('shuttle', lambda: table(at('shuttle', 'shuttle.csv.gz'))[:, :-1], 7),
        ('synthetic, 1e6 x 16', lambda: clusters(1000000, 16, 16)[0], 16),
        ('synthetic, 1e7 x 2', lambda: clusters(10000000, 2, 3)[0], 3)]


def halves(X):
    """Rows to learn from and rows held out, a fifth (at most 20,000), in common units."""
    out = np.zeros(len(X), bool)
    out[np.random.default_rng(1).permutation(len(X))[:min(len(X) // 5, 20000)]] = True
    train = X[~out]
    sd = train.std(axis=0)
    X = (X - train.mean(axis=0)) / np.where(sd > 0, sd, 1)
    return np.ascontiguousarray(X[~out]), X[out]


def log_densities(rows, mean, scale, freedom):
    """Of each row, of a Gaussian or, with degrees of freedom, of Student's t."""
    L = np.linalg.cholesky(scale)
    z = np.linalg.solve(L, (rows - mean).T)
    D, far, det = len(mean), (z * z).sum(axis=0), np.log(np.diag(L)).sum()
    if freedom is None:
        return -det - .5 * far - .5 * D * np.log(2 * np.pi)
    return (math.lgamma((freedom + D) / 2) - math.lgamma(freedom / 2) - .5 * D * np.log(np.pi * freedom) - det
            - .5 * (freedom + D) * np.log1p(far / freedom))


def density(path, rows):
    """Mean log density of the rows: predictive if the file has a posterior, -infinity if it is no mixture."""
    with np.load(path) as p:
        p = dict(p)
    weights, means, scales, D = p['weights_'], p['means_'], p['covariances_'], rows.shape[1]
    freedom = [None] * len(weights)
    if 'degrees_of_freedom_' in p:
        nu, beta = p['degrees_of_freedom_'], p['mean_precision_']
        freedom = nu + 1 - D
        scales = scales * (nu * (1 + 1 / beta) / freedom)[:, None, None]
    try:
        logs = np.array([np.log(w) + log_densities(rows, *of) for w, *of in zip(weights, means, scales, freedom) if w > 0])
    except np.linalg.LinAlgError:
        return -np.inf
    top = logs.max(axis=0)
    if not np.all(np.isfinite(top)):
        return -np.inf
    return float(np.mean(top + np.log(np.exp(logs - top).sum(axis=0))))


def spent():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(bench, setting, K, seed):
    before = spent()
    bench.meshbayes('fit', '--data', 'train.npy', '--n-components', K, '--threads', 1, '--seed', seed, '--out', 'p.json',
                    *setting.split())
    seconds = spent() - before
    bench.meshbayes('export', '--posterior', 'p.json', '--out', 'answer.npz')
    return seconds


def theirs(bench, peer, setting, K, seed):
    """Seconds; None: it is not installed; infinity: no answer in time."""
    env = dict(os.environ, OPENBLAS_NUM_THREADS='1', OMP_NUM_THREADS='1')
    command = [*bench.tool('answer_peer.py'), peer, setting, bench.file('train.npy'), str(K), str(seed),
               bench.file('answer.npz')]
    # A session of its own, so that a program that the peer's driver has started ends with it.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
                          start_new_session=True) as peer_process:
        try:
            said, trouble = peer_process.communicate(timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(peer_process.pid, signal.SIGKILL)
            return np.inf
    if peer_process.returncode == 3:
        return None
    if peer_process.returncode:
        say(f'{peer} {setting}: {trouble.strip()[-200:]}')
        return np.inf
    return json.loads(said.strip().splitlines()[-1])['seconds']


def runs(bench, program, setting, test, K, seeds):
    """Of each seed the seconds and the density; None: not installed."""
    out = []
    for seed in range(1, seeds + 1):
        seconds = ours(bench, setting, K, seed) if program == 'meshbayes' else theirs(bench, program, setting, K, seed)
        if seconds is None:
            return None
        reached = density(bench.file('answer.npz'), test) if np.isfinite(seconds) else -np.inf
        out.append((min(seconds, TIME_LIMIT), reached))
        if not np.isfinite(seconds):
            break
    return out


def summary(setting, got, best):
    """Of one setting: the mean time over the share of runs that are as good as the best."""
    share = np.mean([reached >= best - TOLERANCE for _, reached in got])
    mean = float(np.mean([seconds for seconds, _ in got]))
    finite = [reached for _, reached in got if np.isfinite(reached)]
    return {'setting': setting, 'seconds': digits(mean), 'share': digits(float(share)),
            'density': digits(float(np.median(finite)), 6) if finite else None,
            'until': digits(mean / share) if share > 0 else None}


def measure(bench, name, rows, K):
    train, test = halves(rows())
    seeds = SEEDS_FULL if bench.full and len(train) < LARGE else 1
    np.save(bench.file('train.npy'), train)
    took, absent = {}, []
    for program, settings in SETTINGS.items():
        for setting in settings if len(train) < LARGE else settings[:OF_LARGE.get(program, 1)]:
            got = runs(bench, program, setting, test, K, seeds)
            if got is None:
                absent.append(program)
                break
            took[program, setting] = got
            say(f'{name}: {program} {setting}: {np.mean([s for s, _ in got]):.3g} s, {np.median([d for _, d in got]):.4f} nats')
    best = max(reached for got in took.values() for _, reached in got)
    out = {'set': name, 'n': len(train), 'columns': train.shape[1], 'K': K, 'seeds': seeds, 'best': digits(best, 6),
           'absent': absent, 'programs': []}
    for program in SETTINGS:
        tried = [summary(s, got, best) for (p, s), got in took.items() if p == program]
        if tried:
            first = min(tried, key=lambda t: (t['until'] is None, t['until'], -(t['density'] or -1e300)))
            out['programs'].append({'program': program, **first, 'settings': tried})
    return out


def work(place):
    return measure(HELD['bench'].apart(f'set{place}'), *sets(HELD['bench'])[place])


def measure_all(bench):
    """Each set in a process of its own, so that the programs that it runs are its children. The last
    ones take longest and come first."""
    count = len(sets(bench))
    at_once = min(2, os.cpu_count() or 1, count)
    HELD['bench'] = bench  # which processes made by fork have without a copy through a pipe
    with multiprocessing.get_context('fork').Pool(at_once, maxtasksperchild=1) as pool:
        taken = [pool.apply_async(work, (k,)) for k in reversed(range(count))]
        return at_once, [t.get() for t in reversed(taken)]


def main():
    bench = Bench('time_to_answer')
    at_once, measured = measure_all(bench)
    bench.finish(tolerance=TOLERANCE, limit=TIME_LIMIT, at_once=at_once, sets=measured)


if __name__ == '__main__':
    main()

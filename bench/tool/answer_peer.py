#!/usr/bin/python3
"""answer_peer.py PEER SETTING TRAIN.npy K SEED OUT.npz: one answer of a program that fits mixtures of Gaussians;
writes weights, means and covariances (of a posterior also its degrees of freedom and mean precisions), and
prints JSON with the seconds of processor time from reading the file to the answer, imports and the start of
the program apart. SETTING is words NAME=NUMBER: n_init, and of scikit-learn tol, reg_covar,
mean_precision_prior and covariance_prior (times the identity). Exit status 3: the peer is not installed."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

MCLUST = '''
if (!suppressMessages(require(mclust, quietly = TRUE))) quit(status = 3)
set.seed(%d); n <- %d; d <- %d
t <- system.time({
  x <- matrix(readBin("%s", "double", n * d), n, d)
  some <- if (n > 2000) sample(n, 2000) else NULL
  m <- Mclust(x, G = %d, modelNames = "VVV", verbose = FALSE, initialization = list(subset = some))
})
p <- m$parameters
writeBin(c(p$pro, as.vector(p$mean), as.vector(p$variance$sigma)), "%s")
cat(t[["user.self"]] + t[["sys.self"]])
'''
ANSWER, POSTERIOR = ('weights_', 'means_', 'covariances_'), ('degrees_of_freedom_', 'mean_precision_')
HERE = os.path.dirname(os.path.abspath(__file__))


def absent():
    sys.exit(3)


def scikit(name, path, K, seed, starts, options):
    from sklearn import mixture
    began = time.process_time()
    rows = np.load(path)
    if 'covariance_prior' in options:
        options = {**options, 'covariance_prior': options['covariance_prior'] * np.eye(rows.shape[1])}
    model = getattr(mixture, name)(n_components=K, n_init=starts, max_iter=5000, random_state=seed, **options)
    model.fit(rows)
    seconds = time.process_time() - began
    return (seconds, *(getattr(model, name) for name in ANSWER + POSTERIOR if hasattr(model, name)))


def opencv(path, K, seed, starts, _):
    try:
        import cv2
    except ImportError:
        absent()
    cv2.setNumThreads(1)
    cv2.setRNGSeed(seed)
    began, best, found = time.process_time(), -np.inf, None
    rows = np.load(path)
    for _ in range(starts):
        em = cv2.ml.EM_create()
        em.setClustersNumber(K)
        em.setCovarianceMatrixType(cv2.ml.EM_COV_MAT_GENERIC)
        em.setTermCriteria((cv2.TERM_CRITERIA_COUNT + cv2.TERM_CRITERIA_EPS, 5000, 1e-6))
        reached = float(np.sum(em.trainEM(rows)[1]))
        if reached > best:
            best, found = reached, em
    seconds = time.process_time() - began
    return seconds, found.getWeights()[0], found.getMeans(), np.array(found.getCovs())


def mclust(path, K, seed, *_):
    if not shutil.which('Rscript'):
        absent()
    rows = np.load(path)
    n, d = rows.shape
    with tempfile.TemporaryDirectory() as folder:
        into, out = os.path.join(folder, 'rows'), os.path.join(folder, 'answer')
        np.asfortranarray(rows).T.tofile(into)  # by columns, as R has them
        done = subprocess.run(['Rscript', '-e', MCLUST % (seed, n, d, into, K, out)], capture_output=True, text=True)
        if done.returncode == 3:
            absent()
        if done.returncode or not os.path.exists(out):
            raise RuntimeError(done.stderr[-300:])
        p = np.fromfile(out)
    return (float(done.stdout), p[:K], p[K:K + K * d].reshape(K, d), p[K + K * d:].reshape(K, d, d))


def armadillo(path, K, seed, starts, *_):
    program = os.path.join(tempfile.gettempdir(), f'meshbayes-armadillo-{os.getuid()}')
    own = f'{program}-{os.getpid()}'  # another set may be measured at the same time
    built = subprocess.run(['c++', '-O3', '-march=native', os.path.join(HERE, 'armadillo.cpp'), '-o', own, '-larmadillo'],
                           capture_output=True)
    if built.returncode:
        absent()
    os.replace(own, program)
    rows = np.load(path)
    n, d = rows.shape
    with tempfile.TemporaryDirectory() as folder:
        into, out = os.path.join(folder, 'rows'), os.path.join(folder, 'answer')
        np.ascontiguousarray(rows).tofile(into)  # columns are rows there
        done = subprocess.run([program, into, str(n), str(d), str(K), str(seed), str(starts), out], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr[-300:] or 'no answer')
        p = np.fromfile(out)
    return (float(done.stdout), p[:K], p[K:K + K * d].reshape(K, d), p[K + K * d:].reshape(K, d, d))


PEERS = {'BayesianGaussianMixture': lambda *a: scikit('BayesianGaussianMixture', *a),
         'GaussianMixture': lambda *a: scikit('GaussianMixture', *a),
         'OpenCV': opencv, 'mclust': mclust, 'Armadillo': armadillo}


def main():
    peer, setting, path, K, seed, out = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5]), sys.argv[6]
    options = {name: float(value) for name, value in (word.split('=') for word in setting.split())}
    starts = int(options.pop('n_init'))
    warnings.simplefilter('ignore')
    seconds, *found = PEERS[peer](path, K, seed, starts, options)
    np.savez(out, **dict(zip(ANSWER + POSTERIOR, found)))
    print(json.dumps({'seconds': seconds}))


if __name__ == '__main__':
    main()

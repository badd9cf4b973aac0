#!/usr/bin/python3
"""model_peer.py: the peers of bench/speed.py, one answer a line. Each line of standard input is a JSON object:
`peer`, `train` and `test` (NPY, or CSV with names in its first line; the last column of a regression is its
target), `K` (components; 0: a regression), `kind` and `weights` of a mixture, `attributes` (NPZ: of a posterior
that is given, for predictions) and `limit`; of topics `train`, `known` and `hidden`, counts of documents (sparse, NPZ). The answer has the `seconds` of processor time and the `wall` time
from reading the file to the fitted estimator, its `iterations`, and the mean log `density` of the rows of
`test`; or `over`: it was not ready within `limit` seconds of processor time; or `absent`: why it did not run."""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from scipy import sparse, stats
from sklearn import decomposition, linear_model, mixture

from answer_peer import ANSWER, HERE, POSTERIOR

sys.path.append(os.path.dirname(HERE))
import lda
import time_to_answer

OPTIONS = {'LogisticRegression': {'C': 1e6, 'max_iter': 1000}, 'PoissonRegressor': {'alpha': 0, 'max_iter': 1000}}
# The columns of train and test, the target last: m, its iterations and the log density of each row of `new`.
TABLE = '''
n <- %d; d <- %d; x <- as.data.frame(matrix(readBin("%s", "double", n * d), n, d)); names(x)[d] <- "y"
new <- as.data.frame(matrix(readBin("%s", "double", %d * d), ncol = d)); names(new) <- names(x)
iterations <- 1
%s
cat(sprintf('{"seconds": %%.6f, "wall": %%.6f, "iterations": %%d, "density": %%.9g}', t[[1]] + t[[2]], t[[3]], as.integer(iterations), mean(density)))
'''
GLM = '''
t <- system.time(m <- glm(y ~ ., data = x, family = %s)); iterations <- m$iter
p <- predict(m, new, type = "response")
density <- if (family(m)$family == "poisson") dpois(new$y, p, log = TRUE) else dbinom(new$y, 1, p, log = TRUE)
'''
LM = '''
t <- system.time(m <- lm(y ~ ., data = x))
density <- dnorm(new$y, predict(m, new), summary(m)$sigma, log = TRUE)
'''
# The group is the column before the target; the density is that of all rows of a group that is new.
LMER = '''
suppressMessages(library(lme4))
names(x)[d - 1] <- names(new)[d - 1] <- "site"
t <- system.time(m <- lmer(as.formula(paste("y ~", paste(names(x)[seq_len(d - 2)], collapse = " + "), "+ (1 + V1 | site)")), x))
P <- as.matrix(VarCorr(m)$site); left <- new$y - predict(m, new, re.form = NA); iterations <- m@optinfo$feval
density <- unlist(lapply(split(seq_len(nrow(new)), new$site), function(j) {
    Z <- cbind(1, new$V1[j]); L <- chol(Z %*% P %*% t(Z) + diag(sigma(m)^2, length(j)))
    -sum(log(diag(L))) / length(j) - backsolve(L, left[j], transpose = TRUE)^2 / 2 - log(2 * pi) / 2
}))
'''
# One initialisation, random responsibilities; of a row held out the density of the mixture.
SEGMENTS = '''
suppressMessages(library(flexmix)); set.seed(1)
t <- system.time(m <- flexmix(y ~ ., data = x, k = %d, control = list(tolerance = 3e-7, iter.max = 5000))); iterations <- m@iter
q <- parameters(m); Z <- cbind(1, as.matrix(new[, -d]))
density <- log(Reduce(`+`, lapply(seq_len(ncol(q)), function(k) prior(m)[k] * dnorm(new$y, Z %%*%% q[seq_len(d), k], q[d + 1, k]))))
'''
# Of a series held out each row given those before it, at the variances that were found; its first state as ours.
SERIES = '''
t <- system.time(m <- StructTS(ts(x$y, frequency = %d), type = "%s")); q <- m$model; a <- 0 * q$a; a[1] <- mean(x$y)
P <- diag(1e4 * var(x$y), length(a))
density <- sapply(new$y, function(y) {
    M <- P %%*%% q$Z; F <- c(q$Z %%*%% M) + q$h; v <- y - c(q$Z %%*%% a)
    a <<- c(q$T %%*%% (a + M * v / F)); P <<- q$T %%*%% (P - M %%*%% t(M) / F) %%*%% t(q$T) + q$V
    dnorm(v, 0, sqrt(F), log = TRUE)
})
'''
OF_R = {'glm of R': GLM, 'lm of R': LM, 'lmer of R': LMER, 'regressions of flexmix': SEGMENTS,
        'StructTS, level': SERIES % (1, 'level'), 'StructTS, BSM': SERIES % (12, 'BSM')}
FLEXMIX = '''
suppressMessages(library(flexmix))
n <- %d; d <- %d; x <- matrix(readBin("%s", "double", n * d), n, d); set.seed(1)
t <- system.time(m <- flexmix(x ~ 1, k = %d, model = FLXMCmvbinary(), control = list(tolerance = 3e-7, iter.max = 5000)))
cat(sprintf('{"seconds": %%.6f, "wall": %%.6f, "iterations": %%d}', t[[1]] + t[[2]], t[[3]], m@iter))
'''


class Over(Exception):
    """The limit of processor time is reached."""


def stop(*_):
    raise Over


def read(path):
    return np.loadtxt(path, delimiter=',', skiprows=1) if path.endswith('.csv') else np.load(path)


def spent():
    """Seconds of processor time of this process; time.process_time() is coarse while a limit is set."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(limit, work):
    """(what work gives, seconds of processor time, of the clock)."""
    signal.setitimer(signal.ITIMER_PROF, limit)
    began, wall = spent(), time.monotonic()
    try:
        got = work()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return got, spent() - began, time.monotonic() - wall


def predictive(model, rows):
    """That of a posterior of whole covariances, its parameters integrated out."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'answer.npz')
        np.savez(path, **{name: getattr(model, name) for name in ANSWER + POSTERIOR})
        return time_to_answer.density(path, rows)


def density(model, rows, train):
    """Mean log density of rows, of a regression that of their targets."""
    if getattr(model, 'covariance_type', '') == 'full' and hasattr(model, POSTERIOR[0]):
        return predictive(model, rows)
    if hasattr(model, 'score_samples'):
        return float(model.score_samples(rows).mean())
    x, y = rows[:, :-1], rows[:, -1]
    if hasattr(model, 'predict_log_proba'):
        return float(model.predict_log_proba(x)[np.arange(len(x)), y.astype(int)].mean())
    if isinstance(model, linear_model.PoissonRegressor):
        return float(stats.poisson.logpmf(y, model.predict(x)).mean())
    if isinstance(model, linear_model.LinearRegression):
        rest = train[:, -1] - model.predict(train[:, :-1])
        return float(stats.norm.logpdf(y, model.predict(x), np.sqrt((rest ** 2).sum() / (len(train) - len(x[0]) - 1))).mean())
    return float(stats.norm.logpdf(y, *model.predict(x, return_std=True)).mean())


def estimator(name, request):
    if not request['K']:
        return getattr(linear_model, name)(**OPTIONS.get(name, {}))
    if hasattr(decomposition, name):
        return getattr(decomposition, name)(request['K'], **({'max_iter': 10000} if name == 'FactorAnalysis' else {}))
    weights = {'weight_concentration_prior_type': request['weights']} if name[0] == 'B' else {}
    return getattr(mixture, name)(n_components=request['K'], covariance_type=request['kind'], max_iter=5000, random_state=1, **weights)


def markov(name, request):
    """Of one column: the states have means and variances of their own."""
    try:
        from statsmodels.tsa.regime_switching.markov_regression import MarkovRegression
    except ImportError:
        return {'absent': 'statsmodels is not installed'}
    model = lambda x: MarkovRegression(x[:, 0], request['K'], switching_variance=True)
    fitted, seconds, wall = timed(request['limit'], lambda: model(read(request['train'])).fit())
    test = read(request['test'])
    return {'seconds': seconds, 'wall': wall, 'iterations': int(fitted.mle_retvals['fcalls']),
            'density': float(model(test).loglike(fitted.params)) / len(test)}


def topics(name, request):
    fitted, seconds, wall = timed(request['limit'], lambda: lda.peer(request['K']).fit(sparse.load_npz(request['train'])))
    return {'seconds': seconds, 'wall': wall, 'iterations': fitted.n_iter_,
            'density': lda.density_of_peer(fitted, *(sparse.load_npz(request[part]) for part in ('known', 'hidden')))}


def fit(name, request):
    model, train = estimator(name, request), None

    def work():
        nonlocal train
        train = read(request['train'])
        return model.fit(train) if request['K'] else model.fit(train[:, :-1], train[:, -1])

    _, seconds, wall = timed(request['limit'], work)
    return {'seconds': seconds, 'wall': wall, 'iterations': int(np.max(getattr(model, 'n_iter_', 1))),
            'density': density(model, read(request['test']), train)}


def predict(name, request):
    """A posterior that is given, on the rows of `train`; what it says of them is written into `out`."""
    with np.load(request['attributes']) as attributes:
        model = mixture.BayesianGaussianMixture(weight_concentration_prior_type='dirichlet_distribution')
        model.__dict__.update({key: x[()] if x.ndim == 0 else x for key, x in attributes.items()})
    model.__dict__.pop('feature_names_in_', None)  # the rows are arrays without names
    model.n_components = len(model.weights_)
    _, seconds, wall = timed(request['limit'], lambda: np.save(request['out'], getattr(model, name)(read(request['train']))))
    return {'seconds': seconds, 'wall': wall}


def of_r(name, request):
    if not shutil.which('Rscript'):
        return {'absent': 'R is not installed'}
    package = {'flexmix': 'flexmix', 'regressions of flexmix': 'flexmix', 'lmer of R': 'lme4'}.get(name)
    if package and subprocess.run(['Rscript', '-e', f'library({package})'], capture_output=True).returncode:
        return {'absent': f'{package} is not installed'}
    with tempfile.TemporaryDirectory() as folder:
        train, test = read(request['train']), read(request['test'])
        names = [os.path.join(folder, part) for part in ('train', 'test')]
        for path, rows in zip(names, (train, test)):
            np.ascontiguousarray(rows.T).tofile(path)  # by columns, as R has them
        n, d = train.shape
        program = FLEXMIX % (n, d, names[0], request['K']) if name == 'flexmix' else TABLE % (
            n, d, *names, len(test), GLM % request['kind'] if name == 'glm of R' else
            SEGMENTS % request['K'] if name == 'regressions of flexmix' else OF_R[name])
        done = subprocess.run(['Rscript', '-e', program], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f'{name}: {done.stderr.strip()[-200:]}')
    return json.loads(done.stdout.strip().splitlines()[-1])


SPECIAL = {'MarkovRegression': markov, 'LatentDirichletAllocation': topics}


def main():
    warnings.simplefilter('ignore')
    signal.signal(signal.SIGPROF, stop)
    for line in sys.stdin:
        request = json.loads(line)
        name = request['peer']
        answer = (of_r if name in (*OF_R, 'flexmix') else SPECIAL[name] if name in SPECIAL else
                  predict if 'attributes' in request else fit)
        try:
            said = answer(name, request)
        except Over:
            said = {'over': request['limit']}
        print(json.dumps(said), flush=True)


if __name__ == '__main__':
    main()

#!/usr/bin/python3
"""sklearn_step.py: scikit-learn's BayesianGaussianMixture on the rows and from the start of step.c,
for a driver that takes turns with others. On standard input
    load ROWS.npy RESP.npy K
    run STEPS       fit() from the start again; prints seconds, wall and processor, of its iterations
    par FILE.npz    weights, means and covariances after the last run
Prior: what meshbayes takes when nothing is said. The clock starts when fit() has its first
parameters and is read where fit() computes the bound, at the end of each iteration: checks of the
input, the start and the last E-step are not counted. Threads and core type of its BLAS come from
the environment."""
import json
import sys
import time
import warnings

import numpy as np
from sklearn.mixture import BayesianGaussianMixture


class Timed(BayesianGaussianMixture):
    """Starts from given responsibilities and notes the time."""

    def _initialize_parameters(self, X, random_state):
        self._initialize(X, self.start)
        self.began = time.perf_counter(), time.process_time()

    def _compute_lower_bound(self, log_resp, log_prob_norm):
        bound = super()._compute_lower_bound(log_resp, log_prob_norm)
        self.ended = time.perf_counter(), time.process_time()
        return bound


def run(X, resp, K, steps):
    D = X.shape[1]
    model = Timed(n_components=K, covariance_type='full', tol=0, reg_covar=0, max_iter=steps,
                  weight_concentration_prior_type='dirichlet_distribution',
                  weight_concentration_prior=1 / K, mean_precision_prior=1.0,
                  mean_prior=np.zeros(D), degrees_of_freedom_prior=D + 2.0,
                  covariance_prior=np.eye(D))
    model.start = resp
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        model.fit(X)
    return model


def main():
    X = resp = model = None
    K = 0
    for line in sys.stdin:
        words = line.split()
        answer = {}
        if words[0] == 'load':
            X, resp, K = np.load(words[1]), np.load(words[2]), int(words[3])
        elif words[0] == 'run':
            model = run(X, resp, K, int(words[1]))
            answer = {'wall': model.ended[0] - model.began[0],
                      'cpu': model.ended[1] - model.began[1], 'iterations': model.n_iter_}
        elif words[0] == 'par':
            np.savez(words[1], weights=model.weights_, means=model.means_,
                     covariances=model.covariances_)
        else:
            sys.exit(f'"{line.strip()}" is none of load, run STEPS and par FILE')
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()

#!/usr/bin/python3
"""model_peer.py NAME ROWS.npy K: the peer of a model on the same rows, once; prints JSON with the
seconds of processor time from reading the file to the fitted estimator, imports apart, and the
iterations. K: components; 0 for a regression, whose last column is the target."""
import json
import sys
import time
import warnings

import numpy as np


def mixture(kind, weights='dirichlet_distribution'):
    from sklearn.mixture import BayesianGaussianMixture
    return lambda K: BayesianGaussianMixture(n_components=K, covariance_type=kind, weight_concentration_prior_type=weights,
                                             n_init=1, max_iter=5000, random_state=1)


def ridge(_):
    from sklearn.linear_model import BayesianRidge
    return BayesianRidge()


def ard(_):
    from sklearn.linear_model import ARDRegression
    return ARDRegression()


def logistic(_):
    from sklearn.linear_model import LogisticRegression
    return LogisticRegression(C=1e6, max_iter=1000)


def poisson(_):
    from sklearn.linear_model import PoissonRegressor
    return PoissonRegressor(alpha=0, max_iter=1000)


PEERS = {'full': mixture('full'), 'process': mixture('full', 'dirichlet_process'), 'diag': mixture('diag'), 'spherical': mixture('spherical'), 'tied': mixture('tied'), 'ridge': ridge, 'ard': ard,
         'logistic': logistic, 'poisson': poisson}


def main():
    name, path, K = sys.argv[1], sys.argv[2], int(sys.argv[3])
    model = PEERS[name](K)
    warnings.simplefilter('ignore')
    began = time.process_time()
    rows = np.load(path)
    if K:
        model.fit(rows)
    else:
        model.fit(rows[:, :-1], rows[:, -1])
    steps = np.max(getattr(model, 'n_iter_', 1))
    print(json.dumps({'seconds': time.process_time() - began, 'iterations': int(steps)}))


if __name__ == '__main__':
    main()

"""The logistic regression of a posterior file, with the prior that the file states: numpy alone."""
import numpy as np

REACH = 8                                          # standard deviations, beyond which nothing is left


def flags(rng, eta):
    """Targets of linear predictors that are not too far from 0."""
    return rng.uniform(size=len(eta)) < 1 / (1 + np.exp(-.3 * eta))


def rule(v):
    """Points and weights of expectations under a standard normal z of functions of 1/(1 + exp(-e - sqrt(v) z)):
    the trapezoidal rule, whose error is exp(-2 pi d/h), d = pi/sqrt(v) the distance of the poles, so below
    2e-11. A Gauss rule of 100 points is off by 1e-6 where v is 45."""
    h = min(.4, .8 / np.sqrt(v))
    at = h * np.arange(-np.ceil(REACH / h), np.ceil(REACH / h) + 1)
    return at, h * np.exp(-at ** 2 / 2) / np.sqrt(2 * np.pi)


class Logistic:
    """Natural parameters, flat: P, P m."""

    def __init__(self, prior):
        self.prior = self.of(prior)

    @staticmethod
    def of(post):
        m, P = np.array([post['intercept'], *post['coef']]), np.array(post['precision'])
        return np.concatenate([P.ravel(), P @ m])

    def step(self, phi, X, w):
        """The statistics of the rows; None outside the domain."""
        p = X.shape[1]
        P, h = phi[:-p].reshape(p, p), phi[-p:]
        if not np.linalg.eigvalsh(P)[0] > 0:
            return None
        Z, y, Sigma = np.column_stack([np.ones(len(X)), X[:, :-1]]), X[:, -1], np.linalg.inv(P)
        e, v = Z @ Sigma @ h, np.einsum('ij,jk,ik->i', Z, Sigma, Z)
        nodes, weights = rule(v.max())
        at = np.clip(e[:, None] + np.sqrt(v)[:, None] * nodes, -700, 700)
        mean = 1 / (1 + np.exp(-at))
        slope = w * ((mean * (1 - mean)) @ weights)
        return np.concatenate([((Z.T * slope) @ Z).ravel(), Z.T @ (w * (y - mean @ weights) + slope * e)])

"""The logistic regression of a posterior file, with the prior that the file states: numpy alone."""
import numpy as np

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(100)
WEIGHTS = WEIGHTS / np.sqrt(2 * np.pi)


def flags(rng, eta):
    """Targets of linear predictors that are not too far from 0."""
    return rng.uniform(size=len(eta)) < 1 / (1 + np.exp(-.3 * eta))


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
        at = np.clip(e[:, None] + np.sqrt(v)[:, None] * NODES, -700, 700)
        mean = 1 / (1 + np.exp(-at))
        slope = w * ((mean * (1 - mean)) @ WEIGHTS)
        return np.concatenate([((Z.T * slope) @ Z).ravel(), Z.T @ (w * (y - mean @ WEIGHTS) + slope * e)])

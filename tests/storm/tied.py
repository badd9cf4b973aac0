"""The mixture of a posterior file whose components share a matrix, with the prior that the file states: numpy
alone."""
import numpy as np
from scipy.special import digamma, logsumexp


class Tied:
    """Natural parameters, flat: alpha, beta, beta m, nu, W^-1 + sum beta m m'."""

    def __init__(self, prior):
        self.K, self.D = np.shape(prior['means'])
        self.prior = self.of(prior)

    @staticmethod
    def of(post):
        alpha, beta, m, nu, winv = (np.array(post[f]) for f in (
            'weight_concentration', 'mean_precision', 'means', 'degrees_of_freedom', 'w_inverse'))
        return np.concatenate([alpha, beta, (beta[:, None] * m).ravel(), [nu], (winv + (beta * m.T) @ m).ravel()])

    def step(self, phi, X, w):
        """The statistics of the rows; None outside the domain."""
        K, D = self.K, self.D
        alpha, beta, bm, nu, T = np.split(phi, np.cumsum([K, K, K * D, 1]))
        m = bm.reshape(K, D) / beta[:, None]
        winv, nu = T.reshape(D, D) - (beta * m.T) @ m, nu[0]
        sign, det = np.linalg.slogdet(winv)
        if not (sign > 0 and nu > D - 1 and min(alpha.min(), beta.min()) > 0):
            return None
        half = (digamma((nu - np.arange(D)) / 2).sum() + D * np.log(2) - det) / 2
        rho = np.empty((len(X), K))
        for k in range(K):
            d = X - m[k]
            rho[:, k] = digamma(alpha[k]) + half - (D / beta[k] + nu * np.einsum('ij,ij->i', d @ np.linalg.inv(winv), d)) / 2
        R = np.exp(rho - logsumexp(rho, axis=1, keepdims=True)) * w[:, None]
        n = R.sum(axis=0)
        return np.concatenate([n, n, (R.T @ X).ravel(), [w.sum()], ((w * X.T) @ X).ravel()])

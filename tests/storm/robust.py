"""The robust mixture of a posterior file, with the prior that the file states: numpy alone."""
import numpy as np
from scipy.special import digamma, gammaln, logsumexp

GRID = 2 ** (np.arange(33) / 4)
LN_C = GRID / 2 * np.log(GRID / 2) - gammaln(GRID / 2)
FIELDS = ('weight_concentration', 'degrees_of_freedom', 'mean_precision', 'means', 'w_inverse', 'dof_rows', 'dof_gap')


class Robust:
    """Natural parameters, flat: alpha, nu, beta, beta m, W^-1 + beta m m', those of the dof."""

    def __init__(self, prior):
        self.K, self.D = np.shape(prior['means'])
        self.prior = self.of(prior)

    def of(self, post):
        alpha, nu, beta, m, winv, rows, gap = (np.array(post[f]) for f in FIELDS)
        M = winv + beta[:, None, None] * m[:, :, None] * m[:, None, :]
        return np.concatenate([alpha, nu, beta, (beta[:, None] * m).ravel(), M.ravel(), rows, gap])

    def split(self, phi):
        K, D = self.K, self.D
        alpha, nu, beta, bm, M, rows, gap = np.split(phi, np.cumsum([K, K, K, K * D, K * D * D, K]))
        m = bm.reshape(K, D) / beta[:, None]
        return alpha, nu, beta, m, M.reshape(K, D, D) - beta[:, None, None] * m[:, :, None] * m[:, None, :], rows, gap

    def step(self, phi, X, w):
        """The statistics of the rows; None outside the domain."""
        alpha, nu, beta, m, winv, rows, gap = self.split(phi)
        D, rho = self.D, np.empty((len(X), self.K))
        h, b = np.empty(self.K), np.empty((len(X), self.K))
        for k in range(self.K):
            sign, det = np.linalg.slogdet(winv[k])
            if not (sign > 0 and alpha[k] > 0 and nu[k] > D - 1 and beta[k] > 0):
                return None
            p = rows[k] * LN_C + gap[k] * GRID / 2
            p = np.exp(p - logsumexp(p))
            d = X - m[k]
            e, h[k] = p @ GRID, (p @ GRID + D) / 2
            b[:, k] = (e + D / beta[k] + nu[k] * np.einsum('ij,ij->i', d @ np.linalg.inv(winv[k]), d)) / 2
            half = (digamma((nu[k] - np.arange(D)) / 2).sum() + D * np.log(2) - det - D * np.log(2 * np.pi)) / 2
            rho[:, k] = digamma(alpha[k]) + half + p @ LN_C + gammaln(h[k]) - h[k] * np.log(b[:, k])
        R = np.exp(rho - logsumexp(rho, axis=1, keepdims=True)) * w[:, None]
        U, n = R * h / b, R.sum(axis=0)
        M = np.einsum('nk,ni,nj->kij', U, X, X)
        return np.concatenate([n, n, U.sum(axis=0), (U.T @ X).ravel(), M.ravel(), n,
                               (R * (digamma(h) - np.log(b) - h / b)).sum(axis=0)])

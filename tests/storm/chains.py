"""The hidden Markov model of a posterior file, Gaussian states with matrices, with the prior that the file states:
numpy alone. Rows are columns and the number of their sequence, of one weight a sequence."""
import numpy as np
from scipy.special import digamma, logsumexp

PER_SEQUENCE = 12                                  # rows, at most


def dress(X, first):
    """(rows with the number of their sequence, from `first` on; the next number)."""
    nth = np.arange(len(X)) // PER_SEQUENCE
    return np.column_stack([X, first + nth]), first + nth[-1] + 1


class Chains:
    """Natural parameters, flat: first state, transitions, nu, beta, beta m, W^-1 + beta m m'."""

    def __init__(self, prior):
        self.K, self.D = np.shape(prior['means'])
        self.prior = self.of(prior)

    @staticmethod
    def of(post):
        first, A, nu, beta, m, winv = (np.array(post[f]) for f in (
            'initial_concentration', 'transition_concentration', 'degrees_of_freedom', 'mean_precision', 'means', 'w_inverse'))
        M = winv + beta[:, None, None] * m[:, :, None] * m[:, None, :]
        return np.concatenate([x.ravel() for x in (first, A, nu, beta, beta[:, None] * m, M)])

    def step(self, phi, X, w):
        """The statistics of the rows; None outside the domain."""
        K, D = self.K, self.D
        first, A, nu, beta, bm, M = np.split(phi, np.cumsum([K, K * K, K, K, K * D]))
        A, m = A.reshape(K, K), bm.reshape(K, D) / beta[:, None]
        winv = M.reshape(K, D, D) - beta[:, None, None] * m[:, :, None] * m[:, None, :]
        sign, det = np.linalg.slogdet(winv)
        if not (sign.min() > 0 and (nu > D - 1).all() and min(first.min(), A.min(), beta.min()) > 0):
            return None
        Z, b = X[:, :D], np.empty((len(X), K))
        for k in range(K):
            d = Z - m[k]
            b[:, k] = (digamma((nu[k] - np.arange(D)) / 2).sum() + D * np.log(2) - det[k] - D / beta[k]
                       - nu[k] * np.einsum('ij,ij->i', d @ np.linalg.inv(winv[k]), d)) / 2
        ln_pi, ln_A = digamma(first) - digamma(first.sum()), digamma(A) - digamma(A.sum(axis=1, keepdims=True))
        R, one, moved = np.empty_like(b), np.zeros(K), np.zeros((K, K))
        begin = np.flatnonzero(np.diff(X[:, -1], prepend=-1))
        for s, e in zip(begin, np.append(begin[1:], len(X))):
            f, back = b[s:e].copy(), np.zeros((e - s, K))
            f[0] += ln_pi
            for t in range(1, e - s):
                f[t] += logsumexp(f[t - 1][:, None] + ln_A, axis=0)
            for t in range(e - s - 2, -1, -1):
                back[t] = logsumexp(ln_A + b[s + t + 1] + back[t + 1], axis=1)
            Zs = logsumexp(f[-1])
            R[s:e] = w[s] * np.exp(f + back - Zs)
            one += R[s]
            for t in range(1, e - s):
                moved += w[s] * np.exp(f[t - 1][:, None] + ln_A + b[s + t] + back[t] - Zs)
        n = R.sum(axis=0)
        return np.concatenate([one, moved.ravel(), n, n, (R.T @ Z).ravel(), np.einsum('nk,ni,nj->kij', R, Z, Z).ravel()])

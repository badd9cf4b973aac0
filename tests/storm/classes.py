"""The latent classes of a posterior file, with the prior that the file states: numpy alone. Columns: numbers,
then a count, a category of LEVELS and a flag."""
import numpy as np
from scipy.special import digamma, logsumexp

WORDS = ['red', 'green', 'deep, blue']
LEVELS = len(WORDS)
NAMES = ['count', 'colour', 'on']


def kinds(D):
    """The declaration of --column."""
    words = '|'.join(w.replace(',', '\\,') for w in WORDS)
    return ','.join([f'x{d + 1}:number' for d in range(D)] + ['count:count', f'colour:category({words})', 'on:flag'])


def dress(X):
    """Rows of clusters with three more columns, which follow from them."""
    size = np.abs(X).sum(axis=1)
    return np.column_stack([X, np.floor(size), np.floor(3 * size) % LEVELS, X[:, 0] > 0])


def cells(row):
    return [*map(repr, map(float, row[:-3])), str(int(row[-3])), WORDS[int(row[-2])], 'yes' if row[-1] else 'no']


class Classes:
    """Natural parameters, flat: alpha, a, lambda, lambda m, 2b + lambda m^2, those of the counts, of the shares."""

    def __init__(self, prior):
        self.K, self.D = np.shape(prior['means'])
        self.prior = self.of(prior)

    @staticmethod
    def of(post):
        alpha, a, b, m, lam, s, r, shares = (np.array(post[f]) for f in (
            'weight_concentration', 'shape', 'rate', 'means', 'mean_precision', 'count_shape', 'count_rate',
            'share_concentration'))
        return np.concatenate([x.ravel() for x in (alpha, a, lam, lam * m, 2 * b + lam * m ** 2, s, r, shares)])

    def split(self, phi):
        K, D = self.K, self.D
        alpha, a, lam, h, c, s, r, shares = np.split(phi, np.cumsum([K] + [K * D] * 4 + [K, K]))
        a, lam, h, c = (x.reshape(K, D) for x in (a, lam, h, c))
        return alpha, a, (c - h ** 2 / lam) / 2, h / lam, lam, s, r, shares.reshape(K, -1)

    def step(self, phi, X, w):
        """The statistics of the rows; None outside the domain."""
        alpha, a, b, m, lam, s, r, shares = self.split(phi)
        if min(x.min() for x in (alpha, a, b, lam, s, r, shares)) <= 0:
            return None
        Z, count = X[:, :self.D], X[:, self.D]
        hot = np.column_stack([np.eye(LEVELS)[X[:, -2].astype(int)], np.eye(2)[X[:, -1].astype(int)]])
        one, two = shares[:, :LEVELS], shares[:, LEVELS:]
        share = np.column_stack([digamma(q) - digamma(q.sum(axis=1, keepdims=True)) for q in (one, two)])
        rho = digamma(alpha) + np.outer(count, digamma(s) - np.log(r)) - s / r + hot @ share.T
        for k in range(self.K):
            rho[:, k] += ((digamma(a[k]) - np.log(b[k]) - 1 / lam[k] - a[k] / b[k] * (Z - m[k]) ** 2) / 2).sum(axis=1)
        R = np.exp(rho - logsumexp(rho, axis=1, keepdims=True)) * w[:, None]
        n = np.repeat(R.sum(axis=0), self.D)
        return np.concatenate([R.sum(axis=0), n / 2, n, (R.T @ Z).ravel(), (R.T @ Z ** 2).ravel(), R.T @ count,
                               R.sum(axis=0), (R.T @ hot).ravel()])

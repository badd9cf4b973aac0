"""The regression with effects of groups of a posterior file, with the prior that the file states: numpy alone. Rows
are inputs, a target and the number of their group; the intercept and the first input vary, of one weight a group."""
import numpy as np

PER_GROUP = 6                                      # rows, at most


def dress(rng, X, first):
    """(rows of a regression with effects of their groups, which are numbered from `first`; the next number)."""
    nth = np.arange(len(X)) // PER_GROUP
    u = rng.normal(size=(nth[-1] + 1, 2)) * [1, .3]
    X = np.column_stack([X, first + nth])
    X[:, -2] += u[nth, 0] + u[nth, 1] * X[:, 0]
    return X, first + nth[-1] + 1


def weigh(X, w):
    """Weights that are those of a group's first row."""
    return w[np.searchsorted(X[:, -1], X[:, -1])]


class Effects:
    """Natural parameters, flat: P, P m, degrees of freedom, W^-1, shape, rate."""

    def __init__(self, prior):
        self.n, self.p = len(prior['coef']) + 1, len(prior['group_scatter'])
        self.prior = self.of(prior)

    @staticmethod
    def of(post):
        m, P = np.array([post['intercept'], *post['coef']]), np.array(post['precision'])
        return np.concatenate([P.ravel(), P @ m, [post['group_degrees_of_freedom']], np.ravel(post['group_scatter']),
                               [post['shape'], post['rate']]])

    def step(self, phi, X, w):
        """The statistics of the rows; None outside the domain."""
        n, p = self.n, self.p
        P, h, nu, Wi, (a, b) = np.split(phi, np.cumsum([n * n, n, 1, p * p]))
        P, Wi = P.reshape(n, n), Wi.reshape(p, p)
        if not (np.linalg.eigvalsh(P)[0] > 0 and np.linalg.eigvalsh(Wi)[0] > 0 and nu[0] > p - 1 and min(a, b) > 0):
            return None
        Sigma, L, tau = np.linalg.inv(P), nu[0] * np.linalg.inv(Wi), a / b
        m, T = Sigma @ h, np.transpose
        first = np.flatnonzero(np.diff(X[:, -1], prepend=-1))
        Z, v = np.column_stack([np.ones(len(X)), X[:, :-1]]), w[first]
        G = np.add.reduceat(Z[:, :, None] * Z[:, None, :], first)   # the sums of each group
        AA, Ay, XA, Xy = G[:, :n, :n], G[:, :n, n:], G[:, :p, :n], G[:, :p, n:]
        C = np.linalg.inv(L + tau * AA[:, :p, :p])
        K = tau * C @ XA
        u = tau * C @ Xy - K @ m[:, None]
        J, j = AA - T(XA, (0, 2, 1)) @ (tau * C @ XA), Ay - T(XA, (0, 2, 1)) @ (tau * C @ Xy)
        U = C + u @ T(u, (0, 2, 1)) + K @ Sigma @ T(K, (0, 2, 1))
        # of the errors y - A theta - X u: theta ~ N(m, Sigma), and u given theta
        B = np.concatenate([-np.broadcast_to(m[:, None], (len(G), n, 1)), np.ones((len(G), 1, 1))], axis=1)
        B[:, :p] -= u
        M = np.broadcast_to(np.eye(n), (len(G), n, n)).copy()
        M[:, :p] -= K
        error = (T(B, (0, 2, 1)) @ G @ B)[:, 0, 0] + np.einsum('gij,gik,gkl,lj->g', M, AA, M, Sigma) + np.einsum(
            'gij,gij->g', C, AA[:, :p, :p])
        size = np.diff(np.append(first, len(X)))
        return np.concatenate([(tau * np.tensordot(v, J, 1)).ravel(), tau * np.tensordot(v, j, 1).ravel(), [v.sum()],
                               np.tensordot(v, U, 1).ravel(), [v @ size / 2, v @ error / 2]])

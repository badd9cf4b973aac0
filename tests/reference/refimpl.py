"""An independent reference of meshbayes in numpy: the paper's equations in its own order (45).

Nothing here is shared with the C library: natural parameters are kept in the paper's order and in
data units, expectations are computed from the textbook parameters (alpha, beta, m, W, nu) as
Appendix A of the paper gives them, a round begins with the local step, and EDGE is written on
expected statistics.

A vector of natural parameters, eq. (45), is
    alpha_k - 1 for all k, then for each k: (nu-D)/2, -W^-1/2 - beta/2 m m' (D*D), beta m (D), -beta/2
"""
import numpy as np
from scipy.special import digamma

from refloss import arrives
from reftree import tree


class Gmm:
    """A Gaussian mixture with K components in D dimensions and its prior."""

    def __init__(self, K, D, alpha0, beta0, mu0, nu0, w0inv):
        self.K, self.D = K, D
        self.block = D * D + D + 2
        self.P = K + K * self.block
        mu0 = np.asarray(mu0, float)
        self.prior = self.natural(np.full(K, alpha0), np.full(K, nu0), np.full(K, beta0),
                                  np.tile(mu0, (K, 1)), np.tile(w0inv, (K, 1, 1)))

    def parts(self, phi):
        """Views of phi: Dirichlet (K), a (K), S (K, D, D), b (K, D), c (K)."""
        K, D = self.K, self.D
        rest = phi[K:].reshape(K, self.block)
        return (phi[:K], rest[:, 0], rest[:, 1:1 + D * D].reshape(K, D, D),
                rest[:, 1 + D * D:1 + D * D + D], rest[:, -1])

    def natural(self, alpha, nu, beta, m, winv):
        phi = np.empty(self.P)
        rest = phi[self.K:].reshape(self.K, self.block)
        phi[:self.K] = alpha - 1
        rest[:, 0] = (nu - self.D) / 2
        outer = m[:, :, None] * m[:, None, :]
        rest[:, 1:1 + self.D ** 2] = (-winv / 2 - beta[:, None, None] / 2 * outer).reshape(self.K, -1)
        rest[:, 1 + self.D ** 2:-1] = beta[:, None] * m
        rest[:, -1] = -beta / 2
        return phi

    def textbook(self, phi):
        """(alpha, nu, beta, m, W^-1), or None when phi is outside Omega, eq. (8)."""
        if not np.all(np.isfinite(phi)):
            return None
        pi, a, S, b, c = self.parts(phi)
        alpha, nu, beta = pi + 1, 2 * a + self.D, -2 * c
        if np.any(alpha <= 0) or np.any(beta <= 0) or np.any(nu <= self.D - 1):
            return None
        m = b / beta[:, None]
        winv = -2 * S - beta[:, None, None] * m[:, :, None] * m[:, None, :]
        winv = (winv + winv.transpose(0, 2, 1)) / 2
        if np.any(np.linalg.eigvalsh(winv)[:, 0] <= 0):
            return None
        return alpha, nu, beta, m, winv

    def responsibilities(self, par, X):
        """Appendix A, with -1/2 E[(x-mu)' Lambda (x-mu)] (the printed ln is an error)."""
        alpha, nu, beta, m, winv = par
        D = self.D
        ln_pi = digamma(alpha) - digamma(alpha.sum())
        ln_det = -np.linalg.slogdet(winv)[1] + D * np.log(2.0)
        ln_det = ln_det + digamma((nu[:, None] + 1 - np.arange(1, D + 1)) / 2).sum(axis=1)
        diff = X[:, None, :] - m[None, :, :]
        solved = np.linalg.solve(winv[None], diff[..., None])[..., 0]
        quad = D / beta + nu * np.einsum('nkd,nkd->nk', diff, solved)
        ln_rho = ln_pi + ln_det / 2 - D / 2 * np.log(2 * np.pi) - quad / 2
        ln_rho -= ln_rho.max(axis=1, keepdims=True)
        rho = np.exp(ln_rho)
        return rho / rho.sum(axis=1, keepdims=True)

    def statistics(self, X, w, R):
        """sum_j w_j E[u(x_j, y_j)] for given responsibilities R (n x K)."""
        wr = R * w[:, None]
        n = wr.sum(axis=0)
        out = np.zeros(self.P)
        rest = out[self.K:].reshape(self.K, self.block)
        out[:self.K] = n
        rest[:, 0] = n / 2
        rest[:, 1:1 + self.D ** 2] = -np.einsum('nk,nd,ne->kde', wr, X, X).reshape(self.K, -1) / 2
        rest[:, 1 + self.D ** 2:-1] = wr.T @ X
        rest[:, -1] = -n / 2
        return out

    def mean_statistics(self, phi):
        """grad A(phi): E ln pi; per component E ln|Lambda|, E Lambda, E Lambda mu, E mu' Lambda mu."""
        alpha, nu, beta, m, winv = self.textbook(phi)
        D, W = self.D, np.linalg.inv(winv)
        out = np.empty(self.P)
        rest = out[self.K:].reshape(self.K, self.block)
        Wm = np.einsum('kde,ke->kd', W, m)
        out[:self.K] = digamma(alpha) - digamma(alpha.sum())
        rest[:, 0] = (digamma((nu[:, None] + 1 - np.arange(1, D + 1)) / 2).sum(axis=1)
                      + D * np.log(2.0) - np.linalg.slogdet(winv)[1])
        rest[:, 1:1 + D * D] = (nu[:, None, None] * W).reshape(self.K, -1)
        rest[:, 1 + D * D:-1] = nu[:, None] * Wm
        rest[:, -1] = D / beta + nu * np.einsum('kd,kd->k', m, Wm)
        return out

    def step(self, phi, X, w):
        """Expected statistics of the rows at phi (VBE), or None outside Omega."""
        par = self.textbook(phi)
        if par is None:
            return None
        return self.statistics(X, w, self.responsibilities(par, X))


class Network:
    """N nodes, undirected edges (pairs of 0..N-1), combination weights W (N x N)."""

    def __init__(self, N, edges, rule='metropolis', W=None):
        self.N = N
        self.A = np.zeros((N, N))
        for i, j in edges:
            self.A[i, j] = self.A[j, i] = 1
        self.deg = self.A.sum(axis=1)
        self.W = self._weights(rule) if W is None else np.asarray(W, float)

    def _weights(self, rule):
        d = self.deg
        if rule == 'nearest':                                  # eq. (47)
            return (self.A + np.eye(self.N)) / (d + 1)[:, None]
        if rule == 'metropolis':
            W = self.A / (1 + np.maximum(d[:, None], d[None, :]))
        else:                                                  # laplacian
            W = self.A / (1 + d.max())
        return W + np.diag(1 - W.sum(axis=1))

    def lambda2(self):
        moduli = np.sort(np.abs(np.linalg.eigvals(self.W)))
        return moduli[-2] if self.N > 1 else 0.0

    def hops(self):
        """H: hops from the lowest node id to the farthest node."""
        far, seen, H = {0}, {0}, 0
        while len(seen) < self.N:
            far = {j for i in far for j in np.flatnonzero(self.A[i])} - seen
            seen |= far
            H += 1
        return H


class Run:
    """What every algorithm shares: local steps with the freeze rule, and what is dumped."""

    def __init__(self, gmm, net, rows, resp, jiggle=None):
        self.gmm, self.net, self.rows = gmm, net, rows
        self.scale = float(net.N)
        self.first = np.array([gmm.statistics(X, w, R) for (X, w), R in zip(rows, resp)])
        if jiggle is not None:
            self.first = self.first * (1 + jiggle)
        self.stats = self.first.copy()
        self.frozen = np.zeros(net.N, int)
        self.outside = np.zeros(net.N, bool)

    def local(self, t, phi):
        """Statistics at phi; in round 1 those of the start; outside Omega the last ones stay."""
        if t > 1:
            for i, (X, w) in enumerate(self.rows):
                new = self.gmm.step(phi[i], X, w)
                self.outside[i] = new is None
                self.frozen[i] += new is None
                if new is not None:
                    self.stats[i] = new
        return self.gmm.prior + self.scale * self.stats       # phi*, eq. (18)


def noncoop(run, phi, t, opt, s):
    return run.local(t, phi)


def nsg(run, phi, t, opt, s):
    return run.net.W @ run.local(t, phi)


def dsvb(run, phi, t, opt, s):
    eta = 1 / (opt.get('d0', 1.0) + opt.get('tau', 0.2) * t)   # eq. (29)
    return run.net.W @ (phi + eta * (run.local(t, phi) - phi))  # eq. (27)


def admm(run, phi, t, opt, s):
    rho, xi = opt.get('rho', 0.5), opt.get('xi', 0.05)
    A, deg = run.net.A, run.net.deg[:, None]
    star = run.local(t, phi)
    if t == 1:
        s['lam'] = np.zeros_like(star)
        if opt.get('start', 'local') == 'local':
            phi = star
    new = (star - 2 * s['lam'] + rho * (deg * phi + A @ phi)) / (1 + 2 * rho * deg)   # (38a)
    kappa = 1 - 1 / (1 + xi * t) ** 2                                                # (40)
    s['lam'] = s['lam'] + kappa * rho / 2 * (deg * new - A @ new)                     # (39)
    return new


class Damping:
    """The automatic eta of one node of EDGE or FLOW: from the gain of its local map and its last windows."""

    def __init__(self, gmm, at):
        self.gmm, self.at = gmm, at
        self.gain, self.ease, self.ceiling, self.stale = 0.0, 1.0, 1.0, 1.0
        self.path, self.path_before, self.grew = 0.0, None, False
        self.last = self.window = None
        self.trouble = 0
        self.froze = -1000

    def measure(self, t, phi, star, outside):
        """Between two rounds: phi and phi* at it; lengths in posterior standard deviations."""
        if self.window is None:
            self.window = (t + 20 + self.at % 20, phi, self.gmm.mean_statistics(phi))
        if outside:
            self.froze, self.last = t, None
            return
        mu = self.gmm.mean_statistics(phi)
        if self.last is not None:
            was_phi, was_mu, was_star = self.last
            q = (phi - was_phi) @ (mu - was_mu)
            self.path += np.sqrt(max(q, 0))
            if q > 1e-24:
                self.gain = max(.99 * self.gain, abs((star - was_star) @ (mu - was_mu)) / q)
        if t >= self.window[0]:
            self.judge(t, phi, mu)
        self.last = phi, mu, star.copy()

    def judge(self, t, phi, mu):
        self.trouble = self.trouble + 1 if t - self.froze <= 20 else 0
        if self.trouble == 12:
            self.ceiling = min(self.ceiling, .7 * self.ease)
            self.ease = max(.1, self.ease / 2)
            self.trouble = 0
        if self.path_before and t - self.froze > 20 and self.path > 1e-9 * np.sqrt(len(phi)):
            chord = np.sqrt(max(0, (phi - self.window[1]) @ (mu - self.window[2])))
            straight, fall = chord / self.path, self.path / self.path_before
            if straight < .8 and fall > .7 and (fall < 2 or self.grew):
                self.ceiling = min(self.ceiling, .7 * self.ease)
                self.ease = max(.1, self.ease / 2)
            elif straight > .9 and .5 < fall < 1:
                self.ease = min(16, 1.5 * self.ease)
            elif straight > .9 and fall <= .5 and self.ease < self.ceiling:
                self.ease = min(self.ceiling, 1.5 * self.ease)
            if fall > 2 and not self.grew:
                self.ceiling = 1.0
            self.grew = fall > 1
        self.path_before, self.path = self.path, 0.0
        self.window = (t + int(min(300, max(20, 8 / self.eta))), phi, mu)

    def step(self, most):
        """Without loss and delay the age of messages stays 1."""
        if self.gain > 0:
            most = min(most, .5 / self.gain)
        self.eta = min(1, max(.005, self.ease * most) / self.stale)
        return self.eta


def flow(run, phi, t, opt, s):
    net = run.net
    off = net.W * net.A
    star = run.local(t, phi)
    if t == 1:
        s['Q'] = s['Qold'] = np.zeros_like(star)
        s['flow'] = np.zeros_like(star)
        q = np.sqrt(1 - min(1.0, net.lambda2() ** 2))
        s['g'] = opt['gamma'] if 'gamma' in opt else 0.7 * (1 - q) / (1 + q)
        s['damping'], s['inside'] = [Damping(run.gmm, i) for i in range(net.N)], {}
    eta = np.full((net.N, 1), opt.get('eta', 0.3))
    if t > 1 and 'eta' not in opt:
        for i, d in enumerate(s['damping']):
            d.measure(t, phi[i], star[i], run.outside[i])
            eta[i] = d.step(min(0.3, off[i].sum() / (d.gain - 1)) if d.gain > 1 else 0.3)
            if not run.outside[i]:
                s['inside'][i] = phi[i]
    g = 0.0 if t == 1 else s['g']
    y = star - s['flow']
    Q = s['Q'] + (1 + g) * y + g * (s['Q'] - s['Qold'])
    s['Qold'], s['Q'] = s['Q'], Q
    s['flow'] = off.sum(axis=1)[:, None] * Q - off @ Q          # sum_j w_ij (Q_i - Q_j)
    target = star - s['flow']
    back = [i for i in s['inside'] if run.outside[i] and s['damping'][i].trouble >= 3]
    phi = target if t == 1 else phi + eta * (target - phi)
    for i in back:
        phi[i] = s['inside'][i]
    return phi


def edge(run, phi, t, opt, s):
    """EDGE on statistics: x_i, z_ij, abar_i."""
    net = run.net
    H = net.hops()
    hold = H if H >= 24 and 'eta' not in opt else 0
    if t == 1:
        stiff = np.sqrt(np.outer(net.deg, net.deg).clip(1))
        if 'kappa' in opt:
            s['rho'] = opt['kappa'] * net.A / stiff
        else:
            least = .7 / np.minimum(net.deg[:, None], net.deg[None, :]).clip(1)
            s['rho'] = net.A * np.maximum(max(4., .3 * H) / stiff, least)
        s['x'] = run.first.copy()
        s['z'] = s['rho'][:, :, None] * s['x'][:, None, :]
        s['abar'] = s['x'].copy()
        s['damping'] = [Damping(run.gmm, i) for i in range(net.N)]
    eta = np.full((net.N, 1), 1.0)
    if t > max(2, hold):
        most = min(.4, 5 / H) if H else .4
        eta[:, 0] = opt['eta'] if 'eta' in opt else [d.step(most) for d in s['damping']]
    weight = (1 + s['rho'].sum(axis=1))[:, None]
    mean = (s['x'] + s['z'].sum(axis=1)) / weight
    s['abar'] = s['abar'] + eta * (mean - s['abar'])
    phi = run.gmm.prior + run.scale * s['abar']
    star = run.local(t + 1, phi)
    if t + 1 > max(2, hold) and 'eta' not in opt:
        for i, d in enumerate(s['damping']):
            d.measure(t + 1, phi[i], star[i], run.outside[i])
    s['x'] = run.first.copy() if t + 1 <= hold else run.stats.copy()
    mean = (s['x'] + s['z'].sum(axis=1)) / weight
    m = 2 * s['rho'][:, :, None] * mean[:, None, :] - s['z']
    alpha = opt.get('alpha', 0.95)
    heard = arrives(net.N, t + 1, opt.get('loss', 0)).T[:, :, None] * net.A[:, :, None]
    s['z'] = np.where(heard > 0, (1 - alpha) * s['z'] + alpha * m.transpose(1, 0, 2), s['z'])
    return phi


def average(run, phi, t, opt, s):
    """m averaging rounds of phi* in every VB step, eq. (20)."""
    m = opt.get('m', 20)
    if (t - 1) % m == 0:
        s['y'] = run.local(t, phi)
    s['y'] = run.net.W @ s['y']
    return s['y'] if t % m == 0 else phi


def incremental(run, phi, t, opt, s):
    """A token round the ring: each holder replaces its share of the mean of phi*."""
    N, prior = run.net.N, run.gmm.prior
    if t == 1:
        ring = [0]
        while len(ring) < N:
            ring.append(min(j for j in np.flatnonzero(run.net.A[ring[-1]]) if j not in ring))
        s.update(ring=ring, share=run.local(1, phi), token=prior)
    holder, heir = s['ring'][(t - 1) % N], s['ring'][t % N]
    fresh = s['share'][holder] if t <= N else run.local(t, phi)[holder]
    old = prior if t <= N else s['share'][holder]
    s['token'] = s['token'] + (fresh - old) / N
    s['share'][holder] = fresh
    phi = phi.copy()
    phi[heir] = s['token'] + ((s['share'][heir] - prior) / N if t < N else 0)
    if t == 1:
        phi[holder] = s['token']
    return phi


ALGORITHMS = {f.__name__: f for f in (noncoop, nsg, dsvb, admm, flow, edge, tree, average,
                                         incremental)}


def iterate(name, gmm, net, rows, resp, at, opt=None, jiggle=None, state=None):
    """phi (len(at), N, P) after the rounds `at`; cvb pools the rows at one node."""
    if name == 'cvb':
        X = np.concatenate([r[0] for r in rows])
        w = np.concatenate([r[1] for r in rows])
        rows, resp, net, name = [(X, w)], [np.concatenate(resp)], Network(1, []), 'noncoop'
        jiggle = None if jiggle is None else jiggle[:1]
    run = Run(gmm, net, rows, resp, jiggle)
    phi = np.tile(gmm.prior, (net.N, 1))
    state, out = {} if state is None else state, []
    for t in range(1, max(at) + 1):
        phi = ALGORITHMS[name](run, phi, t, opt or {}, state)
        if t in at:
            out.append(phi.copy())
    return np.array(out), run


def range_units(X):
    """Middle and power-of-two spread of each column's range: where the weak prior is."""
    lo, hi = X.min(axis=0), X.max(axis=0)
    quarter = np.where(hi > lo, (hi - lo) / 4, 1.0)
    scale = np.where(hi > lo, 2.0 ** np.round(np.log2(quarter)), 1.0)
    return (lo + hi) / 2, scale


def common_units(X, w=None):
    """Origin and power-of-two scale a network agrees on: from mean and standard deviation."""
    mean = np.average(X, axis=0, weights=w)
    total = len(X) if w is None else np.sum(w)
    sd = np.sqrt(((X - mean) ** 2 * (1 if w is None else np.asarray(w)[:, None])).sum(axis=0) / (total - 1))
    scale = np.where(sd > 0, 2.0 ** np.round(np.log2(np.where(sd > 0, sd, 1))), 1.0)
    return np.where(sd > 0, np.round(mean / scale * 64) / 64 * scale, mean), scale


def nearest(X, centres, origin, scale):
    """Hard responsibilities of the nearest centre, lowest index on a tie."""
    a, b = (X - origin) / scale, (centres - origin) / scale
    d2 = ((a[:, None, :] - b[None]) ** 2).sum(axis=2)
    return np.eye(len(centres))[np.argmin(d2, axis=1)]

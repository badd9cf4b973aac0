"""TREE: sums of (statistics, count) over a breadth-first tree, as refimpl's algorithms are."""
import numpy as np

from refloss import arrives


def breadth_first(A):
    """The tree from node 0 (N x N) of links A, the mean distance in it, and its diameter."""
    N = len(A)
    T, depth = np.zeros((N, N)), {0: 0}
    while len(depth) < N:
        last = sorted(i for i in depth if depth[i] == max(depth.values()))
        for i in last:
            for j in np.flatnonzero(A[i]):
                if j not in depth:
                    T[i, j] = T[j, i] = 1
                    depth[j] = depth[i] + 1
    hop = np.where(T > 0, 1, np.where(np.eye(N) > 0, 0, N))
    for k in range(N):                                         # Floyd and Warshall
        hop = np.minimum(hop, hop[:, [k]] + hop[[k]])
    return T, hop.mean(), hop.max()


def watch(s, t):
    """In windows of four diameters: going round halves a node's ease, a slow straight approach doubles it."""
    if s['window'] is None:
        s['window'], s['earlier'] = (t, s['abar'], 0), None
        return
    begun, where, way = s['window']
    way = way + np.linalg.norm(s['abar'] - s['before'], axis=1)
    s['window'] = begun, where, way
    if t - begun >= max(20, 4 * s['first']):
        if s['earlier'] is not None:
            with np.errstate(invalid='ignore'):                # nodes that have not moved
                straight, fall = np.linalg.norm(s['abar'] - where, axis=1) / way, way / s['earlier']
            for i in range(len(way)):
                if straight[i] < .3 and fall[i] > .85:
                    s['ease'][i] /= 2
                    s['most'][i] = s['ease'][i] if s['doubled'][i] else s['most'][i]
                elif straight[i] > .9 and .5 < fall[i] < 1 and s['ease'][i] < s['most'][i]:
                    s['ease'][i], s['doubled'][i] = 2 * s['ease'][i], True
        s['earlier'], s['window'] = way, (t, s['abar'], 0)


def tree(run, phi, t, opt, s):
    """I[i, j], c[i, j] are what i heard from j last."""
    N = run.net.N
    if t == 1:
        T, mean, s['first'] = breadth_first(run.net.A)
        s.update(T=T, lead=min(.4 * mean, 1.5), x=run.first.copy(), I=np.zeros((N, N, run.gmm.P)),
                 c=np.zeros((N, N)), mean=run.first, abar=run.first, before=run.first, ease=np.ones(N),
                 most=np.ones(N), doubled=np.zeros(N, bool), window=None)
    count = 1 + s['c'].sum(axis=1)
    mean = (s['x'] + s['I'].sum(axis=1)) / count[:, None]
    eta, momentum, lead = opt.get('eta', .4), opt.get('momentum', .5), opt.get('lead', s['lead'])
    ease = s['ease'][:, None]
    abar = s['abar'] + eta * (mean + ease * lead * (mean - s['mean']) - s['abar']) \
        + ease * momentum * (s['abar'] - s['before'])
    abar = np.where(count[:, None] == N, abar, s['abar']) if t > s['first'] else mean
    s.update(before=s['abar'], abar=abar, mean=mean)
    if 'lead' not in opt and t > s['first']:
        watch(s, t)
    phi = run.gmm.prior + run.scale * abar
    run.local(t + 1, phi)
    s['x'] = run.stats.copy()
    I, c = s['I'].copy(), s['c'].copy()
    for i, j in np.argwhere(s['T'] * arrives(N, t + 1, opt.get('loss', 0))):      # i sends to j
        others = [k for k in np.flatnonzero(s['T'][i]) if k != j]
        I[j, i] = s['x'][i] + s['I'][i, others].sum(axis=0)
        c[j, i] = 1 + s['c'][i, others].sum()
    s['I'], s['c'] = I, c
    return phi

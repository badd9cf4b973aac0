#!/usr/bin/python3
"""check_edge_form.py PROGRAM: with kappa, eta and alpha given, EDGE's iterates are those of its former
version, which averaged phi* instead of statistics: 200 lossless rounds within 1e-12 relative, on a path,
a star, a ring and a grid."""
import os

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np

import refimpl as ref
from harness import main, worst

ROUNDS, TOL = 200, 1e-12
NETS = {
    'path:n=6': (6, [(i, i + 1) for i in range(5)]),
    'star:n=8': (8, [(0, i) for i in range(1, 8)]),
    'ring:n=9': (9, [(i, (i + 1) % 9) for i in range(9)]),
    'grid:rows=3,cols=3': (9, [(i, i + 1) for i in range(9) if i % 3 < 2]
                           + [(i, i + 3) for i in range(6)]),
}
SETTINGS = [{'kappa': 4.0, 'eta': 0.4, 'alpha': 0.95}, {'kappa': 9.0, 'eta': 0.1, 'alpha': 1.0}]


def on_phi_star(gmm, net, rows, resp, opt):
    """x_i = phi*_i, z_ij = rho_ij phi*_i at first; phi follows S_i; eta = 1 in the first two rounds."""
    run = ref.Run(gmm, net, rows, resp)
    rho = opt['kappa'] * net.A / np.sqrt(np.outer(net.deg, net.deg))
    weight = (1 + rho.sum(axis=1))[:, None]
    star = run.local(1, None)
    phi, z, out = star.copy(), rho[:, :, None] * star[:, None, :], [star]
    for t in range(2, ROUNDS + 1):
        star = run.local(t, phi)
        S = (star + z.sum(axis=1)) / weight
        m = 2 * rho[:, :, None] * S[:, None, :] - z
        z = ((1 - opt['alpha']) * z + opt['alpha'] * m.transpose(1, 0, 2)) * net.A[:, :, None]
        S = (star + z.sum(axis=1)) / weight
        phi = phi + (1 if t <= 2 else opt['eta']) * (S - phi)
        out.append(phi)
    return np.array(out)


def check(claims, prog):
    K, D = 3, 2
    for number, (topology, (N, edges)) in enumerate(NETS.items()):
        rng = np.random.default_rng(70 + number)
        y = rng.integers(0, K, (N, 40))
        X = 3 * np.eye(K)[y][:, :, :D] + rng.normal(size=(N, 40, D))
        R = 0.7 * np.eye(K)[y] + 0.3 / K
        prog.write_csv('rows.csv', ['node', 'a', 'b'],
                       [[i + 1, *map(float, row)] for i in range(N) for row in X[i]])
        prog.write_csv('resp.csv', ['r0', 'r1', 'r2'], R.reshape(-1, K).tolist())
        prior = {'prior.alpha0': 0.5, 'prior.beta0': 1, 'prior.mu0': '0,0', 'prior.nu0': 4,
                 'prior.w0inv': 1}
        gmm = ref.Gmm(K, D, 0.5, 1.0, np.zeros(D), 4.0, np.eye(D))
        for opt in SETTINGS:
            got = prog.sim('phi.npy', data='rows.csv', node_column='node', topology=topology,
                           n_components=K, init='responsibilities:resp.csv', tol=0, rounds=ROUNDS,
                           standardize='off', algorithm='edge',
                           dump_at=','.join(map(str, range(1, ROUNDS + 1))),
                           extra={**prior, **{f'edge.{k}': v for k, v in opt.items()}})
            want = on_phi_star(gmm, ref.Network(N, edges), [(x, np.ones(40)) for x in X], R, opt)
            far = worst(got, want)
            claims.check(far <= TOL, f'{topology} {opt}: {far:.1e} relative in {ROUNDS} rounds')


if __name__ == '__main__':
    main(check)

#!/usr/bin/env python3
"""Linear regression against its closed form, in numpy and by another way: the posterior of all rows,
over one machine and over networks; usage: check_linreg.py PROGRAM"""
import numpy as np

import harness

SAME = 1e-9
NETS = ['geometric:n=20,side=2,radius=0.8', 'star:n=20', 'ring:n=20', 'grid:rows=4,cols=5']


def data(seed, n=300, offset=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1, 10, .1] + [5, 100, 0] + offset
    y = 3 + (X - offset) @ [2, -.5, 7] + .3 * rng.normal(size=n)
    return X, y, rng.integers(0, 20, n), rng.uniform(.2, 3, n)


def write(prog, name, X, y, site, w):
    """The target in the midst of the inputs."""
    rows = [[int(s), x[0], t, x[1], x[2], v] for s, x, t, v in zip(site, X, y, w)]
    return prog.write_csv(name, ['site', 'a', 'y', 'b', 'c', 'w'], rows)


def prior_of(post):
    """a, b, m, Lambda of the file's prior."""
    prior = post['prior']
    m = ([] if prior['intercept'] is None else [prior['intercept']]) + prior['coef']
    return prior['shape'], prior['rate'], np.array(m), np.array(prior['precision'])


def closed_form(post, X, y, w):
    """The posterior by adding up; b by the residuals, not by a difference of squares."""
    a, b, m0, L0 = prior_of(post)
    Z = np.column_stack([np.ones(len(y)), X]) if post['intercept'] is not None else X
    L = L0 + (Z.T * w) @ Z
    m = m0 + np.linalg.solve(L, (Z.T * w) @ (y - Z @ m0))
    r, d = y - Z @ m, m - m0
    return a + w.sum() / 2, b + (w * r * r).sum() / 2 + d @ L0 @ d / 2, m, L


def error(post, want):
    a, b, m, L = want
    got = ([] if post['intercept'] is None else [post['intercept']]) + post['coef']
    scale = ([] if post['intercept'] is None else [post['intercept_scale']]) + post['coef_scale']
    sd = np.sqrt(b / a * np.diag(np.linalg.inv(L)))
    G = np.array(post['precision'])
    return max(abs(post['shape'] / a - 1), abs(post['rate'] / b - 1), np.abs((got - m) / sd).max(),
               np.abs((np.array(scale) - sd) / sd).max(), np.abs(G - L).max() / np.abs(L).max())


def one_machine(claims, prog):
    for title, weights, options in [
            ('with an intercept', None, []), ('through the origin', None, ['--intercept', 'off']),
            ('with row weights', 'w', ['--weight-column', 'w']),
            ('in raw columns', None, ['--standardize', 'off']),
            ('with a prior of its own', None, ['--prior.a0', 2, '--prior.b0', .7, '--prior.m0', '1,2,-3,4',
                                               '--prior.lambda0', .25])]:
        X, y, site, w = data(1)
        # Without --weight-column w would be an input: leave it out.
        rows = [[x[0], t, x[1], x[2]] + ([v] if weights else []) for x, t, v in zip(X, y, w)]
        prog.write_csv('one.csv', ['a', 'y', 'b', 'c'] + ([weights] if weights else []), rows)
        prog.run('fit', '--model', 'linreg', '--data', 'one.csv', '--target-column', 'y', *options,
                 '--out', 'one.json')
        post = prog.json('one.json')
        e = error(post, closed_form(post, X, y, w if weights else np.ones(len(y))))
        claims.check(e <= SAME and post['features'] == ['a', 'b', 'c'] and post['target'] == 'y',
                     f'one machine {title}: the closed form to {e:.1e} (limit {SAME:g})')


def networks(claims, prog):
    X, y, site, w = data(2)
    write(prog, 'rows.csv', X, y, site, w)
    for net in NETS:
        prog.sim(model='linreg', data='rows.csv', node_column='site', weight_column='w',
                 target_column='y', topology=net, algorithm='admm,edge,flow', rounds=4000, tol=1e-13,
                 seed=1, out='net')
        for name in ('admm', 'edge', 'flow'):
            post = prog.json(f'net/posterior-{name}.json')
            e = error(post, closed_form(post, X, y, w))
            apart = [a['disagreement'] for a in prog.json('net/summary.json')['algorithms']
                     if a['name'] == name][0]
            claims.check(e <= SAME and apart <= SAME,
                         f'{name} on {net}: the closed form to {e:.1e}, nodes apart {apart:.1e}')
    prog.sim(model='linreg', data='rows.csv', node_column='site', weight_column='w', target_column='y',
             topology=NETS[0], algorithm='edge', loss_directed=.3, rounds=4000, tol=1e-13, out='lossy')
    post = prog.json('lossy/posterior.json')
    e = error(post, closed_form(post, X, y, w))
    claims.check(e <= SAME, f'edge with 30 % of the messages lost: the closed form to {e:.1e}')


def far_away(claims, prog):
    X, y, site, w = data(3, offset=1e6)
    write(prog, 'far.csv', X, y, site, w)
    prog.run('fit', '--model', 'linreg', '--data', 'far.csv', '--target-column', 'y', '--weight-column',
             'w', '--out', 'far.json')
    write(prog, 'near.csv', X - 1e6, y, site, w)
    prog.run('fit', '--model', 'linreg', '--data', 'near.csv', '--target-column', 'y', '--weight-column',
             'w', '--out', 'near.json')
    far, near = prog.json('far.json'), prog.json('near.json')
    e = np.abs((np.array(far['coef']) - near['coef']) / near['coef_scale']).max()
    claims.check(e <= 1e-8, f'inputs at an offset of 1e6: the same coefficients to {e:.1e} of their scales')


def check(claims, prog):
    for part in (one_machine, networks, far_away):
        part(claims, prog)


if __name__ == '__main__':
    harness.main(check)

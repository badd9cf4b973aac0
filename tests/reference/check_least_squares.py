#!/usr/bin/env python3
"""Intervals of a linear regression with default options are those of least squares: by QR in numpy, by
lm of R 4.2 (confint and sigma) and by NIST's certified values for Longley's data; usage:
check_least_squares.py PROGRAM"""
import csv
import pathlib
import subprocess
import sys

import numpy as np
from scipy import stats

import harness

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'answers'))
import coverage  # noqa: E402

SAME = 1e-6
# Longley (1967) as in NIST's Statistical Reference Datasets: y, x1 .. x6; certified coefficients and
# standard deviations, constant first; the residual standard deviation.
LONGLEY = np.array("""60323 83.0 234289 2356 1590 107608 1947  61122 88.5 259426 2325 1456 108632 1948
60171 88.2 258054 3682 1616 109773 1949  61187 89.5 284599 3351 1650 110929 1950
63221 96.2 328975 2099 3099 112075 1951  63639 98.1 346999 1932 3594 113270 1952
64989 99.0 365385 1870 3547 115094 1953  63761 100.0 363112 3578 3350 116219 1954
66019 101.2 397469 2904 3048 117388 1955  67857 104.6 419180 2822 2857 118734 1956
68169 108.4 442769 2936 2798 120445 1957  66513 110.8 444546 4681 2637 121950 1958
68655 112.6 482704 3813 2552 123366 1959  69564 114.2 502601 3931 2514 125368 1960
69331 115.7 518173 4806 2572 127852 1961  70551 116.9 554894 4007 2827 130081 1962"""
                   .split(), float).reshape(16, 7)
CERTIFIED = np.array([[-3482258.63459582, 890420.383607373], [15.0618722713733, 84.9149257747669],
                      [-.0358191792925910, .0334910077722432], [-2.02022980381683, .488399681651699],
                      [-1.03322686717359, .214274163161675], [-.0511041056535807, .226073200069370],
                      [1829.15146461355, 455.478499142212]])
RESIDUAL = 304.854073561965
# R's data sets mtcars (Motor Trend, 1974) and swiss (1888), in data/: the target is the first column.
# Ends of the 95 % intervals of lm(target ~ .), intercept first, and the residual standard error.
LM = {'mtcars': ([[-26.622597445985583, 51.229345757977889], [-2.284685530626577, 2.061804574852852],
                  [-.023801464972149099, .050471944798831332], [-.066752357783109784, .023788119804836950],
                  [-2.613833502529814, 4.188055447002048], [-7.654954133285790, .22434627663083040],
                  [-.69883420648290939, 2.340915705832172], [-4.058802418592952, 4.694328046963781],
                  [-1.756812077580135, 6.797265851996992], [-2.449991071742711, 3.760817105906293],
                  [-1.922904422887913, 1.524065913175384]], 21, 2.6501970278655085),
      'swiss': ([[45.293900144308637, 88.536463213628750], [-.31409562418349818, -.030132317699412381],
                 [-.77072566803826281, .25470918836881484], [-1.240573822575172, -.50130630330367576],
                 [.032910653017193980, .17532000847034099], [.30614966656053477, 1.847946614821439]],
                41, 7.1653688320027316)}


def least_squares(X, y, w=None, intercept=True):
    """Coefficients and half widths of their 95 % intervals; a row of weight w counts as w rows."""
    Z = np.column_stack([np.ones(len(y)), X]) if intercept else X
    w = np.ones(len(y)) if w is None else w
    size = np.abs(Z).max(0)
    Q, R = np.linalg.qr(Z / size * np.sqrt(w)[:, None])
    b = np.linalg.solve(R, Q.T @ (y * np.sqrt(w))) / size
    dof = w.sum() - Z.shape[1]
    s = np.sqrt((w * (y - Z @ b)**2).sum() / dof)
    half = stats.t.ppf(.975, dof) * s * np.sqrt((np.linalg.inv(R)**2).sum(1)) / size
    return b, half, dof, s


def intervals(post, t=None):
    """The same of a posterior file, of target t where there are several."""
    def of(x):
        return x if t is None else x[t]
    b, scale = list(of(post['coef'])), list(of(post['coef_scale']))
    if post['intercept'] is not None:
        b, scale = [of(post['intercept'])] + b, [of(post['intercept_scale'])] + scale
    dof = post['degrees_of_freedom']
    return np.array(b), stats.t.ppf(.975, dof) * np.array(scale), dof, np.sqrt(of(post['rate']) / post['shape'])


def error(got, want):
    """Largest relative difference of ends of intervals, degrees of freedom and noise."""
    low = np.abs((got[0] - got[1]) / (want[0] - want[1]) - 1).max()
    high = np.abs((got[0] + got[1]) / (want[0] + want[1]) - 1).max()
    return max(low, high, abs(got[2] / want[2] - 1), abs(got[3] / want[3] - 1))


def drawn(seed, n, p):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * 10.0**rng.integers(-2, 3, p) + rng.normal(size=p)
    return X, 3 + X @ rng.normal(size=p) + rng.normal(size=n), rng.integers(1, 5, n)


def fit(prog, X, y, *options, name='ls', weights=None):
    """The program's posterior of these rows; y may have several columns."""
    Y = y.reshape(len(X), -1)
    targets = [f'y{t}' for t in range(Y.shape[1])]
    header = [f'x{d}' for d in range(X.shape[1])] + targets + ([] if weights is None else ['w'])
    rows = np.column_stack([X, Y] + ([] if weights is None else [weights]))
    prog.write_csv(f'{name}.csv', header, [[float(v) for v in r] for r in rows])
    more = [] if weights is None else ['--weight-column', 'w']
    done = subprocess.run([prog.path, 'fit', '--model', 'linreg', '--data', f'{name}.csv', '--target-column',
                           ','.join(targets), *more, *options, '--out', f'{name}.json'],
                          cwd=prog.folder, capture_output=True, text=True, check=True)
    return prog.json(f'{name}.json'), done.stderr


def known(name):
    """Inputs and target of data/NAME.csv, and the intervals of R's lm as least_squares gives its own."""
    with open(pathlib.Path(__file__).parent / 'data' / f'{name}.csv', newline='') as f:
        rows = np.array(list(csv.reader(f))[1:], float)
    ends, dof, sigma = LM[name]
    ends = np.array(ends)
    return rows[:, 1:], rows[:, 0], (ends.mean(1), np.diff(ends)[:, 0] / 2, dof, sigma)


def of_r(claims, prog):
    for name in LM:
        X, y, want = known(name)
        e = error(least_squares(X, y), want)
        claims.check(e <= 1e-7, f'{name}: QR here is lm of R, whose qt has nine digits, to {e:.1e}')
        e = error(intervals(fit(prog, X, y, name=name)[0]), want)
        claims.check(e <= SAME, f'{name}: lm of R to {e:.1e}')
        for run in (('sim', '--algorithm', 'cvb'), ('sim',), ('up', '--virtual', '--loss', '.3')):
            prog.run(*run, '--model', 'linreg', '--data', f'{name}.csv', '--target-column', 'y0', '--topology',
                     'ring:n=6', '--out', 'net')
            e = error(intervals(prog.json('net/posterior.json')), want)
            claims.check(e <= SAME, f'{name}, {" ".join(run)}, 6 nodes: lm of R to {e:.1e}')


def certified(claims, prog):
    post, _ = fit(prog, LONGLEY[:, 1:], LONGLEY[:, 0])
    half = stats.t.ppf(.975, 9) * CERTIFIED[:, 1]
    e = error(intervals(post), (CERTIFIED[:, 0], half, 9, RESIDUAL))
    claims.check(e <= SAME, f"Longley's data: NIST's certified values to {e:.1e}")


def one_machine(claims, prog):
    X, y, w = drawn(1, 20, 9)
    e = error(intervals(fit(prog, X, y)[0]), least_squares(X, y))
    claims.check(e <= SAME, f'20 rows, 9 inputs: least squares to {e:.1e}')
    e = error(intervals(fit(prog, X, y, weights=w)[0]), least_squares(X, y, w))
    claims.check(e <= SAME, f'rows of weight w count as w rows: to {e:.1e}')
    e = error(intervals(fit(prog, X, y, '--intercept', 'off')[0]), least_squares(X, y, intercept=False))
    claims.check(e <= SAME, f'through the origin: to {e:.1e}')
    both = np.column_stack([y, X[:, 0] - 2 * y + drawn(2, 20, 1)[1]])
    post = fit(prog, X, both)[0]
    e = max(error(intervals(post, t), least_squares(X, both[:, t])) for t in (0, 1))
    claims.check(e <= SAME, f'two targets: each to {e:.1e}')


def prediction(claims, prog):
    X, y, _ = drawn(3, 20, 9)
    fit(prog, X, y, name='train')
    new = drawn(4, 30, 9)[0]
    prog.write_csv('new.csv', [f'x{d}' for d in range(9)], [[float(v) for v in r] for r in new])
    out = prog.run('predict', '--posterior', 'train.json', '--data', 'new.csv').split('\n')
    at = [out[0].split(',').index(c) for c in ('lower', 'upper')]
    got = np.array([[float(line.split(',')[k]) for k in at] for line in out[1:] if line])
    Z, z = np.column_stack([np.ones(20), X]), np.column_stack([np.ones(30), new])
    b, _, dof, s = least_squares(X, y)
    half = stats.t.ppf(.975, dof) * s * np.sqrt(1 + ((z @ np.linalg.pinv(Z))**2).sum(1))
    e = np.abs(got / np.column_stack([z @ b - half, z @ b + half]) - 1).max()
    claims.check(e <= SAME, f'prediction intervals of 30 rows: to {e:.1e}')


def networks(claims, prog):
    X, y, _ = drawn(5, 30, 8)
    fit(prog, X, y, name='net')
    want = least_squares(X, y)
    for algorithm, more in (('edge', []), ('tree', []), ('flow', []), ('edge', ['--loss', '.3'])):
        prog.run('sim', '--model', 'linreg', '--data', 'net.csv', '--target-column', 'y0', '--topology',
                 'ring:n=10', '--algorithm', algorithm, '--tol', '1e-9', '--out', 'net', *more)
        e = error(intervals(prog.json('net/posterior.json')), want)
        claims.check(e <= SAME, f'{algorithm} {" ".join(more)} over 10 nodes of 3 rows: least squares to {e:.1e}')


def many_inputs(claims, prog):
    X, y, _ = drawn(10, 180, 66)
    fit(prog, X, y, name='wide')
    prog.run('up', '--virtual', '--model', 'linreg', '--data', 'wide.csv', '--target-column', 'y0', '--topology',
             'ring:n=4', '--out', 'wide')
    e = error(intervals(prog.json('wide/posterior.json')), least_squares(X, y))
    claims.check(e <= SAME, f'nodes that see 64 of 180 rows with 66 inputs: to {e:.1e}')


def updates(claims, prog):
    X, y, _ = drawn(6, 40, 8)
    fit(prog, X[:20], y[:20], name='first')
    post, _ = fit(prog, X[20:], y[20:], '--update', 'first.json', name='second')
    e = error(intervals(post), least_squares(X, y))
    claims.check(e <= SAME, f'two batches: least squares of all rows to {e:.1e}')


def forgotten(claims, prog):
    X, y, _ = drawn(9, 40, 8)
    fit(prog, X[:20], y[:20], name='first')
    post, _ = fit(prog, X[20:], y[20:], '--update', 'first.json', '--forget', '.6', name='second')
    e = error(intervals(post), least_squares(X, y, np.repeat([.6, 1], 20)))
    claims.check(e <= SAME, f'--forget .6: earlier rows have weight .6, to {e:.1e}')
    with open(prog.file('second.csv')) as rows:
        subprocess.run([prog.path, 'fit', '--follow', '-', '--update', 'first.json', '--window', 'rows=15', '--every',
                        'rows=5', '--out', 'window.json'], cwd=prog.folder, stdin=rows, capture_output=True, check=True)
    e = error(intervals(prog.json('window.json')), least_squares(X[25:], y[25:]))
    claims.check(e <= SAME, f'a window of 15 rows: least squares of the newest 15 to {e:.1e}')


def undetermined(claims, prog):
    X, y, _ = drawn(7, 10, 20)
    for title, inputs, target in (('more inputs than rows', X, y),
                                  ('collinear inputs', np.column_stack([X[:, :3], X[:, :3] @ [1., 2, 3]]), y),
                                  ('a constant input', np.column_stack([X[:, :3], np.ones(10)]), y),
                                  ('no noise', X[:, :3], X[:, :3] @ [1., 2, 3])):
        post, said = fit(prog, inputs, target)
        claims.check('--linreg.relevance on' in said and post['prior']['shape'] > 0,
                     f'{title}: a proper prior, and a line that says so')
    X, y, _ = drawn(8, 20, 9)
    _, said = fit(prog, X, y)
    claims.check('warning' not in said, 'least squares that are determined: no warning')
    for prior in ('empirical', 'weak'):
        post, _ = fit(prog, X, y, '--prior', prior)
        claims.check(post['degrees_of_freedom'] == 21, f'--prior {prior}: n + 1 degrees of freedom, as before')


def covered(claims, prog):
    for p in (9, 14):
        share = coverage.linreg(prog.path, 200, 20, p, 1)
        claims.check(.92 <= share <= .98, f'20 rows, {p} inputs, 200 draws: {share:.3f} of 95 % intervals cover')


def check(claims, prog):
    for part in (of_r, certified, one_machine, prediction, networks, many_inputs, updates, forgotten, undetermined,
                 covered):
        part(claims, prog)


if __name__ == '__main__':
    harness.main(check)

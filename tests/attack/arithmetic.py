#!/usr/bin/env python3
"""Rows at the edge of what can be computed: results are finite or refused in one clear line, nothing that
can not be negative is printed so, and predictions are those of independent arithmetic on the posterior.
usage: arithmetic.py PROGRAM [--quick] [--seed S]"""
import json
import math
import os
import re
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import drawn_cases  # noqa: E402

VALUE_MAX, WEIGHT_MAX = 1e100, 1e15
SAME = 1e-10
NO_WORDS = re.compile(rb'w0inv\[|statistic \d|(?<![a-z])-?(nan|inf)(?![a-z])', re.I)


# ---- independent arithmetic on a posterior file

def digamma(x):
    x, shift = np.array(x, float), 0.0
    while (x < 10).any():
        small = x < 10
        shift = shift - np.where(small, 1 / x, 0)
        x = np.where(small, x + 1, x)
    y = 1 / (x * x)
    return shift + np.log(x) - 0.5 / x - y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * 691 / 32760)))))


def ln_gamma_ratio(a, half_steps):
    """ln Gamma(a) - ln Gamma(a - half_steps/2) by Stirling's series where both are large."""
    b = a - 0.5 * half_steps
    if b < 50:
        return math.lgamma(a) - math.lgamma(b)
    d = a - b

    def tail(z):
        return 1 / (12 * z) - 1 / (360 * z**3) + 1 / (1260 * z**5)
    return d * math.log(b) + (a - 0.5) * math.log1p(d / b) - d + tail(a) - tail(b)


def squares(post, x):
    """(x - m)' W (x - m) and ln det W^-1 of each component, in units in which nothing overflows; and the
    largest condition number."""
    out, worst = [], 1.0
    for m, winv in zip(np.array(post['means']), np.array(post['w_inverse'])):
        s = np.sqrt(np.diag(winv))
        L = np.linalg.cholesky(winv / s / s[:, None])
        worst = max(worst, np.linalg.cond(L)**2)
        z = np.linalg.solve(L, ((x - m) / s).T)
        out.append(((z * z).sum(axis=0), 2 * np.log(np.diag(L)).sum() + 2 * np.log(s).sum()))
    return out, worst


def log_density(post, x):
    D, terms = x.shape[1], []
    found, worst = squares(post, x)
    for k, (q, logdet) in enumerate(found):
        beta, nu = post['mean_precision'][k], post['degrees_of_freedom'][k]
        g = beta / (1 + beta)
        terms.append(math.log(post['weights'][k]) + ln_gamma_ratio((nu + 1) / 2, D) - 0.5 * D * (math.log(math.pi) - math.log(g))
                     - 0.5 * logdet - 0.5 * (nu + 1) * np.log1p(g * q))
    return np.logaddexp.reduce(terms, axis=0), worst


def responsibilities(post, x):
    D, terms = x.shape[1], []
    alpha = np.array(post['weight_concentration'])
    for k, (q, logdet) in enumerate(squares(post, x)[0]):
        beta, nu = post['mean_precision'][k], post['degrees_of_freedom'][k]
        terms.append(digamma(alpha[k]) + 0.5 * (digamma((nu - np.arange(D)) / 2).sum() - logdet) - 0.5 * D / beta - 0.5 * nu * q)
    terms = np.array(terms)
    r = np.exp(terms - terms.max(axis=0))
    return (r / r.sum(axis=0)).T, np.abs(terms).max()


# ---- cases

TAME = ['plain', 'plain', 'scaled', 'large', 'whole']
KINDS = TAME + ['plain', 'tiny', 'huge', 'constant', 'equal', 'offset', 'cell']
WEIGHTS = ['none', 'none', 'none', 'whole', 'heavy', 'light', 'huge', 'zero', 'mixed']


class Case:
    """Rows, weights and options drawn by a generator, and what must come of them."""

    def __init__(self, rng):
        self.n, self.D, self.K = int(rng.integers(1, 60)), int(rng.integers(1, 5)), int(rng.integers(1, 4))
        self.x, self.tame = self.rows(rng), True  # tame: arithmetic in numpy can tell what is right
        calm = rng.random() < .5
        for d in range(self.D):
            self.column(rng, d, TAME if calm else KINDS)
        self.w = self.weights(rng, ['none', 'whole'] if calm else WEIGHTS)
        self.npy = self.w is None and rng.random() < .3
        self.options = ['--n-components', self.K, '--threads', 1, '--rounds', int(rng.integers(1, 40))]
        if rng.random() < .3:
            self.options += ['--init', rng.choice(['farthest', 'random'])]
        if rng.random() < .2:
            self.options += ['--standardize', 'off']
            self.tame &= bool(np.abs(self.x).max() < 1e3 and np.abs(self.x).max() > 1e-3)
        elif rng.random() < .2:
            self.options += ['--precision', 'float32']
        if rng.random() < .3:
            name, value = [('alpha0', '1e-300'), ('alpha0', '1e12'), ('beta0', '1e-300'), ('beta0', '1e12'), ('mu0', '1e99'),
                           ('mu0', '0'), ('nu0', str(self.D)), ('nu0', '1e12'), ('w0inv', '1e-200'), ('w0inv', '1e200')][rng.integers(10)]
            self.options += [f'--prior.{name}', value]
            self.tame &= value in ('0', str(self.D))
        # What can be read is below the limits; the first that is not is named.
        self.bad = None
        for r in range(self.n):
            for d in range(self.D):
                if self.bad is None and not abs(self.x[r, d]) <= VALUE_MAX:
                    self.bad = (r, d, 'value')
        if self.bad is None and self.w is not None and (self.w > WEIGHT_MAX).any():
            self.bad = (int(np.argmax(self.w > WEIGHT_MAX)), self.D, 'weight')

    def rows(self, rng):
        centres = rng.normal(size=(self.K, self.D)) * 5
        return rng.normal(size=(self.n, self.D)) + centres[rng.integers(0, self.K, self.n)]

    def column(self, rng, d, kinds):
        kind = rng.choice(kinds)
        x = self.x
        self.tame &= kind in TAME
        if kind == 'scaled':
            x[:, d] *= 10.0**rng.uniform(-90, 90)
        elif kind == 'large':
            x[:, d] *= 10.0**rng.uniform(90, 99)
        elif kind == 'tiny':
            x[:, d] *= 10.0**rng.choice([-95, -99, -105, -155, -200, -310, -320])
        elif kind == 'huge':
            x[:, d] *= 10.0**rng.choice([101, 150, 200, 300, 307])
        elif kind == 'constant':
            x[:, d] = rng.choice([0, -0.0, 1, -7.5, 1e-320, 1e99, 5e-324])
        elif kind == 'equal':
            x[:, d] = x[:, 0]
        elif kind == 'offset':
            x[:, d] += 10.0**rng.uniform(0, 16)
        elif kind == 'cell':
            x[rng.integers(self.n), d] = rng.choice([1e101, -1e200, 1.7e308, 1e100, -1e99, 5e-324])
        elif kind == 'whole':
            x[:, d] = rng.integers(0, 5, self.n)

    def weights(self, rng, kinds):
        kind = rng.choice(kinds)
        w = {'none': None, 'whole': rng.integers(0, 4, self.n) * 1.0, 'heavy': 10.0**rng.uniform(3, 15, self.n),
             'light': 10.0**rng.uniform(-300, 0, self.n), 'huge': 10.0**rng.uniform(0, 300, self.n),
             'zero': np.zeros(self.n), 'mixed': 10.0**rng.uniform(-15, 15, self.n)}[kind]
        self.tame &= kind in ('none', 'whole')
        return w

    def write(self, f):
        """The data's name and the options that go with it."""
        if self.npy:
            np.save(f.file('x.npy'), self.x)
            return ['--data', 'x.npy']
        names = [f'c{d}' for d in range(self.D)] + (['w'] if self.w is not None else [])
        table = self.x if self.w is None else np.column_stack([self.x, self.w])
        f.write('x.csv', '\n'.join([','.join(names)] + [','.join(repr(float(v)) for v in row) for row in table]) + '\n')
        return ['--data', 'x.csv'] + (['--weight-column', 'w'] if self.w is not None else [])

    def place(self):
        """What the line about the bad number must hold."""
        r, d, kind = self.bad
        if self.npy:
            return f'x.npy: row {r + 1}, column {d + 1}: '
        return f'x.csv:{r + 2}: column "{"w" if kind == "weight" else f"c{d}"}": '


def refused(cases, done, *text):
    """A run that ended with an error: one line that makes sense."""
    return cases.check(done.status in (1, 2) and done.one_line() and not NO_WORDS.search(done.err.split(b'error: ')[-1]),
                       'not refused in one clear line:', *text, done)


def finite(cases, value, *text):
    if isinstance(value, dict):
        for name, part in value.items():
            finite(cases, part, name, *text)
    elif isinstance(value, list):
        try:
            cases.check(np.isfinite(np.array(value, float)).all(), 'not finite:', *text)
        except ValueError:
            pass
    elif isinstance(value, float):
        cases.check(math.isfinite(value), 'not finite:', *text)


def proper_part(cases, prior, *text):
    """The numbers of a regression's prior; an improper one has no scales (docs/formats.md)."""
    if prior['shape'] > 0:
        return prior
    rest = dict(prior)
    for name in ('intercept_scale', 'coef_scale', 'noise_variance'):
        none = np.array(rest.pop(name), object).ravel()
        cases.check(all(x is None for x in none), f'{name} of an improper prior:', none, *text)
    return rest


def predictions(cases, f, case, data, text):
    post = json.loads(f.bytes('p.json'))
    for name in ('weights', 'weight_concentration', 'means', 'mean_precision', 'degrees_of_freedom', 'covariances', 'w_inverse'):
        finite(cases, post[name], name, *text)
    files = [('label.csv', ['predict']), ('r.npy', ['predict', '--what', 'responsibilities']), ('s.npy', ['score', '--samples'])]
    got = []
    for out, args in files:
        done = f.run(*args, '--posterior', 'p.json', *data[:2], '--out', out)
        if done.status != 0:
            refused(cases, done, args, *text)
            return
        cases.check(not NO_WORDS.search(done.out), 'printed:', done.out, args, *text)
        got.append(np.loadtxt(f.file(out), skiprows=1, ndmin=2, delimiter=',', usecols=1)[:, 0] if out.endswith('.csv') else np.load(f.file(out)))
    label, r, s = got
    r = r.reshape(len(r), -1)
    cases.check(np.isfinite(s).all(), 'densities are not finite', *text)
    cases.check(np.isfinite(r).all() and (r >= 0).all() and np.abs(r.sum(axis=1) - 1).max() < 1e-12, 'responsibilities', *text)
    cases.check((label == r.argmax(axis=1)).all(), 'labels are not the largest responsibility', *text)
    if not case.tame:
        return
    want, worst = log_density(post, case.x)
    tolerance = SAME * max(1, 1e-4 * worst)
    e = (np.abs(s - want) / np.maximum(1, np.abs(want))).max()
    cases.check(e <= tolerance, f'densities differ by {e:.1e} (condition {worst:.1e})', *text)
    want, size = responsibilities(post, case.x)
    e = np.abs(r - want).max()
    cases.check(e <= tolerance * max(1, 1e-4 * size), f'responsibilities differ by {e:.1e}', *text)


def fit(cases, f, case, data, text):
    done = f.run('fit', *data, *case.options, '--out', 'p.json', '--trace', 't.csv')
    if case.bad:
        refused(cases, done, *text)
        cases.check(case.place().encode() in done.err and b'too large; expected numbers up to' in done.err,
                    'not at its place', case.place(), *text, done)
        return
    if done.status != 0:
        refused(cases, done, *text)
        return
    cases.check(not NO_WORDS.search(done.out) and not re.search(rb'(^|\s)-0(\.0*)?\s', done.out), 'printed:', done.out, *text)
    trace = f.bytes('t.csv').decode()
    cases.check(not re.search(r',(nan|inf|-nan|-inf)', trace), 'trace', *text)
    predictions(cases, f, case, data, text)
    done = f.run('compare', 'p.json', 'p.json', '--json')
    if done.status == 0:
        both = json.loads(done.out)
        cases.check(both['kl_first_second'] >= 0 and both['kl_second_first'] >= 0 and b'-0' not in done.out.replace(b'e-0', b''),
                    'compared with itself:', done.out, *text)
    else:
        refused(cases, done, 'compare', *text)


def regression(cases, f, case, data, text):
    """The last column by the others: finite, or refused in one clear line."""
    target = [] if case.npy else ['--target-column', f'c{case.D - 1}']
    done = f.run('fit', *data, '--model', 'linreg', *target, '--threads', 1, '--out', 'q.json')
    if done.status != 0 or case.bad:
        refused(cases, done, 'linreg', *text)
        return
    cases.check(not NO_WORDS.search(done.out), 'printed:', done.out, 'linreg', *text)
    post = json.loads(f.bytes('q.json'))
    finite(cases, {**post, 'prior': proper_part(cases, post['prior'], *text)}, 'linreg', *text)
    for args in (['predict', '--what', 'interval'], ['score', '--samples']):
        done = f.run(*args, '--posterior', 'q.json', *data[:2], '--out', 'q.npy')
        if done.status != 0:
            refused(cases, done, args, *text)
        else:
            cases.check(np.isfinite(np.load(f.file('q.npy'))).all(), 'not finite:', args, *text)


NOT_NEGATIVE = ('kl_truth', 'kl_cvb', 'disagreement', 'bytes', 'frames', 'frozen', 'projected')


def network(cases, f, case, data, rng, text):
    N = int(rng.integers(1, 6))
    algorithms = str(rng.choice(['cvb,edge', 'edge', 'cvb,noncoop,dsvb', 'nsg,admm', 'flow,average']))
    done = f.run('sim', *data, *case.options, '--topology', f'complete:n={N}', '--algorithm', algorithms, '--metrics',
                 'kl_cvb,bound,disagreement,lower_bound_sklearn', '--trace', 't.csv', '--json')
    text = (algorithms, N, 'nodes', *text)
    if case.bad:
        refused(cases, done, *text)
        cases.check(case.place().encode() in done.err, 'not at its place', *text, done)
        return
    if done.status != 0:
        cases.check(done.status in (1, 2) and b'error: ' in done.err and not re.search(rb'w0inv\[|statistic \d', done.err), *text, done)
    if not done.out:
        return
    for a in json.loads(done.out)['algorithms']:
        for name in ('moved', 'disagreement', 'seconds'):
            cases.check(a.get(name) is None or a[name] >= 0, name, a.get(name), *text)
        for name in ('kl_cvb', 'kl_truth'):
            for v in (a.get(name) or {}).values():
                cases.check(v is None or v >= 0, name, v, *text)
    if not os.path.exists(f.file('t.csv')):
        return
    for line in f.bytes('t.csv').decode().splitlines()[1:]:
        cells = line.split(',')
        cells = cells[1:] if not cells[0].isdigit() else cells
        if cells[1] in NOT_NEGATIVE:
            cases.check(not any(v.startswith('-') for v in cells[3:7]), 'negative:', line, *text)


def seeds(cases, f):
    f.write('x.csv', 'a,b\n1,2\n3,4\n5,7\n')
    for text in ('0', '1e3', '9007199254740991', '9007199254740992', '9.007199254740992e15', '00012'):
        done = f.run('fit', '--data', 'x.csv', '--seed', text, '--out', 'p.json')
        cases.check(done.status == 0 and json.loads(f.bytes('p.json'))['seed'] == int(float(text)), 'seed', text, done)
    for text in ('9007199254740993', '9007199254740993.0', '18446744073709551616', '-1', '0.5', '1e-1', '1e400', 'nan', '0x10', '', '1e'):
        for args in (['fit', '--data', 'x.csv'], ['sample', '--posterior', 'p.json'], ['graph', 'generate', '--topology', 'ring:n=4', '--out', 'g.csv']):
            done = f.run(*args, '--seed', text)
            cases.check(done.status == 2 and done.one_line() and b'--seed' in done.err, 'seed', text, *args, done)


def attack(cases, f, quick, seed):
    seeds(cases, f)
    for k in range(45 if quick else 1500):
        rng = np.random.default_rng([seed, k])
        case = Case(rng)
        data = case.write(f)
        text = (f'case {k} of seed {seed}:', *data, *case.options)
        for name in ('p.json', 't.csv'):
            if os.path.exists(f.file(name)):
                os.remove(f.file(name))
        fit(cases, f, case, data, text)
        if case.D > 1 and k % 3 == 1:
            regression(cases, f, case, data, text)
        if k % 3 == 0:
            if os.path.exists(f.file('t.csv')):
                os.remove(f.file('t.csv'))
            network(cases, f, case, data, rng, text)


if __name__ == '__main__':
    drawn_cases.main(attack)

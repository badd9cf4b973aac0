#!/usr/bin/python3
"""check_formula.py PROGRAM: the columns that formulas make (design.c, compiled here) are those of R's
model.matrix, as numpy makes them here from R's rules: terms by their order, a factor in full where its
margin is not there before, polynomials from a QR decomposition. R itself is not needed (check_r.py
asks it); names that R gives for some of them are written out below."""
import os
import re
import subprocess

import numpy as np

from harness import main

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARTS = ['tests/reference/design.c', 'src/formula/[dp]*.c', 'src/base/*.c', 'src/data/number.c']
LEVELS = {'f': ['a', 'b', 'c'], 'g': ['no', 'yes'], 'h': ['p', 'q', 'r', 's']}
FORMULAS = ['y ~ x', 'y ~ x + z', 'y ~ f', 'y ~ 0 + f', 'y ~ f - 1', 'y ~ f + g', 'y ~ 0 + f + g', 'y ~ f*g',
            'y ~ f:g', 'y ~ 0 + f:g', 'y ~ f + f:g', 'y ~ g + f:g', 'y ~ x:f', 'y ~ x*f', 'y ~ x + x:f',
            'y ~ f + x:f', 'y ~ 0 + x + f', 'y ~ 0 + x:f', 'y ~ f*g*h', 'y ~ (f + g + h)^2', 'y ~ (f + g + h)^2 - f:g',
            'y ~ f:g:h', 'y ~ x*z*f', 'y ~ (x + z)^2', 'y ~ .', 'y ~ . - h', 'y ~ .^2', 'y ~ 0 + .',
            'y ~ I(x^2)', 'y ~ I(x*z) + I(x/z - 2^-x)', 'y ~ log(z) + exp(-z) + sqrt(z)', 'y ~ log(z + 1):f',
            'y ~ poly(x, 1)', 'y ~ poly(x, 2)', 'y ~ poly(x, 3)*f', 'y ~ poly(x, 5) + poly(z, 2):g', 'y ~ `a b`*f',
            'y ~ h:x + g:z', 'y ~ g*(f + x) - x', 'y ~ 1', 'y ~ -1 + poly(log(z), 2):f + f', 'y ~ x:z:f:g + h:f']
# As R 4 calls them (treatment).
NAMES = {'y ~ f*g': 'fb fc gyes fb:gyes fc:gyes', 'y ~ 0 + f + g': 'fa fb fc gyes',
         'y ~ f + f:g': 'fb fc fa:gyes fb:gyes fc:gyes', 'y ~ x*f': 'x fb fc x:fb x:fc',
         'y ~ f:g': 'fa:gno fb:gno fc:gno fa:gyes fb:gyes fc:gyes', 'y ~ f + x:f': 'fb fc fa:x fb:x fc:x'}


class Terms:
    """A formula as R's terms: variables in the order of the text, terms as frozensets of their numbers."""

    def __init__(self, text, columns):
        self.columns, self.variables, self.intercept = columns, [], 1
        self.tokens = re.findall(r'(?:I|log|exp|sqrt|poly)\((?:[^()]|\([^()]*\))*\)|`[^`]*`|[A-Za-z]\w*|\d+|[-+*:^().]',
                                 text.split('~')[1])
        self.terms = sorted(self.sum(), key=len)

    def variable(self, text):
        if text not in self.variables:
            self.variables.append(text)
        return frozenset([self.variables.index(text)])

    def atom(self):
        token = self.tokens.pop(0)
        if token == '(':
            inside = self.sum()
            self.tokens.pop(0)
        elif token == '.':
            inside = [self.variable(name) for name in self.columns]
        elif token in '01':
            return token
        else:
            inside = [self.variable(token)]
        if self.tokens[:1] == ['^']:
            self.tokens.pop(0)
            first = inside
            for _ in range(int(self.tokens.pop(0)) - 1):
                inside = list(dict.fromkeys(a | b for a in inside for b in first))
        return inside

    def product(self):
        left = self.atom()
        while self.tokens[:1] == [':']:
            self.tokens.pop(0)
            right = self.atom()
            left = [a | b for a in left for b in right]
        return left

    def stars(self):
        left = self.product()
        while self.tokens[:1] == ['*']:
            self.tokens.pop(0)
            right = self.product()
            left = [*left, *right, *(a | b for a in left for b in right)]
        return left

    def sum(self):
        found = []
        while True:
            sign = self.tokens.pop(0) if self.tokens[0] in '+-' else '+'
            part = self.stars()
            if isinstance(part, str):
                self.intercept = int((part == '1') == (sign == '+'))
            elif sign == '+':
                found += [t for t in part if t not in found]
            else:
                found = [t for t in found if t not in part]
            if not self.tokens or self.tokens[0] == ')':
                return list(dict.fromkeys(found))


def evaluate(text, data):
    code = text.replace('^', '**')
    names = {**data, 'I': lambda x: x, 'log': np.log, 'exp': np.exp, 'sqrt': np.sqrt}
    return eval(re.sub('`a b`', 'ab', code), {}, {**names, 'ab': data['a b']})  # noqa: of this file alone


def spaced(text):
    """As R writes an expression."""
    text = re.sub(r'\s*([*])\s*', r' \1 ', re.sub(r'\s*,\s*', ', ', text))
    return text


def values(text, full, data, coding):
    """Columns of a variable, and what follows its name in each."""
    name = text.strip('`')
    if name in LEVELS:
        levels = LEVELS[name]
        x = np.eye(len(levels))[data[name].astype(int)]
        if full:
            return x, levels
        if coding == 0:
            return x[:, 1:], levels[1:]
        return x[:, :-1] - x[:, -1:], [str(k + 1) for k in range(len(levels) - 1)]
    poly = re.fullmatch(r'poly\((.*), *(\d+)\)', text)
    if not poly:
        return evaluate(text, data)[:, None], ['']
    x, degree = evaluate(poly[1], data), int(poly[2])
    q, r = np.linalg.qr((x - x.mean())[:, None] ** np.arange(degree + 1))
    return (q * np.sign(np.diag(r)))[:, 1:], [''] if degree == 1 else [str(k + 1) for k in range(degree)]


def model_matrix(text, data, coding):
    t = Terms(text, [name if name != 'a b' else '`a b`' for name in data])
    names, columns, filled = [], [], t.intercept
    for at, term in enumerate(t.terms):
        x, called = np.ones((len(data['x']), 1)), ['']
        for v in sorted(term):
            margin = term - {v}
            category = t.variables[v].strip('`') in LEVELS
            full = bool(margin) and not any(margin <= before for before in t.terms[:at])
            if category and not filled:
                full, filled = True, 1
            y, more = values(t.variables[v], full, data, coding)
            called = [(a + ':' if a else '') + spaced(t.variables[v].strip('`')) + b for b in more for a in called]
            x = np.concatenate([x * y[:, k:k + 1] for k in range(y.shape[1])], 1)
        names += called
        columns.append(x)
    return names, np.concatenate(columns, 1) if columns else np.empty((len(data['x']), 0)), t.intercept


def design(tool, text, data, coding):
    lines = [text, '%d %d %d' % (coding, len(data['x']), len(data) + 1)]
    for name in ['y', *data]:
        lines += [name, str(len(LEVELS.get(name, []))), *LEVELS.get(name, [])]
    numbers = np.column_stack([np.zeros(len(data['x'])), *data.values()])
    lines += [' '.join(repr(float(v)) for v in row) for row in numbers]
    said = subprocess.run([tool], input='\n'.join(lines) + '\n', capture_output=True, text=True, check=False)
    if said.returncode:
        return [said.stderr], np.empty((0, 0)), -1
    lines = said.stdout.split('\n')
    names, body = lines[:lines.index('')], lines[lines.index('') + 1:]
    x = np.array([[float(v) for v in row.split()] for row in body[1:-1]]) if names else np.empty((len(data['x']), 0))
    return names, x, int(body[0])


def draw():
    rng = np.random.default_rng(7)
    n = 40
    data = {'x': rng.normal(size=n), 'z': rng.uniform(.5, 3, n), 'a b': rng.normal(size=n)}
    data.update({name: rng.integers(0, len(levels), n).astype(float) for name, levels in LEVELS.items()})
    return data


def make_tool(prog):
    tool = prog.file('design')
    subprocess.run(' '.join(['cc', '-std=c11', '-O1', '-D_GNU_SOURCE', '-Iinclude', '-Isrc', *PARTS, '-lm', '-lpthread',
                             '-o', tool]), shell=True, check=True, cwd=TOP)
    return tool


def check(claims, prog):
    data, tool = draw(), make_tool(prog)
    for coding in (0, 1):
        wrong = []
        for text in FORMULAS:
            names, x, intercept = design(tool, text, data, coding)
            want, y, constant = model_matrix(text, data, coding)
            near = x.shape == y.shape and (not x.size or np.abs(x - y).max() <= 1e-12 * (1 + np.abs(y).max()))
            if names != want or not near or intercept != constant:
                wrong.append('%s: %s, expected %s' % (text, names, want))
        claims.check(not wrong, '%d formulas, %s: columns and names of model.matrix to 1e-12' %
                     (len(FORMULAS), ('treatment', 'sum')[coding]))
        for text in wrong:
            claims.note(text)
    for text, names in NAMES.items():
        claims.check(design(tool, text, data, 0)[0] == names.split(), f'{text}: {names}, as R calls them')


if __name__ == '__main__':
    main(check)

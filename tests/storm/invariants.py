"""What must hold when a storm is over: checked from files alone, with numpy."""
import json
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'reference'))
import ages  # noqa: E402
import draw  # noqa: E402
from chains import Chains  # noqa: E402
from classes import Classes  # noqa: E402
from effects import Effects  # noqa: E402
from logistic import Logistic  # noqa: E402
from refimpl import Gmm  # noqa: E402
from robust import Robust  # noqa: E402
from tied import Tied  # noqa: E402


def name(i):
    return f'n{i:02d}'


def load(*path):
    with open(os.path.join(*path)) as f:
        return json.load(f)


class Prior(Gmm):
    """The mixture of a posterior file, with the prior that the file states."""

    def __init__(self, prior):
        alpha, beta, nu = (np.array(prior[f]) for f in
                           ('weight_concentration', 'mean_precision', 'degrees_of_freedom'))
        m, winv = np.array(prior['means']), np.array(prior['w_inverse'])
        K, D = m.shape
        super().__init__(K, D, 1.0, 1.0, np.zeros(D), float(D), np.eye(D))
        self.prior = self.natural(alpha, nu, beta, m, winv)

    def of(self, post):
        return self.natural(*(np.array(post[f]) for f in ('weight_concentration',
                            'degrees_of_freedom', 'mean_precision', 'means', 'w_inverse')))


class Regression:
    """The regression of a posterior file: natural parameters are the prior's and a sum over rows."""

    def __init__(self, prior):
        self.prior = self.of(prior)

    @staticmethod
    def of(post):
        m, precision = np.array([post['intercept'], *post['coef']]), np.array(post['precision'])
        return np.concatenate([[post['shape']], precision.ravel(), precision @ m,
                               [2 * post['rate'] + m @ precision @ m]])

    def step(self, _, X, w):
        Z, y = np.column_stack([np.ones(len(X)), X[:, :-1]]), X[:, -1]
        return np.concatenate([[w.sum() / 2], ((Z.T * w) @ Z).ravel(), Z.T @ (w * y), [w @ y ** 2]])


MODELS = {'gmm': Prior, 'linreg': Regression, 'tmm': Robust, 'lca': Classes, 'tied': Tied, 'mixed': Effects,
          'glm': Logistic, 'hmm': Chains}


def distance(a, b):
    return float(np.linalg.norm(a - b) / np.linalg.norm(b))


def fixed_point(gmm, phi, X, w, most=5000):
    """Central VB from phi to its end: (distance of one step, distance to the end)."""
    first, at = None, phi
    for _ in range(most):
        stats = gmm.step(at, X, w)
        if stats is None:
            return first if first is not None else np.inf, np.inf
        new = gmm.prior + stats
        moved = distance(at, new)
        first = moved if first is None else first
        at = new
        if moved < 1e-13:
            break
    return first, distance(phi, at)


def numbers(post):
    """What a node's answer is made of."""
    return {k: v for k, v in post.items() if isinstance(v, list) or (isinstance(v, float) and k != 'bound')}


def check_part(folder, part, X, w, model, genesis, worst, to_the_bit=False):
    """Complaints about one connected part."""
    out, verdicts, priors, answers = [], set(), [], []
    for i in part:
        where = os.path.join(folder, 'nodes', name(i))
        if not os.path.exists(os.path.join(where, 'posterior.json')):
            out.append(f'{name(i)}: no posterior')
            continue
        status, post = load(where, 'status.json'), load(where, 'posterior.json')
        verdicts.add(status['verdict'])
        gmm = model(post['prior'])
        priors.append(gmm.prior)
        answers.append(numbers(post))
        one, whole = fixed_point(gmm, gmm.of(post), X, w)
        off = abs(status['n_nodes'] / len(part) - 1)
        if status['verdict'] == 'moving' and whole > 100 * one:
            worst['slow'] = 1
        for what, value in (('one_step', one), ('fixed_point', whole), ('N', off)):
            worst[what] = max(worst.get(what, 0), value)
        if not one <= 1e-6:
            out.append(f'{name(i)}: one centralised step moves {one:.1e}; expected 1e-6')
        if not off <= 1e-9:
            out.append(f'{name(i)}: N = {status["n_nodes"]!r}; expected {len(part)}')
    if genesis is not None:
        priors.append(model(genesis['prior']).prior)
    if any(distance(p, priors[0]) > 1e-12 for p in priors):
        out.append(f'{name(part[0])}..: nodes of one part have several priors')
    if to_the_bit and any(answer != answers[0] for answer in answers):
        out.append(f'{name(part[0])}..: nodes of one part have several answers')
    if verdicts != {'settled' if len(part) > 1 else 'alone'}:
        out.append(f'{name(part[0])}..: verdicts {sorted(verdicts)} in a part of {len(part)}')
    return out


def waits(folder, storm, part, w):
    """1: the part has fewer rows than components, or one, which has no spread: it cannot draw a genesis, and says so."""
    if storm['options']['genesis'].endswith('.json') or (w > 0).sum() >= (2 if storm['model'] in draw.REGRESSIONS else storm['K']):
        return False
    said = [load(folder, 'nodes', name(i), 'status.json') for i in part]
    return all(status['verdict'] == 'moving' for status in said) and any(
        word in status['message'] for status in said for word in ('rows', 'prior', 'waits for a genesis'))


def present(storm, stage, own, more, i):
    """Rows of node i and their weights: what came, or the newest of it."""
    pieces = [own[i]] + [more[int(f[4:-4])] for f in stage.more[i]]
    X, w = (np.concatenate(part) for part in zip(*pieces))
    return X[-storm['window']:], w[-storm['window']:]          # no window: -0, all of them


def young(folder, storm, own, more, i, worst):
    """(rows of node i that its window by age leaves, complaints)."""
    end = load(folder, 'summary.json')['virtual']['time']
    status = os.path.join(folder, 'nodes', name(i), 'status.json')
    pieces = ages.bounds(storm, i, end, own[i], more)
    count = load(status)['rows'] if os.path.exists(status) else 0
    left, sure, wrong = ages.present(pieces, storm['age'], count)
    worst['nodes with a window by age'] = worst.get('nodes with a window by age', 0) + 1
    worst['of these known exactly'] = worst.get('of these known exactly', 0) + sure
    worst['arrivals that have left'] = worst.get('arrivals that have left', 0) + len(pieces) - len(left)
    X, w = own[i]
    X, w = (np.concatenate(part) for part in zip((X[:0], w[:0]), *left))
    return (X, w), [f'{name(i)}: window of {storm["age"]} s: {wrong}'] if wrong else []


def check(folder, storm, stage, own, more):
    """Complaints about the folder of a run (none: all invariants hold), and the largest numbers."""
    out, worst = [], {}
    genesis = None
    if storm['options']['genesis'] == 'genesis.json':
        genesis = load(os.path.dirname(folder), storm['options']['genesis'])
    parts, _ = stage.parts()
    for part in parts:
        of_nodes = []
        for i in part:
            rows, wrong = (young(folder, storm, own, more, i, worst) if storm['age']
                           else (present(storm, stage, own, more, i), []))
            if storm.get('batch'):                 # those in the sums are the first ones
                count = load(folder, 'nodes', name(i), 'status.json')['rows']
                rows = tuple(part[:count] for part in rows)
            of_nodes.append(rows)
            out += wrong
        X, w = (np.concatenate(rows) for rows in zip(*of_nodes))
        if waits(folder, storm, part, w):
            worst['parts that wait for rows'] = worst.get('parts that wait for rows', 0) + 1
            continue
        out += check_part(folder, part, X, w, MODELS[storm['model']], genesis, worst,
                          storm['options'].get('algorithm') == 'sum')
    live = {name(i) for part in parts for i in part}
    there = set(os.listdir(os.path.join(folder, 'nodes')))
    if there != live:
        out.append(f'files of nodes {sorted(there ^ live)} are wrong')
    return out, worst

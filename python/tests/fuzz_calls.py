#!/usr/bin/python3
"""fuzz_calls.py LIBRARY CALLS: so many calls of the package with odd values end with a result, or are refused
in the words of the library. script/python-fuzz runs them under the address sanitizer."""
import os
import random
import sys
import warnings

import numpy as np

from beside import refused

RNG = np.random.default_rng(5)
X = np.concatenate([RNG.normal(size=(40, 3)) + c for c in (0, 6, -5)])
Y = X @ [1., -2., .5] + .1 * RNG.normal(size=120)
FORMULAS = ['y ~ x1', '~ poly(x2, 2)*x3', 'y ~ . - x1', 'y ~ log(x1)', '~ x9', 'y ~ ((', '~ 1', '~ x1 + (1 + x1 | g)',
            '~ `', '~ x1:x2:x3 + I(x1^2/x3)', 'x1 ~ x2', '\u00e4 ~ x1', '~ poly(x1, 20)', '~ 0']


def odd(rng):
    """A value that has no place anywhere."""
    return rng.choice([None, 'x', '', b'x', 3, -1, 2 ** 70, 1.5, float('nan'), float('inf'), True, {}, [], (),
                       [[]], [[1], [1, 2]], object(), 1j, [1j], np.zeros(0), np.zeros((0, 3)), np.zeros((3, 0)),
                       np.ones((2, 2, 2)), np.array(3.), np.array('a'), np.array([None, 1]), np.array(['a', 'b']),
                       np.zeros(120, 'M8[s]'), np.full(120, np.nan), np.zeros(120, 'V4'), 'a\0b', '\udc80', X.T, X,
                       Y, range(120), len, Ellipsis, np.float32(2), {'x1': 'flag'}, [None] * 120, {1, 2}])


def odd_calls(mb, most):
    """How many of the calls were refused, and what was said in other words."""
    rng, calls, refusals, bad = random.Random(11), 0, 0, []
    mixture = mb.fit(X, n_components=3, n_init=1).posterior
    line = mb.fit(X, Y, model='linreg', formula='~ x1 + poly(x2, 2)').posterior
    names = ['y', 'model', 'sample_weight', 'columns', 'kinds', 'groups', 'node', 'network', 'algorithm',
             'callback', 'progress', 'threads', 'centres', 'labels', 'responsibilities', 'n_components', 'prior_mu0',
             'prior', 'seed', 'loss', 'tol', 'init', 'formula', 'coding', 'no_such']
    methods = ['predict', 'predict_proba', 'score_samples', 'sample', 'draws', 'update', 'from_json',
               '__getitem__', 'score', 'expected_statistics']
    while calls < most:
        kind = rng.random()
        if kind < .6:
            how = {'rounds': 3, 'n_init': 1, 'network': rng.choice([None, 'ring:n=3'])}
            if kind < .2:
                how = {'rounds': 3, 'model': rng.choice(['linreg', 'glm', 'mixed']), 'y': rng.choice([Y, Y, Y > 0]),
                       'formula': rng.choice(FORMULAS)}
            how.update({name: odd(rng) for name in rng.sample(names, rng.choice([0, 1, 2] if kind < .2 else [1, 1, 2, 3]))})
            x, call = rng.choice([X, X, X, odd(rng)]), mb.fit
            # Sizes that are meant cost what they say; a bar needs tqdm.
            if isinstance(how.get('threads'), int) or how.get('n_components') is True or how.get('progress') is True:
                continue
        else:
            name, how = rng.choice(methods), {}
            x, call = odd(rng), getattr(rng.choice([mixture, line]), name)
            if isinstance(x, int) and name in ('sample', 'draws'):
                x = min(x, 99) if x < 2 ** 69 else x
        calls += 1
        why = refused(call, x, **how)
        refusals += why is not None
        if why is not None and not isinstance(why, (mb.MeshbayesError, mb.MeshbayesTypeError, KeyError)):
            bad.append(f'{getattr(call, "__name__", call)} {how}: {type(why).__name__} {why}')
    return refusals, bad


def main():
    if len(sys.argv) != 3:
        sys.exit('use: fuzz_calls.py LIBRARY CALLS')
    os.environ['MESHBAYES_LIBRARY'] = sys.argv[1]
    import meshbayes
    warnings.simplefilter('ignore')
    most = int(sys.argv[2])
    refusals, bad = odd_calls(meshbayes, most)
    print(f'{most} calls with odd values: {refusals} refused')
    if bad or refusals < most // 3:
        sys.exit('\n'.join(bad[:20]) or 'too few were refused')


if __name__ == '__main__':
    main()

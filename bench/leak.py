"""leak.py - what a node shows its neighbours: the attack of a curious neighbour against the program's own
messages (`sim --dump-messages`), on breast_cancer of scikit-learn, 5 rows a node, 30 columns, leaves of a star.
A leaf's statistics follow from what it sends; those of two components and several passes, diagonalised together,
are its rows. EDGE and SUM without masks must show most rows, or the attack is broken; SUM with masks must show no
more than noise does."""
import json
import os
import subprocess

import numpy as np

D, K, ROWS = 30, 2, 5
NODES, LEAVES, ROUNDS = 113, 30, 50  # of the leaves these are attacked
SEEDS_QUICK, SEEDS = 1, 5
LENGTH = 1 + (D + 1) * (D + 2) // 2  # numbers of a component
RELAXED = .95  # edge.alpha
NEAR = (.001, .01, .1)  # standard deviations
SHOWN = {'edge': .8, 'sum': .5}  # share of rows within .01 that the attack must find, or it is broken


def spread_rows(seed):
    """Rows of the nodes 1 .. NODES, in order, in units in which the program leaves them."""
    from sklearn.datasets import load_breast_cancer

    x = load_breast_cancer().data
    x = x[np.random.default_rng(seed).permutation(len(x))[:NODES * ROWS]]
    return (x - x.mean(0)) / x.std(0)


def messages(program, folder, rows, seed, *how):
    """What nodes 2 .. NODES hear from node 1 and it from them, by round: (heard, sent), rounds x leaves x numbers."""
    at = ','.join(map(str, range(1, ROUNDS + 1)))
    node = np.repeat(np.arange(1, NODES + 1), ROWS)
    np.savetxt(os.path.join(folder, 'rows.csv'), np.c_[node, rows], delimiter=',', comments='', fmt='%.17g',
               header=','.join(['site', *(f'c{d}' for d in range(D))]))
    with open(os.path.join(folder, 'links.csv'), 'w') as f:
        f.write('i,j\n' + ''.join(f'1,{k}\n' for k in range(2, NODES + 1)))
    subprocess.run([program, 'sim', '--data', 'rows.csv', '--node-column', 'site', '--network', 'links.csv',
                    '--n-components', str(K), '--rounds', str(ROUNDS), '--tol', '0', '--seed', str(seed), *how,
                    '--dump-messages', 'messages.npy', '--dump-at', at, '--out', 'out'],
                   cwd=folder, capture_output=True, text=True, check=True)
    m = np.load(os.path.join(folder, 'messages.npy'))
    return m[:, NODES - 1:], m[:, :NODES - 1]


def matrices(x):
    """Of each component sum r z z', z = (1, row)."""
    out = np.zeros((K, D + 1, D + 1))
    low, below = np.tril_indices(D + 1), np.tril_indices(D + 1, -1)
    for k in range(K):
        out[k][low] = -2 * x[K + k * LENGTH + 1:K + (k + 1) * LENGTH]
        out[k][below] /= np.sqrt(2)
        out[k] += np.tril(out[k], -1).T
    return out


def by_edge(folder, heard, sent):
    """Statistics of a leaf from EDGE's messages (docs/math.md, section 4): the start of z, which is not known, fades."""
    with open(os.path.join(folder, 'out', 'config.json')) as f:
        kappa = float(json.load(f)['resolved']['edge.kappa'])
    rho = max(kappa / np.sqrt(NODES - 1), .7)
    z, found = 0, []
    for t in range(1, ROUNDS):
        found.append((1 + rho) * (sent[t] + z) / (2 * rho) - z)
        z = (1 - RELAXED) * z + RELAXED * heard[t]
    return found, [5 * (1 - RELAXED) ** t + 1e-14 for t in range(len(found))]


def units_of(rows):
    """Bits of the fraction of each number of SUM's words (docs/math.md, section 31), as everybody knows them."""
    h = np.r_[1, 2 ** np.ceil(np.log2(abs(rows).max(0)))]
    square = np.sqrt(2) / 2 * np.outer(h, h)
    square[np.diag_indices(D + 1)] /= np.sqrt(2)
    one = np.r_[.5, square[np.tril_indices(D + 1)]]
    most = len(rows) * np.r_[np.ones(K), np.tile(one, K)]
    return 62 - int(np.ceil(np.log2(NODES))) - (np.floor(np.log2(most)).astype(int) + 1)


def by_words(words, bits):
    """Statistics of a leaf from the first words of SUM, one for each pass. Their second words are not needed."""
    n = len(bits)
    found = [np.ldexp(w[:n].view(np.int64).astype(float), -bits) for w in words]
    return found, [10 * 2.0 ** -bits.min()] * len(found)


def split(all_of, noise, basis):
    """Bases of the spaces in which all matrices are multiples of one, but for the noise."""
    d = basis.shape[1]
    best = (5, None)
    for m, least in zip(all_of, noise):
        own = basis.T @ m @ basis
        own = (own + own.T) / 2 - np.trace(own) / d * np.eye(d)
        best = max(best, (np.linalg.norm(own) / least, own), key=lambda pair: pair[0])
    if d == 1 or best[1] is None:
        return [basis]
    value, vector = np.linalg.eigh(best[1])
    cut = np.argmax(np.diff(value)) + 1
    return split(all_of, noise, basis @ vector[:, :cut]) + split(all_of, noise, basis @ vector[:, cut:])


def turned(own):
    """Rows that span what `own` spans, each of which begins with 1: of two rows there is one choice."""
    d = len(own)
    frame = [np.linalg.qr(np.c_[first, np.eye(d)[:, :d - 1]])[0] for first in (own[:, 0], np.ones(d))]
    for q, first in zip(frame, (own[:, 0], np.ones(d))):
        q[:, 0] *= np.sign(q[:, 0] @ first) or 1
    return frame[1] @ frame[0].T @ own


def attack(found, noise):
    """The rows of a node with ROWS of them, as its statistics show them."""
    shown = np.array([matrices(x) for x in found])
    value, vector = np.linalg.eigh(shown[len(shown) // 3:].sum(1).mean(0))
    root = np.sqrt(np.maximum(abs(value[-ROWS:]), 1e-300))
    small = [(vector[:, -ROWS:] / root).T @ m @ (vector[:, -ROWS:] / root) for each in shown for m in each]
    parts = split(small, np.repeat(noise, K), np.eye(ROWS))
    return np.vstack([turned((vector[:, -ROWS:] * root @ part).T) for part in parts])[:, 1:]


def distances(found, noise, rows):
    """Root mean square over the columns, from each row to the nearest that the attack has found; inf: it found none."""
    try:
        with np.errstate(all='ignore'):
            guess = attack(found, noise)
    except np.linalg.LinAlgError:
        return [np.inf] * len(rows)
    with np.errstate(all='ignore'):
        return [float(np.nan_to_num(np.sqrt(np.mean((guess - r) ** 2, axis=1)).min(), nan=np.inf)) for r in rows]


def shares(all_distances):
    return {str(e): float(np.mean(np.array(all_distances) <= e)) for e in NEAR}


def shown(program, folder, seed):
    """Distances by what the leaves sent."""
    rows = spread_rows(seed)
    own = [rows[(k + 1) * ROWS:(k + 2) * ROWS] for k in range(LEAVES)]
    bits, out = units_of(rows), {}

    heard, sent = messages(program, folder, rows, seed, '--algorithm', 'edge')
    out['edge'] = [d for k in range(LEAVES) for d in distances(*by_edge(folder, heard[:, k], sent[:, k]), own[k])]
    for name, how in (('sum', []), ('sum with masks', ['--sum.mask', 'simulated'])):
        sent = messages(program, folder, rows, seed, '--algorithm', 'sum', *how)[1][::2]  # up in odd rounds
        out[name] = [d for k in range(LEAVES) for d in distances(*by_words(sent[:, k], bits), own[k])]
    rng = np.random.default_rng(seed)
    out['noise'] = [d for k in range(LEAVES) for d in distances(
        *by_words(rng.integers(0, 2 ** 64, (len(sent), len(bits)), dtype=np.uint64).view(float), bits), own[k])]
    return out


def main():
    from harness import Bench, say

    bench = Bench('leak')
    seeds = SEEDS if bench.full else SEEDS_QUICK
    found = {}
    for seed in range(1, seeds + 1):
        for name, each in shown(os.path.join(bench.build, 'meshbayes'), bench.folder, seed).items():
            found.setdefault(name, []).extend(each)
    table = {name: shares(each) for name, each in found.items()}
    for name, share in table.items():
        say(f'{name}: ' + ', '.join(f'{part:.1%} of {len(found[name])} rows within {e} sd' for e, part in share.items()))
    for name, least in SHOWN.items():
        if table[name]['0.01'] < least:
            raise RuntimeError(f'{name}: the attack finds {table[name]["0.01"]:.0%} of the rows, expected {least:.0%}')
    if any(table['sum with masks'][e] > table['noise'][e] for e in map(str, NEAR)):
        raise RuntimeError(f'masks: {table["sum with masks"]} of the rows, more than of noise: {table["noise"]}')
    bench.finish(nodes=NODES, rows_a_node=ROWS, columns=D, seeds=seeds, rows=len(found['edge']), shown=table)


if __name__ == '__main__':
    main()

#!/usr/bin/python3
"""reading.py - what it costs to read rows: processor time from the file to a case that is ready for its
first step (mapped or parsed, hashed, checked, moments of all columns), against numpy.load and sum, or
numpy.loadtxt and pandas where they are there, in turns on the same files; peak memory of `fit` against the
file or its rows; and the peak of a file that is longer than what may be in memory."""
import json
import os
import subprocess

import numpy as np

from harness import Bench, PYTHON, digits, say, spread

COLUMNS, TURNS_FULL, TURNS_QUICK = 16, 7, 3
PEERS = {'npy': ['numpy.load'], 'csv': ['numpy.loadtxt', 'pandas']}
FIT = ['--n-components', '1', '--rounds', '1', '--n-init', '1', '--threads', '1']


def files(bench):
    """name: (path, bytes of the numbers as they are in memory)."""
    n = 2000000 if bench.full else 100000
    rng = np.random.default_rng(1)
    x = rng.normal(size=(n, COLUMNS)) + 4 * (rng.integers(0, 2, (n, 1)))
    few = x[:n // 8]
    head = ','.join(f'x{d + 1}' for d in range(COLUMNS))
    out = {}
    for name, rows in (('NPY float64', x), ('NPY float32', x.astype(np.float32)),
                       ('NPY uint8', np.clip(20 * x + 100, 0, 255).astype(np.uint8))):
        path = bench.file(name.replace(' ', '-') + '.npy')
        np.save(path, rows)
        out[name] = path, os.path.getsize(path)
    for name, form in (('CSV, 17 digits', '%.17g'), ('CSV, 6 decimals', '%.6f')):
        path = bench.file(name.replace(', ', '-').replace(' ', '-') + '.csv')
        np.savetxt(path, few, fmt=form, delimiter=',', header=head, comments='')
        out[name] = path, few.nbytes
    return out


def run(command):
    """JSON that a tool prints; None where its peer is missing."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 3:
        return None
    if done.returncode != 0:
        raise RuntimeError(f'{" ".join(command)}: {done.stderr.strip()}')
    return json.loads(done.stdout)


def measure(bench, name, path, held):
    size = os.path.getsize(path)
    turns = TURNS_FULL if bench.full else TURNS_QUICK
    peers = {how: [] for how in PEERS[path[-3:]]}
    ours = []
    for _ in range(turns):
        ours.append(size / 1e6 / run([*bench.tool('reading'), path, '1'])['cpu'])
        for how in peers:
            got = run([PYTHON, *bench.tool('reading_peer.py')[1:], how, path])
            peers[how].append(got and size / 1e6 / got['cpu'])
    _, peak = bench.meshbayes('fit', '--data', path, *FIT)
    _, least = bench.meshbayes('version')
    out = {'file': name, 'bytes': size, 'held': held, 'mb_s': spread(ours), 'peak': peak, 'empty': least, 'peers': []}
    for how, rates in peers.items():
        if None not in rates:
            out['peers'].append({'peer': how, 'mb_s': spread(rates), 'ratio': spread([a / b for a, b in zip(ours, rates)])})
    say(f'{name}: {out["mb_s"]["median"]:.0f} MB/s, ' + ', '.join(f'{p["ratio"]["median"]:.3g} x {p["peer"]}' for p in out['peers']))
    return out


def long_file(bench):
    """A file of which most is a hole: fit, then score, and their peaks."""
    rows = 160000000 if bench.full else 4000000
    path, answer = bench.file('long.npy'), bench.file('long.json')
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {COLUMNS}), }}".ljust(117) + '\n'
    with open(path, 'wb') as f:
        f.write(b'\x93NUMPY\x01\x00\x76\x00' + head.encode())
        f.write(np.random.default_rng(1).normal(size=(200000, COLUMNS)).tobytes())
        f.truncate(128 + 8 * rows * COLUMNS)
    _, fit = bench.meshbayes('fit', '--data', path, '--n-components', '2', '--rounds', '1', '--n-init', '1', '--init', 'kmeans++', '--out', answer)
    _, score = bench.meshbayes('score', '--posterior', answer, '--data', path)
    say(f'{os.path.getsize(path) / 1e9:.3g} GB: fit {fit / 1e6:.0f} MB, score {score / 1e6:.0f} MB')
    out = {'bytes': os.path.getsize(path), 'fit': fit, 'score': score}
    os.remove(path)
    return out


def main():
    bench = Bench('reading')
    out = [measure(bench, name, *file) for name, file in files(bench).items()]
    bench.finish(columns=COLUMNS, files=out, long=long_file(bench), turns=digits(TURNS_FULL if bench.full else TURNS_QUICK))


if __name__ == '__main__':
    main()

#!/usr/bin/python3
"""peers.py - a step of variational Bayes against an iteration of scikit-learn's
BayesianGaussianMixture: the same rows, prior and start, in turn (A B A B), one thread and two,
scikit-learn on OpenBLAS as Debian ships it and with the core type whose dgemm is fastest here. In
the same turns: the rate of that dgemm and of memory (triad). Both must end at the same parameters,
else the ratio compares different work and the benchmark fails."""
import contextlib
import math

import numpy as np

from harness import Bench, Worker, best_core_type, clusters, digits, say, spread, stolen

SHAPES = [(1000000, 2, 3), (300000, 8, 10), (100000, 16, 16), (100000, 32, 32), (50000, 64, 20),
          (20000, 128, 10)]
TOLERANCE = 1e-8  # of parameters after STEPS, relative to the largest entry of a component
TOLERANCE_32 = 1e-6  # of the same with rows in single precision
MOMENTS = (10000, 200, 1)  # of a regression with 200 inputs: a product of the rows with themselves
STEPS, TURNS_FULL, TURNS_QUICK, QUICK = 3, 5, 1, 20
PAIRS_FULL, PAIRS_QUICK = 15, 3  # of runs with one thread and with two
PAIR_SECONDS = 0.5  # the run with one thread, at least
CALM, AGAIN = 0.02, 3  # a pair that lost more of its processors is taken again; at most 3 x as many
DGEMM_SIZE = 1536
TRIAD_MB_FULL, TRIAD_MB_QUICK = 400, 64


def unpack(par, K, D):
    """Weights, means and covariances from the textbook parameters of step.c."""
    alpha, normals = par[:K], par[K:].reshape(K, -1)
    lower = np.tril_indices(D)
    winv = np.zeros((K, D, D))
    winv[:, lower[0], lower[1]] = normals[:, 2 + D:]
    winv[:, lower[1], lower[0]] = normals[:, 2 + D:]
    return alpha / alpha.sum(), normals[:, 2:2 + D], winv / normals[:, 0, None, None]


def apart(ours, theirs):
    """Largest difference against the largest entry of each component's array."""
    worst = 0
    for a, b in zip(ours, theirs):
        a, b = a.reshape(len(a), -1), b.reshape(len(b), -1)
        worst = max(worst, float((np.abs(a - b).max(axis=1) / np.abs(b).max(axis=1)).max()))
    return worst


def compare(bench, ours, theirs, K, D, accepted):
    ours.ask(f'par {bench.file("ours.npy")}')
    theirs.ask(f'par {bench.file("theirs.npz")}')
    with np.load(bench.file('theirs.npz')) as t:
        want = t['weights'], t['means'], t['covariances']
    error = apart(unpack(np.load(bench.file('ours.npy')), K, D), want)
    if not error <= accepted:
        raise SystemExit(f'peers: D = {D}, K = {K}: parameters differ by {error:.1e} after {STEPS} '
                         f'steps, accepted: {accepted:g}')
    return error


def workers(bench, stack, core_type):
    """Everyone who takes a turn, idle."""
    sklearn = bench.tool('sklearn_step.py')
    dgemm = [*bench.tool('dgemm.py'), str(DGEMM_SIZE if bench.full else DGEMM_SIZE // 2)]
    enter = stack.enter_context
    crew = {'ours': enter(Worker(bench.tool('step'), 2))}
    for threads in (1, 2):
        crew[f'shipped {threads}'] = enter(Worker(sklearn, threads))
        crew[f'right {threads}'] = enter(Worker(sklearn, threads, core_type))
        crew[f'dgemm {threads}'] = enter(Worker(dgemm, threads, core_type))
    return crew


def turn(crew, triad, threads):
    """One after the other; seconds a step. One thread: processor time, which others on the machine
    disturb less; two: the wall clock."""
    clock = 'cpu' if threads == 1 else 'wall'
    took = {'ours': crew['ours'].ask(f'run {threads} {STEPS}')[clock] / STEPS}
    for peer in ('shipped', 'right'):
        took[peer] = crew[f'{peer} {threads}'].ask(f'run {STEPS}')[clock] / STEPS
    took['ours again'] = crew['ours'].ask(f'run {threads} {STEPS}')[clock] / STEPS
    crew['ours'].ask('precision 32')
    took['ours 32'] = crew['ours'].ask(f'run {threads} {STEPS}')[clock] / STEPS
    crew['ours'].ask('precision 64')
    rate = crew[f'dgemm {threads}'].ask()
    took['dgemm'] = rate['gflop_s_cpu' if threads == 1 else 'gflop_s']
    took['triad'] = triad.ask(str(threads))['gb_s']
    return took


def summary(turns, n, D, K):
    """The record of one shape and number of threads."""
    flops = 2 * n * K * (D + 1) * (D + 2)  # two products of 2 n K (D+1)(D+2)/2
    ours = [(t['ours'] + t['ours again']) / 2 for t in turns]
    return {
        'ratio_shipped': spread([t['shipped'] / o for t, o in zip(turns, ours)]),
        'ratio_right': spread([t['right'] / o for t, o in zip(turns, ours)]),
        'ratio_shipped_32': spread([t['shipped'] / t['ours 32'] for t in turns]),
        'ms_32': spread([1e3 * t['ours 32'] for t in turns]),
        'ms': spread([1e3 * o for o in ours]),
        'ms_shipped': spread([1e3 * t['shipped'] for t in turns]),
        'ms_right': spread([1e3 * t['right'] for t in turns]),
        'gflop_s': spread([1e-9 * flops / o for o in ours]),
        'dgemm_gflop_s': spread([t['dgemm'] for t in turns]),
        'dgemm_share': spread([1e-9 * flops / o / t['dgemm'] for t, o in zip(turns, ours)]),
        'gb_s': spread([8e-9 * n * D / o for o in ours]),
        'triad_gb_s': spread([t['triad'] for t in turns]),
        'triad_share': spread([8e-9 * n * D / o / t['triad'] for t, o in zip(turns, ours)]),
    }


def load(bench, crew, shape):
    """Gives the rows to everyone and lets everyone run once; how far the ends are apart, with rows
    in double and in single precision."""
    n, D, K = shape
    x, resp = clusters(n, D, K)
    np.save(bench.file('rows.npy'), x)
    np.save(bench.file('resp.npy'), resp)
    for name, worker in crew.items():
        if 'dgemm' in name:
            continue
        worker.ask(f'load {bench.file("rows.npy")} {bench.file("resp.npy")} {K}')
        worker.ask(f'run 1 {STEPS}' if name == 'ours' else f'run {STEPS}')
    error = compare(bench, crew['ours'], crew['shipped 1'], K, D, TOLERANCE)
    crew['ours'].ask('precision 32')
    crew['ours'].ask(f'run 1 {STEPS}')
    error_32 = compare(bench, crew['ours'], crew['shipped 1'], K, D, TOLERANCE_32)
    crew['ours'].ask('precision 64')
    return error, error_32


def pair(crew, steps, order):
    """One thread and two straight after each other, wall clock: ours, and dgemm for what the machine
    has to give. lost: the share of the processors that the host gave to others meanwhile."""
    before, wall = stolen(), {}
    for threads in order:
        wall[threads] = crew['ours'].ask(f'run {threads} {steps}')['wall']
    lost = (stolen() - before) / (wall[1] + 2 * wall[2])
    rate = {threads: crew[f'dgemm {threads}'].ask()['gflop_s'] for threads in order}
    return {'ours': wall[1] / wall[2], 'dgemm': rate[2] / rate[1], 'lost': lost}


def two_against_one(bench, crew):
    """Pairs in calm times: a processor that is taken away for some milliseconds lets the other one
    wait, whatever the program does. What counts is the loss, not the ratio."""
    wanted = PAIRS_FULL if bench.full else PAIRS_QUICK
    step = crew['ours'].ask(f'run 1 {STEPS}')['wall'] / STEPS
    steps = max(STEPS, math.ceil((PAIR_SECONDS if bench.full else 0) / step))
    taken = []
    while sum(p['lost'] <= CALM for p in taken) < wanted and len(taken) < (1 + AGAIN) * wanted:
        taken.append(pair(crew, steps, (1, 2) if len(taken) % 2 else (2, 1)))
    calm = sorted(taken, key=lambda p: p['lost'])[:wanted]
    return {'ours': spread([p['ours'] for p in calm]), 'dgemm': spread([p['dgemm'] for p in calm]),
            'taken': len(taken), 'lost': spread([p['lost'] for p in calm]),
            'ours_all': spread([p['ours'] for p in taken])}


def measure(bench, crew, triad, shape):
    n, D, K = shape
    (error, error_32), turns = load(bench, crew, shape), {1: [], 2: []}
    for _ in range(TURNS_FULL if bench.full else TURNS_QUICK):
        for threads in turns:
            turns[threads].append(turn(crew, triad, threads))
    out = {'n': n, 'D': D, 'K': K, 'apart': digits(error, 2), 'apart_32': digits(error_32, 2)}
    for threads, took in turns.items():
        out[f'threads_{threads}'] = summary(took, n, D, K)
    out['two_against_one'] = two_against_one(bench, crew)
    say(f'{shape}: {out["threads_1"]["ratio_shipped"]["median"]} x shipped, '
        f'{out["threads_1"]["ratio_right"]["median"]} x right core type, '
        f'{100 * out["threads_1"]["dgemm_share"]["median"]:.0f} % of dgemm')
    return out


def moments(bench, crew, shape):
    """The second moments of many columns alone, one thread, beside dgemm: half of a product's operations."""
    n, D, K = shape
    x, resp = clusters(n, D, K)
    np.save(bench.file('rows.npy'), x)
    np.save(bench.file('resp.npy'), resp)
    crew['ours'].ask(f'load {bench.file("rows.npy")} {bench.file("resp.npy")} {K}')
    taken = []
    for _ in range(TURNS_FULL if bench.full else TURNS_QUICK):
        rate = 1e-9 * STEPS * n * K * (D + 1) * (D + 2) / crew['ours'].ask(f'moments {STEPS}')['cpu']
        taken.append((rate, crew['dgemm 1'].ask()['gflop_s_cpu']))
    out = {'n': n, 'D': D, 'gflop_s': spread([rate for rate, _ in taken]), 'dgemm_gflop_s': spread([dgemm for _, dgemm in taken]),
           'dgemm_share': spread([rate / dgemm for rate, dgemm in taken])}
    say(f'moments of {D} columns: {100 * out["dgemm_share"]["median"]:.0f} % of dgemm')
    return out


def geometric_mean(shapes, key):
    ratios = [s['threads_1'][key]['median'] for s in shapes]
    return digits(float(np.exp(np.mean(np.log(ratios)))))


def main():
    bench = Bench('peers')
    core_type, rates = best_core_type(bench)
    cut = 1 if bench.full else QUICK
    megabytes = TRIAD_MB_FULL if bench.full else TRIAD_MB_QUICK
    with contextlib.ExitStack() as stack:
        crew = workers(bench, stack, core_type)
        triad = stack.enter_context(Worker([*bench.tool('triad'), str(megabytes)], 2))
        shapes = [measure(bench, crew, triad, (n // cut, D, K)) for n, D, K in SHAPES]
        sums = moments(bench, crew, (MOMENTS[0] // cut, *MOMENTS[1:]))
    bench.finish(steps=STEPS, pair_seconds=PAIR_SECONDS if bench.full else 0, calm=CALM, again=AGAIN,
                 tolerance=TOLERANCE, tolerance_32=TOLERANCE_32, core_type=core_type or 'as shipped',
                 core_types_gflop_s=rates, triad_array_mb=megabytes, shapes=shapes, moments=sums,
                 geometric_mean={key: geometric_mean(shapes, key)
                                 for key in ('ratio_shipped', 'ratio_right', 'ratio_shipped_32')})


if __name__ == '__main__':
    main()

"""coverage.py - how often 95 % intervals of --model mixed contain the truth, over draws of hospitals that
differ. A hospital has 20 to 120 patients; its mean is N(m, 1), the three inputs have effects that are
common, the noise is N(0, 1). A run for 5 and for 20 hospitals: of m, of the common effects, and of the
pooled regression's m (linreg), which knows no hospitals. Then forecasts of --model hmm: two states that differ by 3
and by 8 standard deviations, sequences of 150 rows, intervals of the 5 rows that follow. With --full it fails
outside what is promised."""
import csv
import os
import subprocess
import tempfile

import numpy as np

DRAWS_QUICK, DRAWS = 20, 2000
POOLED = 10  # the pooled regression is fitted to every tenth draw
# Of the mean over hospitals, of common effects.
PROMISED = {5: ((.86, .93), (.925, .96)), 20: ((.93, .995), (.925, .96))}
SERIES_QUICK, SERIES, KNOWN, AHEAD = 10, 1000, 150, 5
# By the distance of the two states, in standard deviations.
FORECASTS = {3: (.93, .97), 8: (.93, .97)}
ROUGHLY = (.80, .99)  # of 100 draws


def draw(rng, hospitals):
    site = np.repeat(np.arange(hospitals), rng.integers(20, 121, hospitals))
    X, m, b = rng.normal(size=(len(site), 3)), rng.normal(), rng.normal(size=3)
    return site, X, m + rng.normal(size=hospitals)[site] + X @ b + rng.normal(size=len(site)), np.r_[m, b]


def intervals(program, folder, model):
    """Low and high ends of the intercept and the inputs, as `fit` prints them."""
    options = ['--group-column', 'site'] if model == 'mixed' else ['--drop', 'site']
    said = subprocess.run([program, 'fit', '--data', 'rows.csv', '--model', model, '--target-column', 'y', *options,
                           '--out', 'fit.json'], cwd=folder, capture_output=True, text=True, check=True).stdout
    return np.array([[float(x) for x in line.split()[3:5]] for line in said.splitlines()
                     if line.split()[:1] in (['(intercept)'], ['a'], ['b'], ['c'])])


def covered(program, draws, hospitals, seed=1):
    """Shares of draws: of the mean, of all common effects, of the mean by the pooled regression."""
    hit, pooled = [], []
    with tempfile.TemporaryDirectory() as folder:
        for k in range(draws):
            site, X, y, truth = draw(np.random.default_rng([seed, hospitals, k]), hospitals)
            with open(os.path.join(folder, 'rows.csv'), 'w', newline='') as f:
                csv.writer(f).writerows([['site', 'a', 'b', 'c', 'y'], *([s, *x, t] for s, x, t in zip(site, X, y))])
            own = intervals(program, folder, 'mixed')
            inside = (own[:, 0] <= truth) & (truth <= own[:, 1])
            hit.append([inside[0], inside[1:].mean()])
            if k % POOLED == 0:
                low, high = intervals(program, folder, 'linreg')[0]
                pooled.append(low <= truth[0] <= high)
    return *np.mean(hit, axis=0), np.mean(pooled)


def forecasts(program, series, far, seed=1):
    """Share of the rows that follow within their intervals, at each step."""
    hit = np.zeros(AHEAD)
    with tempfile.TemporaryDirectory() as folder:
        def run(*args):
            subprocess.run([program, *args], cwd=folder, capture_output=True, check=True)
        for k in range(series):
            rng = np.random.default_rng([seed, far, k])
            z, x = rng.integers(2), []
            for _ in range(KNOWN + AHEAD):
                x.append(float(far * z + rng.normal() * (1, .6)[z]))
                z ^= int(rng.random() < (.1, .15)[z])
            with open(os.path.join(folder, 'x.csv'), 'w') as f:
                f.write('\n'.join(['x', *map(repr, x[:KNOWN])]))
            run('fit', '--data', 'x.csv', '--model', 'hmm', '--n-init', '2', '--out', 'p.json')
            run('predict', '--posterior', 'p.json', '--data', 'x.csv', '--what', 'forecast', '--steps', str(AHEAD), '--out', 'f.npy')
            low, high = np.load(os.path.join(folder, 'f.npy'))[:, 3:5].T
            hit += (low <= x[KNOWN:]) & (x[KNOWN:] <= high)
    return hit / series


def main():
    from harness import Bench, say  # not above: tests, whose harness is another, use the functions

    bench = Bench('coverage')
    program, draws = os.path.join(os.path.abspath(bench.build), 'meshbayes'), DRAWS if bench.full else DRAWS_QUICK
    runs = []
    for hospitals, promised in PROMISED.items():
        mean, common, pooled = covered(program, draws, hospitals)
        runs.append({'hospitals': hospitals, 'mean': mean, 'common': common, 'pooled': pooled, 'promised': promised})
        say(f'{hospitals} hospitals: mean {mean:.3f}, common effects {common:.3f}, pooled regression\'s mean {pooled:.3f}')
        if bench.full and not all(low <= x <= high for x, (low, high) in zip((mean, common), promised)):
            raise RuntimeError(f'{hospitals} hospitals, {draws} draws: {mean:.3f} and {common:.3f} are outside {promised}')
    series, ahead = SERIES if bench.full else SERIES_QUICK, []
    for far, (low, high) in FORECASTS.items():
        inside = forecasts(program, series, far)
        ahead.append({'far': far, 'inside': inside.tolist(), 'promised': [low, high]})
        say(f'forecasts, states {far} apart: ' + ', '.join(f'{x:.3f}' for x in inside))
        if bench.full and not low <= inside.mean() <= high:
            raise RuntimeError(f'forecasts, states {far} apart: {inside.mean():.3f} is outside {low} to {high}')
    bench.finish(draws=draws, runs=runs, series=series, forecasts=ahead)


if __name__ == '__main__':
    main()

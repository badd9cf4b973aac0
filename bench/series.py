"""series.py - how often 95 % intervals of forecasts of --model structural contain what comes: series of 100 rows
with gaps, one fit each, of a level, of a level with a slope, and of a level with a season of four; 1, 5 and 10
rows ahead, and how often 95 % intervals of the variances contain the true ones. With --full of 1,000 series each,
and it fails outside .93 to .97, of variances .90 to .98."""
import os
import subprocess
import tempfile

import numpy as np

ROWS, AHEAD, DRAWS_QUICK, DRAWS = 100, (1, 5, 10), 20, 1000
PROMISED, OF_VARIANCES = (.93, .97), (.90, .98)
# Standard deviations of noise, level, slope and season.
FORMS = {'level': (1, .3, None, None), 'trend': (1, .3, .05, None), 'season': (1, .3, None, .1)}


def draw(rng, noise, level, slope, season):
    """Rows and what follows them."""
    m, b, s, out = rng.normal(), rng.normal() * (slope or 0), rng.normal(size=3) * bool(season), []
    for _ in range(ROWS + max(AHEAD)):
        out.append(m + s[0] * bool(season) + noise * rng.normal())
        m += b + level * rng.normal()
        b += (slope or 0) * rng.normal()
        s = np.r_[-s.sum() + (season or 0) * rng.normal(), s[:2]]
    return np.array(out)


def covered(program, draws, form, seed=1):
    """Shares of the series: by AHEAD, by variance."""
    how = (['--structural.trend', 'on'] if FORMS[form][2] else []) + (['--structural.season', '4'] if FORMS[form][3] else [])
    hit, known = [], []
    with tempfile.TemporaryDirectory() as folder:
        def run(*args):
            return subprocess.run([program, *args], cwd=folder, check=True, capture_output=True, text=True).stdout

        for k in range(draws):
            rng = np.random.default_rng([seed, sorted(FORMS).index(form), k])
            y = draw(rng, *FORMS[form])
            text = [repr(float(v)) if keep else '' for v, keep in zip(y[:ROWS], rng.random(ROWS) > .1)]
            with open(os.path.join(folder, 'rows.csv'), 'w') as f:
                f.write('\n'.join(['y,a', *(t + ',' for t in text + [''] * max(AHEAD))]) + '\n')
            said = run('fit', '--data', 'rows.csv', '--columns', 'y', '--model', 'structural', '--target-column', 'y', *how, '--out', 'fit.json')
            ends = [line.split()[2:4] for line in said.splitlines() if line.split()[:1] in (['noise'], ['level'], ['slope'], ['season'])]
            known.append([float(low) <= sd**2 <= float(high) for sd, (low, high) in zip(filter(None, FORMS[form]), ends, strict=True)])
            run('predict', '--posterior', 'fit.json', '--data', 'rows.csv', '--columns', 'y', '--out', 'next.csv')
            mean, sd, low, high = np.loadtxt(os.path.join(folder, 'next.csv'), delimiter=',', skiprows=1, usecols=(1, 2, 3, 4)).T
            hit.append([low[ROWS + h - 1] <= y[ROWS + h - 1] <= high[ROWS + h - 1] for h in AHEAD])
    return np.mean(hit, axis=0), np.mean(known, axis=0)


def main():
    from harness import Bench, say

    bench = Bench('series')
    program, draws = os.path.join(os.path.abspath(bench.build), 'meshbayes'), DRAWS if bench.full else DRAWS_QUICK
    runs = []
    for form in FORMS:
        share, known = covered(program, draws, form)
        runs.append({'form': form, 'ahead': AHEAD, 'covered': share.tolist(), 'promised': PROMISED, 'variances': known.tolist(),
                     'promised_of_variances': OF_VARIANCES})
        say(f'{form}: ' + ', '.join(f'{h} ahead {x:.3f}' for h, x in zip(AHEAD, share)) + '; variances ' + ', '.join(f'{x:.3f}' for x in known))
        if bench.full and not all(PROMISED[0] <= x <= PROMISED[1] for x in share):
            raise RuntimeError(f'{form}: {share} is outside {PROMISED}')
        if bench.full and not all(OF_VARIANCES[0] <= x <= OF_VARIANCES[1] for x in known):
            raise RuntimeError(f'{form}: variances {known} are outside {OF_VARIANCES}')
    bench.finish(draws=draws, runs=runs)


if __name__ == '__main__':
    main()

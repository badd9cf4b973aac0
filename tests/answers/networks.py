#!/usr/bin/python3
"""networks.py PROGRAM --data DIR: every model over ten networks of 12 nodes that lose 20 % of their
messages, directed, beside central VB from the same initialisation: how many settle, after how many
rounds, and how far their bound is below that of central VB, nats a hundred rows. Prints the table of
docs/models.md."""
import argparse
import json
import os
import subprocess
import tempfile

import numpy as np

NETWORK = ['--topology', 'geometric:n=12,side=2,radius=1', '--loss', '0.2', '--algorithm', 'edge,cvb',
           '--rounds', '20000', '--tol', '1e-9', '--json']
SEEDS = range(1, 11)


def series(path):
    """24 series of 80 rows with gaps: a level that changes by a third of the noise a row."""
    rng = np.random.default_rng(1)
    with open(path, 'w', encoding='utf-8') as f:
        f.write('series,y\n')
        for g in range(24):
            level = 5 * rng.normal() + (rng.normal(size=80) / 3).cumsum()
            f.writelines(f'{g},{x + rng.normal() if rng.random() > .1 else ""}\n' for x in level)
    return path


def cases(data, made):
    def of(name, *more):
        return ['--data', os.path.join(data, name, name + '.csv'), *more]
    iris = of('iris', '--label-column', 'label')
    rings = of('abalone', '--drop', 'sex', '--target-column', 'rings', '--model', 'linreg')
    return {'gmm, iris, K = 3': [*iris, '--n-components', '3'],
            'gmm diag, iris, K = 3': [*iris, '--n-components', '3', '--covariance-type', 'diag'],
            'gmm tied, iris, K = 3': [*iris, '--n-components', '3', '--covariance-type', 'tied'],
            'gmm, Dirichlet process, iris, K = 4': [*iris, '--n-components', '4', '--weight-concentration-prior-type',
                                                    'dirichlet_process'],
            'tmm, iris, K = 3': [*iris, '--n-components', '3', '--model', 'tmm'],
            'tmm, faithful, K = 2': of('faithful', '--n-components', '2', '--model', 'tmm'),
            'lca, abalone, K = 3': of('abalone', '--n-components', '3', '--model', 'lca'),
            'lca, doctor visits, K = 3': of('doctor_visits', '--n-components', '3', '--model', 'lca'),
            'linreg, abalone': rings,
            'linreg, relevance, abalone': [*rings, '--linreg.relevance', 'on'],
            'hmm, Beijing air, K = 3': ['--data', os.path.join(data, 'beijing_air', 'daily.csv.gz'), '--group-column', 'station',
                                        '--time-column', 'date', '--columns', 'PM2.5,NO2,TEMP', '--model', 'hmm', '--n-components', '3'],
            'fa, ionosphere, 3 factors': of('ionosphere', '--model', 'fa', '--n-components', '3'),
            'mixreg, abalone, K = 3': [*rings[:-1], 'mixreg', '--n-components', '3'],
            'structural, 24 series of 80 rows': ['--data', series(os.path.join(made, 'series.csv')), '--group-column', 'series',
                                                 '--target-column', 'y', '--model', 'structural'],
            'glm poisson, doctor visits': of('doctor_visits', '--model', 'glm', '--glm.link', 'poisson', '--target-column',
                                             'visits'),
            'glm multinomial, iris': of('iris', '--model', 'glm', '--glm.link', 'multinomial', '--target-column', 'label')}


def run(program, options):
    """(verdict, rounds, nats a hundred rows below central VB) of each seed."""
    out = []
    for seed in SEEDS:
        done = subprocess.run([program, 'sim', *options, *NETWORK, '--seed', str(seed)], capture_output=True, text=True)
        if done.returncode not in (0, 3):
            raise SystemExit(f'networks: {" ".join(options)}: {done.stderr.strip()}')
        got = json.loads(done.stdout)
        edge, central = got['algorithms']
        out.append((edge['verdict'], edge['rounds'], 100 * (central['bound'] - edge['bound']) / got['data']['rows']))
    return out


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument('program')
    parse.add_argument('--data', required=True)
    opt = parse.parse_args()
    print('| model and rows | settled | rounds, least to most | nats a hundred rows below central VB, most | above it by 0.1 or more |')
    print('|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as made:
        for name, options in cases(opt.data, made).items():
            got = run(os.path.abspath(opt.program), options)
            rounds, below = [g[1] for g in got], [g[2] for g in got]
            print(f'| {name} | {sum(g[0] == "settled" for g in got)} of {len(got)} | {min(rounds)} to {max(rounds)} | '
                  f'{max(0, max(below)):.3f} | {sum(b < -.1 for b in below)} |', flush=True)


if __name__ == '__main__':
    main()

"""matrix.py: the runs of script/matrix, their assertions, and their part of docs/performance.md.

Every run has the prior of scikit-learn's defaults as numbers and the same centres (k-means++ and Lloyd steps
on all rows, here), so its result does not depend on the defaults of the program. Assertions, for every
run: if the verdict is "settled", one centralised step from the mean of the dumped phi, computed here with
numpy, is within 1e-6 of every node; otherwise the run says so by its exit status or a warning line."""
import argparse
import hashlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'reference'))
import refimpl as ref  # noqa: E402
from matrix_page import write_page  # noqa: E402

ROUNDS, NEAR = 40000, 1e-6
ALGORITHMS = ('edge', 'tree', 'flow', 'admm')
SMALL = [('complete:n=10', 20), ('path:n=16', 20), ('star:n=20', 20), ('ring:n=20', 100),
         ('barbell:clique=12,path=8', 20), ('grid:rows=7,cols=7', 20),
         ('geometric:n=50,side=3.5,radius=0.8', 100), ('tree:n=63,arity=2', 20)]
LARGE = [('ring:n=50', 100), ('path:n=50', 20), ('star:n=100', 5), ('complete:n=100', 5),
         ('path:n=100', 20), ('barbell:clique=50,path=0', 20), ('grid:rows=10,cols=10', 20),
         ('geometric:n=100,side=5,radius=0.8', 20), ('tree:n=127,arity=2', 20), ('star:n=200', 5),
         ('star:n=200', 20), ('ring:n=200', 20), ('geometric:n=200,side=7,radius=0.8', 100),
         ('tree:n=364,arity=3', 5), ('grid:rows=20,cols=20', 20),
         ('geometric:n=400,side=10,radius=0.8', 20), ('geometric:n=1000,side=15.8,radius=0.8', 20)]


def jobs(small):
    """(topology, rows a node, K, loss, delay, algorithm), the cheapest networks first."""
    for topology, rows in SMALL:
        for K, loss, delay in itertools.product((3,) if small else (3, 8), (0, .3),
                                                (0,) if small else (0, 5, 50)):
            for algorithm in ('edge', 'tree') if small else ALGORITHMS:
                yield topology, rows, K, loss, delay, algorithm
    for (topology, rows), K, loss in itertools.product([] if small else LARGE, (3, 8), (0, .3)):
        for algorithm in ALGORITHMS:
            yield topology, rows, K, loss, 0, algorithm


def distances(X, centres):
    return ((X[:, None, :] - centres[None]) ** 2).sum(axis=2)


def centres_of(X, K, seed=1):
    """k-means++ and Lloyd's steps until no row changes its cluster."""
    rng = np.random.default_rng(seed)
    C = X[[rng.integers(len(X))]]
    while len(C) < K:
        d = distances(X, C).min(axis=1)
        C = np.vstack([C, X[rng.choice(len(X), p=d / d.sum())]])
    label = None
    for _ in range(300):
        new = distances(X, C).argmin(axis=1)
        if label is not None and (new == label).all():
            break
        label = new
        C = np.array([X[label == k].mean(axis=0) if (label == k).any() else C[k] for k in range(K)])
    return C


class Problem:
    """Rows of a network, and the options and reference that belong to them."""

    def __init__(self, program, folder, network, rows, K, seed=1):
        """network: what follows `graph describe`, ['--topology', T] for example."""
        facts = json.loads(call([program, 'graph', 'describe', *network, '--json'], folder))
        self.nodes, self.links = facts['nodes'], facts['edges']
        call([program, 'data', 'synthetic', '--nodes', self.nodes, '--rows', rows, '--seed', seed,
              '--out', 'rows.csv'], folder)
        table = np.loadtxt(os.path.join(folder, 'rows.csv'), delimiter=',', skiprows=1)
        self.X = table[:, 1:3]
        self.K, self.D = K, 2
        self.prior = (1 / K, 1.0, self.X.mean(axis=0), float(self.D), np.cov(self.X.T))
        np.savetxt(os.path.join(folder, 'centres.csv'), centres_of(self.X, K, seed), delimiter=',', fmt='%.17g',
                   header='x1,x2', comments='')

    def options(self):
        alpha0, beta0, mean, nu0, winv = self.prior
        text = [','.join(repr(float(v)) for v in np.ravel(a)) for a in (mean, winv)]
        return ['--data', 'rows.csv', '--node-column', 'node', '--label-column', 'label', '--n-components',
                self.K, '--init', 'centres:centres.csv', '--prior.alpha0', repr(alpha0), '--prior.beta0',
                beta0, '--prior.mu0', text[0], '--prior.nu0', nu0, '--prior.w0inv', text[1]]

    def farthest(self, phi):
        """The largest distance of a node's phi from one centralised step at their mean: entries against
        the largest of their sub-block of eq. (45), which is (alpha - 1), or of a component
        (nu - D)/2, the matrix, beta m, -beta/2."""
        gmm = ref.Gmm(self.K, self.D, *self.prior)
        statistics = gmm.step(phi.mean(axis=0), self.X, np.ones(len(self.X)))
        if statistics is None:
            return float('inf')
        step, far = gmm.prior + statistics, 0.0
        for part, size in zip(parts(gmm, phi - step), parts(gmm, step[None])):
            far = max(far, float(np.abs(part).max() / np.abs(size).max()))
        return far


def parts(gmm, phi):
    """Sub-blocks of the rows of phi; those of an emptied component count with all components."""
    K, D = gmm.K, gmm.D
    rest = phi[:, K:].reshape(len(phi), K, gmm.block)
    return [phi[:, :K], rest[:, :, 0], rest[:, :, 1:1 + D * D], rest[:, :, 1 + D * D:-1], rest[:, :, -1]]


def call(command, folder):
    return subprocess.run([*map(str, command)], cwd=folder, check=True, capture_output=True, text=True).stdout


def run(program, job, limit=None):
    """What is known of a run; `bad`: the assertion that it breaks. None if it takes longer than `limit`."""
    topology, rows, K, loss, delay, algorithm = job
    out = dict(zip(('topology', 'rows', 'K', 'loss', 'delay', 'algorithm'), job))
    if algorithm == 'admm' and (loss or delay):
        return {**out, 'verdict': 'refused', 'bad': None}
    with tempfile.TemporaryDirectory() as folder:
        problem = Problem(program, folder, ['--topology', topology], rows, K)
        command = [program, 'sim', *problem.options(), '--topology', topology, '--algorithm', algorithm,
                   '--rounds', ROUNDS, '--threads', 1, '--loss-directed', loss, '--delay', delay, '--json',
                   '--dump-phi', 'phi.npy']
        try:
            done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True,
                                  timeout=limit)
        except subprocess.TimeoutExpired:
            return None
        if done.returncode not in (0, 3):
            return {**out, 'verdict': 'error', 'bad': done.stderr.strip()[-300:]}
        got = json.loads(done.stdout)['algorithms'][0]
        out.update({k: got[k] for k in ('rounds', 'verdict', 'bytes', 'frozen', 'outside', 'disagreement',
                                        'moved', 'seconds')}, nodes=problem.nodes, links=problem.links,
                   bad=None)
        if got['verdict'] == 'settled':
            out['far'] = problem.farthest(np.load(os.path.join(folder, 'phi.npy'))[-1])
            if not out['far'] <= NEAR:
                out['bad'] = f'settled, but {out["far"]:.1e} from a fixed point of central VB'
        elif done.returncode == 0 and f'warning: {algorithm}: ' not in done.stderr:
            out['bad'] = f'{got["verdict"]}, and says so neither by its exit status nor by a warning'
    return out


def earlier(path, sha):
    """Results in the file, by job: of this very program, or of any (sha None)."""
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        lines = [json.loads(line) for line in f if line.endswith('\n')]
    return {tuple(r['job']): r for r in lines if sha in (None, r['sha'])}


def shown(r):
    what = f'{r["topology"]} x {r["rows"]}, K = {r["K"]}, loss {r["loss"]}, delay {r["delay"]}, {r["algorithm"]}'
    if 'rounds' not in r:
        return f'{what}: {r["verdict"]}'
    return f'{what}: {r["verdict"]} after {r["rounds"]} rounds, {r["bytes"]} bytes, {r["seconds"]:.1f} s'


def main():
    parser = argparse.ArgumentParser(prog='script/matrix')
    parser.add_argument('--program', required=True)
    parser.add_argument('--out', help='folder of results.jsonl; runs that are there are not repeated')
    parser.add_argument('--small', action='store_true',
                        help='eight networks of at most 64 nodes, K = 3, edge and tree, which must settle')
    parser.add_argument('--keep', action='store_true', help='results of other builds count too')
    parser.add_argument('--algorithms', default=','.join(ALGORITHMS), help='of these only')
    parser.add_argument('--page', help='the page whose section between the markers is written')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--limit', type=float, metavar='SECONDS',
                        help='a run that takes longer is stopped and stays missing')
    args = parser.parse_args()
    program = os.path.abspath(args.program)
    with open(program, 'rb') as f:
        sha = hashlib.sha256(f.read()).hexdigest()[:16]
    path = args.out and os.path.join(args.out, 'results.jsonl')
    if path:
        os.makedirs(args.out, exist_ok=True)
    done = earlier(path, None if args.keep else sha) if path else {}
    todo = [j for j in jobs(args.small) if j not in done and j[-1] in args.algorithms.split(',')]
    todo.sort(key=lambda j: j[2])
    with ThreadPoolExecutor(args.jobs) as pool:
        for job, r in zip(todo, pool.map(lambda j: run(program, j, args.limit), todo)):
            if r is None:
                print(f'{job}: stopped after {args.limit:.0f} s', flush=True)
                continue
            done[job] = {**r, 'job': job, 'sha': sha}
            print(shown(r), flush=True)
            if path:
                with open(path, 'a') as f:
                    f.write(json.dumps(done[job]) + '\n')
    bad = [f'{shown(r)}: {r["bad"]}' for r in done.values() if r['bad']]
    if args.small:
        bad += [shown(r) for r in done.values() if r['verdict'] != 'settled']
    print(*bad, sep='\n')
    if args.page:
        there = [done[j] for j in jobs(args.small) if j in done]
        write_page(args.page, there, len(list(jobs(args.small))) - len(there))
    print(f'{len(done) - len(bad)} passed, {len(bad)} failed')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())

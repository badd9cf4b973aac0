#!/usr/bin/python3
"""plan.py - what `meshbayes plan` says before a run against what `meshbayes sim` then does: bytes,
seconds and memory, as predicted / measured. Seconds are the run's own: predicted from the shape alone,
with as many steps of k-means as the rows that `plan` draws need and with as many as it may take; and
given the rows (--data). Memory is the peak of the process above that of a process that only prints its
help."""
import numpy as np

from harness import Bench, digits, say

# nodes, topology, rows a node, D, K, rounds
CASES = [(50, 'geometric:n=50,side=3.5,radius=0.8', 100, 2, 3, 1500),
         (200, 'geometric:n=200,side=7,radius=0.8', 500, 10, 5, 40),
         (400, 'grid:rows=20,cols=20', 150, 30, 4, 20)]
CASES_QUICK = [(50, 'geometric:n=50,side=3.5,radius=0.8', 100, 2, 3, 200)]
ALGORITHMS = ['dsvb', 'admm', 'flow', 'edge']
# With its default penalty a node of the second network leaves the domain, and the run ends early.
SPARED = {'admm': ('--admm.rho', 2)}


def predictions(bench, topology, K, rounds, *of):
    got, _ = bench.json('plan', *of, '--topology', topology, '--n-components', K, '--algorithm',
                        ','.join(ALGORITHMS), '--rounds', rounds, '--threads', 1)
    return got, {a['name']: a for a in got['algorithms']}


def case(bench, empty, nodes, topology, rows, D, K, rounds):
    rng = np.random.default_rng(2)
    x = rng.standard_normal((nodes * rows, D))
    x[:, 0] += 4 * (np.arange(len(x)) % K)
    np.save(bench.file('rows.npy'), x)
    shape, planned = predictions(bench, topology, K, rounds, '--rows-per-node', rows, '--features', D)
    seen, given = predictions(bench, topology, K, rounds, '--data', 'rows.npy')
    out = {'nodes': nodes, 'topology': topology, 'rows': rows, 'D': D, 'K': K, 'rounds': rounds,
           'steps_of_shape': shape['start_steps'], 'steps': seen['start_steps'], 'algorithms': {}}
    for name in ALGORITHMS:
        got, peak = bench.json('sim', '--data', 'rows.npy', '--topology', topology,
                               '--n-components', K, '--algorithm', name, '--rounds', rounds,
                               '--tol', 0, '--threads', 1, *SPARED.get(name, ()))
        run, plan = got['algorithms'][0], planned[name]
        ratio = {'bytes': plan['bytes'] / run['bytes'],
                 'start_bytes': shape['start_bytes'] / run['start_bytes'],
                 'seconds': plan['seconds'] / run['seconds'],
                 'seconds_most': (plan['seconds'] - shape['start_seconds'] +
                                  shape['start_seconds_most']) / run['seconds'],
                 'seconds_given_rows': given[name]['seconds'] / run['seconds'],
                 'memory': plan['memory'] / max(peak - empty, 1)}
        out['algorithms'][name] = {
            'predicted_over_measured': {k: digits(v) for k, v in ratio.items()},
            'seconds': digits(run['seconds']), 'bytes': run['bytes'],
            'bytes_above_empty': peak - empty}
        say(f'{nodes} nodes, D = {D}, {name}: ' +
            ', '.join(f'{k} {v:.3f}' for k, v in ratio.items()))
    return out


def main():
    bench = Bench('plan')
    _, empty = bench.meshbayes('help')
    bench.finish(empty_process_bytes=empty,
                 cases=[case(bench, empty, *c) for c in (CASES if bench.full else CASES_QUICK)])


if __name__ == '__main__':
    main()

"""One run of a table of docs/mesh.md: a network, an event, and the ticks until every node is right.

The event happens to a mesh that has been calm; what is measured is the virtual time from it to the moment from
which every node stays within 1e-6 (relative, in the norm of phi) of central VB of the rows that are present, as
trace.csv of `meshbayes up --virtual --out` has it, in ticks of 20 ms."""
import csv
import os
import subprocess
import sys
import tempfile

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', 'matrix'))
from edge_rounds import write_network  # noqa: E402
from matrix import Problem, call  # noqa: E402

TICK, NEAR = .02, 1e-6
COLD = ('cold start', 'ten restarts')                  # ticks are counted from the start
AWAY = 80                                              # ticks for which a node is gone
# name: (topology, rows a node, ticks of calm before an event, ticks after it)
NETWORKS = {
    "the paper's 50": ('geometric:n=50,side=3.5,radius=0.8', 100, 900, 2500),
    'star of 50': ('star:n=50', 100, 450, 2000),
    'grid 7 x 7': ('grid:rows=7,cols=7', 100, 800, 2000),
    'ring of 50': ('ring:n=50', 100, 2000, 5000),
    'star of 100, 5 rows': ('star:n=100', 5, 700, 2000),
    'random tree of 63, 8 rows': ('random tree', 8, 5000, 6000),
}
EVENTS = ('cold start', 'one leaves', 'five leave', 'the leader leaves', 'old checkpoint', 'empty', 'five join',
          'partition', 'healed', 'ten restarts', 'rows replaced')
SHORT = .3                                             # of the ticks after it, tried first
REST = 500                                             # ticks more of calm until all rest


def reach(links, nodes):
    """Nodes that the least of `nodes` reaches within them."""
    nodes, found = set(nodes), {min(nodes)}
    while True:
        more = {v for a, b in links for u, v in ((a, b), (b, a)) if u in found and v in nodes} - found
        if not more:
            return found
        found |= more


def hops(links, start):
    """The most hops from `start`."""
    far, found = 0, {start}
    while True:
        more = {v for a, b in links for u, v in ((a, b), (b, a)) if u in found} - found
        if not more:
            return far
        far, found = far + 1, found | more


def spare(rng, links, nodes, count):
    """Nodes, the leader not among them, without which the others stay connected."""
    gone = []
    while len(gone) < count:
        near = {v for a, b in links for u, v in ((a, b), (b, a)) if u in gone} - set(gone)
        can = [v for v in nodes if v not in gone and v != min(nodes)]
        for v in sorted(rng.permutation(can), key=lambda v: v not in near if len(links) <= len(nodes) else 0):
            left = set(nodes) - set(gone) - {v}
            if reach(links, left) == left:
                gone.append(int(v))
                break
        else:
            raise SystemExit('no node can leave')
    return gone


def half(links, nodes):
    """Half of the nodes, connected and the others too where that is possible."""
    order, seen = [max(nodes)], {max(nodes)}
    for u in order:
        for v in sorted(v for a, b in links for x, v in ((a, b), (b, a)) if x == u and v not in seen):
            seen.add(v)
            order.append(v)
    return order[:len(nodes) // 2]


def schedule(event, rng, links, nodes, calm, after):
    """(lines of the schedule, second of the event, second at which it ends)."""
    at, end = calm * TICK, (calm + after) * TICK
    away = AWAY * TICK
    one = spare(rng, links, nodes, 1)[0]
    if event in COLD:
        ten = rng.permutation(nodes)[:10]
        times = sorted(rng.uniform(1, 3, 10)) if event == 'ten restarts' else []
        lines = [(round(t, 2), what, v, '') for t, v in zip(times, ten) for what in ('kill', 'start')]
        return lines, 0, calm * TICK
    if event in ('one leaves', 'the leader leaves'):
        return [(at, 'leave', min(nodes) if event != 'one leaves' else one, '')], at, end
    if event == 'five leave':
        return [(at, 'leave', v, '') for v in spare(rng, links, nodes, 5)], at, end
    if event == 'five join':
        return [(at, 'join', v, '') for v in spare(rng, links, nodes, 5)], at, end
    if event in ('old checkpoint', 'empty'):
        how = 'kill' if event == 'old checkpoint' else 'wipe'
        return [(at, how, one, ''), (at + away, 'start', one, '')], at + away, end
    if event in ('partition', 'healed'):
        part = ' '.join(map(str, half(links, nodes)))
        if event == 'partition':
            return [(at, 'partition', part, '')], at, end
        return [(at, 'partition', part, ''), (end, 'rejoin', '', '')], end, end + after * TICK
    return [(at, 'rows', v, f'more{v}.csv') for v in nodes], at, end


def ticks_of(path, begin, end):
    """(ticks from `begin` until all stay near, kB a node that took) or None: not before `end`."""
    with open(path) as f:
        lines = [line for line in csv.DictReader(f) if begin < float(line['time']) <= end]
    if not lines:
        return None
    first, last = lines[0], None
    for line in lines:
        near = line['distance_max'] and float(line['distance_max']) <= NEAR
        last = None if not near else last or line
    if not last:
        return None
    sent = int(last['bytes']) - int(first['bytes'])
    return (float(last['time']) - begin) / TICK, sent / 1000 / int(last['live'])


def fixed(links, nodes):
    """The settings before the automatic rule."""
    H = hops(links, min(nodes))
    return ['--edge.kappa', 4 if H < 15 else 6 if H < 24 else 9, '--edge.eta', min(.4, max(.1, 3.5 / H))]


def write_rows(program, folder, nodes, rows, seed):
    """A fifth as many new rows for every node."""
    call([program, 'data', 'synthetic', '--nodes', len(nodes), '--rows', max(1, rows // 5), '--seed', seed + 1000,
          '--out', 'new.csv'], folder)
    with open(os.path.join(folder, 'new.csv')) as f:
        head, *lines = f.read().splitlines()
    for v in nodes:
        mine = [line for line in lines if line.split(',')[0] == str(v)]
        with open(os.path.join(folder, f'more{v}.csv'), 'w') as f:
            f.write('\n'.join([head, *mine]) + '\n')


def measure(program, name, event, seed, loss=0, rule='automatic', more=(), rest=False, factor=1):
    """(ticks, kB a node) of a cell's draw; None: not within its time. `rule`: automatic, or the settings before it;
    with `rest` the nodes rest before the event; `factor` times as many ticks."""
    calm, after = (n * factor for n in NETWORKS[name][2:])
    for share in (SHORT, 1):
        got = attempt(program, name, event, seed, loss, rule, more, rest,
                      round(share * after) if event in COLD else calm + REST * rest, round(share * after))
        if got:
            return got
    return None


def attempt(program, name, event, seed, loss, rule, more, rest, calm, after):
    topology, rows = NETWORKS[name][:2]
    with tempfile.TemporaryDirectory() as folder:
        write_network(program, folder, topology, seed)
        problem = Problem(program, folder, ['--network', 'links.csv'], rows, 3, seed)
        links = np.loadtxt(os.path.join(folder, 'links.csv'), delimiter=',', skiprows=1, usecols=(0, 1), dtype=int)
        links = [tuple(map(int, pair)) for pair in links]
        nodes = sorted({v for pair in links for v in pair})
        lines, begin, end = schedule(event, np.random.default_rng([20261123, seed]), links, nodes, calm, after)
        with open(os.path.join(folder, 'events.csv'), 'w', newline='') as f:
            csv.writer(f, lineterminator='\n').writerows(
                [('time', 'event', 'a', 'b'), *((f'{t:g}', *rest_) for t, *rest_ in lines)])
        call([program, 'genesis', *problem.options(), '--out', 'genesis.json'], folder)
        command = [program, 'up', '--virtual', '--data', 'rows.csv', '--node-column', 'node', '--label-column',
                   'label', '--network', 'links.csv', '--n-components', 3, '--genesis', 'genesis.json',
                   '--schedule', 'events.csv', '--until', f'{end:g}s', '--seed', seed, '--loss', loss,
                   '--delay', '1ms..1ms', '--out', 'out']
        command += [] if rest else ['--tol', '1e-300']
        command += fixed(links, nodes) if rule == 'fixed' else []
        if event == 'rows replaced':
            write_rows(program, folder, nodes, rows, seed)
            command += ['--window', rows]
        done = subprocess.run([*map(str, [*command, *more])], cwd=folder, capture_output=True, text=True)
        if done.returncode not in (0, 3, 4):
            raise SystemExit(f'{command}: {done.stderr.strip()[-400:]}')
        return ticks_of(os.path.join(folder, 'out', 'trace.csv'), begin, end)

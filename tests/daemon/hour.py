"""An hour of rows: resident memory, private memory and descriptors of every process must be flat.

Rows arrive in the files that the nodes follow, a window by rows keeps their number, statuses are read as
a monitor would. Every process is sampled; what a sample has is said at `sample`. Flat means: the mean of
the last sixth of the run less that of the sixth after the first sixth (caches fill, the first settling)
is at most SLACK for the average node and SLACK_ONE for the worst one."""
import os
import random
import time

import numpy as np

from mesh import CENTRES, FAR

SLACK, SLACK_ONE = 64, 256     # kB that resident or private memory may grow, average and worst node
PRIVATE = 8192                 # kB of private memory a node
ROWS = 40                      # of a node's window


def sample(pid):
    """(resident kB, private kB, descriptors) of a process."""
    with open(f'/proc/{pid}/smaps_rollup') as f:
        kb = {line.split(':')[0]: int(line.split()[1]) for line in f if line.rstrip().endswith('kB')}
    return (kb['Rss'], kb['Private_Clean'] + kb['Private_Dirty'], len(os.listdir(f'/proc/{pid}/fd')))


class Rows:
    """Rows that arrive: every `every` seconds `count` at a node drawn at random."""

    def __init__(self, m, every, count=3, seed=7, nodes=None):
        self.m, self.every, self.count, self.nodes = m, every, count, nodes or range(m.n)
        self.pick, self.draw = random.Random(seed), np.random.default_rng(seed)
        self.total, self.next = 0, time.monotonic() + every

    def poll(self):
        if time.monotonic() < self.next:
            return
        self.next += self.every
        i = self.pick.choice(self.nodes)
        more = CENTRES[self.draw.integers(0, 3, self.count)] + self.draw.normal(size=(self.count, 2))
        text = '\n'.join(','.join(f'{v:.17g}' for v in row) for row in more)
        with open(self.m.where(i, 'rows.csv'), 'a') as f:
            f.write(text + '\n')
        self.m.rows[i] = np.vstack([self.m.rows[i], more])[-ROWS:]
        self.total += self.count


def growth(series):
    """kB (or descriptors) between the second sixth and the last one, a node each."""
    a = np.asarray(series, dtype=float)            # samples x nodes
    part = max(1, len(a) // 6)
    return a[-part:].mean(0) - a[part:2 * part].mean(0)


def watch(m, seconds, every, arrive, out):
    """Samples of all processes until the time is over, samples x nodes x 3; out has their series."""
    begun, at, all_samples = time.monotonic(), 0, []
    while time.monotonic() - begun < seconds:
        arrive.poll()
        if time.monotonic() - begun >= at:
            at += every
            gone = m.dead()
            assert not gone, f'nodes {gone} ended by themselves'
            for i in range(m.n):
                m.get(i, '/metrics')
            all_samples.append([sample(m.running[i].pid) for i in range(m.n)])
            last = np.array(all_samples[-1])
            out['series'].append([time.monotonic() - begun, last[:, 0].mean(), last[:, 1].mean(),
                                  int(last[:, 1].max()), int(last[:, 2].max())])
            print('      {:7.0f} s: resident {:.0f} kB, private {:.0f} (worst {}), descriptors {}'.format(
                *out['series'][-1]), flush=True)
        time.sleep(.1)
    return np.array(all_samples)


def judge(a):
    """What the samples say; raises when they are not flat."""
    said = {'samples': len(a), 'nodes': a.shape[1], 'resident_kb': float(a[-1, :, 0].mean()),
            'private_kb_mean': float(a[:, :, 1].mean()), 'private_kb_most': int(a[:, :, 1].max()),
            'descriptors_most': int(a[:, :, 2].max())}
    for k, name in enumerate(('resident', 'private', 'descriptors')):
        grown = growth(a[:, :, k])
        said[f'{name}_grown_mean'], said[f'{name}_grown_most'] = float(grown.mean()), float(grown.max())
    for name in ('resident', 'private'):
        mean, most = said[f'{name}_grown_mean'], said[f'{name}_grown_most']
        assert mean <= SLACK and most <= SLACK_ONE, (
            f'{name} memory grew by {mean:.0f} kB on average, by {most:.0f} at one node')
    assert said['descriptors_grown_mean'] <= .5 and said['descriptors_grown_most'] <= 2, (
        f'descriptors grew: {said["descriptors_grown_mean"]}, {said["descriptors_grown_most"]}')
    assert said['private_kb_most'] < PRIVATE, f'private memory {said["private_kb_most"]} kB'
    return said


def rows_for_an_hour(soak):
    seconds = soak.opt.hour or soak.opt.seconds
    m = soak.mesh(soak.opt.nodes, rows=ROWS, follow=True, window={'rows': ROWS})
    try:
        m.settle(300)
        arrive = Rows(m, 10 if seconds > 600 else .5)
        soak.kept['series'] = []                   # s, mean resident, mean and most private, descriptors
        samples = watch(m, seconds, 30 if seconds > 600 else seconds / 36, arrive, soak.kept)
        took = m.settle(300)
        far = m.far()
        assert far <= FAR, f'one centralised step moves {far:.1e}'
        said = judge(samples)
        assert m.stop() == [0] * m.n, 'a node did not end with status 0'
        soak.kept.update(said, rows=arrive.total, settled_s=took, far=far)
        return (f'{arrive.total} rows in {seconds:.0f} s; private {said["private_kb_mean"]:.0f} kB a node '
                f'(most {said["private_kb_most"]}), grown {said["private_grown_mean"]:.0f} (most '
                f'{said["private_grown_most"]:.0f}); descriptors {said["descriptors_most"]} at most; '
                f'settled after {took:.1f} s, one step {far:.0e}')
    finally:
        m.close()

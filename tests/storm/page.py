"""docs/reliability.md: what a series of storms held, every kind of fault counted."""
import collections
import csv
import os

import numpy as np

TALLY = (('ticks', 'ticks of nodes'), ('frames', 'frames sent'), ('arrived', 'frames that arrived'),
         ('lost', 'frames lost'), ('cut', 'frames into a cut link'), ('gone', 'frames to a node that was down'),
         ('duplicated', 'frames repeated'), ('reordered', 'frames held back'),
         ('corrupted', 'frames with changed bytes'), ('replaced', 'frames replaced in a full link'),
         ('saved', 'checkpoints written'), ('save_full', 'checkpoints refused by a full disk'),
         ('save_failed', 'checkpoints that could not be written'), ('save_torn', 'checkpoints torn'),
         ('save_short', 'checkpoints cut short'), ('load_refused', 'damaged checkpoints refused at a start'),
         ('loaded', 'restarts from a checkpoint'), ('blank', 'starts without a checkpoint'))

AGES = ('nodes with a window by age', 'of these known exactly', 'arrivals that have left')


def table(head, lines):
    out = ['| ' + ' | '.join(head) + ' |', '|---|' + '--:|' * (len(head) - 1)]
    return out + ['| ' + ' | '.join(str(c) for c in line) + ' |' for line in lines] + ['']


def mended(opt):
    """Commit and cause by seed of small storms of this kind that failed once (mended.csv)."""
    of = 'rows' if opt.rows else 'lies' if opt.lies else 'plain'
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'mended.csv')) as f:
        return {int(line['seed']): f'{line["commit"]}: {line["cause"]}' for line in csv.DictReader(f) if line['of'] == of}


def write(path, results, opt):
    tally, events, refused, kinds, rows = (collections.Counter() for _ in range(5))
    calm, failed, again = [], [], 0
    worst = collections.defaultdict(float)
    for got in results:
        s = got['storm']
        events.update(e[1] for e in s['events'])
        kinds[s['kind']] += 1
        rows.update([s['model']] + ['with weights'] * s['weights'] + ['with a window'] * bool(s['window'])
                    + ['with a window by age'] * bool(s['age'])
                    + ['wire ' + s['options']['wire'], 'genesis ' + s['options']['genesis'].replace('genesis.json', 'file')])
        refused.update(got['refused'])
        again += got['again']
        for what, value in got['worst'].items():
            worst[what] = worst[what] + value if what in AGES else max(worst[what], value)
        if got['summary']:
            virtual = got['summary']['virtual']
            tally.update(virtual['tally'])
            calm.append(virtual['time'] - (s['events'][-1][0] if s['events'] else 0))
        if got['complaints']:
            failed.append((got['seed'], got['complaints'][0]))
    small = ' --small' * opt.small
    out = ['# Reliability', '',
           f'Written by `script/storm {len(results)} --from {opt.first}{small} --page`: {len(results)} storms were run '
           f'on {opt.day} with the program of commit {opt.commit}. '
           f'The series for a release is `script/storm 20000{small} --page`, hours on a few cores. A storm is a random '
           'network with random rows, faults and schedule, drawn from its seed and run by `meshbayes up '
           '--virtual`. After its last event every connected part must settle within 20,000 ticks, at a '
           'fixed point of central VB of its rows and with its number of nodes; tests/storm checks it with '
           'numpy and shares no code with the node.', '',
           f'**{len(results) - len(failed)} of {len(results)} storms held all invariants.** {again} of them '
           'were run three times: the same seed gave the same files, and all recorded nodes replayed.'
           if len(failed) < len(results) else 'No storm held all invariants.', '']
    out += table(['largest over all nodes', ''],
                 [['one centralised step moves (relative)', f'{worst["one_step"]:.1e}'],
                  ['distance to the fixed point (relative)', f'{worst["fixed_point"]:.1e}'],
                  ['error of N (relative)', f'{worst["N"]:.1e}']])
    if calm:
        q = np.quantile(calm, [.5, .9, 1])
        out += [f'Seconds of calm until all had settled: median {q[0]:.1f}, nine in ten below {q[1]:.1f}, '
                f'at most {q[2]:.1f}.', '']
    out += table(['network', 'storms'], sorted(kinds.items()))
    out += table(['model, rows, frames', 'storms'], sorted(rows.items()))
    if worst[AGES[0]]:
        out += ['Rows that are older than a window by age have left, and no other ones: '
                f'{worst[AGES[0]]:.0f} nodes had such a window, {worst[AGES[2]]:.0f} arrivals of rows had left them. '
                f'For {worst[AGES[1]]:.0f} of them the schedule alone says which rows are there; for the others a jump '
                'of the clock or a start from a checkpoint leaves an age open within bounds.', '']
    out += table(['event', 'times'], sorted(events.items()))
    out += table(['what happened', 'times'], [[text, tally[k]] for k, text in TALLY])
    out += table(['refused by nodes that were there at the end', 'frames'], sorted(refused.items()))
    if failed:
        out += ['## Storms that failed', '', 'Mended: run again with the program of that commit they held all invariants.',
                ''] + table(['seed', 'first complaint', 'mended'], [(*f, mended(opt).get(f[0], 'no')) for f in failed])
    with open(path, 'w') as f:
        f.write('\n'.join(out).rstrip() + '\n')

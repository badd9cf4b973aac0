"""page.py SOAK.json HOUR.json PAGE.md: docs/reliability-processes.md from what soak.py --out has written."""
import json
import sys

import numpy as np

from mesh import counts

WORDS = {'killed_nodes_come_back': 'kill -9 of a random node every 250 ms for {seconds:.0f} s, each restarted with its state folder',
         'wiped_nodes_come_back': 'the same, state folders deleted at random',
         'a_stopped_node_catches_up': 'SIGSTOP of a node while all move, then SIGCONT',
         'nodes_leave_join_and_get_links': 'a node leaves, comes back; a link by SIGHUP; a new node',
         'rows_arrive': 'rows are appended to a file',
         'strangers_are_refused': 'unknown key, wrong server key, port scanner, noise',
         'a_bad_disk_is_said': 'state folders that cannot be written',
         'recorded_nodes_replay': 'records of processes are run again',
         'a_relay_does_harm': 'bytes delayed, cut, changed, repeated and swapped by a relay process',
         'networks_fail': 'packets lost (nftables), rates limited (tbf), a partition for 10 s'}


def table(head, lines):
    out = ['| ' + ' | '.join(head) + ' |', '|---|' + '--:|' * (len(head) - 1)]
    return out + ['| ' + ' | '.join(str(c) for c in line) + ' |' for line in lines] + ['']


def detail(part):
    """What else a part says, in words."""
    out = []
    for key, value in part.items():
        if key in ('refused', 'done') and isinstance(value, dict):
            out.append(f'{key}: {counts(value)}')
        elif key == 'done':
            out.append(value)
        elif key == 'rates':
            out.append(f'slowest of the others, while it moves: {value[0]:.0f} ticks a second before, '
                       f'{value[1]:.0f} meanwhile')
        elif key == 'grown_kb':
            out.append(f'their private memory grew by at most {value} kB')
        elif key == 'back_s':
            out.append(f'links in use after {value:.1f} s')
    return '; '.join(out)


def cases(soak):
    """A line for each time that all had to be settled and right after a fault."""
    lines = []
    for case in soak['cases']:
        fault = WORDS.get(case['case'], case['case']).format(**soak)
        fault = fault[0].upper() + fault[1:]
        if not case['ok']:
            lines.append([f'{fault}: **failed**: {case["said"]}', '', '', ''])
        for part in case.get('parts', []):
            if 'what' not in part:
                continue
            said = f': {detail(part)}' if detail(part) else ''
            head = f'{fault}. ' if fault else ''
            lines.append([f'{head}*{part["what"]}*{said}', part['nodes'], f'{part["settled_s"]:.1f}',
                          f'{part["far"]:.0e}'])
            fault = ''
        if case['ok'] and fault:
            lines.append([f'{fault}: {case["said"]}', '', '', ''])
    return lines


def hour(case):
    """Memory and descriptors, at eight times of the run."""
    series = case['series']
    t = np.array([line[0] for line in series])
    at = sorted({int(np.abs(t - s).argmin()) for s in np.linspace(0, t[-1], 9)})
    head = ['minutes', 'resident, mean kB', 'private, mean kB', 'private, largest kB', 'descriptors, most']
    return table(head, [[f'{s / 60:.0f}', f'{resident:.0f}', f'{private:.0f}', most, descriptors]
                        for s, resident, private, most, descriptors in (series[k] for k in at)])


def main():
    with open(sys.argv[1]) as f:
        soak = json.load(f)
    with open(sys.argv[2]) as f:
        long = json.load(f)
    one, held = long['cases'][0], sum(case['ok'] for case in soak['cases'])
    out = ['# Reliability of real processes', '',
           f'Written by `tests/daemon/page.py` from `script/soak --out` and `script/soak --hour --out`: '
           f'networks of `meshbayes-node` processes with CURVE on one machine of two cores, which are broken '
           'while they run. After each fault every node must be settled within 120 s, with its number of '
           'nodes exact and within 1e-6 of a fixed point of central VB of all rows that are there: one '
           'centralised step, computed by numpy from the posterior that the node serves, moves no more than '
           'the last column says. [Reliability](reliability.md) has the storms on virtual networks.', '',
           f'**{held} of {len(soak["cases"])} cases held** on {soak["date"]}. K = 3, D = 2, 40 rows a node; the '
           f'machine had {soak["load"]:.0f} processes that wanted to run, on average, those of the networks and others.', '',
           *table(['fault', 'nodes', 'seconds to settled', 'one step, relative'], cases(soak)),
           *([f'Skipped, because this machine does not permit it: {"; ".join(soak["skipped"])}.', '']
             if soak['skipped'] else ['Nothing was skipped.', '']),
           'Frames replayed, forged under a stolen key or changed, a full and a read-only disk, clocks that '
           'jump by a year, and requests to the status that are slow or too large are tests of every build '
           '(`tests/daemon/check_*.py`).', '',
           '## An hour', '',
           f'{long["date"]}: {one["nodes"]} processes with CURVE, {long["seconds"]:.0f} s, {one["rows"]} rows '
           f'arrived in their files, a window of 40 rows; every process sampled every 30 s. Between the second sixth of the '
           f'time and the last one private memory grew by {one["private_grown_mean"]:.0f} kB on average and '
           f'by {one["private_grown_most"]:.0f} kB at one node (allowed: 64 and 256; a part of it is '
           'the ring of the curves of the status page, 38 kB, which fills in the first 20 minutes), the '
           f'number of descriptors by '
           f'{one["descriptors_grown_mean"]:.2f}. Private memory was {one["private_kb_most"]} kB at most, '
           f'{one["private_kb_mean"]:.0f} on average (allowed: 8192). Afterwards all were settled within '
           f'{one["settled_s"]:.1f} s, one centralised step {one["far"]:.0e}.', '', *hour(one)]
    with open(sys.argv[3], 'w') as f:
        f.write('\n'.join(out).rstrip() + '\n')


main()

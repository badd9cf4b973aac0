#!/usr/bin/python3
"""check.py PROGRAM COMPILER [--record]: instructions of fixed workloads, counted by callgrind,
against the recorded counts; more than LIMIT above one fails. Seconds are noise on a shared machine,
instructions are not. check.py --self-test: plants counts and asks for the right verdicts.

Counts belong to a compiler, a C library and an instruction set: on a machine whose key is not
recorded nothing can be compared; it says so, shows its counts and passes."""
import concurrent.futures
import json
import os
import platform
import re
import subprocess
import sys
import tempfile

import numpy as np

LIMIT = 0.05
HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, 'counts.json')


def mixture(path, rows, columns, components):
    """Overlapping clusters; the same bits everywhere."""
    rng = np.random.default_rng(5)
    centre = rng.standard_normal((components, columns)) * 4 / np.sqrt(2 * columns)
    x = centre[np.arange(rows) % components] + rng.standard_normal((rows, columns))
    np.save(path, x)


# One initialisation without Lloyd's iteration: what is counted is the rounds.
START = ['--n-init', '1', '--init', 'kmeans++', '--prior', 'weak']
NETWORK = ['--data', 'nodes.csv', '--node-column', 'node', '--label-column', 'label', '--topology',
           'geometric:n=50,side=3.5,radius=0.8', '--n-components', '3', '--tol', '0', '--threads',
           '1', '--json', *START]
FIT = ['--tol', '0', '--threads', '1', '--json', *START]
WORKLOADS = {
    'fit, D = 2, K = 3, 20000 rows, 20 rounds':
        ['fit', '--data', 'thin.npy', '--n-components', '3', '--rounds', '20', *FIT],
    'fit, D = 32, K = 16, 4000 rows, 5 rounds':
        ['fit', '--data', 'wide.npy', '--n-components', '16', '--rounds', '5', *FIT],
    'sim edge, 50 nodes x 100 rows, 60 rounds':
        ['sim', *NETWORK, '--algorithm', 'edge', '--rounds', '60'],
    'sim dsvb with metrics and trace, 50 nodes x 100 rows, 30 rounds':
        ['sim', *NETWORK, '--algorithm', 'dsvb', '--rounds', '30', '--metrics',
         'kl_truth,bound,disagreement,accuracy,nmi,ari,bytes,frames,frozen,projected',
         '--trace', 'trace.csv'],
}


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f'{" ".join(command)}\nexit status {done.returncode}\n{done.stderr}')
    return done.stdout


def write_inputs(program, folder):
    mixture(os.path.join(folder, 'thin.npy'), 20000, 2, 3)
    mixture(os.path.join(folder, 'wide.npy'), 4000, 32, 16)
    run([program, 'data', 'synthetic', '--seed', '1', '--out', 'nodes.csv'], folder)


def instructions(program, name, args, folder):
    """Of main and what it calls: what the dynamic linker does depends on the machine."""
    out = os.path.join(folder, f'callgrind.{list(WORKLOADS).index(name)}')
    run(['valgrind', '-q', '--tool=callgrind', '--toggle-collect=main',
         f'--callgrind-out-file={out}', program, *args], folder)
    with open(out) as f:
        return int(re.search(r'^(?:summary|totals): *(\d+)', f.read(), re.M).group(1))


def count_all(program):
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        write_inputs(program, folder)
        counted = pool.map(lambda item: instructions(program, *item, folder), WORKLOADS.items())
        return dict(zip(WORKLOADS, counted))


def isa():
    """What valgrind offers to a program here: it knows nothing above AVX2."""
    try:
        with open('/proc/cpuinfo') as f:
            flags = re.search(r'^flags\s*:(.*)$', f.read(), re.M)
    except OSError:
        flags = None
    words = flags.group(1).split() if flags else []
    return 'avx2' if 'avx2' in words else 'base'


def key_of(compiler):
    version = run([compiler, '-dumpfullversion', '-dumpversion'], '/').strip()
    valgrind = run(['valgrind', '--version'], '/').strip()
    libc = '-'.join(platform.libc_ver())
    return f'{os.path.basename(compiler)} {version}, {libc}, {platform.machine()} {isa()}, {valgrind}'


def verdict(key, counts, recorded):
    """Lines to print, and whether the gate passes."""
    if key not in recorded:
        lines = [f'not recorded for "{key}": nothing is compared here; recorded for:']
        lines += [f'  {k}' for k in recorded] or ['  nothing']
        return lines + [f'{n:>15,}  {name}' for name, n in counts.items()], True
    lines, good, lower = [], True, False
    for name, n in counts.items():
        before = recorded[key].get(name)
        if before is None:
            lines.append(f'FAIL  {n:>15,}           {name}: not recorded')
            good = False
            continue
        change = n / before - 1
        over = n > before * (1 + LIMIT)
        word = 'FAIL' if over else 'ok  '
        good, lower = good and not over, lower or change < -LIMIT
        lines.append(f'{word}  {n:>15,}  {100 * change:+6.2f} %  {name}')
    if not good:
        lines.append(f'at most {100 * LIMIT:+.0f} % is allowed; if the cost is meant, '
                     '`script/instructions --record` and say why in the commit')
    if lower:
        lines.append('fewer than recorded: `script/instructions --record` keeps the gain')
    return lines, good


def read_record():
    if not os.path.exists(RECORD):
        return {}
    with open(RECORD) as f:
        return json.load(f)


def write_record(record):
    temporary = RECORD + '.new'
    with open(temporary, 'w') as f:
        json.dump(record, f, indent=1)
        f.write('\n')
    os.replace(temporary, RECORD)


def self_test():
    recorded = {'here': {'a': 1000, 'b': 1000}}
    cases = [('here', {'a': 1050, 'b': 900}, True, '-10.00 %'),
             ('here', {'a': 1051, 'b': 1000}, False, 'FAIL'),
             ('here', {'a': 1000, 'c': 1}, False, 'not recorded'),
             ('there', {'a': 9999}, True, 'not recorded for "there"')]
    for key, counts, want, words in cases:
        lines, good = verdict(key, counts, recorded)
        if good != want or not any(words in line for line in lines):
            sys.exit(f'self-test: {counts} gave {good}: {lines}')
    print('the gate fails above the limit and only there')


def main():
    if sys.argv[1:] == ['--self-test']:
        self_test()
        return
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ['--record']):
        sys.exit(__doc__)
    program, compiler = os.path.abspath(sys.argv[1]), sys.argv[2]
    key, counts, record = key_of(compiler), count_all(program), read_record()
    if len(sys.argv) == 4:
        record[key] = counts
        write_record(record)
    print(key)
    lines, good = verdict(key, counts, record)
    print('\n'.join(lines))
    sys.exit(0 if good else 1)


if __name__ == '__main__':
    main()

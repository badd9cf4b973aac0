#!/usr/bin/env python3
"""Line coverage of src/ from a build with --coverage whose tests have run. Prints the share of every
file below 100 % with its lines, and the total; ends with status 1 below LEAST.
usage: coverage.py TOP BUILD"""
import collections
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

LEAST = 95.0


def ranges(lines):
    """[3, 4, 5, 9] -> "3-5 9"."""
    out = []
    for n in sorted(lines):
        if out and n == out[-1][1] + 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ' '.join(str(a) if a == b else f'{a}-{b}' for a, b in out)


def counts(top, build):
    """file -> line -> how often it ran, over all objects of the library."""
    hits = collections.defaultdict(lambda: collections.defaultdict(int))
    notes = glob.glob(os.path.join(build, 'CMakeFiles', 'meshbayes_[lm]*.dir', 'src', '**', '*.gcno'), recursive=True)
    if not notes:
        sys.exit(f'coverage: no .gcno below {build}: build it with --coverage')
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(['gcov', '--json-format', '--preserve-paths', *map(os.path.abspath, notes)], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in glob.glob(os.path.join(folder, '*.gcov.json.gz')):
            with gzip.open(name) as f:
                for part in json.load(f)['files']:
                    path = os.path.relpath(os.path.abspath(os.path.join(build, part['file'])), top)
                    if path.startswith('src/'):
                        for line in part['lines']:
                            hits[path][line['line_number']] += line['count']
    return hits


def main(top, build):
    hits = counts(os.path.abspath(top), os.path.abspath(build))
    run = total = 0
    for path in sorted(hits):
        missed = [n for n, count in hits[path].items() if not count]
        run += len(hits[path]) - len(missed)
        total += len(hits[path])
        if missed:
            share = 100 - 100 * len(missed) / len(hits[path])
            print(f'{path:34s} {share:5.1f} %  not run: {ranges(missed)}')
    share = 100 * run / total
    print(f'{share:.2f} % of {total} lines in {len(hits)} files of src/ run in the tests (at least {LEAST:g} % wanted)')
    return share < LEAST


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))

"""What the reference checks share: running the program, writing its inputs, counting claims."""
import csv
import json
import os
import subprocess
import sys

import numpy as np


class Claims:
    """One line a claim; the closing line counts them."""

    def __init__(self):
        self.passed, self.failed = 0, []

    def check(self, good, text):
        print(('ok    ' if good else 'FAIL  ') + text, flush=True)
        if good:
            self.passed += 1
        else:
            self.failed.append(text)
        return good

    def note(self, text):
        print('      ' + text, flush=True)

    def finish(self):
        for text in self.failed:
            print('failed: ' + text)
        print(f'{self.passed} passed, {len(self.failed)} failed')
        return 1 if self.failed else 0


class Program:
    """The program under test, run in a folder of its own."""

    def __init__(self, path, folder):
        self.path, self.folder = os.path.abspath(path), folder

    def file(self, name):
        return os.path.join(self.folder, name)

    def run(self, *args):
        """Standard output; a failure ends the check with what the program said. Status 3 is none: all
        algorithms left the domain, and what they did is written."""
        cmd = [self.path, *map(str, args)]
        done = subprocess.run(cmd, cwd=self.folder, capture_output=True, text=True)
        if done.returncode not in (0, 3):
            sys.exit(f'{" ".join(cmd)}\nexit status {done.returncode}\n{done.stderr}')
        return done.stdout

    def sim(self, dump=None, **options):
        """`meshbayes sim`: option_name=value (underscores stand for dashes); dump: phi array(s).
        Names with a dot go through `extra`, a dict."""
        args = ['sim']
        extra = options.pop('extra', None) or {}
        for name, value in list(options.items()) + list(extra.items()):
            if value is not None:
                args += ['--' + name.replace('_', '-'), value]
        if dump:
            args += ['--dump-phi', dump]
        self.run(*args)
        if not dump:
            return None
        names = options['algorithm'].split(',')
        stem = dump[:-len('.npy')]
        if len(names) == 1:
            return np.load(self.file(dump))
        return {n: np.load(self.file(f'{stem}-{n}.npy')) for n in names}

    def json(self, name):
        with open(self.file(name)) as f:
            return json.load(f)

    def library(self):
        """The path of a shared library of the objects that the program was linked from."""
        build, so = os.path.dirname(self.path), self.file('libmeshbayes.so')
        with open(os.path.join(build, 'meshbayes.pc')) as f:
            flags = f.read().split('-lmeshbayes', 1)[1].splitlines()[0].split()
        subprocess.run(['cc', '-shared', '-o', so, '-Wl,--whole-archive',
                        os.path.join(build, 'libmeshbayes.a'), '-Wl,--no-whole-archive', *flags,
                        '-Wl,--version-script=' + os.path.join(build, 'exports.map')], check=True)
        return so

    def write_csv(self, name, header, rows):
        with open(self.file(name), 'w', newline='') as f:
            out = csv.writer(f, lineterminator='\n')
            out.writerow(header)
            out.writerows([repr(float(c)) if isinstance(c, float) else c for c in row]
                          for row in rows)
        return name


def worst(got, want):
    """Largest norm-wise relative difference over nodes (last axis holds the vector)."""
    size = np.linalg.norm(want, axis=-1)
    return float((np.linalg.norm(got - want, axis=-1) / size).max())


def main(check):
    """Run check(claims, program) in a temporary folder; exit status for the shell."""
    import tempfile
    if len(sys.argv) < 2:
        sys.exit(f'use: {sys.argv[0]} PROGRAM')
    claims = Claims()
    with tempfile.TemporaryDirectory() as folder:
        check(claims, Program(sys.argv[1], folder))
    sys.exit(claims.finish())

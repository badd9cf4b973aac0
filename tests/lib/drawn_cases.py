"""What tests/attack/*.py share: the command line, a count of cases, running the program in a folder."""
import argparse
import os
import subprocess
import sys
import tempfile


class Cases:
    """Counts; only failures are printed, each with what is needed to see it again."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, *text):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print('FAIL ', *text, flush=True)
        return good

    def finish(self):
        print(f'{self.passed} passed, {self.failed} failed')
        return 1 if self.failed else 0


class Done:
    """A run that is over."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __str__(self):
        return f'status {self.status}, stderr {self.err[-300:]!r}'

    def one_line(self):
        """1 when standard error is one line that says what was wrong."""
        lines = [line for line in self.err.decode(errors='replace').splitlines() if 'warning:' not in line and 'note:' not in line]
        return len(lines) == 1 and 'error: ' in lines[0] and self.err.endswith(b'\n')


class Folder:
    """The program in a folder of its own."""

    def __init__(self, program, path):
        self.program, self.path = os.path.abspath(program), path

    def file(self, name):
        return os.path.join(self.path, name)

    def bytes(self, name):
        with open(self.file(name), 'rb') as f:
            return f.read()

    def write(self, name, contents):
        with open(self.file(name), 'wb' if isinstance(contents, bytes) else 'w') as f:
            f.write(contents)
        return name

    def run(self, *args, seconds=120, **how):
        how = {'stdin': subprocess.DEVNULL, 'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, **how}
        try:
            done = subprocess.run([self.program, *map(str, args)], cwd=self.path, timeout=seconds, **how)
        except subprocess.TimeoutExpired:
            return Done('none in time', b'', b'')
        return Done(done.returncode, done.stdout or b'', done.stderr or b'')

    def need(self, *args):
        done = self.run(*args)
        if done.status != 0:
            sys.exit(f'{args}: {done}')
        return done.out


def main(attack):
    """attack(cases, folder, quick, seed)"""
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--seed', type=int, default=1)
    o = parser.parse_args()
    cases = Cases()
    with tempfile.TemporaryDirectory() as path:
        attack(cases, Folder(o.program, path), o.quick, o.seed)
    sys.exit(cases.finish())

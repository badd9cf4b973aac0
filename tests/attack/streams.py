#!/usr/bin/env python3
"""Closed, full and read-only standard streams, readers that leave early, and outputs that are inputs: no
input ever changes, no half file is left, and the status is right.
usage: streams.py PROGRAM [--quick] [--seed S]"""
import itertools
import json
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'lib'))
import drawn_cases  # noqa: E402

ROWS = 40
INPUTS = ['rows.csv', 'xy.csv', 'links.csv', 'places.csv', 'w.csv', 'p.json', 'q.json', 'centres.csv', 'victim.csv']
SIM = ['sim', '--data', 'rows.csv', '--node-column', 'site', '--network', 'links.csv', '--rounds', '3',
       '--n-components', '2', '--threads', '1']

# What a command does with standard output: nothing, the same bytes each time, or other bytes each time.
SILENT, SAME, OTHER = 'silent', 'same', 'other'
COMMANDS = [  # arguments, standard output, files written
    (['predict', '--posterior', 'p.json', '--data', 'xy.csv'], SAME, []),
    (['predict', '--posterior', 'p.json', '--data', 'xy.csv', '--what', 'responsibilities', '--out', 'out.npy'], SILENT, ['out.npy']),
    (['predict', '--posterior', 'q.json', '--data', 'xy.csv', '--what', 'interval', '--out', 'out.csv'], SILENT, ['out.csv']),
    (['score', '--posterior', 'p.json', '--data', 'xy.csv'], SAME, []),
    (['score', '--posterior', 'p.json', '--data', 'xy.csv', '--json'], SAME, []),
    (['score', '--posterior', 'p.json', '--data', 'xy.csv', '--samples'], SAME, []),
    (['score', '--posterior', 'p.json', '--data', 'xy.csv', '--samples', '--out', 'out.csv.gz'], SAME, ['out.csv.gz']),
    (['sample', '--posterior', 'p.json', '--rows', '9'], SAME, []),
    (['sample', '--posterior', 'p.json', '--rows', '9', '--out', 'out.csv'], SILENT, ['out.csv']),
    (['compare', 'p.json', 'p.json'], SAME, []),
    (['export', '--posterior', 'p.json', '--out', 'out.npz'], SILENT, ['out.npz']),
    (['export', '--posterior', 'p.json', '--format', 'json', '--out', 'out.json'], SILENT, ['out.json']),
    (['graph', 'describe', '--network', 'links.csv'], SAME, []),
    (['graph', 'convert', '--network', 'links.csv', '--positions', 'places.csv', '--out', 'out.graphml'], SAME, ['out.graphml']),
    (['graph', 'convert', '--network', 'links.csv', '--out', '/dev/stdout'], SAME, []),
    (['graph', 'generate', '--topology', 'ring:n=5', '--out', 'out.csv', '--weights-out', 'out2.csv'], SAME, ['out.csv', 'out2.csv']),
    (['data', 'describe', '--data', 'rows.csv'], SAME, []),
    (['data', 'split', '--data', 'xy.csv', '--nodes', '3', '--out', 'out.csv'], SAME, ['out.csv']),
    (['data', 'split', '--data', 'xy.csv', '--nodes', '3', '--out', '/dev/stdout'], SAME, []),
    (['data', 'pca', 'xy.csv', '--out', 'out.npy'], SAME, ['out.npy']),
    (['data', 'synthetic', '--nodes', '3', '--out', 'out.csv'], SAME, ['out.csv']),
    (['fit', '--data', 'xy.csv', '--out', 'out.json', '--trace', 'out.csv'], OTHER, ['out.json', 'out.csv']),
    (['fit', '--data', 'xy.csv', '--json'], OTHER, []),
    (SIM + ['--trace', 'out.csv', '--dump-phi', 'out.npy'], OTHER, ['out.csv', 'out.npy']),
    (['--version'], SAME, []),
    (['help', 'fit'], SAME, []),
]
WRONG = [  # arguments, status
    (['predict', '--posterior', 'p.json', '--data', 'missing.csv'], 1),
    (['fit', '--data', 'links.csv', '--label-column', 'none'], 2),
    (['fit', '--nonsense', '1'], 2),
    (['nonsense'], 2),
]
IN = ['null', 'closed', 'rows', 'writeonly']
OUT = ['pipe', 'file', 'append', 'closed', 'full', 'readonly']
ERR = ['pipe', 'closed', 'full', 'readonly']


def inputs(f, seed):
    rng = random.Random(seed)
    rows = [(rng.gauss(4 * (r % 2), 1), rng.gauss(-3 * (r % 2), 1), r % 4 + 1) for r in range(ROWS)]
    f.write('rows.csv', 'a,b,site\n' + ''.join(f'{a:.6f},{b:.6f},{s}\n' for a, b, s in rows))
    f.write('xy.csv', 'a,b\n' + ''.join(f'{a:.6f},{b:.6f}\n' for a, b, _ in rows))
    f.write('victim.csv', 'a,b\n' + ''.join(f'{b:.6f},{a:.6f}\n' for a, b, _ in rows))
    f.write('links.csv', 'i,j\n1,2\n2,3\n3,4\n4,1\n')
    f.write('places.csv', 'node,x,y\n1,0,0\n2,0,1\n3,1,1\n4,1,0\n')
    f.write('centres.csv', 'a,b\n0,0\n4,-3\n')
    f.need('fit', '--data', 'xy.csv', '--out', 'p.json')
    f.need('fit', '--model', 'linreg', '--target-column', 'b', '--data', 'xy.csv', '--out', 'q.json')
    f.need('graph', 'generate', '--topology', 'ring:n=4', '--out', 'x.csv', '--weights-out', 'w.csv')
    os.remove(f.file('x.csv'))
    return {name: f.bytes(name) for name in INPUTS}


def unchanged(cases, f, before, *text):
    wrong = [name for name, contents in before.items() if f.bytes(name) != contents]
    for name in wrong:
        f.write(name, before[name])
    left = [name for name in os.listdir(f.path) if '.tmp-' in name]
    for name in left:
        os.remove(f.file(name))
    cases.check(not wrong and not left, 'inputs changed:', wrong, 'left over:', left, *text)


def remove(f, names):
    for name in names:
        if os.path.lexists(f.file(name)):
            os.remove(f.file(name))


def open_as(f, fd, kind):
    """To be done in the child: descriptor fd in a state. Pipes are made by the parent."""
    flags = {'null': (os.devnull, os.O_RDONLY), 'rows': (f.file('xy.csv'), os.O_RDONLY),
             'writeonly': (f.file('victim.csv'), os.O_WRONLY), 'full': ('/dev/full', os.O_WRONLY),
             'file': (f.file('printed.txt'), os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
             'append': (f.file('printed.txt'), os.O_WRONLY | os.O_CREAT | os.O_APPEND),
             'readonly': (f.file('victim.csv'), os.O_RDONLY)}
    if kind == 'closed':
        os.close(fd)
    elif kind != 'pipe':
        got = os.open(*flags[kind], 0o666)
        if got != fd:
            os.dup2(got, fd)
            os.close(got)


def with_streams(f, args, states):
    remove(f, ['printed.txt'])
    pipes = {name: subprocess.PIPE for name, kind in zip(('stdout', 'stderr'), states[1:]) if kind == 'pipe'}

    def child():
        for fd, kind in enumerate(states):
            open_as(f, fd, kind)
    done = f.run(*args, **{'stdin': None, 'stdout': None, 'stderr': None, **pipes}, preexec_fn=child)
    if states[1] in ('file', 'append') and os.path.exists(f.file('printed.txt')):
        done.out = f.bytes('printed.txt')
    return done


def streams(cases, f, before, command, reference, states):
    args, kind, files = command
    remove(f, files)
    done = with_streams(f, args, states)
    text = (' '.join(args), '<>2:', *states, done)
    lost = kind != SILENT and states[1] in ('closed', 'full', 'readonly')
    good = cases.check(done.status == (1 if lost else 0), 'status:', *text)
    if good and not lost and kind == SAME:
        cases.check(done.out == reference['out'], 'standard output differs:', *text)
    if lost and states[2] == 'pipe':
        cases.check(b'cannot be written' in done.err or b'cannot write' in done.err, 'no reason:', *text)
    for name in files:
        there = os.path.exists(f.file(name))
        cases.check((there or lost) and (not there or kind == OTHER or f.bytes(name) == reference[name]), 'file', name, *text)
    unchanged(cases, f, before, *text)


def every_combination(cases, f, before, rng, quick):
    reference = []
    for args, _, files in COMMANDS:
        reference.append({'out': f.need(*args)})
        reference[-1].update({name: f.bytes(name) for name in files})
    todo = list(itertools.product(range(len(COMMANDS)), itertools.product(IN, OUT, ERR)))
    for k, states in rng.sample(todo, 70) if quick else todo:
        streams(cases, f, before, COMMANDS[k], reference[k], states)
    for (args, status), states in rng.sample(list(itertools.product(WRONG, itertools.product(IN, OUT, ERR))), 15 if quick else 300):
        done = with_streams(f, args, states)
        cases.check(done.status == status, 'status:', *args, states, done)
        unchanged(cases, f, before, *args, states)
    todo = list(itertools.product(IN, ['pipe', 'closed'], ERR))
    for states in rng.sample(todo, 8) if quick else todo:  # rows on standard input
        done = with_streams(f, ['predict', '--posterior', 'p.json', '--data', '/dev/stdin', '--out', 'out.csv'], states)
        if states[0] != 'writeonly':
            cases.check(done.status == (0 if states[0] == 'rows' else 1), 'standard input:', states, done)
        unchanged(cases, f, before, 'standard input', states)


# An input file, and the arguments behind which its own name as an output is refused.
OWN = [
    ('xy.csv', ['predict', '--posterior', 'p.json', '--data', 'xy.csv', '--out']),
    ('p.json', ['predict', '--posterior', 'p.json', '--data', 'xy.csv', '--out']),
    ('xy.csv', ['score', '--posterior', 'p.json', '--data', 'xy.csv', '--samples', '--out']),
    ('p.json', ['score', '--posterior', 'p.json', '--data', 'xy.csv', '--samples', '--out']),
    ('p.json', ['sample', '--posterior', 'p.json', '--out']),
    ('p.json', ['export', '--posterior', 'p.json', '--format', 'json', '--out']),
    ('xy.csv', ['data', 'split', '--data', 'xy.csv', '--nodes', '2', '--out']),
    ('xy.csv', ['data', 'pca', 'xy.csv', '--out']),
    ('xy.csv', ['fit', '--data', 'xy.csv', '--trace']),
    ('centres.csv', ['fit', '--data', 'xy.csv', '--init', 'centres:centres.csv', '--trace']),
    ('rows.csv', SIM + ['--trace']), ('links.csv', SIM + ['--trace']),
    ('rows.csv', SIM + ['--dump-phi']), ('links.csv', SIM + ['--dump-phi']),
    ('w.csv', SIM + ['--weights', 'file:w.csv', '--trace']),
    ('places.csv', SIM + ['--positions', 'places.csv', '--trace']),
    ('links.csv', ['graph', 'convert', '--network', 'links.csv', '--out']),
    ('links.csv', ['graph', 'convert', '--network', 'links.csv', '--positions', 'places.csv', '--out', 'out.dot', '--positions-out']),
    ('places.csv', ['graph', 'convert', '--network', 'links.csv', '--positions', 'places.csv', '--out']),
]
WRITTEN = ['config.json', 'summary.json', 'posterior.json', 'posteriors.npy', 'trace.csv', 'network.csv', 'edges.csv',
           'nodes.csv', 'view_rows.csv', 'view_shapes.csv', 'report.html']


def alias(f, rng, name, ending):
    """Another name of a file, and what made it."""
    how = rng.choice(['same', 'dot', 'absolute', 'symbolic', 'hard', 'twice', 'folder'])
    link = 'alias' + ending
    remove(f, [link, 'between' + ending, 'here'])
    if how in ('symbolic', 'hard'):
        {'symbolic': os.symlink, 'hard': os.link}[how](f.file(name), f.file(link))
        return link, how
    if how == 'twice':
        os.symlink(name, f.file('between' + ending))
        os.symlink('between' + ending, f.file(link))
        return link, how
    if how == 'folder':
        os.symlink('.', f.file('here'))
    return {'same': name, 'dot': './' + name, 'absolute': f.file(name), 'folder': 'here/' + name}[how], how


def own_inputs(cases, f, before, rng, quick):
    for _ in range(30 if quick else 1500):
        name, args = rng.choice(OWN)
        out, how = alias(f, rng, name, rng.choice(['', '.csv', '.npy', '.json']))
        done = f.run(*args, out)
        cases.check(done.status == 2 and done.one_line(), 'own input:', *args, out, how, done)
        unchanged(cases, f, before, *args, out, how)
    remove(f, [kind + ending for kind in ('alias', 'between') for ending in ('', '.csv', '.npy', '.json')])
    for _ in range(10 if quick else 300):  # a name that the output folder gives away
        name = rng.choice(['rows.csv', 'links.csv'])
        target = 'run/' + rng.choice(WRITTEN)
        os.makedirs(f.file('run'), exist_ok=True)
        remove(f, [target])
        how = rng.choice([os.link, os.symlink])
        how(f.file(name), f.file(target))
        done = f.run(*SIM, '--out', 'run')
        cases.check(done.status == 2 and done.one_line(), 'own input in the folder:', name, target, how.__name__, done)
        unchanged(cases, f, before, name, target)
        remove(f, [target])
    for _ in range(10 if quick else 300):  # printed into an input
        args = rng.choice([c[0] for c in COMMANDS if c[1] != SILENT and set(c[0]) & set(INPUTS)])
        name = rng.choice([a for a in args if a in INPUTS])
        with open(f.file(name), 'ab') as out:
            done = f.run(*args, stdout=out)
        cases.check(done.status == 2 and done.one_line(), 'printed into an input:', *args, name, done)
        unchanged(cases, f, before, *args, '>>', name)


def is_json(path):
    with open(path) as text:
        try:
            return bool(json.load(text))
        except ValueError:
            return False


def early_readers(cases, f, before, rng, quick):
    """A reader that goes after one line ends the program with the status of SIGPIPE, 128 + 13, whatever that was set to by
    the caller; files are whole."""
    f.write('long.csv', 'a,b\n' + '1,2\n3,4\n' * 60000)
    f.write('wide.csv', ','.join(f'c{k}' for k in range(20000)) + '\n' + ','.join('1' for _ in range(20000)) + '\n')
    long = [['predict', '--posterior', 'p.json', '--data', 'long.csv'], ['sample', '--posterior', 'p.json', '--rows', '100000'],
            ['score', '--posterior', 'p.json', '--data', 'long.csv', '--samples'], ['data', 'describe', '--data', 'wide.csv'],
            ['data', 'split', '--data', 'long.csv', '--nodes', '3', '--out', '/dev/stdout']]
    short = [SIM + ['--json', '--out', 'piped'], SIM + ['--trace', 'out.csv'], ['fit', '--data', 'xy.csv', '--out', 'out.json']]
    cases_now = [(args, how) for args in long + short for how in ('ends', 'ignored')]
    for args, how in cases_now if quick else cases_now * 8:
        both = rng.random() < 0.5
        child = subprocess.Popen([f.program, *args], cwd=f.path, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT if both else subprocess.DEVNULL,
                                 restore_signals=how == 'ends', stdin=subprocess.DEVNULL)
        if args in long or rng.random() < 0.7:
            child.stdout.readline()
        child.stdout.close()
        status = child.wait(60)
        cases.check(status in ({141} if args in long else {0, 141}), 'early reader:', *args, how, 'status', status)
        whole = True
        for folder, _, names in os.walk(f.path):
            for name in names:
                whole &= not name.endswith('.json') or is_json(os.path.join(folder, name))
                whole &= not re.search(r'\.tmp-|\.report-', name)
        cases.check(whole, 'early reader left a half file:', *args, how)
        unchanged(cases, f, before, *args, how)


def attack(cases, f, quick, seed):
    rng = random.Random(seed)
    before = inputs(f, seed)
    every_combination(cases, f, before, rng, quick)
    own_inputs(cases, f, before, rng, quick)
    early_readers(cases, f, before, rng, quick)


if __name__ == '__main__':
    drawn_cases.main(attack)

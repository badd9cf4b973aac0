#!/usr/bin/python3
"""storm.py PROGRAM N [--from SEED] [--small] [--page FILE] [--keep DIR] [--no-reduce] [--jobs J]
[--minutes M] [--model M] [--sum]: N random storms on virtual networks by seed, or "mended", and their invariants; see
script/storm."""
import argparse
import collections
import concurrent.futures
import csv
import filecmp
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')  # the matrices are small, and storms go on beside each other
import numpy as np

import classes
import draw
import effects
import invariants
import page
from invariants import name

SECONDS_MOST = 900                                 # of one run, of real time


def write_csv(path, header, lines):
    with open(path, 'w', newline='') as f:
        out = csv.writer(f, lineterminator='\n')
        out.writerow(header)
        out.writerows(lines)


def cells(event):
    now, what, a, b = event
    who = ' '.join(name(i) for i in a) if isinstance(a, list) else '' if a is None else name(a)
    if what in ('cut', 'heal', 'oneway'):
        b = name(b)
    return [now, what, who, '' if b is None else b]


def rows_of(storm):
    """(rows and weights) of each node, and of each `rows` event."""
    own, more = draw.rows(np.random.default_rng([20261123, storm['seed']]), storm)
    all_ = draw.dress(np.random.default_rng([20261125, storm['seed']]), storm, own + more)
    own, more = all_[:len(own)], all_[len(own):]
    if storm['counts']:
        own = draw.uneven(np.random.default_rng([20261129, storm['seed']]), own, storm['counts'])
        own = [(X, effects.weigh(X, w)) for X, w in own] if storm['model'] in draw.GROUPED else own
    return own, more


def lines_of(storm, i, rows):
    X, w = rows
    of_row = classes.cells if storm['model'] == 'lca' else lambda row: map(repr, map(float, row))
    return [[name(i), *of_row(row)] + [repr(float(v))] * storm['weights'] for row, v in zip(X, w)]


def write(folder, storm, own, more):
    header = (['node'] + [f'x{d + 1}' for d in range(storm['D'])] + ['y'] * (storm['model'] in draw.REGRESSIONS)
              + ['site'] * (storm['model'] in draw.GROUPED)
              + classes.NAMES * (storm['model'] == 'lca')
              + ['w'] * storm['weights'])
    write_csv(os.path.join(folder, 'rows.csv'), header,
              [line for i, rows in enumerate(own) for line in lines_of(storm, i, rows)])
    write_csv(os.path.join(folder, 'bounds.csv'), ['column', 'low', 'high'],
              [[x, -1000, 1000] for x in header if x.startswith('x') or x == 'y'])
    write_csv(os.path.join(folder, 'links.csv'), ['i', 'j'],
              [[name(i), name(j)] for i, j in storm['links']])
    write_csv(os.path.join(folder, 'storm.csv'), ['time', 'event', 'a', 'b'],
              [cells(e) for e in storm['events']])
    for what, _, a, file in [(e[1], e[0], e[2], e[3]) for e in storm['events']]:
        if what == 'rows':
            write_csv(os.path.join(folder, file), header, lines_of(storm, a, more[int(file[4:-4])]))


def about_genesis(storm):
    """Options of `genesis`: of the rows, or of bounds far outside of them."""
    if storm['options']['genesis'] == 'genesis.json':
        return about_rows(storm)
    about = about_rows(dict(storm, weights=False))
    return ['ranges', '--bounds', 'bounds.csv', '--rows-batch', str(storm['batch']), *about[about.index('--model'):]]


def about_rows(storm):
    """Options that say what the rows are, for `up` and `genesis`."""
    tied = storm['model'] == 'tied'
    kind = ['--model', 'gmm', '--covariance-type', 'tied'] if tied else ['--model', storm['model']]
    kind += ['--target-column', 'y'] if storm['model'] in draw.REGRESSIONS else ['--n-components', str(storm['K'])]
    kind += ['--group-column', 'site'] if storm['model'] in draw.GROUPED else []
    kind += ['--mixed.varying', 'x1'] if storm['model'] == 'mixed' else []
    kind += ['--column', classes.kinds(storm['D'])] if storm['model'] == 'lca' else []
    if storm['model'] == 'linreg' and (storm['age'] or storm['counts']):
        kind += ['--prior', 'empirical']  # a part may be left with fewer rows than coefficients: no answer under the flat one
    return ['--data', 'rows.csv', '--node-column', 'node', *kind] + ['--weight-column', 'w'] * storm['weights']


def command(program, storm, record=False):
    """The `up` of a storm, run inside its folder."""
    end = storm['events'][-1][0] if storm['events'] else 0
    slowest = float(storm['options']['speed'].split('..')[-1])
    calm = draw.CALM * draw.TICK * slowest * storm.get('patience', 1)
    out = [program, 'up', '--virtual', *about_rows(storm), '--network', 'links.csv', '--schedule', 'storm.csv',
           '--until', 'settled', '--time', f'{end + calm:g}s', '--seed', str(storm['seed']), '--out', 'result']
    out += ['--window', str(storm['window'])] if storm['window'] else []
    out += ['--window', f'{storm["age"]}s'] if storm['age'] else []
    for option, value in storm['options'].items():
        out += [f'--{option}', str(value)] if value not in (0, '') or option == 'checkpoint-ticks' else []
    return out + (['--record', 'recorded'] if record else [])


def lies_of(storm):
    """For MB_LIES of tests/daemon/liar.c."""
    return ', '.join(' '.join(map(str, lie)) for lie in storm['lies'])


def call(arguments, folder, lies=''):
    environment = dict(os.environ, MB_LIES=lies) if lies else None
    try:
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, env=environment,
                              timeout=SECONDS_MOST)
    except subprocess.TimeoutExpired:
        return 124, f'took more than {SECONDS_MOST} s'
    return done.returncode, done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ''


def same_folders(a, b):
    """Files that differ between two results; measured seconds are no result."""
    out = []
    for at, _, files in os.walk(a):
        other = os.path.join(b, os.path.relpath(at, a))
        for file in files:
            one, two = os.path.join(at, file), os.path.join(other, file)
            if file == 'report.html':
                continue
            if file == 'summary.json':
                left, right = (json.load(open(f)) for f in (one, two))
                for d in (left, right):
                    for algorithm in d['algorithms']:
                        algorithm['seconds'] = 0
                if left == right:
                    continue
            elif os.path.exists(two) and filecmp.cmp(one, two, shallow=False):
                continue
            out.append(os.path.relpath(one, a))
    return out


def check_again(program, storm, folder):
    """Same seed: the same folder. Recorded: the same course, and every recorded node replays."""
    first, result = os.path.join(folder, 'first'), os.path.join(folder, 'result')
    recorded = os.path.join(folder, 'recorded')
    shutil.rmtree(first, ignore_errors=True)
    os.rename(result, first)
    call(command(program, storm), folder, lies_of(storm))
    out = [f'the same seed gave another {f}' for f in same_folders(first, result)]
    # Without masks a record leaves out what the genesis declares, from which sums take their exponents.
    if 'mask' not in storm['options'] and storm['lies'] and 'algorithm' in storm['options']:
        return out
    shutil.rmtree(recorded, ignore_errors=True)
    call(command(program, storm, record=True), folder, lies_of(storm))
    out += [f'recorded, it gave another {f}'
            for f in ('trace.csv', 'events.csv', 'life.csv', 'posteriors.npy')
            if not filecmp.cmp(os.path.join(first, f), os.path.join(result, f), shallow=False)]
    files = sorted(os.path.join(at, f) for at, _, fs in os.walk(recorded) for f in fs)
    for file in files:
        status, said = call([program, 'replay', file], folder, lies_of(storm))
        if status:
            out.append(f'replay of {os.path.relpath(file, recorded)}: status {status}: {said}')
    return out + ([] if files else ['nothing was recorded'])


def declare(folder, storm, own):
    """The genesis lists all nodes, their links and the weight of their rows."""
    links = [sorted({j for pair in storm['links'] if i in pair for j in pair} - {i}) for i in range(storm['nodes'])]
    path = os.path.join(folder, 'genesis.json')
    with open(path) as f:
        genesis = json.load(f)
    genesis['members'] = [{'id': i, 'rows': float(np.sum(w)), 'links': links[i]} for i, (_, w) in enumerate(own)]
    with open(path, 'w') as f:
        json.dump(genesis, f)


def weigh(folder, storm, pieces):
    """The genesis says how much a row may weigh, where rows with weights come in batches."""
    path = os.path.join(folder, storm['options']['genesis'])
    with open(path) as f:
        genesis = json.load(f)
    genesis['weight_max'] = max(float(np.max(w)) for _, w in pieces if len(w))
    with open(path, 'w') as f:
        json.dump(genesis, f)


def run(program, storm, folder, again=False):
    """(complaints, largest numbers, summary) of a storm; complaints None: it makes no sense."""
    own, more = rows_of(storm)
    write(folder, storm, own, more)
    if storm['options']['genesis'].endswith('.json'):
        status, said = call([program, 'genesis', *about_genesis(storm), '--out', storm['options']['genesis']], folder)
        if status:
            return [f'genesis: status {status}: {said}'], {}, None
        if storm['lies'] and storm['options'].get('algorithm') == 'sum':
            declare(folder, storm, own)
        if storm['weights'] and storm.get('batch'):
            weigh(folder, storm, [*own, *more])
    shutil.rmtree(os.path.join(folder, 'result'), ignore_errors=True)
    status, said = call(command(program, storm), folder, lies_of(storm))
    if status in (1, 2) and 'storm.csv:' in said:
        return None, {}, said
    out = [f'up: status {status}' + (f': {said}' if said else '')] if status else []
    result = os.path.join(folder, 'result')
    if not os.path.exists(os.path.join(result, 'summary.json')):
        return out + ['up wrote no summary'], {}, None
    found, worst = invariants.check(result, storm, draw.final(storm), own, more)
    if status == 4 and worst.get('parts that wait for rows'):
        out = []                                   # all others settled, or `found` says so
    if out and worst.get('slow') and 'patience' not in storm:
        # Central VB itself comes closer by less than 1 % a step: no network is faster than its data.
        return run(program, dict(storm, patience=5), folder, again)
    if not storm['lies']:
        found += accused(folder)
    summary = invariants.load(result, 'summary.json')
    if again and not out:
        found += check_again(program, storm, folder)
    return out + found, worst, summary


def statuses(folder):
    nodes = os.path.join(folder, 'result', 'nodes')
    return [invariants.load(nodes, node, 'status.json') for node in sorted(os.listdir(nodes))
            ] if os.path.isdir(nodes) else []


def refused(folder):
    """Frames refused by cause, over the nodes that are there at the end."""
    count = collections.Counter()
    for status in statuses(folder):
        count.update(status['frames_refused'])
    return count


def accused(folder):
    """What a node holds against honest neighbours."""
    faults = ('value', 'own_id', 'stranger', 'version', 'plan')
    return [f'{status["node"]}: honest frames: {what} {count}' for status in statuses(folder)
            for what, count in [*((f, status['frames_refused'].get(f, 0)) for f in faults), ('clipped', status.get('clipped', 0))]
            if count]


def fewer(events):
    """Sets of events to leave out: halves, quarters and so on, single ones, then two of one node."""
    size = max(1, len(events) // 2)
    while size:
        yield from (set(range(at, min(at + size, len(events)))) for at in range(0, len(events), size))
        size //= 2
    for i, j in itertools.combinations(range(len(events)), 2):
        if events[i][2] == events[j][2] or (events[i][1], events[j][1]) == ('partition', 'rejoin'):
            yield {i, j}


def reduce(program, storm, folder, again):
    """Greedy: events and faults are removed while it still fails."""
    def fails(s):
        return draw.is_sound(s) and bool(run(program, s, folder, again)[0])
    now, less = None, dict(storm)
    while less:
        now = less
        tries = (dict(now, events=[e for k, e in enumerate(now['events']) if k not in gone])
                 for gone in fewer(now['events']))
        less = next((s for s in tries if fails(s)), None)
    for option, calm in (('loss', 0), ('duplicate', 0), ('reorder', 0), ('corrupt', 0),
                         ('bandwidth', ''), ('speed', '1'), ('delay', '1ms..1ms'),
                         ('disk-fail', 0), ('disk-torn', 0), ('disk-short', 0), ('wire', 'float64'),
                         ('genesis', 'genesis.json')):
        if now['options'].get(option, calm) != calm:
            less = dict(now, options=dict(now['options'], **{option: calm}))
            now = less if fails(less) else now
    fails(now)                                     # its folder is left as the reduced one
    return now


def one(program, seed, opt):
    """Everything about one seed; None: there is no time left for it."""
    began = time.monotonic()
    if began > opt.end:
        return None
    storm = draw.storm(seed, opt.small, opt.model, opt.rows, opt.lies)
    storm['options']['wire'] = opt.wire or storm['options']['wire']
    if opt.sum:
        storm['options'].update(algorithm='sum', wire='float64')
        if opt.lies:
            draw.lie_in_sums(storm)
    if opt.mask:
        draw.stay(storm)
    folder = os.path.join(opt.keep, f'seed-{seed}')
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    again = seed % 4 == 0
    complaints, worst, summary = run(program, storm, folder, again)
    if complaints is None:
        complaints = [f'a schedule that was meant to make sense is refused: {summary}']
        summary = None
    got = {'seed': seed, 'storm': storm, 'complaints': complaints, 'worst': worst,
           'summary': summary, 'refused': refused(folder), 'again': again, 'folder': folder,
           'seconds': time.monotonic() - began}
    if complaints and not opt.no_reduce and not opt.mask:
        smaller = folder + '-reduced'
        shutil.rmtree(smaller, ignore_errors=True)
        os.makedirs(smaller)
        got['reduced'] = reduce(program, storm, smaller, again and not any(
            c.startswith('up: status') for c in complaints))
        got['reduced_complaints'] = run(program, got['reduced'], smaller)[0]
    elif not complaints:
        shutil.rmtree(folder)
    return got


def tell(program, got, opt):
    s = got['storm']
    took = got['summary']['virtual']['time'] if got['summary'] else float('nan')
    calm = took - (s['events'][-1][0] if s['events'] else 0)
    line = (f'seed {got["seed"]}: {s["model"]}, {s["kind"]} {s["nodes"]}, K {s["K"]}, D {s["D"]}'
            f'{", weights" * s["weights"]}{", window" * bool(s["window"])}{", window by age" * bool(s["age"])}, '
            f'{len(s["events"])} events{", lies: " * bool(s["lies"])}{lies_of(s)}, calm {calm:.1f} s, one step '
            f'{got["worst"].get("one_step", np.nan):.1e}, fixed point '
            f'{got["worst"].get("fixed_point", np.nan):.1e}, N {got["worst"].get("N", np.nan):.1e}, '
            f'{got["seconds"]:.1f} s')
    print(('ok    ' if not got['complaints'] else 'FAIL  ') + line, flush=True)
    if not got['complaints']:
        return
    for text in got['complaints'][:6]:
        print('      ' + text)
    print(f'      options {s["options"]}')
    print(f'      again: script/storm 1 --from {got["seed"]}' + ' --small' * opt.small
              + f' --model {opt.model}' * bool(opt.model) + ' --rows' * opt.rows + ' --lies' * opt.lies
              + f' --wire {opt.wire}' * bool(opt.wire) + ' --sum' * opt.sum + ' --mask' * opt.mask)
    print(f'      or: cd {got["folder"]} && ' + f'MB_LIES="{lies_of(s)}" ' * bool(s['lies']) + ' '.join(command(program, s)))
    if 'reduced' in got:
        r = got['reduced']
        print(f'      reduced, in {got["folder"]}-reduced: {r["options"]}')
        print('      ' + ' '.join(command(program, r)))
        for event in r['events']:
            print('      | ' + ','.join(str(c) for c in cells(event)))
        for text in (got['reduced_complaints'] or [])[:4]:
            print('      > ' + text)
    sys.stdout.flush()


def commit():
    """What HEAD is; "+": with changes."""
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(['git', 'describe', '--always', '--dirty=+', '--exclude', '*'], cwd=here, capture_output=True,
                          text=True)
    return done.stdout.strip() or 'unknown'


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument('program')
    parse.add_argument('n')
    parse.add_argument('--from', dest='first', type=int, default=1)
    parse.add_argument('--small', action='store_true')
    parse.add_argument('--page')
    parse.add_argument('--keep')
    parse.add_argument('--no-reduce', action='store_true')
    parse.add_argument('--jobs', type=int, default=2)
    parse.add_argument('--model', choices=sorted(invariants.MODELS))
    parse.add_argument('--rows', action='store_true', help='1 to 1e6 a node')
    parse.add_argument('--lies', action='store_true', help='of a tenth of the nodes, by the program with -liar')
    parse.add_argument('--wire', choices=['float64', 'float16', 'changes'], help='of all, in place of what is drawn')
    parse.add_argument('--sum', action='store_true', help='nodes run sum, not edge')
    parse.add_argument('--mask', action='store_true', help='their sums are masked, and all are there in the end')
    parse.add_argument('--minutes', type=float, default=float('inf'), help='begins no storm after them')
    opt = parse.parse_args()
    if opt.mask and (opt.lies or not (opt.sum and opt.small)):
        parse.error('--mask: only with --sum and --small, and not with --lies, which masks hide')
    opt.end = time.monotonic() + 60 * opt.minutes
    opt.program = os.path.abspath(opt.program) + '-liar' * opt.lies
    opt.commit, opt.day = commit(), time.strftime('%Y-%m-%d', time.gmtime())
    opt.keep = os.path.abspath(opt.keep) if opt.keep else tempfile.mkdtemp(prefix='storm-')
    os.makedirs(opt.keep, exist_ok=True)
    seeds = sorted(page.mended(opt)) if opt.n == 'mended' else range(opt.first, opt.first + int(opt.n))
    results = []
    with concurrent.futures.ThreadPoolExecutor(opt.jobs) as pool:
        for got in pool.map(lambda seed: one(opt.program, seed, opt), seeds):
            if got:
                tell(opt.program, got, opt)
                results.append(got)
    if opt.page:
        page.write(opt.page, results, opt)
    failed = [got['seed'] for got in results if got['complaints']]
    if failed:
        print('failed seeds: ' + ' '.join(map(str, failed)))
    print(f'{len(results) - len(failed)} passed, {len(failed)} failed')
    sys.exit(bool(failed))


if __name__ == '__main__':
    main()

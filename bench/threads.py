#!/usr/bin/python3
"""threads.py - two threads against one, on a machine without other work and beside two endless
loops: steps of variational Bayes of about 0.1 to 100 ms on one thread, and rounds of EDGE on a
network. "Two" are two whatever the step is worth; "as pay" is what --threads 0 does. Everyone takes a
turn in every order, and ratios are taken within a turn. A turn counts when others used little of the
processors meanwhile; it is taken again otherwise, and if that does not help those with the least
count. --other BUILD: against the two threads of another build of the tools as well."""
import contextlib
import os
import subprocess
import time

import numpy as np

from harness import Bench, Worker, busy, clusters, say, spread, used

# n, D, K: a step of about 0.1, 1, 4, 10 and 100 ms on one thread
STEPS = [(9000, 2, 3), (5000, 16, 16), (500000, 2, 3), (50000, 16, 16), (100000, 32, 32)]
NETWORK = ['grid:rows=30,cols=30', '1000', '2', '3', 'edge']
SECONDS, SECONDS_QUICK = 0.2, 0.1  # of a turn on one thread
TURNS, TURNS_QUICK = 21, 3
ROUNDS, ROUNDS_QUICK = 51, 6
LOOPS = 2
SETTLE = 0.5  # seconds until the scheduler has spread the loops
CALM = 0.03   # share of the processors that others may use in a turn that counts
AGAIN, AGAIN_QUICK = 4, 1  # times as many turns as are wanted, at most


@contextlib.contextmanager
def loops(count):
    """Programs that use a processor as long as they get one."""
    crew = [subprocess.Popen(['sh', '-c', 'while :; do :; done']) for _ in range(count)]
    try:
        time.sleep(SETTLE if count else 0)
        yield [one.pid for one in crew]
    finally:
        for one in crew:
            one.kill()
            one.wait()


def turn(who, k, pids):
    """Seconds of everyone, in an order of its own, and the share of the processors that others used."""
    names = list(who)
    order = names[k % len(names):] + names[:k % len(names)]
    before, began = busy() - used(pids), time.monotonic()
    took = {name: who[name]() for name in (order if k % 2 else order[::-1])}
    others = (busy() - used(pids) - before) / (time.monotonic() - began) / (os.cpu_count() or 1)
    return {**took, 'others': others}


def compare(bench, who, pids):
    """who: name -> function that measures seconds. Milliseconds of one thread, and the ratios of the
    others to it and to each other."""
    wanted, again = (TURNS, AGAIN) if bench.full else (TURNS_QUICK, AGAIN_QUICK)
    taken = []
    while sum(t['others'] <= CALM for t in taken) < wanted and len(taken) < again * wanted:
        taken.append(turn(who, len(taken), pids))
    calm = sorted(taken, key=lambda t: t['others'])[:wanted]
    out = {'ms': spread([1e3 * t['one'] for t in calm]), 'taken': len(taken),
           'others': spread([t['others'] for t in calm])}
    for name in list(who)[1:]:
        out[name] = spread([t[name] / t['one'] for t in calm])
    if 'other' in who:
        out['two_over_other'] = spread([t['two'] / t['other'] for t in calm])
    return out


def steps(bench, crew, shape, beside):
    n, D, K = shape
    x, resp = clusters(n, D, K)
    np.save(bench.file('rows.npy'), x)
    np.save(bench.file('resp.npy'), resp)
    for worker in crew.values():
        worker.ask(f'load {bench.file("rows.npy")} {bench.file("resp.npy")} {K}')
    step = crew['ours'].ask('run 1 5')['wall'] / 5
    count = max(5, round((SECONDS if bench.full else SECONDS_QUICK) / step))

    def run(name, threads):
        return lambda: crew[name].ask(f'run {threads} {count}')['wall'] / count
    who = {'one': run('ours', 1), 'two': run('ours', 2), 'as_pay': run('ours', 0)}
    if 'other' in crew:
        who['other'] = run('other', 2)
    with loops(beside) as pids:
        return {'n': n, 'D': D, 'K': K, 'loops': beside, 'steps': count,
                **compare(bench, who, pids + [w.process.pid for w in crew.values()])}


def rounds(bench, tools, beside):
    count = ROUNDS if bench.full else ROUNDS_QUICK

    def run(name, threads):
        def measure():
            with Worker([tools[name], *NETWORK, str(count), str(threads)], 2) as worker:
                return worker.ask()['wall'] / (count - 1)
        return measure
    who = {'one': run('ours', 1), 'two': run('ours', 2), 'as_pay': run('ours', 0)}
    if 'other' in tools:
        who['other'] = run('other', 2)
    with loops(beside) as pids:
        return {'network': ' '.join(NETWORK), 'loops': beside, 'rounds': count,
                **compare(bench, who, pids)}


def tell(r):
    what = r.get('network') or f'n = {r["n"]}, D = {r["D"]}, K = {r["K"]}'
    others = ', '.join(f'{name} {r[name]["median"]} ({r[name]["low"]} to {r[name]["high"]})'
                       for name in ('two', 'as_pay', 'other', 'two_over_other') if name in r)
    say(f'{what}, {r["loops"]} loops: {r["ms"]["median"]} ms; {others}; '
        f'{r["taken"]} turns, others {r["others"]["median"]}')
    return r


def main():
    bench = Bench('threads')
    builds = {'ours': bench.build, **({'other': bench.other} if bench.other else {})}
    tool = {name: {t: os.path.join(path, 'bench', f'tool_{t}') for t in ('step', 'rounds')}
            for name, path in builds.items()}
    runs = []
    with contextlib.ExitStack() as stack:
        crew = {name: stack.enter_context(Worker([t['step']], 2)) for name, t in tool.items()}
        for beside in (0, LOOPS):
            runs += [tell(steps(bench, crew, shape, beside))
                     for shape in (STEPS if bench.full else STEPS[:2])]
            runs.append(tell(rounds(bench, {name: t['rounds'] for name, t in tool.items()}, beside)))
    bench.finish(loops=LOOPS, turns=TURNS if bench.full else TURNS_QUICK, runs=runs)


if __name__ == '__main__':
    main()

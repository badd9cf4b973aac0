#!/usr/bin/python3
"""tables.py PROGRAM [--draws N] [--out FILE.jsonl] [--page FILE] [--small] [--jobs N] [--write-only]: the tables of
docs/mesh.md; see script/mesh-tables."""
import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import cells
import page

MAIN = list(cells.NETWORKS)[:4]
DEEP = list(cells.NETWORKS)[4:]
OWN = ('--speed', '1..5', '--delay', '0ms..100ms')     # own periods 1..5 ticks, delays 0..5 ticks
HALF = ('--wire', 'float16')
SOME = ('cold start', 'one leaves', 'the leader leaves', 'empty', 'healed', 'rows replaced')
NONE = {('star of 50', 'the leader leaves'), ('star of 50', 'partition'), ('star of 50', 'healed')}  # nobody is left


def plan(draws):
    """(table, network, event, loss, seed) and what `measure` takes, the first draw of all tables first."""
    for seed in range(1, draws + 1):
        for name in MAIN:
            for event in cells.EVENTS:
                for loss in (0, .3):
                    yield ('awake', name, event, loss, seed), {}
        for name in MAIN:
            for event in ('one leaves', 'the leader leaves', 'empty', 'five join', 'partition', 'healed'):
                for loss in (0, .3):
                    yield ('rest', name, event, loss, seed), {'rest': True}
        for name in MAIN:
            for event in SOME:
                yield ('fixed', name, event, 0, seed), {'rule': 'fixed'}
        for name in MAIN:
            for loss in (0, .3):
                yield ('own', name, 'cold start', loss, seed), {'more': OWN, 'factor': 2}
        for name in MAIN[:3]:
            for event in ('cold start', 'empty', 'ten restarts', 'rows replaced'):
                yield ('float16', name, event, .3, seed), {'more': HALF}
            yield ('float16 own', name, 'cold start', .3, seed), {'more': OWN + HALF, 'factor': 2}
        for name in DEEP if seed <= 3 else ():
            for event in ('cold start', 'one leaves'):
                yield ('awake', name, event, 0, seed), {}


def small():
    """What CI runs: some cells, a draw each, with the most ticks that they may take."""
    star, grid = 'star of 50', 'grid 7 x 7'
    return [(('awake', grid, 'one leaves', 0, 1), {}), (('awake', star, 'ten restarts', .3, 1), {}),
            (('rest', star, 'five join', .3, 1), {'rest': True}), (('rest', grid, 'one leaves', 0, 1), {'rest': True}),
            (('float16', star, 'rows replaced', .3, 1), {'more': HALF})]


def known(path):
    """Results that a file has: {cell: (ticks, kB) or None}."""
    if not path or not os.path.exists(path):
        return {}
    with open(path) as f:
        return {tuple(cell): got and tuple(got) for cell, got in map(json.loads, f)}


def run(program, todo, jobs, out):
    results = known(out)
    left = [(cell, how) for cell, how in todo if cell not in results and cell[1:3] not in NONE]
    with ThreadPoolExecutor(jobs) as pool:
        for (cell, _), got in zip(left, pool.map(
                lambda job: cells.measure(program, *job[0][1:3], job[0][4], job[0][3], **job[1]), left)):
            results[cell] = got
            print(*cell, f'{got[0]:.0f} ticks, {got[1]:.0f} kB' if got else 'not within its time', flush=True)
            if out:
                with open(out, 'a') as f:
                    f.write(json.dumps([cell, got]) + '\n')
    return results


def main():
    parser = argparse.ArgumentParser(prog='script/mesh-tables')
    parser.add_argument('program')
    parser.add_argument('--draws', type=int, default=10)
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--small', action='store_true')
    parser.add_argument('--out', help='results; what it has is not measured again')
    parser.add_argument('--page', help='the page that is written')
    parser.add_argument('--write-only', action='store_true', help='the page from the results that there are')
    opt = parser.parse_args()
    todo = small() if opt.small else [] if opt.write_only else list(plan(opt.draws))
    results = run(os.path.abspath(opt.program), todo, opt.jobs, opt.out)
    if opt.page:
        page.write(opt.page, results)
    if opt.small:
        bad = [cell for cell in results if not page.within(cell, results[cell] and results[cell][0])]
        for cell in bad:
            print(f'FAIL  {cell}: more than {page.limit(cell):.0f} ticks')
        print(f'{len(results) - len(bad)} passed, {len(bad)} failed')
        sys.exit(bool(bad))


if __name__ == '__main__':
    main()

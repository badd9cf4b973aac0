#!/usr/bin/python3
"""up.py - `meshbayes up` with processes: the paper's problem as one process a node with CURVE on this
machine, from the start of the command until all nodes have settled, beside the lock-step simulator on
the same rows and network; frames a second and processor time of a node. Without meshbayes-node it
says so."""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np

from harness import HERE, Bench, digits, say, used

sys.path.append(os.path.join(HERE, '..', 'tests', 'daemon'))
from mesh import Unix

# nodes, topology, rows a node, turns
CASES = [(50, 'geometric:n=50,side=3.5,radius=0.8', 100, 3)]
CASES_QUICK = [(12, 'geometric:n=12,side=1.7,radius=0.8', 100, 1)]
K, PORT = 3, 7300


def command(bench, options, out, until):
    return [os.path.join(bench.build, 'meshbayes'), 'up', *map(str, options), '--until', until, '--time', '120s',
            '--base-port', str(PORT), '--out', out]


def processes(bench, options, turn):
    """One run: seconds to settled and of the command, frames and processor time of all nodes."""
    out = bench.file(f'net{turn}')
    before, began = used([]), time.monotonic()
    done = subprocess.run(command(bench, options, out, 'settled'), cwd=bench.folder, capture_output=True, text=True)
    took, work = time.monotonic() - began, used([]) - before
    if done.returncode != 0:
        raise RuntimeError(f'meshbayes up: {done.stderr.strip()[-300:]}')
    settled, status = re.search(r'^settled after ([0-9.]+) s', done.stdout, re.M), []
    if not settled:
        raise RuntimeError(f'meshbayes up: {done.stdout.strip()[:200]}')
    for name in glob.glob(os.path.join(out, 'nodes', '*', 'status.json')):
        with open(name, encoding='utf-8') as f:
            status.append(json.load(f))
    return float(settled[1]), took, sum(s['frames_sent'] for s in status), work


def problem(bench, nodes, topology, rows):
    """Options of the paper's problem, whose rows are written."""
    bench.meshbayes('data', 'synthetic', '--nodes', nodes, '--rows', rows, '--seed', 1, '--out', 'rows.csv')
    return ['--data', 'rows.csv', '--node-column', 'node', '--drop', 'label', '--topology', topology, '--n-components', K]


def statuses(out):
    """What the nodes of a run say of themselves now; one that does not answer yet is left out."""
    said = []
    for path in glob.glob(os.path.join(out, 'nodes', '*', 'status.sock')):
        node = Unix(path)
        try:
            node.request('GET', '/status')
            said.append(json.loads(node.getresponse().read()))
        except OSError:
            pass
        finally:
            node.close()
    return said


def look(pid, out):
    """(seconds of the clock, of the processors, bytes that were sent, nodes that answer, that have settled)."""
    with open(f'/proc/{pid}/task/{pid}/children') as f:
        nodes = [int(word) for word in f.read().split()]
    said = statuses(out)
    settled = sum(s['verdict'] == 'settled' for s in said)
    return np.array([time.monotonic(), used(nodes) - used([]), sum(s['bytes_sent'] for s in said), len(said), settled])


def wait(run, out, enough):
    """The first look that is enough."""
    while run.poll() is None:
        seen = look(run.pid, out)
        if enough(seen):
            return seen
        time.sleep(.4)  # answers take processor time of the nodes
    raise RuntimeError(f'meshbayes up: {run.stderr.read().strip()[-300:] or "its nodes did not settle"}')


def rates(bench, nodes, topology, rows, rest):
    """Share of a core and bytes a second of a node, from the first status of all nodes until all have settled, and in
    `rest` seconds from two seconds later on."""
    out = bench.file('net')
    with subprocess.Popen(command(bench, problem(bench, nodes, topology, rows), out, '110s'), cwd=bench.folder,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
        began = wait(run, out, lambda seen: seen[3] == nodes)
        settled = wait(run, out, lambda seen: seen[4] == nodes)
        time.sleep(2)
        rests = look(run.pid, out)
        time.sleep(rest)
        end = look(run.pid, out)
        run.send_signal(signal.SIGTERM)
        run.communicate()
    each = {}
    for name, taken in (('moving', settled - began), ('resting', end - rests)):
        each[name] = {'seconds': digits(taken[0]), 'core_share': digits(taken[1] / taken[0] / nodes),
                      'bytes_a_second': digits(taken[2] / taken[0] / nodes)}
    return {'nodes': nodes, 'topology': topology, 'rows': rows, **each}


def case(bench, nodes, topology, rows, turns):
    options = problem(bench, nodes, topology, rows)
    sim, _ = bench.json('sim', *options, '--algorithm', 'edge', '--threads', 1)
    lock_step = sim['algorithms'][0]
    runs = [processes(bench, options, turn) for turn in range(turns)]
    settled, took, frames, work = np.array(runs).T
    out = {'nodes': nodes, 'topology': topology, 'rows': rows, 'turns': turns,
           'settled_seconds': digits(np.median(settled)),
           'command_seconds': digits(np.median(took)), 'frames_a_second': digits(np.median(frames / settled)),
           'processor_seconds_a_node': digits(np.median(work) / nodes),
           'lock_step_rounds': lock_step['rounds'], 'lock_step_seconds': digits(lock_step['seconds']),
           'lock_step_verdict': lock_step['verdict']}
    say(f'{nodes} processes: settled after {out["settled_seconds"]:.1f} s, '
        f'{out["frames_a_second"]:.0f} frames a second, {out["processor_seconds_a_node"]:.2f} s of processor a node; '
        f'in lock step {lock_step["rounds"]} rounds')
    return out


def main():
    bench = Bench('up')
    if not os.path.exists(os.path.join(bench.build, 'meshbayes-node')):
        bench.finish(cases=[], skipped='meshbayes-node was not built')
        return
    bench.finish(cases=[case(bench, *c) for c in (CASES if bench.full else CASES_QUICK)])


if __name__ == '__main__':
    main()

#!/usr/bin/python3
"""check_algorithms.py PROGRAM: algorithms in Python have the bits of the same one in C, and their errors
come out; the table of a simulation."""
import gc
import os
import signal
import sys
import threading
import types
import weakref

import numpy as np

from beside import package, refused, says
from check_bind import RING, Rows
from harness import main

X = Rows(1, False, 'numbers').x
HOW = {'n_components': 3, 'rounds': 12, 'network': RING}


def sends_phi_star(node):
    node.message = node.phi_star


def averages(node):
    """The plain average of phi* with the neighbours', as nsg has it."""
    node.phi = node.weight_self * node.message
    for weight, message in zip(node.weight, node.received):
        node.phi += weight * message


def own(claims, mb):
    seen = []

    def emit(node):
        seen.append((node.id, node.round, node.neighbours, node.scale, node.received))
        sends_phi_star(node)

    got = mb.fit(X, algorithm=mb.Algorithm('mine', emit, averages), **HOW)
    want = mb.fit(X, algorithm='nsg', **HOW)
    claims.check(all(got.node(i)[name].tobytes() == want.node(i)[name].tobytes() for i in range(6) for name in ('means', 'weights', 'covariances'))
                 and got.agreement.bytes == want.agreement.bytes and got.bound == want.bound,
                 'plain averaging in Python has the bits of nsg at each node')
    claims.check(got.posterior._get('algorithm') == 'mine', 'its name is in the result')
    claims.check(seen[:6] == [(i, 1, 2, 6., []) for i in range(6)] and len(seen) == 6 * got.rounds,
                 'nodes come in their order, once a round')


def states(claims, mb):
    """State and fresh: a node is silent in even rounds, and counts what it hears."""
    heard = {}

    def emit(node):
        sends_phi_star(node)
        return node.round % 2 == 0

    def absorb(node):
        node.state[0] += sum(node.fresh)
        node.state[1] = node.phi
        heard[node.id, node.round] = (node.state[0, 0], len(node.received), node.state.shape[0])
        averages(node)

    r = mb.fit(X, algorithm=mb.Algorithm('every other', emit, absorb, vectors=2), **HOW)
    claims.check(r.rounds == 12 and r.agreement.frames == 6 * 6 and heard[0, 12] == (12., 2, 2),
                 f'state stays with the node, a true answer of emit sends nothing: {r.agreement.frames} {heard.get((0, 12))}')


def errors(claims, mb):
    def breaks(node):
        raise KeyError('mine')

    def short(node):
        node.message = np.zeros(3)

    def words(node):
        node.phi = 'phi'

    claims.check(isinstance(refused(mb.fit, X, algorithm=mb.Algorithm('a', breaks, averages), **HOW), KeyError),
                 'what emit raises comes out')
    says(claims, 'a message of another length', 'got message of shape (3,); expected (', mb.fit, X,
         algorithm=mb.Algorithm('a', short, averages), **HOW)
    says(claims, 'an estimate of words', 'could not convert', mb.fit, X,
         algorithm=mb.Algorithm('a', sends_phi_star, words), **HOW)
    says(claims, 'no function', 'emit: got int; expected a function of one AlgorithmNode', mb.Algorithm, 'a', 3, averages,
         kind=TypeError)
    says(claims, 'vectors below 0', 'expected a whole number from 0 to 1000', mb.Algorithm, 'a', sends_phi_star,
         averages, -1)
    kept = []
    mb.fit(X, algorithm=mb.Algorithm('a', lambda node: kept.append(node) or sends_phi_star(node), averages), **HOW)
    gc.collect()
    claims.check(np.isfinite(kept[0].phi_star.sum()) and kept[0].phi_star.shape == kept[0].phi.shape,
                 'a node that is kept can be read after the fit')

    class Emits:
        def __call__(self, node):
            sends_phi_star(node)
    emits = Emits()
    gone = weakref.ref(emits)
    mb.fit(X, algorithm=mb.Algorithm('a', emits, averages), **HOW)
    del emits
    gc.collect()
    claims.check(gone() is None, 'a fit that is gone keeps no function')


def interrupted(claims, mb):
    """Ctrl-C while a half lasts: the fit is left, and the half ends afterwards."""
    calls, going = [], threading.Event()

    def emit(node):
        calls.append(node.id)
        if len(calls) == 1:
            os.kill(os.getpid(), signal.SIGINT)
            going.wait(120)
        sends_phi_star(node)

    # A shell's jobs in the background ignore SIGINT.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        mb.fit(X, algorithm=mb.Algorithm('lasting', emit, lambda node: calls.append('absorb')), **HOW)
        left = False
    except KeyboardInterrupt:
        left = not going.is_set()
    signal.signal(signal.SIGINT, before)
    going.set()
    for thread in threading.enumerate():
        if thread.name == 'meshbayes':
            thread.join(120)
    claims.check(left and calls == [0], f'no half is called after Ctrl-C has left a fit: {calls}')


def simulations(claims, mb):
    mine = mb.Algorithm('mine', sends_phi_star, averages)
    found = mb.simulate(X, RING, algorithms=['edge', 'admm', mine, 'nsg'], loss=.1, n_components=3, rounds=12)
    claims.check(list(found) == ['edge', 'mine', 'nsg'] and list(found.errors) == ['admm']
                 and [row[0] for row in found.rows] == ['edge', 'admm', 'mine', 'nsg']
                 and found.rows[1][1] == 'failed' and 'every message' in found.rows[1][-1],
                 'an algorithm that fails is in the table with its reason')
    claims.check(found['mine'].bound == found['nsg'].bound and found['mine'].trace.shape == (12, 2),
                 'algorithms of the caller are among them, with traces')
    claims.check(repr(found).splitlines()[0].split() == list(found.columns) and len(repr(found).splitlines()) == 5,
                 'it prints as a table')
    for how in ({'send': 'changes'}, {'loss': .1}, {'loss_directed': .1}, {'silent': .1}, {'delay': 2}):
        says(claims, f'no network, {how}', 'need one', mb.fit, X, n_components=3, **how)
    says(claims, 'all fail', 'every message', mb.simulate, X, RING, algorithms=['admm'], loss=.1)
    says(claims, 'an algorithm that is none', 'algorithms: got "edgy"; expected cvb, ', mb.simulate, X, RING,
         algorithms=['edge', 'edgy'])
    says(claims, 'one twice', 'got "edge" twice', mb.simulate, X, RING, algorithms=['edge', 'edge'])
    says(claims, 'none', 'expected at least 1', mb.simulate, X, RING, algorithms=[])
    says(claims, 'a number', 'expected names', mb.simulate, X, RING, algorithms=[3], kind=TypeError)
    kept, frames = sys.modules.get('pandas'), types.ModuleType('pandas')
    frames.DataFrame = lambda rows, columns: (rows, columns)
    try:
        sys.modules['pandas'] = frames
        claims.check(found.to_frame() == (found.rows, list(found.columns)), 'a frame has its rows and columns')
        sys.modules['pandas'] = None
        says(claims, 'no pandas', 'pandas is missing', found.to_frame, kind=ImportError)
    finally:
        sys.modules['pandas'] = kept
        if kept is None:
            del sys.modules['pandas']


def check(claims, prog):
    mb = package(prog)
    for part in (own, states, errors, interrupted, simulations):
        part(claims, mb)


main(check)

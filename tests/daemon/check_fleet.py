#!/usr/bin/python3
"""check_fleet.py BUILD: `meshbayes fleet` makes a network of four processes from one file, says that all is
right, and names what is changed afterwards. Ports 7270 to 7273."""
import copy
import json
import os
import signal
import subprocess

import numpy as np

from claims import claim, main
from mesh import CENTRES, soon

BASE, ROWS = 7270, 40
NAMES = ['kiel', 'bonn', 'ulm', 'jena']
LINKS = [[10, 11], [11, 12], [12, 13], [13, 10], [10, 12]]


class Fleet:
    def __init__(self, build, folder):
        self.build, self.folder, self.running = build, folder, {}
        os.makedirs(folder, exist_ok=True)
        rng = np.random.default_rng(1)
        rows = [CENTRES[rng.integers(0, 3, ROWS)] + rng.normal(size=(ROWS, 2)) for _ in NAMES]
        for name, x in [*zip(NAMES, rows), ('all', np.vstack(rows))]:
            np.savetxt(self.at(f'{name}.csv'), x, delimiter=',', header='a,b', comments='')
        self.call('genesis', '--data', self.at('all.csv'), '--n-components', '3', '--out', self.at('genesis.json'))
        edit(self.at('genesis.json'), lambda g: g.update(nodes_max=9))
        self.network = {
            'genesis': 'genesis.json',
            'all': {'state': 'state', 'status': 'unix:s', 'rest_ms': 200},
            'nodes': [{'id': 10 + k, 'name': name, 'address': f'tcp://127.0.0.1:{BASE + k}', 'rows': ROWS,
                       'listen': f'tcp://127.0.0.1:{BASE + k}', 'data': self.at(f'{name}.csv')}
                      for k, name in enumerate(NAMES)],
            'links': LINKS}

    def at(self, *names):
        return os.path.join(self.folder, *names)

    def node(self, name, file='node.json'):
        return self.at('net', 'nodes', name, file)

    def call(self, *words):
        return subprocess.run([os.path.join(self.build, 'meshbayes'), *words], capture_output=True, text=True,
                              cwd=self.folder)

    def fleet(self, verb, *more, **changed):
        """Exit status, lines of standard output, standard error."""
        with open(self.at('network.json'), 'w') as f:
            json.dump({**self.network, **changed}, f)
        done = self.call('fleet', verb, 'network.json', *more)
        return done.returncode, done.stdout.splitlines(), done.stderr

    def check(self, **changed):
        return self.fleet('check', '--dir', 'net', **changed)

    def start(self, name):
        with open(self.node(name, 'log'), 'a') as log:
            self.running[name] = subprocess.Popen(
                [os.path.join(self.build, 'meshbayes-node'), 'run', '--config', self.node(name)], stderr=log,
                stdin=subprocess.DEVNULL)

    def close(self):
        for process in self.running.values():
            process.kill()
            process.wait()

    def soon(self, what, holds, **changed):
        """Until a look by `fleet check` has what is expected."""
        def look():
            found = self.check(**changed)
            return holds(*found), f'{found}'
        soon(what, look, 60)
        claim(what, True)

    def named(self, what, lines, **changed):
        self.soon(what, lambda code, out, _: code == 1 and all(any(line in o for o in out) for line in lines),
                  **changed)


def edit(path, change):
    with open(path) as f:
        config = json.load(f)
    change(config)
    with open(path, 'w') as f:
        json.dump(config, f)


def nodes_with(network, **fields):
    nodes = copy.deepcopy(network['nodes'])
    nodes[0].update(fields)
    return nodes


def folders(fleet):
    code, out, err = fleet.fleet('make', '--out', 'net')
    claim(f'a folder for every node is made: {err}', code == 0 and out == [
        'net/nodes: 4 nodes, 5 links, members are listed in genesis.json'])
    claim('no node cuts a ring with a chord', err == '')
    keys, signs = {}, {}
    for name in NAMES:
        tried = subprocess.run([os.path.join(fleet.build, 'meshbayes-node'), 'check', '--config', fleet.node(name)],
                               capture_output=True, text=True)
        claim(f'{name} can run: {tried.stderr}', tried.returncode == 0)
        with open(fleet.node(name, 'node.key')) as f:
            pair = json.load(f)
            keys[name], signs[name] = pair['public_key'], pair.get('signing_public_key')
    with open(fleet.at('genesis.json')) as given, open(fleet.node('jena', 'genesis.json')) as f:
        block, made = json.load(given), json.load(f)
    members = made.pop('members')
    claim('the genesis file is the given one', made == block)
    claim('and lists the members', members == [
        {'id': 10 + k, 'name': name, 'key': keys[name], **({'signing_key': signs[name]} if signs[name] else {}), 'rows': ROWS,
         'links': sorted({a + b - 10 - k for a, b in LINKS if 10 + k in (a, b)})} for k, name in enumerate(NAMES)])
    fleet.fleet('make', '--out', 'net')
    with open(fleet.node('kiel', 'node.key')) as f:
        claim('a key that is there remains', json.load(f)['public_key'] == keys['kiel'])
    os.remove(fleet.node('kiel', 'node.key'))
    fleet.fleet('make', '--out', 'net', nodes=nodes_with(fleet.network, public_key=keys['kiel']))
    claim('no key is made for a machine that has its own', not os.path.exists(fleet.node('kiel', 'node.key')))
    fleet.fleet('make', '--out', 'net')
    code, _, err = fleet.fleet('make', '--out', 'path', links=LINKS[:3])
    claim('nodes that cut a path are named', code == 0 and 'without node bonn the network falls apart' in err
          and 'without node ulm' in err and 'kiel' not in err and 'jena' not in err)


def insecure(fleet):
    nodes = [{k: v for k, v in node.items() if k != 'listen'} for node in fleet.network['nodes']]
    nodes[0]['address'] = f'tcp://localhost:{BASE}'
    code, _, err = fleet.fleet('make', '--out', 'open', nodes=nodes, insecure=True)
    claim(f'a network without keys is made: {err}', code == 0)
    for name in NAMES:
        tried = subprocess.run([os.path.join(fleet.build, 'meshbayes-node'), 'check', '--config',
                                fleet.at('open', 'nodes', name, 'node.json')], capture_output=True, text=True)
        claim(f'{name} can run without keys: {tried.stderr}', tried.returncode == 0)


def refused(fleet):
    for changed, words in [
            ({'links': [[10, 11], [12, 13]]}, ['not connected']),
            ({'links': [*LINKS, [10, 99]]}, ['links[5]', '[ID, ID]']),
            ({'links': [*LINKS, 7]}, ['links[5]']),
            ({'nodes': nodes_with(fleet.network, id=11)}, ['id 11 twice']),
            ({'nodes': nodes_with(fleet.network, name='bonn')}, ['bonn']),
            ({'nodes': nodes_with(fleet.network, address='127.0.0.1')}, ['nodes[0].address', 'tcp://HOST:PORT']),
            ({'nodes': nodes_with(fleet.network, address='tcp://192.0.2.1:7100'), 'insecure': True},
             ['nodes[0].address', 'tcp://192.0.2.1:7100', 'tcp://127.0.0.1:PORT', 'insecure']),
            ({'nodes': nodes_with(fleet.network, listen='tcp://0.0.0.0:7100'), 'insecure': True},
             ['nodes[0].listen', 'tcp://0.0.0.0:7100', 'tcp://127.0.0.1:PORT', 'insecure']),
            ({'nodes': nodes_with(fleet.network, rows=-1)}, ['nodes[0].rows']),
            ({'nodes': nodes_with(fleet.network, key='node.key')}, ['nodes[0].key']),
            ({'nodes': nodes_with(fleet.network, public_key='short')}, ['nodes[0].public_key', '40 characters']),
            ({'nodes': nodes_with(fleet.network, public_key='k' * 40, signing_key='f' * 63)}, ['signing_key', '64 digits']),
            ({'nodes': []}, ['nodes', 'at least one']),
            ({'nodes': [7, *fleet.network['nodes'][1:]]}, ['nodes[0].id']),
            ({'all': {'listen': 'tcp://127.0.0.1:1'}}, ['listen', 'in common']),
            ({'genesis': None}, ['genesis', 'model']),
            ({'rows_are': 'about'}, ['rows_are', 'at most']),
            ({'limits': 1}, ['limits'])]:
        code, _, err = fleet.fleet('make', '--out', 'bad', **changed)
        claim(f'{words[0]} is refused in one line: {err}', code != 0 and err.count('\n') == 1 and
              'network.json' in err and all(w in err for w in words))
    claim('nothing is written then', not os.path.exists(fleet.at('bad')))


def running(fleet):
    for name in NAMES:
        fleet.start(name)
    fleet.soon('all is right', lambda code, out, err: (code, len(out), err) == (0, 1, '') and out[0].startswith(
        f'all right: 4 nodes answer as network.json says, 4 settled, 5 links, {4 * ROWS} rows; '))
    fleet.named('rows other than declared are named', [f'kiel: it has {ROWS} rows; declared are exactly 39'],
                nodes=nodes_with(fleet.network, rows=39))
    fleet.named('so are more than at most', [f'kiel: it has {ROWS} rows; declared are at most 39'],
                nodes=nodes_with(fleet.network, rows=39), rows_are='at most')
    claim('fewer than at most are right', fleet.check(nodes=nodes_with(fleet.network, rows=41),
                                                      rows_are='at most')[0] == 0)
    fleet.named('a link too many is named', ['kiel: it has a link to ulm, which the network does not have',
                                             'ulm: it has a link to kiel'], links=LINKS[:4])
    fleet.named('another node at its address is named', ['kiel: node bonn answers at unix:'],
                nodes=nodes_with(fleet.network, status_at='unix:' + fleet.node('bonn', 's')))
    edit(fleet.node('kiel'), lambda c: c.update(neighbours=c['neighbours'][1:]))
    fleet.running['kiel'].send_signal(signal.SIGHUP)
    fleet.named('a link that is missing at one end is named at both', [
        'kiel: its link to bonn is missing in its configuration', 'bonn: its link to kiel is not in use: '])
    fleet.fleet('make', '--out', 'net')
    fleet.running['kiel'].send_signal(signal.SIGHUP)
    fleet.soon('made again, all is right again', lambda code, out, err: code == 0 and '4 settled' in out[0])
    fleet.running['jena'].kill()
    fleet.named('a node that is down is named', ['jena: it does not answer at unix:net/nodes/jena/s',
                                                 'kiel: its link to jena is not in use: '])


def check(build, folder):
    fleet = Fleet(os.path.abspath(build), os.path.join(os.path.abspath(folder), 'fleet'))
    try:
        folders(fleet)
        insecure(fleet)
        refused(fleet)
        running(fleet)
    finally:
        fleet.close()


main(check)

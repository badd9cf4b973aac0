#!/usr/bin/env python3
"""The configuration of meshbayes-node: docs/node.schema.json has the fields that the program knows, and
accepts and refuses what the program does; the example of docs/howto/deploy.md is one; usage:
check_node_config.py PROGRAM, with meshbayes-node beside it"""
import glob
import json
import os
import re
import subprocess

import jsonschema

import harness

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..')


def read(*path):
    with open(os.path.join(TOP, *path)) as f:
        return f.read()


def known():
    """The lists of names in daemon/config*.c and of the plan they share with genesis files, by the function that has them."""
    lists, function = {}, None
    files = glob.glob(os.path.join(TOP, 'daemon', 'config*.c')) + [os.path.join(TOP, 'src', 'mesh', 'file_plan.c')]
    for file in sorted(files):
        for piece in re.findall(r'^(?:static \w+|mb_status) (\w+)\(|(?:known|own)\[\] = \{(.*?)NULL\}', read(file), re.S | re.M):
            function = piece[0] or function
            if piece[1]:
                lists[function] = set(re.findall(r'"(\w+)"', piece[1]))
    return lists


def same_fields(claims, schema):
    lists, part = known(), schema['definitions']
    plan = json.loads(read('docs', 'genesis.schema.json'))['definitions']['plan']
    window = [set(one['properties']) for one in schema['properties']['window']['oneOf']]
    for function, fields in (('node_config_read', set(schema['properties'])), ('get_window', set.union(*window)),
                             ('get_edge', set(schema['properties']['edge']['properties'])),
                             ('get_neighbour', set(part['neighbour']['properties'])), ('get_options', set(part['model']['properties']) | {'privacy'}),
                             ('get_promise', set(plan['properties']['privacy']['properties'])), ('get_options', set(plan['properties']))):
        claims.check(lists[function] == fields, f'{function} knows the fields of the schema {lists[function] ^ fields}')


def cases():
    """Changes of a configuration that is right, and whether the result is right; None removes a field."""
    yield {}, True
    for field, values in {'name': 'x', 'rows_max': 50, 'neighbours_max': 3, 'tick_ms': 1, 'rest_ms': 3600000, 'wire': 'float16',
                          'checkpoint_ticks': 1, 'window': {'rows': 3}, 'state': 'state', 'tol': 1e-4, 'weight_column': 'w',
                          'edge': {'kappa': 4, 'eta': .2}, 'record_limit': 1000, 'algorithm': 'edge', 'min_nodes': 1000000,
                          'tick_least_ms': 20, 'bytes_per_second': 1000, 'log_format': 'json', 'log_level': 'error'}.items():
        yield {field: values}, True
    yield {'window': {'seconds': .5}}, True
    yield {'edge': {}}, True
    yield {'edge': {'kappa': 1e-6}}, True
    yield {'tick_ms': 2000}, True
    yield {'neighbours': []}, True
    yield {'genesis': None, 'model': {'name': 'gmm', 'n_components': 2, 'seed': 3, 'genesis': 'sums', 'columns': ['a', 'b']}}, True
    yield {'genesis': None, 'algorithm': 'sum', 'model': {'name': 'linreg', 'genesis': 'ranges', 'bounds': [[-1, 1], [-1, 1]], 'columns': ['a', 'y'],
                                                          'privacy': {'epsilon': 1, 'delta': 1e-5}}}, False
    yield {'neighbours': [{'id': 1, 'name': 'one'}, {'id': 0, 'address': 'tcp://127.0.0.1:7000'}], 'id': 2}, False  # 1 < 2: no address
    for field, values in {'id': [-1, 2147483647, 1.5, '1', None], 'listen': ['127.0.0.1:7100', 'tcp://127.0.0.1', 7100, None],
                          'rows_max': [0, 1000000001, 'many'], 'tick_ms': [0, 3600001], 'rest_ms': [0], 'wire': ['float32', 1],
                          'checkpoint_ticks': [0], 'neighbours_max': [0, 100001], 'neighbours': [None, {}, [1], [{'name': 'x'}]],
                          'window': [{}, {'rows': 0}, {'rows': 1, 'seconds': 1}, {'days': 1}, 5, {'seconds': 0}], 'insecure': ['yes', 1],
                          'genesis': [None, 7], 'model': [{'name': 'gmm'}], 'other': [1], 'state': [1],
                          'tol': [0, 2, '1e-6', -1], 'edge': [4, {'rho': 1}, {'kappa': 0}, {'eta': 1.5}, {'eta': 'auto'}],
                          'min_nodes': [-1, 1000001, 'all'], 'tick_least_ms': [-1, 3600001], 'bytes_per_second': [-1, '1MB'],
                          'log_format': ['xml', 1], 'log_level': ['debug', 2, ''], 'algorithm': ['flow', 'admm', 'x', '', 1], 'weight_column': ['', 1], 'group_column': ['', 1], 'record_limit': [999, '1MB'], 'name': [5], 'data': [5], 'follow': [1]}.items():
        for value in values:
            yield {field: value}, False


def agree(claims, prog, validator):
    node = os.path.join(os.path.dirname(os.path.abspath(prog.path)), 'meshbayes-node')
    prog.write_csv('rows.csv', ['a', 'b', 'w'], [[i % 3, i % 5, 1 + i % 2] for i in range(30)])
    prog.run('genesis', '--data', 'rows.csv', '--columns', 'a,b', '--n-components', '2', '--out', 'genesis.json')
    right = {'id': 1, 'listen': 'tcp://127.0.0.1:7100', 'insecure': True, 'data': 'rows.csv', 'genesis': 'genesis.json',
             'neighbours': [{'id': 2}]}
    differ = []
    for change, good in cases():
        config = {k: v for k, v in {**right, **change}.items() if v is not None}
        with open(prog.file('node.json'), 'w') as f:
            json.dump(config, f)
        said = subprocess.run([node, 'check', '--config', prog.file('node.json')], capture_output=True, text=True)
        # That the larger id connects is more than a schema can say.
        by_schema = validator.is_valid(config) if change.get('id') != 2 else good
        if (said.returncode == 0) != good or by_schema != good:
            differ.append((change, good, by_schema, said.stderr.strip()))
    claims.check(not differ, f'program and schema accept and refuse the same {differ[:3]}')
    for column, good in (('w', True), ('a', False), ('none', False)):
        with open(prog.file('node.json'), 'w') as f:
            json.dump({**right, 'weight_column': column}, f)
        said = subprocess.run([node, 'check', '--config', prog.file('node.json')], capture_output=True, text=True)
        claims.check((said.returncode == 0) == good, f'weights of column {column}: {"accepted" if good else "refused"} {said.stderr.strip()}')
    with open(prog.file('node.json'), 'w') as f:
        json.dump({**right, 'genesis': None, 'algorithm': 'sum', 'model': {
            'name': 'linreg', 'genesis': 'ranges', 'bounds': [[0, 1], [0, 9]], 'columns': ['a', 'b']}}, f)
    said = subprocess.run([node, 'check', '--config', prog.file('node.json')], capture_output=True, text=True)
    claims.check(f'column "a": got 2; expected 0 to 1, as {prog.file("node.json")} says' in said.stderr,
                 f'rows outside the bounds of the configuration: {said.stderr.strip()}')
    rates = {'name': 'glm', 'glm.link': 'poisson', 'seed': 1}
    for columns, exposure, says in ((['a', 'w', 'b'], 'w', ''), (['w', 'a', 'b'], 'w', 'expected the column before the target, "a"'),
                                    (['w', 'a', 'b'], 'a', 'column "a": got 0; expected an exposure: a number above 0')):
        with open(prog.file('node.json'), 'w') as f:
            json.dump({**right, 'genesis': None, 'model': {**rates, 'columns': columns, 'exposure_column': exposure}}, f)
        said = subprocess.run([node, 'check', '--config', prog.file('node.json')], capture_output=True, text=True)
        claims.check((said.returncode == 0) == (not says) and says in said.stderr,
                     f'an exposure of column {exposure} among {columns}: {"refused" if says else "accepted"} {said.stderr.strip()}')


def check(claims, prog):
    schema = json.loads(read('docs', 'node.schema.json'))
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    same_fields(claims, schema)
    shown = [json.loads(text) for text in re.findall(r'```json\n(.*?)```', read('docs', 'howto', 'deploy.md'), re.S)]
    wrong = [e.message for one in shown for e in validator.iter_errors(one)]
    claims.check(shown and not wrong, f'the example of docs/howto/deploy.md is valid {wrong[:1]}')
    table = set(re.findall(r'^\| `(\w+)` \|', read('docs', 'howto', 'deploy.md'), re.M))
    claims.check(table == set(schema['properties']), f'its table has every field {table ^ set(schema["properties"])}')
    if os.access(os.path.join(os.path.dirname(os.path.abspath(prog.path)), 'meshbayes-node'), os.X_OK):
        agree(claims, prog, validator)


if __name__ == '__main__':
    harness.main(check)

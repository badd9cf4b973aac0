"""What a node says of its neighbours, and changes of its configuration."""
import json

from claims import claim
from mesh import soon


def edit(mesh, i, change):
    path = mesh.where(i, 'node.json')
    with open(path) as f:
        config = json.load(f)
    change(config)
    with open(path, 'w') as f:
        json.dump(config, f)


def neighbour(config, i):
    return next(n for n in config['neighbours'] if n['id'] == i)


def links(mesh, i):
    return {n['node']: (n.get('state'), n.get('reason')) for n in mesh.status(i)['neighbours']}


def log(mesh, i):
    with open(mesh.where(i, 'log')) as f:
        return f.read()


def becomes(mesh, i, who, state, words='', seconds=15):
    seen = soon(f'neighbour {who}', lambda: ((now := links(mesh, i)[who])[0] == state and
                                            words in (now[1] or ''), now), seconds)
    claim(f'neighbour {who} is {state}: {seen[1]}', True)

"""prometheus.py BUILD: a real Prometheus scrapes two nodes, one with a token, and its alerts are those of
packaging/meshbayes.rules.yml. Run by script/prometheus. Ports 7500 to 7509."""
import json
import os
import subprocess
import urllib.error
import urllib.request
from contextlib import closing

from claims import claim, main
from mesh import Mesh, soon
from reasons import edit

BASE, STATUS, PROMETHEUS = 7500, 7505, 7509
RULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'packaging', 'meshbayes.rules.yml')
CONFIG = '''
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{rules}"]
scrape_configs:
  - job_name: meshbayes
    authorization: {{credentials_file: "{token}"}}
    static_configs: [{{targets: ["127.0.0.1:{zero}", "127.0.0.1:{one}"]}}]
'''


def ask(route):
    try:
        with urllib.request.urlopen(f'http://127.0.0.1:{PROMETHEUS}/api/v1/{route}', timeout=5) as answer:
            return json.load(answer)['data']
    except (OSError, urllib.error.URLError):
        return {}


def healths():
    return [t['health'] for t in ask('targets').get('activeTargets', [])]


def pending():
    """Names of the alerts that are pending or firing, and of whom."""
    return {(a['labels']['alertname'], a['labels']['instance'][-4:]) for a in ask('alerts').get('alerts', [])}


def prometheus(mesh, folder):
    config = os.path.join(folder, 'prometheus.yml')
    with open(config, 'w') as f:
        f.write(CONFIG.format(rules=os.path.abspath(RULES), token=mesh.where(0, 'token'), zero=STATUS, one=STATUS + 1))
    subprocess.run(['promtool', 'check', 'config', config], check=True, stdout=subprocess.DEVNULL)
    return subprocess.Popen(['prometheus', '--config.file', config, f'--web.listen-address=127.0.0.1:{PROMETHEUS}',
                             '--storage.tsdb.path', os.path.join(folder, 'tsdb')], stderr=subprocess.DEVNULL)


def check(build, folder):
    with closing(Mesh(build, os.path.join(folder, 'net'), 2, BASE)) as mesh:
        with open(mesh.where(0, 'token'), 'w', opener=lambda path, flags: os.open(path, flags, 0o600)) as f:
            f.write('b0f1c2d3e4f5a6b7c8d9\n')
        edit(mesh, 0, lambda c: c.update(status=f'0.0.0.0:{STATUS}', status_token_file='token'))
        edit(mesh, 1, lambda c: c.update(status=f'127.0.0.1:{STATUS + 1}'))
        mesh.start()
        served = prometheus(mesh, folder)
        try:
            soon('both are scraped', lambda: ((now := healths()) == ['up', 'up'], now), 60)
            claim('both nodes are scraped, one with a token', True)
            groups = soon('the rules are evaluated', lambda: ((now := ask('rules').get('groups')) and all(
                r['health'] == 'ok' for r in now[0]['rules']), now), 30)
            claim(f'all {len(groups[0]["rules"])} rules can be evaluated', len(groups[0]['rules']) > 5)
            soon('no alert once they have settled', lambda: (not (now := pending()), now), 60)
            mesh.kill(1)
            wanted = {('MeshbayesNodeDown', '7506'), ('MeshbayesNeighbourSilent', '7505'), ('MeshbayesNodeAlone', '7505')}
            seen = soon('alerts on a node that was killed', lambda: (wanted <= (now := pending()), now), 60)
            claim(f'alerts on a node that was killed: {sorted(n for n, _ in seen)}', True)
            mesh.start(1)
            soon('they end when it is back', lambda: (not (now := pending()), now), 60)
            claim('they end when it is back', True)
        finally:
            served.terminate()
            served.wait(20)


main(check)

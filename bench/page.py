#!/usr/bin/python3
"""page.py RESULT.json DOCS: writes DOCS/performance.md from bench/performance.md.in and the result of
script/bench, and its figures into DOCS/figures."""
import json
import os
import re
import sys

import page_figures
import page_ranks

HERE = os.path.dirname(os.path.abspath(__file__))
QUIET = 0.5  # load before the run above which the page warns
# D, K: ratio to scikit-learn as shipped that was asked, one thread.
ASKED_RATIO = {(2, 3): 35, (8, 10): 18, (16, 16): 11, (32, 32): 6.5, (64, 20): 4.2, (128, 10): 2.8}
ASKED_MEAN, ASKED_MEAN_32, ASKED_DGEMM, ASKED_THREADS = 9, 14, 0.8, 1.8
ASKED_ROUND, ASKED_LARGE, ASKED_MEMORY = 3, 2.5, 6e9


def number(x):
    return '-' if x is None else f'{x:.3g}' if abs(x) < 1000 else f'{x:,.0f}'.replace(',', ' ')


def mid(s, unit=1):
    """Median and quartiles."""
    return (f'{number(unit * s["median"])} '
            f'({number(unit * s["low"])} to {number(unit * s["high"])})')


def size(x):
    for unit in ('B', 'kB', 'MB', 'GB'):
        if x < 999.5 or unit == 'GB':
            return f'{number(x)} {unit}'
        x /= 1000
    return None


def table(head, rows):
    lines = ['| ' + ' | '.join(head) + ' |', '|' + '---|' * len(head)]
    return '\n'.join(lines + ['| ' + ' | '.join(map(str, r)) + ' |' for r in rows])


def peers_table(shapes, threads):
    rows = []
    for s in shapes:
        t = s[f'threads_{threads}']
        rows.append([number(s['n']), s['D'], s['K'], mid(t['ms']), mid(t['ms_shipped']),
                     mid(t['ratio_shipped']), mid(t['ratio_right']), f'{s["apart"]:.0e}'])
    return table(['n', 'D', 'K', 'ms a step', 'ms scikit-learn as shipped', 'ratio as shipped',
                  'ratio, right core type', 'difference'], rows)


def single_table(shapes):
    rows = []
    for s in shapes:
        t = s['threads_1']
        rows.append([number(s['n']), s['D'], s['K'], mid(t['ms_32']), mid(t['ratio_shipped_32']),
                     number(t['ms_32']['median'] / t['ms']['median']), f'{s["apart_32"]:.0e}'])
    return table(['n', 'D', 'K', 'ms a step', 'ratio as shipped', 'against double', 'difference'],
                 rows)


def share_table(shapes):
    rows = []
    for s in shapes:
        one, two = s['threads_1'], s['threads_2']
        rows.append([s['D'], s['K'], mid(one['gflop_s']), number(one['dgemm_gflop_s']['median']),
                     mid(one['dgemm_share'], 100), number(two['gflop_s']['median']),
                     number(two['dgemm_gflop_s']['median']), number(one['gb_s']['median']),
                     number(one['triad_gb_s']['median']), number(two['triad_gb_s']['median'])])
    return table(['D', 'K', 'GFLOP/s', 'dgemm', '% of dgemm', 'two threads', 'dgemm, two',
                  'GB/s read', 'triad', 'triad, two'], rows)


def pairs_table(shapes):
    rows = []
    for s in shapes:
        p = s['two_against_one']
        rows.append([s['D'], s['K'], mid(p['ours']), mid(p['dgemm']), mid(p['lost'], 100),
                     f'{p["ours"]["count"]} of {p["taken"]}', mid(p['ours_all'])])
    return table(['D', 'K', 'two threads against one', 'dgemm, two against one',
                  '% of the processors lost', 'pairs counted', 'all pairs'], rows)


def verdict(good):
    return 'yes' if good else '**no**'


def goal(what, asked, measured, good):
    return [what, asked, measured, verdict(good)]


def ratio_goals(peers):
    rows = []
    for s in peers['shapes']:
        asked, got = ASKED_RATIO.get((s['D'], s['K'])), s['threads_1']['ratio_shipped']['median']
        if asked:
            rows.append(goal(f'ratio to scikit-learn as shipped, one thread, n = {number(s["n"])}, '
                             f'D = {s["D"]}, K = {s["K"]}', f'{asked} x', f'{number(got)} x',
                             got >= asked))
    got = peers['geometric_mean']['ratio_shipped']
    rows.append(goal('the same, geometric mean, float64', f'{ASKED_MEAN} x', f'{number(got)} x',
                     got >= ASKED_MEAN))
    got = peers['geometric_mean']['ratio_shipped_32']
    rows.append(goal('the same, rows in single precision', f'{ASKED_MEAN_32} x', f'{number(got)} x',
                     got >= ASKED_MEAN_32))
    return rows


def share_goals(peers):
    rows = []
    for s in peers['shapes']:
        share, pair = s['threads_1']['dgemm_share']['median'], s['two_against_one']['ours']['median']
        where = f'D = {s["D"]}, K = {s["K"]}'
        if s['D'] in (32, 64):
            rows.append(goal(f'share of dgemm, {where}', f'{100 * ASKED_DGEMM:.0f} %',
                             f'{100 * share:.0f} %', share >= ASKED_DGEMM))
        asked = ASKED_THREADS
        if s['D'] < 8:  # no more than the memory of this run allows
            asked = min(asked, s['threads_2']['triad_gb_s']['median'] /
                        s['threads_1']['triad_gb_s']['median'])
        rows.append(goal(f'two threads against one, {where}', f'{number(asked)} x',
                         f'{number(pair)} x', pair >= asked))
    return rows


def goals(results):
    rows = ratio_goals(results['peers']) + share_goals(results['peers'])
    edge = results['round']['time']['edge']
    rows.append(goal('node and round, 50 nodes, EDGE, one thread', f'{ASKED_ROUND} us',
                     f'{number(edge)} us', edge <= ASKED_ROUND))
    runs = [(f'library, {r["threads"]} threads', r) for r in results['nodes']['runs']
            if r['threads'] > 1]
    for how, run in runs + [('meshbayes sim', results['nodes']['program'] or {'nodes': 0})]:
        if run['nodes'] == 1000000 and 'why' in run:
            rows.append(goal(f'node and round, 1 000 000 nodes, EDGE, {how}', f'{ASKED_LARGE} us',
                             run['why'], False))
        elif run['nodes'] == 1000000:
            us, peak = run['us_node_round_wall'], run['peak_bytes']
            rows.append(goal(f'node and round, 1 000 000 nodes, EDGE, {how}, wall clock',
                             f'{ASKED_LARGE} us', f'{number(us)} us', us <= ASKED_LARGE))
            rows.append(goal('its memory', size(ASKED_MEMORY), size(peak), peak <= ASKED_MEMORY))
    rows += page_ranks.goal_rows(results['ranks'], goal, number)
    return table(['what', 'at least / at most', 'measured', 'reached'], rows)


def slopes_table(series):
    rows = []
    for what, s in series.items():
        rows.append([what, ', '.join(number(x) for x in s['size']),
                     ', '.join(number(x) for x in s['cost']), s['unit'], s['slope'],
                     number(s['slope_upper_half'])])
    return table(['size', 'values', 'cost', 'unit', 'slope', 'upper half'], rows)


def nodes_table(nodes):
    rows = [[number(r['nodes']), r['threads'], number(r['us_node_round_wall']),
             number(r['us_node_round_cpu']), size(r['peak_bytes'])] for r in nodes['runs']]
    rows += [[number(r['nodes']), '-', r['why'], '-', '-'] for r in nodes['left_out']]
    sim = nodes['program']
    if sim and 'why' in sim:
        rows.append([number(sim['nodes']), '`meshbayes sim`', sim['why'], '-', '-'])
    elif sim:
        rows.append([number(sim['nodes']), '`meshbayes sim`', number(sim['us_node_round_wall']), '-',
                     size(sim['peak_bytes'])])
    return table(['nodes', 'threads', 'us a node and round, wall', 'us, processors', 'memory'], rows)


def target_row(net, name, a):
    row = [net['nodes'], net['rounds'], name, f'{a["reached"]} of {a["draws"]}']
    if 'seconds' in a:
        row += [number(a['t']), f'{number(a["seconds"])} s', size(a['bytes']),
                size(a['start_bytes'])]
    else:
        row += [number(a['t']), '-', '-', '-']
    off = a.get('worst_at_end')
    return row + ['-' if off is None else f'{100 * off:.2g} %']


def target_table(networks):
    rows = []
    for net in networks:
        rows.append(target_row(net, 'cvb', net['cvb']))
        rows += [target_row(net, name, a) for name, a in net['algorithms'].items()]
    return table(['nodes', 'rounds allowed', 'algorithm', 'draws that reached it', 'rounds', 'time',
                  'bytes of the rounds', 'bytes of initialisation', 'error of the others'], rows)


def plan_table(cases):
    rows = []
    for c in cases:
        for name, a in c['algorithms'].items():
            r = a['predicted_over_measured']
            rows.append([c['nodes'], c['rows'], c['D'], c['K'], c['rounds'], name,
                         f'{r["bytes"]:.4f}', f'{r["start_bytes"]:.4f}', number(r['seconds']),
                         number(r['seconds_most']), number(r['seconds_given_rows']), number(a['seconds']), number(r['memory'])])
    return table(['nodes', 'rows a node', 'D', 'K', 'rounds', 'algorithm', 'bytes', 'bytes of '
                  'initialisation', 'seconds', 'with 300 steps', 'given the rows', 'measured s', 'memory'],
                 rows)


def up_table(up):
    if not up['cases']:
        return f'Not measured: {up.get("skipped", "no cases")}.'
    return table(['processes', 'rows a node', 'runs', 's to settled', 's of the command', 'frames a second',
                  'processor s a node', 'rounds in lock step', 's in lock step'],
                 [[c['nodes'], c['rows'], c['turns'], number(c['settled_seconds']), number(c['command_seconds']),
                   number(c['frames_a_second']), number(c['processor_seconds_a_node']), c['lock_step_rounds'],
                   number(c['lock_step_seconds'])] for c in up['cases']])


def estep_table(shapes):
    return table(['K', 'D', 'rows', 'distance', 'us a step', 'us with the bound', 'ns a row'],
                 [[s['K'], s['D'], s['rows'], number(s['distance']), number(s['us_per_step']),
                   number(s['us_per_step_with_bound']), number(s['ns_per_row'])] for s in shapes])


def start_up_table(start_up):
    return table(['program', 'ms, wall clock', 'ms, processor'],
                 [[f'`{r["what"]}`', mid(r['ms_wall']), mid(r['ms_cpu'])] for r in start_up['runs']])


def noise(run, full):
    load = run['machine']['load_before']
    quick = ('' if full else 'These are the **quick sizes** of continuous integration, with up to 20 '
             'times fewer rows than was asked and one turn: they show that the benchmarks run, and '
             'little more.\n\n')
    if load is None or load > QUIET:
        return quick + (f'**Other work was on the machine** (load {load} on '
                        f'{run["machine"]["cores"]} cores before the run): wall-clock figures, '
                        'those of two threads above all, say little; ratios taken in turn and '
                        'processor time suffer less.')
    return quick + 'The machine had nothing else to do.'


def remarks(run):
    """What whoever ran it says of the run, in its `remarks`."""
    return ' '.join(run.get('remarks', []))


def threads_table(threads):
    rows = []
    for r in threads['runs']:
        what = f'step, n = {number(r["n"])}, D = {r["D"]}, K = {r["K"]}' if 'n' in r else (
            'round, ' + r['network'].split()[0])
        rows.append([what, r['loops'], mid(r['ms']), mid(r['two']), mid(r['as_pay'])]
                    + ([mid(r['other']), mid(r['two_over_other'])] if 'other' in r else []))
    head = ['what', 'loops beside it', 'ms, one thread', 'two threads / one', 'as many as pay / one']
    return table(head + ['other build, two / one', 'two / other build\'s two'] * ('other' in threads['runs'][0]),
                 rows)


def machine(m):
    kib = re.match(r'\d+', m['memory'])
    memory = f'{int(kib.group()) / 2 ** 20:.0f} GiB' if kib else m['memory']
    return f'{m["cpu"]}, {m["cores"]} cores, {memory}, {m["system"]}'


def fill_peers(peers):
    shapes = peers['shapes']
    rates = ', '.join(f'{k} {number(v)}' for k, v in peers['core_types_gflop_s'].items())
    return {'turns': shapes[0]['threads_1']['ms']['count'], 'steps': peers['steps'],
            'tolerance': f'{peers["tolerance"]:g}', 'core_type': peers['core_type'],
            'core_types': rates + ' GFLOP/s', 'peers1': peers_table(shapes, 1),
            'peers2': peers_table(shapes, 2), 'machine_share': share_table(shapes), 'pairs': pairs_table(shapes),
            'pair_seconds': peers['pair_seconds'], 'calm': f'{100 * peers["calm"]:g}',
            'again': peers['again'] + 1,
            'mean_shipped': number(peers['geometric_mean']['ratio_shipped']),
            'mean_right': number(peers['geometric_mean']['ratio_right']),
            'peers32': single_table(shapes), 'tolerance_32': f'{peers["tolerance_32"]:g}',
            'mean_32': number(peers['geometric_mean']['ratio_shipped_32']),
            'triad_mb': peers['triad_array_mb']}


def fields(run, results):
    cost, rounds = results['cost'], results['round']
    full = results['peers']['size'] == 'full'
    out = {'machine': machine(run['machine']), 'noise': noise(run, full), 'remarks': remarks(run), 'goals': goals(results),
           'size': results['peers']['size'], 'load_before': run['machine']['load_before'],
           'slopes': slopes_table(cost['series']), 'nodes': nodes_table(results['nodes']),
           'target': target_table(results['target']['networks']), 'names': ', '.join(results),
           'plan': plan_table(results['plan']['cases']), 'up': up_table(results['up']),
           'estep': estep_table(results['estep']['shapes']),
           'start_up': start_up_table(results['start_up']),
           'threads': threads_table(results['threads']), 'threads_turns': results['threads']['turns'],
           'ranks': page_ranks.ranks_table(results['ranks'], table, mid, number, size),
           'model': page_ranks.model_table(results['ranks'], table, number, size),
           'triad_two': number(results['ranks'].get('triad_two')),
           'round': table(list(rounds['time']), [[number(v) for v in rounds['time'].values()]]),
           'round_nodes': rounds['nodes'], 'round_rows': rounds['rows'],
           'round_rounds': rounds['rounds']}
    out.update({k: run[k] for k in ('version', 'commit', 'compiler', 'flags', 'date', 'load_after')})
    out.update({f'base_{k}': v for k, v in cost['base'].items()})
    out.update(fill_peers(results['peers']))
    return out


def write(path, text):
    with open(path + '.new', 'w', encoding='utf-8') as f:
        f.write(text)
    os.replace(path + '.new', path)


def with_matrix(text, path):
    """The page with the sections that other scripts wrote between their markers."""
    between = re.compile('<!-- (script/[^>]*) -->.*<!-- end of \\1 -->', re.S)
    if not os.path.exists(path):
        return text
    with open(path, encoding='utf-8') as f:
        kept = {m[1]: m[0] for m in between.finditer(f.read())}
    return between.sub(lambda m: kept.get(m[1], m[0]), text)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding='utf-8') as f:
        run = json.load(f)
    results = {r['bench']: r for r in run['results']}
    missing = [n for n in ('estep', 'round', 'peers', 'cost', 'nodes', 'target', 'plan', 'ranks', 'threads', 'up',
                            'start_up')
               if n not in results or 'error' in results[n]]
    if missing:
        sys.exit(f'page.py: {sys.argv[1]} has no results of {", ".join(missing)}; the page needs all')
    with open(os.path.join(HERE, 'performance.md.in'), encoding='utf-8') as f:
        text = f.read()
    values = fields(run, results)
    text = re.sub(r'@([a-zA-Z_0-9]+)@', lambda m: str(values[m.group(1)]), text)
    folder = os.path.join(sys.argv[2], 'figures')
    os.makedirs(folder, exist_ok=True)
    page_figures.draw(results, folder)
    write(os.path.join(folder, 'performance.json'), json.dumps(run, indent=1) + '\n')
    page = os.path.join(sys.argv[2], 'performance.md')
    write(page, with_matrix(text, page))


if __name__ == '__main__':
    main()

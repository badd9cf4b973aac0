"""page_section.py - what the pages of single benchmarks share: a section of docs/performance.md between the
markers of its benchmark, and short numbers."""
import json
import os
import sys


def number(x):
    return f'{x:.3g}' if x < 100 else f'{x:.0f}'


def write_section(argv, usage, name, kept, make):
    """The section between the markers of the benchmark `name`, and its result beside the page."""
    if len(argv) != 3:
        sys.exit(usage)
    with open(argv[1], encoding='utf-8') as f:
        run = json.load(f)
    run['results'] = [result for result in run['results'] if result['bench'] == name]
    if len(run['results']) != 1:
        sys.exit(f'{argv[1]}: results of "{name}": {len(run["results"])}, accepted: 1')
    text = make(run, run['results'][0]).replace('\n<!-- -->', '\n')
    begin, end = f'<!-- script/bench {name} -->', f'<!-- end of script/bench {name} -->'
    with open(os.path.join(argv[2], 'figures', kept), 'w', encoding='utf-8') as f:
        f.write(json.dumps(run, indent=1) + '\n')
    path = os.path.join(argv[2], 'performance.md')
    with open(path, encoding='utf-8') as f:
        before, rest = f.read().split(begin)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(before + begin + text + end + rest.split(end)[1])

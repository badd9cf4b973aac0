#!/usr/bin/env python3
"""map.py BUILD [OUT.svg]: draws the folders of the library and the programs and who needs whom, by the
linker's symbols (circles.py): a folder is above those that it needs; a need that follows from others is
not drawn. Without OUT.svg it compares with docs/map.svg and fails when that is another picture."""
import os
import sys

import circles

TOP = os.path.normpath(os.path.join(os.path.dirname(__file__), '..'))
WIDTH, HEIGHT, GAP, FLOOR = 104, 34, 14, 78  # of a box; between boxes; from one floor to the next
ABOUT = {'src/base': 'memory, text', 'src/num': 'special functions', 'src/expfam': 'families', 'src/kernel': 'loops over rows',
         'src/data': 'files of rows, JSON', 'src/formula': 'formulas, coding', 'src/transport': 'messages', 'src/network': 'graphs', 'src/algo': 'algorithms',
         'src/start': 'units, centres', 'src/model': 'models', 'src/core': 'rounds, metrics', 'src/checkpoint': 'saved runs', 'src/bind': 'other languages',
         'src/posterior': 'posteriors', 'src/fit': 'rows to posterior', 'src/mesh': 'a node', 'src/virtual': 'virtual machines',
         'app/base': 'streams, options', 'app/data': 'data, graph', 'app/posterior': 'predict, score', 'app/report': 'report.html',
         'app/run': 'sim, fit, plan', 'app/up': 'up, top, replay', 'app': 'main, help', 'experiments': 'the paper',
         'daemon': 'meshbayes-node'}


def below(needs, folder, seen):
    """All that a folder needs, through others."""
    for other in needs.get(folder, ()):
        if other not in seen:
            seen.add(other)
            below(needs, other, seen)
    return seen


def reduced(needs):
    """Without needs that follow from others."""
    return {folder: {other for other in own if not any(other in below(needs, third, set()) for third in own if third != other)}
            for folder, own in needs.items()}


def floors(needs, folders):
    """Folder -> its floor: above all that it needs."""
    found = {}

    def floor(folder):
        if folder not in found:
            found[folder] = 1 + max((floor(other) for other in needs.get(folder, ())), default=-1)
        return found[folder]
    for folder in folders:
        floor(folder)
    return found


def placed(needs, folders):
    """Folder -> (x, y): each floor in the order of the middle of what its folders need."""
    floor, place = floors(needs, folders), {}
    most = max(list(floor.values()).count(n) for n in set(floor.values()))
    total = most * (WIDTH + GAP) - GAP
    for level in range(max(floor.values()) + 1):
        own = sorted(folder for folder in folders if floor[folder] == level)
        own.sort(key=lambda folder: sum(place[other][0] for other in needs.get(folder, ())) / max(1, len(needs.get(folder, ()))))
        left = (total - (len(own) * (WIDTH + GAP) - GAP)) / 2
        for k, folder in enumerate(own):
            place[folder] = (round(left + k * (WIDTH + GAP)), (max(floor.values()) - level) * FLOOR)
    return place, total, (max(floor.values()) + 1) * FLOOR - FLOOR + HEIGHT


def picture(build):
    edges = circles.graph(circles.objects(os.path.abspath(build)))
    needs = reduced({folder: set(own) for folder, own in circles.folders(edges).items()})
    folders = sorted({*needs, *(other for own in needs.values() for other in own)})
    missing = [folder for folder in folders if folder not in ABOUT]
    if missing:
        sys.exit('map: say in ABOUT what is in %s' % ', '.join(missing))
    place, width, height = placed(needs, folders)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 %d %d" font-family="sans-serif" text-anchor="middle">' % (width + 20, height + 20),
           '<title>Folders of meshbayes: each needs those below it that a line leads to</title>',
           '<rect x="-10" y="-10" width="100%" height="100%" fill="#fff"/>']
    for folder in folders:
        for other in sorted(needs.get(folder, ())):
            (x, y), (u, v) = place[folder], place[other]
            out.append('<path d="M%d %d C%d %d %d %d %d %d" fill="none" stroke="#9aa5b1"/>' % (
                x + WIDTH / 2, y + HEIGHT, x + WIDTH / 2, y + HEIGHT + 30, u + WIDTH / 2, v - 30, u + WIDTH / 2, v))
    for folder in folders:
        x, y = place[folder]
        colour = '#e8f1fb' if folder.startswith('src') else '#fdf1e0'
        out.append('<rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="%s" stroke="#52606d"/>' % (x, y, WIDTH, HEIGHT, colour))
        out.append('<text x="%d" y="%d" font-size="12" fill="#1f2933">%s</text>' % (x + WIDTH / 2, y + 14, folder))
        out.append('<text x="%d" y="%d" font-size="9" fill="#52606d">%s</text>' % (x + WIDTH / 2, y + 27, ABOUT[folder]))
    return '\n'.join(out + ['</svg>']) + '\n'


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    now, path = picture(sys.argv[1]), os.path.join(TOP, 'docs', 'map.svg')
    if len(sys.argv) == 3:
        with open(sys.argv[2], 'w', encoding='ascii') as file:
            file.write(now)
        return
    with open(path, encoding='ascii') as file:
        if file.read() != now:
            sys.exit('map: docs/map.svg is another picture: python3 tests/map.py BUILD docs/map.svg')
    print('map: docs/map.svg is that of the build')


if __name__ == '__main__':
    main()

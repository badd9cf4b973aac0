"""page_figures.py - the figures of docs/performance.md, drawn by gnuplot as SVG."""
import os
import subprocess

STYLE = '''set encoding utf8
set terminal svg size {width},{height} font "sans-serif,13" background "#ffffff"
set output "{path}"
set border 3
set tics nomirror
set grid ytics lc rgb "#dddddd"
set key outside top center horizontal
'''
BLUE, ORANGE, GREEN, GREY = '#0072b2', '#d55e00', '#009e73', '#777777'
COLOURS = [GREY, '#cc79a7', '#e69f00', ORANGE, GREEN, BLUE]


def gnuplot(path, script, width=760, height=360):
    style = STYLE.format(path=path, width=width, height=height)
    subprocess.run(['gnuplot'], input=style + script, text=True, check=True)


def block(name, rows):
    lines = [' '.join(f'"{c}"' if isinstance(c, str) else f'{c:.6g}' for c in r) for r in rows]
    return f'${name} << END\n' + '\n'.join(lines) + '\nEND\n'


def ratio(peers, path):
    rows = []
    for i, s in enumerate(peers['shapes']):
        one = s['threads_1']
        row = [i, f'{s["D"]}, {s["K"]}']
        for key in ('ratio_shipped', 'ratio_right'):
            row += [one[key]['median'], one[key]['low'], one[key]['high']]
        rows.append(row)
    gnuplot(path, block('d', rows) + f'''
set ylabel "times as fast as scikit-learn"
set xlabel "D, K"
set style fill solid
set boxwidth 0.35
set logscale y
set yrange [0.5:*]
set errorbars 0.5
plot $d using ($1-0.19):3:xtic(2) with boxes lc rgb "{BLUE}" title "as shipped", \\
  $d using ($1+0.19):6 with boxes lc rgb "{ORANGE}" title "right core type", \\
  $d using ($1-0.19):3:4:5 with yerrorbars pt 0 lc rgb "black" notitle, \\
  $d using ($1+0.19):6:7:8 with yerrorbars pt 0 lc rgb "black" notitle, \\
  1 with lines lc rgb "black" dt 2 notitle
''')


def share(peers, path):
    rows = [[i, f'{s["D"]}, {s["K"]}', 100 * s['threads_1']['dgemm_share']['median'],
             100 * s['threads_1']['dgemm_share']['low'], 100 * s['threads_1']['dgemm_share']['high'],
             100 * s['threads_2']['dgemm_share']['median']] for i, s in enumerate(peers['shapes'])]
    gnuplot(path, block('d', rows) + f'''
set ylabel "% of dgemm on as many threads"
set xlabel "D, K"
set style fill solid
set boxwidth 0.35
set yrange [0:*]
plot $d using ($1-0.19):3:xtic(2) with boxes lc rgb "{BLUE}" title "one thread", \\
  $d using ($1+0.19):6 with boxes lc rgb "{GREEN}" title "two threads", \\
  $d using ($1-0.19):3:4:5 with yerrorbars pt 0 lc rgb "black" notitle
''')


def slopes(series, path):
    """One small panel a size."""
    data, plots = '', ''
    for what, s in series.items():
        data += block('s' + what, list(zip(map(float, s['size']), s['cost'])))
        plots += (f'set title "{what}: slope {s["slope"]:g}"\nset ylabel "{s["unit"]}"\n'
                  f'plot $s{what} using 1:2 with linespoints pt 7 ps 0.6 lc rgb "{BLUE}" notitle\n')
    gnuplot(path, data + '''
set logscale xy
set format y "%.0e"
set grid xtics lc rgb "#dddddd"
set multiplot layout 2,3
''' + plots + 'unset multiplot\n', width=960, height=560)


def target(networks, path):
    names = [n for n in networks[0]['algorithms']
             if any(net['algorithms'][n]['t'] for net in networks)]
    colour = dict(zip(networks[0]['algorithms'], COLOURS * 2))
    data = ''
    for what in ('seconds', 'bytes'):
        rows = [[float(i), str(net['nodes'])] + [net['algorithms'][n].get(what) or 'nan'
                                                 for n in names] for i, net in enumerate(networks)]
        data += block(what, rows)
    if not names:
        names, data = ['none'], block('seconds', [[0, 'none', 1]]) + block('bytes', [[0, 'none', 1]])
        colour['none'] = GREY
    wide = 0.8 / len(names)
    plots = ''
    for what, label in (('seconds', 'seconds'), ('bytes', 'bytes of the rounds')):
        parts = [f'${what} using ($1+{(k - len(names) / 2 + 0.5) * wide:.4f}):{k + 3}:xtic(2) '
                 f'with boxes lc rgb "{colour[n]}" title "{n}"'
                 for k, n in enumerate(names)]
        plots += f'set ylabel "{label}"\nplot ' + ', \\\n  '.join(parts) + '\n'
    gnuplot(path, data + f'''
set style fill solid
set boxwidth {wide * 0.9:.4f}
set xlabel "nodes"
set xrange [-0.6:{len(networks) - 0.4}]
set logscale y
set format y "10^{{%L}}"
set datafile missing "nan"
set multiplot layout 1,2
''' + plots + 'unset multiplot\n', width=960, height=380)


def draw(results, folder):
    """Every figure, beside its place first so that none is half-written."""
    for name, figure, data in (('ratio', ratio, results['peers']),
                               ('share', share, results['peers']),
                               ('slopes', slopes, results['cost']['series']),
                               ('target', target, results['target']['networks'])):
        path = os.path.join(folder, name + '.svg')
        figure(data, path + '.new')
        os.replace(path + '.new', path)

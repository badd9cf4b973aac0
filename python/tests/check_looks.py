#!/usr/bin/python3
"""check_looks.py PROGRAM: cards of notebooks have columns and numbers of the posterior, escaped; pictures show
the ellipses, links and traces that they are given, and profiles those of components; without matplotlib it is named; Datasets
of xarray have dimensions with names."""
import sys
from html.parser import HTMLParser

import numpy as np

from beside import package, refused, says
from harness import main

RNG = np.random.default_rng(5)
X = np.concatenate([RNG.normal(size=(60, 3)) + c for c in (0, 6)])
NASTY = '<img src=x onerror="a">&amp'


class Page(HTMLParser):
    """Tags and texts of a page, whose tags are closed in their order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.rows = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)
        if tag == 'tr':
            self.rows.append([])
        if tag in ('th', 'td'):
            self.rows[-1].append('')

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            raise AssertionError(f'{tag} is closed where it is not open')

    def handle_data(self, data):
        if self.open and self.open[-1] in ('th', 'td'):
            self.rows[-1][-1] += data


def cards(claims, mb):
    r = mb.fit(X, n_components=2, columns=[NASTY, 'b', 'c'], network='ring:n=4')
    for text, of in (('result', r), ('posterior', r.posterior)):
        said = of._repr_html_()
        page = Page(said)
        claims.check(page.rows[0] == ['component', 'weight', NASTY, 'b', 'c'] and not page.open
                     and set(page.tags) <= {'div', 'p', 'b', 'table', 'thead', 'tbody', 'tr', 'th', 'td'},
                     f'{text}: a table with the names of the columns, escaped')
        claims.check(f'<b>{r.verdict} after {r.rounds} rounds' in said and f'{r.bound:.9g}' in said,
                     f'{text}: verdict, rounds and bound')
        p = r.posterior
        want = [[str(k), f'{p["weights"][k]:.3g}', *(f'{m:.3g} ± {s:.3g}' for m, s in
                 zip(p['means'][k], np.sqrt(np.diag(p['covariances'][k]))))] for k in range(2)]
        claims.check(page.rows[1:] == want, f'{text}: weights, means and deviations of components')
    claims.check('on 4 nodes' in r._repr_html_(), 'result: its network')
    kinds = X.copy()
    kinds[:, 1:] = np.column_stack([RNG.poisson(3, 120), RNG.integers(2, size=120)])
    for name, head, how in (
            ('lca', ['component', 'weight', 'x1', 'x2', 'x3=a', 'x3=<'],
             {'X': kinds, 'n_components': 2, 'kinds': ['number', 'count', 'category(a|<)']}),
            ('linreg', ['target', 'intercept', 'x1', 'x2', 'x3'], {'X': X, 'y': X[:, :2] + 1}),
            ('glm', ['target', 'intercept', 'x1', 'x2', 'x3'], {'X': X, 'y': np.where(X[:, 0] > 3, '<a', 'b')})):
        rows = Page(mb.fit(model=name, **how)._repr_html_()).rows
        claims.check(rows[0] == head and all(len(row) == len(head) for row in rows), f'{name}: {rows}')
    found = mb.simulate(X, 'ring:n=4', algorithms=['cvb', 'edge'], n_components=2)
    claims.check([row[0] for row in Page(found._repr_html_()).rows] == ['algorithm', 'cvb', 'edge'],
                 'a simulation: a row for each algorithm')
    wide = Page(mb.fit(np.tile(X, 10), n_components=2)._repr_html_()).rows
    claims.check([len(row) for row in wide] == [25] * 3 and [row[-1] for row in wide] == ['..'] * 3,
                 'of many columns the first are shown')


class Axes:
    """As much of matplotlib's axes as is asked for."""

    def __init__(self):
        self.lines, self.points, self.labels, self.names, self.bars = [], [], [], [], []

    def errorbar(self, x, y, yerr, **_):
        self.bars.append([np.array(x), np.array(y), np.array(yerr)])

    def set_xticks(self, at, names, **_):
        self.ticks = names

    def plot(self, x, y, *_, label=None, **__):
        self.lines.append(np.column_stack([x, y]))
        self.labels.append(label)

    def scatter(self, x, y, c, **_):
        self.points = [x, y, c]

    def annotate(self, name, at, **_):
        self.names.append(name)

    def set_xlabel(self, text):
        self.x = text

    def set_ylabel(self, text):
        self.y = text

    def set_axis_off(self):
        pass

    legend = set_axis_off


def profiles(claims, mb):
    rows = np.column_stack([X[:, 0], RNG.poisson(2 + 5 * (X[:, 0] > 3)), X[:, 0] > 3])
    p = mb.fit(rows, model='lca', n_components=2, columns=['size', 'seen', 'is'], kinds=['number', 'count', 'flag']).posterior
    ax = mb.plot_profiles(p, ax=Axes(), standard=False)
    mean = np.column_stack([p['means'], p['count_means'], p['shares'][:, 1:]])
    drawn = p.draws(1000)[:, :, [p.draw_columns.index(n) for n in ('mean.size', 'rate.seen', 'share.is=1')]]
    low, high = np.quantile(drawn, [.025, .975], axis=0)
    claims.check(ax.ticks == ['size', 'seen', 'is=1'] and np.allclose([y for _, y, _ in ax.bars], mean)
                 and np.allclose([e for _, _, e in ax.bars], np.stack([mean - low, high - mean], 1)),
                 'profiles: means, rates and shares of each class, with intervals of its draws')
    claims.check(abs(ax.bars[0][0] - ax.bars[1][0]).min() > .1, 'intervals of classes lie beside each other')
    ax = mb.plot_profiles(p, ax=Axes(), columns=['seen', 'size'])
    centre, sd = rows[:, 1::-1].mean(0), rows[:, 1::-1].std(0)
    claims.check(ax.ticks == ['seen', 'size'] and np.allclose([y for _, y, _ in ax.bars], (mean[:, 1::-1] - centre) / sd, atol=.1)
                 and 'deviations' in ax.y, 'chosen columns, in deviations of all rows from their mean')
    wide = mb.plot_profiles(mb.fit(X, n_components=2), ax=Axes(), level=.99).bars[0][2]
    claims.check(np.all(wide > mb.plot_profiles(mb.fit(X, n_components=2), ax=Axes(), level=.5).bars[0][2]), 'a level that is asked for')
    flags = mb.fit(rows[:, 2:], model='lca', n_components=2, kinds=['flag'])
    both = mb.plot_profiles(flags, columns=['x1=0', 'x1=1'], ax=Axes())
    claims.check(both.y == 'share' and np.allclose(sum(both.bars[0][1]), 1), 'shares alone stay shares')
    says(claims, 'a column that is none', 'got "z"; expected one of size, seen', mb.plot_profiles, p, columns=['z'], ax=Axes())
    says(claims, 'a level that is none', 'level: got 1.0', mb.plot_profiles, p, level=1, ax=Axes())
    says(claims, 'a regression', 'expected a mixture', mb.plot_profiles, mb.fit(X[:, :2], X[:, 2], model='linreg'), ax=Axes())


def pictures(claims, mb):
    for how in ('full', 'tied', 'diag', 'spherical'):
        p = mb.fit(X, n_components=2, covariance_type=how, columns=['a', 'b', 'c']).posterior
        ax = mb.plot_components(p, columns=('c', 0), ax=Axes())
        whole = {'full': lambda k: p['covariances'][k], 'tied': lambda k: p['covariances'],
                 'diag': lambda k: np.diag(p['covariances'][k]), 'spherical': lambda k: np.eye(3) * p['covariances'][k]}[how]
        far = []
        for at, line in enumerate(ax.lines):
            k, sd = at // 2, 1 + at % 2
            away = line - p['means'][k][[2, 0]]
            far.append(np.allclose(np.einsum('ni,ij,nj->n', away, np.linalg.inv(whole(k)[np.ix_([2, 0], [2, 0])]), away), sd ** 2))
        claims.check(far == [True] * 4 and (ax.x, ax.y) == ('c', 'a'), f'{how}: ellipses of one and two deviations')
    ax = mb.plot_components(mb.fit(X, n_components=2), X, ax=Axes())
    claims.check(sum(len(line) for line in ax.lines if len(line) != 100) == 120, 'and all rows')
    ax = mb.plot_network([('a', 'b'), ('b', 'c')], [1, 2, 3], ax=Axes())
    claims.check(len(ax.lines) == 2 and len(ax.points[0]) == 3 and ax.names == ['a', 'b', 'c']
                 and ax.points[2].tolist() == [1, 2, 3], 'links, nodes, values and names of a network')
    found = mb.simulate(X, 'ring:n=4', algorithms=['cvb', 'edge'], n_components=2)
    ax = mb.plot_trace(found, ax=Axes())
    claims.check(ax.labels == ['cvb', 'edge'] and np.array_equal(ax.lines[1], found['edge'].trace), 'traces of algorithms')
    says(claims, 'no trace', 'expected a fit with trace=True', mb.plot_trace, mb.fit(X), ax=Axes())
    drawn = mb.fit(X, n_components=2, network='path:n=3', node=np.arange(120) % 3, rounds=3)
    claims.check(drawn.network.edges.tolist() == [[0, 1], [1, 2]]
                 and len(mb.plot_network(drawn, drawn.agreement.distance, ax=Axes()).lines) == 2,
                 'a network that was drawn has its links, and can be drawn')
    named = mb.Network.from_edges([('a', 'c'), ('c', 'b')])
    claims.check(mb.fit(X, n_components=2, network=named, rounds=3).network.names == ['a', 'b', 'c'],
                 'the network of a result has its names')
    says(claims, 'a network of a description', 'expected links', mb.plot_network, 'ring:n=4', ax=Axes())
    says(claims, 'values of other nodes', 'expected (3,)', mb.plot_network, [(0, 1), (1, 2)], [1], ax=Axes())
    says(claims, 'a column that is none', 'got "z"; expected one of x1, x2, x3', mb.plot_components, mb.fit(X),
         columns=('z', 0), ax=Axes())
    says(claims, 'a regression', 'expected a mixture', mb.plot_components,
         mb.fit(X[:, :2], X[:, 2], model='linreg'), ax=Axes())
    kept = {name: sys.modules.get(name) for name in ('matplotlib', 'matplotlib.pyplot')}
    sys.modules.update(dict.fromkeys(kept))
    for call, of in ((mb.plot_components, mb.fit(X)), (mb.plot_network, [(0, 1)]), (mb.plot_trace, found),
                     (mb.plot_profiles, mb.fit(X))):
        says(claims, f'{call.__name__} without matplotlib', f'{call.__name__}: matplotlib is missing', call, of,
             kind=ImportError)
    for name, module in kept.items():
        del sys.modules[name]
        if module is not None:
            sys.modules[name] = module


def drawn(claims, mb):
    """With matplotlib itself, where it is."""
    try:
        import matplotlib
    except ImportError:
        claims.note('no matplotlib: its own pictures are left out')
        return
    matplotlib.use('Agg')
    from matplotlib import pyplot
    r = mb.fit(X, n_components=2, trace=True)
    for call, of in ((mb.plot_components, (r, X)), (mb.plot_network, ([(0, 1), (1, 2)],)), (mb.plot_trace, (r,)),
                     (mb.plot_profiles, (r,))):
        pyplot.figure()
        claims.check(refused(call, *of) is None and pyplot.gca().has_data(), f'{call.__name__} draws')


def datasets(claims, mb):
    """Of xarray, where it is; a part of it elsewhere."""
    try:
        import xarray
    except ImportError:
        claims.note('no xarray: a part of it that the tests have is filled instead')
        kept = sys.modules.get('xarray')
        sys.modules['xarray'] = None
        says(claims, 'to_xarray without xarray', 'xarray is missing', mb.fit(X).posterior.to_xarray, kind=ImportError)
        sys.modules['xarray'] = xarray = type(sys)('xarray')
        xarray.Dataset = Dataset
    counts = np.random.default_rng(1).poisson(3, size=(120, 3)).astype(float)
    for text, p, dims in (
            ('gmm', mb.fit(X, n_components=3), {'means': 'component column', 'covariances': 'component column column_2', 'weights': 'component'}),
            ('tied', mb.fit(X, n_components=3, covariance_type='tied'), {'covariances': 'column column_2', 'degrees_of_freedom': ''}),
            ('diag', mb.fit(X, n_components=2, covariance_type='diag'), {'covariances': 'component column', 'mean_precision': 'component column'}),
            ('process', mb.fit(X, n_components=2, weight_concentration_prior_type='dirichlet_process'), {'weight_concentration': 'component stick'}),
            ('lca', mb.fit(X > 3, model='lca', n_components=2, kinds=['flag'] * 3), {'shares': 'component level'}),
            ('counts', mb.fit(counts, model='lca', n_components=2, kinds=['count'] * 3), {'count_means': 'component count'}),
            ('exposure', mb.fit(1 + counts, counts[:, 1], model='glm', glm_link='poisson', exposure_column='x1'),
             {'coef': 'column', 'coef_sd': 'column', 'precision': 'coefficient coefficient_2'}),
            ('offset', mb.fit(X, X[:, 1] > 3, model='glm', glm_link='logistic', formula='~ x3 + offset(x1)'), {'coef': 'column'}),
            ('targets', mb.fit(X[:, :1], X[:, 1:], model='linreg'), {'coef': 'target column', 'rate': 'target', 'shape': '', 'precision': 'coefficient coefficient_2'}),
            ('mixed', mb.fit(X[:, :2], X[:, 2], model='mixed', groups=np.arange(120) // 6), {'coef': 'column', 'group_sd': 'effect'})):
        p = p.posterior
        found = p.to_xarray()
        claims.check(all(' '.join(found[name].dims) == want and np.array_equal(found[name].values, p[name]) for name, want in dims.items()),
                     f'{text}: a Dataset has the parameters, whose dimensions have names')
        drawn = p.to_xarray(4, seed=2)
        lead = ('chain', 'draw') + ('component',) * ('component' in found.coords)
        claims.check(all(v.dims[:len(lead)] == lead and not any('_dim' in d for d in v.dims) for v in drawn.values()),
                     f'{text}: draws have the dimensions that ArviZ takes')
        claims.check({d for v in drawn.values() for d in v.dims} <= {'chain', 'draw', *found.coords},
                     f'{text}: dimensions of draws are called as those of the parameters')
        last = drawn[p.draw_columns[-1].split('.')[0]].values
        claims.check(last.shape[1] == 4 and last.ravel()[-1] == p.draws(4, seed=2)[-1, -1, -1], f'{text}: draws are those of the posterior')
    p = mb.fit(X, n_components=2, columns=['a', 'b', 'c']).posterior
    drawn, raw = p.to_xarray(5), p.draws(5)
    both = [p.draw_columns.index(f'covariance.{c}') for c in ('b.a', 'c.b')]
    c = drawn['covariance'].values[0]
    claims.check(np.array_equal(c, c.swapaxes(-1, -2)) and np.array_equal(c[:, :, [1, 2], [0, 1]], raw[:, :, both])
                 and list(np.asarray(drawn.coords['column_2'])) == ['a', 'b', 'c'], 'matrices that are drawn are whole, with names')
    says(claims, 'no draws', 'draws: got 0', p.to_xarray, 0)
    if xarray.Dataset is Dataset:
        del sys.modules['xarray']
        sys.modules.update({} if kept is None else {'xarray': kept})


class Dataset(dict):
    """As much of xarray's as is asked for: sizes must be those of the coordinates."""

    def __init__(self, variables, coords, attrs):
        super().__init__()
        self.coords, self.attrs = coords, attrs
        for name, (dims, values) in variables.items():
            self[name] = type('Variable', (), {'dims': tuple(dims), 'values': values})
            if len(dims) != np.ndim(values) or any(len(coords.get(d, range(n))) != n for d, n in zip(dims, np.shape(values))):
                raise ValueError(f'{name}: {dims} do not fit {np.shape(values)}')


def check(claims, prog):
    mb = package(prog)
    claims.check('matplotlib' not in sys.modules, 'matplotlib is loaded when it is needed')
    for part in (cards, pictures, profiles, drawn, datasets):
        part(claims, mb)


main(check)

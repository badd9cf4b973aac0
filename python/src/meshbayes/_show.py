"""Results and posteriors as notebooks show them: the verdict, and a table."""
from __future__ import annotations

from html import escape
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ._handle import Array

# Of components: what draws call it, and the parameter that has it.
BY_COMPONENT = (('mean.', 'means'), ('rate.', 'count_means'), ('share.', 'shares'))

# Rows and columns of a table that are shown.
_MOST = (100, 24)


def found(posterior: Any, name: str) -> Optional[Array]:
    """A parameter; None: this posterior has none of that name."""
    try:
        return np.asarray(posterior[name])
    except KeyError:
        return None


def covariances(posterior: Any) -> Optional[Array]:
    """Of each component, whatever their form: shape (K, d, d); scale matrices of Student's t."""
    for name in ('covariances', 'scale_matrices', 'variances'):
        c = found(posterior, name)
        if c is not None:
            break
    else:
        return None
    K, d = np.shape(posterior['means'])
    if c.ndim == 3:
        return c
    form = found(posterior, 'sklearn.covariance_type')
    if c.ndim == 2 and str(form) == 'tied':
        return np.broadcast_to(c, (K, d, d))
    return (c if c.ndim == 2 else c[:, None])[:, :, None] * np.eye(d)


Table = Tuple[List[str], List[Tuple[str, List[str]]]]


def _number(x: float, spread: Optional[float] = None) -> str:
    if not np.isfinite(x):
        return ''
    return f'{x:.3g}' + (f' ± {spread:.3g}' if spread is not None and np.isfinite(spread) else '')


def _components(posterior: Any, weights: Array) -> Table:
    """Weights and means of components, with standard deviations of their rows."""
    head, cells = ['component', 'weight'], [[_number(w)] for w in weights]
    c = covariances(posterior)
    for prefix, name in BY_COMPONENT:
        values = found(posterior, name)
        called = [n[len(prefix):] for n in posterior.draw_columns if n.startswith(prefix)]
        if values is None or values.shape != (len(weights), len(called)):
            continue
        head += called
        for k, row in enumerate(values):
            cells[k] += [_number(x, np.sqrt(c[k, j, j]) if name == 'means' and c is not None else None)
                         for j, x in enumerate(row)]
    return head, [(str(k), row) for k, row in enumerate(cells)]


def _coefficients(posterior: Any, coef: Array) -> Table:
    """Intercepts and coefficients of each target, or of each level but the first."""
    coef = np.atleast_2d(coef)
    intercept = found(posterior, 'intercept')
    called: Sequence[str] = posterior.targets
    if len(called) != len(coef):
        called = posterior._levels[1][-len(coef):]
    head, rows = ['target'], coef
    if intercept is not None:
        head, rows = head + ['intercept'], np.column_stack([intercept.ravel(), coef])
    return head + posterior.columns, [(str(n), [_number(x) for x in row]) for n, row in zip(called, rows)]


def _card(lead: str, verdict: str, table: Optional[Table]) -> str:
    text = [f'<div class="meshbayes"><p>{escape(lead)}</p>', f'<p><b>{escape(verdict)}</b></p>']
    if table:
        head, rows = table
        if len(head) > _MOST[1]:
            head = head[:_MOST[1]] + ['..']
            rows = [(name, row[:_MOST[1] - 1] + ['..']) for name, row in rows]
        if len(rows) > _MOST[0]:
            rows = rows[:_MOST[0]] + [('..', [''] * (len(head) - 1))]
        text.append('<table><thead><tr>' + ''.join(f'<th>{escape(h)}</th>' for h in head)
                    + '</tr></thead><tbody>')
        text += [f'<tr><th>{escape(name)}</th>' + ''.join(f'<td>{escape(c)}</td>' for c in row) + '</tr>'
                 for name, row in rows]
        text.append('</tbody></table>')
    return '\n'.join(text) + '</div>'


def html(posterior: Any, where: str = '', warnings: Sequence[str] = ()) -> str:
    """The card of a posterior, or of the result that it is of."""
    weights, coef = found(posterior, 'weights'), found(posterior, 'coef')
    table = _components(posterior, weights) if weights is not None else \
        _coefficients(posterior, coef) if coef is not None else None
    verdict = f'{posterior._ended}, lower bound {posterior.bound:.9g} nats'
    text = _card(f'{posterior.model}{where}, {posterior.rows} rows', verdict, table)
    return text + ''.join(f'<p>{escape(w)}</p>' for w in warnings)


def html_of_rows(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table as it is."""
    cells = [(str(row[0]), ['' if c is None else f'{c:.6g}' if isinstance(c, float) else str(c) for c in row[1:]])
             for row in rows]
    return _card('algorithms on the same rows and network', f'{len(rows)} algorithms', (list(columns), cells))

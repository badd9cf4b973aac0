/* largest.c - how large the statistics of all rows can be, for algorithms that send integers. */
#include "base/rows.h"
#include "fit/case.h"
#include "model/model.h"

#include <math.h>

/* most (d): the largest size of a value of each column. fmax leaves NaN, a gap, out. */
static void look(const mb_rows *rows, double *room, double *most)
{
    for (int64_t j = 0; j < rows->n; j++) {
        const double *at = mb_rows_fetch(rows, j, room);

        for (int32_t d = 0; d < rows->d; d++)
            most[d] = fmax(most[d], fabs(mb_rows_in(at, rows, j, d)));
    }
}

/* Of all nodes, run units: the next power of two, which shows no value of a row; of stated bounds
 * no row is read. */
static mb_status range_of(const mb_case *c, double *low, double *high, mb_err *err)
{
    mb_transport *tp = &c->place->tp;
    const int32_t D = c->rows[0].d;

    for (int32_t d = 0; c->bounds && d < D; d++)
        high[d] = c->agreed.constant[d] ? 0.5 /* its values are the origin, but for rounding */
                                        : fmax(fabs(c->bounds->low[d] - c->run.origin[d]),
                                               fabs(c->bounds->high[d] - c->run.origin[d])) /
                                              c->run.scale[d];
    for (int32_t i = 0; !c->bounds && i < c->place->part.n_local; i++)
        look(&c->rows[i], low, high); /* low is room for a row */
    if (!c->bounds)
        MB_TRY(tp->ops->reduce(tp, MB_MAX, high, D, err));
    for (int32_t d = 0; d < D; d++) {
        int power;

        (void)frexp(high[d], &power);
        high[d] = ldexp(1, power);
        low[d] = -high[d];
    }
    return MB_OK;
}

/* Of a row with gaps, whose values may be expected far out, and of what has no limit: times this.
 * Second words keep the bits. */
static const double margin = 0x1p20;

/* 0: e has no limit, nor has what the prior adds (mb_model_ops::prior_at). It becomes that of c = 1,
 * and where its columns are not known that of the narrowest one: an exponent that is too large for
 * what comes is lowered, and one that is too small loses digits. */
static int limit(const mb_model *m, const mb_range *r, mb_entry *e)
{
    if (!m->ops->prior_at && isfinite(e->least) && isfinite(e->most))
        return 1;
    e->least = -1;
    e->most = 1;
    for (int32_t d = 0; e->kind == MB_ENTRY_OTHER && d < r->d; d++)
        e->most = fmin(e->most, r->high[d] * r->high[d]);
    return 0;
}

mb_status mb_case_largest_(mb_arena *a, const mb_case *c, const double **out, mb_err *err)
{
    const size_t  L = c->model.layout.len;
    const int32_t D = c->rows[0].d;
    mb_entry     *entry;
    double       *low, *high, *most, *times;
    mb_range      range = {.d = D};

    MB_NEW(entry, a, L, err);
    MB_NEW(most, a, L, err);
    MB_NEW(times, a, L, err);
    MB_NEW(low, a, D, err);
    MB_NEW(high, a, D, err);
    MB_TRY(range_of(c, low, high, err));
    range.low = low;
    range.high = high;
    mb_model_entries(&c->model, entry);
    for (size_t e = 0; e < L; e++)
        times[e] = c->weight_total *
                   (limit(&c->model, &range, &entry[e]) && !c->table.rows.gaps ? 1 : margin);
    MB_TRY(mb_entry_bound(entry, L, &range, most, err));
    for (size_t e = 0; e < L; e++)
        most[e] *= times[e];
    *out = most;
    return MB_OK;
}

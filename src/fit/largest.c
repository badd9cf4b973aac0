/* largest.c - how large the values of all rows are, for algorithms that send integers. */
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

mb_status mb_case_largest_(mb_arena *a, const mb_case *c, const double **out, mb_err *err)
{
    const size_t  L = c->model.layout.len;
    const int32_t D = c->rows[0].d;
    mb_entry     *entry;
    double       *low, *high, *most;
    mb_range      range = {.d = D, .gaps = c->table.rows.gaps};

    MB_NEW(entry, a, L, err);
    MB_NEW(most, a, L, err);
    MB_NEW(low, a, D, err);
    MB_NEW(high, a, D, err);
    MB_TRY(range_of(c, low, high, err));
    range.low = low;
    range.high = high;
    MB_TRY(mb_model_largest_(&c->model, &range, c->weight_total, entry, most, err));
    *out = most;
    return MB_OK;
}

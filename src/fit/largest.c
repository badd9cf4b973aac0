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

/* Of all nodes, run units: the next power of two, which shows no value of a row. */
static mb_status range_of(const mb_case *c, double *low, double *high, mb_err *err)
{
    mb_transport *tp = &c->place->tp;
    const int32_t D = c->rows[0].d;

    for (int32_t i = 0; i < c->place->part.n_local; i++)
        look(&c->rows[i], low, high); /* low is room for a row */
    MB_TRY(tp->ops->reduce(tp, MB_MAX, high, D, err));
    for (int32_t d = 0; d < D; d++) {
        int power;

        (void)frexp(high[d], &power);
        high[d] = ldexp(1, power);
        low[d] = -high[d];
    }
    return MB_OK;
}

/* Of a row with gaps, whose values may be expected far out: times this. Second words keep the bits. */
static const double margin = 0x1p20;

mb_status mb_case_largest_(mb_arena *a, const mb_case *c, const double **out, mb_err *err)
{
    const size_t  L = c->model.layout.len;
    const int32_t D = c->rows[0].d;
    mb_entry     *entry;
    double       *low, *high, *most;

    *out = NULL;
    if (c->model.ops->prior_at) /* what is summed is not of the rows alone */
        return MB_OK;
    MB_NEW(entry, a, L, err);
    MB_NEW(most, a, L, err);
    MB_NEW(low, a, D, err);
    MB_NEW(high, a, D, err);
    MB_TRY(range_of(c, low, high, err));
    mb_model_entries(&c->model, entry);
    MB_TRY(mb_entry_bound(entry, L, &(mb_range){.d = D, .low = low, .high = high}, most, err));
    for (size_t e = 0; e < L; e++)
        most[e] *= c->weight_total * (c->table.rows.gaps ? margin : 1);
    *out = most;
    return MB_OK;
}

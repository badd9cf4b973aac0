/* gaps.c - the gaps of a case's rows: counted, refused where the kind cannot have them, and weight 0
 * for rows that have no value at all. */
#include "base/err.h"
#include "base/rows.h"
#include "fit/fit.h"

#include <math.h>
#include <string.h>

static mb_status no_gaps(const mb_table *t, const mb_kind *kind, int64_t j, mb_err *err)
{
    char    place[MB_PLACE];
    int32_t d = 0;

    while (!isnan(mb_rows_at(&t->rows, j, d)))
        d++;
    mb_table_place_(t, j, t->column[d], place);
    MB_FAIL_CELL(err, mb_table_number_(t, j), d, MB_E_NOSUP,
                 "%s has no value; model %s needs all %s%s", place, kind->name,
                 kind->gaps ? "inputs" : "of them",
                 kind->ahead ? "" : " (--missing drop leaves such rows out)");
}

/* The last row with a gap in one of D inputs; -1: there is none. */
static int64_t without_input(const mb_table *t, int32_t D)
{
    for (int64_t j = t->rows.n; j-- > 0;)
        for (int32_t d = 0; d < D; d++)
            if (isnan(mb_rows_at(&t->rows, j, d)))
                return j;
    return -1;
}

/* seen[d]: 1 when column d has a value; *last: a row with a gap. */
static mb_gaps count(const mb_table *t, uint8_t *seen, int64_t *last)
{
    mb_gaps all = {.cells = 0};

    for (int64_t j = 0; j < t->rows.n; j++) {
        const int32_t gaps = mb_rows_gaps(&t->rows, j);

        for (int32_t d = 0; d < t->rows.d; d++)
            if (!isnan(mb_rows_at(&t->rows, j, d)))
                seen[d] = 1;
        all.cells += gaps;
        all.rows += gaps > 0;
        all.empty += gaps == t->rows.d;
        *last = gaps ? j : *last;
    }
    return all;
}

/* A copy of the weights, 0 for rows without any value. */
static mb_status new_weights(mb_arena *a, mb_table *t, mb_err *err)
{
    double *w;

    MB_NEW(w, a, t->rows.n, err);
    for (int64_t j = 0; j < t->rows.n; j++)
        w[j] = mb_rows_gaps(&t->rows, j) == t->rows.d ? 0 : t->rows.w ? t->rows.w[j] : 1;
    t->rows.w = w;
    return MB_OK;
}

mb_status mb_case_gaps_(mb_arena *a, mb_case *c, mb_err *err)
{
    mb_table *t = &c->table;
    int64_t   last = 0;
    uint8_t  *seen;

    if (!t->rows.gaps || !t->rows.n)
        return MB_OK;
    MB_NEW(seen, a, t->rows.d, err);
    c->gaps = count(t, seen, &last);
    if (c->gaps.cells && !c->kind->gaps)
        return no_gaps(t, c->kind, last, err);
    if (c->kind->targets && (last = without_input(t, t->rows.d - c->kind->targets)) >= 0)
        return no_gaps(t, c->kind, last, err);
    for (int32_t d = 0; d < t->rows.d; d++)
        if (!seen[d])
            MB_FAIL(err, MB_E_FORMAT,
                    "%.200s: column \"%.60s\": no row has a value; expected some (--drop leaves a "
                    "column out)",
                    t->name ? t->name : "rows", t->column[d]);
    t->rows.gaps = c->gaps.cells > 0;
    return c->gaps.empty ? new_weights(a, t, err) : MB_OK;
}

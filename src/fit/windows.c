/* windows.c - rows as the deviations about them, for an initialisation that sees components which differ
 * in spread alone (docs/math.md, section 34). */
#include "base/columns.h"
#include "base/rows.h"
#include "fit/fit.h"
#include "model/kind.h"

#include <math.h>

int mb_windows_at_(const mb_case *c, const mb_start *start, int32_t attempt)
{
    return c->kind->windows > 0 && start->how == MB_INIT_KMEANS && attempt % 2 == 1;
}

/* Standard deviation of column d in rows from .. end - 1; NaN: it has no value there. */
static double deviation(const mb_rows *rows, int64_t from, int64_t end, int32_t d)
{
    double sum = 0, square = 0, first = (double)NAN, n = 0;

    for (int64_t j = from; j < end; j++) {
        const double x = mb_rows_at(rows, j, d);

        if (isnan(x))
            continue;
        first = n > 0 ? first : x; /* about which squares lose no digits */
        n++;
        sum += x - first;
        square += (x - first) * (x - first);
    }
    return n > 0 ? sqrt(fmax(0, square / n - sum / n * (sum / n))) : (double)NAN;
}

/* The rows of a node into x (n x d): numbers and counts in windows of `wide` rows of their group. */
static void of_node(const mb_rows *rows, const mb_columns *columns, int32_t wide, double *x)
{
    const int64_t whole[] = {0, rows->n}, *first = rows->first ? rows->first : whole;

    for (int32_t g = 0; g < (rows->first ? rows->ngroup : 1); g++)
        for (int64_t j = first[g]; j < first[g + 1]; j++)
            for (int32_t d = 0; d < rows->d; d++) {
                const int64_t from = j - wide / 2 > first[g] ? j - wide / 2 : first[g];
                const int64_t end = j + wide / 2 < first[g + 1] ? j + wide / 2 + 1 : first[g + 1];

                x[j * rows->d + d] = mb_columns_kind(columns, d) >= MB_COLUMN_CATEGORY
                                         ? mb_rows_at(rows, j, d)
                                         : deviation(rows, from, end, d);
            }
}

mb_status mb_windows_(mb_arena *a, const mb_case *c, mb_rows *out, mb_err *err)
{
    const mb_rows *all = &c->table.rows;
    const size_t   d = (size_t)all->d;
    double        *x;

    MB_NEW(x, a, (size_t)all->n * d, err);
    *out = *all;
    out->x = x;
    out->ld = d;
    out->x32 = NULL;
    out->stored = NULL;
    out->sums = NULL;
    for (int32_t i = 0; i < c->place->part.n_local; i++)
        of_node(&c->data[i], c->size.columns, c->kind->windows,
                x + (size_t)c->table.first[c->place->part.gid[i]] * d);
    return MB_OK;
}

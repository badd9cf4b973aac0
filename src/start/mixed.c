/* mixed.c - rows with columns of several kinds as an initialisation by distances sees them. */
#include "start/mixed.h"
#include "base/columns.h"
#include "start/gaps.h"
#include "start/start.h"

#include <math.h>
#include <string.h>

int32_t mb_mixed_columns_(const mb_sizes *s)
{
    int32_t n = 0;

    for (int32_t d = 0; d < s->D; d++)
        n += mb_column_quantities(s->columns, d);
    return n;
}

/* Number l of what is seen of a cell; NaN of one that is not there. */
static double seen(mb_column_kind kind, double x, int32_t l)
{
    if (isnan(x))
        return x;
    if (kind == MB_COLUMN_CATEGORY)
        return !(x < l) && !(x > l);
    return mb_column_seen(kind, x);
}

void mb_mixed_row_(const mb_sizes *s, const mb_rows *rows, int64_t j, double *out)
{
    for (int32_t d = 0; d < s->D; d++) {
        const mb_column_kind kind = mb_columns_kind(s->columns, d);
        const int32_t        n = mb_column_quantities(s->columns, d);

        for (int32_t l = 0; l < n; l++)
            *out++ = seen(kind, mb_rows_at(rows, j, d), l);
    }
}

mb_status mb_mixed_rows_(mb_arena *a, const mb_sizes *s, const mb_rows *rows, mb_rows *out,
                         mb_err *err)
{
    const size_t n = (size_t)mb_mixed_columns_(s);
    double      *x;

    *out = *rows;
    if (!s->columns)
        return MB_OK;
    MB_NEW(x, a, (size_t)rows->n * n + 1, err);
    for (int64_t j = 0; j < rows->n; j++)
        mb_mixed_row_(s, rows, j, x + (size_t)j * n);
    out->x = x;
    out->x32 = NULL;
    if (MB_STORED_(1))
        out->stored = NULL;
    out->d = (int32_t)n;
    out->ld = n;
    return MB_OK;
}

mb_status mb_mixed_units_(mb_arena *a, const mb_sizes *s, const mb_units *run, mb_units *out,
                          mb_err *err)
{
    double *origin, *scale;

    *out = *run;
    if (!s->columns)
        return MB_OK;
    *out = (mb_units){.d = mb_mixed_columns_(s)};
    MB_NEW(origin, a, out->d, err);
    MB_NEW(scale, a, out->d, err);
    out->origin = origin;
    out->scale = scale;
    for (int32_t d = 0; d < s->D; d++) {
        const mb_column_kind kind = mb_columns_kind(s->columns, d);
        const int32_t        n = mb_column_quantities(s->columns, d);

        for (int32_t l = 0; l < n; l++) {
            *origin++ = kind == MB_COLUMN_NUMBER ? run->origin[d] : 0;
            *scale++ = kind == MB_COLUMN_NUMBER ? run->scale[d] : 1;
        }
    }
    return MB_OK;
}

/* The squared distance that mb_nearest_resp would have of the row as it sees it, to the bit. */
static double distance2(const mb_sizes *s, const mb_units *run, const mb_rows *rows, int64_t j,
                        const double *c)
{
    double  sum = 0;
    int32_t all = 0, gone = 0;

    for (int32_t d = 0; d < s->D; d++) {
        const mb_column_kind kind = mb_columns_kind(s->columns, d);
        const double         x = mb_rows_at(rows, j, d);
        const int32_t        n = mb_column_quantities(s->columns, d);

        for (int32_t l = 0; l < n; l++, c++) {
            const double scale = kind == MB_COLUMN_NUMBER ? run->scale[d] : 1;
            const double step = (seen(kind, x, l) - *c) / scale;

            all++;
            gone += isnan(step) != 0;
            sum += isnan(step) ? 0 : step * step;
        }
    }
    return mb_over_seen_(sum, all, gone);
}

void mb_mixed_nearest_(const mb_sizes *s, const mb_units *run, const mb_rows *rows, int32_t K,
                       const double *centres, double *resp)
{
    const size_t n = (size_t)mb_mixed_columns_(s);

    if (!s->columns) {
        mb_nearest_resp(rows, run->origin, run->scale, K, centres, resp);
        return;
    }
    memset(resp, 0, (size_t)rows->n * (size_t)K * sizeof *resp);
    for (int64_t j = 0; j < rows->n; j++, resp += K) {
        double  least = HUGE_VAL;
        int32_t best = 0;

        for (int32_t k = 0; k < K; k++) {
            const double dist = distance2(s, run, rows, j, centres + (size_t)k * n);

            best = dist < least ? k : best;
            least = fmin(least, dist);
        }
        resp[best] = 1;
    }
}

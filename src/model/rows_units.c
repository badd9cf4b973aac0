/* rows_units.c - rows in other units than they are stored in: converted whenever they are read, so that
 * no copy of them is needed. */
#include "base/rows.h"

#include <string.h>

/* TILE: numbers of whole rows that are converted in one loop, if rows are short. LINE: numbers of a
 * line of the cache. */
enum { TILE = 64, LINE = 8 };

typedef struct converted {
    mb_stored     stored; /* first */
    mb_rows       rows;   /* as they are stored                                  */
    const double *scale;  /* d                                                   */
    int64_t       tile;   /* rows whose origins and factors follow each other    */
    double       *origin; /* tile x d                                            */
    double       *factor; /* tile x d: 1/scale; NULL: it is not exact everywhere */
} converted;

static double at(const mb_stored *s, int64_t j, int32_t d)
{
    const converted *c = (const converted *)(const void *)s;

    return (mb_rows_at(&c->rows, j, d) - c->origin[d]) / c->scale[d];
}

static void convert(const double *x, const double *restrict origin, const double *restrict factor,
                    size_t n, double *out)
{
    for (size_t l = 0; l < n; l++)
        out[l] = (x[l] - origin[l]) * factor[l];
}

static void take(const mb_stored *s, int64_t j, int64_t n, double *out)
{
    const converted *c = (const converted *)(const void *)s;
    const size_t     D = (size_t)c->rows.d;
    const mb_rows   *rows = &c->rows;
    const int        in_place = !rows->stored && !rows->x32 && rows->ld == D;
    const double    *x = in_place ? rows->x + (size_t)j * D : out;
    const size_t     ahead = j + 2 * n <= rows->n ? (size_t)n * D : 0; /* likely to come next */

    if (!in_place)
        mb_rows_take(rows, j, n, out);
    for (int64_t some; n > 0; n -= some, x += (size_t)some * D, out += (size_t)some * D) {
        some = n < c->tile ? n : c->tile;
        for (size_t l = 0; in_place && l < (size_t)some * D; l += LINE)
            __builtin_prefetch(x + ahead + l);
        if (c->factor)
            convert(x, c->origin, c->factor, (size_t)some * D, out);
        else
            for (size_t l = 0; l < (size_t)some * D; l++)
                out[l] = (x[l] - c->origin[l]) / c->scale[l % D];
    }
}

/* 1: multiplication by 1/x is division by x, to the bit. */
static int is_power_of_two(double x)
{
    int e;

    return !(frexp(x, &e) > 0.5) && isfinite(1 / x);
}

mb_status mb_rows_in_units(mb_arena *a, const mb_rows *rows, const double *origin,
                           const double *scale, mb_rows *out, mb_err *err)
{
    const int32_t D = rows->d;
    int           exact = 1;
    converted    *c;

    MB_NEW(c, a, 1, err);
    *c = (converted){.stored = {at, take}, .rows = *rows, .scale = scale};
    c->tile = D < TILE ? TILE / D : 1;
    MB_NEW(c->origin, a, c->tile * D, err);
    MB_NEW(c->factor, a, c->tile * D, err);
    for (int64_t l = 0; l < c->tile * D; l++) {
        c->origin[l] = origin[l % D];
        c->factor[l] = 1 / scale[l % D];
        exact &= is_power_of_two(scale[l % D]);
    }
    c->factor = exact ? c->factor : NULL;
    *out = *rows;
    out->x = NULL;
    out->x32 = NULL;
    out->stored = &c->stored;
    out->skip = 0;
    out->sums = NULL;
    return MB_OK;
}

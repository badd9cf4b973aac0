/* cells.c - the numbers of arrays of the caller's, where they are. */
#include "bind/bind.h"

#include <string.h>

/* Rows in place: columns of x, then those of y. */
typedef struct given {
    mb_stored      base; /* first */
    mb_bind_array_ x, y;
} given;

double mb_bind_at_(const mb_bind_array_ *v, int64_t i, int64_t j)
{
    const char *at = v->x + i * v->stride[0] + j * v->stride[1];
    double      f8;
    float       f4;
    int64_t     i8;
    int32_t     i4;

    switch (v->type) {
    case MB_BIND_F8:
        memcpy(&f8, at, sizeof f8);
        return f8;
    case MB_BIND_F4:
        memcpy(&f4, at, sizeof f4);
        return f4;
    case MB_BIND_I8:
        memcpy(&i8, at, sizeof i8);
        return (double)i8;
    case MB_BIND_I4:
        memcpy(&i4, at, sizeof i4);
        return i4;
    default:
        return *(const uint8_t *)at;
    }
}

static double cell(const mb_stored *s, int64_t j, int32_t d)
{
    const given  *g = (const given *)s;
    const int64_t dx = g->x.shape[1];

    return d < dx ? mb_bind_at_(&g->x, j, d) : mb_bind_at_(&g->y, j, d - dx);
}

static void take(const mb_stored *s, int64_t j, int64_t n, double *out)
{
    const given  *g = (const given *)s;
    const int64_t dx = g->x.shape[1], dy = g->y.x ? g->y.shape[1] : 0;

    for (const int64_t end = j + n; j < end; j++) {
        for (int64_t d = 0; d < dx; d++)
            *out++ = mb_bind_at_(&g->x, j, d);
        for (int64_t d = 0; d < dy; d++)
            *out++ = mb_bind_at_(&g->y, j, d);
    }
}

mb_status mb_bind_cells_(mb_arena *a, const mb_bind_array_ *x, const mb_bind_array_ *y,
                         const mb_stored **out, mb_err *err)
{
    given *g;

    MB_NEW(g, a, 1, err);
    *g = (given){{cell, take}, *x, *y};
    *out = &g->base;
    return MB_OK;
}

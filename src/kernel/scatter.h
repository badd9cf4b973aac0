/* kernel/scatter.h - ends, sums and sums of products of the columns of rows about an origin. */
#ifndef MB_SCATTER_H
#define MB_SCATTER_H

#include "kernel/moments_direct.h"

/* A build with plain kernels only is for small nodes, which add their few rows one by one. */
#ifdef MB_KERNELS_PLAIN
#define SCATTER NULL
#else
#define SCATTER scatter

/* The sums of LANES columns. */
typedef struct strip {
    vec origin, less, more, sum, square;
} strip;

INLINE void take_in(strip *s, vec x, double *centred)
{
    const vec c = x - s->origin;

    store(centred, c);
    s->less = larger(s->less, -x);
    s->more = larger(s->more, x);
    s->sum += c;
    s->square = fma_(c, c, s->square);
}

/* Columns from number `at` on. Whole vectors are loaded as long as they end within x. */
static void centre(const mb_scatter_ *g, int32_t n, const double *x, size_t at)
{
    const size_t  D = (size_t)g->D, left = D - at < LANES ? D - at : LANES;
    const int32_t last = left < LANES ? (int32_t)((LANES + D - 1) / D) : 0;
    strip   s = {load(g->origin + at), load(g->less + at), load(g->more + at), load(g->sum + at),
               g->products ? all(0) : load(g->square + at)};
    double *to = g->room + at;
    int32_t l = 0;

    for (x += at; l < n - last; l++, x += D, to += g->len)
        take_in(&s, load(x), to);
    for (; l < n; l++, x += D, to += g->len) {
        double rest[LANES] = {0};

        memcpy(rest, x, left * sizeof *x);
        take_in(&s, load(rest), to);
    }
    store(g->less + at, s.less);
    store(g->more + at, s.more);
    store(g->sum + at, s.sum);
    if (!g->products)
        store(g->square + at, s.square);
}

static void scatter(const mb_scatter_ *g, int32_t n, const double *x)
{
    const int32_t D = g->D, width = (D + LANES - 1) / LANES * LANES;

    for (int32_t at = 0; at < D; at += LANES)
        centre(g, n, x, (size_t)at);
    for (int32_t j = 0; g->products && j < D; j += NV * LANES) {
        const int most = width - j < NV * LANES ? (width - j) / LANES : NV;

        for (int32_t i = j; i < D; i += MB_ROWS) {
            const int count = D - i < MB_ROWS ? D - i : MB_ROWS;
            const int need = (i + count - j + LANES - 1) / LANES;

            product(count, need < most ? need : most, n, g->room + i, 1, g->len, g->room + j,
                    g->len, g->square + (size_t)i * g->len + j, g->len);
        }
    }
}
#endif

#endif

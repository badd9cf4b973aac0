/* kernel/moments_small.h - second moments for D <= MB_SMALL_D: lanes are rows; the sums of a few
 * rows of the lower triangle stay in registers during a pass over the block. */
#ifndef MB_MOMENTS_SMALL_H
#define MB_MOMENTS_SMALL_H

#include "kernel/runs.h"

enum { SMALL_SUMS = (MB_SMALL_D + 1) * (MB_SMALL_D + 2) / 2 };

/* Order of the sums of a component: r, then for each i: r x_i, r x_i x_0 .. r x_i x_i. */
INLINE int small_at(int i)
{
    return 1 + i * (i + 3) / 2;
}

/* The sums of entries from .. to - 1 (with the sum of r when from is 0). */
INLINE void small_pass(const int from, const int to, int32_t rows, const double *r, const double *z,
                       size_t ld, double *acc)
{
    const int first = from ? small_at(from) : 0, count = small_at(to) - first;
    vec       s[SMALL_SUMS];

    UNROLL
    for (int e = 0; e < count; e++)
        s[e] = load(acc + (first + e) * LANES);
    for (int32_t l = 0; l < rows; l += LANES) {
        const vec rl = load(r + l);

        if (from == 0)
            s[0] += rl;
        UNROLL
        for (int i = from; i < to; i++) {
            const vec a = rl * load(z + (size_t)i * ld + l);

            s[small_at(i) - first] += a;
            UNROLL
            for (int j = 0; j < to; j++)
                if (j <= i)
                    s[small_at(i) - first + 1 + j] =
                        fma_(a, load(z + (size_t)j * ld + l), s[small_at(i) - first + 1 + j]);
        }
    }
    UNROLL
    for (int e = 0; e < count; e++)
        store(acc + (first + e) * LANES, s[e]);
}

#define PASS(first, end)                                                                           \
    small_pass(first, end, at.to - at.from, r + at.from, g->z + at.from, (size_t)g->block, acc)
/* All sums at once as long as they fit in registers. */
static void small_component(const mb_estep_ *g, const run *reach, const double *r, double *acc)
{
    const run at = rows_of(g, reach);

#define ALL(D)                                                                                     \
    case D:                                                                                        \
        PASS(0, D);                                                                                \
        return
    switch (g->D) {
        ALL(1);
        ALL(2);
        ALL(3);
#if MB_ISA == 2
        ALL(4);
        ALL(5);
        ALL(6);
#endif
    }
#undef ALL
#if MB_ISA == 2
    PASS(0, 6);
    if (g->D == 7)
        PASS(6, 7);
    else
        PASS(6, 8);
#else
    PASS(0, 3);
    PASS(3, 4);
    if (g->D > 4)
        PASS(4, 5);
    if (g->D > 5)
        PASS(5, 6);
    if (g->D > 6)
        PASS(6, 7);
    if (g->D > 7)
        PASS(7, 8);
#endif
}
#undef PASS

static void small_moments(const mb_estep_ *g)
{
    const size_t each = (size_t)small_at(g->D) * LANES;
    const int    few = few_reach(g, 2);

    for (int32_t k = 0; k < g->K; k++) {
        const double *r = g->r + (size_t)k * (size_t)g->block;
        double       *acc = g->acc + (size_t)k * each;

        if (!few)
            small_component(g, &(run){0, g->rows}, r, acc);
        else
            for (run at = {0, 0}; next_run(g, r, &at);)
                small_component(g, &at, r, acc);
    }
}

/* S, whose index 0 is the constant. */
static void small_sums(const mb_estep_ *g)
{
    const size_t  n = (size_t)g->D + 1;
    const double *a = g->acc;

    for (int32_t k = 0; k < g->K; k++) {
        double *S = g->S + (size_t)k * n * n;

        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++, a += LANES)
                S[i * n + j] = total(load(a));
    }
}

#endif

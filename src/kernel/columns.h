/* kernel/columns.h - Gaussian columns that are independent within a component, rows as lanes. */
#ifndef MB_COLUMNS_H
#define MB_COLUMNS_H

#include "kernel/kernel.h"
#include "kernel/vec.h"

/* nv vectors of rows from row l on. */
INLINE void squares_of(const int nv, const mb_estep_ *g, int32_t n, const int32_t *column,
                       const double *m, const double *f, double *out, int32_t l)
{
    vec sum[4];

    UNROLL
    for (int v = 0; v < nv; v++)
        sum[v] = load(out + l + v * LANES);
    for (int32_t i = 0; i < n; i++) {
        const double *x = g->z + (size_t)column[i] * (size_t)g->block + l;

        UNROLL
        for (int v = 0; v < nv; v++) {
            const vec gap = load(x + v * LANES) - all(m[i]);

            sum[v] = fnma(all(f[i]) * gap, gap, sum[v]);
        }
    }
    UNROLL
    for (int v = 0; v < nv; v++)
        store(out + l + v * LANES, sum[v]);
}

static void squares(const mb_estep_ *g, int32_t n, const int32_t *column, const double *m,
                    const double *f, double *out)
{
    int32_t l = 0;

    for (; l + 4 * LANES <= g->rows; l += 4 * LANES)
        squares_of(4, g, n, column, m, f, out, l);
    for (; l < g->rows; l += LANES)
        squares_of(1, g, n, column, m, f, out, l);
}

static void column_sums(const mb_estep_ *g, int32_t n, const int32_t *column, const double *r,
                        double *sums)
{
    for (int32_t i = 0; i < n; i++) {
        const double *x = g->z + (size_t)column[i] * (size_t)g->block;
        vec           first = all(0), second = all(0);

        for (int32_t l = 0; l < g->rows; l += LANES) {
            const vec at = load(x + l), rx = load(r + l) * at;

            first += rx;
            second = fma_(rx, at, second);
        }
        sums[2 * i] += total(first);
        sums[2 * i + 1] += total(second);
    }
}

#endif

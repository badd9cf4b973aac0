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

/* nv vectors of rows from row l on. */
INLINE void whiten_of(const int nv, const mb_estep_ *g, const double *C, double *y, int32_t l)
{
    for (int32_t i = 0; i < g->D; i++, C += g->D) {
        const size_t at = (size_t)i * (size_t)g->block + (size_t)l;
        const vec    over = all(1) / all(C[i]);
        vec          sum[4];

        UNROLL
        for (int v = 0; v < nv; v++)
            sum[v] = load(g->z + at + v * LANES);
        for (int32_t j = 0; j < i; j++) {
            const double *x = y + (size_t)j * (size_t)g->block + l;

            UNROLL
            for (int v = 0; v < nv; v++)
                sum[v] = fnma(all(C[j]), load(x + v * LANES), sum[v]);
        }
        UNROLL
        for (int v = 0; v < nv; v++)
            store(y + at + v * LANES, sum[v] * over);
    }
}

static void whiten(const mb_estep_ *g, const double *C, double *y)
{
    int32_t l = 0;

    for (; l + 4 * LANES <= g->rows; l += 4 * LANES)
        whiten_of(4, g, C, y, l);
    for (; l < g->rows; l += LANES)
        whiten_of(1, g, C, y, l);
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

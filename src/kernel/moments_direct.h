/* kernel/moments_direct.h - second moments of one component after another as (r x) x': nothing is
 * shared, nothing of size D^2 is computed for a row. Best for many columns, few components. */
#ifndef MB_MOMENTS_DIRECT_H
#define MB_MOMENTS_DIRECT_H

#include "kernel/runs.h"

/* sum[u][v] += sum over l < rows of A[u * au + l * al] V[l * vl + v]. */
INLINE void product_of(const int count, const int nv, int32_t rows, const double *restrict A,
                       size_t au, size_t al, const double *restrict V, size_t vl,
                       double *restrict sum, size_t ld)
{
    vec s[MB_ROWS][NV];

    UNROLL
    for (int u = 0; u < count; u++) {
        UNROLL
        for (int v = 0; v < nv; v++)
            s[u][v] = load(sum + (size_t)u * ld + v * LANES);
    }
    for (int32_t l = 0; l < rows; l++, A += al, V += vl) {
        vec x[NV];

        UNROLL
        for (int v = 0; v < nv; v++)
            x[v] = load(V + v * LANES);
        UNROLL
        for (int u = 0; u < count; u++) {
            const vec a = all(A[(size_t)u * au]);

            UNROLL
            for (int v = 0; v < nv; v++)
                s[u][v] = fma_(a, x[v], s[u][v]);
        }
    }
    UNROLL
    for (int u = 0; u < count; u++) {
        UNROLL
        for (int v = 0; v < nv; v++)
            store(sum + (size_t)u * ld + v * LANES, s[u][v]);
    }
}

#define COUNT(count)                                                                               \
    case count:                                                                                    \
        product_of(count, nv, rows, A, au, al, V, vl, sum, ld);                                    \
        break;
INLINE void product_count(int count, const int nv, int32_t rows, const double *A, size_t au,
                          size_t al, const double *V, size_t vl, double *sum, size_t ld)
{
    switch (count) {
        ROWS_CASES(COUNT)
    }
}
#undef COUNT

/* 1 <= count <= MB_ROWS, 1 <= nv <= NV. */
static void product(int count, int nv, int32_t rows, const double *A, size_t au, size_t al,
                    const double *V, size_t vl, double *sum, size_t ld)
{
    if (nv == NV)
        product_count(count, NV, rows, A, au, al, V, vl, sum, ld);
    else if (nv == 2)
        product_count(count, 2, rows, A, au, al, V, vl, sum, ld);
    else
        for (int v = 0; v < nv; v++)
            product_count(count, 1, rows, A, au, al, V + v * LANES, vl, sum + v * LANES, ld);
}

/* Columns of a row in memory: whole lanes, and an odd number of cache lines. */
INLINE size_t direct_len(int32_t D)
{
    const size_t lines = ((size_t)D + MB_LANES_MAX - 1) / MB_LANES_MAX;

    return (lines | 1) * MB_LANES_MAX;
}

/* Row l, padded with 0. */
INLINE void lay_row(const mb_estep_ *g, int32_t l, double *x)
{
    const size_t D = (size_t)g->D, len = direct_len(g->D);

    memcpy(x, mb_estep_from_(g, (size_t)l), D * sizeof *x);
    memset(x + D, 0, (len - D) * sizeof *x);
}

static void lay_rows(const mb_estep_ *g, double *x)
{
    for (int32_t l = 0; l < g->rows; l++, x += direct_len(g->D))
        lay_row(g, l, x);
}

/* Rows of a block for a component, and their weights. */
typedef struct weighted {
    int32_t rows;
    double *r, *x, *rx; /* rows; rows x direct_len: x, r x */
} weighted;

static void weigh(int32_t D, const weighted *of)
{
    const size_t len = direct_len(D);

    for (int32_t l = 0; l < of->rows; l++)
        for (size_t i = 0; i < len; i += LANES)
            store(of->rx + (size_t)l * len + i, all(of->r[l]) * load(of->x + (size_t)l * len + i));
}

/* Rows i of the lower triangle in groups of LANES, columns in panels of NV vectors. */
static void direct_component(int32_t D, const weighted *of, double *acc)
{
    const int32_t len = (int32_t)direct_len(D);

    weigh(D, of);
    for (int32_t j = 0; j < D; j += NV * LANES) {
        const int     most = len - j < NV * LANES ? (len - j) / LANES : NV;
        const double *x = of->x + j;

        for (int32_t i = j; i < D; i += MB_ROWS) {
            const int count = D - i < MB_ROWS ? D - i : MB_ROWS;
            const int need = (i + count - j + LANES - 1) / LANES;

            product(count, need < most ? need : most, of->rows, of->rx + i, 1, (size_t)len, x,
                    (size_t)len, acc + (size_t)i * (size_t)len + j, (size_t)len);
        }
        product(1, most, of->rows, of->r, 0, 1, x, (size_t)len, acc + (size_t)D * (size_t)len + j,
                0);
    }
}

INLINE size_t direct_sums_len(int32_t D)
{
    return ((size_t)D + 1) * direct_len(D);
}

/* 1: less than half of all weights are not 0. */
INLINE int half_reached(const mb_estep_ *g)
{
    int64_t met = 0;

    for (int32_t k = 0; SKIPS && k < g->K; k++)
        for (int32_t l = 0; l < g->rows; l++)
            met += !(fabs(g->r[(size_t)k * (size_t)g->block + (size_t)l]) <= 0);
    return SKIPS && 2 * met < (int64_t)g->K * g->rows;
}

/* Only the rows that the component reaches: the others would change no bit (runs.h). */
static void lay_reached(const mb_estep_ *g, const double *r, weighted *to)
{
    to->rows = 0;
    for (int32_t l = 0; l < g->rows; l++)
        if (!(fabs(r[l]) <= 0)) { /* NaN, too */
            lay_row(g, l, to->x + (size_t)to->rows * direct_len(g->D));
            to->r[to->rows++] = r[l];
        }
}

static void direct_moments(const mb_estep_ *g)
{
    const size_t ld = (size_t)g->block;
    double       weight[MB_BLOCK_MAX];
    weighted     of = {g->rows, NULL, g->x, g->x + ld * direct_len(g->D)};
    const int    half = half_reached(g);

    if (!half)
        lay_rows(g, of.x);
    for (int32_t k = 0; k < g->K; k++) {
        of.r = half ? weight : g->r + (size_t)k * ld;
        if (half)
            lay_reached(g, g->r + (size_t)k * ld, &of);
        direct_component(g->D, &of, g->acc + (size_t)k * direct_sums_len(g->D));
    }
}

/* S, whose index 0 is the constant. */
static void direct_sums(const mb_estep_ *g)
{
    const size_t n = (size_t)g->D + 1, len = direct_len(g->D);

    for (int32_t k = 0; k < g->K; k++) {
        const double *from = g->acc + (size_t)k * direct_sums_len(g->D);
        double       *S = g->S + (size_t)k * n * n;

        for (size_t i = 0; i + 1 < n; i++) {
            S[(i + 1) * n] = from[(n - 1) * len + i];
            for (size_t j = 0; j <= i; j++)
                S[(i + 1) * n + j + 1] = from[i * len + j];
        }
    }
}

#endif

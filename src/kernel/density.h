/* kernel/density.h - squared distances of the block's rows by forward substitution, rows as lanes.
 *
 * y = C^-1 (x - m), distance = |y|^2: the centred form, exact however far the clusters are from
 * the origin. MB_ROWS entries of y of NV vectors of rows are in registers at once. C is stored in
 * that order: for each group of entries the part left of the diagonal by columns, then its
 * triangle by rows with the diagonal inverted. */
#ifndef MB_DENSITY_H
#define MB_DENSITY_H

#include "kernel/kernel.h"
#include "kernel/vec.h"

enum { TILE = LANES * NV };

/* Size of the group of entries of y that begins with entry i; groups are of nearly equal size. */
INLINE int32_t group_size(int32_t D, int32_t i)
{
    const int32_t groups = (D + MB_ROWS - 1) / MB_ROWS, small = D / groups, large = D % groups;

    return i < large * (small + 1) ? small + 1 : small;
}

static void factor(const mb_estep_ *g, int32_t k, const double *L)
{
    const size_t n = (size_t)g->D + 1;
    double      *C = g->C + (size_t)k * (n * (n - 1) / 2);

    for (size_t i = 1; i < n;) {
        const size_t size = (size_t)group_size(g->D, (int32_t)i - 1);

        for (size_t j = 1; j < i; j++)
            for (size_t u = 0; u < size; u++)
                *C++ = L[(i + u) * n + j];
        for (size_t u = 0; u < size; u++, i++) {
            for (size_t j = i - u; j < i; j++)
                *C++ = L[i * n + j];
            *C++ = 1 / L[i * n + i];
        }
    }
}

/* Entries i .. i + size - 1 of y in nv vectors of rows; sum += their squares. */
INLINE const double *group(const int size, const int nv, int32_t i, const double *restrict m,
                           const double *restrict C, const double *restrict z, size_t ld,
                           double *restrict y, vec *sum)
{
    vec s[MB_ROWS][NV];

    UNROLL
    for (int u = 0; u < size; u++) {
        UNROLL
        for (int v = 0; v < nv; v++)
            s[u][v] = load(z + (size_t)(i + u) * ld + v * LANES) - all(m[i + u]);
    }
    for (int32_t j = 0; j < i; j++, C += size) {
        vec yj[NV];

        UNROLL
        for (int v = 0; v < nv; v++)
            yj[v] = load(y + (size_t)j * TILE + v * LANES);
        UNROLL
        for (int u = 0; u < size; u++) {
            UNROLL
            for (int v = 0; v < nv; v++)
                s[u][v] = fnma(all(C[u]), yj[v], s[u][v]);
        }
    }
    UNROLL
    for (int u = 0; u < size; u++, C += u) {
        UNROLL
        for (int v = 0; v < nv; v++) {
            UNROLL
            for (int j = 0; j < size; j++)
                if (j < u)
                    s[u][v] = fnma(all(C[j]), s[j][v], s[u][v]);
            s[u][v] *= all(C[u]);
            sum[v] = fma_(s[u][v], s[u][v], sum[v]);
            store(y + (size_t)(i + u) * TILE + v * LANES, s[u][v]);
        }
    }
    return C;
}

#define GROUP(size)                                                                                \
    case size:                                                                                     \
        C = group(size, nv, i, m, C, z, ld, y, sum);                                               \
        break;

/* out = c - f |y|^2 for nv vectors of rows. */
INLINE void tile(const int nv, int32_t D, const double *m, const double *C, const double *z,
                 size_t ld, double *y, double c, double f, double *out)
{
    vec     sum[NV];
    int32_t size;

    UNROLL
    for (int v = 0; v < nv; v++)
        sum[v] = all(0);
    for (int32_t i = 0; i < D; i += size) {
        size = group_size(D, i);
        switch (size) {
            ROWS_CASES(GROUP)
        }
    }
    UNROLL
    for (int v = 0; v < nv; v++)
        store(out + v * LANES, fnma(all(f), sum[v], all(c)));
}
#undef GROUP

static void density(const mb_estep_ *g, int32_t k, double c, double f, double *out)
{
    const size_t  D = (size_t)g->D, ld = (size_t)g->block;
    const double *m = g->m + (size_t)k * D, *C = g->C + (size_t)k * (D * (D + 1) / 2);
    int32_t       l = 0;

    for (; l + TILE <= g->rows; l += TILE)
        tile(NV, g->D, m, C, g->z + l, ld, g->y, c, f, out + l);
    for (; l < g->rows; l += LANES)
        tile(1, g->D, m, C, g->z + l, ld, g->y, c, f, out + l);
}

#endif

/* kernel/product.h - the product of matrices that direct moments are made of:
 * sums (count x columns) += A' V, MB_ROWS x NV vectors of it in registers. */
#ifndef MB_PRODUCT_H
#define MB_PRODUCT_H

#include "kernel/vec.h"

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
        break
INLINE void product_count(int count, const int nv, int32_t rows, const double *A, size_t au,
                          size_t al, const double *V, size_t vl, double *sum, size_t ld)
{
    switch (count) {
        COUNT(1);
        COUNT(2);
#if MB_ISA >= 1
        COUNT(3);
        COUNT(4);
        COUNT(5);
        COUNT(6);
#endif
#if MB_ISA == 2
        COUNT(7);
        COUNT(8);
#endif
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

#endif

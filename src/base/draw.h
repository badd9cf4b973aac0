/* base/draw.h - an index in proportion to weights. */
#ifndef MB_BASE_DRAW_H
#define MB_BASE_DRAW_H

#include "meshbayes/meshbayes.h"

/* The index at u, from 0 to below the sum of n weights. */
static inline int32_t mb_index_at_(const double *weight, int32_t n, double u)
{
    int32_t k = 0;

    while (k < n - 1 && u >= weight[k])
        u -= weight[k++];
    return k;
}

/* One of 0 .. n - 1. */
static inline int32_t mb_index_draw_(mb_rng *rng, const double *weight, int32_t n)
{
    double sum = 0;

    for (int32_t k = 0; k < n; k++)
        sum += weight[k];
    return mb_index_at_(weight, n, sum * mb_rng_uniform(rng));
}

#endif

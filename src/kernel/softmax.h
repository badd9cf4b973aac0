/* kernel/softmax.h - responsibilities of the block's rows from their log densities. */
#ifndef MB_SOFTMAX_H
#define MB_SOFTMAX_H

#include "kernel/exp_log.h"
#include "kernel/kernel.h"

/* exp of less can not be told from 0 beside the largest */
static const double EXP_ZERO = -700;

/* r := exp(r - top) of one vector of rows; returns the sum over the components. */
INLINE vec exponentials(int32_t K, size_t ld, vec top, double *r)
{
    vec sum = all(0);

    for (int32_t k = 0; k < K; k++, r += ld) {
        const vec below = load(r) - top;
        const vec e = pick_below(below, all(EXP_ZERO), all(0), vexp(below));

        sum += e;
        store(r, e);
    }
    return sum;
}

static double softmax(const mb_estep_ *g)
{
    const size_t ld = (size_t)g->block;
    vec          sum_lnz = all(0);

    for (int32_t l = 0; l < g->rows; l += LANES) {
        const vec w = load(g->w + l);
        double   *r = g->r + l;
        vec       top = load(r), sum, lnz;

        for (int32_t k = 1; k < g->K; k++)
            top = larger(load(r + (size_t)k * ld), top);
        sum = exponentials(g->K, ld, top, r);
        lnz = top + fma_(sum, all(0), vlog(sum)); /* a NaN stays one */
        sum_lnz = fma_(w, lnz, sum_lnz);
        store(g->lnz + l, lnz);
        sum = w / sum;
        for (int32_t k = 0; k < g->K; k++)
            store(r + (size_t)k * ld, load(r + (size_t)k * ld) * sum);
    }
    return total(sum_lnz);
}

#endif

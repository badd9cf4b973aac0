/* kernel/softmax.h - responsibilities of the block's rows from their log densities. */
#ifndef MB_SOFTMAX_H
#define MB_SOFTMAX_H

#include "kernel/exp_log.h"
#include "kernel/kernel.h"

/* exp of anything below is negligible relative to exp 0, the largest */
static const double EXP_ZERO = -700;

/* 1: most of many components are out of reach of the first rows of the block, a sample. */
INLINE int mostly_far(const mb_estep_ *g)
{
    vec     top = load(g->r);
    int64_t met = 0;

    if (!SKIPS || g->K < MB_MANY_K)
        return 0;
    for (int32_t k = 1; k < g->K; k++)
        top = larger(load(g->r + (size_t)k * (size_t)g->block), top);
    for (int32_t k = 0; k < g->K; k++)
        met += !!reaches(load(g->r + (size_t)k * (size_t)g->block) - top, all(EXP_ZERO));
    return 2 * met < g->K;
}

/* r := exp(r - top), sum := their sum; top is the largest of r. With `far`, exp is computed only
 * where it is not 0 in all rows. */
INLINE void exponentials(const int nv, int far, int32_t K, size_t ld, double *r, vec *top, vec *sum)
{
    UNROLL
    for (int v = 0; v < nv; v++) {
        top[v] = load(r + v * LANES);
        sum[v] = all(0);
    }
    for (int32_t k = 1; k < K; k++) {
        UNROLL
        for (int v = 0; v < nv; v++)
            top[v] = larger(load(r + (size_t)k * ld + v * LANES), top[v]);
    }
    for (int32_t k = 0; k < K; k++, r += ld) {
        vec below[2];
        int near = !far;

        UNROLL
        for (int v = 0; v < nv; v++) {
            below[v] = load(r + v * LANES) - top[v];
            if (far)
                near |= reaches(below[v], all(EXP_ZERO));
        }
        UNROLL
        for (int v = 0; v < nv; v++) {
            vec e = all(0);

            if (near)
                e = pick_below(below[v], all(EXP_ZERO), e, vexp(below[v]));
            sum[v] += e;
            store(r + v * LANES, e);
        }
    }
}

/* nv vectors of rows at once: the long chains of exp and log overlap. Returns sum_lnz + w lnz. */
INLINE vec softmax_of(const int nv, const mb_estep_ *g, int far, int32_t l, vec sum_lnz)
{
    const size_t ld = (size_t)g->block;
    double      *r = g->r + l;
    vec          top[2], sum[2], scale[2];

    exponentials(nv, far, g->K, ld, r, top, sum);
    UNROLL
    for (int v = 0; v < nv; v++) {
        const vec w = load(g->w + l + v * LANES), ln = vlog(sum[v], &scale[v]);
        const vec lnz = top[v] + fma_(sum[v], all(0), ln); /* a NaN stays one */

        sum_lnz = fma_(w, lnz, sum_lnz);
        store(g->lnz + l + v * LANES, lnz);
        scale[v] *= w;
    }
    for (int32_t k = 0; k < g->K; k++, r += ld) {
        UNROLL
        for (int v = 0; v < nv; v++)
            store(r + v * LANES, load(r + v * LANES) * scale[v]);
    }
    return sum_lnz;
}

/* ln x; NaN gives NaN. */
INLINE vec ln_sum(vec x)
{
    vec inverse;

    return fma_(x, all(0), vlog(x, &inverse));
}

/* Two vectors of rows of weight 1, with one division: *product *= their sums. Returns the sum of
 * the largest r; lnz says only whether it is finite. */
INLINE vec softmax_unit_of(const mb_estep_ *g, int far, int32_t l, vec *product)
{
    const size_t ld = (size_t)g->block;
    double      *r = g->r + l;
    vec          top[2], sum[2], scale[2], both, inverse;

    exponentials(2, far, g->K, ld, r, top, sum);
    both = sum[0] * sum[1];
    inverse = all(1) / both;
    *product *= both;
    UNROLL
    for (int v = 0; v < 2; v++) {
        store(g->lnz + l + v * LANES, fma_(sum[v], all(0), top[v]));
        scale[v] = sum[1 - v] * inverse;
    }
    for (int32_t k = 0; k < g->K; k++, r += ld) {
        UNROLL
        for (int v = 0; v < 2; v++)
            store(r + v * LANES, load(r + v * LANES) * scale[v]);
    }
    return top[0] + top[1];
}

/* Sums of rows that share a logarithm. Each is from 1 to K < 2^31: their product is normal. */
enum { ONE_LOG = 8 };

/* Whole vectors of rows from *l on; 0 unless all weights are 1 and only the sum is wanted. */
static vec softmax_unit(const mb_estep_ *g, int far, int32_t *l)
{
    vec sum_top = all(0), sum_ln = all(0), product = all(1);
    int held = 0;

    if (!SHARES || !g->unit)
        return sum_top;
    for (; *l + 2 * LANES <= g->rows; *l += 2 * LANES) {
        sum_top += softmax_unit_of(g, far, *l, &product);
        held += 2;
        if (held == ONE_LOG) {
            sum_ln += ln_sum(product);
            product = all(1);
            held = 0;
        }
    }
    return sum_top + (sum_ln + ln_sum(product));
}

static double softmax(const mb_estep_ *g)
{
    const int far = mostly_far(g);
    int32_t   l = 0;
    vec       sum_lnz = softmax_unit(g, far, &l);

    for (; l + 2 * LANES <= g->rows; l += 2 * LANES)
        sum_lnz = softmax_of(2, g, far, l, sum_lnz);
    for (; l < g->rows; l += LANES)
        sum_lnz = softmax_of(1, g, far, l, sum_lnz);
    return total(sum_lnz);
}

#endif

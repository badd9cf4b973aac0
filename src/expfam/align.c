/* align.c - the components of a mixture are known up to a permutation, unless their weights have an
 * order: permuting them, and the cost of a match. */
#include "meshbayes/expfam.h"

#include <string.h>

static int is_weights(const mb_block *k, int32_t K)
{
    return k->family->weights && k->dim == K && k->count == 1;
}

/* Doubles of a component in a block, where component c is at off + c * len; 0 when the block does not
 * belong to components. */
static size_t component_len(const mb_block *k, int32_t K)
{
    if (k->count == K)
        return k->len;
    return is_weights(k, K) ? k->family->weights->entry : 0;
}

const mb_block *mb_layout_weights(const mb_layout *l, int32_t K)
{
    for (int32_t b = 0; b < l->nblock; b++)
        if (is_weights(&l->block[b], K))
            return &l->block[b];
    return NULL;
}

void mb_permute(const mb_layout *l, int32_t K, const int32_t *perm, const double *p, double *out)
{
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];
        const size_t    len = component_len(k, K);

        if (len == 0)
            memcpy(out + k->off, p + k->off, k->len * (size_t)k->count * sizeof *p);
        for (int32_t c = 0; len > 0 && c < K; c++)
            memcpy(out + k->off + (size_t)c * len, p + k->off + (size_t)perm[c] * len,
                   len * sizeof *p);
    }
}

void mb_merge_components(const mb_layout *l, int32_t K, int32_t keep, int32_t gone,
                         const double *prior, const double *p, double *out)
{
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *blk = &l->block[b];
        const size_t    len = component_len(blk, K), all = blk->len * (size_t)blk->count;
        const size_t    to = (size_t)keep * len, from = (size_t)gone * len;
        double         *kept = out + to - (keep > gone ? len : 0);

        memcpy(out, p + blk->off, (len ? from : all) * sizeof *p);
        if (len)
            memcpy(out + from, p + blk->off + from + len, (all - from - len) * sizeof *p);
        if (prior && is_weights(blk, K))
            blk->family->weights->merge(K, keep, gone, prior + blk->off, p + blk->off, out);
        else
            for (size_t e = 0; prior && e < len; e++)
                kept[e] += p[blk->off + from + e] - prior[blk->off + to + e];
        out += all - len;
    }
}

static double dot(const double *a, const double *b, size_t len)
{
    double sum = 0;

    for (size_t e = 0; e < len; e++)
        sum += a[e] * b[e];
    return sum;
}

/* Components with an order match themselves alone. */
static void match_in_order(int32_t K, double *cost)
{
    const double never = 1e290;

    for (int32_t k = 0; k < K; k++)
        for (int32_t c = 0; c < K; c++)
            cost[(size_t)k * (size_t)K + (size_t)c] = k == c ? 0 : never;
}

void mb_match_cost(const mb_layout *l, int32_t K, const double *mu, const double *q, double *cost)
{
    const mb_block *w = mb_layout_weights(l, K);

    memset(cost, 0, (size_t)K * (size_t)K * sizeof *cost);
    if (w && w->family->weights->in_order) {
        match_in_order(K, cost);
        return;
    }
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *blk = &l->block[b];
        const size_t    len = component_len(blk, K);

        for (int32_t k = 0; len > 0 && k < K; k++)
            for (int32_t c = 0; c < K; c++)
                cost[(size_t)k * (size_t)K + (size_t)c] -=
                    dot(q + blk->off + (size_t)c * len, mu + blk->off + (size_t)k * len, len);
    }
}

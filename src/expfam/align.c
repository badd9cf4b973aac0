/* align.c - the components of a mixture are known up to a permutation, unless their weights have an
 * order: permuting them, and the cost of a match. */
#include "expfam/expfam.h"

#include <string.h>

static int is_weights(const mb_block *k, int32_t K)
{
    return k->family->weights && k->dim == K && k->count == 1;
}

static int is_parted(const mb_block *k, int32_t K)
{
    return k->family->parts && k->count == 1 && k->members == 1 &&
           k->family->parts->count(k->dim) == K;
}

size_t mb_block_components(const mb_block *b, int32_t K, size_t *at)
{
    *at = b->off;
    if (is_parted(b, K))
        return b->family->parts->len(b->dim);
    if (b->count == K)
        return b->len;
    return is_weights(b, K) ? b->family->weights->entry : 0;
}

/* All of a block. */
static size_t block_len(const mb_block *k)
{
    return k->len * (size_t)k->count;
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
        size_t          at;
        const size_t    len = mb_block_components(k, K, &at);

        if ((size_t)K * len < block_len(k)) /* what is shared, or belongs to none */
            memcpy(out + k->off, p + k->off, block_len(k) * sizeof *p);
        for (int32_t c = 0; len > 0 && c < K; c++)
            memcpy(out + at + (size_t)c * len, p + at + (size_t)perm[c] * len, len * sizeof *p);
    }
}

/* Adds to out, p without component `gone`, what the block had of its rows; p and prior: the block. */
static void merge(const mb_block *b, int32_t K, int32_t keep, int32_t gone, size_t len,
                  const double *prior, const double *p, double *out)
{
    const size_t to = (size_t)keep * len, from = (size_t)gone * len;
    double      *kept = out + to - (keep > gone ? len : 0);

    if (is_weights(b, K))
        b->family->weights->merge(K, keep, gone, prior, p, out);
    else if (is_parted(b, K))
        b->family->parts->merge(b->dim, keep, gone, prior, p, out);
    else
        for (size_t e = 0; e < len; e++)
            kept[e] += p[from + e] - prior[to + e];
}

void mb_merge_components(const mb_layout *l, int32_t K, int32_t keep, int32_t gone,
                         const double *prior, const double *p, double *out)
{
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *blk = &l->block[b];
        size_t          at;
        const size_t    len = mb_block_components(blk, K, &at), all = block_len(blk);
        const size_t    from = (size_t)gone * len;

        memcpy(out, p + at, (len ? from : all) * sizeof *p);
        if (len)
            memcpy(out + from, p + at + from + len, (all - from - len) * sizeof *p);
        if (len && prior)
            merge(blk, K, keep, gone, len, prior + at, p + at, out);
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
        size_t       at;
        const size_t len = mb_block_components(&l->block[b], K, &at);

        for (int32_t k = 0; len > 0 && k < K; k++)
            for (int32_t c = 0; c < K; c++)
                cost[(size_t)k * (size_t)K + (size_t)c] -=
                    dot(q + at + (size_t)c * len, mu + at + (size_t)k * len, len);
    }
}

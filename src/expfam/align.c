/* align.c - the components of a mixture are known up to a permutation, unless their weights have an
 * order: permuting them, and the cost of a match. */
#include "expfam/expfam.h"

#include <math.h>
#include <string.h>

static int is_square(const mb_block *k, int32_t K)
{
    return k->square && k->count == K;
}

const mb_block *mb_layout_weights(const mb_layout *l, int32_t K)
{
    for (const mb_block *k = l->block; k < l->block + l->nblock; k++)
        if (k->family->weights && k->dim == K && k->count == 1 && !k->square)
            return k;
    return NULL;
}

static int is_parted(const mb_block *k, int32_t K)
{
    return k->family->parts && k->count == 1 && k->members == 1 &&
           k->family->parts->count(k->dim) == K;
}

size_t mb_block_components(const mb_layout *l, const mb_block *b, int32_t K, size_t *at)
{
    *at = b->off;
    if (is_parted(b, K))
        return b->family->parts->len(b->dim);
    if (b->count == K)
        return b->len;
    return b == mb_layout_weights(l, K) ? b->family->weights->entry : 0;
}

/* All of a block. */
static size_t block_len(const mb_block *k)
{
    return k->len * (size_t)k->count;
}

/* Entry (k, c) of a square block of p. */
static size_t cell(const mb_block *b, int32_t k, int32_t c)
{
    return b->off + (size_t)k * b->len + (size_t)c * b->family->weights->entry;
}

static void permute_square(const mb_block *b, int32_t K, const int32_t *perm, const double *p,
                           double *out)
{
    for (int32_t k = 0; k < K; k++)
        for (int32_t c = 0; c < K; c++)
            memcpy(out + cell(b, k, c), p + cell(b, perm[k], perm[c]),
                   b->family->weights->entry * sizeof *p);
}

void mb_permute(const mb_layout *l, int32_t K, const int32_t *perm, const double *p, double *out)
{
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];
        size_t          at;
        const size_t    len = mb_block_components(l, k, K, &at);

        if (is_square(k, K)) {
            permute_square(k, K, perm, p, out);
            continue;
        }
        if ((size_t)K * len < block_len(k)) /* what is shared, or belongs to none */
            memcpy(out + k->off, p + k->off, block_len(k) * sizeof *p);
        for (int32_t c = 0; len > 0 && c < K; c++)
            memcpy(out + at + (size_t)c * len, p + at + (size_t)perm[c] * len, len * sizeof *p);
    }
}

/* Adds to out, p without component `gone`, what the block had of its rows; p and prior: the block. */
static void merge(const mb_layout *l, const mb_block *b, int32_t K, int32_t keep, int32_t gone,
                  size_t len, const double *prior, const double *p, double *out)
{
    const size_t to = (size_t)keep * len, from = (size_t)gone * len;
    double      *merged = out + to - (keep > gone ? len : 0);

    if (b == mb_layout_weights(l, K))
        b->family->weights->merge(K, keep, gone, prior, p, out);
    else if (is_parted(b, K))
        b->family->parts->merge(b->dim, keep, gone, prior, p, out);
    else
        for (size_t e = 0; e < len; e++)
            merged[e] += p[from + e] - prior[to + e];
}

/* A square block without row and column `gone`, to which `keep` adds what they had of rows, as
 * mb_merge_components has it; returns the end of it. */
static double *merge_square(const mb_block *b, int32_t K, int32_t keep, int32_t gone,
                            const double *prior, const double *p, double *out)
{
    for (int32_t k = 0; k < K; k++)
        for (int32_t c = 0; c < K; c++)
            for (size_t e = 0; k != gone && c != gone && e < b->family->weights->entry; e++) {
                const size_t row = cell(b, gone, c) + e, column = cell(b, k, gone) + e;
                const size_t both = cell(b, gone, gone) + e;

                *out = p[cell(b, k, c) + e];
                if (prior && k == keep)
                    *out += p[row] - prior[row];
                if (prior && c == keep)
                    *out += p[column] - prior[column];
                if (prior && k == keep && c == keep)
                    *out += p[both] - prior[both];
                out++;
            }
    return out;
}

void mb_merge_components(const mb_layout *l, int32_t K, int32_t keep, int32_t gone,
                         const double *prior, const double *p, double *out)
{
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *blk = &l->block[b];
        size_t          at;
        const size_t    len = mb_block_components(l, blk, K, &at), all = block_len(blk);
        const size_t    from = (size_t)gone * len;

        if (is_square(blk, K)) {
            out = merge_square(blk, K, keep, gone, prior, p, out);
            continue;
        }
        memcpy(out, p + at, (len ? from : all) * sizeof *p);
        if (len)
            memcpy(out + from, p + at + from + len, (all - from - len) * sizeof *p);
        if (len && prior)
            merge(l, blk, K, keep, gone, len, prior + at, p + at, out);
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

static void match_diagonal(const mb_block *b, int32_t K, const double *mu, const double *q,
                           double *cost)
{
    for (int32_t k = 0; k < K; k++)
        for (int32_t c = 0; c < K; c++)
            cost[(size_t)k * (size_t)K + (size_t)c] -=
                dot(q + cell(b, c, c), mu + cell(b, k, k), b->family->weights->entry);
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
        size_t          at;
        const size_t    len = mb_block_components(l, blk, K, &at);

        if (is_square(blk, K)) {
            match_diagonal(blk, K, mu, q, cost);
            continue;
        }
        for (int32_t k = 0; len > 0 && k < K; k++)
            for (int32_t c = 0; c < K; c++)
                cost[(size_t)k * (size_t)K + (size_t)c] -=
                    dot(q + at + (size_t)c * len, mu + at + (size_t)k * len, len);
    }
}

/* What a square block costs at (k, c) and (c, k). */
static double cost_of_pair(const mb_block *b, const double *mu, const double *q,
                           const int32_t *perm, int32_t k, int32_t c)
{
    const size_t entry = b->family->weights->entry;

    return -dot(q + cell(b, perm[k], perm[c]), mu + cell(b, k, c), entry) -
           dot(q + cell(b, perm[c], perm[k]), mu + cell(b, c, k), entry);
}

/* What the components i and j cost in a permutation: their own costs, and all pairs with either. */
static double cost_of_two(const mb_layout *l, int32_t K, const double *mu, const double *q,
                          const double *cost, const int32_t *perm, int32_t i, int32_t j)
{
    double sum = cost[(size_t)i * (size_t)K + (size_t)perm[i]] +
                 cost[(size_t)j * (size_t)K + (size_t)perm[j]];

    for (const mb_block *b = l->block; b < l->block + l->nblock; b++)
        for (int32_t c = 0; is_square(b, K) && c < K; c++) {
            sum += c != i ? cost_of_pair(b, mu, q, perm, i, c) : 0;
            sum += c != i && c != j ? cost_of_pair(b, mu, q, perm, j, c) : 0;
        }
    return sum;
}

static void swap(int32_t *perm, int32_t i, int32_t j)
{
    const int32_t was = perm[i];

    perm[i] = perm[j];
    perm[j] = was;
}

void mb_match_exchange(const mb_layout *l, int32_t K, const double *mu, const double *q,
                       const double *cost, int32_t *perm)
{
    static const double rounding = 1e-12; /* relative: less is no gain, so that sweeps end */
    int                 better = 0, square = 0;

    for (int32_t b = 0; b < l->nblock; b++)
        square |= is_square(&l->block[b], K);
    do {
        better = 0;
        for (int32_t i = 0; square && i < K; i++)
            for (int32_t j = 0; j < i; j++) {
                const double before = cost_of_two(l, K, mu, q, cost, perm, i, j);

                swap(perm, i, j);
                if (cost_of_two(l, K, mu, q, cost, perm, i, j) <
                    before - rounding * (1 + fabs(before)))
                    better = 1;
                else
                    swap(perm, i, j);
            }
    } while (better);
}

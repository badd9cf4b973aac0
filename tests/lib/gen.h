/* gen.h - random posteriors and rows for tests; every one is drawn from a generator handed in. */
#ifndef MB_TEST_GEN_H
#define MB_TEST_GEN_H

#include "meshbayes/expfam.h"

enum { GEN_MAX_D = 8 };

static inline mb_rng gen_rng(uint64_t seed)
{
    return mb_rng_at(seed, MB_STREAM_SAMPLE, 0, 0);
}

/* alpha in (0.05, 5.05). */
static inline void gen_dirichlet(mb_rng *r, int32_t dim, double *par)
{
    for (int32_t k = 0; k < dim; k++)
        par[k] = 0.05 + 5 * mb_rng_uniform(r);
}

/* [nu, beta, m, lower triangle of W^-1 = B B' + I/4]. */
static inline void gen_normal_wishart(mb_rng *r, int32_t D, double *par)
{
    double B[GEN_MAX_D * GEN_MAX_D], *v = par;

    *v++ = D - 1 + 0.2 + 6 * mb_rng_uniform(r);
    *v++ = 0.1 + 3 * mb_rng_uniform(r);
    for (int32_t i = 0; i < D; i++)
        *v++ = 2 * mb_rng_normal(r);
    for (int32_t e = 0; e < D * D; e++)
        B[e] = mb_rng_normal(r);
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++, v++) {
            *v = i == j ? 0.25 : 0;
            for (int32_t k = 0; k < D; k++)
                *v += B[i * D + k] * B[j * D + k];
        }
}

/* Textbook parameters of a whole layout of these two families. */
static inline void gen_par(mb_rng *r, const mb_layout *l, double *par)
{
    for (int32_t b = 0; b < l->nblock; b++)
        for (int32_t i = 0; i < l->block[b].count; i++)
            (l->block[b].family == &mb_dirichlet ? gen_dirichlet : gen_normal_wishart)(
                r, l->block[b].dim, par + l->block[b].off + l->block[b].len * (size_t)i);
}

/* n rows of d numbers around `groups` centres. */
static inline void gen_rows(mb_rng *r, int32_t n, int32_t d, int32_t groups, double *x)
{
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < d; i++)
            x[j * d + i] = 3.0 * ((j % groups) == i % groups) + mb_rng_normal(r);
}

#endif

/* gen.h - random posteriors and rows for tests; every one is drawn from a generator handed in. */
#ifndef MB_TEST_GEN_H
#define MB_TEST_GEN_H

#include "meshbayes/extend.h"

enum { GEN_MAX_D = 10 };

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

/* The lower triangle of B B' + I/4 by rows. */
static inline void gen_matrix(mb_rng *r, int32_t n, double *v)
{
    double B[GEN_MAX_D * GEN_MAX_D];

    for (int32_t e = 0; e < n * n; e++)
        B[e] = mb_rng_normal(r);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++, v++) {
            *v = i == j ? 0.25 : 0;
            for (int32_t k = 0; k < n; k++)
                *v += B[i * n + k] * B[j * n + k];
        }
}

/* [nu, beta, m, W^-1]. */
static inline void gen_normal_wishart(mb_rng *r, int32_t D, double *par)
{
    *par++ = D - 1 + 0.2 + 6 * mb_rng_uniform(r);
    *par++ = 0.1 + 3 * mb_rng_uniform(r);
    for (int32_t i = 0; i < D; i++)
        *par++ = 2 * mb_rng_normal(r);
    gen_matrix(r, D, par);
}

/* [nu, W^-1]. */
static inline void gen_wishart(mb_rng *r, int32_t D, double *par)
{
    *par++ = D - 1 + 0.2 + 6 * mb_rng_uniform(r);
    gen_matrix(r, D, par);
}

/* [beta, m] of each part, nu, W^-1. */
static inline void gen_tied_wishart(mb_rng *r, int32_t dim, double *par)
{
    const int32_t D = mb_tied_wishart.parts->size(dim), K = mb_tied_wishart.parts->count(dim);

    for (int32_t k = 0; k < K; k++) {
        *par++ = 0.1 + 3 * mb_rng_uniform(r);
        for (int32_t i = 0; i < D; i++)
            *par++ = 2 * mb_rng_normal(r);
    }
    *par++ = D - 1 + 0.2 + 6 * mb_rng_uniform(r);
    gen_matrix(r, D, par);
}

/* [a, b, m, Lambda]. */
static inline void gen_normal_gamma(mb_rng *r, int32_t p, double *par)
{
    *par++ = 0.1 + 5 * mb_rng_uniform(r);
    *par++ = 0.1 + 3 * mb_rng_uniform(r);
    for (int32_t i = 0; i < p; i++)
        *par++ = 2 * mb_rng_normal(r);
    gen_matrix(r, p, par);
}

/* [a, b (T), m (T x p), Lambda]. */
static inline void gen_matrix_normal_gamma(mb_rng *r, int32_t dim, double *par)
{
    const int32_t p = dim % MB_TARGETS_STEP, T = 1 + dim / MB_TARGETS_STEP;

    *par++ = 0.1 + 5 * mb_rng_uniform(r);
    for (int32_t t = 0; t < T; t++)
        *par++ = 0.1 + 3 * mb_rng_uniform(r);
    for (int32_t i = 0; i < p * T; i++)
        *par++ = 2 * mb_rng_normal(r);
    gen_matrix(r, p, par);
}

/* [a, b, m and Lambda of each of D targets]; c has the squares of all m, hence smaller ones. */
static inline void gen_normal_gamma_shared(mb_rng *r, int32_t dim, double *par)
{
    const int32_t p = dim % MB_TARGETS_STEP, D = 1 + dim / MB_TARGETS_STEP;

    *par++ = 0.1 + 5 * mb_rng_uniform(r);
    *par++ = 0.1 + 3 * mb_rng_uniform(r);
    for (int32_t d = 0; d < D; d++) {
        for (int32_t i = 0; i < p; i++)
            *par++ = mb_rng_normal(r);
        gen_matrix(r, p, par);
        par += p * (p + 1) / 2;
    }
}

/* [a, b] of each stick. */
static inline void gen_sticks(mb_rng *r, int32_t dim, double *par)
{
    gen_dirichlet(r, 2 * dim, par);
}

/* [rows, sum of ln u - u]. */
static inline void gen_dof(mb_rng *r, int32_t dim, double *par)
{
    (void)dim;
    par[0] = 20 * mb_rng_uniform(r);
    par[1] = -par[0] * (1 + mb_rng_uniform(r));
}

/* [a, b, m, lambda]. */
static inline void gen_normal_gamma_diag(mb_rng *r, int32_t D, double *par)
{
    *par++ = 0.1 + 5 * mb_rng_uniform(r);
    *par++ = 0.1 + 3 * mb_rng_uniform(r);
    for (int32_t i = 0; i < D; i++)
        par[i] = 2 * mb_rng_normal(r);
    for (int32_t i = 0; i < D; i++)
        par[D + i] = 0.1 + 3 * mb_rng_uniform(r);
}

/* [a, b], whatever dim. */
static inline void gen_gamma(mb_rng *r, int32_t dim, double *par)
{
    (void)dim;
    par[0] = 0.1 + 5 * mb_rng_uniform(r);
    par[1] = 0.1 + 3 * mb_rng_uniform(r);
}

/* [m, P]. */
static inline void gen_gaussian(mb_rng *r, int32_t dim, double *par)
{
    const int32_t p = dim % MB_TARGETS_STEP * (1 + dim / MB_TARGETS_STEP);

    for (int32_t i = 0; i < p; i++)
        *par++ = 2 * mb_rng_normal(r);
    gen_matrix(r, p, par);
}

typedef void (*gen_of)(mb_rng *r, int32_t dim, double *par);

static inline gen_of gen_for(const mb_family *f)
{
    if (f == &mb_dirichlet)
        return gen_dirichlet;
    if (f == &mb_sticks)
        return gen_sticks;
    if (f == &mb_dof)
        return gen_dof;
    if (f == &mb_tied_wishart)
        return gen_tied_wishart;
    if (f == &mb_normal_gamma_diag)
        return gen_normal_gamma_diag;
    if (f == &mb_gamma || f == &mb_gamma_squared || f == &mb_gamma_noise)
        return gen_gamma;
    if (f == &mb_wishart || f == &mb_effects || f == &mb_effects_origin)
        return gen_wishart;
    if (f == &mb_gaussian || f == &mb_gaussian_origin || f == &mb_gaussian_target ||
        f == &mb_gaussian_target_origin)
        return gen_gaussian;
    if (f == &mb_matrix_normal_gamma || f == &mb_matrix_normal_gamma_origin)
        return gen_matrix_normal_gamma;
    if (f == &mb_normal_gamma_shared)
        return gen_normal_gamma_shared;
    return f == &mb_normal_wishart ? gen_normal_wishart : gen_normal_gamma;
}

/* Size number i, from 0, of a family that may have any: a few of each, of two sizes where it has
 * two. */
static inline int32_t gen_dim(const mb_family *f, int32_t i)
{
    const int several = gen_for(f) == gen_matrix_normal_gamma || f == &mb_normal_gamma_shared;

    if ((f == &mb_gaussian || f == &mb_gaussian_origin) && i > 2) /* two and three predictors */
        return 2 + MB_TARGETS_STEP * (i - 2);
    return several ? 1 + i % 3 + MB_TARGETS_STEP * (1 + i / 3) : 1 + i;
}

/* Textbook parameters of a whole layout. */
static inline void gen_par(mb_rng *r, const mb_layout *l, double *par)
{
    for (int32_t b = 0; b < l->nblock; b++) {
        const mb_block *k = &l->block[b];
        double         *to = par + k->off;

        for (int32_t i = 0; i < k->count * k->members; i++) {
            const int32_t dim = k->dims ? k->dims[i % k->members] : k->dim;

            gen_for(k->family)(r, dim, to);
            to += k->family->len(dim);
        }
    }
}

/* n rows of d numbers around `groups` centres. */
static inline void gen_rows(mb_rng *r, int32_t n, int32_t d, int32_t groups, double *x)
{
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < d; i++)
            x[j * d + i] = 3.0 * ((j % groups) == i % groups) + mb_rng_normal(r);
}

#endif

/* random.c - random parameters from a posterior in textbook form. */
#include "expfam/random.h"
#include "num/gamma.h"
#include "num/num.h"

#include <math.h>

size_t mb_dirichlet_draw_len_(int32_t dim)
{
    return (size_t)dim;
}

/* Normalised gamma numbers; in logarithms, so that tiny alpha do not all come out 0. */
mb_status mb_dirichlet_draw_(int32_t dim, const double *par, mb_rng *rng, double *out,
                             double *scratch)
{
    double lse;

    (void)scratch;
    for (int32_t k = 0; k < dim; k++) {
        if (!(par[k] > 0))
            return MB_E_DOMAIN;
        out[k] = mb_draw_ln_gamma_(rng, par[k]);
    }
    lse = mb_logsumexp_(out, dim);
    for (int32_t k = 0; k < dim; k++)
        out[k] = exp(out[k] - lse);
    return MB_OK;
}

size_t mb_nw_draw_len_(int32_t D)
{
    return (size_t)D + mb_svec_len_(D);
}

/* Bartlett: A A' is Wishart(I, nu) when A is lower, its diagonal sqrt of chi2(nu - i), i from 0,
 * and normal below [Bartlett33]. */
static void bartlett(int32_t D, double nu, mb_rng *rng, double *A)
{
    for (int32_t i = 0; i < D; i++) {
        for (int32_t j = 0; j < i; j++)
            A[i * D + j] = mb_rng_normal(rng);
        A[i * D + i] = mb_draw_chi_(rng, nu - i);
    }
}

/* tril -> full lower triangle with zeros above, then its Cholesky factor. */
static mb_status factor(int32_t D, const double *tril, double *C)
{
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j < D; j++)
            C[i * D + j] = j <= i ? tril[i * (i + 1) / 2 + j] : 0;
    return mb_chol_(C, D) == 0 ? MB_OK : MB_E_DOMAIN;
}

/* With W^-1 = C C', Lambda = C^-T A A' C^-1 is Wishart(W, nu), and its inverse is B B' with
 * B = C A^-T: row i of B is A^-1 (row i of C). Then mu = m + B z / sqrt(beta). */
mb_status mb_nw_draw_(int32_t D, const double *par, mb_rng *rng, double *out, double *scratch)
{
    const size_t  d = (size_t)D;
    const double *m = par + 2;
    double       *B = scratch, *A = B + d * d, *z = A + d * d, *sigma = out + D;

    if (!(par[0] > D - 1) || !(par[1] > 0) || factor(D, m + D, B) < 0)
        return MB_E_DOMAIN;
    bartlett(D, par[0], rng, A);
    for (size_t i = 0; i < d; i++)
        z[i] = mb_rng_normal(rng) / sqrt(par[1]);
    for (size_t i = 0; i < d; i++)
        mb_chol_forward_(A, D, B + i * d);
    for (size_t i = 0; i < d; i++) {
        out[i] = m[i];
        for (size_t e = 0; e < d; e++)
            out[i] += B[i * d + e] * z[e];
        for (size_t j = 0; j <= i; j++, sigma++) {
            *sigma = 0;
            for (size_t e = 0; e < d; e++)
                *sigma += B[i * d + e] * B[j * d + e];
        }
    }
    return MB_OK;
}

size_t mb_ng_draw_len_(int32_t p)
{
    return (size_t)p + 1;
}

/* tau ~ Gamma(a, rate b); w = m + C^-T z / sqrt(tau) with Lambda = C C'. */
mb_status mb_ng_draw_(int32_t p, const double *par, mb_rng *rng, double *out, double *scratch)
{
    const double *m = par + 2;
    double        ln_tau;

    if (!(par[0] > 0) || !(par[1] > 0) || factor(p, m + p, scratch) < 0)
        return MB_E_DOMAIN;
    ln_tau = mb_draw_ln_gamma_(rng, par[0]) - log(par[1]);
    for (int32_t i = 0; i < p; i++)
        out[i] = mb_rng_normal(rng) * exp(-0.5 * ln_tau);
    mb_chol_backward_(scratch, p, out);
    for (int32_t i = 0; i < p; i++)
        out[i] += m[i];
    out[p] = exp(-ln_tau);
    return MB_OK;
}

/* gmm_full.c - components with a covariance matrix: a normal-Wishart [nu, beta, m, tril(W^-1)]. */
#include "model/gmm_form.h"
#include "model/prior.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

enum { PAR_NU, PAR_BETA, PAR_M };

static size_t slice(const mb_sizes *s, size_t *mean_step)
{
    *mean_step = 1;
    return PAR_M + (size_t)s->D + mb_svec_len_(s->D);
}

static double covariance(const mb_sizes *s, const double *c, const double *shared, int32_t i,
                         int32_t j)
{
    (void)shared;
    return c[PAR_M + (size_t)s->D + mb_packed_at_(i, j)] / c[PAR_NU];
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D;
    size_t         one;
    const size_t   at = mb_gmm_first_(s), step = slice(s, &one);
    const mb_field all[] = {
        {.key = "mean_precision", 1, {K}, .bounded = 1, .at = at + PAR_BETA, .step = step},
        {.key = "degrees_of_freedom", 1, {K}, .bounded = 1, .above = D - 1, .at = at, .step = step},
        {.key = "means", 2, {K, D}, .at = at + PAR_M, .step = step},
        {.key = "covariances",
         3,
         {K, D, D},
         1,
         .derived = 1,
         .at = (size_t)K,
         .step = mb_svec_len_(D)},
        {.key = "w_inverse", 3, {K, D, D}, 1, .at = at + PAR_M + (size_t)D, .step = step}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void derive(const mb_sizes *s, const double *c, const double *shared, int32_t k, double *out)
{
    const size_t n = mb_svec_len_(s->D);

    (void)shared;
    for (size_t l = 0; l < n; l++)
        out[(size_t)k * n + l] = c[PAR_M + (size_t)s->D + l] / c[PAR_NU];
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D;
    const size_t   at = (size_t)K, step = (size_t)D + mb_svec_len_(D);
    const mb_field all[] = {
        {.key = "mean", 2, {K, D}, .at = at, .step = step},
        {.key = "covariance", 3, {K, D, D}, 1, .at = at + (size_t)D, .step = step}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* -Lambda mu and Lambda are rows of svec(U), which follow E ln |Lambda| and row 0 of U. */
static double squared(const mb_posterior *p, const double *c, const double *mu,
                      const double *shared, const double *v)
{
    const double *u = mu + 1 + 1, *scale = p->units.scale;
    double        sum = 0;

    (void)c, (void)shared;
    for (int32_t i = 0; i < p->size.D; i++) {
        u++;
        for (int32_t j = 0; j <= i; j++)
            sum += (i == j ? 1 : sqrt(2)) * *u++ * (v[i] / scale[i]) * (v[j] / scale[j]);
    }
    return sum;
}

static size_t scatter(const mb_sizes *s, int32_t *step)
{
    *step = s->D + 1;
    return (size_t)s->D * (size_t)s->D;
}

static mb_status scatter_of(mb_arena *a, const mb_sizes *s, int32_t prior,
                            const mb_row_moments *seen, double *out, const char **warning,
                            mb_err *err)
{
    const size_t n = (size_t)s->D;

    for (size_t d = 0; d < n; d++)
        out[d * n + d] = prior == MB_GMM_PAPER_ ? mb_gmm_paper_ : seen->spread[d] * seen->spread[d];
    return prior == MB_GMM_EMPIRICAL_ ? mb_prior_covariance_(a, seen, out, warning, err) : MB_OK;
}

const mb_gmm_form_ mb_gmm_full_ = {.mean = PAR_M,
                                   .slice = slice,
                                   .fields = fields,
                                   .derive = derive,
                                   .drawn = drawn,
                                   .covariance = covariance,
                                   .squared = squared,
                                   .scatter = scatter,
                                   .scatter_of = scatter_of};

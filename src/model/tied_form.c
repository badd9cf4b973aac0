/* tied_form.c - a mixture whose components share a matrix as its users know it: [beta, m] of each
 * component, then nu and tril(W^-1) of all. */
#include "model/gmm_form.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

enum { PAR_BETA, PAR_M };
/* What all share. */
enum { PAR_NU, PAR_W };

static size_t slice(const mb_sizes *s, size_t *mean_step)
{
    *mean_step = 1;
    return PAR_M + (size_t)s->D;
}

static double covariance(const mb_sizes *s, const double *c, const double *shared, int32_t i,
                         int32_t j)
{
    (void)s, (void)c;
    return shared[PAR_W + mb_packed_at_(i, j)] / shared[PAR_NU];
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D;
    size_t         one;
    const size_t   at = mb_gmm_first_(s), step = slice(s, &one), shared = at + (size_t)K * step;
    const mb_field all[] = {
        {.key = "mean_precision", 1, {K}, .bounded = 1, .at = at + PAR_BETA, .step = step},
        {.key = "degrees_of_freedom", 0, {0}, .bounded = 1, .above = D - 1, .at = shared + PAR_NU},
        {.key = "means", 2, {K, D}, .at = at + PAR_M, .step = step},
        {.key = "covariances", 2, {D, D}, 1, .derived = 1, .at = (size_t)K},
        {.key = "w_inverse", 2, {D, D}, 1, .at = shared + PAR_W}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static void derive(const mb_sizes *s, const double *c, const double *shared, int32_t k, double *out)
{
    (void)c, (void)k;
    for (size_t l = 0; l < mb_svec_len_(s->D); l++)
        out[l] = shared[PAR_W + l] / shared[PAR_NU];
}

/* The means, then the one covariance. */
static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D;
    const size_t   k = (size_t)K, d = (size_t)D;
    const mb_field all[] = {{.key = "mean", 2, {K, D}, .at = k, .step = d},
                            {.key = "covariance", 2, {D, D}, 1, .at = k + k * d}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Lambda is a svec after ln |Lambda|. */
static double squared(const mb_posterior *p, const double *c, const double *mu,
                      const double *shared, const double *v)
{
    const double *u = shared + PAR_W, *scale = p->units.scale;
    double        sum = 0;

    (void)c, (void)mu;
    for (int32_t i = 0; i < p->size.D; i++)
        for (int32_t j = 0; j <= i; j++)
            sum += (i == j ? 1 : sqrt(2)) * *u++ * (v[i] / scale[i]) * (v[j] / scale[j]);
    return sum;
}

/* W0^-1 as if each component had it: the one precision is worth nu0 rows, not nu0 a component. */
static size_t scatter(const mb_sizes *s, int32_t *step)
{
    return mb_gmm_full_.scatter(s, step);
}

static mb_status scatter_of(mb_arena *a, const mb_sizes *s, int32_t prior,
                            const mb_row_moments *seen, double *out, const char **warning,
                            mb_err *err)
{
    return mb_gmm_full_.scatter_of(a, s, prior, seen, out, warning, err);
}

const mb_gmm_form_ mb_gmm_shared_ = {.mean = PAR_M,
                                     .slice = slice,
                                     .fields = fields,
                                     .derive = derive,
                                     .drawn = drawn,
                                     .covariance = covariance,
                                     .squared = squared,
                                     .scatter = scatter,
                                     .scatter_of = scatter_of};

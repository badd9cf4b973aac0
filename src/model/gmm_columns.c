/* gmm_columns.c - components with a variance for each column (diag) or with one (spherical): members
 * [a, b, m, lambda] of one column or of all, docs/math.md, section 16. */
#include "model/gmm_form.h"
#include "model/prior.h"

#include <string.h>

enum { PAR_A, PAR_B, PAR_M };

/* 1: a variance for each column; 0: one for all. */
static int is_diag(const mb_sizes *s)
{
    return s->choice[MB_GMM_FORM_CHOICE_] == MB_COVARIANCE_DIAG;
}

/* Precisions of a component. Files that are read may have no columns, until they are refused. */
static int32_t members(const mb_sizes *s)
{
    return is_diag(s) ? s->D : 1;
}

/* Columns of a precision. */
static int32_t dim_of(const mb_sizes *s)
{
    return is_diag(s) ? 1 : s->D;
}

/* Numbers of a member. */
static size_t member(const mb_sizes *s)
{
    return PAR_M + 2 * (size_t)dim_of(s);
}

static size_t slice(const mb_sizes *s, size_t *mean_step)
{
    *mean_step = is_diag(s) ? member(s) : 1;
    return (size_t)members(s) * member(s);
}

/* The precision of column d. */
static const double *of_column(const mb_sizes *s, const double *c, int32_t d)
{
    return is_diag(s) ? c + (size_t)d * member(s) : c;
}

static double variance(const double *c)
{
    return c[PAR_B] / c[PAR_A];
}

static double covariance(const mb_sizes *s, const double *c, const double *shared, int32_t i,
                         int32_t j)
{
    (void)shared;
    return i == j ? variance(of_column(s, c, i)) : 0;
}

/* Numbers that a precision has are a matrix K x D (diag) or a list (spherical). */
static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t K = s->K, D = s->D, ndim = is_diag(s) ? 2 : 1;
    const size_t  at = mb_gmm_first_(s), M = (size_t)members(s), dim = (size_t)dim_of(s);
    const size_t  k = (size_t)K;
    size_t        inner;
    const size_t  step = slice(s, &inner), means = at + PAR_M;
    mb_field      all[] = {
             {.key = "mean_precision", 2, {K, D}, .bounded = 1, .at = means + dim, .step = step},
             {.key = "degrees_of_freedom", ndim, {K, D}, .derived = 1, .at = k, .step = M},
             {.key = "means", 2, {K, D}, .at = means, .step = step},
             {.key = "covariances", ndim, {K, D}, .derived = 1, .at = k + k * M, .step = M},
             {.key = "shape", ndim, {K, D}, .bounded = 1, .at = at + PAR_A, .step = step},
             {.key = "rate", ndim, {K, D}, .bounded = 1, .at = at + PAR_B, .step = step}};

    for (size_t f = 0; f < sizeof all / sizeof *all; f++)
        if (!all[f].derived)
            all[f].inner = inner;
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* Degrees of freedom count rows: a = nu/2 for one column, D nu/2 for all. */
static void derive(const mb_sizes *s, const double *c, const double *shared, int32_t k, double *out)
{
    const int32_t M = members(s);

    (void)shared;
    out += (size_t)k * (size_t)M;
    for (int32_t m = 0; m < M; m++) {
        out[m] = 2 * of_column(s, c, m)[PAR_A] / dim_of(s);
        out[(size_t)s->K * (size_t)M + (size_t)m] = variance(of_column(s, c, m));
    }
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const int32_t  K = s->K, D = s->D, ndim = is_diag(s) ? 2 : 1;
    const size_t   at = (size_t)K, M = (size_t)members(s), dim = (size_t)dim_of(s);
    const size_t   step = M * (dim + 1), inner = is_diag(s) ? dim + 1 : 1;
    const mb_field all[] = {
        {.key = "mean", 2, {K, D}, .at = at, .step = step, .inner = inner},
        {.key = "covariance", ndim, {K, D}, .at = at + dim, .step = step, .inner = inner}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static double squared(const mb_posterior *p, const double *c, const double *mu,
                      const double *shared, const double *v)
{
    double sum = 0;

    (void)mu, (void)shared;
    for (int32_t d = 0; d < p->size.D; d++)
        sum += v[d] * v[d] / variance(of_column(&p->size, c, d));
    return sum;
}

static size_t scatter(const mb_sizes *s, int32_t *step)
{
    *step = 1;
    return (size_t)members(s);
}

/* A single variance is the mean of those of the columns, of which constant ones have no range. */
static double weak(const mb_row_moments *seen, int32_t first, int32_t n)
{
    double  sum = 0;
    int32_t count = 0;

    for (int32_t d = first; d < first + n; d++)
        if (!seen->constant[d]) {
            sum += seen->spread[d] * seen->spread[d];
            count++;
        }
    return count ? sum / count : 1;
}

static mb_status scatter_of(mb_arena *a, const mb_sizes *s, int32_t prior,
                            const mb_row_moments *seen, double *out, const char **warning,
                            mb_err *err)
{
    const int32_t M = members(s), dim = dim_of(s);

    for (int32_t m = 0; m < M; m++)
        out[m] = prior == MB_GMM_PAPER_ ? mb_gmm_paper_ : weak(seen, m * dim, dim);
    return prior == MB_GMM_EMPIRICAL_ ? mb_prior_variances_(a, seen, M, out, warning, err) : MB_OK;
}

const mb_gmm_form_ mb_gmm_columns_ = {.mean = PAR_M,
                                      .slice = slice,
                                      .fields = fields,
                                      .derive = derive,
                                      .drawn = drawn,
                                      .covariance = covariance,
                                      .squared = squared,
                                      .scatter = scatter,
                                      .scatter_of = scatter_of};

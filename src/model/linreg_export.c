/* linreg_export.c - a regression as the attributes of scikit-learn's BayesianRidge, which estimates
 * one precision of the coefficients where we are given a prior, and one number where our noise
 * precision has a distribution; with relevance as those of its ARDRegression. */
#include "model/export.h"
#include "model/linreg_par.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

static const double *lambda(const mb_posterior *p, const double *par)
{
    return mb_linreg_lambda_(&p->size, par);
}

/* The coefficients' block of Lambda^-1, over E of the noise precision. */
static mb_status sigma(mb_arena *a, const mb_posterior *p, mb_array *out, mb_err *err)
{
    const int32_t D = p->size.D, first = p->size.intercept, n = D + first;
    const double *L = lambda(p, p->par), noise = p->par[PAR_B] / p->par[PAR_A];
    double       *full, *C, *Cinv, *x;

    MB_NEW(full, a, (size_t)n * (size_t)n, err);
    MB_NEW(C, a, (size_t)n * (size_t)n, err);
    MB_NEW(Cinv, a, (size_t)n * (size_t)n, err);
    MB_NEW(x, a, (size_t)D * (size_t)D, err);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            full[(size_t)i * (size_t)n + (size_t)j] = L[mb_packed_at_(i, j)];
    MB_TRY(mb_cholesky(n, full, C, Cinv, err));
    *out = (mb_array){.ndim = 2, .shape = {D, D}, .x = x};
    for (int32_t i = first; i < n; i++)
        for (int32_t j = first; j < n; j++, x++)
            for (int32_t l = 0; l < n; l++)
                *x += noise * Cinv[(size_t)l * (size_t)n + (size_t)i] *
                      Cinv[(size_t)l * (size_t)n + (size_t)j];
    return MB_OK;
}

/* The prior precision of every coefficient, in units of the noise's, if they are all equal and
 * independent; else NaN. */
static double one_precision(const mb_posterior *p)
{
    const double *L = lambda(p, p->prior_par);
    const int32_t first = p->size.intercept, n = p->size.D + first;
    const double  one = n > first ? L[mb_packed_at_(first, first)] : (double)NAN;

    for (int32_t i = first; i < n; i++)
        for (int32_t j = 0; j <= i; j++) {
            const double x = L[mb_packed_at_(i, j)], want = i == j ? one : 0;

            if (x < want || x > want)
                return (double)NAN;
        }
    return one;
}

/* Means of the inputs' rows, which the sums in Lambda hold beyond the prior's. */
static mb_status offsets(mb_arena *a, const mb_posterior *p, mb_array *out, mb_err *err)
{
    const double *L = lambda(p, p->par), *before = lambda(p, p->prior_par);
    double       *x;

    MB_NEW(x, a, p->size.D, err);
    *out = (mb_array){.ndim = 1, .shape = {p->size.D}, .x = x};
    for (int32_t d = 0; p->size.intercept && d < p->size.D; d++) {
        const size_t at = mb_packed_at_(d + 1, 0);

        x[d] = L[0] > before[0] ? (L[at] - before[at]) / (L[0] - before[0]) : 0;
    }
    return MB_OK;
}

/* The linear part: predict needs no more. */
static mb_status put_line(mb_attributes_ *t, const mb_posterior *p, mb_err *err)
{
    const int32_t D = p->size.D, first = p->size.intercept;
    mb_array      x;
    double       *ones;

    mb_attribute_array_(t, "coef_",
                        &(mb_array){.ndim = 1, .shape = {D}, .x = p->par + PAR_M + first});
    MB_TRY(mb_attribute_number_(t, "intercept_", MB_ITEM_REAL, first ? p->par[PAR_M] : 0, err));
    MB_TRY(offsets(t->a, p, &x, err));
    mb_attribute_array_(t, "X_offset_", &x);
    MB_NEW(ones, t->a, D, err);
    for (int32_t d = 0; d < D; d++)
        ones[d] = 1;
    mb_attribute_array_(t, "X_scale_", &(mb_array){.ndim = 1, .shape = {D}, .x = ones});
    return MB_OK;
}

/* lambda_, where sklearn has it: in units of its own, not of the noise's. */
static mb_status put_precision(mb_attributes_ *t, const mb_posterior *p, double noise, mb_err *err)
{
    const double one = one_precision(p);
    double      *x;

    if (!p->size.choice[0])
        return isnan(one) ? MB_OK
                          : mb_attribute_number_(t, "lambda_", MB_ITEM_REAL, noise * one, err);
    MB_NEW(x, t->a, p->size.D, err);
    mb_attribute_array_(t, "lambda_", &(mb_array){.ndim = 1, .shape = {p->size.D}, .x = x});
    for (int32_t d = 0; d < p->size.D; d++)
        x[d] = noise * mb_linreg_relevance_(&p->size, p->par, d);
    return MB_OK;
}

mb_status mb_linreg_sklearn_(mb_arena *a, const mb_posterior *p, const mb_ended *run,
                             mb_array **out, int32_t *count, mb_err *err)
{
    mb_attributes_ t;
    mb_array       x;
    double         precision, *score;

    if (p->size.targets > 1)
        MB_FAIL(err, MB_E_NOSUP,
                "scikit-learn's BayesianRidge has one target; %s has %d: export one of them alone",
                p->name, p->size.targets);
    if (!p->prior_par)
        MB_FAIL(err, MB_E_ARG, "prior_par: got none; expected the prior's parameters");
    MB_TRY(mb_attributes_begin_(a, p, run, &t, err));
    MB_TRY(put_line(&t, p, err));
    precision = p->par[PAR_A] / p->par[PAR_B];
    MB_TRY(mb_attribute_number_(&t, "alpha_", MB_ITEM_REAL, precision, err));
    MB_TRY(sigma(a, p, &x, err));
    mb_attribute_array_(&t, "sigma_", &x);
    MB_TRY(put_precision(&t, p, precision, err));
    if (!isnan(run->bound)) {
        MB_NEW(score, a, 1, err);
        *score = run->bound;
        mb_attribute_array_(&t, "scores_", &(mb_array){.ndim = 1, .shape = {1}, .x = score});
    }
    *out = t.list;
    *count = t.n;
    return MB_OK;
}

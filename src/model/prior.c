/* prior.c - what models share about priors: checks, options, and the log partition and margins, which
 * are computed once. */
#include "model/prior.h"
#include "base/err.h"
#include "base/gaps.h"
#include "base/opt.h"
#include "base/text.h"
#include "expfam/expfam.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

mb_status mb_check_sizes_(int32_t K, int32_t D, mb_err *err)
{
    enum { MAX_K = 1000000, MAX_D = 10000 };

    if (K < 1 || K > MAX_K)
        MB_FAIL(err, MB_E_ARG, "K = %" PRId32 " components; expected 1 to %d", K, MAX_K);
    if (D < 1 || D > MAX_D)
        MB_FAIL(err, MB_E_ARG, "D = %" PRId32 " columns; expected 1 to %d", D, MAX_D);
    return MB_OK;
}

mb_status mb_check_positive_(const char *name, double value, mb_err *err)
{
    if (!(value > 0 && isfinite(value)))
        MB_FAIL_OPTION(err, name, MB_E_ARG, "%s = %g; it must be positive and finite", name, value);
    return MB_OK;
}

mb_status mb_check_concentration_(const char *name, double value, mb_err *err)
{
    MB_TRY(mb_check_positive_(name, value, err));
    if (value < 1e-16)
        MB_FAIL_OPTION(err, name, MB_E_ARG,
                       "%s = %g cannot be held in double precision; expected 1e-16 or more", name,
                       value);
    return MB_OK;
}

mb_status mb_check_finite_(const char *name, int32_t n, const double *x, mb_err *err)
{
    for (int32_t i = 0; x && i < n; i++)
        if (!isfinite(x[i]))
            MB_FAIL_OPTION(err, name, MB_E_ARG, "%s[%" PRId32 "] = %g; it must be finite", name, i,
                           x[i]);
    return MB_OK;
}

mb_status mb_check_matrix_(mb_arena *a, const char *name, int32_t n, const double *A, mb_err *err)
{
    const double tol = 1e-9;
    const size_t m = (size_t)n;
    double      *C;
    int32_t      minor;

    if (!A)
        return MB_OK;
    MB_NEW(C, a, m * m, err);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j <= i; j++) {
            const double x = A[i * m + j], y = A[j * m + i];
            const double size = sqrt(fabs(A[i * m + i]) * fabs(A[j * m + j]));

            if (!isfinite(x) || !isfinite(y) || fabs(x - y) > tol * size)
                MB_FAIL_OPTION(
                    err, name, MB_E_ARG,
                    "%s[%zu][%zu] = %g and %s[%zu][%zu] = %g; the matrix must be finite and "
                    "symmetric",
                    name, i, j, x, name, j, i, y);
            C[i * m + j] = x;
        }
    minor = mb_chol_(C, n);
    if (minor != 0)
        MB_FAIL_OPTION(err, name, MB_E_ARG,
                       "%s is not positive definite (its leading %" PRId32 " x %" PRId32
                       " part fails)",
                       name, minor, minor);
    return MB_OK;
}

void mb_prior_par_(double first, double second, int32_t n, const double *m, const double *A,
                   double diagonal, double *par)
{
    *par++ = first;
    *par++ = second;
    for (int32_t i = 0; i < n; i++)
        *par++ = m ? m[i] : 0;
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++)
            *par++ = A ? A[(size_t)i * (size_t)n + (size_t)j] : diagonal * (i == j);
}

mb_status mb_given_numbers_(const char *name, const char *text, const double *at, int32_t features,
                            int32_t n, int32_t step, double *x, mb_err *err)
{
    int32_t count = n;

    if (at)
        memcpy(x, at, (size_t)n * sizeof *x);
    else if (text)
        MB_TRY(mb_opt_numbers(name, text, n, x, &count, err));
    if (count != n && n == 1)
        MB_FAIL_OPTION(err, name, MB_E_ARG, "--%s: got %d numbers; expected 1 number", name, count);
    if (count != n && count != 1)
        MB_FAIL_OPTION(err, name, MB_E_ARG,
                       "--%s: got %d numbers for %d features; expected 1 or %d numbers", name,
                       count, features, n);
    for (int32_t k = count; k < n; k++)
        x[k] = k % step ? 0 : x[0];
    return MB_OK;
}

mb_status mb_prior_word_(const char *text, const char *choices, int32_t *which, mb_err *err)
{
    const mb_opt o = {.name = "prior", .kind = MB_OPT_CHOICE, .choices = choices};

    *which = 0;
    if (!text)
        return MB_OK;
    if (!strncmp(text, "posterior:", 10))
        MB_FAIL(err, MB_E_ARG,
                "--prior: got \"%s\", which is not read here; expected the posterior in "
                "mb_case_opt.prior",
                text);
    return mb_opt_set(&o, text, which, err);
}

/* 1 when the correlation matrix of cov (n x n) is singular, whatever the units of the columns. */
static mb_status singular(mb_arena *a, int32_t n, const double *cov, int *out, mb_err *err)
{
    const double smallest = 1e-12; /* pivot: what a column has of its own, of its variance */
    const size_t m = (size_t)n;
    double      *R;

    MB_NEW(R, a, m * m, err);
    *out = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j <= i; j++)
            R[i * m + j] =
                i == j ? 1 : cov[i * m + j] / sqrt(cov[i * m + i]) / sqrt(cov[j * m + j]);
    for (size_t i = 0; i < m; i++)
        *out |= !(cov[i * m + i] > 0);
    if (!*out)
        *out = mb_chol_(R, n) != 0;
    for (size_t i = 0; i < m && !*out; i++)
        *out = !(R[i * m + i] * R[i * m + i] > smallest);
    return MB_OK;
}

static const double raise = 1e-6; /* of the mean of the diagonal */

/* 1: there is a covariance, whose diagonal has this mean. */
static int has_covariance(double mean, const char **warning)
{
    if (mean > 0 && isfinite(mean))
        return 1;
    *warning =
        "the rows have no covariance (all columns are constant, or their weights sum to 1 or "
        "less): the prior's is that of --prior weak";
    return 0;
}

/* The columns' variances alone, those of constant columns raised. */
static void keep_variances(size_t d, double mean, double *cov)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++)
            cov[i * d + j] = i != j ? 0 : cov[i * d + i] > 0 ? cov[i * d + i] : raise * mean;
}

mb_status mb_prior_covariance_(mb_arena *a, const mb_row_moments *seen, double *cov,
                               const char **warning, mb_err *err)
{
    const size_t d = (size_t)seen->d;
    double       mean = 0;
    int          flat = 0;

    for (size_t i = 0; i < d && seen->weight > 1; i++)
        mean += seen->cov[i * d + i] / (double)d;
    if (!has_covariance(mean, warning))
        return MB_OK;
    memcpy(cov, seen->cov, d * d * sizeof *cov);
    MB_TRY(singular(a, seen->d, cov, &flat, err));
    if (!flat)
        return MB_OK;
    if (MB_GAPS_(seen->filled != NULL)) {
        keep_variances(d, mean, cov);
        *warning = "the covariance of the values that columns have in common is not positive "
                   "definite (gaps, constant or collinear columns): the prior has the variances of "
                   "the columns alone; --prior.w0inv gives another";
        return MB_OK;
    }
    for (size_t i = 0; i < d; i++)
        cov[i * d + i] += raise * mean;
    *warning = mb_text(a, err,
                       "the covariance of the rows is singular (constant or collinear columns, or "
                       "fewer rows than columns): the prior has it with %.3g, 1e-6 of the mean of "
                       "its diagonal, added to the diagonal; --prior.w0inv gives another",
                       raise * mean);
    return *warning ? MB_OK : MB_E_NOMEM;
}

mb_status mb_prior_variances_(mb_arena *a, const mb_row_moments *seen, int32_t n, double *var,
                              const char **warning, mb_err *err)
{
    double mean = 0;
    int    flat = 0;

    for (int32_t d = 0; d < seen->d && seen->weight > 1; d++)
        mean += seen->sd[d] * seen->sd[d] / seen->d;
    if (!has_covariance(mean, warning))
        return MB_OK;
    for (int32_t d = 0; d < n; d++) {
        var[d] = n < seen->d ? mean : seen->sd[d] * seen->sd[d];
        flat |= !(var[d] > 0);
        var[d] = var[d] > 0 ? var[d] : raise * mean;
    }
    if (!flat)
        return MB_OK;
    *warning =
        mb_text(a, err,
                "there are constant columns: the prior gives them the variance %.3g, 1e-6 of "
                "the mean of all; --prior.w0inv gives others",
                raise * mean);
    return *warning ? MB_OK : MB_E_NOMEM;
}

mb_status mb_prior_units_(mb_arena *a, int32_t intercept, const mb_row_moments *seen, mb_units *out,
                          mb_err *err)
{
    *out = (mb_units){.d = seen->d, .origin = seen->mean};
    MB_NEW(out->scale, a, seen->d, err);
    for (int32_t d = 0; d < seen->d; d++) {
        const double size = intercept ? seen->sd[d] : hypot(seen->mean[d], seen->sd[d]);

        out->scale[d] = size > 0 && isfinite(size) ? size : seen->spread[d];
    }
    return MB_OK;
}

mb_status mb_par_to_units_(mb_arena *a, const mb_layout *l, const mb_units *from,
                           const mb_units *to, double *par, mb_err *err)
{
    double *origin, *scale;

    MB_NEW(origin, a, to->d, err);
    MB_NEW(scale, a, to->d, err);
    for (int32_t k = 0; k < to->d; k++) {
        origin[k] = ((from ? from->origin[k] : 0) - to->origin[k]) / to->scale[k];
        scale[k] = (from ? from->scale[k] : 1) / to->scale[k];
    }
    mb_move_par(l, origin, scale, par);
    return MB_OK;
}

mb_status mb_prior_of_data_(mb_arena *a, const mb_units *run, mb_prior *out, mb_err *err)
{
    const mb_layout *l = &out->model.layout;
    double          *par;

    MB_NEW(par, a, l->len, err);
    memcpy(par, out->par, l->len * sizeof *par);
    MB_TRY(mb_par_to_units_(a, l, NULL, run, par, err));
    if (mb_model_prior(a, par, &out->model, err) < 0)
        MB_FAIL(err, MB_E_ARG, "the prior cannot be held in double precision in these columns");
    return MB_OK;
}

mb_status mb_model_prior(mb_arena *a, const double *par, mb_model *m, mb_err *err)
{
    double *phi;

    MB_NEW(phi, a, m->layout.len, err);
    MB_TRY(mb_from_par(&m->layout, par, phi, err));
    return mb_prior_natural_(a, phi, m, err);
}

mb_status mb_prior_natural_(mb_arena *a, const double *phi, mb_model *m, mb_err *err)
{
    const mb_layout *l = &m->layout;
    double          *eps, *scratch;

    MB_NEW(eps, a, l->nblock, err);
    MB_NEW(scratch, a, l->scratch, err);
    MB_TRY(mb_margin(l, phi, eps, scratch, err));
    MB_TRY(mb_prior_moments(l, phi, NULL, &m->A_prior, scratch, err));
    m->prior = phi;
    m->eps = eps;
    return MB_OK;
}

/* posterior_linreg.c - Bayesian linear regression in posterior files. */
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

/* par of the family: a, b, m (p), lower triangle of Lambda. */
enum { PAR_A, PAR_B, PAR_M };

static int32_t coefficients(const posterior *p)
{
    return p->model.layout.block[0].dim;
}

static mb_status scales(mb_arena *a, const posterior *p, const double *par, double **out,
                        mb_err *err)
{
    const size_t n = (size_t)coefficients(p);
    double      *scratch;

    MB_NEW(*out, a, n, err);
    MB_NEW(scratch, a, 2 * n * n, err);
    return mb_linreg_scales((int32_t)n, par, *out, scratch, err);
}

static mb_status put(mb_arena *a, const posterior *p, const double *par, json_t *out, mb_err *err)
{
    const int32_t n = coefficients(p), first = p->intercept;
    double       *scale;

    MB_TRY(scales(a, p, par, &scale, err));
    json_object_set_new(out, "shape", app_json_number(par[PAR_A]));
    json_object_set_new(out, "rate", app_json_number(par[PAR_B]));
    json_object_set_new(out, "intercept", first ? app_json_number(par[PAR_M]) : json_null());
    json_object_set_new(out, "coef", app_json_vector(par + PAR_M + first, n - first));
    json_object_set_new(out, "precision", app_json_triangle(par + PAR_M + n, n, 1));
    json_object_set_new(out, "intercept_scale", first ? app_json_number(scale[0]) : json_null());
    json_object_set_new(out, "coef_scale", app_json_vector(scale + first, n - first));
    json_object_set_new(out, "degrees_of_freedom", app_json_number(2 * par[PAR_A]));
    json_object_set_new(
        out, "noise_variance",
        app_json_number(par[PAR_A] > 1 ? par[PAR_B] / (par[PAR_A] - 1) : (double)NAN));
    return MB_OK;
}

static mb_status make(mb_arena *a, app_json *j, const json_t *o, posterior *p)
{
    const json_t *intercept = json_object_get(o, "intercept");
    const int32_t n = p->D + !json_is_null(intercept), shape[] = {n, n};
    mb_linreg_opt opt;

    if (!intercept)
        app_json_refuse(j, "intercept", "", "a number, or null for none");
    if (!p->target)
        app_json_refuse(j, "target", "", "the name of the column that is explained");
    if (n < 1)
        app_json_refuse(j, "features", "", "at least one name when there is no intercept");
    app_json_numbers(j, o, "precision", 2, shape, NULL);
    MB_TRY(j->status);
    p->intercept = n - p->D;
    opt = mb_linreg_defaults(p->D, p->intercept);
    return mb_linreg_new(a, &opt, &p->model, j->err);
}

static mb_status get(mb_arena *a, app_json *j, const json_t *o, const posterior *p, double *par)
{
    const int32_t n = coefficients(p), first = p->intercept, shape[] = {n, n};
    double       *full, *scale;

    MB_NEW(full, a, (size_t)n * (size_t)n, j->err);
    app_json_numbers(j, o, "shape", 0, NULL, par + PAR_A);
    app_json_numbers(j, o, "rate", 0, NULL, par + PAR_B);
    if (first)
        app_json_numbers(j, o, "intercept", 0, NULL, par + PAR_M);
    else if (!json_is_null(json_object_get(o, "intercept")))
        app_json_refuse(j, "intercept", "", "null, as in the posterior");
    app_json_numbers(j, o, "coef", 1, &p->D, par + PAR_M + first);
    app_json_numbers(j, o, "precision", 2, shape, full);
    MB_TRY(j->status);
    if (!(par[PAR_A] > 0))
        app_json_refuse(j, "shape", "", "a number above 0");
    if (!(par[PAR_B] > 0))
        app_json_refuse(j, "rate", "", "a number above 0");
    app_json_lower(j, "precision", -1, n, full, par + PAR_M + n);
    MB_TRY(j->status);
    if (scales(a, p, par, &scale, NULL) < 0)
        app_json_refuse(j, "precision", "", "a positive definite matrix");
    return j->status;
}

/* Entry (i, j), j <= i, of a lower triangle by rows. */
static int64_t tri(int64_t i, int64_t j)
{
    return i * (i + 1) / 2 + j;
}

/* Middle and spread of the inputs as the precision remembers them (it holds the sums of x and x^2),
 * of the target by the line there. Without an intercept the origin must stay. */
static mb_status own_units(mb_arena *a, posterior *p, mb_err *err)
{
    const int32_t q = coefficients(p);
    const double *L = p->par + PAR_M + q, *m = p->par + PAR_M + p->intercept;
    const double  n = p->intercept ? L[0] : 2 * p->par[PAR_A];

    MB_NEW(p->origin, a, p->D + 1, err);
    MB_NEW(p->scale, a, p->D + 1, err);
    p->origin[p->D] = p->intercept ? p->par[PAR_M] : 0;
    for (int32_t d = 0; d < p->D; d++) {
        const int64_t at = d + p->intercept;
        const double  o = p->intercept ? L[tri(at, 0)] / n : 0;
        const double  spread = L[tri(at, at)] / n - o * o;

        p->origin[d] = o;
        p->scale[d] = spread > 0 && isfinite(spread) ? sqrt(spread) : 1;
        p->origin[p->D] += o * m[d];
    }
    p->scale[p->D] = sqrt(p->par[PAR_B] / p->par[PAR_A]);
    p->log_jacobian = log(p->scale[p->D]);
    return MB_OK;
}

static mb_status beside(mb_arena *a, const posterior *p, const posterior *q, const int32_t *other,
                        json_t *out, mb_err *err)
{
    const int32_t n = coefficients(p), first = p->intercept;
    double       *scale;

    (void)other;
    MB_TRY(scales(a, p, p->par, &scale, err));
    for (int32_t j = 0; j < n; j++) {
        const double mine = p->par[PAR_M + j], its = q->par[PAR_M + j];

        json_array_append_new(out, json_pack("{s:s, s:o, s:o, s:o}", "coefficient",
                                             j < first ? "(intercept)" : p->feature[j - first],
                                             "mean", app_json_number(mine), "other_mean",
                                             app_json_number(its), "distance_in_scales",
                                             app_json_number(fabs(mine - its) / scale[j])));
    }
    return MB_OK;
}

const posterior_model posterior_linreg = {.name = "linreg",
                                          .predicts = 1 << MB_WANT_MEAN_VAR | 1 << MB_WANT_INTERVAL,
                                          .put = put,
                                          .make = make,
                                          .get = get,
                                          .own_units = own_units,
                                          .beside = beside};

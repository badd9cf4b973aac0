/* model_linreg.c - Bayesian linear regression in the program: its options, parameters and words. */
#include "sim/sim_model.h"

#include <math.h>
#include <string.h>

/* par of the family: a, b, m (p), lower triangle of Lambda. */
enum { PAR_A, PAR_B, PAR_M };

static int32_t inputs(const sim *s)
{
    return s->data.d - 1;
}

static int32_t coefficients(const sim *s)
{
    return inputs(s) + s->opt.intercept;
}

static mb_status find_target(const sim *s, int32_t *column, mb_err *err)
{
    const char *want = s->opt.target_column;
    const char *dot = strrchr(s->opt.data, '.');

    *column = s->data.d - 1;
    if (!want && dot && !strcmp(dot, ".npy"))
        return MB_OK; /* no names: the last column */
    if (!want)
        MB_FAIL(err, MB_E_ARG, "--target-column is missing: the column to explain, one of %s .. %s",
                s->data.name[0], s->data.name[s->data.d - 1]);
    for (*column = 0; *column < s->data.d; ++*column)
        if (!strcmp(s->data.name[*column], want))
            return MB_OK;
    MB_FAIL(err, MB_E_ARG, "--target-column: %s has no feature \"%s\", accepted: %s .. %s",
            s->opt.data, want, s->data.name[0], s->data.name[s->data.d - 1]);
}

/* The target behind the inputs, which keep their order. */
static mb_status columns(sim *s, mb_err *err)
{
    const int32_t d = s->data.d;
    const char  **name = s->data.name, *target;
    int32_t       at;

    if (d < 2 - s->opt.intercept)
        MB_FAIL(err, MB_E_ARG, "%s: only the target is there, accepted: inputs beside it",
                s->opt.data);
    MB_TRY(find_target(s, &at, err));
    target = name[at];
    memmove(name + at, name + at + 1, (size_t)(d - 1 - at) * sizeof *name);
    name[d - 1] = target;
    if (at < d - 1 && s->mapped.base)
        MB_FAIL(err, MB_E_ARG,
                "--target-column: with --deal blocks rows stay as they lie in %s, accepted: the "
                "last column",
                s->opt.data);
    for (int64_t r = 0; at < d - 1 && r < s->data.n; r++) {
        double      *x = s->data.x + r * d;
        const double y = x[at];

        memmove(x + at, x + at + 1, (size_t)(d - 1 - at) * sizeof *x);
        x[d - 1] = y;
    }
    return MB_OK;
}

/* Through the origin there is no coefficient that could take up a shift. The density is that of the
 * target alone. */
static void units(sim *s)
{
    if (!s->opt.intercept)
        memset(s->run_origin, 0, (size_t)s->data.d * sizeof *s->run_origin);
    s->log_jacobian = log(s->run_scale[s->data.d - 1]);
}

static double *triangle(double *Lambda, int32_t i, int32_t j)
{
    return Lambda + (int64_t)(i > j ? i : j) * ((i > j ? i : j) + 1) / 2 + (i > j ? j : i);
}

/* The options that were given, in data units, over the default. */
static mb_status given(sim *s, double *par, mb_err *err)
{
    const int32_t p = coefficients(s);
    const char   *text = s->opt.lambda0;
    double       *Lambda = par + PAR_M + p, *full;

    if (!isnan(s->opt.a0))
        par[PAR_A] = s->opt.a0;
    if (!isnan(s->opt.b0))
        par[PAR_B] = s->opt.b0;
    MB_TRY(sim_prior_numbers(s, "prior.m0", s->opt.m0, p, 1, par + PAR_M, err));
    if (!text)
        return MB_OK;
    MB_NEW(full, s->a, (size_t)p * (size_t)p, err);
    MB_TRY(sim_prior_numbers(s, "prior.lambda0", text, p * p, 1, full, err));
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j < p; j++)
            if (i == j || strchr(text, ','))
                *triangle(Lambda, i, j) = full[i * p + j];
            else
                *triangle(Lambda, i, j) = 0; /* one number times the identity */
    return MB_OK;
}

/* mb_move_par between the columns' units: from (origin, scale) to data units, or back. */
static mb_status move(sim *s, const mb_layout *l, const double *origin, const double *scale,
                      int back, double *par, mb_err *err)
{
    const int32_t d = s->data.d;
    double       *o, *c;

    MB_NEW(o, s->a, d, err);
    MB_NEW(c, s->a, d, err);
    for (int32_t k = 0; k < d; k++) {
        o[k] = back ? -origin[k] / scale[k] : origin[k];
        c[k] = back ? 1 / scale[k] : scale[k];
    }
    mb_move_par(l, o, c, par);
    return MB_OK;
}

static mb_status build(sim *s, const double *par, mb_model *out, mb_err *err)
{
    const int32_t p = coefficients(s);
    mb_linreg_opt o = mb_linreg_defaults(inputs(s), s->opt.intercept);
    double       *full, *copy;

    MB_NEW(full, s->a, (size_t)p * (size_t)p, err);
    MB_NEW(copy, s->a, (size_t)p * ((size_t)p + 1) / 2, err);
    memcpy(copy, par + PAR_M + p, (size_t)p * ((size_t)p + 1) / 2 * sizeof *copy);
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j < p; j++)
            full[i * p + j] = *triangle(copy, i, j);
    o.a0 = par[PAR_A];
    o.b0 = par[PAR_B];
    o.m0 = par + PAR_M;
    o.lambda0_matrix = full;
    return mb_linreg_new(s->a, &o, out, err);
}

static int any_given(const sim_opt *o)
{
    return !isnan(o->a0) || !isnan(o->b0) || o->m0 || o->lambda0;
}

/* The default stands in the agreed origin and scale, whatever the run computes in; when that is the
 * same, no way through data units costs it digits. */
static mb_status prior(sim *s, mb_err *err)
{
    const mb_linreg_opt o = mb_linreg_defaults(inputs(s), s->opt.intercept);
    const int32_t       p = coefficients(s);
    mb_model            plain;
    double             *par;
    size_t              bytes;

    MB_TRY(mb_linreg_new(s->a, &o, &plain, err));
    bytes = plain.layout.len * sizeof *par;
    MB_NEW(s->prior_par, s->a, plain.layout.len, err);
    MB_NEW(par, s->a, plain.layout.len, err);
    par[PAR_A] = o.a0;
    par[PAR_B] = o.b0;
    for (int32_t i = 0; i < p; i++)
        *triangle(par + PAR_M + p, i, i) = o.lambda0;
    memcpy(s->prior_par, par, bytes);
    MB_TRY(move(s, &plain.layout, s->origin, s->scale, 0, s->prior_par, err));
    MB_TRY(given(s, s->prior_par, err));
    if (any_given(&s->opt) || !s->opt.standardize) {
        memcpy(par, s->prior_par, bytes);
        MB_TRY(move(s, &plain.layout, s->run_origin, s->run_scale, 1, par, err));
    }
    return build(s, par, &s->model, err);
}

static mb_status scales(const sim *s, const double *par, double **out, mb_err *err)
{
    const int32_t p = coefficients(s);
    double       *scratch;

    MB_NEW(*out, s->a, p, err);
    MB_NEW(scratch, s->a, 2 * (size_t)p * (size_t)p, err);
    return mb_linreg_scales(p, par, *out, scratch, err);
}

static mb_status print(const sim *s, const sim_result *r, mb_err *err)
{
    const int32_t p = coefficients(s), first = s->opt.intercept;
    double       *par, *scale, t;

    MB_TRY(sim_textbook(s, r->memory, r->mean, &par, err));
    MB_TRY(scales(s, par, &scale, err));
    t = mb_student_quantile(2 * par[PAR_A], 0.975);
    printf("\n%-24s %12s %12s %12s %12s\n", s->data.name[s->data.d - 1], "mean", "scale",
           "95 % from", "to");
    for (int32_t j = 0; j < p; j++) {
        const double m = par[PAR_M + j], half = t * scale[j];

        printf("%-24.24s %12.6g %12.4g %12.6g %12.6g\n",
               j < first ? "(intercept)" : s->data.name[j - first], m, scale[j], m - half,
               m + half);
    }
    if (par[PAR_A] > 1)
        printf("noise: variance %.6g (posterior mean), ", par[PAR_B] / (par[PAR_A] - 1));
    else
        printf("noise: variance without a posterior mean, ");
    printf("%.6g degrees of freedom\n", 2 * par[PAR_A]);
    return MB_OK;
}

static const char *const options[] = {"target-column", "intercept",     "prior.a0", "prior.b0",
                                      "prior.m0",      "prior.lambda0", NULL};

const sim_model sim_linreg = {.name = "linreg",
                              .options = options,
                              .columns = columns,
                              .units = units,
                              .prior = prior,
                              .print = print};

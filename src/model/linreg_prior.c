/* linreg_prior.c - the options of linear regression, and the prior they make. */
#include "meshbayes/kind.h"
#include "model/kinds.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(mb_linreg_kind, field)

const mb_opt mb_linreg_options_[] = {
    {"target-column", MB_OPT_TEXT, AT(target_column), NULL, 0, 0, "NAME", "", "", "y",
     "linreg: the column to explain by the others; of an NPY file the last"},
    {"intercept", MB_OPT_CHOICE, AT(intercept), "on", 0, 0, "off|on", "", "", "fit_intercept",
     "linreg: a constant besides the inputs"},
    {"prior.a0", MB_OPT_AUTO, AT(a0), "auto", 1e-300, 1e12, NULL, "", "math 10", "alpha_1",
     "linreg: shape of the noise precision's gamma; auto = 0.5"},
    {"prior.b0", MB_OPT_AUTO, AT(b0), "auto", 1e-300, 1e300, NULL, "data units squared", "math 10",
     "alpha_2", "linreg: its rate; auto = 1e-4 of the target's agreed scale squared"},
    {"prior.m0", MB_OPT_TEXT, AT(m0), NULL, 0, 0, "A[,B,..]", "data units", "math 10", "",
     "linreg: prior mean of intercept and coefficients; without it flat at the agreed origin"},
    {"prior.lambda0", MB_OPT_TEXT, AT(lambda0), NULL, 0, 0, "A[,B,..]", "data units", "math 10", "",
     "linreg: their prior precision, in units of the noise's: one number (times the identity) or "
     "p*p; without it 1e-4 in the agreed scale"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* par of the family: a, b, m (p), lower triangle of Lambda. */
enum { PAR_A, PAR_B, PAR_M };

void mb_linreg_sizes_(const void *opt, int32_t columns, mb_sizes *out)
{
    *out = (mb_sizes){.D = columns - 1, .intercept = ((const mb_linreg_kind *)opt)->intercept};
}

const char *mb_linreg_target_(const void *opt)
{
    return ((const mb_linreg_kind *)opt)->target_column;
}

/* Through the origin there is no coefficient that could take up a shift. The density is that of the
 * target alone. */
void mb_linreg_units_(const void *opt, mb_units *run)
{
    if (!((const mb_linreg_kind *)opt)->intercept)
        memset(run->origin, 0, (size_t)run->d * sizeof *run->origin);
    run->log_jacobian = log(run->scale[run->d - 1]);
}

static double *triangle(double *Lambda, int32_t i, int32_t j)
{
    return Lambda + (int64_t)(i > j ? i : j) * ((i > j ? i : j) + 1) / 2 + (i > j ? j : i);
}

/* n numbers, or one for all of them, over what is there. */
static mb_status numbers(const char *name, const char *text, int32_t d, int32_t n, double *x,
                         int32_t *count, mb_err *err)
{
    MB_TRY(mb_opt_numbers(name, text, n, x, count, err));
    if (*count != n && *count != 1)
        MB_FAIL(err, MB_E_ARG, "--%s: %d numbers for %d features, accepted: 1 or %d numbers", name,
                *count, d, n);
    for (int32_t k = 1; k < n && *count == 1; k++)
        x[k] = x[0];
    return MB_OK;
}

/* The prior precision that was given over the default. */
static mb_status given_precision(mb_arena *a, const mb_linreg_kind *o, int32_t d, int32_t p,
                                 double *Lambda, mb_err *err)
{
    double *full;
    int32_t count = p * p;

    if (!o->lambda0 && !o->lambda0_at)
        return MB_OK;
    MB_NEW(full, a, (size_t)p * (size_t)p, err);
    if (o->lambda0_at)
        memcpy(full, o->lambda0_at, (size_t)p * (size_t)p * sizeof *full);
    else
        MB_TRY(numbers("prior.lambda0", o->lambda0, d, p * p, full, &count, err));
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j < p; j++)
            *triangle(Lambda, i, j) = i == j || count > 1 ? full[i * p + j] : 0;
    return MB_OK;
}

/* The options that were given, in data units, over the default. */
static mb_status given(mb_arena *a, const mb_linreg_kind *o, int32_t d, int32_t p, double *par,
                       mb_err *err)
{
    int32_t count;

    if (!isnan(o->a0))
        par[PAR_A] = o->a0;
    if (!isnan(o->b0))
        par[PAR_B] = o->b0;
    if (o->m0_at)
        memcpy(par + PAR_M, o->m0_at, (size_t)p * sizeof *par);
    else if (o->m0)
        MB_TRY(numbers("prior.m0", o->m0, d, p, par + PAR_M, &count, err));
    return given_precision(a, o, d, p, par + PAR_M + p, err);
}

/* mb_move_par from units u to data units, or back. */
static mb_status move(mb_arena *a, const mb_layout *l, const mb_units *u, int back, double *par,
                      mb_err *err)
{
    double *o, *c;

    MB_NEW(o, a, u->d, err);
    MB_NEW(c, a, u->d, err);
    for (int32_t k = 0; k < u->d; k++) {
        o[k] = back ? -u->origin[k] / u->scale[k] : u->origin[k];
        c[k] = back ? 1 / u->scale[k] : u->scale[k];
    }
    mb_move_par(l, o, c, par);
    return MB_OK;
}

static mb_status build(mb_arena *a, mb_linreg_opt o, int32_t p, const double *par, mb_model *out,
                       mb_err *err)
{
    double *full, *copy;

    MB_NEW(full, a, (size_t)p * (size_t)p, err);
    MB_NEW(copy, a, (size_t)p * ((size_t)p + 1) / 2, err);
    memcpy(copy, par + PAR_M + p, (size_t)p * ((size_t)p + 1) / 2 * sizeof *copy);
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j < p; j++)
            full[i * p + j] = *triangle(copy, i, j);
    o.a0 = par[PAR_A];
    o.b0 = par[PAR_B];
    o.m0 = par + PAR_M;
    o.lambda0_matrix = full;
    return mb_linreg_new(a, &o, out, err);
}

/* 1 when the default prior, which stands at the agreed origin and scale, is that of the run units. */
static int is_default(const mb_linreg_kind *o, const mb_units *agreed, const mb_units *run)
{
    if (!isnan(o->a0) || !isnan(o->b0) || o->m0 || o->m0_at || o->lambda0 || o->lambda0_at)
        return 0;
    return !memcmp(agreed->scale, run->scale, (size_t)run->d * sizeof *run->scale);
}

/* Without options no way through data units costs the prior digits. */
mb_status mb_linreg_prior_(mb_arena *a, const void *opt, const mb_units *agreed,
                           const mb_units *run, mb_model *out, double **par_out, mb_err *err)
{
    const mb_linreg_kind *own = opt;
    const int32_t         d = agreed->d, p = d - 1 + own->intercept;
    const mb_linreg_opt   o = mb_linreg_defaults(d - 1, own->intercept);
    mb_model              plain;
    double               *par, *data_par;
    size_t                bytes;

    MB_TRY(mb_linreg_new(a, &o, &plain, err));
    bytes = plain.layout.len * sizeof *par;
    MB_NEW(data_par, a, plain.layout.len, err);
    MB_NEW(par, a, plain.layout.len, err);
    par[PAR_A] = o.a0;
    par[PAR_B] = o.b0;
    for (int32_t i = 0; i < p; i++)
        *triangle(par + PAR_M + p, i, i) = o.lambda0;
    memcpy(data_par, par, bytes);
    MB_TRY(move(a, &plain.layout, agreed, 0, data_par, err));
    MB_TRY(given(a, own, d, p, data_par, err));
    if (!is_default(own, agreed, run)) {
        memcpy(par, data_par, bytes);
        MB_TRY(move(a, &plain.layout, run, 1, par, err));
    }
    *par_out = data_par;
    return build(a, o, p, par, out, err);
}

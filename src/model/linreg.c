/* linreg.c - Bayesian linear regression, y = w'x + noise of precision tau, docs/math.md 10.
 *
 * A row adds [1/2, svec(-z z'/2)], z = (x, y), x with a leading 1 when there is an intercept. No
 * row has a latent variable, so the statistics do not depend on phi: one local step is the
 * posterior. The kernel of the mixtures gathers the sums, as a single component. */
#include "model/linreg.h"
#include "expfam/normal_gamma.h"
#include "model/gmm_kernel.h"
#include "model/prior.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MAX_D = 10000 };

static const double LN_2PI = 1.83787706640934548356;

/* The kernel's scratch, then the factor of M. */
static size_t scratch_len(int32_t D, int32_t p)
{
    const size_t n = (size_t)p + 1, stats = mb_estep_scratch_(1, D + 1) + n * n;

    return stats > mb_linreg_predict_scratch_(p) ? stats : mb_linreg_predict_scratch_(p);
}

/* Sets up ln density of a row = c - distance/2: E[ln N(y | w'x, 1/tau)], where distance + const =
 * E[tau (y - w'x)^2] = |all but the last of L^-1 z|^2 + 2a (last of L^-1 z)^2. */
static mb_status expect(const mb_model *m, const double *phi, mb_estep_ *g, double *L, mb_err *err)
{
    const mb_linreg_spec_ *q = m->spec;
    const size_t           n = (size_t)q->p + 1, all = (size_t)g->D + 1, skip = all - n;
    double                *B = g->tmp + g->K, *C = g->C;

    if (mb_ng_factor_(q->p, phi, L) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "block 0 (%s) outside its domain", m->layout.block->family->name);
    memset(B, 0, all * all * sizeof *B);
    B[0] = 1; /* the constant of the kernel's z, when no coefficient belongs to it */
    for (size_t i = 0; i < n; i++)
        memcpy(B + (i + skip) * all + skip, L + i * n, (i + 1) * sizeof *B);
    mb_gmm_component_(g, 0, B);
    C[(size_t)g->D * all / 2 - 1] *= sqrt(2 * mb_ng_a_(q->p, phi));
    g->c[0] = 0.5 * (mb_ng_e_log_(q->p, phi, L) - LN_2PI - (skip ? 0 : 1 / (L[0] * L[0])));
    return MB_OK;
}

/* total += sum of w E[ln density] over the block. */
static mb_status add_logz(mb_estep_ *g, double *total, mb_err *err)
{
    g->kernel->density(g, 0, g->c[0], 0.5, g->r);
    for (int32_t l = 0; l < g->rows; l++) {
        const double lnz = g->r[l];

        if (!isfinite(lnz))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": its expected log density is %g; its values must be finite "
                    "and not absurdly large",
                    g->row[l], lnz);
        *total += g->w[l] * lnz;
    }
    return MB_OK;
}

static void accumulate(mb_estep_ *g)
{
    memcpy(g->r, g->w, (size_t)g->rows * sizeof *g->r);
    mb_gmm_weights_given_(g);
    g->kernel->moments(g);
}

/* s += the sums in natural form; without an intercept the sums with the kernel's 1 are left out. */
static void add_stats(const mb_model *m, mb_estep_ *g, double *s)
{
    const mb_linreg_spec_ *q = m->spec;
    const size_t           n = (size_t)q->p + 1, all = (size_t)g->D + 1, skip = all - n;
    double                 weight;

    g->kernel->sums(g);
    weight = g->S[0];
    for (size_t i = 0; skip && i < n; i++)
        memmove(g->S + i * n, g->S + (i + skip) * all + skip, (i + 1) * sizeof *s);
    mb_gmm_natural_(q->p + 1, weight, g->S, g->tmp, s + m->layout.block->off);
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    const mb_linreg_spec_ *q = m->spec;
    mb_estep_              g = mb_estep_carve_(&q->how, 1, q->D + 1, scratch);
    double                 total = 0;

    MB_TRY(mb_gmm_check_(&g, rows, err));
    MB_TRY(expect(m, phi, &g, scratch + mb_estep_scratch_(1, q->D + 1), err));
    for (int64_t next = 0; next < rows->n;) {
        next = mb_gmm_fill_(&g, rows, next);
        MB_TRY(add_logz(&g, &total, err));
        accumulate(&g);
    }
    add_stats(m, &g, s);
    if (logz)
        *logz += total;
    return MB_OK;
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    const mb_linreg_spec_ *q = m->spec;
    mb_estep_              g = mb_estep_carve_(&q->how, 1, q->D + 1, scratch);

    (void)resp; /* nothing is latent */
    MB_TRY(mb_gmm_check_(&g, rows, err));
    for (int64_t next = 0; next < rows->n;) {
        next = mb_gmm_fill_(&g, rows, next);
        MB_TRY(mb_gmm_finite_(&g, err));
        accumulate(&g);
    }
    add_stats(m, &g, s);
    return MB_OK;
}

static const mb_model_ops ops = {
    .name = "linreg", .stats = stats, .seed_stats = seed_stats, .predict = mb_linreg_predict_};

mb_linreg_opt mb_linreg_defaults(int32_t D, int32_t intercept)
{
    return (mb_linreg_opt){.D = D, .intercept = intercept, .a0 = 0.5, .b0 = 1e-4, .lambda0 = 1e-4};
}

static mb_status check_positive(const char *name, double value, mb_err *err)
{
    if (!(value > 0 && isfinite(value)))
        MB_FAIL(err, MB_E_ARG, "%s = %g; it must be positive and finite", name, value);
    return MB_OK;
}

static mb_status check_options(const mb_linreg_opt *o, mb_err *err)
{
    if (o->intercept != 0 && o->intercept != 1)
        MB_FAIL(err, MB_E_ARG, "intercept = %" PRId32 "; 1 (with) and 0 (without) are possible",
                o->intercept);
    if (o->D < 1 - o->intercept || o->D > MAX_D)
        MB_FAIL(err, MB_E_ARG, "D = %" PRId32 " inputs; %d to %d are possible", o->D,
                1 - o->intercept, MAX_D);
    MB_TRY(check_positive("a0", o->a0, err));
    MB_TRY(check_positive("b0", o->b0, err));
    if (!o->lambda0_matrix)
        MB_TRY(check_positive("lambda0", o->lambda0, err));
    for (int32_t i = 0; o->m0 && i < o->D + o->intercept; i++)
        if (!isfinite(o->m0[i]))
            MB_FAIL(err, MB_E_ARG, "m0[%" PRId32 "] = %g; it must be finite", i, o->m0[i]);
    return MB_OK;
}

static mb_status make_prior(mb_arena *a, const mb_linreg_opt *o, int32_t p, mb_model *m,
                            mb_err *err)
{
    double   *par, *v;
    mb_status st;

    MB_NEW(par, a, m->layout.len, err);
    par[0] = o->a0;
    par[1] = o->b0;
    v = par + 2;
    for (int32_t i = 0; i < p; i++)
        *v++ = o->m0 ? o->m0[i] : 0;
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j <= i; j++)
            *v++ = o->lambda0_matrix ? o->lambda0_matrix[(size_t)i * (size_t)p + (size_t)j]
                                     : o->lambda0 * (i == j);
    st = mb_model_prior(a, par, m, err);
    if (st < 0 && st != MB_E_NOMEM)
        MB_FAIL(
            err, MB_E_ARG,
            "the prior can not be held in double precision: a0 = %g is too small, or b0 = %g is "
            "too small against m0 and its precision",
            o->a0, o->b0);
    return st;
}

mb_status mb_linreg_new(mb_arena *a, const mb_linreg_opt *opt, mb_model *out, mb_err *err)
{
    mb_model         m = {.ops = &ops, .K = 0};
    mb_linreg_spec_ *spec;
    double          *C;
    int32_t          p;

    MB_TRY(check_options(opt, err));
    p = opt->D + opt->intercept;
    if (opt->lambda0_matrix) {
        MB_NEW(C, a, (size_t)p * (size_t)p, err);
        MB_TRY(mb_prior_matrix_("lambda0", p, opt->lambda0_matrix, C, err));
    }
    MB_NEW(spec, a, 1, err);
    *spec = (mb_linreg_spec_){.D = opt->D, .p = p, .how = mb_how_best_(1, opt->D + 1)};
    m.spec = spec;
    MB_TRY(mb_layout_add(&m.layout, opt->intercept ? &mb_normal_gamma : &mb_normal_gamma_origin, p,
                         1, err));
    MB_TRY(make_prior(a, opt, p, &m, err));
    m.scratch = scratch_len(opt->D, p);
    *out = m;
    return MB_OK;
}

/* linreg.c - Bayesian linear regression, y = w'x + noise of precision tau, docs/math.md 10.
 *
 * A row adds [1/2, svec(-z z'/2)], z = (x, y), x with a leading 1 when there is an intercept. No
 * row has a latent variable, so the statistics do not depend on phi: one local step is the
 * posterior. The kernel of the mixtures computes the sums, with a single component. */
#include "base/text.h"
#include "expfam/expfam.h"
#include "expfam/normal_gamma.h"
#include "model/entries.h"
#include "model/export.h"
#include "model/kind.h"
#include "model/linreg_par.h"
#include "model/linreg_targets.h"
#include "model/model.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- textbook parameters: of a prior, and what follows from them ---- */

static const double relevance0 = 1e-6; /* shape and rate of a relevance's gamma, scikit-learn's */

static void par_of_prior(const mb_linreg_opt *o, double *par)
{
    const int32_t p = o->D + o->intercept, T = mb_linreg_T_(o->targets);
    const size_t  all = (size_t)p * (size_t)T;
    double       *Lambda = par + PAR_B + T + all;

    mb_prior_par_(o->a0, o->b0, p, NULL, o->lambda0_matrix, o->lambda0, par);
    memmove(Lambda, par + PAR_M + p, mb_svec_len_(p) * sizeof *par);
    for (int32_t t = 0; t < T; t++)
        par[PAR_B + t] = o->b0;
    for (size_t i = 0; i < all; i++)
        par[PAR_B + (size_t)T + i] = o->m0 ? o->m0[i] : 0;
    for (int32_t j = 0; o->relevance && j < o->D; j++) {
        const int32_t at = j + o->intercept;
        double       *hyper = Lambda + mb_svec_len_(p) + 2 * (size_t)j;

        hyper[0] = hyper[1] = relevance0;
        Lambda[mb_packed_at_(at, at)] = 1; /* their mean */
    }
}

mb_status mb_linreg_scales(int32_t p, const double *par, double *scale, double *scratch,
                           mb_err *err)
{
    if (!(par[0] > 0 && par[1] > 0) || mb_coefficient_scales_(p, par + 2 + p, scale, scratch) != 0)
        MB_FAIL(err, MB_E_DOMAIN, "par: expected the parameters of a normal-gamma posterior");
    for (int32_t j = 0; j < p; j++)
        scale[j] *= sqrt(par[1] / par[0]);
    return MB_OK;
}

/* NaN: an improper prior has none. */
static mb_status scales_of(mb_arena *a, const mb_sizes *s, const double *par, double *out,
                           mb_err *err)
{
    const int32_t n = mb_linreg_coefficients_(s), T = mb_linreg_T_(s->targets);
    double       *scratch, *root;

    MB_NEW(scratch, a, 2 * (size_t)n * (size_t)n, err);
    MB_NEW(root, a, n, err);
    if (mb_coefficient_scales_(n, mb_linreg_lambda_(s, par), root, scratch) != 0)
        MB_FAIL(err, MB_E_DOMAIN, "par: expected the parameters of a regression's posterior");
    for (int32_t t = 0; t < T; t++)
        for (int32_t j = 0; j < n; j++)
            *out++ = par[PAR_A] > 0 ? root[j] * sqrt(par[PAR_B + t] / par[PAR_A]) : (double)NAN;
    return MB_OK;
}

static double noise_sd(const double *par, int32_t t)
{
    return par[PAR_A] > 1 ? par[PAR_B + t] / (par[PAR_A] - 1) : (double)NAN;
}

/* ---- the model ---- */

static const double LN_2PI = 1.83787706640934548356, SQRT_HALF = 0.70710678118654752440;

typedef mb_linreg_spec_ spec;

/* The second block: a gamma for each input's relevance. */
static int relevance_inside(const mb_layout *l, const double *phi)
{
    const size_t first = l->block->len;

    for (size_t e = first; e < l->len; e++)
        if (!((e - first) % 2 ? phi[e] < 0 : phi[e] > -1))
            return 0;
    return 1;
}

/* Sets up ln density of a row = c - distance/2: E[ln N(y | w'x, 1/tau)], where distance + const =
 * E[tau (y - w'x)^2] = |all but the last of L^-1 z|^2 + 2a (last of L^-1 z)^2. */
static mb_status expect(const mb_model *m, const double *phi, mb_estep_ *g, double *L, mb_err *err)
{
    const spec  *q = m->spec;
    const size_t n = (size_t)q->p + 1, all = (size_t)g->D + 1, skip = all - n;
    double      *B = g->tmp + g->K, *C = g->C;

    if (!relevance_inside(&m->layout, phi))
        MB_FAIL(err, MB_E_DOMAIN, "block 1 (%s) is outside its domain",
                m->layout.block[1].family->name);
    if (q->T > 1)
        return mb_linreg_targets_expect_(m, phi, g, L, err);
    if (mb_ng_factor_(q->p, phi, L) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "block 0 (%s) is outside its domain",
                m->layout.block->family->name);
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
                    mb_estep_row_(g, l), lnz);
        *total += g->w[l] * lnz;
    }
    return MB_OK;
}

/* s += the sums in natural form; without an intercept those with the kernel's 1 are left out. */
static void add_stats(const mb_model *m, mb_estep_ *g, double *s)
{
    const spec  *q = m->spec;
    const size_t n = (size_t)q->p + 1, all = (size_t)g->D + 1, skip = all - n;
    double       weight;

    g->kernel->sums(g);
    if (q->T > 1) {
        mb_linreg_targets_add_(m, g, s);
        return;
    }
    weight = g->S[0];
    for (size_t i = 0; skip && i < n; i++)
        memmove(g->S + i * n, g->S + (i + skip) * all + skip, (i + 1) * sizeof *s);
    mb_gmm_natural_(q->p + 1, weight, g->S, g->tmp, s + m->layout.block->off);
}

/* s += the statistics of the rows; *logz += w E[ln density], unless it is NULL. */
static mb_status gather(const mb_model *m, mb_estep_ *g, const mb_rows *rows, double *s,
                        double *logz, mb_err *err)
{
    MB_TRY(mb_estep_check_(g, rows, err));
    for (int64_t next = 0; next < rows->n;) {
        next = mb_estep_fill_(g, rows, next);
        MB_TRY(logz ? add_logz(g, logz, err) : mb_estep_finite_(g, err));
        memcpy(g->r, g->w, (size_t)g->rows * sizeof *g->r);
        mb_estep_weights_given_(g);
        g->kernel->moments(g);
    }
    add_stats(m, g, s);
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    const spec *q = m->spec;
    mb_estep_   g;
    double      total = 0;

    mb_estep_carve_(&g, &q->how, 1, q->D + q->T, scratch);
    MB_TRY(expect(m, phi, &g, scratch + mb_estep_scratch_(1, q->D + q->T), err));
    MB_TRY(gather(m, &g, rows, s, logz ? &total : NULL, err));
    if (logz)
        *logz += total;
    return MB_OK;
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    const spec *q = m->spec;
    mb_estep_   g;

    (void)resp; /* nothing is latent */
    mb_estep_carve_(&g, &q->how, 1, q->D + q->T, scratch);
    return gather(m, &g, rows, s, NULL, err);
}

/* A row has [1/2, ..] and -ln(2 pi)/2 for each target. */
static double log_base(const mb_model *m, const double *s)
{
    const spec *q = m->spec;

    return -q->T * LN_2PI * s[m->layout.block->off];
}

/* Exact prediction: with w and tau integrated out, y at x is Student's t with 2a degrees of freedom,
 * location m'x, scale^2 = b/a (1 + x' Lambda^-1 x). */
typedef struct line {
    int32_t D, p;
    double  a, b;
    double  ln_const; /* of the density, without ln(1 + x' Lambda^-1 x)/2 */
    double *L;        /* n x n, n = p + 1: chol(M), first chol(Lambda)    */
    double *m;        /* n                                                */
    double *x, *half; /* p x LANES: inputs of LANES rows, and L^-1 of them */
} line;

enum { LANES = MB_CHOL_LANES_ };

/* One row's location, 1 + x' Lambda^-1 x and target (NaN when it is not among the columns). */
typedef struct place {
    double location, spread, y;
} place;

static mb_status set_up(const mb_model *m, const double *phi, double *scratch, line *q, mb_err *err)
{
    const spec  *own = m->spec;
    const size_t n = (size_t)own->p + 1;

    *q = (line){.D = own->D, .p = own->p, .L = scratch, .m = scratch + n * n};
    q->x = q->m + n;
    q->half = q->x + LANES * n;
    if (mb_ng_factor_(q->p, phi, q->L) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "block 0 (%s) is outside its domain",
                m->layout.block->family->name);
    q->a = mb_ng_a_(q->p, phi);
    q->b = mb_ng_b_(q->p, q->L);
    q->ln_const = mb_lgamma_half_(q->a) - 0.5 * (LN_2PI + log(q->b));
    mb_ng_mean_(q->p, q->L, q->m);
    return MB_OK;
}

/* The inputs of rows j to j + n - 1, n at most LANES; those after the last are 0. */
static void read_inputs(line *q, const mb_rows *rows, int64_t j, int64_t n)
{
    double *x = q->x;

    for (int32_t i = 0; i < q->p; i++)
        for (int64_t u = 0; u < LANES; u++)
            *x++ = u >= n ? 0 : i < q->p - q->D ? 1 : mb_rows_at(rows, j + u, i - (q->p - q->D));
}

static mb_status locate(line *q, const mb_rows *rows, int64_t j, int64_t n, int spreads, place *at,
                        mb_err *err)
{
    double location[LANES] = {0}, spread[LANES];

    for (int u = 0; u < LANES; u++)
        spread[u] = 1;
    read_inputs(q, rows, j, n);
    for (int32_t i = 0; i < q->p; i++)
        for (int u = 0; u < LANES; u++)
            location[u] += q->m[i] * q->x[i * LANES + u];
    if (spreads)
        mb_chol_forward_lanes_(q->L, (size_t)q->p + 1, q->p, q->x, LANES, q->half, spread);
    for (int64_t u = 0; u < n; u++) {
        at[u] = (place){location[u], spread[u],
                        rows->d > q->D ? mb_rows_at(rows, j + u, q->D) : (double)NAN};
        if (!isfinite(at[u].location) || !isfinite(at[u].spread))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": its prediction is %g; its inputs must be finite and not "
                    "absurdly large",
                    j + u, at[u].location);
    }
    return MB_OK;
}

/* The mean needs more than 1 degree of freedom, the variance more than 2 to be finite. */
static double variance(const line *q, const place *at)
{
    if (q->a > 1)
        return q->b / (q->a - 1) * at->spread;
    return q->a > 0.5 ? (double)INFINITY : (double)NAN;
}

static mb_status answer(const line *q, mb_want want, const place *at, int64_t j, double *out,
                        mb_err *err)
{
    const double r = at->y - at->location;

    if (want == MB_WANT_LOGPDF) {
        *out = q->ln_const - 0.5 * log(at->spread) -
               (q->a + 0.5) * log1p(r / at->spread * r / (2 * q->b));
        if (!isfinite(*out))
            MB_FAIL(err, MB_E_NUMERIC, "row %" PRId64 ": got target %g; expected a finite number",
                    j, at->y);
        return MB_OK;
    }
    out[0] = at->location;
    if (want == MB_WANT_MEAN_VAR)
        out[1] = variance(q, at);
    else if (want == MB_WANT_INTERVAL) {
        out[1] = sqrt(q->b / q->a * at->spread);
        out[2] = 2 * q->a;
    }
    return MB_OK;
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const size_t width = mb_linreg_width_(want);
    line         q;
    place        at[LANES];

    if (((const spec *)m->spec)->T > 1)
        return mb_linreg_targets_predict_(m, phi, rows, want, out, scratch, err);
    if (!width)
        MB_FAIL(err, MB_E_NOSUP,
                "a linear regression has no components: it predicts densities, means with "
                "variances, and intervals only");
    MB_TRY(set_up(m, phi, scratch, &q, err));
    if (rows->n > 0 && rows->d != q.D + 1 && (rows->d != q.D || want == MB_WANT_LOGPDF))
        MB_FAIL(err, MB_E_SHAPE,
                "rows: got %" PRId32 " columns; expected %" PRId32 " inputs and a target", rows->d,
                q.D);
    for (int64_t j = 0, n; j < rows->n; j += n) {
        n = rows->n - j < LANES ? rows->n - j : LANES;
        MB_TRY(locate(&q, rows, j, n, want != MB_WANT_MEAN_, at, err));
        for (int64_t u = 0; u < n; u++, out += width)
            MB_TRY(answer(&q, want, &at[u], j + u, out, err));
    }
    return MB_OK;
}

/* q(alpha_j) is optimal given q(w, tau): shape c + T/2, rate d + the sum of E[tau w_j^2]/2 over the
 * targets. Given that, Lambda has E[alpha_j] where the prior has c/d; docs/math.md, section 20. */
static void prior_at(const mb_model *m, const double *mu, double *out, double *A)
{
    const spec   *q = m->spec;
    const double *hyper = m->prior + m->layout.block[1].off;
    double       *to = out + m->layout.block[1].off, after;

    memcpy(out, m->prior, m->layout.len * sizeof *out);
    *A = m->A_prior;
    for (int32_t j = 0; j < q->D; j++, hyper += 2, to += 2) {
        const size_t at = 1 + mb_packed_at_(q->p - q->D + j, q->p - q->D + j);
        const double before = (hyper[0] + 1) / -hyper[1];

        to[0] += 0.5 * q->T;
        to[1] -= 0.5 * mu[at];
        after = (to[0] + 1) / -to[1];
        out[at] -= 0.5 * (after - before);
        *A += 0.5 * (q->T * log(before) - after * mu[at]);
    }
}

/* Of relevances nothing: rows add 0. */
static void entries(const mb_model *m, mb_entry *out)
{
    const spec   *q = m->spec;
    const int32_t one = q->p - q->D;
    mb_entry      like = mb_entry_rows_(0.5, 0, 0), *to = out;

    like.least = 1;
    *to++ = like;
    like.factor = -0.5;
    to = mb_entries_square_(like, q->p + (q->T == 1), one, to);
    for (int32_t t = 0; q->T > 1 && t < q->T; t++) {
        like.factor = -SQRT_HALF;
        for (int32_t i = 0; i < q->p; i++)
            *to++ = mb_entry_product_(like, q->D + t, i - one);
        like.factor = -0.5;
        *to++ = mb_entry_product_(like, q->D + t, q->D + t);
    }
    for (; to < out + m->layout.len; to++)
        to->least = to->most = 0;
}

static const mb_model_ops ops = {.name = "linreg",
                                 .stats = stats,
                                 .seed_stats = seed_stats,
                                 .fixed_stats = 1,
                                 .log_base = log_base,
                                 .predict = predict,
                                 .entries = MB_ENTRIES_(entries)};
static const mb_model_ops relevance_ops = {.name = "linreg",
                                           .stats = stats,
                                           .seed_stats = seed_stats,
                                           .prior_at = prior_at,
                                           .fixed_stats = 1,
                                           .log_base = log_base,
                                           .predict = predict,
                                           .entries = MB_ENTRIES_(entries)};

mb_linreg_opt mb_linreg_defaults(int32_t D, int32_t intercept)
{
    return (mb_linreg_opt){.D = D, .intercept = intercept, .a0 = 0.5, .b0 = 1e-4, .lambda0 = 1e-4};
}

static mb_status check(mb_arena *a, const mb_linreg_opt *o, mb_err *err)
{
    MB_TRY(mb_check_inputs_(o->D, o->intercept, err));
    if (o->targets < 0 || o->targets > mb_kind_linreg.targets)
        MB_FAIL(err, MB_E_ARG, "targets = %" PRId32 "; expected 1 to %" PRId32, o->targets,
                mb_kind_linreg.targets);
    MB_TRY(mb_check_positive_("a0", o->a0, err));
    MB_TRY(mb_check_positive_("b0", o->b0, err));
    if (!o->lambda0_matrix)
        MB_TRY(mb_check_positive_("lambda0", o->lambda0, err));
    if (o->relevance != 0 && o->relevance != 1)
        MB_FAIL(err, MB_E_ARG, "relevance = %" PRId32 "; expected 0 (off) or 1 (on)", o->relevance);
    if (o->relevance && (o->m0 || o->lambda0_matrix))
        MB_FAIL(err, MB_E_ARG,
                "m0, lambda0: with relevance the coefficients' prior has mean 0 and a precision "
                "that is found; expected neither");
    MB_TRY(mb_check_finite_("m0", mb_linreg_T_(o->targets) * (o->D + o->intercept), o->m0, err));
    return mb_check_matrix_(a, "lambda0", o->D + o->intercept, o->lambda0_matrix, err);
}

static mb_status prior_from(mb_arena *a, const double *par, mb_model *m, mb_err *err)
{
    const spec *q = m->spec;
    mb_status   st = mb_model_prior(a, par, m, err);

    if (st == MB_OK && par[0] > 0 && !(mb_ng_a_(q->p, m->prior) > 0))
        st = MB_E_DOMAIN;
    if (st < 0 && st != MB_E_NOMEM)
        MB_FAIL(err, MB_E_ARG,
                "the prior cannot be held in double precision: a0 = %g is too small, or b0 = %g is "
                "too small against m0 and its precision",
                par[0], par[1]);
    return st;
}

static mb_status add_relevance(mb_arena *a, int32_t D, mb_layout *l, mb_err *err)
{
    int32_t *column;

    MB_NEW(column, a, D, err);
    for (int32_t j = 0; j < D; j++)
        column[j] = j;
    return mb_layout_add_product(l, &mb_gamma_squared, 1, D, column, 1, err);
}

static const mb_family *family(const mb_linreg_opt *o)
{
    if (o->targets > 1)
        return o->intercept ? &mb_matrix_normal_gamma : &mb_matrix_normal_gamma_origin;
    return o->intercept ? &mb_normal_gamma : &mb_normal_gamma_origin;
}

mb_status mb_linreg_new(mb_arena *a, const mb_linreg_opt *opt, mb_model *out, mb_err *err)
{
    mb_model m = {.ops = &ops};
    spec    *q;
    double  *par;
    int32_t  p, T;

    MB_TRY(check(a, opt, err));
    p = opt->D + opt->intercept;
    T = mb_linreg_T_(opt->targets);
    MB_NEW(q, a, 1, err);
    *q = (spec){.D = opt->D, .p = p, .T = T, .how = mb_how_best_(1, opt->D + T)};
    m.spec = q;
    MB_TRY(mb_layout_add(&m.layout, family(opt), p + MB_TARGETS_STEP * (T - 1), 1, err));
    if (opt->relevance && opt->D > 0) {
        m.ops = &relevance_ops;
        MB_TRY(add_relevance(a, opt->D, &m.layout, err));
    }
    MB_NEW(par, a, m.layout.len, err);
    par_of_prior(opt, par);
    MB_TRY(prior_from(a, par, &m, err));
    m.scratch = mb_estep_scratch_(1, opt->D + T) + ((size_t)p + 1) * ((size_t)p + 1 + 2 * LANES) +
                (T > 1 ? mb_linreg_targets_scratch_(p, T) + (size_t)T : 0);
    *out = m;
    return MB_OK;
}

/* ---- tables for people ---- */

/* Targets, or levels of a category but the first. */
static int32_t sets(const mb_posterior *p)
{
    const mb_column *levels = mb_kind_levels(p->kind, &p->size);

    return levels ? levels->levels - 1 : mb_linreg_T_(p->size.targets);
}

/* What each coefficient is called; where there are several sets of them, the target's or the level's
 * name precedes it. */
static mb_status labels(mb_arena *a, const mb_posterior *p, const char *const **out, mb_err *err)
{
    const int32_t    first = p->size.intercept, n = mb_linreg_coefficients_(&p->size);
    const mb_column *levels = mb_kind_levels(p->kind, &p->size);
    const int32_t    T = sets(p);
    const char     **name;

    MB_NEW(name, a, (size_t)T * (size_t)n, err);
    *out = name;
    for (int32_t t = 0; t < T; t++)
        for (int32_t j = 0; j < n; j++, name++) {
            *name = j < first ? "(intercept)" : p->column[j - first];
            if (levels || T > 1)
                *name =
                    mb_text(a, err, "%s: %s", levels ? levels->level[t + 1] : p->target[t], *name);
            if (!*name)
                return MB_E_NOMEM;
        }
    return MB_OK;
}

/* Coefficients of all of them. */
static int32_t count(const mb_posterior *p)
{
    return mb_linreg_coefficients_(&p->size) * sets(p);
}

mb_status mb_coefficients_compare_(mb_arena *a, const mb_posterior *p, const double *mean,
                                   const double *other, const double *scale, mb_listing *out,
                                   mb_err *err)
{
    static const mb_listed column[] = {{"coefficient", 's', 18, 18},
                                       {"mean", 'g', 18, 6},
                                       {"other_mean", 'g', 18, 6},
                                       {"distance_in_scales", 'g', 18, 6}};
    const int32_t          n = count(p);
    double                *x;

    *out = (mb_listing){.rows = n, .columns = 4, .column = column};
    MB_NEW(x, a, 4 * (size_t)n, err);
    out->x = x;
    MB_TRY(labels(a, p, &out->label, err));
    for (int32_t j = 0; j < n; j++, x += 4) {
        x[1] = mean[j];
        x[2] = other[j];
        x[3] = fabs(x[1] - x[2]) / scale[j];
    }
    return MB_OK;
}

mb_status mb_coefficients_(mb_arena *a, const mb_posterior *p, const double *mean,
                           const double *scale, double reach, mb_summary *out, mb_err *err)
{
    const int32_t n = count(p);
    const char  **target;
    double       *low, *high;

    MB_NEW(target, a, 1, err);
    MB_NEW(low, a, n, err);
    MB_NEW(high, a, n, err);
    *target = p->size.targets > 1 ? "the target" : p->target[0];
    *out = (mb_summary){.part = "coefficient",
                        .rows = n,
                        .columns = 1,
                        .name = target,
                        .mean = mean,
                        .low = low,
                        .high = high};
    for (int32_t j = 0; j < n; j++) {
        low[j] = mean[j] - reach * scale[j];
        high[j] = mean[j] + reach * scale[j];
    }
    return labels(a, p, &out->label, err);
}

static mb_status compare(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err)
{
    double *scale;

    (void)other;
    MB_NEW(scale, a, count(p), err);
    MB_TRY(scales_of(a, &p->size, p->par, scale, err));
    return mb_coefficients_compare_(a, p, mb_linreg_mean_(&p->size, p->par, 0),
                                    mb_linreg_mean_(&q->size, q->par, 0), scale, out, err);
}

/* "noise: sd 0.3, 50 degrees of freedom", sd being sqrt(b/a), the residual standard error of least
 * squares where the prior is the reference prior; of several targets "noise: sd y1 0.3, y2 4, ..".
 * Another prior counts as rows, which makes intervals shorter: then the number without it is named. */
static mb_status note(mb_arena *a, const mb_posterior *p, const char **out, mb_err *err)
{
    const double  dof = 2 * p->par[PAR_A], coefficients = mb_linreg_coefficients_(&p->size);
    const double  extra = p->prior_par ? 2 * p->prior_par[PAR_A] + coefficients : 0;
    const int32_t T = mb_linreg_T_(p->size.targets);

    *out = "noise: sd";
    for (int32_t t = 0; t < T && *out; t++) {
        const double sd = sqrt(p->par[PAR_B + t] / p->par[PAR_A]);

        *out = T == 1 ? mb_text(a, err, "%s %#.3g", *out, sd)
                      : mb_text(a, err, "%s %s %#.3g", *out, p->target[t], sd);
        if (*out && T > 1 && t + 1 < T)
            *out = mb_text(a, err, "%s,", *out);
    }
    if (*out)
        *out = mb_text(a, err, "%s, %.6g degrees of freedom", *out, dof);
    if (*out && fabs(extra) > 1e-9)
        *out = mb_text(a, err, "%s (rows less coefficients: %.6g)", *out, dof - extra);
    return *out ? MB_OK : MB_E_NOMEM;
}

/* A coefficient's marginal is Student's t: its interval, and its standard deviation where it has
 * one (more than 2 degrees of freedom). */
static mb_status summarise(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const int32_t n = count(p);
    const double  dof = 2 * p->par[PAR_A], t = mb_student_quantile(dof, 0.975);
    const double  spread = dof > 2 ? sqrt(dof / (dof - 2)) : (double)NAN;
    double       *sd;

    MB_NEW(sd, a, n, err);
    MB_TRY(scales_of(a, &p->size, p->par, sd, err));
    MB_TRY(mb_coefficients_(a, p, mb_linreg_mean_(&p->size, p->par, 0), sd, t, out, err));
    out->sd = sd;
    for (int32_t j = 0; j < n; j++)
        sd[j] *= spread;
    return note(a, p, &out->note, err);
}

/* ---- scikit-learn's attributes ---- */

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

static mb_status sklearn_attributes(mb_arena *a, const mb_posterior *p, const mb_run_info *run,
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

/* ---- the kind ---- */

#define AT(field) offsetof(mb_linreg_kind, field)

#define PRIORS "reference|empirical|weak|posterior:FILE.json"
enum { REFERENCE, EMPIRICAL, WEAK };

static const mb_opt options[] = {
    {"target-column", MB_OPT_TEXT, AT(target_column), NULL, 0, 0, "NAME[,NAME,..]", "", "", "y",
     "the column to explain by the others, or several, each for itself; without it the "
     "last of an NPY file"},
    {"linreg.targets", MB_OPT_INT, AT(targets), "0", 0, 10000, NULL, "columns", "math 25",
     "n_targets_",
     "number of target columns, the last of an NPY file; 0: as many as "
     "--target-column names, else one"},
    {"intercept", MB_OPT_CHOICE, AT(intercept), "on", 0, 0, "off|on", "", "", "fit_intercept",
     "a constant besides the inputs"},
    {"prior", MB_OPT_INPUT, AT(prior), "reference", 0, 0, PRIORS, "", "math 10", "",
     "reference: flat, so that coefficients, intervals and noise are those of least "
     "squares, with n - p degrees of freedom; empirical: coefficients with precision 1e-6 in "
     "columns of mean 0 and variance 1, which count as rows: n + 1 degrees of freedom; weak: the "
     "same from the range of each column; posterior: an earlier posterior. With relevance, with "
     "any "
     "of the options below, with at most as many rows as coefficients and for collinear inputs "
     "reference is empirical"},
    {"prior.a0", MB_OPT_AUTO, AT(a0), "auto", 1e-300, 1e12, NULL, "", "math 10", "alpha_1",
     "shape of the noise precision's gamma; auto = 0.5 (reference: none)"},
    {"prior.b0", MB_OPT_AUTO, AT(b0), "auto", 1e-300, 1e300, NULL, "data units squared", "math 10",
     "alpha_2", "its rate; auto = 1e-4 of the target's variance"},
    {"prior.m0", MB_OPT_TEXT, AT(m0), NULL, 0, 0, "A[,B,..]", "data units", "math 10", "",
     "prior mean of intercept and coefficients; without it flat, at the mean of the rows"},
    {"prior.lambda0", MB_OPT_TEXT, AT(lambda0), NULL, 0, 0, "A[,B,..]", "data units", "math 10", "",
     "their prior precision, in units of the noise's: one number (times the identity) or "
     "p*p; without it 1e-6 in columns of mean 0 and variance 1"},
    {"linreg.relevance", MB_OPT_CHOICE, AT(relevance), "off", 0, 0, "off|on", "", "math 20", "",
     "on: the prior precision of each input's coefficient is found, so that inputs that "
     "explain nothing fade (automatic relevance determination)"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static mb_coefficient_prior_ coefficients(const mb_linreg_kind *o)
{
    return (mb_coefficient_prior_){o->m0, o->lambda0, o->m0_at, o->lambda0_at};
}

static int32_t numbers(const void *opt, int32_t columns, mb_numbers *out)
{
    const mb_linreg_kind       *o = opt;
    const mb_coefficient_prior_ prior = coefficients(o);
    mb_sizes                    s;

    mb_kind_sizes(&mb_kind_linreg, opt, columns, NULL, &s);
    return mb_coefficient_numbers_(&prior, s.targets, mb_linreg_coefficients_(&s),
                                   offsetof(mb_linreg_kind, m0_at),
                                   offsetof(mb_linreg_kind, lambda0_at), out);
}

static const double empirical = 1e-6; /* lambda0 of the empirical prior */
/* lambda0 and b0 of the reference prior: of no weight beside the rows, yet so large that rounding
 * leaves the matrix of a node with few rows positive definite. */
static const double reference = 1e-12;

/* The options that are given, in data units, replace the default in par. s: the sizes. */
static mb_status given(mb_arena *a, const mb_linreg_kind *o, const mb_sizes *s, double *par,
                       mb_err *err)
{
    const mb_coefficient_prior_ prior = coefficients(o);
    const int32_t p = mb_linreg_coefficients_(s), T = mb_linreg_T_(s->targets), d = s->D + T;

    if (!isnan(o->a0)) {
        par[PAR_A] = o->a0;
        MB_TRY(mb_check_positive_("a0", par[PAR_A], err));
    }
    for (int32_t t = 0; t < T; t++) {
        if (!isnan(o->b0))
            par[PAR_B + t] = o->b0;
        MB_TRY(mb_check_positive_("b0", par[PAR_B + t], err));
    }
    return mb_coefficient_prior_given_(a, &prior, d, T, p, par + PAR_B + T, err);
}

/* With relevance mean and precision of the coefficients are not the caller's. */
static mb_status refuse(const mb_linreg_kind *o, mb_err *err)
{
    if (o->relevance && (o->m0 || o->m0_at || o->lambda0 || o->lambda0_at))
        MB_FAIL(err, MB_E_ARG,
                "--prior.%s: with --linreg.relevance on the prior's mean is 0 and its precision is "
                "found; expected neither --prior.m0 nor --prior.lambda0",
                o->m0 || o->m0_at ? "m0" : "lambda0");
    return MB_OK;
}

/* 1 when a single option of the prior is given. */
static int is_given(const mb_linreg_kind *o)
{
    return !isnan(o->a0) || !isnan(o->b0) || o->m0 || o->m0_at || o->lambda0 || o->lambda0_at;
}

static int32_t needs_covariance(const void *opt)
{
    const mb_linreg_kind *o = opt;

    return !(o->prior && strcmp(o->prior, "reference") != 0) && !o->relevance && !is_given(o);
}

/* r (n numbers) := those of the covariance of column j with the first n, over both standard
 * deviations; without an intercept of the squares about 0. */
static void correlate(const mb_row_moments *seen, int32_t intercept, int32_t j, int32_t n,
                      double *r)
{
    const size_t d = (size_t)seen->d, row = (size_t)j * d;
    const double own = seen->cov[row + (size_t)j] + (intercept ? 0 : seen->mean[j] * seen->mean[j]);

    for (int32_t i = 0; i < n; i++) {
        const double shift = intercept ? 0 : seen->mean[i] * seen->mean[j];
        const double other =
            seen->cov[(size_t)i * d + (size_t)i] + (intercept ? 0 : seen->mean[i] * seen->mean[i]);

        r[i] = (seen->cov[row + (size_t)i] + shift) / (sqrt(own) * sqrt(other));
    }
}

/* Rows that there are almost surely: a node estimates their number from 64, to 13 %. */
static double sure_rows(const mb_row_moments *seen)
{
    return fmax(seen->weight, seen->sample_of / 1.5);
}

/* What is wrong with least squares of T targets on the D inputs before them; NULL: nothing. A sample of
 * no more rows than coefficients says nothing of how its columns depend on each other. */
static mb_status undetermined(mb_arena *a, const mb_sizes *s, const mb_row_moments *seen,
                              const char **what, mb_err *err)
{
    const double  least = 1e-12; /* of its variance, what the others do not explain of a column */
    const int32_t D = s->D, p = mb_linreg_coefficients_(s);
    double       *R, *r;
    int           collinear = 0, exact = 0, constant = 0;

    MB_NEW(R, a, (size_t)D * (size_t)D + 1, err);
    MB_NEW(r, a, (size_t)D + 1, err);
    *what = sure_rows(seen) > p ? NULL : "there are no more rows than coefficients";
    if (*what || !(seen->weight > p))
        return MB_OK;
    for (int32_t j = 0; j < D; j++)
        correlate(seen, s->intercept, j, j + 1, R + (size_t)j * (size_t)D);
    collinear = D > 0 && mb_chol_(R, D) != 0;
    for (int32_t j = 0; j < D && !collinear; j++)
        collinear = !(pow(R[(size_t)j * (size_t)(D + 1)], 2) > least);
    for (int32_t t = D; t < seen->d && !collinear; t++) {
        double rest = 1;

        correlate(seen, s->intercept, t, D, r);
        mb_chol_forward_(R, D, r);
        for (int32_t j = 0; j < D; j++)
            rest -= r[j] * r[j];
        constant |= !(seen->cov[(size_t)t * (size_t)(seen->d + 1)] > 0);
        exact |= !(rest > least);
    }
    *what = collinear  ? "an input is constant or collinear with others"
            : constant ? "a target is constant"
            : exact    ? "the inputs explain the target without noise"
                       : NULL;
    return MB_OK;
}

/* The prior's word, which is empirical where least squares do not determine the answer. */
static mb_status choose(mb_arena *a, const mb_linreg_kind *o, const mb_sizes *s,
                        const mb_row_moments *seen, int32_t *which, const char **warning,
                        mb_err *err)
{
    const char *what = NULL;

    MB_TRY(mb_prior_word_(o->prior, PRIORS, which, err));
    if (*which != REFERENCE)
        return MB_OK;
    *which = EMPIRICAL;
    if (!needs_covariance(o) || !seen->cov)
        return MB_OK;
    MB_TRY(undetermined(a, s, seen, &what, err));
    if (!what) {
        *which = REFERENCE;
        return MB_OK;
    }
    *warning =
        mb_text(a, err,
                "%s, so least squares have no answer with intervals: coefficients, noise and "
                "R2 depend on the proper prior that is used instead (--prior empirical); "
                "--linreg.relevance on finds which inputs matter",
                what);
    return *warning ? MB_OK : MB_E_NOMEM;
}

/* Textbook parameters of the prior in units u. */
static void fill(const mb_linreg_opt *o, int32_t which, double *par)
{
    par_of_prior(o, par);
    if (which != REFERENCE)
        return;
    par[PAR_A] = -0.5 * (o->D + o->intercept);
    for (int32_t t = 0; t < mb_linreg_T_(o->targets); t++)
        par[PAR_B + t] = reference;
}

static mb_status prior(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_linreg_kind *own = opt;
    const int32_t         d = seen->d;
    const mb_layout      *l = &out->model.layout;
    mb_linreg_opt         o;
    double               *run_par;
    mb_sizes              s;
    mb_units              u;
    int32_t               which;

    mb_kind_sizes(&mb_kind_linreg, opt, d, NULL, &s);
    o = mb_linreg_defaults(s.D, s.intercept);
    MB_TRY(refuse(own, err));
    MB_TRY(choose(a, own, &s, seen, &which, &out->warning, err));
    u = (mb_units){.d = d, .origin = seen->middle, .scale = seen->spread};
    if (which != WEAK)
        MB_TRY(mb_prior_units_(a, own->intercept, seen, &u, err));
    o.lambda0 = which == WEAK ? o.lambda0 : which == EMPIRICAL ? empirical : reference;
    o.relevance = own->relevance;
    o.targets = s.targets;
    MB_TRY(mb_linreg_new(a, &o, &out->model, err));
    MB_NEW(out->par, a, l->len, err);
    MB_NEW(run_par, a, l->len, err);
    fill(&o, which, out->par);
    memcpy(run_par, out->par, l->len * sizeof *run_par);
    mb_move_par(l, u.origin, u.scale, out->par);
    MB_TRY(given(a, own, &s, out->par, err));
    if (is_given(own))
        memcpy(run_par, out->par, l->len * sizeof *run_par);
    /* The default loses fewer digits than by way of data units. */
    MB_TRY(mb_par_to_units_(a, l, is_given(own) ? NULL : &u, run, run_par, err));
    return prior_from(a, run_par, &out->model, err);
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    mb_linreg_opt o = mb_linreg_defaults(s->D, s->intercept);

    o.relevance = s->choice[0];
    o.targets = s->targets;
    return mb_linreg_new(a, &o, out, err);
}

/* Of several targets the fields of each are lists, which T then precedes. */
static mb_field of_targets(const mb_sizes *s, mb_field f, size_t step)
{
    const int32_t T = mb_linreg_T_(s->targets);

    if (T == 1)
        return f;
    for (int32_t k = f.ndim; k > 0; k--)
        f.shape[k] = f.shape[k - 1];
    f.shape[0] = T;
    f.ndim++;
    f.by_target = 1;
    f.step = step;
    return f;
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t D = s->D, p = mb_linreg_coefficients_(s), none = !s->intercept;
    const size_t  T = (size_t)mb_linreg_T_(s->targets), n = (size_t)p;
    const size_t  first = (size_t)s->intercept, m = PAR_B + T, lambda = m + T * n;
    const size_t  more = lambda + mb_svec_len_(p), alpha = T * n + 1 + T;

    *out++ = (mb_field){.key = "shape", .bounded = 1, .improper = 0.5 * p, .at = PAR_A};
    *out++ = of_targets(s, (mb_field){.key = "rate", .bounded = 1, .at = PAR_B}, 1);
    *out++ =
        of_targets(s, (mb_field){.key = "intercept", .optional = 1, .absent = none, .at = m}, n);
    *out++ = of_targets(s, (mb_field){.key = "coef", 1, {D}, .at = m + first, .step = 1}, n);
    *out++ = (mb_field){.key = "precision", 2, {p, p}, 1, .at = lambda};
    *out++ = of_targets(
        s, (mb_field){.key = "intercept_scale", .derived = 1, .optional = 1, .absent = none}, n);
    *out++ = of_targets(
        s, (mb_field){.key = "coef_scale", 1, {D}, .derived = 1, .at = first, .step = 1}, n);
    *out++ = (mb_field){.key = "degrees_of_freedom", .derived = 1, .at = T * n};
    *out++ = of_targets(s, (mb_field){.key = "noise_variance", .derived = 1, .at = T * n + 1}, 1);
    if (!s->choice[0])
        return 9;
    *out++ = (mb_field){.key = "relevance_mean", 1, {D}, .derived = 1, .at = alpha, .step = 1};
    *out++ = (mb_field){.key = "relevance_shape", 1, {D}, .bounded = 1, .at = more, .step = 2};
    *out++ = (mb_field){.key = "relevance_rate", 1, {D}, .bounded = 1, .at = more + 1, .step = 2};
    return 12;
}

static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    const int32_t T = mb_linreg_T_(s->targets);

    MB_TRY(scales_of(a, s, par, out, err));
    out += (size_t)T * (size_t)mb_linreg_coefficients_(s);
    *out++ = 2 * par[PAR_A];
    for (int32_t t = 0; t < T; t++)
        *out++ = noise_sd(par, t);
    for (int32_t j = 0; s->choice[0] && j < s->D; j++)
        *out++ = mb_linreg_relevance_(s, par, j);
    return MB_OK;
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    const size_t   first = (size_t)s->intercept, n = (size_t)mb_linreg_coefficients_(s);
    const size_t   T = (size_t)mb_linreg_T_(s->targets);
    const mb_field all[] = {
        of_targets(s, (mb_field){.key = "intercept", .optional = 1, .absent = !s->intercept}, n),
        of_targets(s, (mb_field){.key = "coef", 1, {s->D}, .at = first, .step = 1}, n),
        of_targets(s, (mb_field){.key = "noise_variance", .at = T * n}, 1),
        {.key = "relevance", 1, {s->D}, .at = T * (n + 1), .step = 1}};

    memcpy(out, all, sizeof all);
    return (int32_t)(sizeof all / sizeof *all) - (s->choice[0] ? 0 : 1);
}

/* Middle and spread of the targets from the regression at those of the inputs. */
static void own_units(const mb_sizes *s, const double *par, mb_units *u)
{
    const int32_t T = mb_linreg_T_(s->targets);

    mb_coefficient_units_(s, mb_linreg_lambda_(s, par), 2 * par[PAR_A], u);
    u->log_jacobian = 0;
    for (int32_t t = 0; t < T; t++)
        mb_target_own_units_(s, t, mb_linreg_mean_(s, par, t), par[PAR_B + t] / par[PAR_A], u);
}

static const char *const relevances[] = {"off", "on", NULL};
static const mb_choice   choices[] = {{"relevance", "linreg.relevance", relevances},
                                      {NULL, NULL, NULL}};

const mb_kind mb_kind_linreg = {.name = "linreg",
                                .title = "Bayesian linear regression",
                                .estimator = "BayesianLinearRegression",
                                .targets = 10000,
                                .opts = options,
                                .opt_size = sizeof(mb_linreg_kind),
                                .choices = choices,
                                .numbers = numbers,
                                .units = mb_target_units_,
                                .prior = prior,
                                .needs_covariance = needs_covariance,
                                .model = model,
                                .fields = fields,
                                .derive = derive,
                                .drawn = drawn,
                                .own_units = own_units,
                                .compare = MB_TABLE_(compare),
                                .summary = MB_TABLE_(summarise),
                                .sklearn = MB_EXPORT_(sklearn_attributes),
                                .noisy = MB_TABLE_(mb_linreg_noisy_)};

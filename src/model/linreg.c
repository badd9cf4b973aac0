/* linreg.c - Bayesian linear regression, y = w'x + noise of precision tau, docs/math.md 10.
 *
 * A row adds [1/2, svec(-z z'/2)], z = (x, y), x with a leading 1 when there is an intercept. No
 * row has a latent variable, so the statistics do not depend on phi: one local step is the
 * posterior. The kernel of the mixtures computes the sums, with a single component. */
#include "expfam/normal_gamma.h"
#include "model/linreg_par.h"
#include "model/linreg_targets.h"
#include "model/prior.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MOST_TARGETS = 10000 };

static const double LN_2PI = 1.83787706640934548356;

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
    MB_TRY(mb_gmm_check_(g, rows, err));
    for (int64_t next = 0; next < rows->n;) {
        next = mb_gmm_fill_(g, rows, next);
        MB_TRY(logz ? add_logz(g, logz, err) : mb_gmm_finite_(g, err));
        memcpy(g->r, g->w, (size_t)g->rows * sizeof *g->r);
        mb_gmm_weights_given_(g);
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
    MB_TRY(gather(m, &g, rows, s, &total, err));
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

static mb_status locate(line *q, const mb_rows *rows, int64_t j, int64_t n, place *at, mb_err *err)
{
    double location[LANES] = {0}, spread[LANES];

    for (int u = 0; u < LANES; u++)
        spread[u] = 1;
    read_inputs(q, rows, j, n);
    for (int32_t i = 0; i < q->p; i++)
        for (int u = 0; u < LANES; u++)
            location[u] += q->m[i] * q->x[i * LANES + u];
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
    else {
        out[1] = sqrt(q->b / q->a * at->spread);
        out[2] = 2 * q->a;
    }
    return MB_OK;
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const size_t width = want == MB_WANT_LOGPDF ? 1 : want == MB_WANT_MEAN_VAR ? 2 : 3;
    line         q;
    place        at[LANES];

    if (((const spec *)m->spec)->T > 1)
        return mb_linreg_targets_predict_(m, phi, rows, want, out, scratch, err);
    if (want != MB_WANT_LOGPDF && want != MB_WANT_MEAN_VAR && want != MB_WANT_INTERVAL)
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
        MB_TRY(locate(&q, rows, j, n, at, err));
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

static const mb_model_ops ops = {.name = "linreg",
                                 .stats = stats,
                                 .seed_stats = seed_stats,
                                 .fixed_stats = 1,
                                 .predict = predict};
static const mb_model_ops relevance_ops = {.name = "linreg",
                                           .stats = stats,
                                           .seed_stats = seed_stats,
                                           .prior_at = prior_at,
                                           .fixed_stats = 1,
                                           .predict = predict};

mb_linreg_opt mb_linreg_defaults(int32_t D, int32_t intercept)
{
    return (mb_linreg_opt){.D = D, .intercept = intercept, .a0 = 0.5, .b0 = 1e-4, .lambda0 = 1e-4};
}

static mb_status check(mb_arena *a, const mb_linreg_opt *o, mb_err *err)
{
    MB_TRY(mb_check_inputs_(o->D, o->intercept, err));
    if (o->targets < 0 || o->targets > MOST_TARGETS)
        MB_FAIL(err, MB_E_ARG, "targets = %" PRId32 "; expected 1 to %d", o->targets, MOST_TARGETS);
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

mb_status mb_linreg_prior_(mb_arena *a, const double *par, mb_model *m, mb_err *err)
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
    mb_linreg_par_(opt, par);
    MB_TRY(mb_linreg_prior_(a, par, &m, err));
    m.scratch = mb_estep_scratch_(1, opt->D + T) + ((size_t)p + 1) * ((size_t)p + 1 + 2 * LANES) +
                (T > 1 ? mb_linreg_targets_scratch_(p, T) + (size_t)T : 0);
    *out = m;
    return MB_OK;
}

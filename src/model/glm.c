/* glm.c - generalised linear models: p(y | w'x) of a link, w ~ N(m, P^-1) a posteriori; conjugate-
 * computation variational inference [KhanLin17], docs/math.md, section 21.
 *
 * A row's statistics are the gradient of E[ln p(y | w'x)] with respect to the moments of w: with
 * e = m'x and v = x' P^-1 x and the derivatives g, h with respect to them [(g - 2 h e) x, svec(h x
 * x')]. They depend on phi, and fixed points are where the bound is stationary. */
#include "model/glm.h"
#include "base/columns.h"
#include "base/text.h"
#include "expfam/expfam.h"
#include "expfam/gaussian.h"
#include "model/entries.h"
#include "model/glm_link.h"
#include "model/kind.h"
#include "model/linreg_par.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- the prior in textbook parameters: of each predictor its means, then one precision ---- */

static const mb_column *levels_of(const mb_sizes *s)
{
    const int known = s->choice[0] != MB_LINK_POISSON && s->columns && s->columns->d > s->D;

    return known && s->columns->of[s->D].kind == MB_COLUMN_CATEGORY ? &s->columns->of[s->D] : NULL;
}

/* Sizes that are refused later have one. */
static int32_t mb_glm_predictors_(const mb_sizes *s)
{
    const mb_column *levels = s->choice[0] == MB_LINK_MULTINOMIAL ? levels_of(s) : NULL;

    return levels && levels->levels > 2 && levels->levels <= MB_GLM_LEVELS_ ? levels->levels - 1
                                                                            : 1;
}

/* par of T independent predictors, each with the parameters `one` of a Gaussian of p
 * coefficients. */
static void repeat_prior(int32_t T, int32_t p, const double *one, double *par)
{
    double *P = par + (size_t)T * (size_t)p;

    memset(P, 0, mb_svec_len_(T * p) * sizeof *P);
    for (int32_t c = 0; c < T; c++)
        for (int32_t i = 0; i < p; i++) {
            par[c * p + i] = one[i];
            for (int32_t j = 0; j <= i; j++)
                P[mb_packed_at_(c * p + i, c * p + j)] = one[p + (int32_t)mb_packed_at_(i, j)];
        }
}

static mb_status standard_deviations(mb_arena *a, const mb_sizes *s, const double *par, double *out,
                                     mb_err *err)
{
    const size_t n = (size_t)mb_glm_predictors_(s) * (size_t)mb_linreg_coefficients_(s);
    double      *scratch;

    MB_NEW(scratch, a, 2 * n * n, err);
    if (mb_coefficient_scales_((int32_t)n, par + n, out, scratch) != 0)
        MB_FAIL(err, MB_E_DOMAIN, "par: expected the parameters of a Gaussian posterior");
    return MB_OK;
}

/* ---- the model ---- */

static const double SQRT2 = 1.41421356237309504880;

enum { LANES = MB_GLM_LANES_, BLOCK = MB_BLOCK_MAX };

typedef struct spec {
    int32_t             D, p; /* inputs, coefficients: p - D is 1 with an intercept, else 0 */
    mb_offset           offset;
    const mb_glm_link_ *link;
    mb_how_             how;
} spec;

/* What is computed at one phi: the mean, and the variance of a row's predictor as `least` and a
 * squared distance from a centre, as the kernel has it; of the rows of a block. */
typedef struct work {
    const spec   *q;
    int           first;    /* 1 at the start of the link, else at phi */
    double       *m;        /* p */
    double       *least;    /* 1 */
    double        e[BLOCK]; /* mean and variance of each row's predictor, without the offset */
    double        v[BLOCK];
    double        sum[BLOCK]; /* e and the offset */
    mb_glm_lanes_ f;
    mb_glm_block_ b;
} work;

/* Of the rows, with the target. */
static int32_t all_columns(const spec *q)
{
    return mb_glm_columns_(q->D, q->offset) + 1;
}

static size_t size_of(const spec *q)
{
    return (size_t)q->p + 1 + mb_estep_scratch_(1, all_columns(q));
}

static void carve(const mb_model *m, double *scratch, int first, work *w)
{
    const spec *q = m->spec;

    w->q = q;
    w->first = first;
    w->m = scratch;
    w->least = scratch + q->p;
    w->b.D = q->D;
    w->b.offset = q->offset;
    mb_estep_carve_(&w->b.g, &q->how, 1, all_columns(q), scratch + q->p + 1);
}

/* Of the moments: without inputs, those of the target, which are not read. */
static int32_t columns(const spec *q)
{
    return q->D > 1 ? q->D : 1;
}

/* L (p x p) with a row and a column before it, those of the matrix that is 1. */
static void border(double *L, size_t p)
{
    for (size_t i = p; i-- > 0;) {
        memmove(L + (i + 1) * (p + 1) + 1, L + i * p, p * sizeof *L);
        L[(i + 1) * (p + 1)] = 0;
    }
    L[0] = 1;
}

static int32_t intercept(const work *w)
{
    return w->q->p - w->q->D;
}

static mb_status set_up(const mb_model *m, const double *phi, double *scratch, work *w, mb_err *err)
{
    double *L;

    carve(m, scratch, 0, w);
    L = w->b.g.tmp;
    if (mb_gaussian_factor_(w->q->p, phi, L, w->m) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "block 0 (%s) is outside its domain",
                m->layout.block->family->name);
    *w->least = intercept(w) ? 1 / (L[0] * L[0]) : 0;
    if (!intercept(w))
        border(L, (size_t)w->q->p);
    w->b.g.D = w->q->D;
    mb_gmm_component_(&w->b.g, 0, L);
    return MB_OK;
}

/* e = m'x, v = |h|^2 with L h = x. An intercept is the first entry of x, so h is 1/L_00, then what
 * solves the rest of L with the right side x less L_i0/L_00. */
static void predictors(work *w)
{
    const mb_estep_ *g = &w->b.g;
    const int32_t    one = intercept(w);

    for (int32_t l = 0; l < BLOCK; l++)
        w->e[l] = one ? w->m[0] : 0;
    mb_glm_lines_(g, 1, w->q->D, w->m + one, g->z, w->e);
    memset(w->v, 0, sizeof w->v); /* after the rows, too */
    w->b.g.D = w->q->D;
    g->kernel->density(g, 0, *w->least, -1, w->v);
    w->b.g.D = columns(w->q);
}

/* e with the offsets of the rows; up to whole vectors. */
static const double *with_offset(work *w)
{
    const int32_t end = (w->b.g.rows + LANES - 1) / LANES * LANES;

    for (int32_t l = 0; w->b.o && l < end; l++)
        w->sum[l] = w->e[l] + w->b.o[l];
    return w->b.o ? w->sum : w->e;
}

static mb_status target(const void *self, int64_t row, double y, mb_err *err)
{
    const work *w = self;

    if (!w->q->link->accepts(y))
        MB_FAIL(err, MB_E_NUMERIC, "row %" PRId64 ": got target %g; expected %s", row, y,
                w->q->link->expects);
    return MB_OK;
}

static void expect(void *self, mb_glm_block_ *b)
{
    work *w = self;

    if (!w->first)
        predictors(w);
    for (int32_t l = 0; w->first && l < BLOCK; l++) {
        w->e[l] = l < b->g.rows ? w->q->link->start(b->y[l]) - (b->o ? b->o[l] : 0) : 0;
        w->v[l] = 0;
    }
    w->q->link->expect(w->q->how.kernel, b->g.rows, b->y, with_offset(w), w->v, &w->f);
    for (int32_t l = 0; l < b->g.rows; l++)
        b->value[l] = w->f.value[l] + 0 * w->f.by_mean[l] + 0 * w->f.by_var[l];
    if (w->first) /* else a variance is not finite */
        mb_glm_inputs_(b);
}

static void add(const void *self, const mb_glm_block_ *b, double *s)
{
    const work      *w = self;
    const mb_estep_ *g = &b->g;
    const int32_t    n = g->rows, one = intercept(w);
    double           linear[BLOCK] = {0}, *square = g->r;

    for (int32_t l = 0; l < n; l++) {
        linear[l] = g->w[l] * (w->f.by_mean[l] - 2 * w->f.by_var[l] * w->e[l]);
        square[l] = g->w[l] * w->f.by_var[l];
        if (one)
            s[0] += linear[l];
    }
    mb_glm_dots_(g, 1, b->D, linear, g->z, s + one);
    mb_estep_weights_given_(g);
    g->kernel->moments(g);
}

static const mb_glm_sums_ sums = {target, expect, add};

/* s += the sums of all rows; their second moments are those that the kernel has. */
static mb_status sum_rows(const mb_model *m, work *w, const mb_rows *rows, double *s, double *logz,
                          mb_err *err)
{
    const int32_t p = w->q->p, one = intercept(w), n = columns(w->q) + 1;
    double       *to = s + m->layout.block->off + p;

    MB_TRY(mb_glm_sum_(&sums, w, &w->b, rows, s + m->layout.block->off, logz, err));
    w->b.g.D = n - 1;
    w->b.g.kernel->sums(&w->b.g);
    for (int32_t i = 1 - one; i < p + 1 - one; i++)
        for (int32_t j = 1 - one; j <= i; j++)
            *to++ += (i == j ? 1 : SQRT2) * w->b.g.S[i * n + j];
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    work w;

    MB_TRY(set_up(m, phi, scratch, &w, err));
    return sum_rows(m, &w, rows, s, logz, err);
}

static mb_status more_stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                            double *logz, double *scratch, mb_err *err)
{
    work w;

    (void)phi; /* what set_up made of it is in the scratch */
    carve(m, scratch, 0, &w);
    return sum_rows(m, &w, rows, s, logz, err);
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    work w;

    (void)resp; /* nothing is latent */
    carve(m, scratch, 1, &w);
    return sum_rows(m, &w, rows, s, NULL, err);
}

/* What is wanted of a row whose predictor is N(e, v). */
static void tell(const work *w, mb_want want, double e, double v, double *out)
{
    const int flag = w->q->link == &mb_glm_links_[MB_LINK_LOGISTIC];
    double    mean, variance;

    w->q->link->predict(w->q->how.kernel, e, v, &mean, &variance);
    const int likeliest = mean > 0.5;

    if (want == MB_WANT_LABEL) {
        out[0] = likeliest;
    } else if (want == MB_WANT_RANGE) {
        out[0] = flag && !likeliest ? 1 - mean : mean;
        out[1] = flag && !likeliest ? -e : e;
        out[2] = sqrt(v);
    } else {
        out[0] = want == MB_WANT_PROB ? 1 - mean : mean;
        out[1] = want == MB_WANT_PROB ? mean : variance;
    }
}

/* 1 for what a flag alone has. */
static int of_flag(mb_want want)
{
    return want == MB_WANT_LABEL || want == MB_WANT_PROB;
}

static mb_status answer(const work *w, mb_want want, int32_t l, double *out, mb_err *err)
{
    const double e = w->b.o ? w->sum[l] : w->e[l], v = w->v[l],
                 y = w->b.y ? w->b.y[l] : (double)NAN;
    const int64_t j = mb_estep_row_(&w->b.g, l);

    if (!isfinite(e) || !isfinite(v))
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": its prediction is %g; its inputs must be finite and not absurdly "
                "large",
                j, e);
    if (want != MB_WANT_LOGPDF) {
        tell(w, want, e, v, out);
        return MB_OK;
    }
    MB_TRY(target(w, j, y, err));
    *out = mb_glm_log_density_(w->q->link, y, e, v);
    return MB_OK;
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const size_t width = want == MB_WANT_LOGPDF || want == MB_WANT_LABEL ? 1
                         : want == MB_WANT_RANGE                         ? 3
                                                                         : 2;
    const int    flag = ((const spec *)m->spec)->link == &mb_glm_links_[MB_LINK_LOGISTIC];
    mb_rows      all = *rows;
    work         w;

    if (want != MB_WANT_LOGPDF && want != MB_WANT_MEAN_VAR && want != MB_WANT_RANGE &&
        !(flag && of_flag(want)))
        MB_FAIL(err, MB_E_NOSUP,
                "this generalised linear model predicts densities and means%s only",
                flag ? ", labels and probabilities" : "");
    MB_TRY(set_up(m, phi, scratch, &w, err));
    if (rows->d != all_columns(w.q) - 1 || want == MB_WANT_LOGPDF)
        MB_TRY(mb_glm_check_shape_(all_columns(w.q) - 1, rows, err));
    all.w = NULL;
    for (int64_t j = 0; j < rows->n;) {
        j = mb_glm_fill_(&w.b, &all, j);
        predictors(&w);
        with_offset(&w);
        for (int32_t l = 0; l < w.b.g.rows; l++, out += width)
            MB_TRY(answer(&w, want, l, out, err));
    }
    return MB_OK;
}

/* Of a flag g - 2 h e is in [0, 1] or [-1, 0] and -2 h, an expected slope of the logistic function,
 * in [0, 1/4] (docs/math.md, section 29), but e is without the offset, which has no limit; of a
 * count both grow with the rate. */
static void entries(const mb_model *m, mb_entry *out)
{
    const spec  *q = m->spec;
    const int    flag = q->link == &mb_glm_links_[MB_LINK_LOGISTIC];
    const double most = (double)INFINITY;
    mb_entry     like = mb_entry_rows_(1, 0, 0);

    like.most = flag && !q->offset ? 1 : most;
    like.least = -like.most;
    for (int32_t i = 0; i < q->p; i++)
        *out++ = mb_entry_product_(like, i - (q->p - q->D), -1);
    like.factor = -0.5;
    like.least = 0;
    like.most = flag ? 0.25 : most;
    mb_entries_square_(like, q->p, q->p - q->D, out);
}

static const mb_model_ops ops = {.name = "glm",
                                 .stats = stats,
                                 .more_stats = more_stats,
                                 .seed_stats = seed_stats,
                                 .overshoots = 1,
                                 .predict = predict,
                                 .entries = MB_ENTRIES_(entries)};

mb_glm_opt mb_glm_defaults(int32_t D, int32_t intercept)
{
    return (mb_glm_opt){.D = D, .intercept = intercept, .lambda0 = 0.01};
}

static mb_status check_levels(const mb_glm_opt *o, mb_err *err)
{
    const int32_t p = o->D + o->intercept;

    if (o->link != MB_LINK_MULTINOMIAL)
        return MB_OK;
    if (o->levels < 2 || o->levels > MB_GLM_LEVELS_)
        MB_FAIL(err, MB_E_ARG, "levels = %" PRId32 "; expected 2 to %d categories", o->levels,
                MB_GLM_LEVELS_);
    if ((o->levels - 1) * p > MB_GLM_MOST_)
        MB_FAIL(err, MB_E_ARG,
                "levels = %" PRId32 ": got %" PRId32 " coefficients, %" PRId32
                " for each category but the first; expected %d at most",
                o->levels, (o->levels - 1) * p, p, MB_GLM_MOST_);
    return MB_OK;
}

static mb_status check(mb_arena *a, const mb_glm_opt *o, mb_err *err)
{
    MB_TRY(mb_check_inputs_(o->D, o->intercept, err));
    if (o->link < 0 || o->link >= MB_LINKS)
        MB_FAIL(err, MB_E_ARG, "link = %d; expected 0 to %d", (int)o->link, MB_LINKS - 1);
    if (o->offset == MB_OFFSET_EXPOSURE && o->link != MB_LINK_POISSON)
        MB_FAIL(err, MB_E_ARG,
                "--exposure-column: its logarithm adds to that of a count's mean; expected "
                "--glm.link poisson, or --offset-column");
    MB_TRY(check_levels(o, err));
    if (!o->lambda0_matrix)
        MB_TRY(mb_check_positive_("lambda0", o->lambda0, err));
    MB_TRY(mb_check_finite_("m0", o->D + o->intercept, o->m0, err));
    return mb_check_matrix_(a, "lambda0", o->D + o->intercept, o->lambda0_matrix, err);
}

static mb_status begin(mb_arena *a, const mb_glm_opt *opt, mb_model *out, mb_err *err)
{
    const int32_t p = opt->D + opt->intercept;
    spec         *q;

    MB_NEW(q, a, 1, err);
    *q = (spec){.D = opt->D, .p = p, .offset = opt->offset, .link = &mb_glm_links_[opt->link]};
    q->how = mb_how_best_(1, all_columns(q));
    *out = (mb_model){.ops = &ops, .spec = q, .scratch = size_of(q)};
    return MB_OK;
}

mb_status mb_glm_new(mb_arena *a, const mb_glm_opt *opt, mb_model *out, mb_err *err)
{
    const int32_t p = opt->D + opt->intercept, several = opt->link == MB_LINK_MULTINOMIAL;
    const int32_t T = several ? opt->levels - 1 : 1;
    double       *one, *par;
    mb_model      m;

    MB_TRY(check(a, opt, err));
    MB_TRY(several ? mb_multinomial_begin_(a, opt, &m, err) : begin(a, opt, &m, err));
    MB_TRY(mb_layout_add(&m.layout, opt->intercept ? &mb_gaussian : &mb_gaussian_origin,
                         p + MB_TARGETS_STEP * (T - 1), 1, err));
    MB_NEW(one, a, (size_t)p + mb_svec_len_(p) + 2, err);
    MB_NEW(par, a, m.layout.len, err);
    mb_prior_par_(0, 0, p, opt->m0, opt->lambda0_matrix, opt->lambda0, one);
    repeat_prior(T, p, one + 2, par);
    if (mb_model_prior(a, par, &m, err) < 0)
        MB_FAIL(err, MB_E_ARG, "the prior cannot be held in double precision");
    *out = m;
    return MB_OK;
}

/* ---- tables for people ---- */

enum { NAMED = 4 /* coefficients of a warning, at most */ };
static const double NORMAL_975 = 1.95996398454005424;

static mb_status compare(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err)
{
    double *sd;

    (void)other;
    MB_NEW(sd, a, mb_glm_predictors_(&p->size) * mb_linreg_coefficients_(&p->size), err);
    MB_TRY(standard_deviations(a, &p->size, p->par, sd, err));
    return mb_coefficients_compare_(a, p, p->par, q->par, sd, out, err);
}

/* The share of the prior in what is known of a coefficient, and its distance from the prior's mean in
 * standard deviations of the prior, both along the line on which the others follow it. Where the
 * maximum of the likelihood is at infinity these are large: the bounds are those measured at priors
 * of standard deviations 10 to 1000 (docs/math.md, section 21). Nearly all of the share is the
 * prior's where rows say nothing: that posterior is the prior, a Gaussian whose interval is right. */
static const double SHARE = 0.02, FAR_SHARE = 0.0025, FAR = 0.5, NOTHING = 0.99;

typedef struct known {
    int32_t       n;            /* coefficients             */
    const double *R;            /* n x n: chol(P)^-1        */
    const double *mean, *mean0; /* n: of posterior, prior  */
    const double *P0;           /* of the prior, packed     */
    double       *line;         /* n: a column of P^-1      */
} known;

/* line'P0 line. */
static double square(const known *of)
{
    const double *P = of->P0;
    double        sum = 0;

    for (int32_t i = 0; i < of->n; i++) {
        double row = 0;

        for (int32_t j = 0; j < i; j++)
            row += *P++ * of->line[j];
        sum += of->line[i] * (2 * row + *P++ * of->line[i]);
    }
    return sum;
}

static int is_held(const known *of, int32_t j)
{
    const size_t n = (size_t)of->n;
    double       precision, share;

    memset(of->line, 0, n * sizeof *of->line);
    for (size_t k = (size_t)j; k < n; k++)
        for (size_t i = 0; i <= k; i++)
            of->line[i] += of->R[k * n + (size_t)j] * of->R[k * n + i];
    precision = square(of) / (of->line[j] * of->line[j]);
    share = precision * of->line[j];
    return share < NOTHING &&
           (share > SHARE ||
            (share > FAR_SHARE && fabs(of->mean[j] - of->mean0[j]) * sqrt(precision) > FAR));
}

/* held[j]: 1 where the prior decides how large coefficient j is. */
static mb_status find_held(mb_arena *a, const mb_posterior *p, int32_t n, uint8_t *held,
                           mb_err *err)
{
    const double *prior = p->prior_par;
    double       *C, *R, *line;

    MB_NEW(C, a, (size_t)n * (size_t)n, err);
    MB_NEW(R, a, (size_t)n * (size_t)n, err);
    MB_NEW(line, a, n, err);
    if (mb_chol_packed_(p->par + n, n, C) != 0)
        MB_FAIL(err, MB_E_DOMAIN, "par: expected the parameters of a Gaussian posterior");
    mb_chol_inverse_(C, n, R);
    for (int32_t j = 0; j < n; j++)
        held[j] = (uint8_t)is_held(&(known){n, R, p->par, prior, prior + n, line}, j);
    return MB_OK;
}

/* Names the first of them. */
static mb_status warn(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const char *list = "";
    uint8_t    *held;
    int32_t     count = 0;

    if (!p->prior_par)
        return MB_OK;
    MB_NEW(held, a, out->rows, err);
    MB_TRY(find_held(a, p, out->rows, held, err));
    for (int32_t j = 0; j < out->rows && list; j++)
        if (held[j] && count++ < NAMED)
            list = mb_text(a, err, "%s%s\"%.60s\"", list, count > 1 ? ", " : "", out->label[j]);
    if (list && count > NAMED)
        list = mb_text(a, err, "%s and %d more", list, (int)count - NAMED);
    if (!list)
        return MB_E_NOMEM;
    if (!count)
        return MB_OK;
    out->warning = mb_text(a, err,
                           "the prior (--prior.lambda0) decides how large the coefficient%s of %s "
                           "%s: there the %s too short",
                           count > 1 ? "s" : "", list, count > 1 ? "are" : "is",
                           count > 1 ? "intervals are" : "interval is");
    return out->warning ? MB_OK : MB_E_NOMEM;
}

static mb_status summarise(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    static const char *const linear[] = {"log odds", "log mean", "log odds"}; /* mb_link */
    const int32_t            n = mb_glm_predictors_(&p->size) * mb_linreg_coefficients_(&p->size);
    const mb_column         *levels = levels_of(&p->size);
    const char             **of;
    double                  *sd;

    MB_NEW(of, a, 1, err);
    MB_NEW(sd, a, n, err);
    MB_TRY(standard_deviations(a, &p->size, p->par, sd, err));
    MB_TRY(mb_coefficients_(a, p, p->par, sd, NORMAL_975, out, err));
    out->sd = sd;
    *of = mb_text(a, err, "%s of %s", linear[p->size.choice[0]], p->target[0]);
    out->name = of;
    out->note = mb_text(a, err, "link %s", mb_kind_word(p->kind, &p->size, 0));
    if (out->note && levels && p->size.choice[0] == MB_LINK_LOGISTIC)
        out->note = mb_text(a, err, "%s; coefficients of \"%.60s\" against \"%.60s\"", out->note,
                            levels->level[1], levels->level[0]);
    else if (out->note && levels)
        out->note = mb_text(a, err, "%s; coefficients of each level against \"%.60s\"", out->note,
                            levels->level[0]);
    return *of && out->note ? warn(a, p, out, err) : MB_E_NOMEM;
}

/* ---- the kind ---- */

#define AT(field) offsetof(mb_glm_kind, field)

#define PRIORS "empirical|posterior:FILE.json"

static const mb_opt options[] = {
    {"target-column", MB_OPT_TEXT, AT(target_column), NULL, 0, 0, "NAME", "", "", "y",
     "the column to explain by the others; without it the last of an NPY file"},
    {"glm.link", MB_OPT_CHOICE, AT(link), "logistic", 0, 0,
     "logistic=logit|poisson=log|multinomial=softmax", "", "math 21, 28", "",
     "logistic: a target of 0 or 1, or of two words, whose second the coefficients are of; "
     "poisson: a count, the logarithm of whose expectation is "
     "linear in the inputs; multinomial: a category, whose log odds of each level against the "
     "first are linear; logit, log and softmax are other words for these three. Coefficients are "
     "means of the posterior, in R's glm maxima of the "
     "likelihood: with few rows they differ in the third digit, where inputs separate levels by "
     "more"},
    {"intercept", MB_OPT_CHOICE, AT(intercept), "on", 0, 0, "off|on", "", "", "fit_intercept",
     "a constant besides the inputs"},
    {"offset-column", MB_OPT_TEXT, AT(offset_column), NULL, 0, 0, "NAME", "", "math 21", "",
     "a column that adds to the linear predictor, without a coefficient (of a category: of each "
     "level but the first); in --formula offset(..)"},
    {"exposure-column", MB_OPT_TEXT, AT(exposure_column), NULL, 0, 0, "NAME", "", "math 21", "",
     "link poisson: over which time, area or number of people a row counts, above 0: its logarithm "
     "is the offset, so that the coefficients are of rates"},
    {"prior", MB_OPT_INPUT, AT(prior), "empirical", 0, 0, PRIORS, "", "math 21", "",
     "empirical: coefficients of mean 0 and standard deviation 10 in columns of mean 0 and "
     "variance 1; posterior: an earlier posterior. Single options override the first"},
    {"prior.m0", MB_OPT_TEXT, AT(m0), NULL, 0, 0, "A[,B,..]", "data units", "math 21", "",
     "prior mean of intercept and coefficients, of each level of a category; without it 0 at "
     "the mean of the rows"},
    {"prior.lambda0", MB_OPT_TEXT, AT(lambda0), NULL, 0, 0, "A[,B,..]", "data units", "math 21", "",
     "their prior precision: one number (times the identity) or p*p; without it 0.01 in "
     "columns of mean 0 and variance 1"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static mb_coefficient_prior_ coefficients(const mb_glm_kind *o)
{
    return (mb_coefficient_prior_){o->m0, o->lambda0, o->m0_at, o->lambda0_at};
}

/* Those that have a coefficient. */
static int32_t inputs(const mb_glm_kind *o, int32_t columns)
{
    return columns - 1 - (o->offset_column || o->exposure_column);
}

static int32_t numbers(const void *opt, int32_t columns, mb_numbers *out)
{
    const mb_glm_kind          *o = opt;
    const mb_coefficient_prior_ prior = coefficients(o);

    return mb_coefficient_numbers_(&prior, 1, inputs(o, columns) + o->intercept,
                                   offsetof(mb_glm_kind, m0_at), offsetof(mb_glm_kind, lambda0_at),
                                   out);
}

/* Target and offset stay as they are. Without an intercept no coefficient can absorb a shift. */
static void units(const mb_sizes *s, mb_units *run)
{
    if (!s->intercept)
        memset(run->origin, 0, (size_t)run->d * sizeof *run->origin);
    for (int32_t d = mb_sizes_inputs(s); d < run->d; d++) {
        run->origin[d] = 0;
        run->scale[d] = 1;
    }
    run->log_jacobian = 0;
}

/* Categories are known, and inputs are numbers: sizes may come from a file. */
static mb_status check_columns(const mb_sizes *s, mb_err *err)
{
    const mb_column *levels = levels_of(s);
    const int        most = s->choice[0] == MB_LINK_MULTINOMIAL ? MB_GLM_LEVELS_ : 2;

    if (!levels)
        MB_FAIL(err, MB_E_ARG,
                "the target's categories are not known; expected --column NAME:category(a|b|c)");
    if (levels->levels < 2 || levels->levels > most)
        MB_FAIL(err, MB_E_ARG, "the target has %d categor%s%s%.60s%s; expected %s",
                (int)levels->levels, levels->levels == 1 ? "y" : "ies",
                levels->levels == 1 ? ", \"" : "", levels->levels == 1 ? levels->level[0] : "",
                levels->levels == 1 ? "\"" : "",
                most == 2 ? "2 (--glm.link multinomial takes more)" : "2 to 100");
    for (int32_t d = 0; d < s->D; d++)
        if (mb_columns_kind(s->columns, d) != MB_COLUMN_NUMBER)
            MB_FAIL(err, MB_E_ARG, "input %d is a %s; expected numbers beside the target",
                    (int)d + 1, mb_column_word(mb_columns_kind(s->columns, d)));
    return MB_OK;
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    mb_glm_opt o = mb_glm_defaults(mb_sizes_inputs(s), s->intercept);

    o.offset = mb_columns_offset(s->columns, s->D);
    o.link = (mb_link)s->choice[0];
    if (o.link == MB_LINK_MULTINOMIAL || levels_of(s))
        MB_TRY(check_columns(s, err));
    if (o.link == MB_LINK_MULTINOMIAL) {
        o.levels = mb_glm_predictors_(s) + 1;
    }
    return mb_glm_new(a, &o, out, err);
}

/* The prior of the coefficients of one predictor, data units. */
static mb_status one_predictor(mb_arena *a, const mb_glm_kind *own, const mb_row_moments *seen,
                               int32_t D, double **out, mb_err *err)
{
    const int32_t               d = seen->d, p = D + own->intercept;
    const mb_coefficient_prior_ given = coefficients(own);
    const mb_glm_opt            o = mb_glm_defaults(D, own->intercept);
    mb_model                    m;
    mb_units                    u;

    MB_TRY(mb_prior_units_(a, own->intercept, seen, &u, err));
    MB_TRY(mb_glm_new(a, &o, &m, err));
    MB_NEW(*out, a, m.layout.len, err);
    for (int32_t i = 0; i < p; i++)
        (*out)[p + (int32_t)mb_packed_at_(i, i)] = o.lambda0;
    mb_move_par(&m.layout, u.origin, u.scale, *out);
    return mb_coefficient_prior_given_(a, &given, d, 1, p, *out, err);
}

static mb_status prior(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_glm_kind *own = opt;
    const mb_layout   *l = &out->model.layout;
    double            *one, *run_par;
    mb_sizes           s;
    int32_t            which;

    mb_kind_sizes(&mb_kind_glm, opt, seen->d, seen->kinds, &s);
    MB_TRY(mb_prior_word_(own->prior, PRIORS, &which, err));
    MB_TRY(model(a, &s, &out->model, err));
    MB_TRY(one_predictor(a, own, seen, mb_sizes_inputs(&s), &one, err));
    MB_NEW(out->par, a, l->len, err);
    MB_NEW(run_par, a, l->len, err);
    repeat_prior(mb_glm_predictors_(&s), mb_linreg_coefficients_(&s), one, out->par);
    memcpy(run_par, out->par, l->len * sizeof *run_par);
    MB_TRY(mb_par_to_units_(a, l, NULL, run, run_par, err));
    if (mb_model_prior(a, run_par, &out->model, err) < 0)
        MB_FAIL(err, MB_E_ARG,
                "--prior.lambda0: the prior cannot be held in double precision in columns of a "
                "common origin and scale");
    return MB_OK;
}

/* Of a category each field has an item for each level but the first. */
static mb_field over_levels(const mb_sizes *s, mb_field f)
{
    if (s->choice[0] == MB_LINK_MULTINOMIAL) {
        f.shape[1] = f.shape[0];
        f.shape[0] = mb_glm_predictors_(s);
        f.ndim++;
        f.step = (size_t)mb_linreg_coefficients_(s);
        f.by_target = 1;
    }
    return f;
}

static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t  D = mb_sizes_inputs(s), q = mb_glm_predictors_(s) * mb_linreg_coefficients_(s);
    const int32_t  none = !s->intercept;
    const size_t   first = (size_t)s->intercept;
    const mb_field all[] = {
        over_levels(s, (mb_field){.key = "intercept", .optional = 1, .absent = none}),
        over_levels(s, (mb_field){.key = "coef", 1, {D}, .at = first, .step = 1}),
        {.key = "precision", 2, {q, q}, 1, .at = (size_t)q},
        over_levels(s,
                    (mb_field){.key = "intercept_sd", .derived = 1, .optional = 1, .absent = none}),
        over_levels(s, (mb_field){.key = "coef_sd", 1, {D}, .derived = 1, .at = first, .step = 1})};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

static int32_t drawn(const mb_sizes *s, mb_field *out)
{
    out[0] = over_levels(s, (mb_field){.key = "intercept", .optional = 1, .absent = !s->intercept});
    out[1] = over_levels(
        s,
        (mb_field){.key = "coef", 1, {mb_sizes_inputs(s)}, .at = (size_t)s->intercept, .step = 1});
    return 2;
}

/* Of a category the precision of its second level has them. The target stays as it is, as does all
 * without an intercept. */
static void own_units(const mb_sizes *s, const double *par, mb_units *u)
{
    if (s->intercept)
        mb_coefficient_units_(s, par + mb_glm_predictors_(s) * mb_linreg_coefficients_(s), 0, u);
}

static const char *const links[] = {"logistic", "poisson", "multinomial", NULL}; /* mb_link */
static const mb_choice   choices[] = {{"link", "glm.link", links}, {NULL, NULL, NULL}};

static double mean_at(const mb_sizes *s, double eta)
{
    return s->choice[0] == MB_LINK_POISSON ? exp(eta) : 1 / (1 + exp(-eta));
}

static mb_column_kind target_kind(const mb_sizes *s)
{
    static const mb_column_kind of[] = {MB_COLUMN_FLAG, MB_COLUMN_COUNT, MB_COLUMN_CATEGORY};

    return levels_of(s) ? MB_COLUMN_CATEGORY : of[s->choice[0]]; /* mb_link */
}

const mb_kind mb_kind_glm = {
    .name = "glm",
    .title = "generalised linear model: logistic, Poisson or softmax regression",
    .estimator = "BayesianLogisticRegression",
    .targets = 1,
    .target_kind = target_kind,
    .opts = options,
    .opt_size = sizeof(mb_glm_kind),
    .choices = choices,
    .numbers = numbers,
    .units = units,
    .prior = prior,
    .mean_at = mean_at,
    .model = model,
    .fields = fields,
    .derive = standard_deviations,
    .drawn = drawn,
    .own_units = own_units,
    .compare = MB_TABLE_(compare),
    .summary = MB_TABLE_(summarise)};

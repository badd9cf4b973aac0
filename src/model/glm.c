/* glm.c - generalised linear models: p(y | w'x) of a link, w ~ N(m, P^-1) a posteriori; conjugate-
 * computation variational inference [KhanLin17], docs/math.md, section 21.
 *
 * A row's statistics are the gradient of E[ln p(y | w'x)] with respect to the moments of w: with
 * e = m'x and v = x' P^-1 x and the derivatives g, h with respect to them [(g - 2 h e) x, svec(h x
 * x')]. They depend on phi, and fixed points are where the bound is stationary. */
#include "model/glm.h"
#include "expfam/gaussian.h"
#include "model/glm_link.h"
#include "model/prior.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double SQRT2 = 1.41421356237309504880;

enum { LANES = MB_GLM_LANES_, BLOCK = MB_GLM_BLOCK_ };

typedef struct spec {
    int32_t             D, p; /* inputs, coefficients: p - D is 1 with an intercept, else 0 */
    const mb_glm_link_ *link;
    const mb_kernel_   *kernel; /* has exp and log */
} spec;

/* What is computed at one phi: chol(P) (p x p) and the mean; of the rows of a block. */
typedef struct work {
    const spec     *q;
    int             first;    /* 1 at the start of the link, else at phi */
    double         *L, *m;    /* p x p, p  */
    double         *half;     /* p x LANES: half solutions */
    double          e[BLOCK]; /* mean and variance of each row's predictor */
    double          v[BLOCK];
    mb_glm_moments_ f[BLOCK];
    mb_glm_block_   b;
} work;

static size_t size_of(int32_t p)
{
    return (size_t)p * ((size_t)p + 1 + LANES + BLOCK);
}

static void carve(const mb_model *m, double *scratch, int first, work *w)
{
    const spec  *q = m->spec;
    const size_t p = (size_t)q->p;

    w->q = q;
    w->first = first;
    w->L = scratch;
    w->m = w->L + p * p;
    w->half = w->m + p;
    w->b.D = q->D;
    w->b.p = q->p;
    w->b.x = w->half + p * LANES;
}

static mb_status set_up(const mb_model *m, const double *phi, double *scratch, work *w, mb_err *err)
{
    carve(m, scratch, 0, w);
    if (mb_gaussian_factor_(w->q->p, phi, w->L, w->m) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "block 0 (%s) is outside its domain",
                m->layout.block->family->name);
    return MB_OK;
}

/* e = m'x, v = |h|^2 with L h = x. */
static void predictors(work *w)
{
    const int32_t p = w->q->p;

    memset(w->e, 0, sizeof w->e);
    memset(w->v, 0, sizeof w->v);
    for (int32_t i = 0; i < p; i++)
        for (int32_t l = 0; l < w->b.n; l++)
            w->e[l] += w->m[i] * w->b.x[i * BLOCK + l];
    for (int32_t l = 0; l < w->b.n; l += LANES)
        mb_chol_forward_lanes_(w->L, (size_t)p, p, w->b.x + l, BLOCK, w->half, w->v + l);
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
    for (int32_t l = 0; w->first && l < b->n; l++) {
        w->e[l] = w->q->link->start(b->y[l]);
        w->v[l] = 0;
    }
    w->q->link->expect(w->q->kernel, b->n, b->y, w->e, w->v, w->f);
    for (int32_t l = 0; l < b->n; l++)
        b->value[l] = w->f[l].value + 0 * w->f[l].by_mean + 0 * w->f[l].by_var;
}

static void add(const void *self, const mb_glm_block_ *b, double *s)
{
    const work   *w = self;
    const int32_t p = b->p;
    double       *to = s + p, linear[BLOCK] = {0}, square[BLOCK] = {0}, x[BLOCK] = {0};

    for (int32_t l = 0; l < b->n; l++) {
        linear[l] = b->w[l] * (w->f[l].by_mean - 2 * w->f[l].by_var * w->e[l]);
        square[l] = b->w[l] * w->f[l].by_var;
    }
    for (int32_t i = 0; i < p; i++) {
        const double *row = b->x + i * BLOCK;

        s[i] += mb_glm_dot_(b->n, linear, row);
        for (int32_t l = 0; l < b->n; l++)
            x[l] = square[l] * row[l];
        for (int32_t j = 0; j < i; j++)
            *to++ += SQRT2 * mb_glm_dot_(b->n, x, b->x + j * BLOCK);
        *to++ += mb_glm_dot_(b->n, x, row);
    }
}

static const mb_glm_sums_ sums = {target, expect, add};

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    work w;

    MB_TRY(set_up(m, phi, scratch, &w, err));
    return mb_glm_sum_(&sums, &w, &w.b, rows, s + m->layout.block->off, logz, err);
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    work w;

    (void)resp; /* nothing is latent */
    carve(m, scratch, 1, &w);
    return mb_glm_sum_(&sums, &w, &w.b, rows, s + m->layout.block->off, NULL, err);
}

/* What is wanted of a row whose predictor is N(e, v). */
static void tell(const work *w, mb_want want, double e, double v, double *out)
{
    const int flag = w->q->link == &mb_glm_links_[MB_LINK_LOGISTIC];
    double    mean, variance;

    w->q->link->predict(w->q->kernel, e, v, &mean, &variance);
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
    const double e = w->e[l], v = w->v[l];

    if (!isfinite(e) || !isfinite(v))
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": its prediction is %g; its inputs must be finite and not absurdly "
                "large",
                w->b.row[l], e);
    if (want != MB_WANT_LOGPDF) {
        tell(w, want, e, v, out);
        return MB_OK;
    }
    MB_TRY(target(w, w->b.row[l], w->b.y[l], err));
    *out = mb_glm_log_density_(w->q->link, w->b.y[l], e, v);
    return MB_OK;
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const size_t width = want == MB_WANT_LOGPDF || want == MB_WANT_LABEL ? 1
                         : want == MB_WANT_RANGE                         ? 3
                                                                         : 2;
    const int    flag = ((const spec *)m->spec)->link == &mb_glm_links_[MB_LINK_LOGISTIC];
    work         w;

    if (want != MB_WANT_LOGPDF && want != MB_WANT_MEAN_VAR && want != MB_WANT_RANGE &&
        !(flag && of_flag(want)))
        MB_FAIL(err, MB_E_NOSUP,
                "this generalised linear model predicts densities and means%s only",
                flag ? ", labels and probabilities" : "");
    MB_TRY(set_up(m, phi, scratch, &w, err));
    if (rows->d != w.q->D || want == MB_WANT_LOGPDF)
        MB_TRY(mb_glm_check_shape_(w.q->D, rows, err));
    for (int64_t j = 0; j < rows->n; j += w.b.n) {
        mb_glm_read_(&w.b, rows, j);
        predictors(&w);
        for (int32_t l = 0; l < w.b.n; l++, out += width)
            MB_TRY(answer(&w, want, l, out, err));
    }
    return MB_OK;
}

static const mb_model_ops ops = {
    .name = "glm", .stats = stats, .seed_stats = seed_stats, .overshoots = 1, .predict = predict};

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
    *q = (spec){.D = opt->D,
                .p = p,
                .link = &mb_glm_links_[opt->link],
                .kernel = mb_how_best_(1, p).kernel};
    *out = (mb_model){.ops = &ops, .spec = q, .scratch = size_of(p)};
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
    mb_glm_repeat_(T, p, one + 2, par);
    if (mb_model_prior(a, par, &m, err) < 0)
        MB_FAIL(err, MB_E_ARG, "the prior cannot be held in double precision");
    *out = m;
    return MB_OK;
}

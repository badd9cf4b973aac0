/* glm.c - generalised linear models: p(y | w'x) of a link, w ~ N(m, P^-1) a posteriori; conjugate-
 * computation variational inference [KhanLin17], docs/math.md, section 21.
 *
 * A row's statistics are the gradient of E[ln p(y | w'x)] with respect to the moments of w: with
 * e = m'x and v = x' P^-1 x and the derivatives g, h with respect to them [(g - 2 h e) x, svec(h x
 * x')]. They depend on phi, and fixed points are where the bound is stationary. */
#include "glm/glm.h"
#include "expfam/gaussian.h"
#include "glm/glm_link.h"
#include "model/prior.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double SQRT2 = 1.41421356237309504880;

typedef struct spec {
    int32_t             D, p; /* inputs, coefficients: p - D is 1 with an intercept, else 0 */
    const mb_glm_link_ *link;
} spec;

/* What is computed at one phi: chol(P) (p x p), the mean, and a row with its half solution (p). */
typedef struct work {
    const spec *q;
    double     *L, *m, *x, *half;
} work;

static work carve(const mb_model *m, double *scratch)
{
    const spec  *q = m->spec;
    const size_t p = (size_t)q->p;

    return (work){q, scratch, scratch + p * p, scratch + p * p + p, scratch + p * p + 2 * p};
}

static mb_status set_up(const mb_model *m, const double *phi, double *scratch, work *w, mb_err *err)
{
    *w = carve(m, scratch);
    if (mb_gaussian_factor_(w->q->p, phi, w->L, w->m) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "block 0 (%s) is outside its domain",
                m->layout.block->family->name);
    return MB_OK;
}

/* e and v of the row in x. */
static void predictor(work *w, double *e, double *v)
{
    *e = *v = 0;
    memcpy(w->half, w->x, (size_t)w->q->p * sizeof *w->half);
    mb_chol_forward_(w->L, w->q->p, w->half);
    for (int32_t i = 0; i < w->q->p; i++) {
        *e += w->m[i] * w->x[i];
        *v += w->half[i] * w->half[i];
    }
}

static mb_status target(const work *w, const mb_rows *rows, int64_t j, double *y, mb_err *err)
{
    *y = mb_rows_at(rows, j, w->q->D);
    if (!w->q->link->accepts(*y))
        MB_FAIL(err, MB_E_NUMERIC, "row %" PRId64 ": got target %g; expected %s", j, *y,
                w->q->link->expects);
    return MB_OK;
}

/* s += weight times the statistics of the row in x. */
static void add(const work *w, double weight, double e, const mb_glm_moments_ *f, double *s)
{
    const int32_t p = w->q->p;
    const double  linear = weight * (f->by_mean - 2 * f->by_var * e), square = weight * f->by_var;
    double       *to = s + p;

    for (int32_t i = 0; i < p; i++) {
        s[i] += linear * w->x[i];
        for (int32_t j = 0; j < i; j++)
            *to++ += SQRT2 * square * w->x[i] * w->x[j];
        *to++ += square * w->x[i] * w->x[i];
    }
}

/* first: 1 at the start of the link, else at phi, which w has. */
static mb_status gather(const mb_model *m, work *w, int first, const mb_rows *rows, double *s,
                        double *logz, mb_err *err)
{
    double *to = s + m->layout.block->off, y, e, v = 0;

    MB_TRY(mb_glm_check_shape_(w->q->D, rows, err));
    for (int64_t j = 0; j < rows->n; j++) {
        const double    weight = rows->w ? rows->w[j] : 1;
        mb_glm_moments_ f;

        MB_TRY(mb_glm_check_row_(rows, j, err));
        if (!(weight > 0))
            continue;
        MB_TRY(target(w, rows, j, &y, err));
        mb_glm_inputs_(w->q->D, w->q->p, rows, j, w->x);
        if (first)
            e = w->q->link->start(y);
        else
            predictor(w, &e, &v);
        f = w->q->link->expect(y, e, v);
        for (int32_t i = 0; i < w->q->p; i++)
            f.value += 0 * w->x[i]; /* an input that is not finite */
        if (!isfinite(f.value) || !isfinite(f.by_mean) || !isfinite(f.by_var))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": its expected log density is %g; its values must be finite "
                    "and not absurdly large",
                    j, f.value);
        add(w, weight, e, &f, to);
        *logz += weight * f.value;
    }
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    double total = 0;
    work   w;

    MB_TRY(set_up(m, phi, scratch, &w, err));
    MB_TRY(gather(m, &w, 0, rows, s, &total, err));
    if (logz)
        *logz += total;
    return MB_OK;
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    work   w = carve(m, scratch);
    double total = 0;

    (void)resp; /* nothing is latent */
    return gather(m, &w, 1, rows, s, &total, err);
}

static mb_status answer(work *w, mb_want want, const mb_rows *rows, int64_t j, double *out,
                        mb_err *err)
{
    double e, v, y;

    mb_glm_inputs_(w->q->D, w->q->p, rows, j, w->x);
    predictor(w, &e, &v);
    if (!isfinite(e) || !isfinite(v))
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": its prediction is %g; its inputs must be finite and not absurdly "
                "large",
                j, e);
    if (want == MB_WANT_MEAN_VAR) {
        w->q->link->predict(e, v, &out[0], &out[1]);
        return MB_OK;
    }
    MB_TRY(target(w, rows, j, &y, err));
    *out = mb_glm_log_density_(w->q->link, y, e, v);
    return MB_OK;
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const size_t width = want == MB_WANT_LOGPDF ? 1 : 2;
    work         w;

    if (want != MB_WANT_LOGPDF && want != MB_WANT_MEAN_VAR)
        MB_FAIL(err, MB_E_NOSUP,
                "a generalised linear model predicts densities and means with variances only");
    MB_TRY(set_up(m, phi, scratch, &w, err));
    if (rows->d != w.q->D || want == MB_WANT_LOGPDF)
        MB_TRY(mb_glm_check_shape_(w.q->D, rows, err));
    for (int64_t j = 0; j < rows->n; j++, out += width)
        MB_TRY(answer(&w, want, rows, j, out, err));
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
    *q = (spec){.D = opt->D, .p = p, .link = &mb_glm_links_[opt->link]};
    *out = (mb_model){.ops = &ops, .spec = q, .scratch = (size_t)p * ((size_t)p + 3)};
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

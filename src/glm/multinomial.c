/* multinomial.c - softmax regression: a category of C levels, p(y = c | x) in proportion to
 * exp(w_c'x) with w_0 = 0, and one Gaussian over all other w_c; docs/math.md, section 28.
 *
 * A row's predictors eta_c = w_c'x are N(e, V) a posteriori. Of its E[ln p] = e_y - E[ln sum exp]
 * there is a bound with the derivatives y - s and -H/2, H = diag(s) - s s', of which the statistics
 * of the row are [(y - s + H e) (x) x, svec(-H/2 (x) x x')]. */
#include "expfam/gaussian.h"
#include "glm/glm.h"
#include "glm/softmax.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double SQRT2 = 1.41421356237309504880;

typedef struct spec {
    int32_t D, p, T; /* inputs, coefficients of a class, classes but the first */
} spec;

/* What is computed at one phi: chol(P)^-1 (q x q) and the means, q = T p; a row, and of each class
 * its half solution; what follows of the row's predictors. */
typedef struct work {
    const spec *q;
    double     *L, *R, *m, *x, *half; /* q x q, q x q, q, p, T x q */
    mb_softmax_ row;
} work;

static size_t size_of(const spec *q)
{
    const size_t p = (size_t)q->p, T = (size_t)q->T, n = T * p;

    return 2 * n * n + n + p + T * n + mb_softmax_scratch_(q->T);
}

static work carve(const mb_model *m, double *scratch)
{
    const spec  *q = m->spec;
    const size_t p = (size_t)q->p, T = (size_t)q->T, n = T * p;
    work         w = {.q = q, .L = scratch};

    w.R = w.L + n * n;
    w.m = w.R + n * n;
    w.x = w.m + n;
    w.half = w.x + p;
    w.row = mb_softmax_carve_(q->T, w.half + T * n);
    return w;
}

static mb_status set_up(const mb_model *m, const double *phi, double *scratch, work *w, mb_err *err)
{
    const int32_t n = ((const spec *)m->spec)->T * ((const spec *)m->spec)->p;

    *w = carve(m, scratch);
    if (mb_gaussian_factor_(n, phi, w->L, w->m) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "block 0 (%s) is outside its domain",
                m->layout.block->family->name);
    mb_chol_inverse_(w->L, n, w->R);
    return MB_OK;
}

/* e and V of the row in x: V_cd is the product of the half solutions R (u_c (x) x). */
static void predictors(work *w)
{
    const size_t p = (size_t)w->q->p, T = (size_t)w->q->T, n = T * p;

    for (size_t c = 0; c < T; c++) {
        double *G = w->half + c * n;

        w->row.e[c] = 0;
        for (size_t k = 0; k < p; k++)
            w->row.e[c] += w->m[c * p + k] * w->x[k];
        for (size_t i = c * p; i < n; i++) {
            const double *R = w->R + i * n + c * p;

            G[i] = 0;
            for (size_t k = 0; k < p && c * p + k <= i; k++)
                G[i] += R[k] * w->x[k];
        }
        for (size_t d = 0; d <= c; d++) {
            const double *H = w->half + d * n;
            double        sum = 0;

            for (size_t i = c * p; i < n; i++)
                sum += G[i] * H[i];
            w->row.V[c * T + d] = w->row.V[d * T + c] = sum;
        }
    }
}

static mb_status target(const work *w, const mb_rows *rows, int64_t j, int32_t *y, mb_err *err)
{
    const double x = mb_rows_at(rows, j, w->q->D);

    if (!(x >= 0 && x <= w->q->T) || floor(x) < x)
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": got target %g; expected the number of a category, 0 to %" PRId32,
                j, x, w->q->T);
    *y = (int32_t)x;
    return MB_OK;
}

/* s += weight times the statistics of the row in x. */
static void add(const work *w, double weight, int32_t y, double *s)
{
    const int32_t p = w->q->p, T = w->q->T;
    const double *share = w->row.s, *e = w->row.e, *x = w->x;
    double       *to = s + T * p, mean = 0;

    for (int32_t c = 0; c < T; c++)
        mean += share[c] * e[c];
    for (int32_t c = 0; c < T; c++) {
        const double linear = weight * ((y == c + 1) - share[c] + share[c] * (e[c] - mean));

        for (int32_t i = 0; i < p; i++) {
            for (int32_t d = 0; d <= c; d++) {
                const double  h = (c == d ? share[c] : 0) - share[c] * share[d];
                const double  square = -0.5 * weight * h * x[i];
                const int32_t n = d < c ? p : i;

                for (int32_t k = 0; k < n; k++)
                    *to++ += SQRT2 * square * x[k];
                if (d == c)
                    *to++ += square * x[i];
            }
            s[c * p + i] += linear * x[i];
        }
    }
}

/* first: 1 at predictors of 0, else at phi, which w has. */
static mb_status gather(const mb_model *m, work *w, int first, const mb_rows *rows, double *s,
                        double *logz, mb_err *err)
{
    const size_t T = (size_t)w->q->T;
    double      *to = s + m->layout.block->off;

    MB_TRY(mb_glm_check_shape_(w->q->D, rows, err));
    memset(w->row.e, 0, T * sizeof *w->row.e);
    memset(w->row.V, 0, T * T * sizeof *w->row.V);
    for (int64_t j = 0; j < rows->n; j++) {
        const double weight = rows->w ? rows->w[j] : 1;
        double       value;
        int32_t      y;

        MB_TRY(mb_glm_check_row_(rows, j, err));
        if (!(weight > 0))
            continue;
        MB_TRY(target(w, rows, j, &y, err));
        mb_glm_inputs_(w->q->D, w->q->p, rows, j, w->x);
        if (!first)
            predictors(w);
        value = (y ? w->row.e[y - 1] : 0) - mb_softmax_bound_(&w->row);
        for (int32_t i = 0; i < w->q->p; i++)
            value += 0 * w->x[i]; /* an input that is not finite */
        if (!isfinite(value))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": its expected log density is %g; its values must be finite "
                    "and not absurdly large",
                    j, value);
        add(w, weight, y, to);
        *logz += weight * value;
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

static int32_t largest(const double *x, int32_t n)
{
    int32_t best = 0;

    for (int32_t c = 1; c < n; c++)
        best = x[c] > x[best] ? c : best;
    return best;
}

static mb_status answer(work *w, mb_want want, const mb_rows *rows, int64_t j, double *mean,
                        double *out, mb_err *err)
{
    double  sum = 0;
    int32_t y;

    mb_glm_inputs_(w->q->D, w->q->p, rows, j, w->x);
    predictors(w);
    for (int32_t c = 0; c < w->q->T; c++)
        sum += w->row.e[c] + w->row.V[c * w->q->T + c];
    if (!isfinite(sum))
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": its prediction is %g; its inputs must be finite and not absurdly "
                "large",
                j, sum);
    mb_softmax_factor_(&w->row);
    if (want == MB_WANT_LOGPDF) {
        MB_TRY(target(w, rows, j, &y, err));
        *out = mb_softmax_log_mean_(&w->row, y);
        return MB_OK;
    }
    mb_softmax_mean_(&w->row, mean);
    if (want == MB_WANT_LABEL)
        *out = largest(mean, w->q->T + 1);
    return MB_OK;
}

/* Without labels the probabilities are what is wanted. */
static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const size_t C = (size_t)((const spec *)m->spec)->T + 1;
    const size_t width = want == MB_WANT_PROB ? C : 1;
    double      *room = scratch + size_of(m->spec);
    work         w;

    if (want != MB_WANT_LOGPDF && want != MB_WANT_LABEL && want != MB_WANT_PROB)
        MB_FAIL(err, MB_E_NOSUP,
                "a softmax regression predicts densities, labels and probabilities only");
    MB_TRY(set_up(m, phi, scratch, &w, err));
    if (rows->d != w.q->D || want == MB_WANT_LOGPDF)
        MB_TRY(mb_glm_check_shape_(w.q->D, rows, err));
    for (int64_t j = 0; j < rows->n; j++, out += width)
        MB_TRY(answer(&w, want, rows, j, want == MB_WANT_PROB ? out : room, out, err));
    return MB_OK;
}

static const mb_model_ops ops = {
    .name = "glm", .stats = stats, .seed_stats = seed_stats, .overshoots = 1, .predict = predict};

mb_status mb_multinomial_begin_(mb_arena *a, const mb_glm_opt *opt, mb_model *out, mb_err *err)
{
    spec *q;

    MB_NEW(q, a, 1, err);
    *q = (spec){opt->D, opt->D + opt->intercept, opt->levels - 1};
    *out = (mb_model){.ops = &ops, .spec = q, .scratch = size_of(q) + (size_t)q->T + 1};
    return MB_OK;
}

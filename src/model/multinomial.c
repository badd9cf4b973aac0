/* multinomial.c - softmax regression: a category of C levels, p(y = c | x) in proportion to
 * exp(w_c'x) with w_0 = 0, and one Gaussian over all other w_c; docs/math.md, section 28.
 *
 * A row's predictors eta_c = w_c'x are N(e, V) a posteriori. Of its E[ln p] = e_y - E[ln sum exp]
 * there is a bound with the derivatives y - s and -H/2, H = diag(s) - s s', of which the statistics
 * of the row are [(y - s + H e) (x) x, svec(-H/2 (x) x x')]. */
#include "expfam/gaussian.h"
#include "model/entries.h"
#include "model/glm.h"
#include "model/softmax.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double SQRT2 = 1.41421356237309504880;

typedef struct spec {
    int32_t           D, p, T; /* inputs, coefficients of a class, classes but the first */
    const mb_kernel_ *kernel;
} spec;

enum { LANES = MB_GLM_LANES_, BLOCK = MB_BLOCK_MAX };

/* What is computed at one phi: chol(P)^-1 (q x q) and the means, q = T p; of LANES rows the half
 * solutions of each class, predictors and their covariance; of all rows of a block the predictors
 * and shares of each class; what follows of one row's predictors. */
typedef struct work {
    const spec   *q;
    int           first;     /* 1 at predictors of 0, else at phi */
    double       *L, *R, *m; /* q x q, q x q, q */
    double       *half;      /* T x q x LANES */
    double       *mean, *V;  /* T x LANES, T x T x LANES */
    double       *e, *share; /* T x BLOCK each */
    double       *x; /* p x the block's rows: those of g.z, after a row of 1 with an intercept */
    mb_softmax_   row;
    mb_glm_block_ b;
} work;

static size_t size_of(const spec *q)
{
    const size_t p = (size_t)q->p, T = (size_t)q->T, n = T * p;

    return 2 * n * n + n + (T * n + T + T * T) * LANES + (1 + 2 * T) * BLOCK +
           mb_rows_scratch_(1, q->D + 1) + mb_softmax_scratch_(q->T);
}

static void carve(const mb_model *m, double *scratch, int first, work *w)
{
    const spec  *q = m->spec;
    const size_t p = (size_t)q->p, T = (size_t)q->T, n = T * p, one = (size_t)(q->p - q->D);
    double      *rows;

    w->q = q;
    w->first = first;
    w->L = scratch;
    w->R = w->L + n * n;
    w->m = w->R + n * n;
    w->half = w->m + n;
    w->mean = w->half + T * n * LANES;
    w->V = w->mean + T * LANES;
    w->e = w->V + T * T * LANES;
    w->share = w->e + T * BLOCK;
    w->b.D = q->D;
    rows = w->share + T * BLOCK + BLOCK;
    mb_rows_carve_(&w->b.g, q->kernel, 1, q->D + 1, rows);
    w->x = w->b.g.z - one * (size_t)w->b.g.block;
    for (int32_t l = 0; one && l < w->b.g.block; l++)
        w->x[l] = 1;
    w->row = mb_softmax_carve_(q->T, rows + mb_rows_scratch_(1, q->D + 1));
}

static mb_status set_up(const mb_model *m, const double *phi, double *scratch, work *w, mb_err *err)
{
    const int32_t n = ((const spec *)m->spec)->T * ((const spec *)m->spec)->p;

    carve(m, scratch, 0, w);
    if (mb_gaussian_factor_(n, phi, w->L, w->m) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "block 0 (%s) is outside its domain",
                m->layout.block->family->name);
    mb_chol_inverse_(w->L, n, w->R);
    return MB_OK;
}

/* Products of the half solutions G and H (n x LANES). */
static void multiply(size_t n, const double *restrict G, const double *restrict H,
                     double *restrict out)
{
    double sum[LANES] = {0};

    for (size_t i = 0; i < n * LANES; i += LANES)
        for (size_t u = 0; u < LANES; u++)
            sum[u] += G[i + u] * H[i + u];
    for (size_t u = 0; u < LANES; u++)
        out[u] = sum[u];
}

/* e and V of the rows from l on: V_cd is the product of the half solutions R (u_c (x) x). */
static void predictors(work *w, int32_t l)
{
    const size_t p = (size_t)w->q->p, T = (size_t)w->q->T, n = T * p;
    const size_t ld = (size_t)w->b.g.block;

    for (size_t c = 0; c < T; c++) {
        double *G = w->half + c * n * LANES;

        mb_glm_weigh_(p, 0, w->m + c * p, w->x + l, ld, w->mean + c * LANES);
        for (size_t i = c * p; i < n; i++)
            mb_glm_weigh_(i < (c + 1) * p ? i - c * p + 1 : p, 0, w->R + i * n + c * p, w->x + l,
                          ld, G + i * LANES);
        for (size_t d = 0; d <= c; d++)
            multiply(n - c * p, G + c * p * LANES, w->half + (d * n + c * p) * LANES,
                     w->V + (c * T + d) * LANES);
    }
}

/* Those of row l alone. */
static void pick(work *w, int32_t l)
{
    const size_t T = (size_t)w->q->T, u = (size_t)l % LANES;

    if (w->first)
        return;
    if (!u)
        predictors(w, l);
    for (size_t c = 0; c < T; c++) {
        w->row.e[c] = w->mean[c * LANES + u];
        for (size_t d = 0; d <= c; d++)
            w->row.V[c * T + d] = w->row.V[d * T + c] = w->V[(c * T + d) * LANES + u];
    }
}

static mb_status target(const void *self, int64_t row, double y, mb_err *err)
{
    const work *w = self;

    if (!(y >= 0 && y <= w->q->T) || floor(y) < y)
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": got target %g; expected the number of a category, 0 to %" PRId32,
                row, y, w->q->T);
    return MB_OK;
}

static void expect(void *self, mb_glm_block_ *b)
{
    work *w = self;

    for (int32_t l = 0; l < b->g.rows; l++) {
        const int32_t y = (int32_t)b->y[l];

        pick(w, l);
        b->value[l] = (y ? w->row.e[y - 1] : 0) - mb_softmax_bound_(&w->row);
        for (int32_t c = 0; c < w->q->T; c++) {
            w->e[c * BLOCK + l] = w->row.e[c];
            w->share[c * BLOCK + l] = w->row.s[c];
        }
    }
    mb_glm_inputs_(b);
}

/* linear: the weights of x in the sums of class c. */
static void gradient(const work *w, const mb_glm_block_ *b, int32_t c, double *linear)
{
    for (int32_t l = 0; l < b->g.rows; l++) {
        const double *share = w->share + l, *e = w->e + l;
        const int32_t at = c * BLOCK;
        double        mean = 0;

        for (int32_t d = 0; d < w->q->T; d++)
            mean += share[d * BLOCK] * e[d * BLOCK];
        linear[l] =
            b->g.w[l] * (((int32_t)b->y[l] == c + 1) - share[at] + share[at] * (e[at] - mean));
    }
}

/* x: -1/2 of the weight, of entry (c, d) of H and of input i. */
static void curvature(const work *w, const mb_glm_block_ *b, int32_t c, int32_t d, int32_t i,
                      double *x)
{
    const double *one = w->share + c * BLOCK, *other = w->share + d * BLOCK;
    const double *row = w->x + i * b->g.block;

    for (int32_t l = 0; l < b->g.rows; l++)
        x[l] = -0.5 * b->g.w[l] * ((c == d ? one[l] : 0) - one[l] * other[l]) * row[l];
}

static void add(const void *self, const mb_glm_block_ *b, double *s)
{
    const work   *w = self;
    const int32_t p = w->q->p, T = w->q->T, ld = b->g.block, rows = b->g.rows;
    double       *to = s + T * p, x[BLOCK] = {0}, linear[BLOCK] = {0};

    for (int32_t c = 0; c < T; c++) {
        gradient(w, b, c, linear);
        for (int32_t i = 0; i < p; i++) {
            s[c * p + i] += mb_glm_dot_(rows, linear, w->x + i * ld);
            for (int32_t d = 0; d <= c; d++) {
                const int32_t n = d < c ? p : i;

                curvature(w, b, c, d, i, x);
                for (int32_t k = 0; k < n; k++)
                    *to++ += SQRT2 * mb_glm_dot_(rows, x, w->x + k * ld);
                if (d == c)
                    *to++ += mb_glm_dot_(rows, x, w->x + i * ld);
            }
        }
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

static mb_status more_stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                            double *logz, double *scratch, mb_err *err)
{
    work w;

    (void)phi; /* what set_up made of it is in the scratch */
    carve(m, scratch, 0, &w);
    return mb_glm_sum_(&sums, &w, &w.b, rows, s + m->layout.block->off, logz, err);
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    const size_t T = (size_t)((const spec *)m->spec)->T;
    work         w;

    (void)resp; /* nothing is latent */
    carve(m, scratch, 1, &w);
    memset(w.row.e, 0, T * sizeof *w.row.e);
    memset(w.row.V, 0, T * T * sizeof *w.row.V);
    return mb_glm_sum_(&sums, &w, &w.b, rows, s + m->layout.block->off, NULL, err);
}

static int32_t largest(const double *x, int32_t n)
{
    int32_t best = 0;

    for (int32_t c = 1; c < n; c++)
        best = x[c] > x[best] ? c : best;
    return best;
}

static mb_status answer(work *w, mb_want want, int32_t l, double *mean, double *out, mb_err *err)
{
    const int64_t j = mb_estep_row_(&w->b.g, l);
    const double  y = w->b.y ? w->b.y[l] : (double)NAN;
    double        sum = 0;

    pick(w, l);
    for (int32_t c = 0; c < w->q->T; c++)
        sum += w->row.e[c] + w->row.V[c * w->q->T + c];
    if (!isfinite(sum))
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": its prediction is %g; its inputs must be finite and not absurdly "
                "large",
                j, sum);
    mb_softmax_factor_(&w->row);
    if (want == MB_WANT_LOGPDF) {
        MB_TRY(target(w, j, y, err));
        *out = mb_softmax_log_mean_(&w->row, (int32_t)y);
        return MB_OK;
    }
    mb_softmax_mean_(&w->row, mean);
    if (want == MB_WANT_LABEL || want == MB_WANT_RANGE)
        *out = largest(mean, w->q->T + 1);
    if (want == MB_WANT_RANGE) {
        const int32_t best = (int32_t)*out;

        *out = mean[best];
        mb_softmax_odds_(&w->row, best, &out[1], &out[2]);
    }
    return MB_OK;
}

/* Without labels the probabilities are what is wanted. */
static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const size_t C = (size_t)((const spec *)m->spec)->T + 1;
    const size_t width = want == MB_WANT_PROB ? C : want == MB_WANT_RANGE ? 3 : 1;
    double      *room = scratch + size_of(m->spec);
    mb_rows      all = *rows;
    work         w;

    if (want != MB_WANT_LOGPDF && want != MB_WANT_LABEL && want != MB_WANT_PROB &&
        want != MB_WANT_RANGE)
        MB_FAIL(err, MB_E_NOSUP,
                "a softmax regression predicts densities, labels and probabilities only");
    MB_TRY(set_up(m, phi, scratch, &w, err));
    if (rows->d != w.q->D || want == MB_WANT_LOGPDF)
        MB_TRY(mb_glm_check_shape_(w.q->D, rows, err));
    all.w = NULL;
    for (int64_t j = 0; j < rows->n;) {
        j = mb_glm_fill_(&w.b, &all, j);
        for (int32_t l = 0; l < w.b.g.rows; l++, out += width)
            MB_TRY(answer(&w, want, l, want == MB_WANT_PROB ? out : room, out, err));
    }
    return MB_OK;
}

/* y - s + H e has no limit, as the bound's H need not fall with e; H, of shares, is in [0, 1/4] on
 * its diagonal and in [-1/4, 0] beside it. */
static void entries(const mb_model *m, mb_entry *out)
{
    const spec    *q = m->spec;
    const int32_t  one = q->p - q->D, p = q->p, n = q->T * p;
    const mb_entry any = mb_entry_rows_(1, 0, 0);

    for (int32_t a = 0; a < n; a++, out++) {
        *out = mb_entry_product_(any, a % p - one, -1);
        out->first = a / p;
        out->least = -(double)INFINITY;
        out->most = (double)INFINITY;
    }
    for (int32_t a = 0; a < n; a++)
        for (int32_t b = 0; b <= a; b++, out++) {
            *out = mb_entry_product_(any, a % p - one, b % p - one);
            out->first = a / p * q->T + b / p;
            out->factor = a == b ? -0.5 : -0.5 * SQRT2;
            out->least = a / p == b / p ? 0 : -0.25;
            out->most = a / p == b / p ? 0.25 : 0;
        }
}

static const mb_model_ops ops = {.name = "glm",
                                 .stats = stats,
                                 .more_stats = more_stats,
                                 .seed_stats = seed_stats,
                                 .overshoots = 1,
                                 .predict = predict,
                                 .entries = MB_ENTRIES_(entries)};

mb_status mb_multinomial_begin_(mb_arena *a, const mb_glm_opt *opt, mb_model *out, mb_err *err)
{
    spec *q;

    MB_NEW(q, a, 1, err);
    *q = (spec){opt->D, opt->D + opt->intercept, opt->levels - 1, mb_how_best_(1, 1).kernel};
    *out = (mb_model){.ops = &ops, .spec = q, .scratch = size_of(q) + (size_t)q->T + 1};
    return MB_OK;
}

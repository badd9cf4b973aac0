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
    int32_t D, p, T, pairs; /* inputs, coefficients of a class, classes but the first; T(T + 1)/2 */
    mb_offset offset;
    mb_how_   how;
} spec;

enum { LANES = MB_GLM_LANES_, BLOCK = MB_BLOCK_MAX };
static const double SMALL = 1; /* the largest trace of V of rows that pass together */

/* What is computed at one phi: chol(P)^-1 (q x q) and the means, q = T p; of the rows of a block
 * predictors, their covariances V_cd, d <= c, and shares of the classes, g.block apart. The components
 * of g are pairs of classes, whose moments are those of x with the weights of H_cd, without sign. */
typedef struct work {
    const spec   *q;
    int           first;     /* 1 at predictors of 0, else at phi */
    double       *L, *R, *m; /* q x q, q x q, q */
    double       *room;      /* MB_FORMS_ROOM x T */
    double       *e, *V, *share;
    double       *x; /* p x the block's rows: those of g.z, after a row of 1 with an intercept */
    mb_softmax_   row;
    mb_glm_block_ b;
} work;

/* Of the moments: without inputs, those of the target, which are not read. */
static int32_t columns(const spec *q)
{
    return q->D > 1 ? q->D : 1;
}

/* Of the rows, with the target. */
static int32_t all_columns(const spec *q)
{
    return mb_glm_columns_(q->D, q->offset) + 1;
}

static size_t block_of(const spec *q)
{
    return (size_t)mb_estep_block_(all_columns(q));
}

/* Of the rows, the target and a 1 before them. */
static size_t rows_len(const spec *q)
{
    return (size_t)(all_columns(q) + 1) * block_of(q);
}

static size_t size_of(const spec *q)
{
    const size_t T = (size_t)q->T, n = T * (size_t)q->p;

    return 2 * n * n + n + MB_FORMS_ROOM * T + (2 * T + (size_t)q->pairs) * block_of(q) +
           rows_len(q) + mb_estep_scratch_(q->pairs, all_columns(q)) + mb_softmax_scratch_(q->T);
}

static void carve(const mb_model *m, double *scratch, int first, work *w)
{
    const spec  *q = m->spec;
    const size_t T = (size_t)q->T, n = T * (size_t)q->p, all = (size_t)columns(q) + 1;
    const size_t B = block_of(q), one = (size_t)(q->p - q->D);

    w->q = q;
    w->first = first;
    w->L = scratch;
    w->R = w->L + n * n;
    w->m = w->R + n * n;
    w->room = w->m + n;
    w->row = mb_softmax_carve_(q->how.kernel, q->T, w->room + MB_FORMS_ROOM * T);
    w->e = w->room + MB_FORMS_ROOM * T + mb_softmax_scratch_(q->T);
    w->V = w->e + T * B;
    w->share = w->V + (size_t)q->pairs * B;
    w->b.D = q->D;
    w->b.offset = q->offset;
    mb_estep_carve_(&w->b.g, &q->how, q->pairs, all_columns(q), w->share + T * B + rows_len(q));
    w->x = w->b.g.acc - rows_len(q);
    w->b.g.z = w->x + one * B;
    for (size_t l = 0; one && l < B; l++)
        w->x[l] = 1;
    for (size_t k = 0; k < (size_t)q->pairs; k++)
        w->b.g.S[k * all * all] = 0;
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

/* What mb_kernel_.forms does, of a row. */
static void forms_of_row(const work *w, int32_t l)
{
    const size_t p = (size_t)w->q->p, T = (size_t)w->q->T, B = (size_t)w->b.g.block;

    for (size_t k = 0; k < (size_t)w->q->pairs; k++)
        w->V[k * B + (size_t)l] = 0;
    for (size_t i = 0; i < T * p; i++) {
        double G[MB_GLM_LEVELS_], *V = w->V + l;

        for (size_t c = 0; c <= i / p; c++) {
            G[c] = 0;
            for (size_t k = 0; k < p; k++)
                G[c] += w->R[(i * T + c) * p + k] * w->x[k * B + (size_t)l];
            for (size_t d = 0; d <= c; d++, V += B)
                *V += G[c] * G[d];
        }
    }
}

/* The offsets of the rows are a part of e. */
static void add_offset(work *w)
{
    const size_t B = (size_t)w->b.g.block;

    for (size_t c = 0; w->b.o && c < (size_t)w->q->T; c++)
        for (int32_t l = 0; l < w->b.g.rows; l++)
            w->e[c * B + (size_t)l] += w->b.o[l];
}

/* e and V of the rows: V_cd is the product of the half solutions R (u_c (x) x). */
static void predictors(work *w)
{
    const mb_estep_ *g = &w->b.g;
    const size_t     B = (size_t)g->block;
    const int32_t    all = (g->rows + LANES - 1) / LANES * LANES;
    const mb_forms_  f = {w->q->T, w->q->p, w->R, B, w->room};

    memset(w->e, 0, (size_t)w->q->T * B * sizeof *w->e);
    mb_glm_lines_(g, w->q->T, w->q->p, w->m, w->x, w->e);
    add_offset(w);
    if (g->kernel->forms)
        g->kernel->forms(&f, all, w->x, w->V);
    for (int32_t l = 0; !g->kernel->forms && l < all; l++)
        forms_of_row(w, l);
}

/* Those of row l alone. */
static void pick(work *w, int32_t l)
{
    const size_t  T = (size_t)w->q->T, B = (size_t)w->b.g.block;
    const double *V = w->V + l;

    for (size_t c = 0; c < T; c++) {
        w->row.e[c] = w->e[c * B + (size_t)l];
        for (size_t d = 0; d <= c; d++, V += B)
            w->row.V[c * T + d] = w->row.V[d * T + c] = *V;
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

/* The rows from l on: none has much variance. */
static int are_small(const work *w, int32_t l)
{
    double trace[LANES] = {0};
    int    small = 1;

    for (int32_t c = 0; c < w->q->T; c++)
        for (int32_t u = 0; u < LANES; u++)
            trace[u] += w->V[(c * (c + 1) / 2 + c) * w->b.g.block + l + u];
    for (int32_t u = 0; u < LANES; u++)
        small &= trace[u] <= SMALL;
    return small;
}

/* Bounds and shares of the rows from l on, one by one. */
static void bound_each(work *w, int32_t l, double *f)
{
    for (int32_t u = 0; u < LANES && l + u < w->b.g.rows; u++) {
        pick(w, l + u);
        f[u] = mb_softmax_bound_(&w->row);
        for (int32_t c = 0; c < w->q->T; c++)
            w->share[c * w->b.g.block + l + u] = w->row.s[c];
    }
}

static void expect(void *self, mb_glm_block_ *b)
{
    work        *w = self;
    const size_t B = (size_t)b->g.block, T = (size_t)w->q->T;

    if (!w->first)
        predictors(w);
    else
        memset(w->e, 0, (T + (size_t)w->q->pairs) * B * sizeof *w->e);
    for (int32_t l = 0; l < b->g.rows; l += LANES) {
        double f[LANES];

        if (b->g.kernel->tilted && are_small(w, l))
            b->g.kernel->tilted(w->q->T, LANES, B, w->e + l, w->V + l, w->share + l, f);
        else
            bound_each(w, l, f);
        for (int32_t u = 0; u < LANES && l + u < b->g.rows; u++) {
            const int32_t y = (int32_t)b->y[l + u];

            b->value[l + u] = (y ? w->e[(size_t)(y - 1) * B + (size_t)(l + u)] : 0) - f[u];
        }
    }
    mb_glm_inputs_(b);
}

/* e: the weights of x in the sums of each class; what the coefficients make of e, without the offset,
 * is what H takes back. */
static void gradients(const work *w, const mb_glm_block_ *b)
{
    const int32_t B = b->g.block, n = b->g.rows, end = (n + LANES - 1) / LANES * LANES;
    double        mean[BLOCK] = {0};

    for (int32_t c = 0; c < w->q->T; c++) {
        double *e = w->e + c * B, *share = w->share + c * B;

        for (int32_t l = 0; b->o && l < n; l++)
            e[l] -= b->o[l];
        for (int32_t l = 0; l < n; l++)
            mean[l] += share[l] * e[l];
    }
    for (int32_t c = 0; c < w->q->T; c++) {
        double *e = w->e + c * B, *share = w->share + c * B;

        for (int32_t l = 0; l < n; l++)
            e[l] = b->g.w[l] *
                   ((((int32_t)b->y[l] == c + 1) - share[l]) + share[l] * (e[l] - mean[l]));
        for (int32_t l = n; l < end; l++)
            e[l] = 0;
    }
}

/* r: the weights of H_cd, without sign. */
static void curvatures(const work *w, const mb_estep_ *g)
{
    double *r = g->r;

    for (int32_t c = 0; c < w->q->T; c++)
        for (int32_t d = 0; d <= c; d++, r += g->block) {
            const double *one = w->share + c * g->block, *other = w->share + d * g->block;

            for (int32_t l = 0; l < g->rows; l++)
                r[l] = g->w[l] * ((c == d) * one[l] + (c == d ? -1 : 1) * one[l] * other[l]);
        }
    mb_estep_weights_given_(g);
}

static void add(const void *self, const mb_glm_block_ *b, double *s)
{
    const work *w = self;

    gradients(w, b);
    mb_glm_dots_(&b->g, w->q->T, w->q->p, w->e, w->x, s);
    curvatures(w, &b->g);
    b->g.kernel->moments(&b->g);
}

static const mb_glm_sums_ sums = {target, expect, add};

/* s += -1/2 H (x) x x' of all rows, whose moments the kernel has. */
static void add_curvatures(const work *w, double *s)
{
    const int32_t p = w->q->p, none = 1 - (p - w->q->D);
    const size_t  n = (size_t)columns(w->q) + 1;

    for (int32_t c = 0; c < w->q->T; c++)
        for (int32_t i = 0; i < p; i++)
            for (int32_t d = 0; d <= c; d++)
                for (int32_t j = 0; j < (d < c ? p : i + 1); j++) {
                    const size_t row = (size_t)((i > j ? i : j) + none);
                    const size_t at = row * n + (size_t)((i > j ? j : i) + none);
                    const double S = w->b.g.S[(size_t)(c * (c + 1) / 2 + d) * n * n + at];
                    const double half = c == d ? -0.5 : 0.5;

                    *s++ += (c == d && i == j ? half : SQRT2 * half) * S;
                }
}

/* s += the sums of all rows. */
static mb_status sum_rows(const mb_model *m, work *w, const mb_rows *rows, double *s, double *logz,
                          mb_err *err)
{
    s += m->layout.block->off;
    MB_TRY(mb_glm_sum_(&sums, w, &w->b, rows, s, logz, err));
    w->b.g.D = columns(w->q);
    w->b.g.kernel->sums(&w->b.g);
    add_curvatures(w, s + w->q->T * w->q->p);
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
    int32_t       likeliest;

    pick(w, l);
    for (int32_t c = 0; c < w->q->T; c++)
        sum += w->row.e[c] + w->row.V[c * w->q->T + c];
    if (!isfinite(sum))
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": its prediction is %g; its inputs must be finite and not absurdly "
                "large",
                j, sum);
    likeliest = want == MB_WANT_LABEL ? mb_softmax_likeliest_(&w->row) : -1;
    if (likeliest >= 0) {
        *out = likeliest;
        return MB_OK;
    }
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
    if (rows->d != all_columns(w.q) - 1 || want == MB_WANT_LOGPDF)
        MB_TRY(mb_glm_check_shape_(all_columns(w.q) - 1, rows, err));
    all.w = NULL;
    for (int64_t j = 0; j < rows->n;) {
        j = mb_glm_fill_(&w.b, &all, j);
        predictors(&w);
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
    *q = (spec){.D = opt->D,
                .p = opt->D + opt->intercept,
                .offset = opt->offset,
                .T = opt->levels - 1,
                .pairs = opt->levels * (opt->levels - 1) / 2};
    q->how = mb_how_best_(q->pairs, all_columns(q));
    *out = (mb_model){.ops = &ops, .spec = q, .scratch = size_of(q) + (size_t)q->T + 1};
    return MB_OK;
}

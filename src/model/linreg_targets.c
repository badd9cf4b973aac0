/* linreg_targets.c - what is different with several targets: the expected density of a row, its
 * statistics in natural form, prediction. Given the inputs the targets are independent. */
#include "model/linreg_targets.h"
#include "expfam/matrix_normal_gamma.h"
#include "expfam/normal_gamma.h"
#include "model/model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double LN_2PI = 1.83787706640934548356, SQRT2 = 1.41421356237309504880;

size_t mb_linreg_width_(mb_want want)
{
    return want == MB_WANT_LOGPDF || want == MB_WANT_MEAN_ ? 1
           : want == MB_WANT_MEAN_VAR                      ? 2
           : want == MB_WANT_INTERVAL                      ? 3
                                                           : 0;
}

/* chol(Lambda) (p x p), the last rows of the targets (T x (p + 1)), and a row of inputs (p). */
size_t mb_linreg_targets_scratch_(int32_t p, int32_t T)
{
    const size_t n = (size_t)p;

    return n * n + (size_t)T * (n + 1) + n;
}

static mb_status factor(const mb_model *m, const double *phi, double *C, double *last, mb_err *err)
{
    const mb_block *b = m->layout.block;

    if (mb_mng_factor_(b->dim, phi + b->off, C, last) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "block 0 (%s) is outside its domain", b->family->name);
    return MB_OK;
}

/* ln density = c - distance/2, distance + const = T |C^-1 x|^2 + sum of a/b_t (y_t - m_t'x)^2: that
 * of the factor [C/sqrt T, 0; m_t' C/sqrt T, diag sqrt(b_t/a)]. */
mb_status mb_linreg_targets_expect_(const mb_model *m, const double *phi, mb_estep_ *g,
                                    double *scratch, mb_err *err)
{
    const mb_linreg_spec_ *q = m->spec;
    const size_t p = (size_t)q->p, all = (size_t)g->D + 1, skip = (size_t)(1 + q->D - q->p);
    const double a = mb_ng_a_(q->p, phi), shrink = 1 / sqrt(q->T);
    double      *C = scratch, *last = C + p * p, *B = g->tmp + g->K;
    double       ln_tau = q->T * mb_digamma_(a);

    MB_TRY(factor(m, phi, C, last, err));
    memset(B, 0, all * all * sizeof *B);
    B[0] = 1; /* the constant of the kernel's z, when no coefficient belongs to it */
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j <= i; j++)
            B[(i + skip) * all + skip + j] = shrink * C[i * p + j];
    for (size_t t = 0; t < (size_t)q->T; t++, last += p + 1) {
        double      *row = B + (skip + p + t) * all;
        const double b = 0.5 * last[p] * last[p];

        for (size_t j = 0; j < p; j++)
            row[skip + j] = shrink * last[j];
        row[skip + p + t] = sqrt(b / a);
        ln_tau -= log(b);
    }
    mb_gmm_component_(g, 0, B);
    g->c[0] = 0.5 * (ln_tau - q->T * LN_2PI - (skip ? 0 : q->T / (C[0] * C[0])));
    return MB_OK;
}

void mb_linreg_targets_add_(const mb_model *m, const mb_estep_ *g, double *s)
{
    const mb_linreg_spec_ *q = m->spec;
    const size_t p = (size_t)q->p, all = (size_t)g->D + 1, skip = (size_t)(1 + q->D - q->p);
    double      *to = s + m->layout.block->off;

    *to++ += 0.5 * g->S[0];
    for (size_t i = 0; i < p + (size_t)q->T; i++) {
        const double *row = g->S + (i + skip) * all + skip;

        for (size_t j = 0; j < (i < p ? i : p); j++)
            *to++ -= row[j] / SQRT2;
        *to++ -= 0.5 * row[i];
    }
}

/* Exact prediction: target t at x is Student's t with 2a degrees of freedom, location m_t'x,
 * scale^2 = b_t/a (1 + x' Lambda^-1 x). */
typedef struct lines {
    const mb_linreg_spec_ *q;
    double  a, ln_const; /* of one density, without ln b and ln(1 + x' Lambda^-1 x) */
    double *C, *last, *x;
} lines;

/* out: location of each target, `step` apart; *spread: 1 + x' Lambda^-1 x, if `spreads`. */
static mb_status locate(const lines *w, const mb_rows *rows, int64_t j, size_t step, int spreads,
                        double *out, double *spread, mb_err *err)
{
    const int32_t p = w->q->p, skip = p - w->q->D;
    const double *m = w->last;
    double        sum = 0;

    w->x[0] = 1;
    for (int32_t i = 0; i < w->q->D; i++)
        w->x[skip + i] = mb_rows_at(rows, j, i);
    for (int32_t t = 0; t < w->q->T; t++, out += step, m += p + 1) {
        *out = 0;
        for (int32_t i = 0; i < p; i++)
            *out += m[i] * w->x[i];
        sum += *out;
    }
    *spread = 1;
    if (spreads)
        mb_chol_forward_(w->C, p, w->x);
    for (int32_t i = 0; spreads && i < p; i++)
        *spread += w->x[i] * w->x[i];
    if (!isfinite(sum) || !isfinite(*spread))
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": its prediction is %g; its inputs must be finite and not absurdly "
                "large",
                j, sum);
    return MB_OK;
}

/* Sum of the targets' ln densities; locations are in the columns of `at`. */
static mb_status density(const lines *w, const mb_rows *rows, int64_t j, const double *at,
                         double spread, double *out, mb_err *err)
{
    *out = 0;
    for (int32_t t = 0; t < w->q->T; t++) {
        const double b = w->last[(size_t)t * ((size_t)w->q->p + 1) + (size_t)w->q->p];
        const double y = mb_rows_at(rows, j, w->q->D + t), r = y - at[t];
        const double ln = w->ln_const - 0.5 * log(b) - 0.5 * log(spread) -
                          (w->a + 0.5) * log1p(r / spread * r / (2 * b));

        if (!isfinite(ln))
            MB_FAIL(err, MB_E_NUMERIC, "row %" PRId64 ": got target %g; expected a finite number",
                    j, y);
        *out += ln;
    }
    return MB_OK;
}

/* The mean needs more than 1 degree of freedom, the variance more than 2 to be finite. */
static void spreads(const lines *w, mb_want want, double spread, double *out)
{
    for (int32_t t = 0; want != MB_WANT_MEAN_ && t < w->q->T; t++, out += mb_linreg_width_(want)) {
        const double b = w->last[(size_t)t * ((size_t)w->q->p + 1) + (size_t)w->q->p];

        if (want == MB_WANT_MEAN_VAR) {
            out[1] = w->a > 1     ? b / (w->a - 1) * spread
                     : w->a > 0.5 ? (double)INFINITY
                                  : (double)NAN;
            continue;
        }
        out[1] = sqrt(b / w->a * spread);
        out[2] = 2 * w->a;
    }
}

static mb_status check(const lines *w, const mb_rows *rows, mb_want want, mb_err *err)
{
    const mb_linreg_spec_ *q = w->q;

    if (!mb_linreg_width_(want))
        MB_FAIL(err, MB_E_NOSUP,
                "a linear regression has no components: it predicts densities, means with "
                "variances, and intervals only");
    if (rows->n > 0 && rows->d != q->D + q->T && (rows->d != q->D || want == MB_WANT_LOGPDF))
        MB_FAIL(err, MB_E_SHAPE,
                "rows: got %" PRId32 " columns; expected %" PRId32 " inputs and %" PRId32
                " targets",
                rows->d, q->D, q->T);
    return MB_OK;
}

/* Of LOGPDF the locations are in scratch after the model's own. */
mb_status mb_linreg_targets_predict_(const mb_model *m, const double *phi, const mb_rows *rows,
                                     mb_want want, double *out, double *scratch, mb_err *err)
{
    const mb_linreg_spec_ *q = m->spec;
    const size_t           p = (size_t)q->p, step = mb_linreg_width_(want);
    lines                  w = {q, .C = scratch, .last = scratch + p * p};
    const mb_mng_sizes_    sizes = mb_mng_of_(m->layout.block->dim);
    double                *at, spread;

    w.x = w.last + (size_t)q->T * (p + 1);
    at = w.x + p;
    MB_TRY(check(&w, rows, want, err));
    MB_TRY(factor(m, phi, w.C, w.last, err));
    mb_mng_solve_(&sizes, w.C, w.last);
    w.a = mb_ng_a_(q->p, phi);
    w.ln_const = mb_lgamma_half_(w.a) - 0.5 * LN_2PI;
    for (int64_t j = 0; j < rows->n; j++) {
        const int logpdf = want == MB_WANT_LOGPDF;

        MB_TRY(locate(&w, rows, j, step, want != MB_WANT_MEAN_, logpdf ? at : out, &spread, err));
        if (logpdf)
            MB_TRY(density(&w, rows, j, at, spread, out, err));
        else
            spreads(&w, want, spread, out);
        out += logpdf ? 1 : step * (size_t)q->T;
    }
    return MB_OK;
}

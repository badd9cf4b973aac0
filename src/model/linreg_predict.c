/* linreg_predict.c - the exact prediction of a regression: with w and tau integrated out y at x is
 * Student's t with 2a degrees of freedom, location m'x, scale^2 = b/a (1 + x' Lambda^-1 x). */
#include "expfam/normal_gamma.h"
#include "model/linreg.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double LN_2PI = 1.83787706640934548356;

typedef struct line {
    int32_t D, p;
    double  a, b;
    double  ln_const; /* of the density, without ln(1 + x' Lambda^-1 x)/2 */
    double *L, *C;    /* n x n, n = p + 1: chol(M); p x p: chol(Lambda)   */
    double *m, *x;    /* n each                                           */
} line;

/* One row's location, 1 + x' Lambda^-1 x and target (NaN when it is not among the columns). */
typedef struct place {
    double location, spread, y;
} place;

size_t mb_linreg_predict_scratch_(int32_t p)
{
    const size_t n = (size_t)p + 1;

    return 2 * n * n + 2 * n;
}

static mb_status set_up(const mb_model *m, const double *phi, double *scratch, line *q, mb_err *err)
{
    const mb_linreg_spec_ *spec = m->spec;
    const size_t           p = (size_t)spec->p, n = p + 1;

    *q = (line){.D = spec->D, .p = spec->p, .L = scratch, .C = scratch + n * n};
    q->m = q->C + n * n;
    q->x = q->m + n;
    if (mb_ng_factor_(q->p, phi, q->L) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "block 0 (%s) outside its domain", m->layout.block->family->name);
    q->a = mb_ng_a_(q->p, phi);
    q->b = mb_ng_b_(q->p, q->L);
    q->ln_const = mb_lgamma_half_(q->a) - 0.5 * (LN_2PI + log(q->b));
    mb_ng_mean_(q->p, q->L, q->m);
    for (size_t i = 0; i < p; i++)
        memcpy(q->C + i * p, q->L + i * n, (i + 1) * sizeof *q->C);
    return MB_OK;
}

static mb_status locate(line *q, const mb_rows *rows, int64_t j, place *at, mb_err *err)
{
    const int32_t skip = q->p - q->D;

    *at = (place){.spread = 1, .y = rows->d > q->D ? mb_rows_at(rows, j, q->D) : (double)NAN};
    q->x[0] = 1;
    for (int32_t i = 0; i < q->D; i++)
        q->x[skip + i] = mb_rows_at(rows, j, i);
    for (int32_t i = 0; i < q->p; i++)
        at->location += q->m[i] * q->x[i];
    mb_chol_forward_(q->C, q->p, q->x);
    for (int32_t i = 0; i < q->p; i++)
        at->spread += q->x[i] * q->x[i];
    if (!isfinite(at->location) || !isfinite(at->spread))
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": its prediction is %g; its inputs must be finite and not absurdly "
                "large",
                j, at->location);
    return MB_OK;
}

/* The mean needs more than 1 degree of freedom, the variance more than 2 to be finite. */
static double variance(const line *q, const place *at)
{
    if (q->a > 1)
        return q->b / (q->a - 1) * at->spread;
    return q->a > 0.5 ? (double)INFINITY : (double)NAN;
}

static mb_status hand_out(const line *q, mb_want want, const place *at, int64_t j, double *out,
                          mb_err *err)
{
    const double r = at->y - at->location;

    if (want == MB_WANT_LOGPDF) {
        *out = q->ln_const - 0.5 * log(at->spread) -
               (q->a + 0.5) * log1p(r / at->spread * r / (2 * q->b));
        if (!isfinite(*out))
            MB_FAIL(err, MB_E_NUMERIC, "row %" PRId64 ": target %g; it must be finite", j, at->y);
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

mb_status mb_linreg_predict_(const mb_model *m, const double *phi, const mb_rows *rows,
                             mb_want want, double *out, double *scratch, mb_err *err)
{
    const size_t width = want == MB_WANT_LOGPDF ? 1 : want == MB_WANT_MEAN_VAR ? 2 : 3;
    line         q;
    place        at;

    if (want != MB_WANT_LOGPDF && want != MB_WANT_MEAN_VAR && want != MB_WANT_INTERVAL)
        MB_FAIL(err, MB_E_NOSUP,
                "a linear regression has no components: it predicts densities, means with "
                "variances, and intervals only");
    MB_TRY(set_up(m, phi, scratch, &q, err));
    if (rows->n > 0 && rows->d != q.D + 1 && (rows->d != q.D || want == MB_WANT_LOGPDF))
        MB_FAIL(err, MB_E_SHAPE,
                "rows have %" PRId32 " columns; the model has %" PRId32 " inputs and a target",
                rows->d, q.D);
    for (int64_t j = 0; j < rows->n; j++) {
        const size_t at_j = (size_t)j;

        MB_TRY(locate(&q, rows, j, &at, err));
        MB_TRY(hand_out(&q, want, &at, j, out + at_j * width, err));
    }
    return MB_OK;
}

mb_status mb_linreg_scales(int32_t p, const double *par, double *scale, double *scratch,
                           mb_err *err)
{
    const double *Lambda = par + 2 + p;
    const size_t  n = (size_t)p;
    double       *C = scratch, *inverse = scratch + n * n;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            C[i * n + j] = *Lambda++;
    if (!(par[0] > 0 && par[1] > 0) || mb_chol_(C, p))
        MB_FAIL(err, MB_E_DOMAIN, "these are no parameters of a normal-gamma posterior");
    mb_chol_inverse_(C, p, inverse);
    for (size_t j = 0; j < n; j++) {
        double length = 0; /* (Lambda^-1)_jj = |column j of C^-1|^2, whose square may overflow */

        for (size_t i = j; i < n; i++)
            length = hypot(length, inverse[i * n + j]);
        scale[j] = sqrt(par[1] / par[0]) * length;
    }
    return MB_OK;
}

/* estep.c - blocks of rows and Gaussian components: filling, errors, natural form. */
#include "model/estep.h"
#include "base/gaps.h"
#include "base/rows.h"
#include "num/num.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void mb_gmm_component_(mb_estep_ *g, int32_t k, const double *L)
{
    const size_t d = (size_t)g->D, n = d + 1;
    double      *m = g->m + (size_t)k * d;

    for (size_t i = 1; i < n; i++)
        m[i - 1] = L[i * n] / L[0];
    g->kernel->factor(g, k, L);
}

mb_status mb_estep_check_rows_(const mb_estep_ *g, const mb_rows *rows, mb_err *err)
{
    if (rows->n > 0 && rows->d != g->D)
        MB_FAIL(err, MB_E_SHAPE, "rows: got %" PRId32 " columns; expected %" PRId32, rows->d, g->D);
    for (int64_t j = 0; rows->w && j < rows->n; j++)
        if (!(rows->w[j] >= 0))
            MB_FAIL(err, MB_E_ARG, "row %" PRId64 ": got weight %g; expected 0 or more", j,
                    rows->w[j]);
    return MB_OK;
}

mb_status mb_estep_check_(const mb_estep_ *g, const mb_rows *rows, mb_err *err)
{
    if (rows->first)
        MB_FAIL(err, MB_E_NOSUP, "rows: got groups; this model takes rows alone");
    return mb_estep_check_rows_(g, rows, err);
}

static void choose_one(mb_estep_ *g, int64_t j, double w)
{
    g->row[g->rows] = j;
    g->w[g->rows++] = w;
}

static void choose_none(mb_estep_ *g)
{
    g->rows = g->follow = g->ones = 0;
}

/* Chooses the rows of the block. A row of weight 0 is ignored, whatever it holds. */
static int64_t choose(mb_estep_ *g, const mb_rows *rows, int64_t next)
{
    choose_none(g);
    for (; next < rows->n && g->rows < g->block; next++)
        if (rows->w[next] > 0)
            choose_one(g, next, rows->w[next]);
    return next;
}

/* The same when all weights are 1. */
static int64_t choose_all(mb_estep_ *g, const mb_rows *rows, int64_t next)
{
    g->rows = rows->n - next < g->block ? (int32_t)(rows->n - next) : g->block;
    g->follow = 1;
    g->first = next;
    for (; g->ones < g->rows; g->ones++)
        g->w[g->ones] = 1;
    return next + g->rows;
}

/* Of rows some of which have gaps those with from `least` to `most`. */
static int64_t choose_some(mb_estep_ *g, const mb_rows *rows, int64_t next, int32_t least,
                           int32_t most)
{
    choose_none(g);
    for (; next < rows->n && g->rows < g->block; next++) {
        const double  w = rows->w ? rows->w[next] : 1;
        const int32_t gaps = mb_rows_gaps(rows, next);

        if (w > 0 && gaps >= least && gaps <= most)
            choose_one(g, next, w);
    }
    return next;
}

/* The rows of the block, one after another, into wide. */
static void fetch(const mb_estep_ *g, const mb_rows *rows, int follow)
{
    const int32_t each = follow ? g->rows : 1;

    for (int32_t l = 0; l < g->rows; l += each)
        mb_rows_take(rows, mb_estep_row_(g, l), each, g->wide + (size_t)l * (size_t)g->D);
}

/* The same for rows in single precision. */
static void widen(const mb_estep_ *g, const mb_rows *rows)
{
    double *to = g->wide;

    for (int32_t l = 0; l < g->rows; l++) {
        const float *x = rows->x32 + (size_t)mb_estep_row_(g, l) * rows->ld;

        for (int32_t i = 0; i < g->D; i++)
            *to++ = x[i];
    }
}

/* Points the kernel at the rows of the block. */
static void point(mb_estep_ *g, const mb_rows *rows)
{
    const int64_t first = mb_estep_row_(g, 0);
    const int     follow = mb_estep_row_(g, g->rows - 1) - first == g->rows - 1;

    g->from = g->wide;
    g->from_ld = (size_t)g->D;
    g->at = NULL;
    if (MB_STORED_(rows->stored != NULL))
        fetch(g, rows, follow);
    else if (rows->x32)
        widen(g, rows);
    else {
        g->from = rows->x + (follow ? (size_t)first * rows->ld : 0);
        g->from_ld = rows->ld;
        g->at = follow ? NULL : g->row;
    }
}

void mb_estep_load_(mb_estep_ *g, const mb_rows *rows, int32_t gaps)
{
    g->gaps = gaps;
    if (g->rows == 0)
        return;
    for (int32_t l = g->rows; l % MB_LANES_MAX; l++) {
        if (!g->follow)
            g->row[l] = g->row[g->rows - 1];
        g->w[l] = 0;
        g->ones = g->rows < g->ones ? g->rows : g->ones;
    }
    point(g, rows);
    g->kernel->fill(g);
}

int64_t mb_estep_fill_(mb_estep_ *g, const mb_rows *rows, int64_t next)
{
    next = rows->w ? choose(g, rows, next) : choose_all(g, rows, next);
    mb_estep_load_(g, rows, 0);
    return next;
}

int64_t mb_estep_fill_whole_(mb_estep_ *g, const mb_rows *rows, int64_t next)
{
    if (!MB_GAPS_(rows->gaps))
        return mb_estep_fill_(g, rows, next);
    next = choose_some(g, rows, next, 0, 0);
    mb_estep_load_(g, rows, 0);
    return next;
}

int64_t mb_estep_fill_gaps_(mb_estep_ *g, const mb_rows *rows, int empty, int64_t next)
{
    next = choose_some(g, rows, next, 1, rows->d - !empty);
    mb_estep_load_(g, rows, 1);
    return next;
}

mb_status mb_estep_finite_(const mb_estep_ *g, mb_err *err)
{
    for (int32_t l = 0; l < g->rows; l++)
        for (int32_t i = 0; i < g->D; i++)
            if (!isfinite(g->z[i * g->block + l]) &&
                !(MB_GAPS_(g->gaps) && isnan(g->z[i * g->block + l])))
                MB_FAIL(err, MB_E_NUMERIC, "row %" PRId64 ", column %" PRId32 ": %g is not finite",
                        mb_estep_row_(g, l), i, g->z[i * g->block + l]);
    return MB_OK;
}

void mb_estep_weights_given_(const mb_estep_ *g)
{
    for (int32_t k = 0; k < g->K; k++)
        for (int32_t l = g->rows; l % MB_LANES_MAX; l++)
            g->r[(size_t)k * (size_t)g->block + (size_t)l] = 0;
}

mb_status mb_estep_given_(mb_estep_ *g, const double *resp, mb_err *err)
{
    MB_TRY(mb_estep_finite_(g, err));
    for (int32_t l = 0; l < g->rows; l++) {
        const double *p = resp + (size_t)mb_estep_row_(g, l) * (size_t)g->K;

        for (int32_t k = 0; k < g->K; k++) {
            if (!(p[k] >= 0 && p[k] <= 1))
                MB_FAIL(err, MB_E_ARG,
                        "row %" PRId64 ", component %" PRId32 ": got responsibility %g; "
                        "expected 0 to 1",
                        mb_estep_row_(g, l), k, p[k]);
            g->r[(size_t)k * (size_t)g->block + (size_t)l] = g->w[l] * p[k];
        }
    }
    mb_estep_weights_given_(g);
    return MB_OK;
}

mb_status mb_estep_normalise_(mb_estep_ *g, double *total, mb_err *err)
{
    const double sum = g->kernel->softmax(g);

    for (int32_t l = 0; !isfinite(sum) && l < g->rows; l++)
        if (!isfinite(g->lnz[l]))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": ln Z is %g; its values must be finite and not absurdly far "
                    "from every component",
                    mb_estep_row_(g, l), g->lnz[l]);
    *total += sum;
    return MB_OK;
}

/* The lowest component of the largest r. */
static int32_t label(const mb_estep_ *g, int32_t l)
{
    int32_t best = 0;

    for (int32_t k = 1; k < g->K; k++)
        if (g->r[k * g->block + l] > g->r[best * g->block + l])
            best = k;
    return best;
}

void mb_estep_answer_(const mb_estep_ *g, mb_want want, double *out)
{
    for (int32_t l = 0; l < g->rows; l++) {
        const size_t j = (size_t)mb_estep_row_(g, l);

        if (want == MB_WANT_LOGPDF)
            out[j] = g->lnz[l];
        else if (want == MB_WANT_LABEL)
            out[j] = label(g, l);
        else
            for (int32_t k = 0; k < g->K; k++)
                out[j * (size_t)g->K + (size_t)k] = g->r[k * g->block + l];
    }
}

void mb_gmm_natural_(int32_t n, double weight, const double *S, double *v, double *out)
{
    out[0] += 0.5 * weight;
    mb_svec_(S, n, v);
    for (size_t e = 0; e < mb_svec_len_(n); e++)
        out[1 + e] -= 0.5 * v[e];
}

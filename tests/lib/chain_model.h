/* chain_model.h - a small kind whose rows always come in groups: a hidden Markov model of two
 * states, whose columns are N(-1, 1) in one and N(1, 1) in the other. The first state and the rows
 * of the transitions have Dirichlet priors. */
#ifndef MB_TEST_CHAIN_MODEL_H
#define MB_TEST_CHAIN_MODEL_H

#include "meshbayes/extend.h"

#include <math.h>
#include <string.h>

/* The logarithms of the parameters: of the first state, of the transitions from 0, and from 1. */
enum { CHAIN_FIRST = 0, CHAIN_FROM = 2, CHAIN_LEN = 6 };

static inline double chain_add(double a, double b)
{
    return fmax(a, b) + log1p(exp(-fabs(a - b)));
}

/* ln p(row j | state k). */
static inline double chain_density(const mb_rows *rows, int64_t j, int k)
{
    double sum = 0;

    for (int32_t d = 0; d < rows->d; d++) {
        const double x = mb_rows_at(rows, j, d) - (k ? 1 : -1);

        sum -= x * x / 2 + 0.91893853320467274178;
    }
    return sum;
}

/* a (2 x n): ln p(rows up to j of n from `first` on, state of row j). */
static inline mb_status chain_forward(const double *ln, const mb_rows *rows, int64_t first,
                                      int64_t n, double *a, mb_err *err)
{
    for (int64_t j = 0; j < n; j++, a += 2)
        for (int k = 0; k < 2; k++) {
            const double before =
                j ? chain_add(a[-2] + ln[CHAIN_FROM + k], a[-1] + ln[CHAIN_FROM + 2 + k])
                  : ln[CHAIN_FIRST + k];

            a[k] = before + chain_density(rows, first + j, k);
            if (!isfinite(a[k]))
                MB_FAIL(err, MB_E_NUMERIC, "row %lld: got %g; expected a number",
                        (long long)(first + j), mb_rows_at(rows, first + j, 0));
        }
    return MB_OK;
}

/* s += the expected first state and transitions; a: chain_forward. Returns ln Z. */
static inline double chain_backward(const double *ln, const mb_rows *rows, int64_t first, int64_t n,
                                    const double *a, double w, double *s)
{
    const double lnz = chain_add(a[2 * n - 2], a[2 * n - 1]);
    double       b[2] = {0, 0};

    for (int64_t j = n - 1; j > 0; j--) {
        double before[2];

        for (int i = 0; i < 2; i++) {
            double way[2];

            for (int k = 0; k < 2; k++) {
                way[k] = ln[CHAIN_FROM + 2 * i + k] + chain_density(rows, first + j, k) + b[k];
                s[CHAIN_FROM + 2 * i + k] += w * exp(a[2 * (j - 1) + i] + way[k] - lnz);
            }
            before[i] = chain_add(way[0], way[1]);
        }
        memcpy(b, before, sizeof b);
    }
    for (int k = 0; k < 2; k++)
        s[CHAIN_FIRST + k] += w * exp(a[k] + b[k] - lnz);
    return lnz;
}

static inline mb_status chain_check(const mb_model *m, const mb_rows *rows, mb_err *err)
{
    if (rows->n && rows->d != *(const int32_t *)m->spec)
        MB_FAIL(err, MB_E_SHAPE, "rows: got %d columns", rows->d);
    for (int64_t j = 0; rows->w && j < rows->n; j++)
        if (!(rows->w[j] >= 0))
            MB_FAIL(err, MB_E_ARG, "row %lld: got weight %g", (long long)j, rows->w[j]);
    return MB_OK;
}

static inline size_t chain_scratch(const mb_model *m, int64_t longest)
{
    return CHAIN_LEN + m->layout.scratch + 2 * (size_t)longest;
}

static inline mb_status chain_stats(const mb_model *m, const double *phi, const mb_rows *rows,
                                    double *s, double *logz, double *scratch, mb_err *err)
{
    const int64_t groups = rows->first ? rows->ngroup : rows->n;
    double       *ln = scratch, *a = scratch + CHAIN_LEN + m->layout.scratch;

    MB_TRY(chain_check(m, rows, err));
    MB_TRY(mb_moments(&m->layout, phi, ln, NULL, scratch + CHAIN_LEN, err));
    for (int64_t g = 0; g < groups; g++) {
        const int64_t first = rows->first ? rows->first[g] : g;
        const int64_t n = rows->first ? rows->first[g + 1] - first : 1;
        const double  w = rows->w && n ? rows->w[first] : 1;
        double        lnz;

        if (!n || !(w > 0))
            continue;
        MB_TRY(chain_forward(ln, rows, first, n, a, err));
        lnz = chain_backward(ln, rows, first, n, a, w, s);
        if (logz)
            *logz += w * lnz;
    }
    return MB_OK;
}

static inline mb_status chain_seed(const mb_model *m, const mb_rows *rows, const double *resp,
                                   double *s, double *scratch, mb_err *err)
{
    (void)resp;
    return chain_stats(m, m->prior, rows, s, NULL, scratch, err);
}

/* Mean and variance of each of D columns in the rows that follow; p: of the states of the last. */
static inline void chain_ahead(const double *ln, int32_t D, int32_t ahead, double *p, double *out)
{
    for (int32_t h = 0; h < ahead; h++) {
        const double stay = p[0] * exp(ln[CHAIN_FROM]), turn = p[1] * exp(ln[CHAIN_FROM + 2]);

        p[0] = stay + turn;
        p[1] = 1 - p[0];
        for (int32_t d = 0; d < D; d++) {
            *out++ = p[1] - p[0];
            *out++ = 2 - (p[1] - p[0]) * (p[1] - p[0]);
        }
    }
}

/* Under the expected first state and transitions. */
static inline mb_status chain_predict(const mb_model *m, const double *phi, const mb_rows *rows,
                                      mb_want want, double *out, double *scratch, mb_err *err)
{
    const int64_t groups = rows->first ? rows->ngroup : rows->n;
    double       *ln = scratch, *a = scratch + CHAIN_LEN;

    if (want != MB_WANT_LOGPDF && want != MB_WANT_AHEAD)
        MB_FAIL(err, MB_E_NOSUP, "a chain has no such prediction");
    MB_TRY(chain_check(m, rows, err));
    for (int l = 0; l < CHAIN_LEN; l++)
        ln[l] = log((phi[l] + 1) / (phi[l] + phi[l ^ 1] + 2));
    for (int64_t g = 0; g < groups; g++) {
        const int64_t first = rows->first ? rows->first[g] : g;
        const int64_t n = rows->first ? rows->first[g + 1] - first : 1;
        double        p[2];

        MB_TRY(chain_forward(ln, rows, first, n, a, err));
        for (int64_t j = 0; want == MB_WANT_LOGPDF && j < n; j++)
            *out++ =
                chain_add(a[2 * j], a[2 * j + 1]) - (j ? chain_add(a[2 * j - 2], a[2 * j - 1]) : 0);
        if (want == MB_WANT_LOGPDF)
            continue;
        for (int k = 0; k < 2; k++)
            p[k] = exp(a[2 * n - 2 + k] - chain_add(a[2 * n - 2], a[2 * n - 1]));
        chain_ahead(ln, rows->d, rows->ahead, p, out);
        out += 2 * (int64_t)rows->d * rows->ahead;
    }
    return MB_OK;
}

static const mb_model_ops chain_ops = {.name = "chain",
                                       .stats = chain_stats,
                                       .seed_stats = chain_seed,
                                       .group_scratch = chain_scratch,
                                       .predict = chain_predict};

static inline mb_status chain_model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    static const double prior[CHAIN_LEN] = {1, 1, 2, 1, 1, 2};
    int32_t            *D;

    MB_NEW(D, a, 1, err);
    *D = s->D;
    *out = (mb_model){.ops = &chain_ops, .spec = D};
    MB_TRY(mb_layout_add(&out->layout, &mb_dirichlet, 2, CHAIN_LEN / 2, err));
    out->scratch = chain_scratch(out, 1);
    return mb_model_prior(a, prior, out, err);
}

static inline int32_t chain_fields(const mb_sizes *s, mb_field *out)
{
    (void)s;
    *out = (mb_field){.key = "concentration", .ndim = 2, .shape = {3, 2}, .bounded = 1, .step = 2};
    return 1;
}

static const mb_kind chain = {.name = "chain",
                              .title = "a chain of two known states",
                              .groups = "always",
                              .ahead = 1,
                              .units = mb_units_of_data,
                              .model = chain_model,
                              .fields = chain_fields};

#endif

/* structural.c - structural time series, docs/math.md, section 35: of each group of rows, a series,
 *     y_t = Z_t a_t + e_t,   a_t+1 = T a_t + R n_t,
 * where the state a has the level, its slope, the season, and the coefficients of the inputs, which
 * do not change. The precisions of e and of the parts of n have a gamma each, which is all that a
 * message holds besides a constant: the prior of the level and the coefficients at the first row.
 * A local step is the Kalman filter and smoother at the variances 1/E[tau]; a gap is a step without
 * update. */
#include "base/columns.h"
#include "base/err.h"
#include "base/gaps.h"
#include "base/rows.h"
#include "base/text.h"
#include "expfam/expfam.h"
#include "expfam/gaussian.h"
#include "model/kind.h"
#include "model/linreg_targets.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static const double LN_2PI = 1.83787706640934548356;

/* The words of --structural.season. */
/* clang-format off */
#define SEASONS(X)                                                                                 \
    X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(12) X(13) X(14) X(20) X(24) X(26) X(28) X(30)  \
    X(48) X(52) X(60) X(96) X(144) X(168) X(288) X(365)
/* clang-format on */
#define SEASON_TEXT(k)   #k,
#define SEASON_NUMBER(k) k,
#define SEASON_CHOICE(k) "|" #k

static const char *const seasons[] = {"none", SEASONS(SEASON_TEXT) NULL};
static const int32_t     rows_of_season[] = {0, SEASONS(SEASON_NUMBER)};
static const char *const on_or_off[] = {"off", "on", NULL};
enum { TREND, SEASON }; /* places in mb_sizes::choice */

/* What changes: the observation, then parts of the state. */
enum { NOISE, LEVEL, SLOPE, CYCLE, MOST_VARIANCES };
static const char *const part_name[] = {"noise", "level", "slope", "season"};

typedef struct spec {
    int32_t  D, m, r;               /* inputs, numbers of the state, variances                  */
    int32_t  slope, season, k;      /* where in the state these begin; 0: there is none; its rows */
    int32_t  coef;                  /* where the coefficients begin                             */
    int32_t  part[MOST_VARIANCES];  /* r: which each variance is of                             */
    int32_t  moves[MOST_VARIANCES]; /* r: the number of the state that it moves; -1: the noise  */
    int32_t  seen;                  /* numbers of the state that a row shows                    */
    int32_t *at;                    /* seen: which                                              */
} spec;

static void add_part(spec *q, int32_t part, int32_t moves)
{
    q->part[q->r] = part;
    q->moves[q->r++] = moves;
}

/* Without `at`. */
static spec sketch(const mb_sizes *s)
{
    spec q = {.D = s->D, .k = rows_of_season[s->choice[SEASON]]};

    add_part(&q, NOISE, -1);
    add_part(&q, LEVEL, q.m++);
    if (s->choice[TREND])
        add_part(&q, SLOPE, q.slope = q.m++);
    if (q.k) {
        add_part(&q, CYCLE, q.season = q.m);
        q.m += q.k - 1;
    }
    q.coef = q.m;
    q.m += q.D;
    q.seen = 1 + (q.k > 0) + q.D;
    return q;
}

/* ---- the filter ---- */

/* At one phi, and of one series. Matrices are m x m. For each row of the series: its error v, or
 * what is expected of a row without a target; its variance F; and P Z (m). */
typedef struct work {
    const spec *q;
    double      tau[MOST_VARIANCES], ln_tau[MOST_VARIANCES], var[MOST_VARIANCES]; /* 1/E[tau] */
    double      dof;   /* of the noise's precision              */
    double      level; /* variance at the start, coefficients given */
    double      count[MOST_VARIANCES], square[MOST_VARIANCES]; /* sums of the series     */
    double      y;         /* of a row; NaN: it has none             */
    double     *Z;         /* seen                                   */
    double     *mean, *V;  /* 1 + D, squared: of the start           */
    double     *K;         /* squared: V^-1                          */
    double     *a, *P;     /* m: expected state                      */
    double     *r, *N, *w; /* m: of the smoother                     */
    double     *row;       /* D + 1                                  */
    double     *stored;    /* rows x stride */
    double     *rest;
} work;

static size_t fixed_size(const mb_model *m)
{
    const spec  *q = m->spec;
    const size_t k = (size_t)q->m, p = (size_t)q->D + 1;

    return (size_t)q->seen + 2 * p + 2 * p * p + 3 * k + 2 * k * k + m->layout.len +
           m->layout.scratch;
}

/* Numbers that are stored of each row: see work, or before_moves(). */
static size_t stride(const spec *q)
{
    const size_t m = (size_t)q->m, parts = (size_t)(q->r - 1) * (1 + m);

    return parts > 2 + m ? parts : 2 + m;
}

static size_t group_scratch(const mb_model *m, int64_t longest)
{
    const spec *q = m->spec;

    return fixed_size(m) + (size_t)(longest > 1 ? longest : 1) * stride(q);
}

static void carve(const mb_model *m, double *scratch, work *w)
{
    const spec  *q = m->spec;
    const size_t k = (size_t)q->m, p = (size_t)q->D + 1;

    *w = (work){.q = q, .Z = scratch};
    w->row = w->Z + q->seen;
    w->mean = w->row + p;
    w->V = w->mean + p;
    w->K = w->V + p * p;
    w->a = w->K + p * p;
    w->r = w->a + k;
    w->w = w->r + k;
    w->P = w->w + k;
    w->N = w->P + k * k;
    w->rest = w->N + k * k;
    w->stored = scratch + fixed_size(m);
}

/* out := (L L')^-1 of L (n x n); inverse: n x n. */
static void invert(const double *L, size_t n, double *inverse, double *out)
{
    mb_chol_inverse_(L, (int32_t)n, inverse);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;

            for (size_t l = i; l < n; l++)
                sum += inverse[l * n + i] * inverse[l * n + j];
            out[i * n + j] = out[j * n + i] = sum;
        }
}

/* The start, whose precision is L L'. */
static void set_start(work *w, const double *L)
{
    const size_t p = (size_t)w->q->D + 1;

    w->level = 1 / (L[0] * L[0]);
    invert(L, p, w->N, w->V);
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;

            for (size_t l = 0; l <= j; l++)
                sum += L[i * p + l] * L[j * p + l];
            w->K[i * p + j] = w->K[j * p + i] = sum;
        }
}

/* The expectations under phi. */
static mb_status set_up(const mb_model *m, const double *phi, double *scratch, work *w, mb_err *err)
{
    const mb_block *k = m->layout.block;
    const double   *mu, *gamma;

    carve(m, scratch, w);
    mu = w->rest;
    MB_TRY(mb_moments(&m->layout, phi, w->rest, NULL, w->rest + m->layout.len, err));
    if (mb_gaussian_factor_(w->q->D + 1, phi + k[0].off, w->P, w->mean) < 0)
        MB_FAIL(err, MB_E_DOMAIN, "the prior of the first row is outside its domain");
    set_start(w, w->P);
    gamma = mu + k[1].off;
    for (int32_t i = 0; i < w->q->r; i++, gamma += 2) {
        w->ln_tau[i] = gamma[0];
        w->tau[i] = gamma[1];
        w->var[i] = 1 / gamma[1];
    }
    w->dof = 2 * (phi[k[1].off] + 1);
    return MB_OK;
}

/* x := T x, of numbers `step` apart. */
static void move(const spec *q, double *x, size_t step)
{
    double sum = 0;

    if (q->slope)
        x[0] += x[(size_t)q->slope * step];
    if (!q->k)
        return;
    for (int32_t j = q->k - 2; j >= 0; j--) {
        double *to = x + (size_t)(q->season + j) * step;

        sum -= *to;
        *to = j ? to[-(ptrdiff_t)step] : sum;
    }
}

/* x := T' x. */
static void move_back(const spec *q, double *x, size_t step)
{
    double *s = x + (size_t)q->season * step, first = *s;

    if (q->slope)
        x[(size_t)q->slope * step] += x[0];
    for (int32_t j = 0; j < q->k - 1; j++, s += step)
        *s = (j < q->k - 2 ? s[step] : 0) - first;
}

/* A := by A by', by being T or T'. */
static void move_both(const spec *q, void (*by)(const spec *, double *, size_t), double *A)
{
    const size_t m = (size_t)q->m;

    for (size_t i = 0; i < m; i++)
        by(q, A + i * m, 1);
    for (size_t i = 0; i < m; i++)
        by(q, A + i, m);
}

/* Where the state has number i of the start. */
static size_t of_start(const spec *q, size_t i)
{
    return i ? (size_t)q->coef + i - 1 : 0;
}

/* The state of the first row: level and coefficients as the prior has them, slope and season about
 * 0 with the variance that the level has at given coefficients. */
static void begin_series(work *w)
{
    const spec  *q = w->q;
    const size_t m = (size_t)q->m, p = (size_t)q->D + 1;

    memset(w->a, 0, m * sizeof *w->a);
    memset(w->P, 0, m * m * sizeof *w->P);
    for (size_t i = 0; i < m; i++)
        w->P[i * m + i] = w->level;
    for (size_t i = 0; i < p; i++) {
        const size_t to = of_start(q, i);

        w->a[to] = w->mean[i];
        for (size_t j = 0; j < p; j++)
            w->P[to * m + of_start(q, j)] = w->V[i * p + j];
    }
}

/* What row j shows of the state, and its target. */
static mb_status read_row(work *w, const mb_rows *rows, int64_t j, int density, mb_err *err)
{
    const spec   *q = w->q;
    const double *x = mb_rows_row(rows, j, w->row);
    double       *Z = w->Z;

    *Z++ = 1;
    if (q->k)
        *Z++ = 1;
    for (int32_t d = 0; d < q->D; d++) {
        if (!isfinite(x[d]))
            MB_FAIL(err, MB_E_NUMERIC,
                    "row %" PRId64 ": got input %g; expected a finite number, which inputs need", j,
                    x[d]);
        *Z++ = x[d];
    }
    w->y = rows->d > q->D ? x[q->D] : (double)NAN;
    if (isinf(w->y) || (density && isnan(w->y) && !rows->gaps))
        MB_FAIL(err, MB_E_NUMERIC, "row %" PRId64 ": got target %g; expected a finite number", j,
                w->y);
    return MB_OK;
}

/* Z'x. */
static double shown(const work *w, const double *x)
{
    double sum = 0;

    for (int32_t i = 0; i < w->q->seen; i++)
        sum += w->Z[i] * x[w->q->at[i]];
    return sum;
}

/* Mean and variance of a row. */
static mb_status check_row(int64_t j, double mean, double var, mb_err *err)
{
    if (!isfinite(mean) || !(var > 0) || !isfinite(var))
        MB_FAIL(err, MB_E_NUMERIC,
                "row %" PRId64 ": what is expected of it is %g, with the variance %g; its values "
                "must be finite and not absurdly large",
                j, mean, var);
    return MB_OK;
}

/* M = P Z; its variance Z'P Z. */
static double variance_shown(const work *w, double *M)
{
    const size_t m = (size_t)w->q->m;

    for (size_t i = 0; i < m; i++)
        M[i] = shown(w, w->P + i * m);
    return shown(w, M);
}

/* stored: what the row that was read is expected to be; M = P Z, F = Z'M + noise. */
static mb_status look(work *w, int64_t j, double *stored, mb_err *err)
{
    stored[0] = shown(w, w->a);
    stored[1] = variance_shown(w, stored + 2) + w->var[NOISE];
    return check_row(j, stored[0], stored[1], err);
}

/* The target that was read becomes known: the error takes the place of what was expected. */
static void learn(work *w, double *stored)
{
    const size_t  m = (size_t)w->q->m;
    const double *M = stored + 2;
    const double  v = w->y - stored[0], F = stored[1];

    stored[0] = v;
    for (size_t i = 0; i < m; i++) {
        const double gain = M[i] / F;

        w->a[i] += gain * v;
        for (size_t j = 0; j <= i; j++)
            w->P[j * m + i] = w->P[i * m + j] -= gain * M[j];
    }
}

static void next_state(work *w)
{
    const spec *q = w->q;

    move(q, w->a, 1);
    move_both(q, move, w->P);
    for (int32_t i = 1; i < q->r; i++)
        w->P[(size_t)q->moves[i] * (size_t)(q->m + 1)] += w->var[i];
}

/* The rows first .. end - 1 of a series; the state is then that of the row after them. density 1:
 * a target may be missing only where rows have gaps. *ln, which may be NULL, += the log likelihood. */
static mb_status filter(work *w, const mb_rows *rows, int64_t first, int64_t end, int density,
                        double *ln, mb_err *err)
{
    double *stored = w->stored;

    begin_series(w);
    for (int64_t j = first; j < end; j++, stored += stride(w->q)) {
        MB_TRY(read_row(w, rows, j, density, err));
        MB_TRY(look(w, j, stored, err));
        if (!isnan(w->y)) {
            learn(w, stored);
            if (!isfinite(stored[0] * stored[0] / stored[1]))
                MB_FAIL(err, MB_E_NUMERIC,
                        "row %" PRId64 ": got target %g, where %g was expected; its values must "
                        "not be absurdly large",
                        j, w->y, w->y - stored[0]);
            if (ln)
                *ln -= 0.5 * (LN_2PI + log(stored[1]) + stored[0] * stored[0] / stored[1]);
        }
        next_state(w);
    }
    return MB_OK;
}

/* ---- the smoother ---- */

static void end_series(work *w)
{
    memset(w->r, 0, (size_t)w->q->m * sizeof *w->r);
    memset(w->N, 0, (size_t)w->q->m * (size_t)w->q->m * sizeof *w->N);
}

/* From the state after a row to that of the row. The parts of n between them count v. */
static void last_state(work *w, double v)
{
    const spec *q = w->q;

    for (int32_t i = 1; i < q->r; i++) {
        const size_t at = (size_t)q->moves[i];
        const double var = w->var[i], r = w->r[at], N = w->N[at * (size_t)(q->m + 1)];

        w->count[i] += v;
        w->square[i] += v * fmax(var + var * (r * r - N) * var, 0);
    }
    move_back(q, w->r, 1);
    move_both(q, move_back, w->N);
}

/* The error of a row from all others, over its variance, and 1 over that variance: of a row with
 * the target that was read. */
typedef struct error {
    double u, D;
} error;

static error error_of(work *w, const double *stored)
{
    const size_t  m = (size_t)w->q->m;
    const double *M = stored + 2;
    const double  F = stored[1];
    error         e = {stored[0] / F, 1 / F};

    for (size_t i = 0; i < m; i++) {
        w->w[i] = 0;
        for (size_t j = 0; j < m; j++)
            w->w[i] += w->N[i * m + j] * M[j];
        w->w[i] /= F;
        e.u -= M[i] / F * w->r[i];
        e.D += M[i] / F * w->w[i];
    }
    return e;
}

/* The row counts among those after the state. error_of() has seen it. */
static void look_back(work *w, error e)
{
    const spec  *q = w->q;
    const size_t m = (size_t)q->m;

    for (int32_t k = 0; k < q->seen; k++) {
        const size_t at = (size_t)q->at[k];

        w->r[at] += w->Z[k] * e.u;
        for (size_t i = 0; i < m; i++) {
            w->N[at * m + i] -= w->Z[k] * w->w[i];
            w->N[i * m + at] -= w->Z[k] * w->w[i];
        }
        for (int32_t l = 0; l < q->seen; l++)
            w->N[at * m + (size_t)q->at[l]] += e.D * w->Z[k] * w->Z[l];
    }
}

/* Sums over a series that filter() has gone through, of weight v. */
static mb_status smooth(work *w, const mb_rows *rows, int64_t first, int64_t end, double v,
                        mb_err *err)
{
    const double *stored = w->stored + (size_t)(end - first) * stride(w->q);
    const double  var = w->var[NOISE];

    end_series(w);
    for (int64_t j = end; j-- > first;) {
        stored -= stride(w->q);
        if (j < end - 1)
            last_state(w, v);
        MB_TRY(read_row(w, rows, j, 1, err));
        if (isnan(w->y))
            continue;

        const error e = error_of(w, stored);

        w->count[NOISE] += v;
        w->square[NOISE] += v * fmax(var + var * (e.u * e.u - e.D) * var, 0);
        look_back(w, e);
    }
    return MB_OK;
}

/* ---- the local step ---- */

/* s += the sums of all series in natural form. */
static void add_stats(const mb_model *m, const work *w, double *s)
{
    s += m->layout.block[1].off;
    for (int32_t i = 0; i < w->q->r; i++) {
        *s++ += 0.5 * w->count[i];
        *s++ -= 0.5 * w->square[i];
    }
}

/* Where the last row with a target ends: those after it say nothing. */
static int64_t last_target(const mb_rows *rows, int32_t D, int64_t first, int64_t end)
{
    while (rows->gaps && end > first && isnan(mb_rows_at(rows, end - 1, D)))
        end--;
    return end;
}

static mb_status gather(const mb_model *m, work *w, const mb_rows *rows, double *s, double *logz,
                        mb_err *err)
{
    for (int64_t g = 0; g < mb_rows_groups(rows); g++) {
        const int64_t first = mb_rows_group(rows, g);
        const int64_t end = last_target(rows, w->q->D, first, mb_rows_group(rows, g + 1));
        double        v, ln = 0;

        MB_TRY(mb_rows_group_weight(rows, g, &v, err));
        if (!(v > 0) || first == end)
            continue;
        MB_TRY(filter(w, rows, first, end, 1, &ln, err));
        MB_TRY(smooth(w, rows, first, end, v, err));
        *logz += v * ln;
    }
    for (int32_t i = 0; i < w->q->r; i++) {
        if (!isfinite(w->square[i]))
            MB_FAIL(err, MB_E_NUMERIC,
                    "rows: their sums are not finite; their values must not be absurdly large");
        *logz += 0.5 * w->count[i] * (w->ln_tau[i] - log(w->tau[i]));
    }
    add_stats(m, w, s);
    return MB_OK;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    const spec *q = m->spec;
    double      total = 0;
    work        w;

    MB_TRY(mb_check_target_rows_(q->D, rows, 1, err));
    MB_TRY(set_up(m, phi, scratch, &w, err));
    MB_TRY(gather(m, &w, rows, s, &total, err));
    if (logz)
        *logz += total;
    return MB_OK;
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    (void)resp; /* no component */
    return stats(m, m->prior, rows, s, NULL, scratch, err);
}

/* ---- prediction ---- */

/* Student's t, or what is normal nearly, of a mean and a squared scale. */
static void answer(const work *w, mb_want want, double mean, double square, double *out)
{
    const double dof = w->dof;

    out[0] = mean;
    if (want == MB_WANT_MEAN_VAR || want == MB_WANT_AHEAD)
        out[1] = dof > 2 ? square * dof / (dof - 2) : dof > 1 ? (double)INFINITY : (double)NAN;
    else if (want == MB_WANT_INTERVAL) {
        out[1] = sqrt(square);
        out[2] = dof;
    }
}

/* ln density of an error v. */
static double density(const work *w, double v, double F)
{
    const double h = 0.5 * w->dof;

    return mb_lgamma_half_(h) - 0.5 * (LN_2PI + log(h * F)) - (h + 0.5) * log1p(v / F * v / w->dof);
}

/* Of each row given those before it; a gap has none. */
static void densities(const work *w, const mb_rows *rows, int64_t first, int64_t end, double *out)
{
    const double *stored = w->stored;

    for (int64_t j = first; j < end; j++, stored += stride(w->q))
        *out++ = isnan(mb_rows_at(rows, j, w->q->D)) ? 0 : density(w, stored[0], stored[1]);
}

/* ---- given all rows ---- */

/* What the rows from one on say of its state a: r'a - a'N a/2 is the log of their density, but for a
 * constant. No variance of the first state is in it, so that no digits are lost where that is large:
 * P - P N P with the N of smooth() loses them in the rows that do not know the state yet. */
static void add_row(work *w)
{
    const spec  *q = w->q;
    const double tau = w->tau[NOISE];

    for (int32_t k = 0; k < q->seen; k++) {
        w->r[q->at[k]] += tau * w->Z[k] * w->y;
        for (int32_t l = 0; l < q->seen; l++)
            w->N[(size_t)q->at[k] * (size_t)q->m + (size_t)q->at[l]] += tau * w->Z[k] * w->Z[l];
    }
}

/* From the state after a row to that of the row: each part of n is integrated out. stored: of each,
 * its number in r and its row of N before. */
static void before_moves(work *w, double *stored)
{
    const spec  *q = w->q;
    const size_t m = (size_t)q->m;

    for (int32_t i = 1; i < q->r; i++, stored += 1 + m) {
        const size_t  at = (size_t)q->moves[i];
        double *const N = memcpy(stored + 1, w->N + at * m, m * sizeof *N);
        const double  var = 1 / (w->tau[i] + N[at]), keep = w->tau[i] * var;

        stored[0] = w->r[at];
        for (size_t k = 0; k < m; k++) {
            w->r[k] -= var * N[k] * stored[0];
            for (size_t l = 0; l <= k; l++)
                w->N[l * m + k] = w->N[k * m + l] -= var * N[k] * N[l];
        }
        w->r[at] = keep * stored[0];
        for (size_t k = 0; k < m; k++)
            w->N[at * m + k] = w->N[k * m + at] = keep * N[k];
    }
    move_back(q, w->r, 1);
    move_both(q, move_back, w->N);
}

/* a and P of the first state, from r and N of all rows: P = (K + N)^-1. */
static mb_status first_state(work *w, mb_err *err)
{
    const spec  *q = w->q;
    const size_t m = (size_t)q->m, p = (size_t)q->D + 1;
    double      *swap = w->P;

    begin_series(w);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            w->r[i] -= w->N[i * m + j] * w->a[j];
    for (size_t i = 1; i < (size_t)q->coef; i++)
        w->N[i * m + i] += 1 / w->level;
    for (size_t i = 0; i < p; i++)
        for (size_t j = 0; j < p; j++)
            w->N[of_start(q, i) * m + of_start(q, j)] += w->K[i * p + j];
    if (mb_chol_(w->N, q->m) != 0)
        MB_FAIL(err, MB_E_NUMERIC, "rows: their inputs or targets are absurdly large");
    invert(w->N, m, w->P, w->N);
    w->P = w->N;
    w->N = swap;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            w->a[i] += w->P[i * m + j] * w->r[j];
    return MB_OK;
}

/* a and P of the state after a row, from those of the row. stored: see before_moves(). Given the
 * state without it and all rows, part i of n is normal, with the mean var (r_i - N_i'a): sums of
 * variances alone. */
static void after_moves(work *w, const double *stored)
{
    const spec  *q = w->q;
    const size_t m = (size_t)q->m;
    double      *b = w->w, *row = w->r;

    move(q, w->a, 1);
    move_both(q, move, w->P);
    for (int32_t i = q->r - 1; i > 0; i--) {
        const double *part = stored + (size_t)(i - 1) * (1 + m), *N = part + 1;
        const size_t  at = (size_t)q->moves[i];
        const double  var = 1 / (w->tau[i] + N[at]);
        double        mean = var * part[0], square = var;

        for (size_t k = 0; k < m; k++)
            b[k] = k == at ? w->tau[i] * var : -var * N[k];
        for (size_t k = 0; k < m; k++) {
            row[k] = 0;
            for (size_t l = 0; l < m; l++)
                row[k] += w->P[k * m + l] * b[l];
            mean += b[k] * w->a[k];
            square += b[k] * row[k];
        }
        w->a[at] = mean;
        for (size_t k = 0; k < m; k++)
            w->P[at * m + k] = w->P[k * m + at] = k == at ? square : row[k];
    }
}

/* r, N of all rows of a series, and what after_moves() needs of each. */
static mb_status look_ahead(work *w, const mb_rows *rows, int64_t first, int64_t end, mb_err *err)
{
    end_series(w);
    for (int64_t j = end; j-- > first;) {
        if (j < end - 1)
            before_moves(w, w->stored + (size_t)(j - first) * stride(w->q));
        MB_TRY(read_row(w, rows, j, 0, err));
        if (!isnan(w->y))
            add_row(w);
    }
    return MB_OK;
}

/* Of the row that was read given all others with a target: with its own it is expected to be
 * `mean`, and without it that weighs `others` less. */
static mb_status fill(work *w, int64_t j, mb_want want, double *out, mb_err *err)
{
    const double mean = shown(w, w->a), P = variance_shown(w, w->w);
    const double others = fmax(1 - P * w->tau[NOISE], DBL_EPSILON);

    if (isnan(w->y)) {
        MB_TRY(check_row(j, mean, P + w->var[NOISE], err));
        answer(w, want, mean, P + w->var[NOISE], out);
        return MB_OK;
    }
    MB_TRY(check_row(j, mean, w->var[NOISE] / others, err));
    answer(w, want, w->y - (w->y - mean) / others, w->var[NOISE] / others, out);
    return MB_OK;
}

/* Mean and variance of each part of the state. */
static void show_state(const work *w, double *out)
{
    const size_t m = (size_t)w->q->m;

    for (int32_t i = 1; i < w->q->r; i++) {
        const size_t at = (size_t)w->q->moves[i];

        *out++ = w->a[at];
        *out++ = fmax(w->P[at * m + at], 0);
    }
}

/* Of each row, or of its state (MB_WANT_SMOOTHED). */
static mb_status given_all(work *w, const mb_rows *rows, int64_t first, int64_t end, mb_want want,
                           size_t width, double *out, mb_err *err)
{
    MB_TRY(look_ahead(w, rows, first, end, err));
    MB_TRY(first_state(w, err));
    for (int64_t j = first; j < end; j++, out += width) {
        if (j > first)
            after_moves(w, w->stored + (size_t)(j - 1 - first) * stride(w->q));
        MB_TRY(read_row(w, rows, j, 0, err));
        if (want == MB_WANT_SMOOTHED)
            show_state(w, out);
        else
            MB_TRY(fill(w, j, want, out, err));
    }
    return MB_OK;
}

/* ---- what is predicted ---- */

/* Mean and variance of each part of the state, given the rows up to each. */
static mb_status filtered(work *w, const mb_rows *rows, int64_t first, int64_t end, double *out,
                          mb_err *err)
{
    begin_series(w);
    for (int64_t j = first; j < end; j++) {
        MB_TRY(read_row(w, rows, j, 0, err));
        MB_TRY(look(w, j, w->stored, err));
        if (!isnan(w->y))
            learn(w, w->stored);
        show_state(w, out);
        out += 2 * (w->q->r - 1);
        next_state(w);
    }
    return MB_OK;
}

/* The rows that would follow a series. */
static mb_status follow(work *w, int32_t ahead, double *out, mb_err *err)
{
    if (w->q->D)
        MB_FAIL(err, MB_E_NOSUP,
                "a forecast needs the inputs of the rows that follow: give these rows, without a "
                "target, and predict them");
    for (int32_t i = 0; i < w->q->seen; i++)
        w->Z[i] = 1;
    for (int32_t h = 0; h < ahead; h++, out += 2) {
        MB_TRY(look(w, h, w->stored, err));
        answer(w, MB_WANT_AHEAD, w->stored[0], w->stored[1], out);
        next_state(w);
    }
    return MB_OK;
}

/* Numbers of a row, or of one that follows; 0: there is no such prediction. */
static size_t width_of(const spec *q, mb_want want)
{
    return want == MB_WANT_AHEAD                                  ? 2
           : want == MB_WANT_SMOOTHED || want == MB_WANT_FILTERED ? 2 * (size_t)(q->r - 1)
                                                                  : mb_linreg_width_(want);
}

static mb_status predict_group(work *w, const mb_rows *rows, int64_t g, mb_want want, double *out,
                               mb_err *err)
{
    const int64_t first = mb_rows_group(rows, g), end = mb_rows_group(rows, g + 1);

    if (want == MB_WANT_FILTERED)
        return filtered(w, rows, first, end, out, err);
    if (want != MB_WANT_LOGPDF && want != MB_WANT_AHEAD)
        return given_all(w, rows, first, end, want, width_of(w->q, want), out, err);
    MB_TRY(filter(w, rows, first, end, want == MB_WANT_LOGPDF, NULL, err));
    if (want == MB_WANT_AHEAD)
        return follow(w, rows->ahead, out, err);
    densities(w, rows, first, end, out);
    return MB_OK;
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const spec  *q = m->spec;
    const size_t width = width_of(q, want);
    work         w;

    if (!width)
        MB_FAIL(err, MB_E_NOSUP,
                "a structural time series has no components: it predicts densities, means with "
                "variances, intervals and what follows only");
    MB_TRY(mb_check_target_rows_(q->D, rows, want == MB_WANT_LOGPDF, err));
    MB_TRY(set_up(m, phi, scratch, &w, err));
    for (int64_t g = 0; g < mb_rows_groups(rows); g++) {
        const int64_t n = mb_rows_group(rows, g + 1) - mb_rows_group(rows, g);

        MB_TRY(predict_group(&w, rows, g, want, out, err));
        out += width * (size_t)(want == MB_WANT_AHEAD ? rows->ahead : n);
    }
    return MB_OK;
}

static const mb_model_ops ops = {.name = "structural",
                                 .stats = stats,
                                 .seed_stats = seed_stats,
                                 .group_scratch = group_scratch,
                                 .predict = predict};

/* ---- the prior ---- */

/* Of the start, and of each precision by spec.part, in columns of mean 0 and standard deviation 1.
 * Changes s of a slope add up to s^2 n^3 / 3 in n rows, those of the level to s^2 n: the slope's rate
 * is as weak as the level's over ten rows. That of the level would hold its variance up, and forecasts
 * would be too wide (docs/adr, 103). */
static const double precision0 = 1e-4, shape0 = 1e-3;
static const double rate0[MOST_VARIANCES] = {
    [NOISE] = 1e-3, [LEVEL] = 1e-3, [SLOPE] = 3e-5, [CYCLE] = 1e-3};

/* The textbook parameters of the precisions, two each, begin here. */
static size_t gammas(int32_t D)
{
    const size_t p = (size_t)D + 1;

    return p + mb_svec_len_((int32_t)p);
}

static void default_par(const spec *q, double *par)
{
    const int32_t p = q->D + 1;

    memset(par, 0, gammas(q->D) * sizeof *par);
    par += p;
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j <= i; j++)
            *par++ = precision0 * (i == j);
    for (int32_t i = 0; i < q->r; i++) {
        *par++ = shape0;
        *par++ = rate0[q->part[i]];
    }
}

/* Without its prior. */
static mb_status begin(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    spec    *q;
    int32_t *target;

    MB_TRY(mb_check_inputs_(s->D, 1, err));
    MB_NEW(q, a, 1, err);
    *q = sketch(s);
    MB_NEW(q->at, a, q->seen, err);
    MB_NEW(target, a, q->r, err);
    for (int32_t i = 0, n = 0; i < q->m; i++)
        if (!i || (q->k && i == q->season) || i >= q->coef)
            q->at[n++] = i;
    for (int32_t i = 0; i < q->r; i++)
        target[i] = q->D;
    *out = (mb_model){.ops = &ops, .spec = q};
    MB_TRY(mb_layout_add(&out->layout, &mb_gaussian_target, q->D + 1, 1, err));
    MB_TRY(mb_layout_add_product(&out->layout, &mb_gamma_noise, 1, q->r, target, 1, err));
    out->scratch = group_scratch(out, 1);
    return MB_OK;
}

static mb_status model(mb_arena *a, const mb_sizes *s, mb_model *out, mb_err *err)
{
    double *par;

    MB_TRY(begin(a, s, out, err));
    MB_NEW(par, a, out->layout.len, err);
    default_par(out->spec, par);
    return mb_model_prior(a, par, out, err);
}

#define AT(field) offsetof(mb_structural_kind, field)

#define PRIORS "empirical|posterior:FILE.json"

static const mb_choice choices[] = {{"trend", "structural.trend", on_or_off},
                                    {"season", "structural.season", seasons},
                                    {NULL, NULL, NULL}};

static const mb_opt options[] = {
    {"target-column", MB_OPT_TEXT, AT(target_column), NULL, 0, 0, "NAME", "", "", "y",
     "the series, whose other columns are inputs, if there are any; without it the last of an NPY "
     "file"},
    {"structural.trend", MB_OPT_CHOICE, AT(trend), "off", 0, 0, "off|on", "", "math 35", "",
     "on: the level has a slope, which changes, too"},
    {"structural.season", MB_OPT_CHOICE, AT(season), "none", 0, 0, "none" SEASONS(SEASON_CHOICE),
     "rows", "math 35", "",
     "rows after which a season begins again, such as 7 of days in a week, 12 of months; its shape "
     "changes slowly"},
    {"prior", MB_OPT_INPUT, AT(prior), "empirical", 0, 0, PRIORS, "", "math 35", "",
     "empirical: weak in columns of mean 0 and variance 1; posterior: an earlier posterior. Single "
     "options override the first"},
    {"prior.a0", MB_OPT_AUTO, AT(a0), "auto", 1e-300, 1e12, NULL, "", "math 35", "",
     "shape of the gamma of each precision; auto = 1e-3"},
    {"prior.b0", MB_OPT_AUTO, AT(b0), "auto", 1e-300, 1e300, NULL, "data units squared", "math 35",
     "", "its rate; auto = 1e-3 of the target's variance, of the slope 3e-5 of it"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

/* What is given in data units. */
static mb_status given(const mb_structural_kind *o, const spec *q, double *par, mb_err *err)
{
    par += gammas(q->D);
    for (int32_t i = 0; i < q->r; i++, par += 2) {
        par[0] = mb_automatic_(o->a0, par[0]);
        par[1] = mb_automatic_(o->b0, par[1]);
        MB_TRY(mb_check_positive_("a0", par[0], err));
        MB_TRY(mb_check_positive_("b0", par[1], err));
    }
    return MB_OK;
}

static mb_status prior(mb_arena *a, const void *opt, const mb_units *run,
                       const mb_row_moments *seen, mb_prior *out, mb_err *err)
{
    const mb_structural_kind *own = opt;
    const mb_layout          *l = &out->model.layout;
    mb_sizes                  s;
    mb_units                  u;
    int32_t                   which;

    mb_kind_sizes(&mb_kind_structural, opt, seen->d, seen->kinds, &s);
    MB_TRY(mb_prior_word_(own->prior, PRIORS, &which, err));
    MB_TRY(begin(a, &s, &out->model, err));
    MB_TRY(mb_prior_units_(a, 1, seen, &u, err));
    MB_NEW(out->par, a, l->len, err);
    default_par(out->model.spec, out->par);
    mb_move_par(l, u.origin, u.scale, out->par);
    MB_TRY(given(own, out->model.spec, out->par, err));
    return mb_prior_of_data_(a, run, out, err);
}

/* ---- what is known of the parameters ---- */

/* A level takes up a shift as an intercept does. */
static mb_sizes with_level(const mb_sizes *s)
{
    mb_sizes out = *s;

    out.intercept = 1;
    return out;
}

static void units(const mb_sizes *s, mb_units *run)
{
    const mb_sizes level = with_level(s);

    mb_target_units_(&level, run);
}

/* Those in which the prior of the first row is weak. */
static void own_units(const mb_sizes *s, const double *par, mb_units *u)
{
    const mb_sizes level = with_level(s);
    const double  *precision = par + s->D + 1;

    mb_coefficient_units_(&level, precision, 1, u);
    u->log_jacobian = 0;
    mb_target_own_units_(&level, 0, par, precision0 / *precision, u);
}

/* 1/E[tau] of variance i. */
static double variance(const mb_sizes *s, const double *par, int32_t i)
{
    const double *gamma = par + gammas(s->D) + 2 * (size_t)i;

    return gamma[1] / gamma[0];
}

static mb_status derive(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    const spec q = sketch(s);

    (void)a, (void)err;
    for (int32_t i = 0; i < q.r; i++)
        out[i] = variance(s, par, i);
    return MB_OK;
}

/* The parts of the state, each with a variance that moves it. */
static const char *const *states(const mb_sizes *s)
{
    static const char *const name[][MOST_VARIANCES] = {{"level", NULL},
                                                       {"level", "slope", NULL},
                                                       {"level", "season", NULL},
                                                       {"level", "slope", "season", NULL}};

    return name[s->choice[TREND] + 2 * (s->choice[SEASON] > 0)];
}

/* The variances are derived in the order of spec.part. */
static int32_t fields(const mb_sizes *s, mb_field *out)
{
    const int32_t  p = s->D + 1, trend = s->choice[TREND], season = s->choice[SEASON] > 0;
    const size_t   g = gammas(s->D);
    const mb_field all[] = {
        {.key = "start", 1, {p}, .step = 1},
        {.key = "start_precision", 2, {p, p}, 1, .at = (size_t)p},
        {.key = "shape", 1, {2 + trend + season}, .bounded = 1, .at = g, .step = 2},
        {.key = "rate", 1, {2 + trend + season}, .bounded = 1, .at = g + 1, .step = 2},
        {.key = "noise_variance", .derived = 1, .at = NOISE},
        {.key = "level_variance", .derived = 1, .at = LEVEL},
        {.key = "slope_variance", .derived = 1, .absent = !trend, .at = SLOPE},
        {.key = "season_variance", .derived = 1, .absent = !season, .at = SLOPE + (size_t)trend}};

    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

/* ---- tables for people ---- */

static mb_status labels(mb_arena *a, const spec *q, const char *const **out, mb_err *err)
{
    const char **name;

    MB_NEW(name, a, q->r, err);
    for (int32_t i = 0; i < q->r; i++)
        name[i] = part_name[q->part[i]];
    *out = name;
    return MB_OK;
}

static mb_status compare(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err)
{
    static const mb_listed column[] = {{"variance", 's', 18, 18},
                                       {"value", 'g', 18, 6},
                                       {"other_value", 'g', 18, 6},
                                       {"ratio", 'g', 18, 6}};
    const spec             is = sketch(&p->size);
    double                *x;

    (void)other;
    *out = (mb_listing){.rows = is.r, .columns = 4, .column = column};
    MB_NEW(x, a, 4 * (size_t)is.r, err);
    out->x = x;
    for (int32_t i = 0; i < is.r; i++, x += 4) {
        x[1] = variance(&p->size, p->par, i);
        x[2] = variance(&q->size, q->par, i);
        x[3] = x[2] / x[1];
    }
    return labels(a, &is, &out->label, err);
}

/* Their intervals are not those of their gammas, which are too narrow (docs/adr, 96 and 103). */
static mb_status summarise(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    static const char *const name[] = {"variance"};
    const spec               is = sketch(&p->size);
    double                  *mean, *sd;

    MB_NEW(mean, a, is.r, err);
    MB_NEW(sd, a, is.r, err);
    *out = (mb_summary){
        .part = "part", .rows = is.r, .columns = 1, .name = name, .mean = mean, .sd = sd};
    for (int32_t i = 0; i < is.r; i++) {
        mean[i] = variance(&p->size, p->par, i);
        sd[i] = (double)NAN;
    }
    return labels(a, &is, &out->label, err);
}

static int32_t variances(const mb_sizes *s, const mb_layout *l, size_t *at)
{
    *at = l->block[1].off;
    return sketch(s).r;
}

const mb_kind mb_kind_structural = {
    .name = "structural",
    .title = "time series of a level, its slope, seasons and inputs",
    .estimator = "StructuralTimeSeries",
    .groups = "always",
    .targets = 1,
    .ahead = 1,
    .algorithm = "sum",
    .algorithm_why = "edge settles for a level alone with 80 rows or more at "
                     "each node; with fewer rows, a slope or a season it takes "
                     "thousands of rounds",
    .state = states,
    .gaps = MB_GAPS_(1),
    .opts = options,
    .opt_size = sizeof(mb_structural_kind),
    .choices = choices,
    .units = units,
    .prior = prior,
    .model = model,
    .fields = fields,
    .derive = derive,
    .own_units = own_units,
    .variances = variances,
    .compare = MB_TABLE_(compare),
    .summary = MB_TABLE_(summarise)};

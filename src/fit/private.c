/* private.c - second moments of clipped rows as whole numbers, noise in them, and the posterior of
 * what then is known. docs/math.md, section 32. */
#include "fit/private.h"
#include "base/rows.h"
#include "expfam/expfam.h"
#include "model/kind.h"
#include "num/num.h"
#include "posterior/posterior.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double SQRT2 = 1.41421356237309504880;
/* Of the noise in units: beside it a row's rounding is nothing, and so is the difference between a
 * sum over whole numbers and an integral. */
enum { SIGMA = 1 << 26, LEAST_SHARE = 1 << 10, MOST_ROWS = 1 << 30 };
/* Units that a row may change at least, times the root of the number of moments: beside it the
 * rounding of rows is 1/64 or less of the noise. */
static const double least_change = 64;
/* Sum over whole numbers, rounding of a double: less than this of mu, and of a rounded number. */
static const double slack = 1.0 / (1 << 20);

size_t mb_privacy_len(const mb_privacy *p)
{
    return mb_svec_len_(p->n);
}

static mb_status check_nodes(const mb_promise *p, mb_err *err)
{
    if (p->nodes != 1 && (p->nodes < MB_PRIVATE_FEWEST || p->nodes > MB_PRIVATE_MOST))
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got a network of %" PRId32 " nodes; expected %d to %d, each of which "
                "masks its sums for all others",
                p->nodes, MB_PRIVATE_FEWEST, MB_PRIVATE_MOST);
    if (p->colluders < 0 || p->colluders >= p->nodes)
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got %" PRId32 " colluders among %" PRId32
                " nodes; expected 0 to %" PRId32,
                p->colluders, p->nodes, p->nodes - 1);
    return MB_OK;
}

static mb_status check(const mb_kind *kind, const mb_sizes *size, const mb_promise *p, mb_err *err)
{
    const double          epsilon = p->epsilon, delta = p->delta;
    const mb_kind *const *k = mb_kind_list();

    while (*k && !(*k)->noisy)
        k++;
    if (!kind->noisy)
        MB_FAIL(err, MB_E_ARG,
                "--privacy: model %s has no intervals that know the noise and contain the truth as "
                "often as they say; expected %s",
                kind->name, *k ? (*k)->name : "another program");
    if (!(epsilon > 0 && epsilon <= MB_EPSILON_MOST))
        MB_FAIL(err, MB_E_ARG, "--privacy: got epsilon %g; expected a number above 0, at most %d",
                epsilon, MB_EPSILON_MOST);
    if (!(delta > 0 && delta < 1))
        MB_FAIL(err, MB_E_ARG, "--privacy: got delta %g; expected a number above 0, below 1",
                delta);
    if (mb_kind_targets(kind, size) != 1 || size->choice[0])
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got %" PRId32 " targets%s; expected one, without a prior that is found",
                mb_kind_targets(kind, size), size->choice[0] ? " with relevance" : "");
    return check_nodes(p, err);
}

mb_status mb_privacy_make(const mb_kind *kind, const mb_sizes *size, const mb_promise *promise,
                          mb_privacy *out, mb_err *err)
{
    mb_privacy p = {.promise = *promise, .constant = size->intercept};
    double     honest, change, rounding;

    MB_TRY(check(kind, size, promise, err));
    p.n = size->D + 1 + size->intercept;
    p.mu = mb_privacy_mu_(promise->epsilon, promise->delta);
    p.sensitivity = SQRT2 * p.n; /* |(1, x, y)|^2 <= n */
    honest = sqrt(promise->nodes - promise->colluders);
    p.share = (int64_t)ceil(SIGMA / honest);
    assert(p.share >= LEAST_SHARE);
    change = p.mu * (1 - slack) * honest * (double)p.share;
    rounding = sqrt((double)mb_privacy_len(&p)) * (1 + slack);
    if (!(change >= least_change * rounding))
        MB_FAIL(err, MB_E_ARG,
                "--privacy: got epsilon %g and delta %g, whose noise hides any number of rows; "
                "expected larger ones",
                promise->epsilon, promise->delta);
    p.unit = p.sensitivity / (change - rounding);
    p.sd = p.unit * (double)p.share * sqrt(promise->nodes);
    *out = p;
    return MB_OK;
}

/* Middle and half of the range; without a constant, which a shift would need, the larger end. */
static void scale_of(const mb_privacy *p, const mb_bounds *b, int32_t d, double *origin,
                     double *scale)
{
    *origin = p->constant ? 0.5 * b->low[d] + 0.5 * b->high[d] : 0;
    *scale =
        p->constant ? 0.5 * b->high[d] - 0.5 * b->low[d] : fmax(fabs(b->low[d]), fabs(b->high[d]));
}

/* A row's (1, x, y), clipped. */
static mb_status clipped(const mb_privacy *p, const mb_rows *rows, int64_t j, const mb_bounds *b,
                         double *z, mb_err *err)
{
    double origin, scale;

    if (p->constant)
        *z++ = 1;
    for (int32_t d = 0; d < b->d; d++, z++) {
        const double x = mb_rows_at(rows, j, d);

        if (isnan(x))
            MB_FAIL(err, MB_E_NUMERIC, "row %" PRId64 ": a value is missing; expected all of them",
                    j + 1);
        scale_of(p, b, d, &origin, &scale);
        *z = (fmin(fmax(x, b->low[d]), b->high[d]) - origin) / scale;
        *z = fmin(fmax(*z, -1), 1);
    }
    return MB_OK;
}

static mb_status check_rows(int64_t rows, mb_err *err)
{
    if (rows > MOST_ROWS)
        MB_FAIL(err, MB_E_ARG, "--privacy: got %" PRId64 " rows; expected at most %d", rows,
                MOST_ROWS);
    return MB_OK;
}

mb_status mb_privacy_sums(mb_arena *a, const mb_privacy *p, const mb_rows *rows,
                          const mb_bounds *bounds, int64_t *sums, mb_err *err)
{
    double *z;

    MB_TRY(check_rows(rows->n, err));
    MB_NEW(z, a, p->n, err);
    memset(sums, 0, mb_privacy_len(p) * sizeof *sums);
    for (int64_t r = 0; r < rows->n; r++) {
        int64_t *to = sums;

        MB_TRY(clipped(p, rows, r, bounds, z, err));
        for (int32_t i = 0; i < p->n; i++)
            for (int32_t j = 0; j <= i; j++)
                *to++ += llrint((i == j ? 1 : SQRT2) * z[i] * z[j] / p->unit);
    }
    return MB_OK;
}

mb_status mb_privacy_add_noise(mb_arena *a, const mb_privacy *p, const mb_entropy *from,
                               int64_t *sums, mb_err *err)
{
    const size_t known = (size_t)p->constant, n = mb_privacy_len(p) - known;
    int64_t     *noise;

    MB_NEW(noise, a, n, err);
    MB_TRY(mb_discrete_gaussian_(from, p->share, n, noise, err));
    for (size_t k = 0; k < n; k++)
        sums[known + k] += noise[k];
    memset(noise, 0, n * sizeof *noise);
    return MB_OK;
}

/* M (n x n): the moments, positive definite. */
static mb_status raise_small(mb_arena *a, const mb_privacy *p, double *M, int32_t *raised,
                             mb_err *err)
{
    const size_t n = (size_t)p->n;
    double      *w, *V, *own;

    MB_NEW(w, a, n, err);
    MB_NEW(V, a, n * n, err);
    MB_NEW(own, a, n * n, err);
    memcpy(own, M, n * n * sizeof *own);
    MB_TRY(mb_eig_sym_(own, p->n, w, V));
    for (*raised = 0; *raised < p->n && w[*raised] < p->sd; ++*raised)
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                M[i * n + j] +=
                    (p->sd - w[*raised]) * V[i * n + (size_t)*raised] * V[j * n + (size_t)*raised];
    return MB_OK;
}

static mb_status units_of(mb_arena *a, const mb_privacy *p, const mb_bounds *b, mb_units *u,
                          mb_err *err)
{
    *u = (mb_units){.d = b->d};
    MB_NEW(u->origin, a, b->d, err);
    MB_NEW(u->scale, a, b->d, err);
    for (int32_t d = 0; d < b->d; d++)
        scale_of(p, b, d, u->origin + d, u->scale + d);
    return MB_OK;
}

/* M (n x n): the moments of sums with noise, positive definite. */
static mb_status noisy_moments(mb_arena *a, const mb_privacy *p, int64_t rows, const int64_t *sums,
                               double *M, int32_t *raised, mb_err *err)
{
    double *svec;

    MB_NEW(svec, a, mb_privacy_len(p), err);
    for (size_t k = 0; k < mb_privacy_len(p); k++)
        svec[k] = (double)sums[k] * p->unit;
    if (p->constant)
        svec[0] = (double)rows;
    mb_unsvec_(svec, p->n, M);
    return raise_small(a, p, M, raised, err);
}

/* The posterior of moments, from their units moved to those of the data. */
static mb_status posterior_of(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                              const mb_noisy *from, const mb_units *u, mb_posterior *out,
                              mb_err *err)
{
    mb_model m;
    double  *par, *prior;

    MB_TRY(mb_kind_model(a, kind, size, &m, err));
    MB_NEW(par, a, m.layout.len, err);
    MB_NEW(prior, a, m.layout.len, err);
    MB_TRY(kind->noisy(a, size, from, par, prior, err));
    if (u) { /* else they are the same */
        mb_move_par(&m.layout, u->origin, u->scale, par);
        mb_move_par(&m.layout, u->origin, u->scale, prior);
    }
    MB_TRY(mb_posterior_make(a, kind, size, par, out, err));
    out->prior_par = prior;
    return MB_OK;
}

mb_status mb_privacy_posterior(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                               const mb_privacy *p, const mb_bounds *bounds, int64_t rows,
                               const int64_t *sums, mb_posterior *out, int32_t *raised, mb_err *err)
{
    mb_units u;
    double  *M;

    MB_NEW(M, a, (size_t)p->n * (size_t)p->n, err);
    MB_TRY(noisy_moments(a, p, rows, sums, M, raised, err));
    MB_TRY(units_of(a, p, bounds, &u, err));
    return posterior_of(a, kind, size, &(mb_noisy){.rows = rows, .moments = M, .sd = p->sd}, &u,
                        out, err);
}

/* Moments of rows that are as mb_privacy_foresee says. */
static void expected(const mb_privacy *p, int64_t rows, double spread, double r2, double *M)
{
    const int32_t first = p->constant, last = p->n - 1;
    const size_t  n = (size_t)p->n;
    const double  square = (double)rows * spread * spread;

    memset(M, 0, n * n * sizeof *M);
    for (size_t i = 0; i < n; i++)
        M[i * n + i] = first && !i ? (double)rows : square;
    for (int32_t i = first; i < last; i++)
        M[(size_t)i * n + (size_t)last] = M[(size_t)last * n + (size_t)i] =
            square * sqrt(r2 / (last - first));
}

/* *sd of the last coefficient. */
static mb_status sd_of_last(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                            const mb_noisy *from, double *sd, mb_err *err)
{
    mb_posterior p;
    mb_summary   u;

    MB_TRY(posterior_of(a, kind, size, from, NULL, &p, err));
    MB_TRY(mb_posterior_summary(a, &p, &u, err));
    *sd = u.sd[u.rows - 1];
    return MB_OK;
}

mb_status mb_privacy_foresee(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                             const mb_privacy *p, int64_t rows, double spread, double r2,
                             mb_foreseen *out, mb_err *err)
{
    mb_noisy from = {.rows = rows};
    double  *M;

    MB_TRY(check_rows(rows, err));
    MB_NEW(M, a, (size_t)p->n * (size_t)p->n, err);
    expected(p, rows, spread, r2, M);
    from.moments = M;
    MB_TRY(sd_of_last(a, kind, size, &from, &out->without, err));
    MB_TRY(raise_small(a, p, M, &out->raised, err));
    from.sd = p->sd;
    return sd_of_last(a, kind, size, &from, &out->with, err);
}

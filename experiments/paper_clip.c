/* paper_clip.c - a model whose local step accepts covariances that are not positive definite, as
 * the first author's program does before every local step of dVB-ADMM: it works on a copy of phi,
 * and phi itself is unchanged. That program raises every eigenvalue of W^-1 below 1e-5 to 1e-5 and,
 * by a mistake, every entry beside the diagonal in the eigenvectors' basis, too: with m >= 2 raised
 * eigenvalues m - 1 of the result are 0 up to rounding. This is repeated until a Cholesky
 * factorisation succeeds, at most TRIES times; then the whole run is restarted. The local step adds
 * 1e-8 to the diagonal. The paper's text projects phi itself, eq. (38b). */
#include "data/eigen.h"
#include "expfam/expfam.h"
#include "num/num.h"
#include "paper_run.h"

#include <string.h>

#define LEAST 1e-5
#define NUDGE 1e-8
enum { TRIES = 10 };

/* M (D+1 x D+1, lower triangle by rows) of a component's slice: phi holds (nu-D)/2, svec(-M/2). */
static void unpack(int32_t D, const double *slice, double *M)
{
    const double *v = slice + 1;

    for (int32_t i = 0; i <= D; i++)
        for (int32_t j = 0; j <= i; j++)
            M[i * (D + 1) + j] = *v++ * (i == j ? -2 : -sqrt(2.0));
}

static void pack(int32_t D, const double *M, double *slice)
{
    double *v = slice + 1;

    for (int32_t i = 0; i <= D; i++)
        for (int32_t j = 0; j <= i; j++)
            *v++ = M[i * (D + 1) + j] / (i == j ? -2 : -sqrt(2.0));
}

/* W := U max(1e-5, S) U' as that program computes it. */
static mb_status lift_once(mb_arena *a, int32_t D, double *W, mb_err *err)
{
    double *values, *V, *T;

    MB_NEW(values, a, D, err);
    MB_NEW(V, a, D * D, err);
    MB_NEW(T, a, D * D, err);
    MB_TRY(eigen_symmetric(a, D, W, D, values, V, err));
    for (int32_t k = 0; k < D; k++)
        for (int32_t i = 0; i < D; i++)
            for (int32_t l = 0; l < D; l++)
                T[k * D + i] += (l == k ? fmax(values[k], LEAST) : LEAST) * V[l * D + i];
    memset(W, 0, (size_t)(D * D) * sizeof *W);
    for (int32_t k = 0; k < D; k++)
        for (int32_t i = 0; i < D; i++)
            for (int32_t j = 0; j < D; j++)
                W[i * D + j] += V[k * D + i] * T[k * D + j];
    return MB_OK;
}

/* Until W^-1 of one component has a Cholesky factor; MB_E_DOMAIN: it has none. */
static mb_status lift(mb_arena *a, int32_t D, double *slice, mb_err *err)
{
    const int32_t n = D + 1;
    double       *M, *W, *C, *Cinv;
    int           tries = 0;

    MB_NEW(M, a, n * n, err);
    MB_NEW(W, a, D * D, err);
    MB_NEW(C, a, D * D, err);
    MB_NEW(Cinv, a, D * D, err);
    unpack(D, slice, M);
    if (!(M[0] > 0) || !(2 * slice[0] + D > D - 1))
        MB_FAIL(err, MB_E_DOMAIN, "beta or nu is outside the domain");
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j < D; j++)
            W[i * D + j] = M[(i > j ? i + 1 : j + 1) * n + (i > j ? j : i) + 1] -
                           M[(i + 1) * n] * M[(j + 1) * n] / M[0];
    while (mb_cholesky(D, W, C, Cinv, NULL) < 0)
        if (tries++ == TRIES)
            MB_FAIL(err, MB_E_DOMAIN, "W^-1 stays singular");
        else
            MB_TRY(lift_once(a, D, W, err));
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++)
            M[(i + 1) * n + j + 1] =
                W[i * D + j] + (i == j ? NUDGE : 0) + M[(i + 1) * n] * M[(j + 1) * n] / M[0];
    pack(D, M, slice);
    return MB_OK;
}

/* phi, into copy. */
static mb_status inside(const mb_model *base, const double *phi, double *copy, mb_err *err)
{
    const mb_layout *l = &base->layout;
    const mb_block  *b = mb_layout_find(l, &mb_normal_wishart);
    mb_arena        *a = mb_arena_new(1 << 16);
    mb_status        st = MB_OK;

    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for eigenvalues");
    memcpy(copy, phi, l->len * sizeof *phi);
    for (int32_t k = 0; k < b->count && st >= 0; k++)
        st = lift(a, b->dim, copy + b->off + (size_t)k * b->len, err);
    mb_arena_free(a);
    return st;
}

static mb_status stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                       double *logz, double *scratch, mb_err *err)
{
    const mb_model *b = m->spec;
    double         *rest = scratch + b->layout.len;
    mb_status       st = b->ops->stats(b, phi, rows, s, logz, rest, err);

    if (st != MB_E_DOMAIN)
        return st;
    MB_TRY(inside(b, phi, scratch, err));
    return b->ops->stats(b, scratch, rows, s, logz, rest, err);
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const mb_model *b = m->spec;
    double         *rest = scratch + b->layout.len;
    mb_status       st = b->ops->predict(b, phi, rows, want, out, rest, err);

    if (st != MB_E_DOMAIN)
        return st;
    MB_TRY(inside(b, phi, scratch, err));
    return b->ops->predict(b, scratch, rows, want, out, rest, err);
}

void paper_clip(const mb_model *base, mb_model *out)
{
    static const mb_model_ops ops = {.name = "clip", .stats = stats, .predict = predict};

    *out = *base;
    out->ops = &ops;
    out->spec = base;
    out->scratch = base->layout.len + base->scratch;
}

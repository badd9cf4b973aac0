/* paper_clip.c - a model whose local step bears covariances that are not positive definite: it works
 * on a copy of phi with the smallest eigenvalue of W^-1 lifted to 1e-5, and phi itself stays. The first
 * author's program does this to a node before every local step of dVB-ADMM, and starts the whole run again
 * when the result does not pass a Cholesky factorisation. There rounding decides, the more likely
 * against it the more eigenvalues were lifted; more than MOST not positive stands for it here. The
 * paper's text projects phi itself, eq. (38b). */
#include "paper_run.h"

#include <string.h>

#define LEAST 1e-5
enum { MOST = 4 };

typedef struct clip {
    const mb_model *base;
} clip;

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

/* Lifts the eigenvalues of W^-1 = M - beta m m' of one component. */
static mb_status lift(mb_arena *a, int32_t D, double *slice, mb_err *err)
{
    const int32_t n = D + 1;
    double       *M, *W, *values, *V;
    int32_t       below = 0;

    MB_NEW(M, a, n * n, err);
    MB_NEW(W, a, D * D, err);
    MB_NEW(values, a, D, err);
    MB_NEW(V, a, D * D, err);
    unpack(D, slice, M);
    if (!(M[0] > 0) || !(2 * slice[0] + D > D - 1))
        MB_FAIL(err, MB_E_DOMAIN, "beta or nu is outside the domain");
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++)
            W[i * D + j] = M[(i + 1) * n + j + 1] - M[(i + 1) * n] * M[(j + 1) * n] / M[0];
    MB_TRY(mb_eigen(a, D, W, D, values, V, err));
    for (int32_t k = 0; k < D; k++)
        below += values[k] <= 0;
    if (below > MOST)
        MB_FAIL(err, MB_E_DOMAIN, "%d eigenvalues of W^-1 are not positive", below);
    for (int32_t k = 0; k < D; k++)
        for (int32_t i = 0; i < D && values[k] < LEAST; i++)
            for (int32_t j = 0; j <= i; j++)
                M[(i + 1) * n + j + 1] += (LEAST - values[k]) * V[k * D + i] * V[k * D + j];
    pack(D, M, slice);
    return MB_OK;
}

static mb_status inside(const clip *c, const double *phi, double *copy, mb_err *err)
{
    const mb_layout *l = &c->base->layout;
    const mb_block  *b = &l->block[1];
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
    const clip     *c = m->spec;
    const mb_model *b = c->base;
    double         *rest = scratch + b->layout.len;
    mb_status       st = b->ops->stats(b, phi, rows, s, logz, rest, err);

    if (st != MB_E_DOMAIN)
        return st;
    MB_TRY(inside(c, phi, scratch, err));
    return b->ops->stats(b, scratch, rows, s, logz, rest, err);
}

static mb_status seed_stats(const mb_model *m, const mb_rows *rows, const double *resp, double *s,
                            double *scratch, mb_err *err)
{
    const clip *c = m->spec;

    return c->base->ops->seed_stats(c->base, rows, resp, s, scratch, err);
}

static mb_status predict(const mb_model *m, const double *phi, const mb_rows *rows, mb_want want,
                         double *out, double *scratch, mb_err *err)
{
    const clip     *c = m->spec;
    const mb_model *b = c->base;
    double         *rest = scratch + b->layout.len;
    mb_status       st = b->ops->predict(b, phi, rows, want, out, rest, err);

    if (st != MB_E_DOMAIN)
        return st;
    MB_TRY(inside(c, phi, scratch, err));
    return b->ops->predict(b, scratch, rows, want, out, rest, err);
}

mb_status paper_clip(mb_arena *a, const mb_model *base, mb_model *out, mb_err *err)
{
    static const mb_model_ops ops = {
        .name = "gmm", .stats = stats, .seed_stats = seed_stats, .predict = predict};
    clip *c;

    MB_NEW(c, a, 1, err);
    c->base = base;
    *out = *base;
    out->ops = &ops;
    out->spec = c;
    out->scratch = base->layout.len + base->scratch;
    return MB_OK;
}

/* gaussian.c - p(w) = N(w | m, P^-1), the coefficients of one linear predictor w'x or of several.
 *
 * phi = [P m, svec(-P/2)] belongs to u = [w, svec(w w')]; A = 1/2 m' P m - 1/2 ln |P|, the constant
 * of 2 pi belongs to the base measure. From the last entry of P m on phi is a matrix form of the size
 * of w: one number and svec(-P/2). Predictors differ from a single one in their units alone. */
#include "expfam/gaussian.h"
#include "expfam/matrix_form.h"
#include "meshbayes/extend.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

static const double SQRT_HALF = 0.70710678118654752440;

/* Coefficients of each predictor, and of all. */
static int32_t each(int32_t dim)
{
    return dim % MB_TARGETS_STEP;
}

static int32_t all(int32_t dim)
{
    return each(dim) * (1 + dim / MB_TARGETS_STEP);
}

static size_t len(int32_t dim)
{
    return (size_t)all(dim) + mb_svec_len_(all(dim));
}

static size_t scratch_len(int32_t dim)
{
    return mb_mf_scratch_(all(dim) - 1) + 2 * (size_t)all(dim);
}

static int head_finite(int32_t p, const double *phi)
{
    for (int32_t i = 0; i < p; i++)
        if (!isfinite(phi[i]))
            return 0;
    return 1;
}

/* A product that is not finite is found by its caller. */
mb_status mb_gaussian_factor_(int32_t p, const double *phi, double *L, double *m)
{
    if (!head_finite(p, phi))
        return MB_E_DOMAIN;
    MB_TRY(mb_mf_factor_(p - 1, phi + p - 1, L));
    memcpy(m, phi, (size_t)p * sizeof *m);
    mb_chol_forward_(L, p, m);
    mb_chol_backward_(L, p, m);
    return MB_OK;
}

static mb_status moments(int32_t dim, const double *phi, double *mu, double *A, double *scratch)
{
    const int32_t p = all(dim);
    const size_t  n = (size_t)p;
    double       *m = scratch + mb_mf_scratch_(p - 1);

    MB_TRY(mb_gaussian_factor_(p, phi, scratch, m));
    if (A) {
        *A = -mb_log_product_(scratch, n + 1, p);
        for (size_t i = 0; i < n; i++)
            *A += 0.5 * phi[i] * m[i];
    }
    if (!mu)
        return MB_OK;
    mb_mf_mean_(p - 1, scratch, 1, 1, 1, mu + p - 1); /* svec(P^-1) */
    memcpy(mu, m, n * sizeof *mu);
    mu += n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            *mu++ += (i == j ? 1 : 1 / SQRT_HALF) * m[i] * m[j];
    return MB_OK;
}

static mb_status project(int32_t dim, double eps, double *phi, double *dist2, double *scratch)
{
    const int32_t p = all(dim);

    *dist2 = 0;
    if (!head_finite(p, phi))
        return MB_E_NUMERIC;
    return mb_mf_project_(p - 1, -(double)INFINITY, eps, phi + p - 1, dist2, scratch);
}

static mb_status margin(int32_t dim, const double *prior, double *eps, double *scratch)
{
    const int32_t p = all(dim);

    MB_TRY(mb_gaussian_factor_(p, prior, scratch, scratch + mb_mf_scratch_(p - 1)));
    return mb_mf_margin_(p - 1, prior + p - 1, eps, scratch);
}

/* P is not factorised here: one that is not positive definite is found by moments. */
static mb_status from_par(int32_t dim, const double *par, double *phi)
{
    const int32_t p = all(dim);
    const double *P = par + p;
    double       *v = phi + p;

    for (int32_t i = 0; i < p; i++) {
        phi[i] = 0;
        for (int32_t j = 0; j < p; j++)
            phi[i] += P[mb_packed_at_(i, j)] * par[j];
        for (int32_t j = 0; j <= i; j++)
            *v++ = (i == j ? -0.5 : -SQRT_HALF) * P[mb_packed_at_(i, j)];
    }
    return head_finite((int32_t)len(dim), phi) ? MB_OK : MB_E_DOMAIN;
}

static mb_status to_par(int32_t dim, const double *phi, double *par, double *scratch)
{
    const int32_t p = all(dim);
    const double *v = phi + p;
    double       *P = par + p;

    MB_TRY(mb_gaussian_factor_(p, phi, scratch, par));
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j <= i; j++)
            *P++ = (i == j ? -2 : -1 / SQRT_HALF) * *v++;
    return MB_OK;
}

/* Block (c, d) of the lower triangle of P, c >= d, becomes T P_cd T' with T = [1, 0; o, diag(s)];
 * from the last entry to the first, as mb_mf_move_. */
static void move_block(int32_t p, int32_t c, int32_t d, const double *origin, const double *scale,
                       double *P)
{
    const int32_t first = c * p, top = d * p;

    for (int32_t i = p - 1; i >= 0; i--)
        for (int32_t j = c == d ? i : p - 1; j >= 0; j--) {
            const double oi = i ? origin[i - 1] : 0, oj = j ? origin[j - 1] : 0;
            const double si = i ? scale[i - 1] : 1, sj = j ? scale[j - 1] : 1;
            const double right =
                oj * P[mb_packed_at_(first + i, top)] + sj * P[mb_packed_at_(first + i, top + j)];
            const double corner =
                oj * P[mb_packed_at_(first, top)] + sj * P[mb_packed_at_(first, top + j)];

            P[mb_packed_at_(first + i, top + j)] = i ? oi * corner + si * right : right;
        }
}
/* P or -P/2, its lower triangle by rows, of all predictors. */
static void move_matrix(int32_t dim, const double *origin, const double *scale, double *P)
{
    const int32_t p = each(dim), T = all(dim) / p;

    for (int32_t c = 0; c < T; c++)
        for (int32_t d = 0; d <= c; d++)
            move_block(p, c, d, origin, scale, P);
}

/* Inputs o + s x: w_j = w'_j / s_j, and w_0 takes up the origins. */
static void move_par(int32_t dim, const double *origin, const double *scale, double *par)
{
    const int32_t p = each(dim), q = all(dim);

    for (double *w = par; w < par + q; w += p)
        for (int32_t j = 1; j < p; j++) {
            w[j] /= scale[j - 1];
            w[0] -= origin[j - 1] * w[j];
        }
    move_matrix(dim, origin, scale, par + q);
}

static void move_par_origin(int32_t dim, const double *origin, const double *scale, double *par)
{
    const int32_t p = each(dim), q = all(dim);
    double       *P = par + q;

    (void)origin;
    for (int32_t i = 0; i < q; i++) {
        par[i] /= scale[i % p];
        for (int32_t j = 0; j <= i; j++)
            *P++ *= scale[i % p] * scale[j % p];
    }
}

/* A target o + s y: all coefficients become s times as large, and the intercept takes up o. */
static void move_target(int32_t dim, double origin, double scale, double *par)
{
    for (int32_t i = 0; i < dim; i++)
        par[i] *= scale;
    par[0] += origin;
    for (size_t e = (size_t)dim; e < len(dim); e++)
        par[e] /= scale * scale;
}

static void move_par_target(int32_t dim, const double *origin, const double *scale, double *par)
{
    move_par(dim, origin, scale, par);
    move_target(dim, origin[dim - 1], scale[dim - 1], par);
}

static void move_par_target_origin(int32_t dim, const double *origin, const double *scale,
                                   double *par)
{
    move_par_origin(dim, origin, scale, par);
    move_target(dim, 0, scale[dim], par);
}

static size_t paper_len(int32_t dim)
{
    const size_t q = (size_t)all(dim);

    return q + q * q;
}

/* P m, -P/2; after the same change of columns T P m, T (-P/2) T'. */
static void to_paper(int32_t dim, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch)
{
    const int32_t p = each(dim), q = all(dim);
    const double *v = phi + q;
    double       *P = scratch;

    memcpy(out, phi, (size_t)q * sizeof *out);
    for (int32_t i = 0; origin && i < q; i++)
        if (i % p)
            out[i] = origin[i % p - 1] * phi[i - i % p] + scale[i % p - 1] * phi[i];
    for (int32_t i = 0; i < q; i++)
        for (int32_t j = 0; j <= i; j++, v++)
            P[mb_packed_at_(i, j)] = i == j ? *v : SQRT_HALF * *v;
    if (origin)
        move_matrix(dim, origin, scale, P);
    out += q;
    for (int32_t i = 0; i < q; i++)
        for (int32_t j = 0; j < q; j++)
            *out++ = P[mb_packed_at_(i, j)];
}

static void to_paper_origin(int32_t dim, const double *phi, const double *origin,
                            const double *scale, double *out, double *scratch)
{
    const size_t p = (size_t)each(dim), q = (size_t)all(dim);

    (void)origin, (void)scratch;
    memcpy(out, phi, q * sizeof *out);
    mb_unsvec_(phi + q, (int32_t)q, out + q);
    for (size_t e = 0; scale && e < q; e++)
        out[e] *= scale[e % p];
    for (size_t e = 0; scale && e < q * q; e++)
        out[q + e] *= scale[e / q % p] * scale[e % q % p];
}

/* P m / s + o P e_0 / s^2 and P / s^2; out: to_paper of the inputs alone, q = dim. */
static void paper_target(int32_t dim, double origin, double scale, double *out)
{
    const size_t q = (size_t)dim;

    for (size_t e = q; e < q + q * q; e++)
        out[e] /= scale * scale;
    for (size_t i = 0; i < q; i++)
        out[i] = out[i] / scale - 2 * origin * out[q + i];
}

static void to_paper_target(int32_t dim, const double *phi, const double *origin,
                            const double *scale, double *out, double *scratch)
{
    to_paper(dim, phi, origin, scale, out, scratch);
    if (scale)
        paper_target(dim, origin[dim - 1], scale[dim - 1], out);
}

static void to_paper_target_origin(int32_t dim, const double *phi, const double *origin,
                                   const double *scale, double *out, double *scratch)
{
    to_paper_origin(dim, phi, origin, scale, out, scratch);
    if (scale)
        paper_target(dim, 0, scale[dim], out);
}

static size_t draw_len(int32_t dim)
{
    return (size_t)all(dim);
}

/* w = m + C^-T z with P = C C'. */
static mb_status draw(int32_t dim, const double *par, mb_rng *rng, double *out, double *scratch)
{
    const int32_t p = all(dim);

    if (mb_chol_packed_(par + p, p, scratch) != 0)
        return MB_E_DOMAIN;
    for (int32_t i = 0; i < p; i++)
        out[i] = mb_rng_normal(rng);
    mb_chol_backward_(scratch, p, out);
    for (int32_t i = 0; i < p; i++)
        out[i] += par[i];
    return MB_OK;
}

/* The members that do not depend on whether there is an intercept. */
#define COMMON                                                                                     \
    .len = len, .scratch = scratch_len, .moments = moments, .project = project, .margin = margin,  \
    .from_par = from_par, .to_par = to_par, .paper_len = paper_len, .draw_len = draw_len,          \
    .draw = draw

const mb_family mb_gaussian = {
    .name = "gaussian.1",
    COMMON,
    .move_par = move_par,
    .to_paper = to_paper,
};

const mb_family mb_gaussian_origin = {
    .name = "gaussian-origin.1",
    COMMON,
    .move_par = move_par_origin,
    .to_paper = to_paper_origin,
};

const mb_family mb_gaussian_target = {
    .name = "gaussian-target.1",
    COMMON,
    .move_par = move_par_target,
    .to_paper = to_paper_target,
};

const mb_family mb_gaussian_target_origin = {
    .name = "gaussian-target-origin.1",
    COMMON,
    .move_par = move_par_target_origin,
    .to_paper = to_paper_target_origin,
};

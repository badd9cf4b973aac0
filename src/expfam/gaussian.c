/* gaussian.c - p(w) = N(w | m, P^-1), p coefficients of a linear predictor w'x.
 *
 * phi = [P m, svec(-P/2)] belongs to u = [w, svec(w w')]; A = 1/2 m' P m - 1/2 ln |P|, the constant
 * (2 pi)^(-p/2) belongs to the base measure. From the last entry of P m on phi is a matrix form of
 * size p: one number and svec(-P/2). */
#include "expfam/gaussian.h"
#include "expfam/matrix_form.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

static const double SQRT_HALF = 0.70710678118654752440;

static size_t len(int32_t p)
{
    return (size_t)p + mb_svec_len_(p);
}

static size_t scratch_len(int32_t p)
{
    return mb_mf_scratch_(p - 1) + 2 * (size_t)p;
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

static mb_status moments(int32_t p, const double *phi, double *mu, double *A, double *scratch)
{
    const size_t n = (size_t)p;
    double      *m = scratch + mb_mf_scratch_(p - 1);

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

static mb_status project(int32_t p, double eps, double *phi, double *dist2, double *scratch)
{
    *dist2 = 0;
    if (!head_finite(p, phi))
        return MB_E_NUMERIC;
    return mb_mf_project_(p - 1, -(double)INFINITY, eps, phi + p - 1, dist2, scratch);
}

static mb_status margin(int32_t p, const double *prior, double *eps, double *scratch)
{
    MB_TRY(mb_gaussian_factor_(p, prior, scratch, scratch + mb_mf_scratch_(p - 1)));
    return mb_mf_margin_(p - 1, prior + p - 1, eps, scratch);
}

/* P is not factorised here: one that is not positive definite is found by moments. */
static mb_status from_par(int32_t p, const double *par, double *phi)
{
    const double *P = par + p;
    double       *v = phi + p;

    for (int32_t i = 0; i < p; i++) {
        phi[i] = 0;
        for (int32_t j = 0; j < p; j++)
            phi[i] += P[mb_packed_at_(i, j)] * par[j];
        for (int32_t j = 0; j <= i; j++)
            *v++ = (i == j ? -0.5 : -SQRT_HALF) * P[mb_packed_at_(i, j)];
    }
    return head_finite((int32_t)len(p), phi) ? MB_OK : MB_E_DOMAIN;
}

static mb_status to_par(int32_t p, const double *phi, double *par, double *scratch)
{
    const double *v = phi + p;
    double       *P = par + p;

    MB_TRY(mb_gaussian_factor_(p, phi, scratch, par));
    for (int32_t i = 0; i < p; i++)
        for (int32_t j = 0; j <= i; j++)
            *P++ = (i == j ? -2 : -1 / SQRT_HALF) * *v++;
    return MB_OK;
}

/* Inputs o + s x: w_j = w'_j / s_j, w_0 takes up the origins, and with T = [1, 0; o, diag(s)] the
 * precision becomes T P T'. */
static void move_par(int32_t p, const double *origin, const double *scale, double *par)
{
    for (int32_t j = 1; j < p; j++) {
        par[j] /= scale[j - 1];
        par[0] -= origin[j - 1] * par[j];
    }
    mb_mf_move_(p - 1, 0, origin, scale, par + p);
}

static void move_par_origin(int32_t p, const double *origin, const double *scale, double *par)
{
    double *P = par + p;

    (void)origin;
    for (int32_t i = 0; i < p; i++) {
        par[i] /= scale[i];
        for (int32_t j = 0; j <= i; j++)
            *P++ *= scale[i] * scale[j];
    }
}

static size_t paper_len(int32_t p)
{
    return (size_t)p + (size_t)p * (size_t)p;
}

/* P m, -P/2; after the same change of columns T P m, T (-P/2) T'. */
static void to_paper(int32_t p, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch)
{
    const size_t n = (size_t)p;

    (void)scratch;
    memcpy(out, phi, n * sizeof *out);
    mb_unsvec_(phi + n, p, out + n);
    for (size_t j = 1; origin && j < n; j++)
        out[j] = origin[j - 1] * phi[0] + scale[j - 1] * phi[j];
    out += n;
    if (origin)
        mb_mf_move_(p - 1, n, origin, scale, out);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            out[j * n + i] = out[i * n + j];
}

static void to_paper_origin(int32_t p, const double *phi, const double *origin, const double *scale,
                            double *out, double *scratch)
{
    const size_t n = (size_t)p;

    (void)origin, (void)scratch;
    memcpy(out, phi, n * sizeof *out);
    mb_unsvec_(phi + n, p, out + n);
    for (size_t e = 0; scale && e < n; e++)
        out[e] *= scale[e];
    for (size_t e = 0; scale && e < n * n; e++)
        out[n + e] *= scale[e / n] * scale[e % n];
}

static size_t draw_len(int32_t p)
{
    return (size_t)p;
}

/* w = m + C^-T z with P = C C'. */
static mb_status draw(int32_t p, const double *par, mb_rng *rng, double *out, double *scratch)
{
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

/* normal_gamma.c - p(w, tau) = N(w | m, (tau Lambda)^-1) Gamma(tau | a, rate b), p coefficients.
 *
 * phi = [a-1+p/2, svec(-M/2)] belongs to u = [ln tau, svec(tau v v')], v = (w, -1), so that a row's
 * likelihood is 1/2 ln tau - 1/2 tau (v'z)^2, z = (x, y). Then
 *     A = -1/2 ln |Lambda| - a ln b + ln Gamma(a);
 * the constant (2 pi)^(-p/2) belongs to the base measure.
 *
 * A prior may have any a down to -p/2, where phi[0] = -1: its posterior has n - p degrees of freedom,
 * those of least squares. It is improper, and its A by convention lacks ln Gamma(a): with a = -p/2
 * and b = Lambda_ii = any small number in the same units that is the A of the density
 * (2 pi)^(-p/2)/tau there (docs/math.md, section 10). */
#include "expfam/normal_gamma.h"
#include "base/accelerate.h"
#include "expfam/matrix_form.h"
#include "meshbayes/extend.h"
#include "num/num.h"

#include <float.h>
#include <math.h>

static const double SQRT_HALF = 0.70710678118654752440;

double mb_ng_a_(int32_t p, const double *phi)
{
    return phi[0] + 1 - p / 2.0;
}

mb_status mb_ng_factor_(int32_t p, const double *phi, double *L)
{
    if (!(mb_ng_a_(p, phi) > 0))
        return MB_E_DOMAIN;
    return mb_mf_factor_(p, phi, L);
}

static double last(int32_t p, const double *L)
{
    const size_t n = (size_t)p + 1;

    return L[n * n - 1];
}

double mb_ng_b_(int32_t p, const double *L)
{
    return 0.5 * last(p, L) * last(p, L);
}

double mb_ng_e_log_(int32_t p, const double *phi, const double *L)
{
    return mb_digamma_(mb_ng_a_(p, phi)) - log(mb_ng_b_(p, L));
}

/* L'v = -sqrt(2b) e_p. */
void mb_ng_mean_(int32_t p, const double *L, double *v)
{
    for (int32_t i = 0; i < p; i++)
        v[i] = 0;
    v[p] = -last(p, L);
    mb_chol_backward_(L, p + 1, v);
}

/* The last row of L^-1 is -(m, -1)/sqrt(2b), the others give Lambda^-1:
 * E[tau v v'] = [Lambda^-1, 0; 0, 0] + a/b (m, -1)(m, -1)' = L^-T diag(1, .., 1, 2a) L^-1. */
static mb_status moments(int32_t p, const double *phi, double *mu, double *A, double *scratch)
{
    const double  a = mb_ng_a_(p, phi);
    const double *L = scratch;

    MB_TRY(mb_ng_factor_(p, phi, scratch));
    if (A)
        *A = mb_lgamma_(a) - a * log(mb_ng_b_(p, L)) - mb_log_product_(L, (size_t)p + 2, p);
    if (mu) {
        mu[0] = mb_ng_e_log_(p, phi, L);
        mb_mf_mean_(p, scratch, 1, 1, 2 * a, mu);
    }
    return MB_OK;
}

static mb_status project(int32_t p, double eps, double *phi, double *dist2, double *scratch)
{
    const double low = p / 2.0 - 1 + fmax(eps, 4 * p * DBL_EPSILON);

    return mb_mf_project_(p, low, eps, phi, dist2, scratch);
}

mb_status mb_ng_prior_shape_(const double *prior)
{
    return prior[0] >= -1 && isfinite(prior[0]) ? MB_OK : MB_E_DOMAIN;
}

static mb_status improper(int32_t p, const double *prior, double *A, double *scratch)
{
    MB_TRY(mb_ng_prior_shape_(prior));
    MB_TRY(mb_mf_factor_(p, prior, scratch));
    *A = -mb_ng_a_(p, prior) * log(mb_ng_b_(p, scratch)) -
         mb_log_product_(scratch, (size_t)p + 2, p);
    return MB_OK;
}

double mb_ng_margin_(int32_t p, const double *prior)
{
    const double a = mb_ng_a_(p, prior);

    return a > 0 ? MB_MF_MARGIN * a : (double)INFINITY;
}

static mb_status margin(int32_t p, const double *prior, double *eps, double *scratch)
{
    MB_TRY(mb_ng_prior_shape_(prior));
    MB_TRY(mb_mf_factor_(p, prior, scratch));
    MB_TRY(mb_mf_margin_(p, prior, eps, scratch));
    *eps = fmin(*eps, mb_ng_margin_(p, prior));
    return MB_OK;
}

/* Lambda is not factorised here: one that is not positive definite is found by moments, as is an
 * a that only an improper prior has. */
static mb_status from_par(int32_t p, const double *par, double *phi)
{
    const double *m = par + 2, *Lambda = par + 2 + p;
    double       *v = phi + 1, corner = 2 * par[1];

    phi[0] = par[0] - 1 + p / 2.0;
    if (mb_ng_prior_shape_(phi) < 0 || !(par[1] > 0))
        return MB_E_DOMAIN;
    for (int32_t i = 0; i < p; i++) {
        for (int32_t j = 0; j < i; j++)
            *v++ = -SQRT_HALF * Lambda[mb_packed_at_(i, j)];
        *v++ = -0.5 * Lambda[mb_packed_at_(i, i)];
    }
    for (int32_t i = 0; i < p; i++) {
        double sum = 0;

        for (int32_t j = 0; j < p; j++)
            sum += Lambda[mb_packed_at_(i, j)] * m[j];
        *v++ = -SQRT_HALF * sum;
        corner += m[i] * sum;
    }
    *v = -0.5 * corner;
    return mb_mf_finite_(p, phi) ? MB_OK : MB_E_DOMAIN;
}

static mb_status to_par(int32_t p, const double *phi, double *par, double *scratch)
{
    const size_t n = (size_t)p + 1;
    double      *L = scratch, *M = scratch + n * n, *Lambda = par + 2 + p;

    MB_TRY(mb_ng_factor_(p, phi, L));
    par[0] = mb_ng_a_(p, phi);
    par[1] = mb_ng_b_(p, L);
    mb_ng_mean_(p, L, par + 2); /* the -1 after m is overwritten */
    mb_mf_matrix_(p, phi, M);
    for (size_t i = 0; i + 1 < n; i++)
        for (size_t j = 0; j <= i; j++)
            *Lambda++ = M[i * n + j];
    return MB_OK;
}

/* Columns o + s x, target o_y + s_y y: w_j = s_y w_j / s_j, w_0 takes up the origins, and with
 * T = [1, 0; o, diag(s)] of the inputs Lambda becomes T Lambda T', b grows by s_y^2. */
static void move_par(int32_t p, const double *origin, const double *scale, double *par)
{
    const double unit = scale[p - 1];
    double      *m = par + 2;

    par[1] *= unit * unit;
    m[0] = origin[p - 1] + unit * m[0];
    for (int32_t j = 1; j < p; j++) {
        m[j] *= unit / scale[j - 1];
        m[0] -= origin[j - 1] * m[j];
    }
    mb_mf_move_(p - 1, 0, origin, scale, par + 2 + p);
}

static void move_par_origin(int32_t p, const double *origin, const double *scale, double *par)
{
    double *m = par + 2, *Lambda = par + 2 + p;

    (void)origin;
    par[1] *= scale[p] * scale[p];
    for (int32_t i = 0; i < p; i++)
        m[i] *= scale[p] / scale[i];
    mb_mf_scale_(p, scale, Lambda);
}

static void move_par_latent(int32_t p, const double *origin, const double *scale, double *par)
{
    par[1] *= *scale * *scale;
    for (int32_t i = 0; i < p; i++)
        par[2 + i] *= *scale;
    par[2] += *origin;
}

static size_t paper_len(int32_t p)
{
    return 1 + ((size_t)p + 1) * ((size_t)p + 1);
}

/* a-1+p/2, -M/2. */
static void to_paper(int32_t p, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch)
{
    const size_t n = (size_t)p + 1;

    (void)scratch;
    *out++ = phi[0];
    mb_unsvec_(phi + 1, p + 1, out);
    if (origin)
        mb_mf_move_(p, n, origin, scale, out);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            out[j * n + i] = out[i * n + j];
}

static void to_paper_origin(int32_t p, const double *phi, const double *origin, const double *scale,
                            double *out, double *scratch)
{
    const size_t n = (size_t)p + 1;

    (void)origin, (void)scratch;
    *out++ = phi[0];
    mb_unsvec_(phi + 1, p + 1, out);
    for (size_t e = 0; scale && e < n * n; e++)
        out[e] *= scale[e / n] * scale[e % n];
}

/* The last row of M becomes o times the first plus s times itself. */
static void to_paper_latent(int32_t p, const double *phi, const double *origin, const double *scale,
                            double *out, double *scratch)
{
    const size_t n = (size_t)p + 1, last = n * n - n;

    (void)scratch;
    *out++ = phi[0];
    mb_unsvec_(phi + 1, p + 1, out);
    for (size_t i = 0; origin && i < n; i++)
        out[last + i] = *origin * out[i] + *scale * out[last + i];
    if (origin)
        out[n * n - 1] = *origin * out[last] + *scale * out[n * n - 1];
    for (size_t i = 0; i < n; i++)
        out[i * n + n - 1] = out[last + i];
}

static size_t draw_len(int32_t p)
{
    return (size_t)p + 1;
}

/* tau ~ Gamma(a, rate b); w = m + C^-T z / sqrt(tau) with Lambda = C C'. */
static mb_status draw(int32_t p, const double *par, mb_rng *rng, double *out, double *scratch)
{
    const double *m = par + 2;
    double        ln_tau;

    if (!(par[0] > 0) || !(par[1] > 0) || mb_chol_packed_(m + p, p, scratch) != 0)
        return MB_E_DOMAIN;
    ln_tau = mb_draw_ln_gamma_(rng, par[0]) - log(par[1]);
    for (int32_t i = 0; i < p; i++)
        out[i] = mb_rng_normal(rng) * exp(-0.5 * ln_tau);
    mb_chol_backward_(scratch, p, out);
    for (int32_t i = 0; i < p; i++)
        out[i] += m[i];
    out[p] = exp(-ln_tau);
    return MB_OK;
}

/* [ln a, ln b/a, m, the factor of Lambda]. */
static mb_status to_free(int32_t p, const double *phi, double *free, double *scratch)
{
    const size_t  n = (size_t)p + 1;
    const double *L = scratch;
    double       *C = free + 2 + p;

    MB_TRY(to_par(p, phi, free, scratch));
    free[1] = log(free[1] / free[0]);
    free[0] = log(free[0]);
    for (size_t i = 0; i + 1 < n; i++)
        C = mb_log_row_(L + i * n, (int32_t)i, 1, C);
    return MB_OK;
}

static void from_free(int32_t p, const double *prior, double *free)
{
    free[0] = fmax(exp(free[0]), prior[0] + 1 - p / 2.0);
    free[1] = free[0] * exp(free[1]);
    mb_exp_rows_(free + 2 + p, p, 1);
}

/* The members that do not depend on whether there is an intercept. */
#define COMMON                                                                                     \
    .len = mb_mf_len_, .scratch = mb_mf_scratch_, .moments = moments, .project = project,          \
    .improper = improper, .margin = margin, .from_par = from_par, .to_par = to_par,                \
    .to_free = MB_ACCELERATE_(1) ? to_free : NULL,                                                 \
    .from_free = MB_ACCELERATE_(1) ? from_free : NULL, .paper_len = paper_len,                     \
    .draw_len = draw_len, .draw = draw

const mb_family mb_normal_gamma = {
    .name = "normal-gamma.1",
    COMMON,
    .move_par = move_par,
    .to_paper = to_paper,
};

const mb_family mb_normal_gamma_origin = {
    .name = "normal-gamma-origin.1",
    COMMON,
    .move_par = move_par_origin,
    .to_paper = to_paper_origin,
};

const mb_family mb_normal_gamma_latent = {
    .name = "normal-gamma-latent.1",
    COMMON,
    .move_par = move_par_latent,
    .to_paper = to_paper_latent,
};

/* normal_wishart.c - p(mu, Lambda) = N(mu | m, (beta Lambda)^-1) Wishart(Lambda | W, nu).
 *
 * phi = [(nu-D)/2, svec(-M/2)] belongs to u = [ln |Lambda|, svec(U)] with
 * U = [mu' Lambda mu, -mu' Lambda; -Lambda mu, Lambda], so that a row's likelihood is
 * 1/2 ln |Lambda| - 1/2 z' U z, z = (1, x). Then
 *     A = -D/2 ln beta + nu/2 (ln |W| + D ln 2) + sum_j ln Gamma((nu+1-j)/2);
 * the constant (2 pi)^(-D/2) pi^(-D(D-1)/4) belongs to the base measure. */
#include "expfam/normal_wishart.h"
#include "base/accelerate.h"
#include "expfam/matrix_form.h"
#include "meshbayes/extend.h"
#include "num/num.h"

#include <float.h>
#include <math.h>

static const double LN2 = 0.69314718055994530942, SQRT_HALF = 0.70710678118654752440;

double mb_nw_nu_(int32_t D, const double *phi)
{
    return 2 * phi[0] + D;
}

/* The last argument of Gamma in A, > 0 in Omega; computed like the others. */
static double last_half(int32_t D, double a)
{
    return a + D / 2.0 + (1 - D) / 2.0;
}

mb_status mb_nw_factor_(int32_t D, const double *phi, double *L)
{
    if (!(last_half(D, phi[0]) > 0))
        return MB_E_DOMAIN;
    return mb_mf_factor_(D, phi, L);
}

double mb_nw_logdet_(int32_t D, const double *L)
{
    const size_t step = (size_t)D + 2;

    return 2 * mb_log_product_(L + step, step, D);
}

double mb_nw_e_logdet_(int32_t D, const double *phi, const double *L)
{
    return mb_digamma_multi_(D, phi[0] + D / 2.0) + D * LN2 - mb_nw_logdet_(D, L);
}

/* E[U] = nu M^-1 + (D - nu)/beta e0 e0'. The first row of L^-1 is e0'/sqrt(beta), the others give
 * W: E[U] = L^-T diag(D, nu, .., nu) L^-1, without the difference. */
static mb_status moments(int32_t D, const double *phi, double *mu, double *A, double *scratch)
{
    const double  half_nu = phi[0] + D / 2.0;
    const double *L = scratch;

    MB_TRY(mb_nw_factor_(D, phi, scratch));
    if (A)
        *A = -D * log(L[0]) + half_nu * (D * LN2 - mb_nw_logdet_(D, L)) +
             mb_lgamma_multi_(D, half_nu);
    if (mu) {
        mu[0] = mb_nw_e_logdet_(D, phi, L);
        mb_mf_mean_(D, scratch, D, 2 * half_nu, 2 * half_nu, mu);
    }
    return MB_OK;
}

/* In the paper's vector beta m lacks the factor sqrt 2, so its nearest point differs. */
static mb_status project(int32_t D, double eps, double *phi, double *dist2, double *scratch)
{
    return mb_mf_project_(D, -0.5 + fmax(eps, 4 * D * DBL_EPSILON), eps, phi, dist2, scratch);
}

static mb_status margin(int32_t D, const double *prior, double *eps, double *scratch)
{
    MB_TRY(mb_nw_factor_(D, prior, scratch));
    return mb_mf_margin_(D, prior, eps, scratch);
}

/* W^-1 is not factorised here: a W^-1 that is not positive definite is found by moments. */
static mb_status from_par(int32_t D, const double *par, double *phi)
{
    const double *m = par + 2, *Winv = par + 2 + D;
    const double  beta = par[1];
    double       *v = phi + 1;

    if (!(par[0] > D - 1) || !(beta > 0))
        return MB_E_DOMAIN;
    phi[0] = (par[0] - D) / 2;
    *v++ = -beta / 2;
    for (int32_t i = 0; i < D; i++) {
        *v++ = -SQRT_HALF * beta * m[i];
        for (int32_t j = 0; j < i; j++)
            *v++ = -SQRT_HALF * (*Winv++ + beta * m[i] * m[j]);
        *v++ = -0.5 * (*Winv++ + beta * m[i] * m[i]);
    }
    return mb_mf_finite_(D, phi) ? MB_OK : MB_E_DOMAIN;
}

static mb_status to_par(int32_t D, const double *phi, double *par, double *scratch)
{
    const size_t  n = (size_t)D + 1;
    const double *L = scratch;

    MB_TRY(mb_nw_factor_(D, phi, scratch));
    par[0] = mb_nw_nu_(D, phi);
    par[1] = -2 * phi[1];
    for (size_t i = 1; i < n; i++)
        par[1 + i] = L[i * n] / L[0];
    mb_chol_square_(L + n + 1, n, D, 1, par + 2 + D);
    return MB_OK;
}

/* [ln nu, ln beta, m, the factor of W^-1/nu]. */
static mb_status to_free(int32_t D, const double *phi, double *free, double *scratch)
{
    const size_t  n = (size_t)D + 1;
    const double *L = scratch, nu = mb_nw_nu_(D, phi);
    double       *C = free + 2 + D;

    MB_TRY(mb_nw_factor_(D, phi, scratch));
    free[0] = log(nu);
    free[1] = log(-2 * phi[1]);
    for (size_t i = 1; i < n; i++) {
        free[1 + i] = L[i * n] / L[0];
        C = mb_log_row_(L + i * n + 1, (int32_t)i - 1, sqrt(nu), C);
    }
    return MB_OK;
}

static void from_free(int32_t D, const double *prior, double *free)
{
    free[0] = fmax(exp(free[0]), mb_nw_nu_(D, prior));
    free[1] = fmax(exp(free[1]), -2 * prior[1]);
    mb_exp_rows_(free + 2 + D, D, free[0]);
}

static void move_par(int32_t D, const double *origin, const double *scale, double *par)
{
    double *m = par + 2, *Winv = par + 2 + D;

    for (int32_t i = 0; i < D; i++)
        m[i] = origin[i] + scale[i] * m[i];
    mb_mf_scale_(D, scale, Winv);
}

static size_t paper_len(int32_t D)
{
    return 2 + (size_t)D + (size_t)D * (size_t)D;
}

/* eq. (45), one component: (nu-D)/2, -M_22/2, M_21, -M_11/2. */
static void to_paper(int32_t D, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch)
{
    const size_t n = (size_t)D + 1, d = (size_t)D;
    double      *M = scratch;

    mb_mf_matrix_(D, phi, M);
    if (origin)
        mb_mf_move_(D, n, origin, scale, M);
    out[0] = phi[0];
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++)
            out[1 + i * d + j] = out[1 + j * d + i] = -0.5 * M[(i + 1) * n + j + 1];
        out[1 + d * d + i] = M[(i + 1) * n];
    }
    out[1 + d * d + d] = -0.5 * M[0];
}

static size_t draw_len(int32_t D)
{
    return (size_t)D + mb_svec_len_(D);
}

/* Bartlett: A A' is Wishart(I, nu) when A is lower, its diagonal sqrt of chi2(nu - i), i from 0,
 * and normal below [Bartlett33]. */
static void bartlett(int32_t D, double nu, mb_rng *rng, double *A)
{
    for (int32_t i = 0; i < D; i++) {
        for (int32_t j = 0; j < i; j++)
            A[i * D + j] = mb_rng_normal(rng);
        A[i * D + i] = mb_draw_chi_(rng, nu - i);
    }
}

/* With W^-1 = C C', Lambda = C^-T A A' C^-1 is Wishart(W, nu), and its inverse is B B' with
 * B = C A^-T: row i of B is A^-1 (row i of C). */
mb_status mb_nw_root_(int32_t D, double nu, const double *Winv, mb_rng *rng, double *B, double *A)
{
    if (!(nu > D - 1) || mb_chol_packed_(Winv, D, B) != 0)
        return MB_E_DOMAIN;
    bartlett(D, nu, rng, A);
    for (int32_t i = 0; i < D; i++)
        mb_chol_forward_(A, D, B + (size_t)i * (size_t)D);
    return MB_OK;
}

double *mb_nw_square_(int32_t D, const double *B, double *out)
{
    const size_t d = (size_t)D;

    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++, out++) {
            *out = 0;
            for (size_t e = 0; e < d; e++)
                *out += B[i * d + e] * B[j * d + e];
        }
    return out;
}

/* mu = m + B z / sqrt(beta), Lambda^-1 = B B'. */
static mb_status draw(int32_t D, const double *par, mb_rng *rng, double *out, double *scratch)
{
    const size_t  d = (size_t)D;
    const double *m = par + 2;
    double       *B = scratch, *z = B + 2 * d * d;

    if (!(par[1] > 0))
        return MB_E_DOMAIN;
    MB_TRY(mb_nw_root_(D, par[0], m + D, rng, B, B + d * d));
    for (size_t i = 0; i < d; i++)
        z[i] = mb_rng_normal(rng) / sqrt(par[1]);
    for (size_t i = 0; i < d; i++) {
        out[i] = m[i];
        for (size_t e = 0; e < d; e++)
            out[i] += B[i * d + e] * z[e];
    }
    (void)mb_nw_square_(D, B, out + D);
    return MB_OK;
}

const mb_family mb_normal_wishart = {
    .name = "normal-wishart.1",
    .len = mb_mf_len_,
    .scratch = mb_mf_scratch_,
    .moments = moments,
    .project = project,
    .margin = margin,
    .from_par = from_par,
    .to_par = to_par,
    .to_free = MB_ACCELERATE_(1) ? to_free : NULL,
    .from_free = MB_ACCELERATE_(1) ? from_free : NULL,
    .move_par = move_par,
    .paper_len = paper_len,
    .to_paper = to_paper,
    .draw_len = draw_len,
    .draw = draw,
};

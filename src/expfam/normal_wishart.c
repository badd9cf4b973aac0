/* normal_wishart.c - p(mu, Lambda) = N(mu | m, (beta Lambda)^-1) Wishart(Lambda | W, nu).
 *
 * phi = [(nu-D)/2, svec(-M/2)] belongs to u = [ln |Lambda|, svec(U)] with
 * U = [mu' Lambda mu, -mu' Lambda; -Lambda mu, Lambda], so that a row's likelihood is
 * 1/2 ln |Lambda| - 1/2 z' U z, z = (1, x). Then
 *     A = -D/2 ln beta + nu/2 (ln |W| + D ln 2) + sum_j ln Gamma((nu+1-j)/2);
 * the constant (2 pi)^(-D/2) pi^(-D(D-1)/4) belongs to the base measure. */
#include "expfam/normal_wishart.h"
#include "expfam/random.h"
#include "num/num.h"

#include <float.h>
#include <math.h>

/* eps of the projection against the smallest eigenvalue of the prior's M */
#define MARGIN 1e-6

static const double LN2 = 0.69314718055994530942, SQRT_HALF = 0.70710678118654752440;

static size_t len(int32_t D)
{
    return 1 + mb_svec_len_(D + 1);
}

/* Two (D+1) x (D+1) matrices and a vector. */
static size_t scratch_len(int32_t D)
{
    const size_t n = (size_t)D + 1;

    return 2 * n * n + n;
}

double mb_nw_nu_(int32_t D, const double *phi)
{
    return 2 * phi[0] + D;
}

/* M from the second part of phi. */
static void get_M(int32_t D, const double *phi, double *M)
{
    const size_t n = (size_t)D + 1;

    mb_unsvec_(phi + 1, D + 1, M);
    for (size_t e = 0; e < n * n; e++)
        M[e] *= -2;
}

static int all_finite(int32_t D, const double *phi)
{
    for (size_t e = 0; e < len(D); e++)
        if (!isfinite(phi[e]))
            return 0;
    return 1;
}

/* The last argument of Gamma in A, > 0 in Omega; computed as the others are. */
static double last_half(int32_t D, double a)
{
    return a + D / 2.0 + (1 - D) / 2.0;
}

mb_status mb_nw_factor_(int32_t D, const double *phi, double *L)
{
    if (!all_finite(D, phi) || !(last_half(D, phi[0]) > 0))
        return MB_E_DOMAIN;
    get_M(D, phi, L);
    return mb_chol_(L, D + 1) == 0 ? MB_OK : MB_E_DOMAIN;
}

double mb_nw_logdet_(int32_t D, const double *L)
{
    const size_t n = (size_t)D + 1;
    double       sum = 0;

    for (size_t d = 1; d < n; d++)
        sum += log(L[d * n + d]);
    return 2 * sum;
}

double mb_nw_e_logdet_(int32_t D, const double *phi, const double *L)
{
    return mb_digamma_multi_(D, phi[0] + D / 2.0) + D * LN2 - mb_nw_logdet_(D, L);
}

/* E[U] = nu M^-1 + (D - nu)/beta e0 e0'; the corner D/beta + nu m' W m is summed from
 * W^(1/2) m = -(first column of L^-1), without the difference. Linv becomes E[U]. */
static void mean_U(int32_t D, double nu, const double *Linv, double *U)
{
    const size_t n = (size_t)D + 1;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;

            for (size_t k = i > 0 ? i : 1; k < n; k++)
                sum += Linv[k * n + i] * Linv[k * n + j];
            U[i * n + j] = nu * sum;
        }
    U[0] += D * Linv[0] * Linv[0];
}

static mb_status moments(int32_t D, const double *phi, double *mu, double *A, double *scratch)
{
    const size_t n = (size_t)D + 1;
    const double half_nu = phi[0] + D / 2.0;
    double      *L = scratch, *Linv = scratch + n * n;

    MB_TRY(mb_nw_factor_(D, phi, L));
    if (A)
        *A = -D * log(L[0]) + half_nu * (D * LN2 - mb_nw_logdet_(D, L)) +
             mb_lgamma_multi_(D, half_nu);
    if (mu) {
        mu[0] = mb_nw_e_logdet_(D, phi, L);
        mb_chol_inverse_(L, D + 1, Linv);
        mean_U(D, 2 * half_nu, Linv, L);
        mb_svec_(L, D + 1, mu + 1);
    }
    return MB_OK;
}

/* M := V max(lambda, low) V' when an eigenvalue is below eps. `low` is eps plus the rounding of
 * the eigenvalues, so that the result passes the test that sent us here. */
static mb_status clip(int32_t D, double eps, double *M, double *scratch, int *moved)
{
    const size_t n = (size_t)D + 1;
    double      *V = scratch, *lambda = scratch + n * n, low;

    MB_TRY(mb_eig_sym_(M, D + 1, lambda, V));
    low = eps + 8 * (double)n * DBL_EPSILON * fmax(fabs(lambda[0]), fabs(lambda[n - 1]));
    *moved = lambda[0] < low;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;

            for (size_t k = 0; k < n; k++)
                sum += V[i * n + k] * fmax(lambda[k], low) * V[j * n + k];
            M[i * n + j] = sum;
        }
    return MB_OK;
}

/* Nearest in the svec norm: nu and the eigenvalues of M are clipped apart. (The paper's vector
 * has beta m without the factor sqrt 2, so its nearest point is another one.) */
static mb_status project(int32_t D, double eps, double *phi, double *dist2, double *scratch)
{
    const size_t n = (size_t)D + 1;
    const double low = -0.5 + fmax(eps, 4 * D * DBL_EPSILON);
    double      *M = scratch, before;
    int          moved = 0;

    *dist2 = 0;
    if (!all_finite(D, phi))
        return MB_E_NUMERIC;
    get_M(D, phi, M);
    for (size_t i = 0; i < n; i++)
        M[i * n + i] -= eps;
    if (mb_chol_(M, D + 1) != 0) {
        get_M(D, phi, M);
        MB_TRY(clip(D, eps, M, scratch + n * n, &moved));
    }
    if (phi[0] < low) {
        *dist2 += (low - phi[0]) * (low - phi[0]);
        phi[0] = low;
    }
    if (!moved)
        return MB_OK;
    mb_svec_(M, D + 1, scratch + n * n);
    for (size_t e = 1; e < len(D); e++) {
        before = phi[e];
        phi[e] = -0.5 * scratch[n * n + e - 1];
        *dist2 += (phi[e] - before) * (phi[e] - before);
    }
    return MB_OK;
}

static mb_status margin(int32_t D, const double *prior, double *eps, double *scratch)
{
    const size_t n = (size_t)D + 1;
    double      *M = scratch, *lambda = scratch + n * n;

    MB_TRY(mb_nw_factor_(D, prior, M));
    get_M(D, prior, M);
    MB_TRY(mb_eig_sym_(M, D + 1, lambda, NULL));
    /* M is positive definite; rounding may say otherwise of its smallest eigenvalue. */
    *eps = MARGIN * fmax(lambda[0], DBL_EPSILON * lambda[n - 1]);
    return MB_OK;
}

/* W^-1 is not factorised here: a W^-1 that is not positive definite shows in moments. */
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
    return all_finite(D, phi) ? MB_OK : MB_E_DOMAIN;
}

static mb_status to_par(int32_t D, const double *phi, double *par, double *scratch)
{
    const size_t  n = (size_t)D + 1;
    const double *L = scratch;
    double       *Winv = par + 2 + D;

    MB_TRY(mb_nw_factor_(D, phi, scratch));
    par[0] = mb_nw_nu_(D, phi);
    par[1] = -2 * phi[1];
    for (size_t i = 1; i < n; i++) {
        par[1 + i] = L[i * n] / L[0];
        for (size_t j = 1; j <= i; j++, Winv++) {
            *Winv = 0;
            for (size_t k = 1; k <= j; k++)
                *Winv += L[i * n + k] * L[j * n + k];
        }
    }
    return MB_OK;
}

static void move_par(int32_t D, const double *origin, const double *scale, double *par)
{
    double *m = par + 2, *Winv = par + 2 + D;

    for (int32_t i = 0; i < D; i++) {
        m[i] = origin[i] + scale[i] * m[i];
        for (int32_t j = 0; j <= i; j++)
            *Winv++ *= scale[i] * scale[j];
    }
}

static size_t paper_len(int32_t D)
{
    return 2 + (size_t)D + (size_t)D * (size_t)D;
}

/* Columns o + s x: M_x = T M T', T = [1 0; o diag(s)], in place. */
static void move_M(int32_t D, const double *origin, const double *scale, double *M)
{
    const size_t n = (size_t)D + 1;

    for (size_t i = n - 1; i > 0; i--)
        for (size_t j = i; j > 0; j--) {
            const double right = origin[j - 1] * M[i * n] + scale[j - 1] * M[i * n + j];
            const double corner = origin[j - 1] * M[0] + scale[j - 1] * M[j * n];

            M[i * n + j] = origin[i - 1] * corner + scale[i - 1] * right;
        }
    for (size_t i = 1; i < n; i++)
        M[i * n] = origin[i - 1] * M[0] + scale[i - 1] * M[i * n];
}

/* eq. (45), one component: (nu-D)/2, -M_22/2, M_21, -M_11/2. */
static void to_paper(int32_t D, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch)
{
    const size_t n = (size_t)D + 1, d = (size_t)D;
    double      *M = scratch;

    get_M(D, phi, M);
    if (origin)
        move_M(D, origin, scale, M);
    out[0] = phi[0];
    for (size_t i = 0; i < d; i++) {
        for (size_t j = 0; j <= i; j++)
            out[1 + i * d + j] = out[1 + j * d + i] = -0.5 * M[(i + 1) * n + j + 1];
        out[1 + d * d + i] = M[(i + 1) * n];
    }
    out[1 + d * d + d] = -0.5 * M[0];
}

const mb_family mb_normal_wishart = {
    .name = "normal-wishart.1",
    .len = len,
    .scratch = scratch_len,
    .moments = moments,
    .project = project,
    .margin = margin,
    .from_par = from_par,
    .to_par = to_par,
    .move_par = move_par,
    .paper_len = paper_len,
    .to_paper = to_paper,
    .draw_len = mb_nw_draw_len_,
    .draw = mb_nw_draw_,
};

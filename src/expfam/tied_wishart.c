/* tied_wishart.c - means that share a precision: Lambda ~ Wishart(W, nu) and mu_k | Lambda ~
 * N(m_k, (beta_k Lambda)^-1), k < K, docs/math.md, section 24.
 *
 * phi = [K parts -beta_k/2, -beta_k m_k/sqrt 2 | a, svec(-T/2)], a = (nu - D - 1 + K)/2, T = W^-1 +
 * sum_k beta_k m_k m_k', belongs to u = [mu_k' Lambda mu_k, -sqrt 2 Lambda mu_k | ln |Lambda|,
 * svec(Lambda)]. Then
 *     A = -D/2 sum_k ln beta_k + nu/2 (ln |W| + D ln 2) + sum_j ln Gamma((nu+1-j)/2);
 * the constant (2 pi)^(-K D/2) pi^(-D(D-1)/4) belongs to the base measure. K = 1 is the
 * normal-Wishart in another order. */
#include "expfam/tied_wishart.h"
#include "base/accelerate.h"
#include "expfam/expfam.h"
#include "expfam/matrix_form.h"
#include "expfam/normal_wishart.h"
#include "num/num.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double LN2 = 0.69314718055994530942, SQRT2 = 1.41421356237309504880,
                    SQRT_HALF = 0.70710678118654752440;

enum { HALVINGS = 60 };

static size_t scratch_len(int32_t dim)
{
    const size_t d = (size_t)mb_tw_columns_(dim), project = mb_tw_project_scratch_(dim);
    const size_t own = 2 * d * d + 2 * d;

    return own > project ? own : project;
}

/* The parts of mu: D/beta + nu m' W m, and -sqrt 2 nu W m. P: nu W, full; m: room. */
static void means(int32_t dim, const double *phi, const double *P, double *m, double *mu)
{
    const size_t d = (size_t)mb_tw_columns_(dim);

    for (int32_t k = 0; k < mb_tw_parts_(dim); k++) {
        double *to = mu + (size_t)k * mb_tw_part_(dim);

        mb_tw_mean_(dim, phi, k, m);
        *to = (double)d / mb_tw_beta_(dim, phi, k);
        for (size_t i = 0; i < d; i++) {
            double sum = 0;

            for (size_t j = 0; j < d; j++)
                sum += P[i * d + j] * m[j];
            to[1 + i] = -SQRT2 * sum;
            *to += m[i] * sum;
        }
    }
}

/* E[Lambda] = nu W = nu L^-T L^-1. */
static mb_status moments(int32_t dim, const double *phi, double *mu, double *A, double *scratch)
{
    const int32_t D = mb_tw_columns_(dim);
    const size_t  d = (size_t)D;
    const double  half_nu = 0.5 * mb_tw_nu_(dim, phi);
    double       *L = scratch, *Linv = L + d * d;

    MB_TRY(mb_tw_factor_(dim, phi, L));
    if (A) {
        *A = half_nu * (D * LN2 - mb_tw_logdet_(dim, L)) + mb_lgamma_multi_(D, half_nu);
        for (int32_t k = 0; k < mb_tw_parts_(dim); k++)
            *A -= 0.5 * D * log(mb_tw_beta_(dim, phi, k));
    }
    if (!mu)
        return MB_OK;
    mu[mb_tw_shared_(dim)] = mb_tw_e_logdet_(dim, phi, L);
    mb_chol_inverse_(L, D, Linv);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;

            for (size_t k = i; k < d; k++)
                sum += Linv[k * d + i] * Linv[k * d + j];
            L[i * d + j] = L[j * d + i] = 2 * half_nu * sum;
        }
    mb_svec_(L, D, mu + mb_tw_shared_(dim) + 1);
    means(dim, phi, L, Linv, mu);
    return MB_OK;
}

/* 1e-6 of the smallest eigenvalue of M: the largest x for which M - x I stays positive definite. */
static mb_status margin(int32_t dim, const double *prior, double *eps, double *scratch)
{
    double low = 0, high = DBL_MAX;

    MB_TRY(mb_tw_factor_(dim, prior, scratch));
    for (int32_t k = 0; k < mb_tw_parts_(dim); k++)
        high = fmin(high, mb_tw_beta_(dim, prior, k));
    for (int i = 0; i < HALVINGS; i++) {
        const double mid = 0.5 * (low + high);

        if (mb_tw_positive_(dim, mid, prior, scratch))
            low = mid;
        else
            high = mid;
    }
    *eps = MB_MF_MARGIN * fmax(low, DBL_EPSILON * high);
    return *eps > 0 ? MB_OK : MB_E_DOMAIN;
}

/* A W^-1 that is not positive definite is found by moments. */
static mb_status from_par(int32_t dim, const double *par, double *phi)
{
    const int32_t D = mb_tw_columns_(dim), K = mb_tw_parts_(dim);
    const size_t  d = (size_t)D, part = d + 1, at = mb_tw_shared_(dim);
    double       *T = phi + at + 1;

    if (!(par[at] > D - 1))
        return MB_E_DOMAIN;
    phi[at] = (par[at] - D - 1 + K) / 2;
    memcpy(T, par + at + 1, mb_svec_len_(D) * sizeof *T);
    for (const double *p = par; p < par + at; p += part, phi += part) {
        if (!(p[0] > 0))
            return MB_E_DOMAIN;
        phi[0] = -p[0] / 2;
        for (size_t i = 0; i < d; i++) {
            phi[1 + i] = -SQRT_HALF * p[0] * p[1 + i];
            for (size_t j = 0; j <= i; j++)
                T[i * (i + 1) / 2 + j] += p[0] * p[1 + i] * p[1 + j];
        }
    }
    for (size_t i = 0, e = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++, e++)
            T[e] *= i == j ? -0.5 : -SQRT_HALF;
    phi -= at;
    for (size_t e = 0; e < mb_tw_len_(dim); e++)
        if (!isfinite(phi[e]))
            return MB_E_DOMAIN;
    return MB_OK;
}

static mb_status to_par(int32_t dim, const double *phi, double *par, double *scratch)
{
    const int32_t D = mb_tw_columns_(dim);
    const size_t  at = mb_tw_shared_(dim);
    double       *L = scratch;

    MB_TRY(mb_tw_factor_(dim, phi, L));
    for (int32_t k = 0; k < mb_tw_parts_(dim); k++) {
        double *p = par + (size_t)k * mb_tw_part_(dim);

        p[0] = mb_tw_beta_(dim, phi, k);
        mb_tw_mean_(dim, phi, k, p + 1);
    }
    par[at] = mb_tw_nu_(dim, phi);
    mb_chol_square_(L, (size_t)D, D, 1, par + at + 1);
    return MB_OK;
}

/* [ln beta, m] of each part, [ln nu, the factor of W^-1/nu]. */
static mb_status to_free(int32_t dim, const double *phi, double *free, double *scratch)
{
    const size_t  d = (size_t)mb_tw_columns_(dim), at = mb_tw_shared_(dim);
    const double *L = scratch, nu = mb_tw_nu_(dim, phi);
    double       *C = free + at + 1;

    MB_TRY(mb_tw_factor_(dim, phi, scratch));
    for (int32_t k = 0; k < mb_tw_parts_(dim); k++) {
        double *u = free + (size_t)k * mb_tw_part_(dim);

        u[0] = log(mb_tw_beta_(dim, phi, k));
        mb_tw_mean_(dim, phi, k, u + 1);
    }
    free[at] = log(nu);
    for (size_t i = 0; i < d; i++)
        C = mb_log_row_(L + i * d, (int32_t)i, sqrt(nu), C);
    return MB_OK;
}

static void from_free(int32_t dim, const double *prior, double *free)
{
    const size_t at = mb_tw_shared_(dim);

    for (size_t e = 0; e < at; e += mb_tw_part_(dim))
        free[e] = fmax(exp(free[e]), -2 * prior[e]);
    free[at] = fmax(exp(free[at]), mb_tw_nu_(dim, prior));
    mb_exp_rows_(free + at + 1, mb_tw_columns_(dim), free[at]);
}

static void move_par(int32_t dim, const double *origin, const double *scale, double *par)
{
    const int32_t D = mb_tw_columns_(dim);
    double       *Winv = par + mb_tw_shared_(dim) + 1;

    for (int32_t k = 0; k < mb_tw_parts_(dim); k++)
        for (int32_t i = 0; i < D; i++) {
            double *m = par + (size_t)k * mb_tw_part_(dim) + 1;

            m[i] = origin[i] + scale[i] * m[i];
        }
    mb_mf_scale_(D, scale, Winv);
}

/* phi itself after the change of columns: c_k = beta_k o + s c_k, and T, of which sum_k beta_k and
 * sum_k c_k are the other moments, as in mb_mf_move_. */
static void to_paper(int32_t dim, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch)
{
    const size_t d = (size_t)mb_tw_columns_(dim), n = d + 1, at = mb_tw_shared_(dim);
    double      *M = scratch; /* packed: -1/2 of [sum beta; sum c, T] */

    memcpy(out, phi, mb_tw_len_(dim) * sizeof *out);
    if (!origin)
        return;
    memset(M, 0, mb_svec_len_((int32_t)n) * sizeof *M);
    for (const double *p = phi; p < phi + at; p += n)
        for (size_t i = 0; i < n; i++)
            M[i * (i + 1) / 2] += i ? SQRT_HALF * p[i] : p[0];
    for (size_t i = 0, e = at + 1; i < d; i++)
        for (size_t j = 0; j <= i; j++, e++)
            M[(i + 1) * (i + 2) / 2 + 1 + j] = i == j ? phi[e] : SQRT_HALF * phi[e];
    mb_mf_move_((int32_t)d, 0, origin, scale, M);
    for (size_t i = 0, e = at + 1; i < d; i++)
        for (size_t j = 0; j <= i; j++, e++)
            out[e] = (i == j ? 1 : SQRT2) * M[(i + 1) * (i + 2) / 2 + 1 + j];
    for (double *p = out; p < out + at; p += n)
        for (size_t i = 0; i < d; i++)
            p[1 + i] = SQRT2 * origin[i] * p[0] + scale[i] * p[1 + i];
}

static size_t draw_len(int32_t dim)
{
    const int32_t D = mb_tw_columns_(dim);

    return (size_t)mb_tw_parts_(dim) * (size_t)D + mb_svec_len_(D);
}

/* mu_k = m_k + B z/sqrt(beta_k), Lambda^-1 = B B'. */
static mb_status draw(int32_t dim, const double *par, mb_rng *rng, double *out, double *scratch)
{
    const int32_t D = mb_tw_columns_(dim);
    const size_t  d = (size_t)D, at = mb_tw_shared_(dim);
    double       *B = scratch, *A = B + d * d, *z = A;

    if (mb_nw_root_(D, par[at], par + at + 1, rng, B, A) < 0)
        return MB_E_DOMAIN;
    for (const double *p = par; p < par + at; p += d + 1) {
        if (!(p[0] > 0))
            return MB_E_DOMAIN;
        for (size_t i = 0; i < d; i++)
            z[i] = mb_rng_normal(rng) / sqrt(p[0]);
        for (size_t i = 0; i < d; i++, out++) {
            *out = p[1 + i];
            for (size_t e = 0; e < d; e++)
                *out += B[i * d + e] * z[e];
        }
    }
    (void)mb_nw_square_(D, B, out);
    return MB_OK;
}

/* The prior of one part less has 1/2 and beta m m' less in what is shared. */
static void merge(int32_t dim, int32_t keep, int32_t gone, const double *prior, const double *p,
                  double *out)
{
    const size_t  d = (size_t)mb_tw_columns_(dim), part = d + 1, at = mb_tw_shared_(dim);
    const double *less = prior + (size_t)gone * part, *more = p + (size_t)gone * part;
    double       *merged = out + (size_t)(keep - (keep > gone)) * part, *T = out + at - part + 1;

    for (size_t e = 0; e < part; e++)
        merged[e] += more[e] - less[e];
    T[-1] -= 0.5;
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++)
            *T++ -= (i == j ? 0.5 : SQRT_HALF) * less[1 + i] / less[0] * less[1 + j];
}

static const mb_parted parted = {.count = mb_tw_parts_,
                                 .size = mb_tw_columns_,
                                 .dim = mb_tied_dim,
                                 .len = mb_tw_part_,
                                 .merge = merge};

const mb_family mb_tied_wishart = {
    .name = "tied-normal-wishart.1",
    .len = mb_tw_len_,
    .scratch = scratch_len,
    .moments = moments,
    .project = mb_tw_project_,
    .margin = margin,
    .from_par = from_par,
    .to_par = to_par,
    .to_free = MB_ACCELERATE_(1) ? to_free : NULL,
    .from_free = MB_ACCELERATE_(1) ? from_free : NULL,
    .move_par = move_par,
    .paper_len = mb_tw_len_,
    .to_paper = to_paper,
    .draw_len = draw_len,
    .draw = draw,
    .parts = &parted,
};

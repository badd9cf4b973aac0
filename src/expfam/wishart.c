/* wishart.c - p(Lambda) = Wishart(Lambda | W, nu): the precision of D columns whose mean is 0, or
 * has a family of its own.
 *
 * phi = [(nu-D-1)/2, svec(-W^-1/2)] belongs to u = [ln |Lambda|, svec(Lambda)], and
 *     A = nu/2 (ln |W| + D ln 2) + sum_j ln Gamma((nu+1-j)/2);
 * the constant pi^(-D(D-1)/4) belongs to the base measure. It is a matrix form of size D. */
#include "base/accelerate.h"
#include "expfam/matrix_form.h"
#include "expfam/normal_wishart.h"
#include "meshbayes/extend.h"
#include "num/num.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double LN2 = 0.69314718055994530942, SQRT2 = 1.41421356237309504880;

static size_t len(int32_t D)
{
    return mb_mf_len_(D - 1);
}

static size_t scratch_len(int32_t D)
{
    return mb_mf_scratch_(D - 1);
}

static double nu_of(int32_t D, const double *phi)
{
    return 2 * phi[0] + D + 1;
}

/* chol(W^-1) in the lower triangle of L, D x D. nu > D-1: the last argument of Gamma in A, computed
 * like the others. */
static mb_status factor(int32_t D, const double *phi, double *L)
{
    return nu_of(D, phi) / 2 + (1 - D) / 2.0 > 0 ? mb_mf_factor_(D - 1, phi, L) : MB_E_DOMAIN;
}

static mb_status moments(int32_t D, const double *phi, double *mu, double *A, double *scratch)
{
    const double nu = nu_of(D, phi);
    double       ln_W;

    MB_TRY(factor(D, phi, scratch));
    ln_W = D * LN2 - 2 * mb_log_product_(scratch, (size_t)D + 1, D); /* ln |2 W| */
    if (A)
        *A = nu / 2 * ln_W + mb_lgamma_multi_(D, nu / 2);
    if (mu) {
        mu[0] = mb_digamma_multi_(D, nu / 2) + ln_W;
        mb_mf_mean_(D - 1, scratch, nu, nu, nu, mu); /* svec(nu W) */
    }
    return MB_OK;
}

static mb_status project(int32_t D, double eps, double *phi, double *dist2, double *scratch)
{
    return mb_mf_project_(D - 1, -1 + fmax(eps, 4 * D * DBL_EPSILON), eps, phi, dist2, scratch);
}

static mb_status margin(int32_t D, const double *prior, double *eps, double *scratch)
{
    MB_TRY(factor(D, prior, scratch));
    return mb_mf_margin_(D - 1, prior, eps, scratch);
}

/* W^-1 is not factorised here: one that is not positive definite is found by moments. */
static mb_status from_par(int32_t D, const double *par, double *phi)
{
    const double *Winv = par + 1;
    double       *v = phi + 1;

    if (!(par[0] > D - 1))
        return MB_E_DOMAIN;
    phi[0] = (par[0] - D - 1) / 2;
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++)
            *v++ = (i == j ? -0.5 : -1 / SQRT2) * *Winv++;
    return mb_mf_finite_(D - 1, phi) ? MB_OK : MB_E_DOMAIN;
}

static mb_status to_par(int32_t D, const double *phi, double *par, double *scratch)
{
    const double *v = phi + 1;
    double       *Winv = par + 1;

    MB_TRY(factor(D, phi, scratch));
    par[0] = nu_of(D, phi);
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++)
            *Winv++ = (i == j ? -2 : -SQRT2) * *v++;
    return MB_OK;
}

/* [ln nu, the factor of W^-1/nu]. */
static mb_status to_free(int32_t D, const double *phi, double *free, double *scratch)
{
    const double nu = nu_of(D, phi);
    double      *C = free + 1;

    MB_TRY(factor(D, phi, scratch));
    free[0] = log(nu);
    for (int32_t i = 0; i < D; i++)
        C = mb_log_row_(scratch + (size_t)i * (size_t)D, i, sqrt(nu), C);
    return MB_OK;
}

static void from_free(int32_t D, const double *prior, double *free)
{
    free[0] = fmax(exp(free[0]), nu_of(D, prior));
    mb_exp_rows_(free + 1, D, free[0]);
}

static void move_par(int32_t D, const double *origin, const double *scale, double *par)
{
    (void)origin;
    mb_mf_scale_(D, scale, par + 1);
}

static void to_paper(int32_t D, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch)
{
    (void)origin, (void)scratch;
    memcpy(out, phi, len(D) * sizeof *out);
    if (scale)
        mb_mf_scale_(D, scale, out + 1);
}

/* W^-1, packed, of effects becomes s^2 T W^-1 T': T has -o_j/s_j in its first row beside 1, the rest is
 * 1/s_j. one: whether effect 0 is that of the constant 1. The last of both is the target's. */
static void move_effects(int32_t D, int one, const double *origin, const double *scale, double *M)
{
    const double s = scale[D - one];

    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j <= i; j++)
            M[mb_packed_at_(i, j)] *=
                s / (i < one ? 1 : scale[i - one]) * s / (j < one ? 1 : scale[j - one]);
    for (int32_t i = 1; one && i < D; i++) {
        double row = 0;

        for (int32_t j = 1; j < D; j++)
            row += origin[j - 1] * M[mb_packed_at_(i, j)];
        M[0] += origin[i - 1] * (row - 2 * M[mb_packed_at_(i, 0)]);
        M[mb_packed_at_(i, 0)] -= row;
    }
}

static void effects_par(int32_t D, const double *origin, const double *scale, double *par)
{
    move_effects(D, 1, origin, scale, par + 1);
}

static void effects_par_origin(int32_t D, const double *origin, const double *scale, double *par)
{
    move_effects(D, 0, origin, scale, par + 1);
}

static void effects_paper(int32_t D, int one, const double *phi, const double *origin,
                          const double *scale, double *out)
{
    memcpy(out, phi, len(D) * sizeof *out);
    if (!scale)
        return;
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j < i; j++)
            out[1 + mb_packed_at_(i, j)] /= SQRT2;
    move_effects(D, one, origin, scale, out + 1);
    for (int32_t i = 0; i < D; i++)
        for (int32_t j = 0; j < i; j++)
            out[1 + mb_packed_at_(i, j)] *= SQRT2;
}

static void to_paper_effects(int32_t D, const double *phi, const double *origin,
                             const double *scale, double *out, double *scratch)
{
    (void)scratch;
    effects_paper(D, 1, phi, origin, scale, out);
}

static void to_paper_effects_origin(int32_t D, const double *phi, const double *origin,
                                    const double *scale, double *out, double *scratch)
{
    (void)scratch;
    effects_paper(D, 0, phi, origin, scale, out);
}

static size_t draw_len(int32_t D)
{
    return mb_svec_len_(D);
}

/* Lambda^-1 = B B'. */
static mb_status draw(int32_t D, const double *par, mb_rng *rng, double *out, double *scratch)
{
    const size_t d = (size_t)D;
    double      *B = scratch;

    MB_TRY(mb_nw_root_(D, par[0], par + 1, rng, B, B + d * d));
    (void)mb_nw_square_(D, B, out);
    return MB_OK;
}

/* The members that do not depend on what the columns are. */
#define COMMON                                                                                     \
    .len = len, .scratch = scratch_len, .moments = moments, .project = project, .margin = margin,  \
    .from_par = from_par, .to_par = to_par, .to_free = MB_ACCELERATE_(1) ? to_free : NULL,         \
    .from_free = MB_ACCELERATE_(1) ? from_free : NULL, .draw_len = draw_len, .draw = draw

const mb_family mb_wishart = {
    .name = "wishart.1",
    COMMON,
    .move_par = move_par,
    .to_paper = to_paper,
};

const mb_family mb_effects = {
    .name = "effects.1",
    COMMON,
    .move_par = effects_par,
    .to_paper = to_paper_effects,
};

const mb_family mb_effects_origin = {
    .name = "effects-origin.1",
    COMMON,
    .move_par = effects_par_origin,
    .to_paper = to_paper_effects_origin,
};

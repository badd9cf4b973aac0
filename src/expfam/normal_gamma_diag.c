/* normal_gamma_diag.c - one precision tau, and means mu_d | tau ~ N(m_d, (tau lambda_d)^-1), d = 1
 * .. D: a Gaussian column (D = 1), or all columns of a spherical Gaussian.
 *
 * phi = [a-1+D/2, svec(-M_d/2) without its corner for each d, -c/2], where M_d = [lambda_d, h_d;
 * h_d, .], h_d = lambda_d m_d and c = 2b + sum_d lambda_d m_d^2; it belongs to u = [ln tau, tau
 * mu_d^2 and -sqrt(2) tau mu_d for each d, tau]. For D = 1 it is the normal-gamma with a single
 * coefficient. A = -1/2 sum_d ln lambda_d - a ln b + ln Gamma(a). */
#include "expfam/normal_gamma_diag.h"
#include "base/accelerate.h"
#include "meshbayes/extend.h"
#include "num/num.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* eps of the projection relative to the smallest scale of the prior */
#define MARGIN 1e-6

static const double SQRT_2 = 1.41421356237309504880, SQRT_HALF = 0.70710678118654752440;

/* Halvings of an interval until it is as short as doubles allow. */
enum { HALVINGS = 100 };

static size_t len(int32_t D)
{
    return 2 + 2 * (size_t)D;
}

static size_t last(int32_t D)
{
    return 1 + 2 * (size_t)D;
}

double mb_ngd_a_(int32_t D, const double *phi)
{
    return phi[0] + 1 - D / 2.0;
}

double mb_ngd_lambda_(const double *phi, int32_t d)
{
    return -2 * phi[1 + 2 * (size_t)d];
}

double mb_ngd_mean_(const double *phi, int32_t d)
{
    return SQRT_HALF * phi[2 + 2 * (size_t)d] / phi[1 + 2 * (size_t)d];
}

double mb_ngd_b_(int32_t D, const double *phi)
{
    const double a = mb_ngd_a_(D, phi), c = -2 * phi[last(D)];
    double       twice = c;

    for (int32_t d = 0; d < D; d++) {
        const double lambda = mb_ngd_lambda_(phi, d), m = mb_ngd_mean_(phi, d);

        if (!(lambda > 0 && lambda <= DBL_MAX))
            return -1;
        twice -= lambda * m * m;
    }
    return a > 0 && a <= DBL_MAX && twice > 0 && c <= DBL_MAX ? 0.5 * twice : -1;
}

static mb_status moments(int32_t D, const double *phi, double *mu, double *A, double *scratch)
{
    const double a = mb_ngd_a_(D, phi), b = mb_ngd_b_(D, phi);

    (void)scratch;
    if (!(b > 0))
        return MB_E_DOMAIN;
    if (A) {
        *A = mb_lgamma_(a) - a * log(b);
        for (int32_t d = 0; d < D; d++)
            *A -= 0.5 * log(mb_ngd_lambda_(phi, d));
    }
    if (!mu)
        return MB_OK;
    mu[0] = mb_digamma_(a) - log(b);
    for (int32_t d = 0; d < D; d++) {
        const double m = mb_ngd_mean_(phi, d);

        mu[1 + 2 * (size_t)d] = 1 / mb_ngd_lambda_(phi, d) + a / b * m * m;
        mu[2 + 2 * (size_t)d] = -SQRT_2 * (a / b) * m;
    }
    mu[last(D)] = a / b;
    return MB_OK;
}

/* The nearest cell [lambda, h; h, t] that is positive semidefinite when t costs 2 nu a unit: then h
 * = h0 lambda/(lambda + nu), t = h^2/lambda, lambda - lambda0 = nu h0^2/(lambda + nu)^2, which is
 * at most h0^2/nu, and at most h0^2/(4 lambda). */
static double cell(double lambda0, double h0, double nu, double *lambda, double *h)
{
    double low = fmax(lambda0, 0), high = low;

    if (nu > 0)
        high += fmin(0.5 * fabs(h0), h0 / nu * h0);

    for (int i = 0; i < HALVINGS; i++) {
        const double mid = 0.5 * (low + high), gap = h0 / (mid + nu);

        if (mid - lambda0 < nu * gap * gap)
            low = mid;
        else
            high = mid;
    }
    *lambda = high;
    *h = high + nu > 0 ? h0 * (high / (high + nu)) : 0;
    return *lambda > 0 ? *h / *lambda * *h : 0;
}

/* sum_d t_d at the price nu; the cells are written into phi when `out` is given. */
static double corner(int32_t D, double eps, const double *phi, double nu, double *out)
{
    double sum = 0;

    for (int32_t d = 0; d < D; d++) {
        const size_t at = 1 + 2 * (size_t)d;
        double       lambda, h;

        sum += cell(-2 * phi[at] - eps, -SQRT_2 * phi[at + 1], nu, &lambda, &h);
        if (out) {
            out[at] = -0.5 * (lambda + eps);
            out[at + 1] = -SQRT_HALF * h;
        }
    }
    return sum;
}

/* Of the numbers of phi that have M's unit. */
static double largest(int32_t D, const double *phi)
{
    double most = 0;

    for (size_t e = 1; e < len(D); e++)
        most = fmax(most, fabs(phi[e]));
    return most;
}

/* What rounding may change in M. */
static double rounding(int32_t D, const double *phi)
{
    return 32 * (D + 1) * DBL_EPSILON * largest(D, phi);
}

/* The price at which the corner c - eps + nu holds all of sum t_d(nu), which falls with nu. */
static double price(int32_t D, double eps, const double *phi)
{
    const double c = -2 * phi[last(D)] - eps;
    double       low = fmax(0, -c), high = fmax(low, largest(D, phi));

    while (c + high < corner(D, eps, phi, high, NULL) && high < DBL_MAX / 4)
        high *= 2;
    for (int i = 0; i < HALVINGS; i++) {
        const double mid = 0.5 * (low + high);

        if (c + mid < corner(D, eps, phi, mid, NULL))
            low = mid;
        else
            high = mid;
    }
    return high;
}

/* 1 when M - eps I is positive definite and a is at least its limit. */
static int is_inside(int32_t D, double low, double eps, const double *phi)
{
    double left = -2 * phi[last(D)] - eps;

    for (int32_t d = 0; d < D; d++) {
        const double lambda = mb_ngd_lambda_(phi, d) - eps, h = -SQRT_2 * phi[2 + 2 * (size_t)d];

        if (!(lambda > 0))
            return 0;
        left -= h / lambda * h;
    }
    return phi[0] >= low && left > 0;
}

static mb_status project(int32_t D, double eps, double *phi, double *dist2, double *scratch)
{
    const double low = D / 2.0 - 1 + fmax(eps, 4 * D * DBL_EPSILON), slack = rounding(D, phi);
    double      *before = scratch;

    for (size_t e = 0; e < len(D); e++)
        if (!isfinite(phi[e]))
            return MB_E_NUMERIC;
    *dist2 = 0;
    if (is_inside(D, low, fmax(eps - slack, slack), phi))
        return MB_OK;
    eps = fmax(eps, 2 * slack);
    memcpy(before, phi, len(D) * sizeof *phi);
    phi[0] = fmax(phi[0], low);
    if (!is_inside(D, low, eps - slack, phi)) {
        const double nu = price(D, eps, before);

        phi[last(D)] = -0.5 * (corner(D, eps, before, nu, phi) + eps);
    }
    for (size_t e = 0; e < len(D); e++)
        *dist2 += (phi[e] - before[e]) * (phi[e] - before[e]);
    return MB_OK;
}

/* The smallest eigenvalue of [diag(lambda), h; h', c]: the largest x for which it stays positive
 * semidefinite with x taken from the diagonal. */
static double least(int32_t D, const double *phi)
{
    double low = 0, high = -2 * phi[last(D)];

    for (int32_t d = 0; d < D; d++)
        high = fmin(high, mb_ngd_lambda_(phi, d));
    for (int i = 0; i < HALVINGS; i++) {
        const double mid = 0.5 * (low + high);

        if (is_inside(D, phi[0], mid, phi))
            low = mid;
        else
            high = mid;
    }
    return low;
}

static mb_status margin(int32_t D, const double *prior, double *eps, double *scratch)
{
    (void)scratch;
    if (!(mb_ngd_b_(D, prior) > 0))
        return MB_E_DOMAIN;
    *eps = MARGIN * fmin(least(D, prior), mb_ngd_a_(D, prior));
    return *eps > 0 ? MB_OK : MB_E_DOMAIN;
}

/* par: a, b, m (D), lambda (D). */
static mb_status from_par(int32_t D, const double *par, double *phi)
{
    const double *m = par + 2, *lambda = m + D;
    double        c = 2 * par[1];

    if (!(par[0] > 0) || !(par[1] > 0))
        return MB_E_DOMAIN;
    phi[0] = par[0] - 1 + D / 2.0;
    for (int32_t d = 0; d < D; d++) {
        phi[1 + 2 * (size_t)d] = -0.5 * lambda[d];
        phi[2 + 2 * (size_t)d] = -SQRT_HALF * lambda[d] * m[d];
        c += lambda[d] * m[d] * m[d];
    }
    phi[last(D)] = -0.5 * c;
    for (size_t e = 0; e < len(D); e++)
        if (!isfinite(phi[e]))
            return MB_E_DOMAIN;
    return MB_OK;
}

static mb_status to_par(int32_t D, const double *phi, double *par, double *scratch)
{
    (void)scratch;
    par[0] = mb_ngd_a_(D, phi);
    par[1] = mb_ngd_b_(D, phi);
    if (!(par[1] > 0))
        return MB_E_DOMAIN;
    for (int32_t d = 0; d < D; d++) {
        par[2 + d] = mb_ngd_mean_(phi, d);
        par[2 + D + d] = mb_ngd_lambda_(phi, d);
    }
    return MB_OK;
}

/* [ln a, ln b/a, m, ln lambda]. */
static mb_status to_free(int32_t D, const double *phi, double *free, double *scratch)
{
    MB_TRY(to_par(D, phi, free, scratch));
    free[1] = log(free[1] / free[0]);
    free[0] = log(free[0]);
    for (int32_t d = 0; d < D; d++)
        free[2 + D + d] = log(free[2 + D + d]);
    return MB_OK;
}

static void from_free(int32_t D, const double *prior, double *free)
{
    free[0] = fmax(exp(free[0]), mb_ngd_a_(D, prior));
    free[1] = free[0] * exp(free[1]);
    for (int32_t d = 0; d < D; d++)
        free[2 + D + d] = fmax(exp(free[2 + D + d]), mb_ngd_lambda_(prior, d));
}

/* One precision has one unit: the scale of the first column is that of all. */
static void move_par(int32_t D, const double *origin, const double *scale, double *par)
{
    par[1] *= scale[0] * scale[0];
    for (int32_t d = 0; d < D; d++)
        par[2 + d] = origin[d] + scale[0] * par[2 + d];
}

/* phi itself after the change of columns: h = o lambda + s h, c = s^2 c + sum o^2 lambda + 2 o s h. */
static void to_paper(int32_t D, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch)
{
    (void)scratch;
    memcpy(out, phi, len(D) * sizeof *out);
    if (!origin)
        return;
    out[last(D)] *= scale[0] * scale[0];
    for (int32_t d = 0; d < D; d++) {
        const double *v = phi + 1 + 2 * (size_t)d;
        const double  shift = origin[d], moved = scale[0] * v[1];

        out[2 + 2 * (size_t)d] = SQRT_2 * shift * v[0] + moved;
        out[last(D)] += shift * (shift * v[0] + SQRT_2 * moved);
    }
}

static size_t draw_len(int32_t D)
{
    return 1 + (size_t)D;
}

static mb_status draw(int32_t D, const double *par, mb_rng *rng, double *out, double *scratch)
{
    const double *m = par + 2, *lambda = m + D;
    double        ln_tau;

    (void)scratch;
    if (!(par[0] > 0) || !(par[1] > 0))
        return MB_E_DOMAIN;
    ln_tau = mb_draw_ln_gamma_(rng, par[0]) - log(par[1]);
    for (int32_t d = 0; d < D; d++) {
        if (!(lambda[d] > 0))
            return MB_E_DOMAIN;
        out[d] = m[d] + mb_rng_normal(rng) * exp(-0.5 * ln_tau) / sqrt(lambda[d]);
    }
    out[D] = exp(-ln_tau);
    return MB_OK;
}

const mb_family mb_normal_gamma_diag = {
    .name = "normal-gamma-diag.1",
    .len = len,
    .scratch = len,
    .moments = moments,
    .project = project,
    .margin = margin,
    .from_par = from_par,
    .to_par = to_par,
    .to_free = MB_ACCELERATE_(1) ? to_free : NULL,
    .from_free = MB_ACCELERATE_(1) ? from_free : NULL,
    .move_par = move_par,
    .paper_len = len,
    .to_paper = to_paper,
    .draw_len = draw_len,
    .draw = draw,
};

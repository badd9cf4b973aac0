/* gamma.c - p(lambda) of a rate with u = [ln lambda, lambda], phi = [a - 1, -b],
 * A = ln Gamma(a) - a ln b. */
#include "base/accelerate.h"
#include "meshbayes/extend.h"
#include "num/num.h"

#include <float.h>
#include <math.h>

/* eps of the projection relative to the smaller of a and b of the prior */
#define MARGIN 1e-6

enum { SHAPE, RATE, LEN };

static size_t len(int32_t dim)
{
    (void)dim;
    return LEN;
}

/* 1 in Omega, with a and b. */
static int inside(const double *phi, double *a, double *b)
{
    *a = phi[SHAPE] + 1;
    *b = -phi[RATE];
    return *a > 0 && *a <= DBL_MAX && *b > 0 && *b <= DBL_MAX;
}

static mb_status moments(int32_t dim, const double *phi, double *mu, double *A, double *scratch)
{
    double a, b;

    (void)dim, (void)scratch;
    if (!inside(phi, &a, &b))
        return MB_E_DOMAIN;
    if (mu) {
        mu[0] = mb_digamma_(a) - log(b);
        mu[1] = a / b;
    }
    if (A)
        *A = mb_lgamma_(a) - a * log(b);
    return MB_OK;
}

/* Omega is a quadrant: the nearest point is that of each coordinate. */
static mb_status project(int32_t dim, double eps, double *phi, double *dist2, double *scratch)
{
    const double shape = phi[SHAPE], rate = phi[RATE];

    (void)dim, (void)scratch;
    if (!isfinite(shape) || !isfinite(rate))
        return MB_E_NUMERIC;
    phi[SHAPE] = fmax(shape, -1 + fmax(eps, DBL_EPSILON));
    phi[RATE] = fmin(rate, -eps);
    *dist2 = (phi[SHAPE] - shape) * (phi[SHAPE] - shape) + (phi[RATE] - rate) * (phi[RATE] - rate);
    return MB_OK;
}

static mb_status margin(int32_t dim, const double *prior, double *eps, double *scratch)
{
    double a, b;

    (void)dim, (void)scratch;
    if (!inside(prior, &a, &b))
        return MB_E_DOMAIN;
    *eps = MARGIN * fmin(a, b);
    return *eps > 0 ? MB_OK : MB_E_DOMAIN;
}

static mb_status from_par(int32_t dim, const double *par, double *phi)
{
    double a, b;

    (void)dim;
    phi[SHAPE] = par[0] - 1;
    phi[RATE] = -par[1];
    return inside(phi, &a, &b) ? MB_OK : MB_E_DOMAIN;
}

static mb_status to_par(int32_t dim, const double *phi, double *par, double *scratch)
{
    (void)dim, (void)scratch;
    return inside(phi, &par[0], &par[1]) ? MB_OK : MB_E_DOMAIN;
}

/* [ln a, ln b/a]. */
static mb_status to_free(int32_t dim, const double *phi, double *free, double *scratch)
{
    MB_TRY(to_par(dim, phi, free, scratch));
    free[RATE] = log(free[RATE] / free[SHAPE]);
    free[SHAPE] = log(free[SHAPE]);
    return MB_OK;
}

static void from_free(int32_t dim, const double *prior, double *free)
{
    (void)dim;
    free[SHAPE] = fmax(exp(free[SHAPE]), prior[SHAPE] + 1);
    free[RATE] = free[SHAPE] * exp(free[RATE]);
}

static size_t draw_len(int32_t dim)
{
    (void)dim;
    return 1;
}

static mb_status draw(int32_t dim, const double *par, mb_rng *rng, double *out, double *scratch)
{
    (void)dim, (void)scratch;
    if (!(par[0] > 0) || !(par[1] > 0))
        return MB_E_DOMAIN;
    *out = exp(mb_draw_ln_gamma_(rng, par[0]) - log(par[1]));
    return MB_OK;
}

/* lambda has the unit of its column, squared. */
static void move_par(int32_t dim, const double *origin, const double *scale, double *par)
{
    (void)dim, (void)origin;
    par[RATE] /= *scale * *scale;
}

/* A precision of y becomes one of o + s y. */
static void move_noise(int32_t dim, const double *origin, const double *scale, double *par)
{
    (void)dim, (void)origin;
    par[RATE] *= *scale * *scale;
}

static void to_paper_noise(int32_t dim, const double *phi, const double *origin,
                           const double *scale, double *out, double *scratch)
{
    (void)scratch;
    out[SHAPE] = phi[SHAPE];
    out[RATE] = phi[RATE];
    if (scale)
        move_noise(dim, origin, scale, out);
}

static void to_paper(int32_t dim, const double *phi, const double *origin, const double *scale,
                     double *out, double *scratch)
{
    (void)dim, (void)scratch;
    out[SHAPE] = phi[SHAPE];
    out[RATE] = phi[RATE];
    if (scale)
        move_par(dim, origin, scale, out);
}

/* The members that do not depend on what lambda measures. */
#define COMMON                                                                                     \
    .len = len, .moments = moments, .project = project, .margin = margin, .from_par = from_par,    \
    .to_par = to_par, .to_free = MB_ACCELERATE_(1) ? to_free : NULL,                               \
    .from_free = MB_ACCELERATE_(1) ? from_free : NULL, .draw_len = draw_len, .draw = draw

const mb_family mb_gamma = {
    .name = "gamma.1",
    COMMON,
};

const mb_family mb_gamma_squared = {
    .name = "gamma-squared.1",
    COMMON,
    .move_par = move_par,
    .paper_len = len,
    .to_paper = to_paper,
};

const mb_family mb_gamma_noise = {
    .name = "gamma-noise.1",
    COMMON,
    .move_par = move_noise,
    .paper_len = len,
    .to_paper = to_paper_noise,
};

/* dof.c - the degrees of freedom v of Student's t on a grid of dim points v_g = 2^(g/4):
 * u = (c(v), v/2), c(v) = v/2 ln(v/2) - ln Gamma(v/2), A = ln sum_g exp <phi, u(v_g)>. */
#include "base/accelerate.h"
#include "expfam/expfam.h"
#include "num/num.h"

#include <math.h>

enum { ROWS, GAP, LEN };

double mb_dof_at(int32_t g)
{
    return exp2(0.25 * g);
}

static double c_of(double half)
{
    return half * log(half) - mb_lgamma_(half);
}

static size_t len(int32_t dim)
{
    (void)dim;
    return LEN;
}

static size_t scratch_len(int32_t dim)
{
    return 2 * (size_t)dim;
}

/* ln P(v_g) into p, then c(v_g); returns A. */
static double logs(int32_t dim, const double *phi, double *p)
{
    double A;

    for (int32_t g = 0; g < dim; g++) {
        const double half = 0.5 * mb_dof_at(g);

        p[dim + g] = c_of(half);
        p[g] = phi[ROWS] * p[dim + g] + phi[GAP] * half;
    }
    A = mb_logsumexp_(p, dim);
    for (int32_t g = 0; g < dim; g++)
        p[g] -= A;
    return A;
}

static mb_status moments(int32_t dim, const double *phi, double *mu, double *A, double *scratch)
{
    double sum;

    if (!isfinite(phi[ROWS]) || !isfinite(phi[GAP]))
        return MB_E_DOMAIN;
    sum = logs(dim, phi, scratch);
    if (!isfinite(sum))
        return MB_E_DOMAIN;
    if (A)
        *A = sum;
    if (!mu)
        return MB_OK;
    mu[ROWS] = mu[GAP] = 0;
    for (int32_t g = 0; g < dim; g++) {
        mu[ROWS] += exp(scratch[g]) * scratch[dim + g];
        mu[GAP] += exp(scratch[g]) * 0.5 * mb_dof_at(g);
    }
    return MB_OK;
}

/* Omega has no boundary. */
static mb_status project(int32_t dim, double eps, double *phi, double *dist2, double *scratch)
{
    (void)dim, (void)eps, (void)scratch;
    *dist2 = 0;
    return isfinite(phi[ROWS]) && isfinite(phi[GAP]) ? MB_OK : MB_E_NUMERIC;
}

static mb_status margin(int32_t dim, const double *prior, double *eps, double *scratch)
{
    *eps = 1;
    return moments(dim, prior, NULL, NULL, scratch);
}

static mb_status from_par(int32_t dim, const double *par, double *phi)
{
    (void)dim;
    phi[ROWS] = par[ROWS];
    phi[GAP] = par[GAP];
    return isfinite(par[ROWS]) && isfinite(par[GAP]) ? MB_OK : MB_E_DOMAIN;
}

static mb_status to_par(int32_t dim, const double *phi, double *par, double *scratch)
{
    (void)scratch;
    return from_par(dim, phi, par);
}

/* [arsinh of the rows, the mean gap]: without boundary, and the size a logarithm. */
static mb_status to_free(int32_t dim, const double *phi, double *free, double *scratch)
{
    MB_TRY(to_par(dim, phi, free, scratch));
    free[GAP] /= sqrt(1 + phi[ROWS] * phi[ROWS]);
    free[ROWS] = asinh(phi[ROWS]);
    return MB_OK;
}

static void from_free(int32_t dim, const double *prior, double *free)
{
    (void)dim;
    free[GAP] *= cosh(free[ROWS]);
    free[ROWS] = fmax(sinh(free[ROWS]), prior[ROWS]);
}

static size_t draw_len(int32_t dim)
{
    (void)dim;
    return 1;
}

static mb_status draw(int32_t dim, const double *par, mb_rng *rng, double *out, double *scratch)
{
    double  left = mb_rng_uniform(rng);
    int32_t g = 0;

    if (moments(dim, par, NULL, NULL, scratch) < 0)
        return MB_E_DOMAIN;
    for (left -= exp(scratch[0]); left > 0 && g < dim - 1;)
        left -= exp(scratch[++g]);
    *out = mb_dof_at(g);
    return MB_OK;
}

const mb_family mb_dof = {
    .name = "dof.1",
    .len = len,
    .scratch = scratch_len,
    .moments = moments,
    .project = project,
    .margin = margin,
    .from_par = from_par,
    .to_par = to_par,
    .to_free = MB_ACCELERATE_(1) ? to_free : NULL,
    .from_free = MB_ACCELERATE_(1) ? from_free : NULL,
    .draw_len = draw_len,
    .draw = draw,
};

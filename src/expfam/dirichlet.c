/* dirichlet.c - p(pi) with u = ln pi, phi = alpha - 1,
 * A = sum ln Gamma(alpha) - ln Gamma(sum alpha). */
#include "base/accelerate.h"
#include "meshbayes/extend.h"
#include "num/num.h"

#include <float.h>
#include <math.h>

/* eps of the projection relative to the smallest alpha of the prior */
#define MARGIN 1e-6

static size_t len(int32_t dim)
{
    return (size_t)dim;
}

/* alpha_0 = sum alpha, or -1 outside Omega. */
static double total(int32_t dim, const double *phi)
{
    double sum = 0;

    for (int32_t k = 0; k < dim; k++) {
        if (!(phi[k] + 1 > 0 && phi[k] <= DBL_MAX))
            return -1;
        sum += phi[k] + 1;
    }
    return sum <= DBL_MAX ? sum : -1;
}

static mb_status moments(int32_t dim, const double *phi, double *mu, double *A, double *scratch)
{
    const double sum = total(dim, phi);

    (void)scratch;
    if (!(sum > 0))
        return MB_E_DOMAIN;
    if (mu) {
        const double psi = mb_digamma_(sum);

        for (int32_t k = 0; k < dim; k++)
            mu[k] = mb_digamma_(phi[k] + 1) - psi;
    }
    if (A) {
        *A = -mb_lgamma_(sum);
        for (int32_t k = 0; k < dim; k++)
            *A += mb_lgamma_(phi[k] + 1);
    }
    return MB_OK;
}

static mb_status project(int32_t dim, double eps, double *phi, double *dist2, double *scratch)
{
    /* However small eps is, phi + 1 > 0 must hold in floating point. */
    const double low = -1 + fmax(eps, DBL_EPSILON);

    (void)scratch;
    for (int32_t k = 0; k < dim; k++)
        if (!isfinite(phi[k]))
            return MB_E_NUMERIC;
    *dist2 = 0;
    for (int32_t k = 0; k < dim; k++) {
        const double before = phi[k];

        phi[k] = fmax(before, low);
        *dist2 += (phi[k] - before) * (phi[k] - before);
    }
    return MB_OK;
}

static mb_status margin(int32_t dim, const double *prior, double *eps, double *scratch)
{
    (void)scratch;
    if (!(total(dim, prior) > 0))
        return MB_E_DOMAIN;
    *eps = prior[0] + 1;
    for (int32_t k = 1; k < dim; k++)
        *eps = fmin(*eps, prior[k] + 1);
    *eps *= MARGIN;
    return MB_OK;
}

static mb_status from_par(int32_t dim, const double *par, double *phi)
{
    for (int32_t k = 0; k < dim; k++)
        phi[k] = par[k] - 1;
    return total(dim, phi) > 0 ? MB_OK : MB_E_DOMAIN;
}

static mb_status to_par(int32_t dim, const double *phi, double *par, double *scratch)
{
    (void)scratch;
    if (!(total(dim, phi) > 0))
        return MB_E_DOMAIN;
    for (int32_t k = 0; k < dim; k++)
        par[k] = phi[k] + 1;
    return MB_OK;
}

static mb_status to_free(int32_t dim, const double *phi, double *free, double *scratch)
{
    MB_TRY(to_par(dim, phi, free, scratch));
    for (int32_t k = 0; k < dim; k++)
        free[k] = log(free[k]);
    return MB_OK;
}

static void from_free(int32_t dim, const double *prior, double *free)
{
    for (int32_t k = 0; k < dim; k++)
        free[k] = fmax(exp(free[k]), prior[k] + 1);
}

/* Normalised gamma numbers, in logarithms so that those of tiny alpha are not all 0. */
static mb_status draw(int32_t dim, const double *par, mb_rng *rng, double *out, double *scratch)
{
    double lse;

    (void)scratch;
    for (int32_t k = 0; k < dim; k++) {
        if (!(par[k] > 0))
            return MB_E_DOMAIN;
        out[k] = mb_draw_ln_gamma_(rng, par[k]);
    }
    lse = mb_logsumexp_(out, dim);
    for (int32_t k = 0; k < dim; k++)
        out[k] = exp(out[k] - lse);
    return MB_OK;
}

static mb_status expect(int32_t dim, const double *phi, double *ln_pi, double *scratch)
{
    return moments(dim, phi, ln_pi, NULL, scratch);
}

static double share(const double *entry, double *left)
{
    (void)left;
    return *entry > 0 && *entry <= DBL_MAX ? *entry : -1;
}

static void add(int32_t dim, const double *count, double *s)
{
    for (int32_t k = 0; k < dim; k++)
        s[k] += count[k];
}

static void merge(int32_t dim, int32_t keep, int32_t gone, const double *prior, const double *p,
                  double *out)
{
    for (int32_t k = 0; k < dim; k++)
        if (k != gone)
            *out++ = p[k] + (k == keep ? p[gone] - prior[keep] : 0);
}

static const mb_mixing weights = {
    .entry = 1, .expect = expect, .share = share, .add = add, .merge = merge};

const mb_family mb_dirichlet = {
    .name = "dirichlet.1",
    .len = len,
    .moments = moments,
    .project = project,
    .margin = margin,
    .from_par = from_par,
    .to_par = to_par,
    .to_free = MB_ACCELERATE_(1) ? to_free : NULL,
    .from_free = MB_ACCELERATE_(1) ? from_free : NULL,
    .draw_len = len,
    .draw = draw,
    .weights = &weights,
};

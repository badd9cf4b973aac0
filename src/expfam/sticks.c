/* sticks.c - the weights of a truncated Dirichlet process: K independent v_k ~ Beta(a_k, b_k),
 * u = [ln v_1, ln(1 - v_1), ..], A = sum ln Gamma(a) + ln Gamma(b) - ln Gamma(a + b). */
#include "base/accelerate.h"
#include "meshbayes/extend.h"
#include "num/num.h"

#include <float.h>
#include <math.h>

/* eps of the projection relative to the smallest a or b of the prior */
#define MARGIN 1e-6

static size_t len(int32_t dim)
{
    return 2 * (size_t)dim;
}

static int inside(int32_t dim, const double *phi)
{
    for (int32_t e = 0; e < 2 * dim; e++)
        if (!(phi[e] + 1 > 0 && phi[e] <= DBL_MAX))
            return 0;
    return 1;
}

static mb_status moments(int32_t dim, const double *phi, double *mu, double *A, double *scratch)
{
    (void)scratch;
    if (!inside(dim, phi))
        return MB_E_DOMAIN;
    if (A)
        *A = 0;
    for (int32_t k = 0; k < dim; k++, phi += 2) {
        const double a = phi[0] + 1, b = phi[1] + 1, psi = mu ? mb_digamma_(a + b) : 0;

        if (A)
            *A += mb_lgamma_(a) + mb_lgamma_(b) - mb_lgamma_(a + b);
        if (mu) {
            *mu++ = mb_digamma_(a) - psi;
            *mu++ = mb_digamma_(b) - psi;
        }
    }
    return A && !isfinite(*A) ? MB_E_DOMAIN : MB_OK;
}

static mb_status project(int32_t dim, double eps, double *phi, double *dist2, double *scratch)
{
    return mb_dirichlet.project(2 * dim, eps, phi, dist2, scratch);
}

static mb_status margin(int32_t dim, const double *prior, double *eps, double *scratch)
{
    (void)scratch;
    if (!inside(dim, prior))
        return MB_E_DOMAIN;
    *eps = prior[0] + 1;
    for (int32_t e = 1; e < 2 * dim; e++)
        *eps = fmin(*eps, prior[e] + 1);
    *eps *= MARGIN;
    return MB_OK;
}

static mb_status from_par(int32_t dim, const double *par, double *phi)
{
    for (int32_t e = 0; e < 2 * dim; e++)
        phi[e] = par[e] - 1;
    return inside(dim, phi) ? MB_OK : MB_E_DOMAIN;
}

static mb_status to_par(int32_t dim, const double *phi, double *par, double *scratch)
{
    (void)scratch;
    if (!inside(dim, phi))
        return MB_E_DOMAIN;
    for (int32_t e = 0; e < 2 * dim; e++)
        par[e] = phi[e] + 1;
    return MB_OK;
}

static size_t draw_len(int32_t dim)
{
    return (size_t)dim;
}

/* v = x/(x + y) of two gamma numbers, in logarithms. */
static mb_status draw(int32_t dim, const double *par, mb_rng *rng, double *out, double *scratch)
{
    double left = 0, lse;

    (void)scratch;
    for (int32_t k = 0; k < dim; k++) {
        double pair[2];

        if (!(par[2 * k] > 0 && par[2 * k + 1] > 0))
            return MB_E_DOMAIN;
        pair[0] = mb_draw_ln_gamma_(rng, par[2 * k]);
        pair[1] = mb_draw_ln_gamma_(rng, par[2 * k + 1]);
        lse = mb_logsumexp_(pair, 2);
        out[k] = left + pair[0] - lse;
        left += pair[1] - lse;
    }
    lse = mb_logsumexp_(out, dim);
    for (int32_t k = 0; k < dim; k++)
        out[k] = exp(out[k] - lse);
    return MB_OK;
}

static mb_status to_free(int32_t dim, const double *phi, double *free, double *scratch)
{
    MB_TRY(to_par(dim, phi, free, scratch));
    for (int32_t k = 0; k < 2 * dim; k++)
        free[k] = log(free[k]);
    return MB_OK;
}

static void from_free(int32_t dim, const double *prior, double *free)
{
    for (int32_t k = 0; k < 2 * dim; k++)
        free[k] = fmax(exp(free[k]), prior[k] + 1);
}

/* E[ln v_k] + sum_{l<k} E[ln(1 - v_l)]. */
static mb_status expect(int32_t dim, const double *phi, double *ln_pi, double *scratch)
{
    double left = 0;

    (void)scratch;
    if (!inside(dim, phi))
        return MB_E_DOMAIN;
    for (int32_t k = 0; k < dim; k++, phi += 2) {
        const double psi = mb_digamma_(phi[0] + phi[1] + 2);

        ln_pi[k] = left + mb_digamma_(phi[0] + 1) - psi;
        left += mb_digamma_(phi[1] + 1) - psi;
    }
    return MB_OK;
}

/* E[v_k] prod_{l<k} E[1 - v_l]. */
static double share(const double *entry, double *left)
{
    const double a = entry[0], b = entry[1], all = *left;

    if (!(a > 0 && b > 0 && a + b <= DBL_MAX))
        return -1;
    *left *= 1 - a / (a + b);
    return all * (a / (a + b));
}

static void add(int32_t dim, const double *count, double *s)
{
    double after = 0;

    for (int32_t k = dim - 1; k >= 0; k--) {
        s[2 * k] += count[k];
        s[2 * k + 1] += after;
        after += count[k];
    }
}

/* The rows are after every stick before `keep` from now on, instead of before `gone`. */
static void merge(int32_t dim, int32_t keep, int32_t gone, const double *prior, const double *p,
                  double *out)
{
    const double rows = p[2 * gone] - prior[2 * keep];

    for (int32_t k = 0; k < dim; k++) {
        if (k == gone)
            continue;
        *out++ = p[2 * k] + (k == keep ? rows : 0);
        *out++ =
            p[2 * k + 1] - (k >= keep && k < gone ? rows : 0) + (k > gone && k < keep ? rows : 0);
    }
}

static const mb_mixing weights = {
    .entry = 2, .in_order = 1, .expect = expect, .share = share, .add = add, .merge = merge};

const mb_family mb_sticks = {
    .name = "sticks.1",
    .len = len,
    .moments = moments,
    .project = project,
    .margin = margin,
    .from_par = from_par,
    .to_par = to_par,
    .to_free = MB_ACCELERATE_(1) ? to_free : NULL,
    .from_free = MB_ACCELERATE_(1) ? from_free : NULL,
    .draw_len = draw_len,
    .draw = draw,
    .weights = &weights,
};

/* tmm_tail.c - the predictive density of a row whose precision is not known: with t = ln u,
 *     I(v) = exp(c(v)) integral of exp(v/2 (t - e^t)) s^(-D/2) (1 + distance/s)^-half dt,
 * s = e^-t + 1/beta and c(v) = v/2 ln(v/2) - ln Gamma(v/2). The integrand is analytic and falls
 * exponentially or faster, where sums at equal steps converge exponentially (docs/math.md, section
 * 17). */
#include "num/num.h"
#include "tmm/tmm.h"

#include <math.h>

static const double SMALL = 1e-18; /* of the sum, or of a probability: not added */

/* ln of the integrand without c(v). */
static double ln_integrand(const mb_tail_ *q, double v, double distance, double t)
{
    const double u = exp(t), s = 1 / u + 1 / q->beta;

    return 0.5 * v * (t - u) - 0.5 * q->D * log(s) - q->half * log1p(distance / s);
}

/* Its derivative. */
static double slope(const mb_tail_ *q, double v, double distance, double t)
{
    const double u = exp(t), s = 1 / u + 1 / q->beta, part = 1 / (u * s);

    return 0.5 * v * (1 - u) + part * (0.5 * q->D - q->half * distance / (s + distance));
}

/* Where the integrand is about largest. */
static double top(const mb_tail_ *q, double v, double distance)
{
    double low = -700, high = 2 + log1p(q->D / v);

    for (int i = 0; i < 16; i++) {
        const double t = 0.5 * (low + high);

        if (slope(q, v, distance, t) > 0)
            low = t;
        else
            high = t;
    }
    return low;
}

/* Sum of the integrand, relative to that at t0, at t0 + h, t0 + 2h, .. until it is negligible: to
 * the left it falls for good, to the right surely where u > 1. */
static double side(const mb_tail_ *q, double v, double distance, double t0, double h, double most)
{
    double sum = 0, term = 1;

    for (double t = t0 + h; term > SMALL * (1 + sum) || (h > 0 && t < 1); t += h) {
        term = exp(ln_integrand(q, v, distance, t) - most);
        sum += term;
    }
    return sum;
}

static double ln_integral(const mb_tail_ *q, double v, double distance)
{
    const double h = fmin(0.25, 0.7 * sqrt(2 / (v + q->D))), t0 = top(q, v, distance);
    const double most = ln_integrand(q, v, distance, t0), half = 0.5 * v;

    return half * log(half) - mb_lgamma_(half) + most +
           log(h * (1 + side(q, v, distance, t0, h, most) + side(q, v, distance, t0, -h, most)));
}

double mb_tail_ln_(const mb_tail_ *q, double distance)
{
    double most = -(double)INFINITY, sum = 0;

    if (!q->logs)
        return ln_integral(q, q->dof, distance);
    for (int32_t g = 0; g < q->n; g++) {
        double ln;

        if (!(q->logs[g] > log(SMALL)))
            continue;
        ln = q->logs[g] + ln_integral(q, mb_dof_at(g), distance);
        if (ln > most) {
            sum = sum * exp(most - ln) + 1;
            most = ln;
        } else
            sum += exp(ln - most);
    }
    return most + log(sum);
}

/* special.c - digamma and ln Gamma on x > 0 by recurrence and asymptotic series [AS64, 6.1.40,
 * 6.3.18], and ln sum exp without overflow. */
#include "num/num.h"

#include <math.h>

enum { SHIFT = 12 }; /* from here on the series is exact to rounding */

/* psi(x) = ln x - 1/(2x) - sum B_2k / (2k x^2k), x >= SHIFT: the terms after ln x. */
static double below_log(double x)
{
    const double r = 1 / x, y = r * r;

    return -0.5 * r -
           y * (1.0 / 12 -
                y * (1.0 / 120 -
                     y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760))))));
}

/* *x >= SHIFT, and the sum of 1/x over the steps up to there, two at a time to spare divisions:
 * psi(x) is lower by it. The first term is added last: near 0 it is nearly the whole sum. */
static double shift_up(double *x)
{
    const double first = *x < 1 ? 1 / *x : 0;
    double       sum = 0, y = *x < 1 ? *x + 1 : *x;

    for (; y < SHIFT; y += 2)
        sum += (y + (y + 1)) / (y * (y + 1));
    *x = y;
    return sum + first;
}

double mb_digamma_(double x)
{
    const double shift = shift_up(&x);

    return log(x) + (below_log(x) - shift);
}

/* ln Gamma(x) = (x - 1/2) ln x - x + ln(2 pi)/2 + sum B_2k / (2k (2k-1) x^(2k-1)), x >= SHIFT. */
static double stirling(double x)
{
    const double half_ln_2pi = 0.91893853320467274178;
    double       y = 1 / (x * x);

    return (x - 0.5) * log(x) - x + half_ln_2pi +
           (1.0 / 12 -
            y * (1.0 / 360 -
                 y * (1.0 / 1260 - y * (1.0 / 1680 - y * (1.0 / 1188 - y * (691.0 / 360360)))))) /
               x;
}

/* Gamma(x) = Gamma(x + m) / (x (x+1) .. (x+m-1)): the product stays far from overflow. */
double mb_lgamma_(double x)
{
    double product = 1;

    if (x >= SHIFT)
        return stirling(x);
    for (; x < SHIFT; x += 1)
        product *= x;
    return stirling(x) - log(product);
}

/* ln Gamma(x+1/2) - ln Gamma(x) = ln x/2 - 1/(8x) + 1/(192 x^3) - 1/(640 x^5) + .. */
double mb_lgamma_half_(double x)
{
    double product = 1, y;

    for (; x < SHIFT; x += 1)
        product *= x / (x + 0.5);
    y = 1 / (x * x);
    return log(product) + 0.5 * log(x) -
           (1.0 / 8 -
            y * (1.0 / 192 - y * (1.0 / 640 - y * (17.0 / 14336 -
                                                   y * (31.0 / 18432 - y * (691.0 / 180224)))))) /
               x;
}

double mb_lgamma_multi_(int32_t D, double a)
{
    double sum = 0;

    for (int32_t d = 0; d < D; d++)
        sum += mb_lgamma_(a - 0.5 * d);
    return sum;
}

/* product * x, or 1 with both logarithms added to *logs when the product leaves a range in which the
 * product of two such numbers cannot overflow. */
static double times(double product, double x, double *logs)
{
    const double low = 1e-150, high = 1e150, next = product * x;

    if (next > low && next < high)
        return next;
    *logs += log(product) + log(x);
    return 1;
}

double mb_log_product_(const double *x, size_t stride, int32_t n)
{
    double product = 1, logs = 0;

    for (int32_t i = 0; i < n; i++)
        product = times(product, x[(size_t)i * stride], &logs);
    return logs + log(product);
}

/* One logarithm for the product of all shifted arguments. */
double mb_digamma_multi_(int32_t D, double a)
{
    double product = 1, logs = 0, rest = 0;

    for (int32_t d = 0; d < D; d++) {
        double       x = a - 0.5 * d;
        const double shift = shift_up(&x);

        rest += below_log(x) - shift;
        product = times(product, x, &logs);
    }
    return logs + log(product) + rest;
}

double mb_logsumexp_(const double *x, int32_t n)
{
    double top = -INFINITY, sum = 0;

    for (int32_t k = 0; k < n; k++)
        if (x[k] > top || isnan(x[k]))
            top = x[k];
    if (!isfinite(top))
        return top;
    for (int32_t k = 0; k < n; k++)
        sum += exp(x[k] - top);
    return top + log(sum);
}

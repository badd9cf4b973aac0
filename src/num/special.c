/* special.c - digamma and ln Gamma on x > 0 by recurrence and asymptotic series [AS64, 6.1.40, 6.3.18]. */
#include "num/num.h"

#include <math.h>

enum { SHIFT = 12 }; /* from here the series is exact to rounding */

/* psi(x) = ln x - 1/(2x) - sum B_2k / (2k x^2k), x >= SHIFT. */
double mb_digamma_(double x)
{
    double shift = 0, y;

    for (; x < SHIFT; x += 1)
        shift -= 1 / x;
    y = 1 / (x * x);
    return shift + log(x) - 0.5 / x -
           y * (1.0 / 12 -
                y * (1.0 / 120 -
                     y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760))))));
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

double mb_digamma_multi_(int32_t D, double a)
{
    double sum = 0;

    for (int32_t d = 0; d < D; d++)
        sum += mb_digamma_(a - 0.5 * d);
    return sum;
}

/* beta.c - quantiles of the Beta distribution by bisection on the logit of x. */
#include "num/num.h"

#include <math.h>

enum { STEPS = 80 };
static const double FAR = 720; /* beyond this logit x or 1 - x is below the range of double */

/* P(X <= x) and P(X > x), of which the smaller one is computed; r: the logit of x. */
typedef struct sides {
    double below, above;
} sides;

static sides at(double a, double b, double r)
{
    const double ln_x = r > 0 ? -log1p(exp(-r)) : r - log1p(exp(r)), ln_y = ln_x - r;
    const double front = mb_lgamma_(a + b) - mb_lgamma_(a) - mb_lgamma_(b) + a * ln_x + b * ln_y;
    sides        s;

    if (exp(ln_x) < (a + 1) / (a + b + 2)) {
        s.below = exp(front) * mb_beta_fraction_(a, b, exp(ln_x)) / a;
        s.above = 1 - s.below;
    } else {
        s.above = exp(front) * mb_beta_fraction_(b, a, exp(ln_y)) / b;
        s.below = 1 - s.above;
    }
    return s;
}

double mb_beta_quantile(double a, double b, double p)
{
    double low = -FAR, high = FAR;

    if (!(a > 0) || !(b > 0) || !(p >= 0 && p <= 1))
        return (double)NAN;
    if (!(p > 0) || !(p < 1))
        return p;
    for (int k = 0; k < STEPS; k++) {
        const double r = 0.5 * (low + high);
        const sides  s = at(a, b, r);

        if (s.below < s.above ? s.below < p : s.above > 1 - p)
            low = r;
        else
            high = r;
    }
    return 1 / (1 + exp(-0.5 * (low + high)));
}

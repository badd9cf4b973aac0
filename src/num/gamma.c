/* gamma.c - random gamma and chi numbers by the squeeze of Marsaglia and Tsang [Marsaglia00]. */
#include "num/num.h"

#include <math.h>

/* shape >= 1: d (1 + c z)^3 is nearly gamma distributed; about 1 in 20 is rejected. */
static double ln_gamma_from_one(mb_rng *rng, double shape)
{
    const double d = shape - 1.0 / 3, c = 1 / (3 * sqrt(d));

    for (;;) {
        const double z = mb_rng_normal(rng), u = mb_rng_uniform(rng), t = 1 + c * z;

        if (t > 0) {
            const double ln_v = 3 * log(t), v = t * t * t;

            if (log(u) < 0.5 * z * z + d * (1 - v + ln_v))
                return log(d) + ln_v;
        }
    }
}

/* Below 1: Gamma(a) = Gamma(a + 1) U^(1/a). */
double mb_draw_ln_gamma_(mb_rng *rng, double shape)
{
    double ln = 0;

    if (shape < 1) {
        ln = log(mb_rng_uniform(rng)) / shape;
        shape += 1;
    }
    return ln + ln_gamma_from_one(rng, shape);
}

double mb_draw_chi_(mb_rng *rng, double df)
{
    return exp(0.5 * (0.69314718055994530942 + mb_draw_ln_gamma_(rng, 0.5 * df)));
}

/* privacy.c - Gaussian differential privacy [Dong22] by the analytic Gaussian mechanism [Balle18]. */
#include "num/privacy.h"

#include <math.h>

static double normal_below(double x)
{
    return 0.5 * erfc(-x * 0.70710678118654752440);
}

double mb_privacy_delta_(double epsilon, double mu)
{
    const double middle = epsilon / mu;

    return normal_below(0.5 * mu - middle) - exp(epsilon) * normal_below(-0.5 * mu - middle);
}

enum { HALVINGS = 200 /* until two neighbouring doubles */ };

double mb_privacy_mu_(double epsilon, double delta)
{
    double low = 0, high = 64;

    for (int k = 0; k < HALVINGS; k++) {
        const double mu = 0.5 * (low + high);

        if (mb_privacy_delta_(epsilon, mu) <= delta)
            low = mu;
        else
            high = mu;
    }
    return low;
}

double mb_privacy_epsilon_(double mu, double delta)
{
    double low = 0, high = MB_EPSILON_MOST;

    if (!(mu > 0) || mb_privacy_delta_(low, mu) <= delta)
        return 0;
    if (!(mb_privacy_delta_(high, mu) <= delta))
        return (double)INFINITY;
    for (int k = 0; k < HALVINGS; k++) {
        const double epsilon = 0.5 * (low + high);

        if (mb_privacy_delta_(epsilon, mu) <= delta)
            high = epsilon;
        else
            low = epsilon;
    }
    return high;
}

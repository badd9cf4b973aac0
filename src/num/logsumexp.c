/* logsumexp.c - ln sum exp without overflow. */
#include "num/num.h"

#include <math.h>

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

/* sorted.c - numbers in ascending order. */
#include "base/app.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void app_sort(double *x, int64_t n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
}

double app_quantile(const double *x, int64_t n, double q)
{
    const double  at = q * (double)(n - 1);
    const int64_t k = (int64_t)at;

    return k + 1 < n ? x[k] + (at - (double)k) * (x[k + 1] - x[k]) : x[k];
}

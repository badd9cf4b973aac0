/* numbers.c - ellipses, densities, and curves thinned without losing their extremes. */
#include "report/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586

void page_ellipse(const double mean[2], const double cov[3], double radius, int32_t count,
                  double *xy)
{
    /* the unit circle through the Cholesky factor of the covariance */
    const double l11 = sqrt(fmax(cov[0], 0));
    const double l21 = l11 > 0 ? cov[1] / l11 : 0;
    const double l22 = sqrt(fmax(cov[2] - l21 * l21, 0));

    for (int32_t j = 0; j < count; j++) {
        const double angle = j + 1 < count ? TWO_PI * j / (count - 1) : 0;

        xy[2 * j] = mean[0] + radius * l11 * cos(angle);
        xy[2 * j + 1] = mean[1] + radius * (l21 * cos(angle) + l22 * sin(angle));
    }
}

double page_density(double x, double mean, double variance)
{
    const double gap = x - mean;

    return exp(-gap * gap / (2 * variance)) / sqrt(TWO_PI * variance);
}

/* Points first..last-1 as one or two points. */
static int64_t bucket(const page_point *in, int64_t first, int64_t last, page_point *out)
{
    int64_t low = -1, high = -1;
    double  top = PAGE_NAN;

    for (int64_t j = first; j < last; j++) {
        top = fmax(top, in[j].top); /* fmax leaves NaN out */
        if (!isfinite(in[j].y))
            continue;
        if (low < 0 || in[j].y < in[low].y)
            low = j;
        if (high < 0 || in[j].y > in[high].y)
            high = j;
    }
    if (low < 0) {
        out[0] = (page_point){in[first].x, PAGE_NAN, PAGE_NAN};
        return 1;
    }
    out[0] = in[low < high ? low : high];
    out[0].top = top;
    if (low == high)
        return 1;
    out[1] = in[low < high ? high : low];
    out[1].top = top;
    return 2;
}

int64_t page_thin(int64_t n, const page_point *in, int32_t buckets, int logx, page_point *out)
{
    int64_t first = 0, count = 0;

    if (n <= 2 * (int64_t)buckets) {
        for (int64_t j = 0; j < n; j++)
            out[j] = in[j];
        return n;
    }
    const double from = logx ? log(in[0].x) : in[0].x;
    const double to = logx ? log(in[n - 1].x) : in[n - 1].x;

    for (int32_t b = 0; b < buckets; b++) {
        const double limit = from + (to - from) * (b + 1) / buckets;
        int64_t      last = first;

        while (last < n && (b + 1 == buckets || (logx ? log(in[last].x) : in[last].x) <= limit))
            last++;
        if (last > first)
            count += bucket(in, first, last, out + count);
        first = last;
    }
    return count;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double page_quantile(double *x, int64_t n, double q)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return x[(int64_t)(q * (double)(n - 1))];
}

double page_gap(double bound, double other)
{
    const double rounding = 1e-12, gap = bound - other;

    return fabs(gap) <= rounding * fmax(1, fabs(other)) ? 0 : gap;
}

/* Characters that the texts of the multiples of a step take; *widest: those of the longest. */
static int characters(double lo, double hi, double step, int *widest)
{
    int sum = 0;

    *widest = 0;
    for (double k = ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step; k++) {
        const int n = snprintf(NULL, 0, "%g", k * step + 0.0); /* 0, not -0 */

        sum += n + 2;
        *widest = n > *widest ? n : *widest;
    }
    return sum - 2;
}

double page_tick_step(double lo, double hi, int most, int room, int *widest)
{
    static const double times[] = {1, 2, 5};
    const double        size = hi - lo;
    int                 longest = 1, fits = 0;
    double              step = 1;

    if (isfinite(size) && size > 0)
        for (int k = (int)floor(log10(size / most)), j = 0; !fits && j < 12; j++) {
            step = times[j % 3] * pow(10, k + j / 3);
            fits = size / step <= most && characters(lo, hi, step, &longest) <= room;
        }
    if (widest)
        *widest = longest;
    return step;
}

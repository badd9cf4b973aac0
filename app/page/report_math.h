/* report_math.h - the arithmetic of the figures; no files, no text. */
#ifndef MB_REPORT_MATH_H
#define MB_REPORT_MATH_H

#include <math.h>
#include <stdint.h>

/* Those of <math.h> are floats, and compilers warn of an implicit conversion to double. */
#define REPORT_NAN ((double)NAN)
#define REPORT_INF ((double)INFINITY)

typedef struct report_point {
    double x, y, top; /* top: the worst node's value */
} report_point;

/* `count` points (x, y) of the ellipse at `radius` standard deviations of a 2 x 2 covariance,
 * closed: the last is the first. A covariance that is not positive semidefinite is drawn with its
 * negative part as 0. */
void report_ellipse(const double mean[2], const double cov[3] /* xx xy yy */, double radius,
                    int32_t count, double *xy /* count x 2 */);

/* Density at x of N(mean, variance). */
double report_density(double x, double mean, double variance);

/* At most 2 * buckets of n points ascending in x: in each bucket (equal widths of x, of log x when
 * logx) the lowest and the highest y in their order, both with the bucket's largest top, so that no
 * spike is lost. A bucket in which no y is finite gives one point with y NaN. out: 2 * buckets or n
 * points, whichever is less. Returns how many. */
int64_t report_thin(int64_t n, const report_point *in, int32_t buckets, int logx,
                    report_point *out);

/* bound - other; 0 where that is the rounding of sums over rows. NaN when either is. */
double report_gap(double bound, double other);

/* Value at fraction q of the ascending order of n numbers; sorts x. n >= 1. */
double report_quantile(double *x, int64_t n, double q);

#endif

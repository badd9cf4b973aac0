/* numbers.h - the arithmetic of the figures; no files, no text. */
#ifndef MB_REPORT_NUMBERS_H
#define MB_REPORT_NUMBERS_H

#include <math.h>
#include <stdint.h>

/* Those of <math.h> are floats: compilers warn about the conversion to double. */
#define PAGE_NAN ((double)NAN)
#define PAGE_INF ((double)INFINITY)

typedef struct page_point {
    double x, y, top; /* top: the worst node's value */
} page_point;

/* `count` points (x, y) of the ellipse at `radius` standard deviations of a 2 x 2 covariance,
 * closed: the last is the first. The negative part of a covariance that is not positive
 * semidefinite counts as 0. */
void page_ellipse(const double mean[2], const double cov[3] /* xx xy yy */, double radius,
                  int32_t count, double *xy /* count x 2 */);

/* Density at x of N(mean, variance). */
double page_density(double x, double mean, double variance);

/* At most 2 * buckets of n points ascending in x: in each bucket (equal widths of x, of log x when
 * logx) the lowest and the highest y in their order, both with the bucket's largest top, so that no
 * spike is lost. A bucket in which no y is finite gives one point with y NaN. out: 2 * buckets or n
 * points, whichever is less. Returns how many. */
int64_t page_thin(int64_t n, const page_point *in, int32_t buckets, int logx, page_point *out);

/* bound - other; 0 where that is the rounding of sums over rows. NaN when either is. */
double page_gap(double bound, double other);

/* The smallest step of 1, 2 or 5 times a power of ten of which lo..hi has at most `most` multiples,
 * whose texts (%g), with two blanks between them, take at most `room` characters; 1 where lo..hi is
 * not a finite range. *widest (NULL: not wanted): characters of the longest text. */
double page_tick_step(double lo, double hi, int most, int room, int *widest);

/* Value at fraction q of the ascending order of n numbers; sorts x. n >= 1. */
double page_quantile(double *x, int64_t n, double q);

#endif

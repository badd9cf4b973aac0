/* start/gaussian.h - centres from moments alone, for a start that shows no row (docs/math.md,
 * section 7). */
#ifndef MB_START_GAUSSIAN_H
#define MB_START_GAUSSIAN_H

#include "meshbayes/extend.h"

/* Draws of centres, of which the best counts, and steps of Lloyd's iteration that move each. */
enum { MB_GAUSSIAN_DRAWS_ = 4, MB_GAUSSIAN_STEPS_ = 10 };

/* root (D x D): the factor of the covariance. 0: there is none, columns are independent. */
int mb_gaussian_root_(const mb_row_moments *seen, double *root);
/* K centres (K x D, data units) of a Gaussian with these moments, each number inside its bounds, by
 * the seed and the number of the draw. root NULL: columns are independent. bounds may be NULL.
 * normal: D, scratch. */
void mb_gaussian_centres_(const mb_row_moments *seen, const double *root, const mb_bounds *bounds,
                          uint64_t seed, uint64_t draw, int32_t K, double *normal, double *centres);
/* From the sums of clusters, K x (weight, sum (D)) in common units: centres (K x D) become the
 * means, those without weight stay. Returns the sum of weight times squared length of the means. */
double mb_gaussian_move_(int32_t K, int32_t D, const double *sums, double *centres);

#endif

/* meshbayes/num.h - quantiles and matrix functions needed to evaluate a posterior. */
#ifndef MESHBAYES_NUM_H
#define MESHBAYES_NUM_H

#include "meshbayes/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The t with P(T <= t) = p for Student's T with dof > 0 degrees of freedom (not necessarily an
 * integer; INFINITY: the normal distribution): a central interval of probability P is location -+
 * scale mb_student_quantile(dof, (1 + P)/2). Relative error below 1e-11 for p in [1e-300, 1 -
 * 2^-53]; p = 0 and p = 1 give infinities, as does a quantile beyond the range of double. NaN for a
 * p outside [0, 1] or a dof that is not positive. */
MB_API double mb_student_quantile(double dof, double p);

/* The x with P(X <= x) = p for X of the Beta distribution with parameters a, b > 0: a share of a
 * Dirichlet distribution has its concentration and the sum of the others. Relative error below
 * 1e-10 + 1e-14 (a + b) ln(a + b), where x is a normal number. NaN for a p outside [0, 1] or a
 * parameter that is not positive. */
MB_API double mb_beta_quantile(double a, double b, double p);

/* C lower with A = C C', and C^-1, of a symmetric positive definite A (n x n, row-major; only its
 * lower triangle is read). C, Cinv: n x n, 0 above the diagonal; A, C and Cinv must not overlap.
 * The precision A^-1 is Cinv' Cinv, and ln |A| is twice the sum of ln C_ii. MB_E_DOMAIN if A is not
 * positive definite. O(n^3). */
MB_API mb_status mb_cholesky(int32_t n, const double *A, double *C, double *Cinv,
                             mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif

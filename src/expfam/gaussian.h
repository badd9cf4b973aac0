/* expfam/gaussian.h - what generalised linear models need of their family. */
#ifndef MB_GAUSSIAN_H
#define MB_GAUSSIAN_H

#include "meshbayes/meshbayes.h"

/* Domain test by one Cholesky factorisation, p: all coefficients. L (p x p, lower triangle) =
 * chol(P), m (p) the mean. The variance of w'x is |L^-1 x|^2. MB_E_DOMAIN outside Omega. */
mb_status mb_gaussian_factor_(int32_t p, const double *phi, double *L, double *m) MB_CHECKED;

#endif

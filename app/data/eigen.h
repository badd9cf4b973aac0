/* eigen.h - eigenvalues and vectors of large symmetric matrices. */
#ifndef MB_EIGEN_H
#define MB_EIGEN_H

#include "meshbayes/meshbayes.h"

/* The k largest eigenvalues of a symmetric A (n x n, row-major; only its lower triangle is read) in
 * descending order, and their eigenvectors of length 1, row j of V (k x n) for value j, each with
 * its entry of largest modulus positive. values: n, all of them. V: NULL when k = 0. Errors of size
 * 1e-15 n |A|. Memory of n (n + 2) numbers, with k > 0 n (2 n + 2), comes from `a`. MB_E_NUMERIC
 * when A is not finite. O(n^3). */
mb_status eigen_symmetric(mb_arena *a, int32_t n, const double *A, int32_t k, double *values,
                          double *V, mb_err *err) MB_CHECKED;
/* Changes the sign of v (n) where its entry of largest modulus is negative. */
void eigen_orient(int32_t n, double *v);

#endif

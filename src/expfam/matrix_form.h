/* expfam/matrix_form.h - what families with phi = [one number, svec(-M/2)] share, M symmetric of
 * size n = dim + 1. A row z adds [1/2, svec(-z z'/2)]: M grows by z z'. */
#ifndef MB_MATRIX_FORM_H
#define MB_MATRIX_FORM_H

#include "meshbayes/meshbayes.h"

/* eps of the projection relative to the smallest eigenvalue of the prior's M */
#define MB_MF_MARGIN 1e-6

size_t mb_mf_len_(int32_t dim);     /* 1 + n(n+1)/2                       */
size_t mb_mf_scratch_(int32_t dim); /* two n x n matrices and an n-vector */
int    mb_mf_finite_(int32_t dim, const double *phi);
/* M, n x n, both triangles. */
void mb_mf_matrix_(int32_t dim, const double *phi, double *M);
/* chol(M) in the lower triangle of L, n x n. MB_E_DOMAIN when phi is not finite or M not > 0. */
mb_status mb_mf_factor_(int32_t dim, const double *phi, double *L) MB_CHECKED;
/* mu[1..] = svec(L^-T diag(first, others .., last) L^-1), L as mb_mf_factor_ leaves it at the
 * beginning of scratch, which is overwritten. */
void mb_mf_mean_(int32_t dim, double *scratch, double first, double others, double last,
                 double *mu);
/* The nearest phi with phi[0] >= low and eigenvalues of M of at least eps, eq. (38b). */
mb_status mb_mf_project_(int32_t dim, double low, double eps, double *phi, double *dist2,
                         double *scratch) MB_CHECKED;
/* MB_MF_MARGIN times the smallest eigenvalue of M, which is positive definite; of many columns at
 * most that, by a thousandth as a rule. */
mb_status mb_mf_margin_(int32_t dim, const double *prior, double *eps, double *scratch) MB_CHECKED;
/* tril, the lower triangle of a symmetric matrix by rows, after a change of the unit of each of its
 * n rows and columns: entry (i, j) times scale[i] scale[j]. */
void mb_mf_scale_(int32_t n, const double *scale, double *tril);
/* M := T M T', T = [1 0; origin diag(scale)], of the lower triangle, in place: the sums of z z',
 * z = (1, x), after the `columns` entries of x become origin + scale x.
 * ld: stride of the rows; 0: the triangle is packed row by row. */
void mb_mf_move_(int32_t columns, size_t ld, const double *origin, const double *scale, double *M);

#endif

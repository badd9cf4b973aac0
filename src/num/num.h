/* num/num.h - small dense numerics, libm only. Matrices are full, row-major, n x n. */
#ifndef MB_NUM_H
#define MB_NUM_H

#include "meshbayes/meshbayes.h"

double mb_digamma_(double x); /* psi(x), x > 0; error <= 1.5e-14 max(1, |psi|)       */
double mb_lgamma_(double x);  /* ln Gamma(x), x > 0; error <= 1.5e-14 max(1, |value|); no globals */
double mb_lgamma_half_(double x); /* ln Gamma(x + 1/2) - ln Gamma(x), x > 0, without cancellation */
/* The continued fraction of I_x(a, b) a B(a, b) / (x^a (1-x)^b) [AS64, 26.5.8], by Lentz. Converges
 * in a few times sqrt(max(a, b)) terms for x < (a+1)/(a+b+2). */
double mb_beta_fraction_(double a, double b, double x);
double mb_lgamma_multi_(int32_t D, double a); /* sum_{d=1..D} ln Gamma(a + (1-d)/2)  (no pi term) */
double mb_digamma_multi_(int32_t D, double a);    /* sum_{d=1..D} psi(a + (1-d)/2)            */
double mb_logsumexp_(const double *x, int32_t n); /* ln sum exp x; -inf when all are -inf     */
/* sum_{i < n} ln x[i stride], x > 0 and finite: one logarithm of the product while it is far from
 * overflow. Relative error of the product: n ulp. */
double mb_log_product_(const double *x, size_t stride, int32_t n);

/* ln of a Gamma(shape, rate 1) number, shape > 0; the logarithm, because a small shape gives
 * numbers below the smallest double. */
double mb_draw_ln_gamma_(mb_rng *rng, double shape);
/* sqrt of a chi-squared number with df > 0 degrees of freedom. */
double mb_draw_chi_(mb_rng *rng, double df);

/* Lower Cholesky factor in place of the lower triangle: A = C C'. The upper triangle is untouched.
 * Returns 0, or the 1-based order of the first minor that is not positive definite
 * (also when it is NaN). */
int32_t mb_chol_(double *A, int32_t n);
/* The same for a matrix given as its lower triangle by rows; C, n x n, is 0 above the diagonal. */
int32_t mb_chol_packed_(const double *tril, int32_t n, double *C);
/* y := C^-1 y (forward substitution), C lower. */
void mb_chol_forward_(const double *C, int32_t n, double *y);
/* The same for MB_CHOL_LANES_ vectors x side by side, entry i of them from x + i * ld on, with the
 * same bits: y := C^-1 x (n x lanes), square += their sums of squares; C has the row stride ldc. */
enum { MB_CHOL_LANES_ = 8 };
void mb_chol_forward_lanes_(const double *C, size_t ldc, int32_t n, const double *x, size_t ld,
                            double *y, double *square);
/* y := C^-T y (backward substitution), C lower. */
void mb_chol_backward_(const double *C, int32_t n, double *y);
/* Cinv := C^-1, lower triangle; 0 above the diagonal. C and Cinv may not overlap. */
void mb_chol_inverse_(const double *C, int32_t n, double *Cinv);

/* S (MB_TILE_ x MB_TILE_) += sum_{l < n} A[u][l step] Y[l ld + v] in the order of l, for row u and
 * vector v; step: 1 or MB_TILE_. Matrices of MB_TILES_FROM_ to MB_TILED_ rows are taken so, and are
 * bit-identical to those taken row by row. Larger ones are factored and inverted so, each sum of a
 * factor in parts of MB_TILED_ entries. */
enum { MB_TILE_ = 8, MB_TILES_FROM_ = 48, MB_TILED_ = 768 };
#ifdef __OPTIMIZE_SIZE__
enum { MB_TILES_ = 0 }; /* row by row, for less code */
#else
enum { MB_TILES_ = 1 };
#endif
void mb_tile_add_(int32_t n, const double *const *A, size_t step, const double *Y, size_t ld,
                  double *S);

/* out[u] := sum_{l < n + u} x[l] y[u][l] in the order of l, u < MB_DOTS_: what products of
 * triangles consist of, four sums that do not wait for each other. */
enum { MB_DOTS_ = 4 };
void mb_dots_(const double *x, const double *const *y, int32_t n, double *out);
/* The lower triangle by rows of scale C C', C lower with the row stride ld; ld 0: C is a triangle
 * by rows, too, and may be tril. */
void mb_chol_square_(const double *C, size_t ld, int32_t n, double scale, double *tril);

/* A Cholesky factor as unbounded numbers. Row r of it over `scale`, with the logarithm of its last
 * entry, into out; returns the end of it. */
double *mb_log_row_(const double *row, int32_t r, double scale, double *out);
/* The lower triangle by rows, in place, of scale C C', C of such rows. */
void mb_exp_rows_(double *tril, int32_t n, double scale);

/* Symmetric eigenvalues (ascending) and eigenvectors by cyclic Jacobi: A = V diag(w) V',
 * column j of V (row-major n x n) belongs to w[j]. A is destroyed. V may be NULL.
 * MB_E_NUMERIC if it does not converge (A is not finite). */
mb_status mb_eig_sym_(double *A, int32_t n, double *w, double *V) MB_CHECKED;

/* An estimate of the smallest eigenvalue of C C', C lower, by inverse iteration; no smaller than it
 * up to rounding. x: room for n. */
double mb_eig_least_(const double *C, int32_t n, double *x);

/* Place of entry (i, j), or (j, i), of a symmetric matrix in its lower triangle by rows. */
static inline size_t mb_packed_at_(int32_t i, int32_t j)
{
    const size_t r = (size_t)(i > j ? i : j), c = (size_t)(i > j ? j : i);

    return r * (r + 1) / 2 + c;
}

/* svec: lower triangle row by row, off-diagonals times sqrt(2); length n(n+1)/2. */
static inline size_t mb_svec_len_(int32_t n)
{
    return (size_t)n * ((size_t)n + 1) / 2;
}
void mb_svec_(const double *A, int32_t n, double *v);   /* reads the lower triangle */
void mb_unsvec_(const double *v, int32_t n, double *A); /* writes both triangles    */

/* The t with P(T <= t) = p for Student's T with dof > 0 degrees of freedom (not necessarily an
 * integer; INFINITY: the normal distribution): a central interval of probability P is location -+
 * scale mb_student_quantile(dof, (1 + P)/2). Relative error below 1e-11 for p in [1e-300, 1 -
 * 2^-53]; p = 0 and p = 1 give infinities, as does a quantile beyond the range of double. NaN for a
 * p outside [0, 1] or a dof that is not positive. */
double mb_student_quantile(double dof, double p);
/* The same of a mixture of K: shares, which sum to 1; of each location, scale and degrees of
 * freedom (part: K x 3), and its own quantile at location 0 and scale 1. Within 1e-12 of the
 * distance between the quantiles of the parts. */
double mb_student_mixture_quantile_(int32_t K, const double *share, const double *part,
                                    const double *own, double p);

/* The x with P(X <= x) = p for X of the Beta distribution with parameters a, b > 0: a share of a
 * Dirichlet distribution has its concentration and the sum of the others. Relative error below
 * 1e-10 + 1e-14 (a + b) ln(a + b), where x is a normal number. NaN for a p outside [0, 1] or a
 * parameter that is not positive. */
double mb_beta_quantile(double a, double b, double p);

/* C lower with A = C C', and C^-1, of a symmetric positive definite A (n x n, row-major; only its
 * lower triangle is read). C, Cinv: n x n, 0 above the diagonal; A, C and Cinv must not overlap.
 * The precision A^-1 is Cinv' Cinv, and ln |A| is twice the sum of ln C_ii. MB_E_DOMAIN if A is not
 * positive definite. O(n^3). */
mb_status mb_cholesky(int32_t n, const double *A, double *C, double *Cinv, mb_err *err) MB_CHECKED;

#endif

/* expfam/normal_gamma.h - what linear regression needs of its family. */
#ifndef MB_NORMAL_GAMMA_H
#define MB_NORMAL_GAMMA_H

#include "meshbayes/meshbayes.h"

double mb_ng_a_(int32_t p, const double *phi);
/* Domain test by one Cholesky factorisation. L, n x n, n = p + 1, gets in its lower triangle
 * chol(M) = [chol(Lambda), 0; m' chol(Lambda), sqrt(2b)], so that L^-1 z of z = (x, y) ends with
 * (y - m'x)/sqrt(2b) and the rest has squared norm x' Lambda^-1 x. MB_E_DOMAIN outside Omega. */
mb_status mb_ng_factor_(int32_t p, const double *phi, double *L) MB_CHECKED;
/* b from the factor. */
double mb_ng_b_(int32_t p, const double *L);
/* MB_E_DOMAIN unless a >= -p/2, as a prior may have it. */
mb_status mb_ng_prior_shape_(const double *prior) MB_CHECKED;
/* What a contributes to the margin of a prior. */
double mb_ng_margin_(int32_t p, const double *prior);
/* E[ln tau]. */
double mb_ng_e_log_(int32_t p, const double *phi, const double *L);
/* v, p + 1: m, then -1. */
void mb_ng_mean_(int32_t p, const double *L, double *v);

#endif

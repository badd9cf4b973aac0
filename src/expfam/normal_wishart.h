/* expfam/normal_wishart.h - what models with Gaussian components need of the family. */
#ifndef MB_NORMAL_WISHART_H
#define MB_NORMAL_WISHART_H

#include "meshbayes/meshbayes.h"

/* Domain test of eq. (8) by one Cholesky factorisation. L, (D+1) x (D+1), gets in its lower
 * triangle chol(M) = [sqrt(beta), 0; sqrt(beta) m, chol(W^-1)]. MB_E_DOMAIN outside Omega. */
mb_status mb_nw_factor_(int32_t D, const double *phi, double *L) MB_CHECKED;
double    mb_nw_nu_(int32_t D, const double *phi);
/* ln |W^-1| from the factor. */
double mb_nw_logdet_(int32_t D, const double *L);
/* E[ln |Lambda|]. */
double mb_nw_e_logdet_(int32_t D, const double *phi, const double *L);
/* A draw of Lambda ~ Wishart(W, nu) as B, D x D, with Lambda^-1 = B B'. Winv: lower triangle of
 * W^-1 by rows. A: room for D x D. MB_E_DOMAIN when it is none. */
mb_status mb_nw_root_(int32_t D, double nu, const double *Winv, mb_rng *rng, double *B,
                      double *A) MB_CHECKED;

/* The lower triangle of B B', by rows; returns the place after it. */
double *mb_nw_square_(int32_t D, const double *B, double *out);

#endif

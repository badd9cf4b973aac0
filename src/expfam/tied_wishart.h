/* expfam/tied_wishart.h - what mixtures whose components share a precision need of the family.
 * A message: K parts [-beta/2, -beta m/sqrt 2], then what they share [a, svec(-T/2)],
 * T = W^-1 + sum_k beta_k m_k m_k'. */
#ifndef MB_TIED_WISHART_H
#define MB_TIED_WISHART_H

#include "meshbayes/meshbayes.h"

/* D and K of dim, as mb_tied_dim has put them together. */
int32_t mb_tw_columns_(int32_t dim);
int32_t mb_tw_parts_(int32_t dim);
size_t  mb_tw_len_(int32_t dim);
/* Doubles of a part, and before what the parts share. */
static inline size_t mb_tw_part_(int32_t dim)
{
    return (size_t)mb_tw_columns_(dim) + 1;
}
static inline size_t mb_tw_shared_(int32_t dim)
{
    return (size_t)mb_tw_parts_(dim) * mb_tw_part_(dim);
}
/* Domain test by one Cholesky factorisation: the lower triangle of L, D x D, gets chol(W^-1).
 * MB_E_DOMAIN outside Omega. */
mb_status mb_tw_factor_(int32_t dim, const double *phi, double *L) MB_CHECKED;
double    mb_tw_nu_(int32_t dim, const double *phi);
double    mb_tw_beta_(int32_t dim, const double *phi, int32_t k);
/* m_k, D numbers. */
void mb_tw_mean_(int32_t dim, const double *phi, int32_t k, double *m);
/* ln |W^-1| from the factor, and E[ln |Lambda|]. */
double mb_tw_logdet_(int32_t dim, const double *L);
double mb_tw_e_logdet_(int32_t dim, const double *phi, const double *L);
/* Least a of the domain, exclusive. */
static inline double mb_tw_least_(int32_t dim)
{
    return mb_tw_parts_(dim) / 2.0 - 1;
}
/* 1 when M - eps I is positive definite, M = [diag(beta), C; C', T] with rows beta_k m_k' of C;
 * S: room for D x D. */
int mb_tw_positive_(int32_t dim, double eps, const double *phi, double *S);

/* tied_project.c: mb_family::project, its scratch. */
size_t    mb_tw_project_scratch_(int32_t dim);
mb_status mb_tw_project_(int32_t dim, double eps, double *phi, double *dist2,
                         double *scratch) MB_CHECKED;

#endif

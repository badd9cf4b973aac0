/* expfam/normal_gamma_diag.h - parameters of the normal-gamma with D independent means. */
#ifndef MB_NORMAL_GAMMA_DIAG_H
#define MB_NORMAL_GAMMA_DIAG_H

#include <stdint.h>

/* Shape a; below or equal to 0 outside Omega. */
double mb_ngd_a_(int32_t D, const double *phi);
/* Rate b; -1 outside Omega. */
double mb_ngd_b_(int32_t D, const double *phi);
/* Strength lambda of mean d, and the mean. */
double mb_ngd_lambda_(const double *phi, int32_t d);
double mb_ngd_mean_(const double *phi, int32_t d);

#endif

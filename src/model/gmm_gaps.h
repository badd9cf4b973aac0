/* model/gmm_gaps.h - rows with gaps in a mixture of Gaussians with covariance matrices: what is
 * missing is a local latent variable (docs/math.md, section 16). */
#ifndef MB_GMM_GAPS_H
#define MB_GMM_GAPS_H

#include "kernel/kernel.h"
#include "meshbayes/model.h"

/* The second pass of `stats`, over the rows with gaps, after the sums of those without are in s: g
 * holds c of the E-step at phi. resp, unless it is NULL, takes the place of the E-step; what is
 * missing is then expected by phi, which need not be where g has been. *total += sum of w ln Z. */
mb_status mb_gaps_absorb_(const mb_model *m, const double *phi, mb_estep_ *g, const mb_rows *rows,
                          const double *resp, double *s, double *total, mb_err *err) MB_CHECKED;
/* The same for `predict`: g holds c of the E-step, or of the predictive density, at phi. */
mb_status mb_gaps_predict_(const mb_model *m, const double *phi, mb_estep_ *g, const mb_rows *rows,
                           mb_want want, double *out, mb_err *err) MB_CHECKED;

#endif

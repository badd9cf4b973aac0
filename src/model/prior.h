/* model/prior.h - what constructors of models do with a prior. */
#ifndef MB_PRIOR_H
#define MB_PRIOR_H

#include "meshbayes/model.h"

/* A (n x n) is finite, symmetric up to the rounding of numbers written as text, and positive
 * definite; MB_E_ARG says which entry of `name` is not. C, n x n, is room for the factor. */
mb_status mb_prior_matrix_(const char *name, int32_t n, const double *A, double *C,
                           mb_err *err) MB_CHECKED;

#endif

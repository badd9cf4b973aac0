/* model/gmm_sklearn.h - the attributes of scikit-learn's BayesianGaussianMixture. */
#ifndef MB_GMM_SKLEARN_H
#define MB_GMM_SKLEARN_H

#include "meshbayes/kind.h"

/* mb_kind::sklearn of the mixture. */
mb_status mb_gmm_sklearn_(mb_arena *a, const mb_posterior *p, mb_array **out, int32_t *count,
                          mb_err *err) MB_CHECKED;

#endif

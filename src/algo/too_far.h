/* algo/too_far.h - steps of models that may overshoot (mb_model_ops::overshoots). */
#ifndef MB_ALGO_TOO_FAR_H
#define MB_ALGO_TOO_FAR_H

#include "meshbayes/extend.h"

/* A step from `from`, where the bound was `before`, by this part of the way to its phi*, to phi. */
typedef struct mb_trial_ {
    const double *from, *phi, *phi_star; /* L: phi_star is that at phi */
    double        part, before, bound;
} mb_trial_;

/* A step is halved until it is not too far, or its part is no longer above this. */
#define MB_LEAST_PART_ 1e-12

/* 1 when the bound fell, or falls at phi, on along the way from `from`, with more than half of the
 * slope with which it rose there. mu: room for 2 L; scratch: layout->scratch. */
int mb_too_far_(const mb_layout *l, const mb_trial_ *t, double *mu, double *scratch);

#endif

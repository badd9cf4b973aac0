/* num/gamma.h - random numbers of other laws from the counter-based generator. */
#ifndef MB_GAMMA_H
#define MB_GAMMA_H

#include "meshbayes/base.h"

/* ln of a Gamma(shape, rate 1) number, shape > 0; the logarithm, because a small shape gives
 * numbers below the smallest double. */
double mb_draw_ln_gamma_(mb_rng *rng, double shape);
/* sqrt of a chi-squared number with df > 0 degrees of freedom. */
double mb_draw_chi_(mb_rng *rng, double df);

#endif

/* model/linreg_par.h - where a regression's textbook parameters are. */
#ifndef MB_LINREG_PAR_H
#define MB_LINREG_PAR_H

#include "meshbayes/kind.h"

/* par: a, b, m (p, the intercept first), lower triangle of Lambda. */
enum { PAR_A, PAR_B, PAR_M };

/* p. */
static inline int32_t mb_linreg_coefficients_(const mb_sizes *s)
{
    return s->D + s->intercept;
}

#endif

/* linreg/linreg_par.h - where a regression's textbook parameters are. */
#ifndef MB_LINREG_PAR_H
#define MB_LINREG_PAR_H

#include "meshbayes/kind.h"

/* par: a, b, m (p, the intercept first), lower triangle of Lambda; with relevance shape and rate of
 * each input. */
enum { PAR_A, PAR_B, PAR_M };

/* p. */
static inline int32_t mb_linreg_coefficients_(const mb_sizes *s)
{
    return s->D + s->intercept;
}

/* E[alpha_j] of input j, with relevance. */
static inline double mb_linreg_relevance_(const mb_sizes *s, const double *par, int32_t j)
{
    const size_t  p = (size_t)mb_linreg_coefficients_(s);
    const double *gamma = par + PAR_M + p + p * (p + 1) / 2 + 2 * (size_t)j;

    return gamma[0] / gamma[1];
}

#endif

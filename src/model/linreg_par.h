/* model/linreg_par.h - where a regression's textbook parameters are. */
#ifndef MB_MODEL_LINREG_PAR_H
#define MB_MODEL_LINREG_PAR_H

#include "model/kind.h"

/* par: a, b of each of T targets, m of each (p, the intercept first), lower triangle of the shared
 * Lambda; with relevance shape and rate of each input. PAR_M: of a single target. */
enum { PAR_A, PAR_B, PAR_M };

/* p. */
static inline int32_t mb_linreg_coefficients_(const mb_sizes *s)
{
    return mb_sizes_inputs(s) + s->intercept;
}

/* T, from a number that is 0 when it is not given. */
static inline int32_t mb_linreg_T_(int32_t targets)
{
    return targets > 1 ? targets : 1;
}

/* m of target t. */
static inline const double *mb_linreg_mean_(const mb_sizes *s, const double *par, int32_t t)
{
    return par + PAR_B + mb_linreg_T_(s->targets) + (size_t)t * (size_t)mb_linreg_coefficients_(s);
}

/* Lambda. */
static inline const double *mb_linreg_lambda_(const mb_sizes *s, const double *par)
{
    return mb_linreg_mean_(s, par, mb_linreg_T_(s->targets));
}

/* E[alpha_j] of input j, with relevance. */
static inline double mb_linreg_relevance_(const mb_sizes *s, const double *par, int32_t j)
{
    const size_t  p = (size_t)mb_linreg_coefficients_(s);
    const double *gamma = mb_linreg_lambda_(s, par) + p * (p + 1) / 2 + 2 * (size_t)j;

    return gamma[0] / gamma[1];
}

/* linreg_noisy.c: mb_kind::noisy, of one target without relevance. */
mb_status mb_linreg_noisy_(mb_arena *a, const mb_sizes *s, const mb_noisy *from, double *par,
                           double *prior, mb_err *err) MB_CHECKED;

#endif

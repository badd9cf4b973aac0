/* meshbayes/models/glm.h - generalised linear models: logistic, Poisson and softmax regression. */
#ifndef MESHBAYES_MODELS_GLM_H
#define MESHBAYES_MODELS_GLM_H

#include "meshbayes/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the linear predictor of a generalised linear model explains the target. */
typedef enum mb_link {
    MB_LINK_LOGISTIC,    /* 0 or 1: ln p/(1 - p) is linear                           */
    MB_LINK_POISSON,     /* counts: the logarithm of the rate is linear              */
    MB_LINK_MULTINOMIAL, /* categories 0 to C - 1: each ln p_c/p_0 is linear         */
    MB_LINKS             /* how many there are                                       */
} mb_link;
/* Generalised linear model: the target's distribution depends on eta = w'x through the link, w ~
 * N(m0, Lambda0^-1) a priori. The posterior is the Gaussian of the highest lower bound, K = 0. Rows
 * have D + 1 columns, the last is the target, which may be missing for MB_WANT_MEAN_VAR (the mean
 * and variance of the target, its distribution integrated over w). p = D + intercept
 * coefficients, the intercept first. A local step costs O(n (p^2 + q)), q the points of a
 * quadrature: 35 for a logistic row whose predictor has a standard deviation up to 1.4, more
 * beyond, none for counts.
 * A category has p coefficients for each level but the first, whose predictor is 0; all of them are
 * one Gaussian, with the prior above for each level, independent. Of a row's log density there is a
 * lower bound, and the posterior is the Gaussian of the highest sum of these (docs/math.md, section
 * 28). It predicts MB_WANT_PROB and MB_WANT_LABEL with w integrated out by 128 to 2048 points, with
 * errors below 1e-3 where predictors have standard deviations below 1, 1e-2 up to 10. A local step
 * costs O(n (C^2 p^2 + C^3 p) + C^3 p^3). */
typedef struct mb_glm_opt {
    int32_t       D;         /* inputs, >= 1 (>= 0 with an intercept)                            */
    int32_t       intercept; /* 1: coefficient 0 multiplies the constant 1; 0: none              */
    mb_link       link;      /* default MB_LINK_LOGISTIC                                         */
    double        lambda0;   /* > 0; default 0.01; not read when lambda0_matrix is given         */
    const double *m0;        /* p; NULL: 0                                                       */
    const double *lambda0_matrix; /* p x p, symmetric positive definite; NULL: lambda0 I         */
    int32_t       levels; /* C of MB_LINK_MULTINOMIAL: 2 to 100, with (C - 1) p at most 10001    */
} mb_glm_opt;
/* D inputs, with or without an intercept, the rest as listed at mb_glm_opt. */
MB_API mb_glm_opt mb_glm_defaults(int32_t D, int32_t intercept);
/* Keeps nothing of opt. MB_E_ARG names the option that is wrong. */
MB_API mb_status mb_glm_new(mb_arena *a, const mb_glm_opt *opt, mb_model *out,
                            mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif

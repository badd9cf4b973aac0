/* meshbayes/models/kinds.h - the listed kinds of models and their options. */
#ifndef MESHBAYES_KINDS_H
#define MESHBAYES_KINDS_H

#include "meshbayes/kind.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The model of programs, where no other is asked for. */
#define MB_KIND_DEFAULT "gmm"
extern MB_API const mb_kind mb_kind_gmm;    /* mixture of Gaussians       */
extern MB_API const mb_kind mb_kind_linreg; /* Bayesian linear regression */
extern MB_API const mb_kind mb_kind_tmm;    /* robust mixture of Student's t */
extern MB_API const mb_kind mb_kind_glm;    /* generalised linear model   */
extern MB_API const mb_kind mb_kind_lca;    /* latent classes             */

/* Options of mb_kind_gmm. W0^-1 has the numbers of mb_gmm_opt.w0inv: a matrix, a diagonal, or one.
 * Numbers that are NaN, and texts and pointers that are NULL, are those of
 * `prior`:
 *     "empirical" (NULL)  scikit-learn's: mean and covariance of all rows, D degrees of freedom
 *     "weak"              seen.middle and diag(seen.spread^2), D + 2 degrees of freedom
 *     "paper"             alpha0 = beta0 = mu0 = 1e-5, W0^-1 = 1e-5 I, D + 1 degrees of freedom
 * Where the covariance is singular (no correlation matrix with pivots above 1e-12), its diagonal is
 * raised by 1e-6 of its mean (without a matrix: a variance of 0 is raised to that), and
 * mb_prior::warning says so; where it is zero or not defined (the weights sum to 1 or less), W0^-1
 * is the weak one. */
typedef struct mb_gmm_kind {
    int64_t       n_components;    /* K, 1 to 1000000                                           */
    const char   *prior;           /* "empirical", "weak" or "paper"; NULL: empirical           */
    double        alpha0;          /* Dirichlet concentration of each component; NaN: 1/K       */
    double        beta0;           /* strength of the prior mean, rows; NaN: 1                  */
    double        nu0;             /* degrees of freedom, above D - 1; NaN: D                   */
    const char   *mu0;             /* prior mean, data units, as text: one number or D          */
    const char   *w0inv;           /* W0^-1, squared data units, as text: one number or all     */
    const double *mu0_at;          /* D: wins over mu0                                          */
    const double *w0inv_at;        /* D x D, row-major, D or 1: wins over w0inv                 */
    int32_t       covariance_type; /* mb_covariance                                             */
    int32_t       weight_concentration_prior_type; /* 1: a Dirichlet process                    */
    int32_t       unit; /* 1: rows come in groups that share their component         */
} mb_gmm_kind;
/* Options of mb_kind_tmm: those of mb_kind_gmm, where w0inv is of the scale matrices. */
typedef struct mb_tmm_kind {
    mb_gmm_kind gmm;  /* covariance_type: full                                               */
    int32_t     dof;  /* the word of --tmm.dof: 0: learnt, else 1, 2, 3, 4, 5, 6, 8, 10, 15, 20,
                        30, 50 or 100 degrees of freedom                                    */
    double      trim; /* of --tmm.trim; 0: no row is far                                      */
} mb_tmm_kind;
/* Options of mb_kind_linreg. NaN and NULL: those of `prior`, whose default is an isotropic one in
 * columns at an origin and scale: m0 = 0, Lambda0 = lambda0 I, b0 = 1e-4.
 *     "empirical" (NULL)  means and standard deviations of all rows; lambda0 = 1e-6
 *     "weak"              the midpoint and a quarter of the range; lambda0 = 1e-4
 * Without an intercept the scale of the empirical one is the root mean square about 0. A constant
 * column has scale 1. With relevance both have, for each input, a precision of its own in place of
 * lambda0: alpha ~ Gamma(1e-6, rate 1e-6) in these columns. */
typedef struct mb_linreg_kind {
    const char   *target_column; /* names of the columns that are explained, with commas;
                                    NULL: the last ones                                      */
    int32_t       intercept;     /* 1: there is one                                          */
    const char   *prior;         /* "empirical" or "weak"; NULL: empirical                   */
    double        a0;            /* shape of the noise precision's gamma; NaN: 0.5           */
    double        b0;            /* its rate, squared data units of the target; NaN: see above */
    const char   *m0;            /* prior mean of the p coefficients, data units, as text    */
    const char   *lambda0;       /* their prior precision as text: one number or p*p         */
    const double *m0_at;         /* T x p: wins over m0                                      */
    const double *lambda0_at;    /* p x p, row-major: wins over lambda0                      */
    int32_t       relevance;     /* 1: each input has its own precision, which is found; m0 and
                                    lambda0 must then not be given                           */
    int64_t       targets;       /* T; 0: as many as target_column names, else 1             */
} mb_linreg_kind;
/* Options of mb_kind_glm. NaN and NULL: m0 = 0, Lambda0 = 0.01 I in columns of mean 0 and standard
 * deviation 1 (without an intercept: of root mean square 1). */
typedef struct mb_glm_kind {
    const char   *target_column; /* name of the column that is explained; NULL: the last one */
    int32_t       link;          /* mb_link; the levels of a category are those of the target's
                                    column (mb_sizes::columns)                               */
    int32_t       intercept;     /* 1: there is one                                          */
    const char   *prior;         /* "empirical" or NULL                                      */
    const char   *m0;            /* prior mean of the p coefficients (of each level of a category
                                    but the first), data units, as text                      */
    const char   *lambda0;       /* their prior precision as text: one number or p*p         */
    const double *m0_at;         /* p: wins over m0                                          */
    const double *lambda0_at;    /* p x p, row-major: wins over lambda0                      */
} mb_glm_kind;
/* Options of mb_kind_lca. NaN and NULL: those of `prior`.
 *     "empirical" (NULL)  numbers: mean and variance of all rows; counts: their mean
 *     "weak"              numbers: middle and a quarter of the range; counts: its middle
 * A number of a class is N(mu, 1/tau), tau ~ Gamma(nu0/2, rate nu0 v/2) with v that variance,
 * mu | tau ~ N(m, 1/(beta0 tau)) with m that mean; a count has a rate ~ Gamma(a0, rate a0/m) (m = 0
 * counts as 1); the shares of a category's levels are Dirichlet(share0, ..), a flag is a category
 * of two. Numbers of variance 0 get 1e-6 of the mean of the others' (all 0: that of `weak`), and
 * mb_prior::warning says so. */
typedef struct mb_lca_kind {
    int64_t     n_components; /* K classes, 1 to 1000000                                  */
    const char *prior;        /* "empirical" or "weak"; NULL: empirical                   */
    double      alpha0;       /* Dirichlet concentration of each class; NaN: 1/K          */
    double      beta0;        /* strength of the prior mean, rows; NaN: 1                 */
    double      nu0;          /* strength of the prior variance, rows; NaN: 1, weak: 3    */
    double      a0;           /* shape of the counts' rates; NaN: 1                       */
    double      share0;       /* concentration of each level; NaN: 1                      */
    int32_t     weight_concentration_prior_type; /* 1: a Dirichlet process                */
} mb_lca_kind;

#ifdef __cplusplus
}
#endif
#endif

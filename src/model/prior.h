/* model/prior.h - what constructors and options of models share about priors. */
#ifndef MB_PRIOR_H
#define MB_PRIOR_H

#include "meshbayes/extend.h"
#include "model/model.h"

#include <math.h>

/* MB_E_ARG for a number of components or columns that a mixture cannot have. */
mb_status mb_check_sizes_(int32_t K, int32_t D, mb_err *err) MB_CHECKED;
/* Checks of arguments of constructors; MB_E_ARG names the number of `name` that is wrong. */
mb_status mb_check_positive_(const char *name, double value, mb_err *err) MB_CHECKED;
/* A concentration of a Dirichlet, whose natural parameter is one less. */
mb_status mb_check_concentration_(const char *name, double value, mb_err *err) MB_CHECKED;
/* x: n finite numbers, or NULL. */
mb_status mb_check_finite_(const char *name, int32_t n, const double *x, mb_err *err) MB_CHECKED;
/* A (n x n, or NULL) is finite, symmetric up to the rounding of numbers written as text, and
 * positive definite. */
mb_status mb_check_matrix_(mb_arena *a, const char *name, int32_t n, const double *A,
                           mb_err *err) MB_CHECKED;
/* par := first, second, m (n; NULL: 0), lower triangle of A (n x n; NULL: diagonal I) by rows. */
void mb_prior_par_(double first, double second, int32_t n, const double *m, const double *A,
                   double diagonal, double *par);

/* Replaces x by the n numbers of an option, if it is given: those at `at`, or those in text, where
 * a single number stands for itself at every step-th place and 0 elsewhere: step is 1 for a vector,
 * columns + 1 for a square matrix. features: for the message of MB_E_ARG. */
mb_status mb_given_numbers_(const char *name, const char *text, const double *at, int32_t features,
                            int32_t n, int32_t step, double *x, mb_err *err) MB_CHECKED;
/* mb_model_prior from natural parameters, which must last as long as m. */
mb_status mb_prior_natural_(mb_arena *a, const double *phi, mb_model *m, mb_err *err) MB_CHECKED;
/* What --prior asks for: the number of the word among the choices, of which the last is
 * posterior:FILE.json, which the caller reads. text NULL: 0. */
mb_status mb_prior_word_(const char *text, const char *choices, int32_t *which,
                         mb_err *err) MB_CHECKED;
/* A number that is given, or what stands in place of NaN. */
static inline double mb_automatic_(double value, double otherwise)
{
    return isnan(value) ? otherwise : value;
}
/* The covariance of the rows into cov (d x d), positive definite: where it is singular its diagonal
 * is raised, and *warning says so. Where there is none, or only constant columns, cov stays. */
mb_status mb_prior_covariance_(mb_arena *a, const mb_row_moments *seen, double *cov,
                               const char **warning, mb_err *err) MB_CHECKED;
/* The same for the variances of the columns alone (n = d), of which those that are 0 are raised, or
 * for their mean (n = 1), which is not. */
mb_status mb_prior_variances_(mb_arena *a, const mb_row_moments *seen, int32_t n, double *var,
                              const char **warning, mb_err *err) MB_CHECKED;
/* Where the default prior of coefficients is isotropic around 0: columns of mean 0 and standard
 * deviation 1, without an intercept, where the origin is not read, of root mean square 1. */
mb_status mb_prior_units_(mb_arena *a, int32_t intercept, const mb_row_moments *seen, mb_units *out,
                          mb_err *err) MB_CHECKED;
/* Moves textbook parameters between units, in place; from NULL: data units, where mb_move_par is
 * the inverse. */
mb_status mb_par_to_units_(mb_arena *a, const mb_layout *l, const mb_units *from,
                           const mb_units *to, double *par, mb_err *err) MB_CHECKED;
/* The model's prior in the units of the run, from out->par in data units. */
mb_status mb_prior_of_data_(mb_arena *a, const mb_units *run, mb_prior *out,
                            mb_err *err) MB_CHECKED;

/* coefficients.c: D inputs and an intercept are as many as a regression can have. */
mb_status mb_check_inputs_(int32_t D, int32_t intercept, mb_err *err) MB_CHECKED;
/* MB_E_SHAPE for rows of other columns than D inputs and a target; target 0: it may be missing. */
mb_status mb_check_target_rows_(int32_t D, const mb_rows *rows, int target, mb_err *err) MB_CHECKED;
/* The prior of p coefficients of each of T targets as options: its means (T x p), and its precision
 * (p x p), each as text or as numbers at ..._at; NULL: not given. */
typedef struct mb_coefficient_prior_ {
    const char   *m0, *lambda0;
    const double *m0_at, *lambda0_at;
} mb_coefficient_prior_;
/* Its numbers (mb_kind::numbers); how many. */
int32_t mb_coefficient_numbers_(const mb_coefficient_prior_ *o, int32_t T, int32_t p, size_t m0_at,
                                size_t lambda0_at, mb_numbers *out);
/* What is given replaces the default in par: the means, the lower triangle of the precision. */
mb_status mb_coefficient_prior_given_(mb_arena *a, const mb_coefficient_prior_ *o, int32_t columns,
                                      int32_t T, int32_t p, double *par, mb_err *err) MB_CHECKED;
/* Middle and spread of the inputs from the packed precision of a regression's coefficients, which
 * holds sums of x and x^2: over as many rows as the intercept's entry says; without an intercept
 * over `rows`, about 0. */
void mb_coefficient_units_(const mb_sizes *s, const double *precision, double rows, mb_units *u);
/* Middle and spread of target t from the regression at those of the inputs: its coefficients and
 * the variance of its noise. Adds to u->log_jacobian. */
void mb_target_own_units_(const mb_sizes *s, int32_t t, const double *m, double variance,
                          mb_units *u);
/* Units of a run. Without an intercept no coefficient can absorb a shift. The density is that of
 * the targets alone. */
void mb_target_units_(const mb_sizes *s, mb_units *run);
/* out: the p roots of the diagonal of the inverse of a packed precision; -1 when it is not positive
 * definite. scratch: 2 p p. */
int mb_coefficient_scales_(int32_t p, const double *precision, double *out, double *scratch);

/* gmm.c: mb_kind::prior and mb_kind::needs_covariance of a mixture of Gaussians. */
#define MB_GMM_PRIORS_ "empirical|weak|paper|posterior:FILE.json"
int32_t mb_gmm_needs_covariance_(const void *opt);
/* The options of the model, which the prior is made for. */
mb_status mb_gmm_prior_opt_(mb_arena *a, const mb_gmm_kind *own, const mb_units *run,
                            const mb_row_moments *seen, mb_gmm_opt *out, const char **warning,
                            mb_err *err) MB_CHECKED;

#endif

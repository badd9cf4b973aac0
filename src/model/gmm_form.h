/* model/gmm_form.h - what depends on the form of the covariances in a mixture of Gaussians as its
 * users know it: where the numbers of a component are, what follows from them, and the prior's. */
#ifndef MB_GMM_FORM_H
#define MB_GMM_FORM_H

#include "meshbayes/extend.h"

/* The words of --prior that need no file, as in MB_GMM_PRIORS_. */
enum { MB_GMM_EMPIRICAL_, MB_GMM_WEAK_, MB_GMM_PAPER_ };
static const double mb_gmm_paper_ = 1e-5; /* alpha0, beta0, mu0 and W0^-1 of the paper's runs */

/* Choices of mb_sizes: the form of the covariances, the prior of the weights, and whether rows come
 * in groups that share their component. */
enum { MB_GMM_FORM_CHOICE_, MB_GMM_WEIGHTS_CHOICE_, MB_GMM_UNIT_CHOICE_ };
/* par: entries of the weights, then the numbers of each component, then those that all share. */
extern const char *const mb_gmm_weights_words_[];
/* The family of the weights, and doubles before the first component. */
const mb_family *mb_gmm_weights_(const mb_sizes *s);
size_t           mb_gmm_first_(const mb_sizes *s);
/* Pure functions; c: the numbers of a component, shared: those after the last. */
typedef struct mb_gmm_form_ {
    size_t mean; /* numbers of a component before its first mean */
    /* How many numbers a component has, and from one mean to the next. */
    size_t (*slice)(const mb_sizes *s, size_t *mean_step);
    /* The fields after weight_concentration and weights; returns how many. */
    int32_t (*fields)(const mb_sizes *s, mb_field *out);
    /* The derived numbers of component k; out: the first of those of all components. */
    void (*derive)(const mb_sizes *s, const double *c, const double *shared, int32_t k,
                   double *out);
    /* The fields of a draw after the weight; returns how many. */
    int32_t (*drawn)(const mb_sizes *s, mb_field *out);
    /* Entry (i, j) of the expected covariance. */
    double (*covariance)(const mb_sizes *s, const double *c, const double *shared, int32_t i,
                         int32_t j);
    /* How many numbers W0^-1 has, and the step at which a single given one is repeated. */
    size_t (*scatter)(const mb_sizes *s, int32_t *step);
    /* These numbers as one of the three priors has them, data units. */
    mb_status (*scatter_of)(mb_arena *a, const mb_sizes *s, int32_t prior,
                            const mb_row_moments *seen, double *out, const char **warning,
                            mb_err *err);
} mb_gmm_form_;

extern const mb_gmm_form_ mb_gmm_full_;    /* a matrix: normal-Wishart                       */
extern const mb_gmm_form_ mb_gmm_columns_; /* variances: normal-gamma-diag of 1 or D columns */
extern const mb_gmm_form_ mb_gmm_shared_;  /* one matrix: src/model/tied.c               */
/* gmm.c: functions of mb_kind by the form. */
int32_t   mb_gmm_numbers_(const void *opt, int32_t columns, mb_numbers *out);
int32_t   mb_gmm_fields_(const mb_sizes *s, mb_field *out);
mb_status mb_gmm_derive_(mb_arena *a, const mb_sizes *s, const double *par, double *out,
                         mb_err *err) MB_CHECKED;
int32_t   mb_gmm_drawn_(const mb_sizes *s, mb_field *out);
double    mb_gmm_describe_(const mb_sizes *s, const double *par, int32_t k, int32_t x, int32_t y);
/* The form at these sizes. */
const mb_gmm_form_ *mb_gmm_form_of_(const mb_sizes *s);

#endif

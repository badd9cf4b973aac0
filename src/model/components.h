/* model/components.h - the components of a mixture as people see them: shares, means and variances,
 * from textbook parameters in data units. */
#ifndef MB_MODEL_COMPONENTS_H
#define MB_MODEL_COMPONENTS_H

#include "meshbayes/extend.h"

/* Made by mb_components_make. Quantities of a component are those of
 * its columns (mb_column_quantities), column by column. */
typedef struct mb_components {
    const mb_kind  *kind;
    const mb_sizes *size;
    const double   *par;
    int32_t         d;        /* columns, of a regression the target, too                     */
    int32_t         n;        /* quantities of a component                                    */
    int32_t        *first;    /* d: the first quantity of each column                         */
    double         *share;    /* K: expected, with sum 1                                      */
    double         *mean;     /* K x n: expected mean of each quantity                        */
    double         *variance; /* K x n: expected variance among the rows of the component     */
} mb_components;

/* The family of the weights at these sizes. */
const mb_family *mb_kind_weights(const mb_kind *kind, const mb_sizes *s);
/* Expected shares of the components, which sum to 1; par begins with the entries of the weights. */
void mb_shares(const mb_family *weights, int32_t K, const double *par, double *out);

/* The fields of weights as the library's mixtures name them: their entries, and shares, the first
 * derived numbers. Returns how many. */
int32_t mb_weights_fields(const mb_family *weights, int32_t K, mb_field *out);

/* Mean and variance of each quantity of component k among its rows. */
void mb_component_moments_(const mb_kind *kind, const mb_sizes *s, const double *par, int32_t k,
                           double *mean, double *variance);
/* The components of par, which is borrowed, of a kind that says where they are
 * (mb_kind_has_components). */
mb_status mb_components_make(mb_arena *a, const mb_kind *kind, const mb_sizes *s, const double *par,
                             mb_components *out, mb_err *err) MB_CHECKED;
/* The expected covariance of quantities x and y. */
double mb_components_covariance(const mb_components *c, int32_t k, int32_t x, int32_t y);
/* All components on columns x and y (which may be equal); a category has no mean. out: K. */
void mb_components_on(const mb_components *c, int32_t x, int32_t y, mb_component *out);
/* 1 when component a precedes b in the canonical order: that of the sticks of a Dirichlet process,
 * else the lexicographic one of the means. */
int mb_components_less(const mb_components *c, int32_t a, int32_t b);
/* Middle and spread of the columns that are numbers over the whole mixture. out: origin (zeros) and
 * scale are there to be filled, log_jacobian too. */
void mb_components_units(const mb_components *c, mb_units *out);
/* Where they are as an initialisation sees rows (start/mixed.h): K x n. */
void mb_components_centres(const mb_components *c, double *out);

#endif

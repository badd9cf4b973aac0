/* model/export.h - posteriors as the attributes of scikit-learn's estimators. */
#ifndef MB_MODEL_EXPORT_H
#define MB_MODEL_EXPORT_H

#include "meshbayes/extend.h"

/* mb_kind.sklearn; without files there is nothing to export to. */
#ifdef MB_NO_STDIO
#define MB_EXPORT_(function) (0 ? (function) : NULL)
#else
#define MB_EXPORT_(function) function
#endif

/* A list of attributes that is filled one by one. */
typedef struct mb_attributes_ {
    mb_arena *a;
    mb_array *list; /* MB_ATTRIBUTES_MAX_ */
    int32_t   n;
} mb_attributes_;
enum { MB_ATTRIBUTES_MAX_ = 32 };
/* An array with these numbers, borrowed. */
void mb_attribute_array_(mb_attributes_ *t, const char *name, const mb_array *x);
/* One number. */
mb_status mb_attribute_number_(mb_attributes_ *t, const char *name, mb_item item, double x,
                               mb_err *err) MB_CHECKED;
/* What all estimators have: n_features_in_, feature_names_in_ (n, borrowed), and n_iter_ when it is
 * known. */
mb_status mb_attributes_of_(mb_arena *a, int32_t n, const char *const *name, const mb_run_info *run,
                            mb_attributes_ *out, mb_err *err) MB_CHECKED;
/* Those of the columns of p. */
mb_status mb_attributes_begin_(mb_arena *a, const mb_posterior *p, const mb_run_info *run,
                               mb_attributes_ *out, mb_err *err) MB_CHECKED;

/* The fields of a mixture without matrices, D columns, in the shapes that scikit-learn has: one
 * mean_precision and degrees_of_freedom a component, and w_inverse in place of rate. */
mb_status mb_columns_arrays_(mb_arena *a, int32_t D, int32_t n, mb_array *x,
                             mb_err *err) MB_CHECKED;
/* Precisions of variances, and their roots. */
mb_status mb_columns_precisions_(mb_arena *a, const mb_array *cov, const double **factor,
                                 const double **whole, mb_err *err) MB_CHECKED;
/* Log normaliser of the precisions of a component: members of them for D columns. */
double mb_columns_normaliser_(int32_t D, int32_t members, double nu, const double *w_inverse);

#endif

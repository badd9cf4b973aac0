/* model/tables.h - what is made of posteriors for people and files: mb_kind::compare,
 * mb_kind::summary, mb_model_ops::sample. */
#ifndef MB_MODEL_TABLES_H
#define MB_MODEL_TABLES_H

#include "meshbayes/meshbayes.h"

/* Without files nobody prints them, or rows that are drawn: the compiler leaves them out. */
#ifdef MB_NO_STDIO
#define MB_TABLE_(function) (0 ? (function) : NULL)
#else
#define MB_TABLE_(function) function
#endif

mb_status mb_gmm_compare_(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                          const int32_t *other, mb_listing *out, mb_err *err) MB_CHECKED;
mb_status mb_gmm_summary_(mb_arena *a, const mb_posterior *p, mb_summary *out,
                          mb_err *err) MB_CHECKED;

/* What is said of coefficients with these means and, each, one scale: names, means and intervals of
 * `reach` scales to both sides; beside those of another posterior. */
mb_status mb_coefficients_(mb_arena *a, const mb_posterior *p, const double *mean,
                           const double *scale, double reach, mb_summary *out,
                           mb_err *err) MB_CHECKED;
mb_status mb_coefficients_compare_(mb_arena *a, const mb_posterior *p, const double *mean,
                                   const double *other, const double *scale, mb_listing *out,
                                   mb_err *err) MB_CHECKED;

#endif

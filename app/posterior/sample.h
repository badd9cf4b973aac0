/* sample.h - `meshbayes sample`: what is drawn, and into which columns. */
#ifndef MB_SAMPLE_H
#define MB_SAMPLE_H

#include "posterior/posterior.h"

/* sample_columns.c: the columns of a table of parameters, and one draw as its rows. A mixture has
 * K rows a draw: draw, component, weight, means, lower triangle of the covariance; a regression
 * one: draw, coefficients, variance of the noise. */
typedef struct sample_columns {
    const char **name;
    int32_t      count, rows; /* columns, and rows of a draw  */
    int32_t      ndim;        /* of the NPY array             */
    int64_t      shape[3];    /* shape[0] is left to the caller */
} sample_columns;
mb_status sample_columns_new(mb_arena *a, const posterior *p, sample_columns *out,
                             mb_err *err) MB_CHECKED;
/* theta: mb_random's numbers; out: rows x count. draw counts from 1. */
void sample_columns_fill(const posterior *p, const sample_columns *c, int64_t draw,
                         const double *theta, double *out);

#endif

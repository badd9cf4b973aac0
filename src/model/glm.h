/* model/glm.h - what generalised linear models of one predictor and of several share. */
#ifndef MB_MODEL_GLM_H
#define MB_MODEL_GLM_H

#include "meshbayes/extend.h"
#include "model/model.h"
#include "num/num.h"

/* Categories of a target, and coefficients of all its classes together. */
enum { MB_GLM_LEVELS_ = 100, MB_GLM_MOST_ = 10001 };

/* Rows that are taken together: a multiple of the rows that are computed at once. */
enum { MB_GLM_BLOCK_ = 64, MB_GLM_LANES_ = MB_CHOL_LANES_ };
/* Rows of a block, rows as lanes: input i of all rows begins at i * MB_GLM_BLOCK_; the first is 1
 * with an intercept. After the last row inputs and weights are 0 up to a multiple of the lanes. */
typedef struct mb_glm_block_ {
    int32_t D, p, n; /* inputs, coefficients of a predictor, rows here */
    double *x;       /* p x MB_GLM_BLOCK_                              */
    double  y[MB_GLM_BLOCK_], w[MB_GLM_BLOCK_];
    double  value[MB_GLM_BLOCK_]; /* E[ln p(y)], or its bound */
    int64_t row[MB_GLM_BLOCK_];
} mb_glm_block_;

/* What a model makes of a block; self: its work at one phi, or at the start of its link. */
typedef struct mb_glm_sums_ {
    /* MB_OK when y is a target. */
    mb_status (*target)(const void *self, int64_t row, double y, mb_err *err);
    /* value of each row; not finite where a derivative of it is not. */
    void (*expect)(void *self, mb_glm_block_ *b);
    /* s += the statistics of the rows, times their weights. */
    void (*add)(const void *self, const mb_glm_block_ *b, double *s);
} mb_glm_sums_;

/* glm_rows.c: s += the statistics of all rows, in their order, *logz += the weighted sum of values
 * (NULL: not asked); b: has D, p and x. The error is that of the first row that has one. */
mb_status mb_glm_sum_(const mb_glm_sums_ *of, void *self, mb_glm_block_ *b, const mb_rows *rows,
                      double *s, double *logz, mb_err *err) MB_CHECKED;
/* Rows from `first` on, of rows that are predicted. */
void mb_glm_read_(mb_glm_block_ *b, const mb_rows *rows, int64_t first);
/* sum_l x[l] y[l] over the lanes of n rows. */
double mb_glm_dot_(int32_t n, const double *x, const double *y);
/* MB_E_SHAPE unless rows have D inputs and a target. */
mb_status mb_glm_check_shape_(int32_t D, const mb_rows *rows, mb_err *err) MB_CHECKED;

/* multinomial.c: ops, spec and scratch of a target with opt->levels categories. */
mb_status mb_multinomial_begin_(mb_arena *a, const mb_glm_opt *opt, mb_model *out,
                                mb_err *err) MB_CHECKED;

#endif

/* glm/glm.h - what generalised linear models of one predictor and of several share. */
#ifndef MB_GLM_H
#define MB_GLM_H

#include "meshbayes/kind.h"

/* Categories of a target, and coefficients of all its classes together. */
enum { MB_GLM_LEVELS_ = 100, MB_GLM_MOST_ = 10001 };

/* glm_rows.c: MB_E_ARG for a weight that is none. */
mb_status mb_glm_check_row_(const mb_rows *rows, int64_t j, mb_err *err) MB_CHECKED;
/* MB_E_SHAPE unless rows have D inputs and a target. */
mb_status mb_glm_check_shape_(int32_t D, const mb_rows *rows, mb_err *err) MB_CHECKED;
/* x: 1 when p is above D, then the D inputs of row j. */
void mb_glm_inputs_(int32_t D, int32_t p, const mb_rows *rows, int64_t j, double *x);
/* glm_par.c: par of T independent predictors, each with the parameters `one` of a Gaussian of p
 * coefficients. */
void mb_glm_repeat_(int32_t T, int32_t p, const double *one, double *par);
/* The levels of a target that is a category; NULL: it is none, or they are not known. */
const mb_column *mb_glm_levels_(const mb_sizes *s);
/* Predictors: one, or of a category one for each level but the first. */
int32_t mb_glm_predictors_(const mb_sizes *s);

/* multinomial.c: ops, spec and scratch of a target with opt->levels categories. */
mb_status mb_multinomial_begin_(mb_arena *a, const mb_glm_opt *opt, mb_model *out,
                                mb_err *err) MB_CHECKED;

#endif

/* model/linreg_targets.h - several targets with the same inputs, docs/math.md, section 25. */
#ifndef MB_MODEL_LINREG_TARGETS_H
#define MB_MODEL_LINREG_TARGETS_H

#include "model/estep.h"

/* A regression's own constants. */
typedef struct mb_linreg_spec_ {
    int32_t D, p, T; /* inputs, coefficients of a target (p - D is 1 with an intercept), targets */
    mb_how_ how;
} mb_linreg_spec_;

/* Numbers of a prediction of a target; 0: there is none. */
size_t mb_linreg_width_(mb_want want);
/* Doubles that these functions need besides those of the E-step. */
size_t mb_linreg_targets_scratch_(int32_t p, int32_t T);
/* Sets up ln density of a row. MB_E_DOMAIN when block 0 is outside Omega. */
mb_status mb_linreg_targets_expect_(const mb_model *m, const double *phi, mb_estep_ *g,
                                    double *scratch, mb_err *err) MB_CHECKED;
/* s += the sums g->S of rows in natural form. */
void mb_linreg_targets_add_(const mb_model *m, const mb_estep_ *g, double *s);
/* mb_model_ops::predict. */
mb_status mb_linreg_targets_predict_(const mb_model *m, const double *phi, const mb_rows *rows,
                                     mb_want want, double *out, double *scratch,
                                     mb_err *err) MB_CHECKED;

#endif

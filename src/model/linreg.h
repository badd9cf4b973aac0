/* model/linreg.h - what the files of linear regression share. */
#ifndef MB_LINREG_H
#define MB_LINREG_H

#include "kernel/kernel.h"
#include "meshbayes/model.h"

typedef struct mb_linreg_spec_ {
    int32_t D, p; /* inputs, coefficients: p - D is 1 with an intercept, else 0 */
    mb_how_ how;
} mb_linreg_spec_;

/* linreg_predict.c: the model's predict, and the doubles of scratch it takes. */
size_t    mb_linreg_predict_scratch_(int32_t p);
mb_status mb_linreg_predict_(const mb_model *m, const double *phi, const mb_rows *rows,
                             mb_want want, double *out, double *scratch, mb_err *err);

#endif

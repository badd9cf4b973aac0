/* expfam/matrix_normal_gamma.h - what linear regression with several targets needs. */
#ifndef MB_MATRIX_NORMAL_GAMMA_H
#define MB_MATRIX_NORMAL_GAMMA_H

#include "meshbayes/extend.h"
#include "num/num.h"

/* The sizes of a dim. */
typedef struct mb_mng_sizes_ {
    int32_t p, T;       /* coefficients of a target, targets                             */
    size_t  head, tail; /* doubles of phi before the targets', and of each: p + 1        */
} mb_mng_sizes_;
static inline mb_mng_sizes_ mb_mng_of_(int32_t dim)
{
    const int32_t p = dim % MB_TARGETS_STEP;

    return (mb_mng_sizes_){p, 1 + dim / MB_TARGETS_STEP, 1 + mb_svec_len_(p), (size_t)p + 1};
}
size_t mb_mng_len_(int32_t dim);
size_t mb_mng_scratch_(int32_t dim);
/* phi of target t alone, as the normal-gamma has it: head + tail doubles. */
void mb_mng_one_(const mb_mng_sizes_ *s, const double *phi, int32_t t, double *out);
/* Domain test: C (p x p, lower triangle) = chol(Lambda), and of each target in last (T x (p + 1))
 * m_t' C and sqrt(2 b_t), the last row of chol(M_t). MB_E_DOMAIN outside Omega. */
mb_status mb_mng_factor_(int32_t dim, const double *phi, double *C, double *last) MB_CHECKED;
/* last of mb_mng_factor_ becomes m_t and b_t. */
void mb_mng_solve_(const mb_mng_sizes_ *s, const double *C, double *last);
/* mb_family::project. */
mb_status mb_mng_project_(int32_t dim, double eps, double *phi, double *dist2,
                          double *scratch) MB_CHECKED;

#endif

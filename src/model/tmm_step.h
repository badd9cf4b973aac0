/* model/tmm_step.h - one pass of the robust mixture over rows. */
#ifndef MB_MODEL_TMM_STEP_H
#define MB_MODEL_TMM_STEP_H

#include "model/gmm_step.h"
#include "model/tmm.h"

typedef struct mb_tmm_spec_ {
    mb_how_ how;
    double  dof; /* 0: learnt */
} mb_tmm_spec_;

/* After the views of the E-step, for each component. */
typedef struct mb_tmm_work_ {
    mb_estep_ g;      /* c: constants; h: (e + D)/2                          */
    double   *one;    /* K: b = one + per distance                           */
    double   *per;    /* K                                                   */
    double   *ln_u;   /* K: E[ln u] + ln b                                   */
    double   *top;    /* K: E[u] b                                           */
    double   *count;  /* K: sum of r                                         */
    double   *gap;    /* K: sum of r (E[ln u] - E[u])                        */
    double   *b;      /* K x B                                               */
    double   *ln_b;   /* K x B                                               */
    double   *family; /* of mb_dof                                           */
    double   *table;  /* of a predictive density                             */
} mb_tmm_work_;

/* The degrees of freedom of component k in a message, where they are learnt. */
const double *mb_tmm_dof_in_(const mb_model *m, const double *phi, int32_t k);
/* s += the sums of the pass, S, count and gap, in natural form. given: responsibilities were, so
 * nothing is known of u. */
void mb_tmm_add_(const mb_model *m, mb_tmm_work_ *w, int given, double *s);
/* The predictive density of component k, without its table; w: set up for it. */
mb_status mb_tmm_tail_(const mb_model *m, const double *phi, int32_t k, mb_tmm_work_ *w,
                       mb_tail_ *out, mb_err *err) MB_CHECKED;

/* tmm_gaps.c: the second pass, over the rows with gaps: as mb_gaps_absorb_ and mb_gaps_predict_. */
mb_status mb_tmm_gaps_absorb_(const mb_model *m, const double *phi, mb_tmm_work_ *w,
                              const mb_rows *rows, const double *resp, double *s, double *total,
                              mb_err *err) MB_CHECKED;
mb_status mb_tmm_gaps_predict_(const mb_model *m, const double *phi, mb_tmm_work_ *w,
                               const mb_rows *rows, mb_want want, double *out,
                               mb_err *err) MB_CHECKED;

#endif

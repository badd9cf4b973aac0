/* model/softmax.h - a category whose classes' predictors are eta ~ N(e, V): the bound of its
 * likelihood, and its probabilities. Class 0 has the predictor 0. */
#ifndef MB_MODEL_SOFTMAX_H
#define MB_MODEL_SOFTMAX_H

#include "kernel/kernel.h"

enum { MB_SOFTMAX_PAIRS_ = 1024 /* of points of an expectation, at most: whole vectors */ };

/* The T = classes - 1 predictors of a row, and room. */
typedef struct mb_softmax_ {
    const mb_kernel_ *with;
    int32_t           T;
    double *e, *V;  /* T; T x T, both triangles                                            */
    double *s, *a;  /* T: shares of the classes; where the bound is taken                  */
    double *K, *B;  /* T x T: chol(V), and room                                            */
    double *u, *d;  /* T + 1: room                                                         */
    double *z;      /* MB_SOFTMAX_PAIRS_ x T: points of N(0, I), `made` of them            */
    double  golden; /* the root above 1 of x^(T + 1) = x + 1                              */
    int32_t made;
} mb_softmax_;
/* Doubles of all of them. */
size_t mb_softmax_scratch_(int32_t T);
/* Lays them out. No point is made yet. */
mb_softmax_ mb_softmax_carve_(const mb_kernel_ *with, int32_t T, double *scratch);

/* A bound from above of E[ln(1 + sum_c exp(eta_c))], nats; s: its gradient with respect to e. That
 * with respect to V is (diag(s) - s s')/2. NaN when e or V is not finite. O(T^3). */
double mb_softmax_bound_(mb_softmax_ *w);
/* chol(V) to K; 0 where V is 0. */
void mb_softmax_factor_(mb_softmax_ *w);
/* After mb_softmax_factor_: E of the probability of each class (T + 1), which sum to 1. */
void mb_softmax_mean_(mb_softmax_ *w, double *out);
/* The class of the largest of them, where V is so small that e decides; else -1. */
int32_t mb_softmax_likeliest_(mb_softmax_ *w);
/* Mean and standard deviation of the log odds of class y against all others. */
void mb_softmax_odds_(mb_softmax_ *w, int32_t y, double *mean, double *sd);
/* The logarithm of that of class y. */
double mb_softmax_log_mean_(mb_softmax_ *w, int32_t y);

#endif

/* agreement.h - mb_agreement_of without its allocation, for metrics in every round. */
#ifndef MB_CORE_AGREEMENT_H
#define MB_CORE_AGREEMENT_H

#include "core/observe.h"
#include "meshbayes/meshbayes.h"

/* A table of counts and what is computed from it. */
typedef struct mb_counts_ {
    int32_t  K, C;
    int32_t  few, many; /* the smaller and the larger of them */
    double  *count;     /* K x C, row-major: the caller's to fill with whole numbers */
    double  *row;       /* K: rows of each component */
    double  *column;    /* C: rows of each class */
    double   total;     /* rows */
    double  *cost;      /* of the matching: few x many */
    int32_t *pair;      /* few: partner of each row of cost */
    void    *scratch;   /* of mb_assign */
} mb_counts_;

/* A table of zeros. MB_E_ARG if K or C is below 1. */
mb_status mb_counts_new_(mb_arena *a, int32_t K, int32_t C, mb_counts_ *out,
                         mb_err *err) MB_CHECKED;
/* match (K) may be NULL. */
mb_status mb_counts_agreement_(mb_counts_ *t, mb_agreement *out, int32_t *match,
                               mb_err *err) MB_CHECKED;

#endif

/* algo/combine.h - what algorithms share: the combination of eq. (27b), no message, one vector. */
#ifndef MB_ALGO_COMBINE_H
#define MB_ALGO_COMBINE_H

#include "meshbayes/extend.h"

/* phi = sum_j w_ij msg_j over ourselves (own) and the neighbours, eq. (27b). A neighbour never
 * heard from gives its weight to us: the weights still sum to 1, so phi stays in Omega (convex). */
static inline void mb_combine_(const double *own, const mb_inbox *in, size_t len, double *phi)
{
    double w = in->w_self;

    for (int32_t j = 0; j < in->deg; j++)
        if (!in->msg[j])
            w += in->w[j];
    for (size_t l = 0; l < len; l++)
        phi[l] = w * own[l];
    for (int32_t j = 0; j < in->deg; j++)
        if (in->msg[j])
            for (size_t l = 0; l < len; l++)
                phi[l] += in->w[j] * in->msg[j][l];
}

/* absorb() of dSVB and nsg-dVB: no more than that. */
static inline mb_status mb_combine_absorb_(mb_node *nd, const double *phi_star, const double *msg,
                                           size_t ld, const mb_inbox *in, mb_err *err)
{
    (void)phi_star, (void)ld, (void)err;
    mb_combine_(msg, in, nd->len, nd->phi);
    return MB_OK;
}

/* emit() of a method without messages. */
static inline mb_status mb_emit_nothing_(mb_node *nd, const double *phi_star, double *msg,
                                         size_t ld, mb_err *err)
{
    (void)nd, (void)phi_star, (void)msg, (void)ld, (void)err;
    return MB_QUIET;
}

/* naux() or nedge() of a method with one vector of state. */
static inline int32_t mb_one_vector_(const void *opt)
{
    (void)opt;
    return 1;
}

#endif

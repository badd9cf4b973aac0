/* algo/settle.h - does a node settle? Shared by EDGE and FLOW, which then halve an automatic eta. */
#ifndef MB_ALGO_SETTLE_H
#define MB_ALGO_SETTLE_H

#include "meshbayes/algo.h"

/* 1 when phi moved in the last 100 rounds more than half as far as in the 100 before: eta is too large for
 * this node's place in the network. Asked at the end of every round, true at the earliest in round 300.
 * moved: |phi - phi before|^2 of this round. memo: two numbers, the sums of `moved` over this window
 * and the last. */
static inline int mb_unsettled_(const mb_node *nd, double moved, double *memo)
{
    enum { WINDOW = 100 };
    const double settling = 0.5, at_rest = 1e-10;
    double       size = 0;
    int          unsettled;

    memo[0] += moved;
    if (nd->t % WINDOW)
        return 0;
    for (size_t l = 0; l < nd->len; l++)
        size += nd->phi[l] * nd->phi[l];
    unsettled = nd->t > 2 * WINDOW && memo[0] > at_rest * at_rest * size &&
                memo[0] > settling * settling * memo[1];
    memo[1] = memo[0];
    memo[0] = 0;
    return unsettled;
}

#endif

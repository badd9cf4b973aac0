/* algo/settle.h - does a node settle? If not, EDGE and FLOW halve an automatic eta. */
#ifndef MB_ALGO_SETTLE_H
#define MB_ALGO_SETTLE_H

#include "meshbayes/algo.h"

/* 1 if phi moved more than half as far in the last 100 rounds as in the 100 before: eta is too
 * large for this node's place in the network. Called at the end of every round, 1 in round 300 at
 * the earliest. moved: |phi - phi before|^2 of this round. memo: the sums of `moved` over this
 * window and the last. */
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

/* turn.h - when a node makes its local step: in every round, or once per cycle of its algorithm. */
#ifndef MB_CORE_TURN_H
#define MB_CORE_TURN_H

#include "meshbayes/run.h"

/* Place of node i on the ring; 0 for algorithms that need no ring. */
static inline int32_t mb_turn_(const mb_problem *p, int32_t i)
{
    return p->algo->needs & MB_NEEDS_RING ? p->part->turn[i] : 0;
}

/* 1 in the rounds between two local steps of node i, in which its phi and phi* do not change. */
static inline int mb_is_held_(const mb_problem *p, int64_t t, int32_t i)
{
    return p->algo->cycle && t % p->algo->cycle(p->opt) != mb_turn_(p, i);
}

#endif

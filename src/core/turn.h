/* core/turn.h - when a node makes its local step: in every round, or once in a cycle of its algorithm. */
#ifndef MB_CORE_TURN_H
#define MB_CORE_TURN_H

#include "meshbayes/run.h"

/* A place on the ring, for the methods that need one, else 0. */
static inline int32_t mb_turn_(const mb_problem *p, int32_t i)
{
    return p->algo->needs & MB_NEEDS_RING ? p->part->turn[i] : 0;
}

/* 1 in the rounds between two local steps of node i, in which its phi and phi* stay as they are. */
static inline int mb_is_held_(const mb_problem *p, int64_t t, int32_t i)
{
    return p->algo->cycle && t % p->algo->cycle(p->opt) != mb_turn_(p, i);
}

#endif

/* turn.h - when a node makes its local step: in every round, or once per cycle of its algorithm. */
#ifndef MB_CORE_TURN_H
#define MB_CORE_TURN_H

#include "core/run.h"
#include "meshbayes/extend.h"

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

/* run_check.c: MB_E_NOSUP, MB_E_ARG for a run that cannot be made. */
mb_status mb_run_check_(const mb_problem *p, const mb_transport *tp, const mb_observer *obs,
                        int32_t nobs, const mb_run_opt *opt, mb_err *err) MB_CHECKED;

/* traffic.c: counts frames as they leave their nodes, including those that are lost later. */
void mb_count_traffic_(const mb_part *part, mb_state *s);

/* overshot.c: 1 when the bound falls at phi, on along the way from `from`, with more than half of
 * the slope with which it rose there; part: of the way from there to its phi*. work:
 * mb_local_scratch. */
int mb_overshot_(const mb_model *m, const double *from, const double *phi, const double *phi_star,
                 double part, double *work);

#endif

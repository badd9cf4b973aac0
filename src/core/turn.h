/* turn.h - when a node makes its local step: in every round, once per cycle of its algorithm, or
 * when what it waits for has arrived. */
#ifndef MB_CORE_TURN_H
#define MB_CORE_TURN_H

#include "core/run.h"
#include "meshbayes/extend.h"

/* Place of node i on the ring; 0 for algorithms that need no ring. */
static inline int32_t mb_turn_(const mb_problem *p, int32_t i)
{
    return p->algo->needs & MB_NEEDS_RING ? p->part->turn[i] : 0;
}

/* Node i as step and ready of its algorithm see it. */
static inline mb_node mb_seen_(const mb_problem *p, const mb_state *s, int64_t t, int32_t i)
{
    return (mb_node){.layout = &p->model->layout,
                     .opt = p->opt,
                     .t = t,
                     .deg = p->part->deg[i],
                     .memo = s->memo ? s->memo + (size_t)i * (size_t)s->nmemo : NULL};
}

/* 1 after absorb of round t if node i makes no local step in it, so that its phi and phi* stay. */
static inline int mb_is_held_(const mb_problem *p, const mb_state *s, int64_t t, int32_t i)
{
    if (p->algo->ready) {
        const mb_node nd = mb_seen_(p, s, t, i);

        return !p->algo->ready(&nd);
    }
    return p->algo->cycle && t % p->algo->cycle(p->opt) != mb_turn_(p, i);
}

/* run_check.c: MB_E_NOSUP, MB_E_ARG for a run that cannot be made. */
mb_status mb_run_check_(const mb_problem *p, const mb_transport *tp, const mb_observer *obs,
                        int32_t nobs, const mb_run_opt *opt, mb_err *err) MB_CHECKED;

/* traffic.c: counts frames as they leave their nodes, including those that are lost later. */
void mb_count_traffic_(const mb_part *part, mb_state *s);

#endif

/* sim_stop.c - the stop rule of a run, held back until the last dump is made. */
#include "sim/sim.h"

typedef struct patience {
    mb_observer rule;
    int64_t     from;
    int32_t    *ended; /* 1 once it has let the rule speak */
} patience;

static mb_status see_patiently(void *self, const mb_problem *p, const mb_state *st, mb_err *err)
{
    const patience *w = self;
    mb_status       verdict = w->rule.see(w->rule.self, p, st, err);

    if (verdict == MB_STOP && st->t < w->from)
        return MB_OK;
    *w->ended |= verdict == MB_STOP;
    return verdict;
}

static int32_t keep_patiently(void *self, mb_kept *out)
{
    const patience *w = self;

    return w->rule.keep(w->rule.self, out);
}

mb_status sim_stop_rule(sim *s, sim_result *r, mb_observer *out, mb_err *err)
{
    patience *w;

    MB_NEW(w, r->memory, 1, err);
    MB_TRY(mb_stop_new(r->memory, &r->problem, s->opt.tol, &r->stand, &w->rule, err));
    w->ended = &r->ended;
    w->from = s->dump_count ? s->dump_at[s->dump_count - 1] : 0;
    *out = (mb_observer){
        .self = w, .every = w->rule.every, .see = see_patiently, .keep = keep_patiently};
    return MB_OK;
}

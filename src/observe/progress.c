/* Progress: rounds done and rounds in all, for whoever shows it. */
#include "meshbayes/observe.h"

typedef struct progress {
    int64_t        rounds;
    mb_progress_fn fn;
    void          *to;
} progress;

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    const progress *pg = self;
    (void)p;
    (void)err;
    pg->fn(pg->to, s->t, pg->rounds);
    return MB_OK;
}

mb_status mb_progress_new(mb_arena *a, int64_t rounds, int64_t every, mb_progress_fn fn, void *to,
                          mb_observer *out, mb_err *err)
{
    progress *pg;
    if (every < 1)
        MB_FAIL(err, MB_E_ARG, "progress every %lld rounds: at least 1", (long long)every);
    MB_NEW(pg, a, 1, err);
    *pg = (progress){.rounds = rounds, .fn = fn, .to = to};
    *out = (mb_observer){.self = pg, .every = every, .see = see};
    return MB_OK;
}

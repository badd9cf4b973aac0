/* watch.c - the observer that saves a run every so many rounds. */
#include "meshbayes/checkpoint.h"

typedef struct watch {
    const mb_checkpoint *c;
    int64_t              every, rounds;
} watch;

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    const watch *w = self;

    if (s->t % w->every || s->t == w->rounds)
        return MB_OK; /* the last round of a run */
    return mb_checkpoint_save(w->c, p, s, 0, err);
}

mb_status mb_checkpoint_watch(mb_arena *a, const mb_checkpoint *c, int64_t every, int64_t rounds,
                              mb_observer *out, mb_err *err)
{
    watch *w;

    if (every < 1)
        MB_FAIL(err, MB_E_ARG, "a checkpoint every %lld rounds: at least 1", (long long)every);
    MB_NEW(w, a, 1, err);
    *w = (watch){.c = c, .every = every, .rounds = rounds};
    *out = (mb_observer){.self = w, .every = every, .see = see};
    return MB_OK;
}

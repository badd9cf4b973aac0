/* dump.c - observers that call back: with the state at chosen rounds, or with the rounds done. */
#include "core/observe.h"

typedef struct dump {
    const int64_t *at; /* ascending, borrowed */
    int32_t        count, next;
    mb_dump_fn     fn;
    void          *to;
} dump;

static mb_status see_dump(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    dump *d = self;

    while (d->next < d->count && d->at[d->next] < s->t)
        d->next++; /* made before the run resumed from a checkpoint */
    if (d->next >= d->count || s->t != d->at[d->next])
        return MB_OK;
    d->next++;
    return d->fn(d->to, s->t, p, s, err);
}

mb_status mb_dump_new(mb_arena *a, const int64_t *at, int32_t at_count, mb_dump_fn fn, void *to,
                      mb_observer *out, mb_err *err)
{
    dump *d;

    for (int32_t l = 0; l < at_count; l++)
        if (at[l] <= (l ? at[l - 1] : 0))
            MB_FAIL(err, MB_E_ARG,
                    "rounds of dumps: got %lld; expected ascending numbers from 1 on",
                    (long long)at[l]);
    MB_NEW(d, a, 1, err);
    *d = (dump){.at = at, .count = at_count, .fn = fn, .to = to};
    *out = (mb_observer){.self = d, .every = 1, .see = see_dump};
    return MB_OK;
}

typedef struct progress {
    int64_t        rounds;
    mb_progress_fn fn;
    void          *to;
} progress;

static mb_status see_progress(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    const progress *pg = self;

    (void)p, (void)err;
    pg->fn(pg->to, s->t, pg->rounds);
    return MB_OK;
}

mb_status mb_progress_new(mb_arena *a, int64_t rounds, int64_t every, mb_progress_fn fn, void *to,
                          mb_observer *out, mb_err *err)
{
    progress *pg;

    if (every < 1)
        MB_FAIL(err, MB_E_ARG, "interval of progress: got %lld rounds; expected at least 1",
                (long long)every);
    MB_NEW(pg, a, 1, err);
    *pg = (progress){.rounds = rounds, .fn = fn, .to = to};
    *out = (mb_observer){.self = pg, .every = every, .see = see_progress};
    return MB_OK;
}

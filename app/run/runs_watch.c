/* runs_watch.c - what is stored of every run: the metrics in sampled rounds, and when it came close to
 * central VB and the truth, which is looked at in every round. */
#include "run/runs.h"

#include <math.h>
#include <string.h>

enum { TRAFFIC = 1 << MB_M_BYTES | 1 << MB_M_FRAMES };
#define PERCENT 0.01 /* of the divergence of central VB from the truth */

typedef struct watch {
    runs_one  *to;
    mb_metrics m;
    uint32_t   band;  /* metrics in sampled rounds                                          */
    uint32_t   level; /* of them those of the levels, in every round                        */
    double     truth; /* KL divergence of central VB from the truth posterior; NaN: unknown */
    int64_t    room;
} watch;

runs_one *runs_of(const runs *all, int64_t k, int32_t c)
{
    return &all->all[k * all->args->nchoice + c];
}

/* One number of the network: the sum of what is counted, else the mean over the nodes. */
static double number(const mb_metrics *m, int metric)
{
    const mb_stat *v = &m->value[metric];

    return isnan(v->total) ? v->mean : v->total;
}

static void take(runs_sample *to, const mb_metrics *m, uint32_t which, int64_t t)
{
    to->t = t;
    for (int k = 0; k < MB_M_COUNT; k++)
        to->value[k] = m->on & which & 1u << k ? number(m, k) : (double)NAN;
}

/* 1 if the network is at a level in this round. */
static int is_at(const watch *w, runs_level level)
{
    const mb_stat *cvb = &w->m.value[MB_M_KL_CVB], *truth = &w->m.value[MB_M_KL_TRUTH];

    if (level == RUNS_NAT)
        return w->level >> MB_M_KL_CVB & 1 && !cvb->outside && cvb->mean < 1;
    return w->level >> MB_M_KL_TRUTH & 1 && !truth->outside &&
           fabs(truth->mean - w->truth) <= PERCENT * w->truth && truth->sd <= PERCENT * w->truth;
}

static void note_levels(watch *w, int64_t t)
{
    for (int k = 0; k < RUNS_LEVELS; k++) {
        runs_reach *since = &w->to->reach[k];

        if (!is_at(w, (runs_level)k))
            *since = (runs_reach){0};
        else if (!since->t)
            *since = (runs_reach){t, number(&w->m, MB_M_BYTES), number(&w->m, MB_M_FRAMES)};
    }
}

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    watch    *w = self;
    const int sampled = mb_metrics_sampled(s->t) && w->to->n < w->room;

    w->m.on = sampled ? w->band : w->level;
    MB_TRY(mb_metrics_see(&w->m, p, s, err));
    note_levels(w, s->t);
    if (sampled)
        take(&w->to->at[w->to->n++], &w->m, w->band, s->t);
    return MB_OK;
}

/* Central VB's distance from the truth, which the nodes' is compared with. */
static mb_status central_truth(const sim_case *cs, mb_arena *a, double *kl, mb_err *err)
{
    const mb_model *m = &cs->fit->stages->nodes.model;
    double         *scratch;
    mb_status       st;

    *kl = (double)NAN;
    if (!cs->truth || !cs->cvb)
        return MB_OK;
    MB_NEW(scratch, a, mb_kl_aligned_scratch(m), err);
    st = mb_kl_aligned(m, cs->cvb, cs->truth, kl, NULL, scratch, err);
    return st == MB_E_DOMAIN || st == MB_E_NUMERIC ? MB_OK : st;
}

/* The sampled rounds up to this one, and the last one. */
static int64_t samples(int64_t rounds)
{
    int64_t n = 1;

    for (int64_t t = mb_metrics_next(0); t <= rounds; t = mb_metrics_next(t))
        n++;
    return n;
}

mb_status runs_watch(void *self, sim_result *r, mb_session *session, mb_err *err)
{
    runs           *all = self;
    const sim_case *cs = r->cs;
    mb_arena       *a = session->own;
    watch          *w;
    mb_problem     *p = &session->problem;

    MB_NEW(w, a, 1, err);
    w->to = runs_of(all, all->now, (int32_t)(r->choice - cs->args->choice));
    MB_TRY(central_truth(cs, a, &w->truth, err));
    w->m = sim_metrics_of(r, p, cs->metrics | TRAFFIC);
    MB_TRY(mb_metrics_new(a, p, &w->m, err));
    w->band = w->m.on; /* those without a reference are off */
    w->level = w->band & (1u << MB_M_KL_CVB | 1u << MB_M_KL_TRUTH | TRAFFIC);
    if (!all->now)
        all->metrics = cs->metrics;
    w->room = samples(cs->args->opt.rounds);
    MB_NEW(w->to->at, all->job->a, w->room, err);
    w->to->n = 0;
    const mb_observer obs = {.self = w,
                             .every = 1,
                             .see = see,
                             .wants_bound =
                                 (w->band & (1u << MB_M_BOUND | 1u << MB_M_BOUND_SKLEARN)) != 0};

    return mb_session_watch(session, &obs, err);
}

mb_status runs_ended(void *self, sim_result *r, mb_err *err)
{
    runs     *all = self;
    runs_one *to = runs_of(all, all->now, (int32_t)(r->choice - r->cs->args->choice));

    (void)err;
    to->ended = 1;
    to->verdict = sim_verdict(r);
    to->rounds = r->out.rounds;
    to->outside = r->out.outside;
    to->bound = r->out.bound;
    to->disagreement = r->out.disagreement;
    to->moved = r->out.moved;
    for (int k = 0; k < MB_M_COUNT; k++)
        to->end[k] = r->final.on >> k & 1 ? number(&r->final, k) : (double)NAN;
    if (!to->n || to->at[to->n - 1].t < to->rounds)
        take(&to->at[to->n++], &r->final, r->cs->metrics | TRAFFIC, to->rounds);
    return MB_OK;
}

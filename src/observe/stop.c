/* Stop rule: nobody moves and everybody has been heard since; then one centralised step decides
 * (docs/math.md, section 13). */
#include "observe/still.h"

#include <math.h>

typedef struct stop {
    mb_still_ still;
    mb_stand *stand;
    double   *mean;    /* L: of the network                */
    double   *after;   /* L + 1: after a centralised step */
    double   *scratch; /* of a local step                  */
} stop;

/* What all processes know of this round. */
typedef struct view {
    int64_t busy;  /* last round in which a node was busy                    */
    int64_t heard; /* every link has brought two messages sent since then     */
    double  level; /* largest distance of a busy node                        */
    int32_t open;  /* 1: a busy node may still come closer                   */
} view;

/* Rounds are far below 2^53. */
static mb_status join(const stop *st, const mb_problem *p, view *out, mb_err *err)
{
    const int64_t heard = mb_still_heard_(&st->still, p), most = (int64_t)1 << 52;
    double v[4] = {(double)mb_still_busy_(&st->still, p), -(double)(heard < most ? heard : most),
                   st->still.level, st->still.open};

    MB_TRY(mb_over_all_(p, MB_MAX, v, 4, err));
    *out = (view){.busy = (int64_t)v[0], .heard = (int64_t)-v[1], .level = v[2], .open = v[3] > 0};
    return MB_OK;
}

/* No node was busy over two local steps of each, and two messages that every link brought were sent
 * afterwards. Nodes that send nothing wait for nobody. */
static int has_fired(const stop *st, const mb_problem *p, int64_t t, const view *v)
{
    const int64_t last = v->busy > st->still.watched - 1 ? v->busy : st->still.watched - 1;
    const int     alone = p->algo && p->algo->needs & MB_NEEDS_NO_MSG;

    return st->still.watched && t - last >= 2 * st->still.cycle && (alone || v->heard > last);
}

/* The network mean, how far the nodes are from it and how far one centralised step leads. The copies
 * of the round before have been read, so the step is made in their place. */
static mb_status check(stop *st, const mb_problem *p, const mb_state *s, mb_err *err)
{
    mb_stand *stand = st->stand;
    double    bound;
    mb_status how;

    stand->checks++;
    st->still.taken = -1;
    MB_TRY(mb_mean_phi(p, s, st->mean, err));
    MB_TRY(mb_disagreement(p, s, st->mean, NULL, &stand->disagreement, err));
    how = mb_central_check_in_(p, st->mean, st->still.phi, st->after, st->scratch, &stand->moved,
                               &bound, err);
    if (how == MB_E_DOMAIN)
        stand->moved = (double)NAN;
    else
        MB_TRY(how);
    stand->settled = stand->moved <= MB_SETTLED && stand->disagreement <= MB_SETTLED;
    return MB_OK;
}

static mb_status decide(stop *st, const mb_problem *p, const mb_state *s, mb_err *err)
{
    const mb_algo *algo = p->algo;
    mb_stand      *stand = st->stand;
    view           v;

    MB_TRY(join(st, p, &v, err));
    stand->still = has_fired(st, p, s->t, &v);
    stand->rounding = !stand->still && !v.open && v.level > 0;
    stand->level = v.level;
    stand->settled = 0;
    if (stand->still || stand->rounding)
        MB_TRY(check(st, p, s, err));
    if (v.busy == s->t)
        st->still.watched = 0;
    else if (!st->still.watched) {
        st->still.watched = s->t;
        mb_still_forget_(&st->still, p);
    }
    if (stand->settled)
        return MB_STOP;
    /* Nodes that are not meant to agree, and stand still apart from each other, never will. */
    return stand->still && algo && !algo->consensus && stand->disagreement > MB_SETTLED ? MB_STOP
                                                                                        : MB_OK;
}

static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    stop     *st = self;
    const int look = s->t % MB_STILL_LOOK_ == 0;
    mb_status verdict = MB_OK;

    if (look || st->still.watched)
        mb_still_examine_(&st->still, p, s);
    if (st->still.watched)
        mb_still_hear_(&st->still, p, s);
    if (look)
        MB_TRY(verdict = decide(st, p, s, err));
    if (st->still.watched || (s->t + 1) % MB_STILL_LOOK_ == 0)
        mb_still_copy_(&st->still, p, s);
    return verdict;
}

static int32_t keep(void *self, mb_kept *out)
{
    stop        *st = self;
    mb_still_   *w = &st->still;
    const size_t node = sizeof *w->node, link = 2 * sizeof *w->heard;

    *out++ = (mb_kept){.name = "stop.taken", .at = &w->taken, .bytes = 8, .pieces = 1};
    *out++ = (mb_kept){.name = "stop.watched", .at = &w->watched, .bytes = 8, .pieces = 1};
    *out++ =
        (mb_kept){.name = "stop.node", .at = w->node, .bytes = node, .stride = node, .pieces = 1};
    *out++ = (mb_kept){.name = "stop.phi",
                       .at = w->phi,
                       .bytes = (w->ld - 1) * sizeof *w->phi,
                       .stride = w->ld * sizeof *w->phi,
                       .pieces = 1};
    *out++ =
        (mb_kept){.name = "stop.stand", .at = st->stand, .bytes = sizeof *st->stand, .pieces = 1};
    *out = (mb_kept){.name = "stop.heard",
                     .at = w->heard,
                     .bytes = link,
                     .stride = link,
                     .pieces = 1,
                     .of_links = 1};
    return 6;
}

mb_status mb_stop_new(mb_arena *a, const mb_problem *p, double tol, mb_stand *stand,
                      mb_observer *out, mb_err *err)
{
    stop *st;

    if (!(tol > 0))
        MB_FAIL(err, MB_E_ARG, "stop tolerance %g: must be above 0", tol);
    MB_NEW(st, a, 1, err);
    st->stand = stand;
    if (!stand)
        MB_NEW(st->stand, a, 1, err);
    *st->stand = (mb_stand){.moved = (double)NAN, .disagreement = (double)NAN};
    MB_TRY(mb_still_new_(a, p, tol, &st->still, err));
    MB_NEW(st->mean, a, st->still.ld, err);
    MB_NEW(st->after, a, st->still.ld, err);
    MB_NEW(st->scratch, a, mb_local_scratch(p->model), err);
    *out = (mb_observer){.self = st, .every = 1, .see = see, .keep = keep};
    return MB_OK;
}

/* virtual.c - a virtual network from its options to its end, and its loop. */
#include "virtual/inside.h"

#include <math.h>

static mb_status check_chances(const mb_virtual_opt *o, mb_err *err)
{
    const struct {
        const char *name;
        double      p;
    } chance[] = {{"loss", o->loss},
                  {"duplicate", o->duplicate},
                  {"reorder", o->reorder},
                  {"corrupt", o->corrupt},
                  {"disk_fail", o->disk_fail},
                  {"disk_torn", o->disk_torn},
                  {"disk_short", o->disk_short}};

    for (size_t k = 0; k < sizeof chance / sizeof *chance; k++)
        if (!(chance[k].p >= 0 && chance[k].p < 1))
            MB_FAIL(err, MB_E_ARG, "%s: got %g; expected a probability, 0 to below 1",
                    chance[k].name, chance[k].p);
    return MB_OK;
}

static mb_status check(const mb_virtual_opt *o, mb_err *err)
{
    MB_TRY(check_chances(o, err));
    if (!(o->speed[0] > 0 && o->speed[1] >= o->speed[0] && o->speed[1] <= 1000))
        MB_FAIL(err, MB_E_ARG, "speed: got %g..%g; expected two numbers that ascend, to 1000",
                o->speed[0], o->speed[1]);
    if (o->delay_us[0] < 0 || o->delay_us[1] < o->delay_us[0] ||
        o->delay_us[1] > INT64_C(3600000000))
        MB_FAIL(err, MB_E_ARG, "delay: got %lld..%lld us; expected a range within 0 to one hour",
                (long long)o->delay_us[0], (long long)o->delay_us[1]);
    if (!(o->bandwidth >= 0 && isfinite(o->bandwidth)))
        MB_FAIL(err, MB_E_ARG, "bandwidth: got %g; expected bytes a second, 0: no limit",
                o->bandwidth);
    if (o->peer.tick_ms < 1 || o->peer.tick_ms > 3600000)
        MB_FAIL(err, MB_E_ARG, "tick_ms: got %lld; expected 1 to 3600000",
                (long long)o->peer.tick_ms);
    if (o->checkpoint_ticks < 0)
        MB_FAIL(err, MB_E_ARG, "checkpoint_ticks: got %lld; expected 0 or more",
                (long long)o->checkpoint_ticks);
    for (int64_t k = 0; k < o->schedule.n; k++)
        if (o->schedule.event[k].kind == MB_EVENT_ROWS && !o->schedule.event[k].rows) {
            char where[256];

            mb_event_where_(&o->schedule, k, where, sizeof where);
            MB_FAIL(err, MB_E_ARG, "%s: got an event without rows; expected them read", where);
        }
    return MB_OK;
}

/* Room for all rows that come to each node. */
static mb_status make_pieces(mb_virtual *v, mb_err *err)
{
    const mb_schedule *s = &v->opt.schedule;

    for (int32_t i = 0; i < v->n; i++)
        v->node[i].pieces = 1;
    for (int64_t k = 0; k < s->n; k++)
        if (s->event[k].kind == MB_EVENT_ROWS) {
            v->node[s->event[k].a].pieces++;
            v->node[s->event[k].a].rows += s->event[k].rows->n;
        }
    for (int32_t i = 0; i < v->n; i++) {
        mb_vnode_ *node = &v->node[i];

        MB_NEW(node->piece, v->own, node->pieces, err);
        for (int k = 0; k < 2; k++)
            MB_NEW(node->slot[k].came, v->own, node->pieces, err);
        node->piece[0].rows = &v->opt.rows[i];
        node->pieces = 1;
        node->rows += v->opt.rows[i].n;
    }
    return MB_OK;
}

static void make_nodes(mb_virtual *v)
{
    const double lo = v->opt.speed[0], hi = v->opt.speed[1];

    for (int32_t i = 0; i < v->n; i++) {
        mb_rng     rng = mb_rng_at(v->opt.seed, MB_STREAM_HOST, (uint32_t)i, 0);
        mb_vnode_ *node = &v->node[i];

        node->life = MB_LIFE_LIVE;
        node->speed = hi > lo ? lo + (hi - lo) * mb_rng_uniform(&rng) : lo;
        node->period_us = llround(node->speed * (double)v->tick_us);
        node->period_us += !node->period_us;
        node->drift = 1;
        node->wake_us = -1;
        if (!v->opt.together)
            node->local_us = (int64_t)mb_rng_below(&rng, 1000000000);
    }
    for (int64_t k = 0; k < v->opt.schedule.n; k++)
        if (v->opt.schedule.event[k].kind == MB_EVENT_JOIN)
            v->node[v->opt.schedule.event[k].a].life = MB_LIFE_ABSENT;
}

/* The options of a node, found wrong here rather than in the first run. */
static mb_status check_peer(const mb_virtual_opt *o, const mb_masks *masks, mb_err *err)
{
    mb_arena   *a = mb_arena_new(1 << 12);
    mb_peer_opt opt = o->peer;
    mb_peer    *peer;
    mb_status   st = MB_E_NOMEM;

    if (o->genesis && !opt.declared)
        opt.declared = o->genesis->declared;
    opt.masks = masks;
    opt.id = opt.neighbours = 0;
    opt.incarnation = 1;
    opt.rows = opt.window_rows;
    if (a)
        st = mb_peer_new(a, &opt, &peer, err);
    mb_arena_free(a);
    if (!a)
        MB_FAIL(err, st, "out of memory for a virtual network");
    return st;
}

static mb_status make(mb_virtual *v, mb_err *err)
{
    const mb_graph *g = v->opt.graph;

    MB_TRY(check(&v->opt, err));
    v->n = g->n;
    MB_TRY(mb_masks_make_(v, err));
    MB_TRY(check_peer(&v->opt, v->mask ? &v->mask[0].by : NULL, err));
    MB_TRY(mb_schedule_check(v->own, &v->opt.schedule, g, v->opt.name, err));
    v->links = g->ptr[g->n];
    v->tick_us = v->opt.peer.tick_ms * 1000;
    MB_NEW(v->tail, v->own, v->links + 1, err);
    MB_NEW(v->link, v->own, v->links + 1, err);
    MB_NEW(v->node, v->own, v->n + 1, err);
    for (int32_t i = 0; i < v->n; i++)
        for (int64_t p = g->ptr[i]; p < g->ptr[i + 1]; p++)
            v->tail[p] = i;
    MB_TRY(make_pieces(v, err));
    make_nodes(v);
    return MB_OK;
}

mb_status mb_virtual_new(const mb_virtual_opt *opt, mb_virtual **out, mb_err *err)
{
    mb_arena   *own = mb_arena_new(1 << 16);
    mb_virtual *v = own ? mb_alloc(own, 1, sizeof *v) : NULL;
    mb_status   st;

    *out = NULL;
    if (!v) {
        mb_arena_free(own);
        MB_FAIL(err, MB_E_NOMEM, "out of memory for a virtual network");
    }
    v->own = own;
    v->opt = *opt;
    v->opt.peer.tick_ms += opt->peer.tick_ms ? 0 : 20;
    if (opt->speed[0] == 0 && opt->speed[1] == 0)
        v->opt.speed[0] = v->opt.speed[1] = 1;
    v->looked_us = -1;
    st = make(v, err);
    if (st < 0)
        mb_virtual_free(v);
    else
        *out = v;
    return st;
}

void mb_virtual_free(mb_virtual *v)
{
    if (!v)
        return;
    for (int32_t i = 0; v->node && i < v->n; i++)
        mb_arena_free(v->node[i].own);
    mb_arena_free(v->own);
}

/* Plans the schedule's next event. */
static mb_status plan_event(mb_virtual *v, mb_err *err)
{
    return v->event == v->opt.schedule.n ? MB_OK
                                         : mb_plan_item_(v, v->opt.schedule.event[v->event].at_us,
                                                         MB_ITEM_EVENT_, v->event, 0, NULL, err);
}

/* Nodes that are there at time 0 begin. */
static mb_status begin(mb_virtual *v, mb_err *err)
{
    char note[MB_NOTE_];

    v->begun = 1;
    for (int32_t i = 0; i < v->n; i++)
        if (v->node[i].life != MB_LIFE_ABSENT)
            MB_TRY(mb_node_begin_(v, i, note, err));
    for (int32_t k = 0; k < v->watchers; k++)
        if (v->watcher[k].look)
            MB_TRY(mb_plan_item_(v, 0, MB_ITEM_LOOK_, k, 0, NULL, err));
    return plan_event(v, err);
}

static mb_status happen(mb_virtual *v, const mb_item_ *item, mb_err *err)
{
    const mb_vnode_ *node;

    switch (mb_item_kind_of_(item)) {
    case MB_ITEM_RESUME_:
        v->resumes--;
        node = &v->node[item->what];
        return node->pauses == item->mark ? mb_event_resume_(v, (int32_t)item->what, err) : MB_OK;
    case MB_ITEM_EVENT_:
        v->event++;
        MB_TRY(mb_event_happen_(v, &v->opt.schedule.event[item->what], err));
        return plan_event(v, err);
    case MB_ITEM_WAKE_:
        node = &v->node[item->what];
        if (node->life != MB_LIFE_LIVE || node->wake_us != item->at ||
            node->incarnation != item->mark)
            return MB_OK;
        return mb_node_woken_(v, (int32_t)item->what, err);
    case MB_ITEM_ARRIVE_:
        return mb_node_arrive_(v, item->what, item->packet, err);
    case MB_ITEM_FREE_:
        return mb_link_free_(v, item->what, err);
    default:
        return mb_tell_look_(v, item->what, err);
    }
}

/* 1 when all is settled and nothing is to come; asked once a tick_ms, and cheaply at first. */
static int ended(mb_virtual *v)
{
    if (v->event < v->opt.schedule.n || v->resumes || v->moving || v->now == v->looked_us ||
        v->now - v->looked_us < v->tick_us)
        return 0;
    v->looked_us = v->now;
    return mb_virtual_settled(v);
}

mb_status mb_virtual_run(mb_virtual *v, int64_t until_us, int32_t or_settled, mb_err *err)
{
    v->stop = 0;
    if (!v->begun)
        MB_TRY(begin(v, err));
    while (v->items && v->heap[0].at <= until_us) {
        const mb_item_ item = mb_next_item_(v);

        v->now = item.at;
        MB_TRY(happen(v, &item, err));
        if (v->twice)
            MB_FAIL(err, MB_E_PEER, "one mask has served two contributions");
        if (v->stop)
            return MB_STOP;
        if (or_settled && ended(v))
            return MB_OK;
    }
    v->now = until_us > v->now ? until_us : v->now;
    return MB_OK;
}

mb_status mb_virtual_happen(mb_virtual *v, const mb_event *e, mb_err *err)
{
    if (!v->begun)
        MB_TRY(begin(v, err));
    MB_TRY(mb_event_check_(v, e, err));
    return mb_event_happen_(v, e, err);
}

mb_status mb_virtual_lose(mb_virtual *v, double loss, mb_err *err)
{
    mb_virtual_opt next = v->opt;

    next.loss = loss;
    MB_TRY(check_chances(&next, err));
    v->opt.loss = loss;
    return MB_OK;
}

int64_t mb_virtual_now(const mb_virtual *v)
{
    return v->now;
}

int64_t mb_virtual_events(const mb_virtual *v)
{
    return v->event;
}

const mb_virtual_opt *mb_virtual_options(const mb_virtual *v)
{
    return &v->opt;
}

mb_life mb_virtual_life(const mb_virtual *v, int32_t i)
{
    return v->node[i].life;
}

const mb_peer *mb_virtual_peer(const mb_virtual *v, int32_t i)
{
    return v->node[i].peer;
}

int64_t mb_virtual_clock(const mb_virtual *v, int32_t i)
{
    return mb_node_clock_(&v->node[i], v->now);
}

uint32_t mb_virtual_incarnation(const mb_virtual *v, int32_t i)
{
    return v->node[i].incarnation;
}

double mb_virtual_speed(const mb_virtual *v, int32_t i)
{
    return v->node[i].speed;
}

int64_t mb_virtual_tally(const mb_virtual *v, mb_tally what)
{
    return v->tally[what];
}

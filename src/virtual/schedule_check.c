/* schedule_check.c - which events make sense: the states of nodes and links as a schedule changes
 * them. */
#include "virtual/inside.h"

#include "base/format.h"
#include "network/csr.h"

#include <math.h>

/* The network as far as events need to know it. */
typedef struct stage {
    const mb_schedule *s;
    const mb_graph    *g;
    const char *const *name;
    int64_t            k;     /* the event */
    mb_life           *life;  /* g->n */
    int64_t           *until; /* g->n: end of a pause, us; 0: none is known      */
    uint8_t           *wiped; /* g->n: 1: dead, and its disk is empty            */
    uint8_t           *in;    /* g->n: marks of a set                            */
    uint8_t           *cut;   /* 2 |E|: 1: the direction is cut                  */
    int32_t            apart; /* partitions                                      */
} stage;

void mb_event_where_(const mb_schedule *s, int64_t k, char *out, size_t room)
{
    const char *file = s->file ? s->file : "schedule";

    if (s->event[k].line)
        mb_format_(out, room, "%s:%lld", file, (long long)s->event[k].line);
    else
        mb_format_(out, room, "%s: event %lld", file, (long long)k + 1);
}

const char *mb_node_name_(const char *const *name, int32_t i, char out[16])
{
    if (name)
        return name[i];
    mb_format_(out, 16, "%d", i + 1);
    return out;
}

static mb_status refuse(const stage *g, const char *why, mb_err *err)
{
    char where[256];

    mb_event_where_(g->s, g->k, where, sizeof where);
    MB_FAIL(err, MB_E_FORMAT, "%s: got %s; expected %s", where,
            mb_event_text(g->s->event[g->k].kind), why);
}

/* `why` has one %s, the name of node i. */
static mb_status refuse_node(const stage *g, int32_t i, const char *why, mb_err *err)
{
    const mb_event *e = &g->s->event[g->k];
    char            where[256], own[16];

    mb_event_where_(g->s, g->k, where, sizeof where);
    MB_FAIL(err, MB_E_FORMAT, "%s: got %s of node \"%.60s\", which %s", where,
            mb_event_text(e->kind), mb_node_name_(g->name, i, own), why);
}

/* What a node that may not have this event is; expected: a set of lives, bit by bit. */
static mb_status need(const stage *g, int32_t i, unsigned lives, const char *expected, mb_err *err)
{
    static const char *const is[MB_LIVES] = {
        "has not joined yet", "is running", "is paused", "is dead", "has left", "has failed"};
    char text[120];

    if (lives >> g->life[i] & 1)
        return MB_OK;
    mb_format_(text, sizeof text, "%s then; expected %s", is[g->life[i]], expected);
    return refuse_node(g, i, text, err);
}

enum {
    UP = 1 << MB_LIFE_LIVE | 1 << MB_LIFE_PAUSED,
    THERE = UP | 1 << MB_LIFE_DEAD,
};

static mb_status check_node(const stage *g, int32_t i, mb_err *err)
{
    return i >= 0 && i < g->g->n ? MB_OK : refuse(g, "a node of the network", err);
}

/* Events of the life of node a. */
static mb_status live(stage *g, const mb_event *e, mb_err *err)
{
    mb_life *life = &g->life[e->a];

    switch (e->kind) {
    case MB_EVENT_KILL:
    case MB_EVENT_LEAVE:
        MB_TRY(need(g, e->a, UP, "a node that is running or paused", err));
        *life = e->kind == MB_EVENT_KILL ? MB_LIFE_DEAD : MB_LIFE_LEFT;
        return MB_OK;
    case MB_EVENT_START:
        MB_TRY(need(g, e->a, 1 << MB_LIFE_DEAD, "a dead one", err));
        *life = MB_LIFE_LIVE;
        g->wiped[e->a] = 0;
        return MB_OK;
    case MB_EVENT_WIPE:
        MB_TRY(need(g, e->a, THERE, "a node that has a state", err));
        if (g->wiped[e->a])
            return refuse_node(g, e->a, "was wiped before and has not started since", err);
        *life = MB_LIFE_DEAD;
        g->wiped[e->a] = 1;
        return MB_OK;
    case MB_EVENT_JOIN:
        MB_TRY(need(g, e->a, 1 << MB_LIFE_ABSENT, "one that was not there before", err));
        *life = MB_LIFE_LIVE;
        return MB_OK;
    case MB_EVENT_PAUSE:
        MB_TRY(need(g, e->a, 1 << MB_LIFE_LIVE, "a node that is running", err));
        if (!(e->x >= 0 && e->x <= 1e9))
            return refuse(g, "seconds up to 1e9", err);
        *life = MB_LIFE_PAUSED;
        g->until[e->a] = e->x > 0 ? e->at_us + llround(e->x * 1e6) : 0;
        return MB_OK;
    default:
        MB_TRY(need(g, e->a, 1 << MB_LIFE_PAUSED, "a paused one", err));
        *life = MB_LIFE_LIVE;
        return MB_OK;
    }
}

/* Events of clock, disk and rows of node a. */
static mb_status machine(const stage *g, const mb_event *e, mb_err *err)
{
    if (e->kind == MB_EVENT_ROWS)
        return need(g, e->a, THERE, "a node that is there", err);
    if (e->kind == MB_EVENT_DISKFULL) {
        MB_TRY(need(g, e->a, THERE, "a node that is there", err));
        return e->x > 0 && e->x <= 1e9 ? MB_OK : refuse(g, "seconds, above 0 to 1e9", err);
    }
    MB_TRY(need(g, e->a, UP, "a node that is running or paused", err));
    if (e->kind == MB_EVENT_CLOCK)
        return e->x != 0 && fabs(e->x) <= 1e9 ? MB_OK
                                              : refuse(g, "seconds, -1e9 to 1e9 but not 0", err);
    return e->x >= 1e-3 && e->x <= 1e3 ? MB_OK : refuse(g, "a factor, 0.001 to 1000", err);
}

/* Events of the link of a and b. */
static mb_status wire(stage *g, const mb_event *e, mb_err *err)
{
    int64_t p;

    MB_TRY(check_node(g, e->b, err));
    p = mb_edge_at_(g->g, e->a, e->b);
    if (p < 0)
        return refuse(g, "two nodes that the network links", err);
    if (e->kind == MB_EVENT_HEAL) {
        if (!g->cut[p] && !g->cut[g->g->rev[p]])
            return refuse(g, "a link that is cut", err);
        g->cut[p] = g->cut[g->g->rev[p]] = 0;
        return MB_OK;
    }
    if (g->cut[p] && (e->kind == MB_EVENT_ONEWAY || g->cut[g->g->rev[p]]))
        return refuse(g, "a link that is not cut already", err);
    g->cut[p] = 1;
    if (e->kind == MB_EVENT_CUT)
        g->cut[g->g->rev[p]] = 1;
    return MB_OK;
}

static mb_status part(stage *g, const mb_event *e, mb_err *err)
{
    int32_t twice = 0;

    for (int32_t k = 0; k < e->nset; k++)
        MB_TRY(check_node(g, e->set[k], err));
    for (int32_t k = 0; k < e->nset; k++) {
        twice |= g->in[e->set[k]];
        g->in[e->set[k]] = 1;
    }
    for (int32_t k = 0; k < e->nset; k++)
        g->in[e->set[k]] = 0;
    if (twice || e->nset < 1 || e->nset >= g->g->n)
        return refuse(g, "some nodes but not all, each once", err);
    g->apart++;
    return MB_OK;
}

static mb_status check_event(stage *g, const mb_event *e, mb_err *err)
{
    if (e->kind == MB_EVENT_PARTITION)
        return part(g, e, err);
    if (e->kind == MB_EVENT_REJOIN) {
        if (!g->apart)
            return refuse(g, "a network with a partition", err);
        g->apart = 0;
        return MB_OK;
    }
    MB_TRY(check_node(g, e->a, err));
    if (g->life[e->a] == MB_LIFE_PAUSED && g->until[e->a] && g->until[e->a] <= e->at_us)
        g->life[e->a] = MB_LIFE_LIVE;
    switch (e->kind) {
    case MB_EVENT_CLOCK:
    case MB_EVENT_DRIFT:
    case MB_EVENT_DISKFULL:
    case MB_EVENT_ROWS:
        return machine(g, e, err);
    case MB_EVENT_CUT:
    case MB_EVENT_HEAL:
    case MB_EVENT_ONEWAY:
        return wire(g, e, err);
    default:
        return live(g, e, err);
    }
}

/* Nodes that join are absent at first. */
static mb_status lives(stage *g, mb_err *err)
{
    for (int32_t i = 0; i < g->g->n; i++)
        g->life[i] = MB_LIFE_LIVE;
    for (g->k = 0; g->k < g->s->n; g->k++) {
        const mb_event *e = &g->s->event[g->k];

        if ((unsigned)e->kind >= MB_EVENT_FAILED) {
            char where[256];

            mb_event_where_(g->s, g->k, where, sizeof where);
            MB_FAIL(err, MB_E_FORMAT, "%s: got kind %d; expected an event of schedules", where,
                    (int)e->kind);
        }
        if (e->kind != MB_EVENT_JOIN)
            continue;
        MB_TRY(check_node(g, e->a, err));
        g->life[e->a] = MB_LIFE_ABSENT;
    }
    return MB_OK;
}

static mb_status room(mb_arena *a, stage *at, mb_err *err)
{
    MB_NEW(at->life, a, at->g->n + 1, err);
    MB_NEW(at->until, a, at->g->n + 1, err);
    MB_NEW(at->wiped, a, at->g->n + 1, err);
    MB_NEW(at->in, a, at->g->n + 1, err);
    MB_NEW(at->cut, a, at->g->ptr[at->g->n] + 1, err);
    return MB_OK;
}

/* The network as it is now. */
static mb_status now(mb_arena *a, const mb_virtual *v, stage *at, mb_err *err)
{
    MB_TRY(room(a, at, err));
    for (int32_t i = 0; i < v->n; i++) {
        at->life[i] = v->node[i].life;
        at->wiped[i] = !v->node[i].slot[0].order && !v->node[i].slot[1].order;
    }
    for (int64_t p = 0; p < v->links; p++) {
        at->cut[p] = v->link[p].cut;
        at->apart |= v->link[p].apart > 0;
    }
    return check_event(at, &at->s->event[0], err);
}

mb_status mb_event_check_(const mb_virtual *v, const mb_event *e, mb_err *err)
{
    mb_event          event = *e;
    const mb_schedule s = {.n = 1, .event = &event, .file = "now"};
    stage             at = {.s = &s, .g = v->opt.graph, .name = v->opt.name};
    mb_arena         *a;
    mb_status         st;

    if (e->kind == MB_EVENT_ROWS || e->kind == MB_EVENT_JOIN)
        MB_FAIL(err, MB_E_NOSUP, "got %s now; expected it in the schedule", mb_event_text(e->kind));
    if ((unsigned)e->kind >= MB_EVENT_FAILED)
        MB_FAIL(err, MB_E_FORMAT, "got kind %d now; expected an event of schedules", (int)e->kind);
    a = mb_arena_new(1 << 12);
    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for an event");
    st = now(a, v, &at, err);
    mb_arena_free(a);
    return st;
}

mb_status mb_schedule_check(mb_arena *a, const mb_schedule *s, const mb_graph *g,
                            const char *const *name, mb_err *err)
{
    stage   at = {.s = s, .g = g, .name = name};
    int64_t before = 0;

    MB_TRY(room(a, &at, err));
    MB_TRY(lives(&at, err));
    for (at.k = 0; at.k < s->n; at.k++) {
        const mb_event *e = &s->event[at.k];

        if (e->at_us < before || e->at_us > INT64_C(1000000000000000)) {
            char where[256];

            mb_event_where_(s, at.k, where, sizeof where);
            MB_FAIL(err, MB_E_FORMAT, "%s: got time %.6f; expected seconds, %.6f to 1e9", where,
                    (double)e->at_us * 1e-6, (double)before * 1e-6);
        }
        before = e->at_us;
        MB_TRY(check_event(&at, e, err));
    }
    return MB_OK;
}

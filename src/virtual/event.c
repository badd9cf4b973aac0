/* event.c - what each event of a schedule does. */
#include "virtual/inside.h"

#include "base/format.h"
#include "network/csr.h"

#include <math.h>

/* Starts a life, whose frames neighbours that run must be able to hear. */
static mb_status begin(mb_virtual *v, const mb_event *e, char *note, mb_err *err)
{
    const mb_graph *g = v->opt.graph;

    MB_TRY(mb_node_begin_(v, e->a, note, err));
    for (int64_t p = g->ptr[e->a]; e->kind == MB_EVENT_JOIN && p < g->ptr[e->a + 1]; p++)
        if (v->node[g->adj[p]].peer)
            MB_TRY(mb_node_link_(v, g->rev[p], err));
    return MB_OK;
}

static mb_status end(mb_virtual *v, const mb_event *e, mb_err *err)
{
    if (e->kind == MB_EVENT_WIPE)
        mb_disk_wipe_(v, e->a);
    return mb_node_end_(v, e->a, e->kind == MB_EVENT_LEAVE ? MB_LIFE_LEFT : MB_LIFE_DEAD, err);
}

static mb_status pause(mb_virtual *v, const mb_event *e, mb_err *err)
{
    mb_vnode_ *node = &v->node[e->a];

    if (node->life != MB_LIFE_LIVE)
        return MB_OK; /* it has failed */
    v->moving -= node->verdict == MB_PEER_MOVING;
    node->life = MB_LIFE_PAUSED;
    node->wake_us = -1;
    node->pauses++;
    if (!(e->x > 0))
        return MB_OK;
    v->resumes++;
    return mb_plan_item_(v, v->now + llround(e->x * 1e6), MB_ITEM_RESUME_, e->a, node->pauses, NULL,
                         err);
}

mb_status mb_event_resume_(mb_virtual *v, int32_t i, mb_err *err)
{
    const mb_graph *g = v->opt.graph;
    mb_vnode_      *node = &v->node[i];

    if (node->life != MB_LIFE_PAUSED)
        return MB_OK;
    node->life = MB_LIFE_LIVE;
    v->moving += node->verdict == MB_PEER_MOVING;
    node->pauses++;
    for (int64_t p = g->ptr[i]; p < g->ptr[i + 1]; p++) {
        mb_vlink_  *in = &v->link[g->rev[p]];
        mb_packet_ *packet = in->held;

        in->held = NULL;
        if (packet)
            MB_TRY(mb_node_arrive_(v, g->rev[p], packet, err));
    }
    return mb_node_wake_(v, i, err);
}

static mb_status set_clock(mb_virtual *v, const mb_event *e, mb_err *err)
{
    mb_vnode_ *node = &v->node[e->a];

    if (e->kind == MB_EVENT_CLOCK)
        mb_node_set_clock_(node, v->now, llround(e->x * 1e6), node->drift);
    else
        mb_node_set_clock_(node, v->now, 0, e->x);
    return node->life == MB_LIFE_LIVE ? mb_node_wake_(v, e->a, err) : MB_OK;
}

static void wire(mb_virtual *v, const mb_event *e)
{
    const mb_graph *g = v->opt.graph;
    const int64_t   p = mb_edge_at_(g, e->a, e->b);

    v->link[p].cut = e->kind != MB_EVENT_HEAL;
    if (e->kind != MB_EVENT_ONEWAY)
        v->link[g->rev[p]].cut = v->link[p].cut;
}

/* Links between the set and the rest. */
static void part(mb_virtual *v, const mb_event *e)
{
    const mb_graph *g = v->opt.graph;

    for (int32_t k = 0; k < e->nset; k++)
        for (int64_t p = g->ptr[e->set[k]]; p < g->ptr[e->set[k] + 1]; p++) {
            int32_t inside = 0;

            for (int32_t l = 0; l < e->nset && !inside; l++)
                inside = e->set[l] == g->adj[p];
            v->link[p].apart += !inside;
            v->link[g->rev[p]].apart += !inside;
        }
}

static void rejoin(mb_virtual *v)
{
    for (int64_t p = 0; p < v->links; p++)
        v->link[p].apart = 0;
}

static mb_status come(mb_virtual *v, const mb_event *e, char *note, mb_err *err)
{
    mb_vnode_ *node = &v->node[e->a];

    node->piece[node->pieces++].rows = e->rows;
    mb_format_(note, MB_NOTE_, "%lld rows", (long long)e->rows->n);
    if (node->life != MB_LIFE_LIVE && node->life != MB_LIFE_PAUSED)
        return MB_OK; /* it gets them when it starts again */
    MB_TRY(mb_node_feed_(v, e->a, err));
    return node->life == MB_LIFE_LIVE ? mb_node_wake_(v, e->a, err) : MB_OK;
}

static mb_status happen(mb_virtual *v, const mb_event *e, char *note, mb_err *err)
{
    switch (e->kind) {
    case MB_EVENT_START:
    case MB_EVENT_JOIN:
        return begin(v, e, note, err);
    case MB_EVENT_KILL:
    case MB_EVENT_WIPE:
    case MB_EVENT_LEAVE:
        return end(v, e, err);
    case MB_EVENT_PAUSE:
        return pause(v, e, err);
    case MB_EVENT_RESUME:
        return mb_event_resume_(v, e->a, err);
    case MB_EVENT_CLOCK:
    case MB_EVENT_DRIFT:
        return set_clock(v, e, err);
    case MB_EVENT_DISKFULL:
        v->node[e->a].full_us = v->now + llround(e->x * 1e6);
        return MB_OK;
    case MB_EVENT_CUT:
    case MB_EVENT_HEAL:
    case MB_EVENT_ONEWAY:
        wire(v, e);
        return MB_OK;
    case MB_EVENT_PARTITION:
        part(v, e);
        return MB_OK;
    case MB_EVENT_REJOIN:
        rejoin(v);
        return MB_OK;
    case MB_EVENT_ROWS:
        return come(v, e, note, err);
    default:
        return MB_OK;
    }
}

mb_status mb_event_happen_(mb_virtual *v, const mb_event *e, mb_err *err)
{
    char note[MB_NOTE_] = "";

    MB_TRY(happen(v, e, note, err));
    return mb_tell_event_(v, e, note, err);
}

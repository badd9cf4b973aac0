/* tick.c - when a node ticks, and what it hears. A node ticks when it is due or ready, but not
 * faster than its own period; one that sends a sum on, sooner. */
#include "mesh/guarded.h"
#include "virtual/inside.h"

#include <math.h>

#define FAR INT64_C(4000000000000000000)

/* Virtual time at which the node's clock shows `ms`, rounded up. */
static int64_t when(const mb_vnode_ *node, int64_t ms)
{
    double left;

    if (ms > INT64_C(4000000000000000))
        return FAR;
    if (ms < -INT64_C(4000000000000000))
        return 0;
    if (node->drift == 1)
        return node->true_us + (ms * 1000 - node->local_us);
    left = ceil((double)(ms * 1000 - node->local_us) / node->drift);
    return left > 1e18 ? FAR : node->true_us + (int64_t)left;
}

/* 1 when its clock has been set back: what is due by the old reading would be far away. */
static int set_back(const mb_virtual *v, const mb_vnode_ *node)
{
    return mb_node_clock_(node, v->now) < node->tick_ms;
}

/* From its last tick on. What a node computes takes some time, too. */
static int64_t earliest(const mb_vnode_ *node)
{
    enum { PART = 20 };

    return node->last_us +
           (mb_peer_continues_(node->peer) ? 1 + node->period_us / PART : node->period_us);
}

/* 1: it ticks as soon as it may. */
static int hurries(const mb_virtual *v, const mb_vnode_ *node)
{
    return mb_peer_ready(node->peer) || mb_peer_continues_(node->peer) || set_back(v, node);
}

/* Virtual time of the next tick as things are now. */
static int64_t next(const mb_virtual *v, const mb_vnode_ *node)
{
    int64_t at = node->first_us, due;

    if (node->last_us >= 0) {
        at = earliest(node);
        due = hurries(v, node) ? at : when(node, mb_peer_due(node->peer));
        at = due > at ? due : at;
    }
    return at > v->now ? at : v->now; /* a pause may have hidden it */
}

static mb_status plan(mb_virtual *v, int32_t i, int64_t at, mb_err *err)
{
    mb_vnode_ *node = &v->node[i];

    if (node->wake_us >= 0 && node->wake_us <= at)
        return MB_OK;
    node->wake_us = at;
    return mb_plan_item_(v, at, MB_ITEM_WAKE_, i, node->incarnation, NULL, err);
}

mb_status mb_node_wake_(mb_virtual *v, int32_t i, mb_err *err)
{
    return plan(v, i, next(v, &v->node[i]), err);
}

/* Tells of a change between rest and movement. */
static mb_status report(mb_virtual *v, int32_t i, mb_err *err)
{
    mb_vnode_            *node = &v->node[i];
    const mb_peer_verdict before = node->verdict;
    mb_event              e = {.at_us = v->now, .a = i};
    mb_peer_status        is;

    mb_peer_look(node->peer, mb_node_clock_(node, v->now), &is);
    node->verdict = is.verdict;
    v->moving += (is.verdict == MB_PEER_MOVING) - (before == MB_PEER_MOVING);
    if (is.verdict == before || (is.verdict != MB_PEER_SETTLED && before != MB_PEER_SETTLED))
        return MB_OK;
    e.kind = is.verdict == MB_PEER_SETTLED ? MB_EVENT_SETTLED : MB_EVENT_MOVING;
    return mb_tell_event_(v, &e, is.verdict == MB_PEER_ALONE ? "alone" : "", err);
}

static mb_status fail(mb_virtual *v, int32_t i, const char *why, mb_err *err)
{
    const mb_event e = {.at_us = v->now, .kind = MB_EVENT_FAILED, .a = i};

    v->tally[MB_TALLY_FAILED]++;
    v->moving -= v->node[i].verdict == MB_PEER_MOVING;
    v->node[i].verdict = MB_PEER_FAILED;
    v->node[i].life = MB_LIFE_FAILED;
    return mb_tell_event_(v, &e, why, err);
}

static mb_status send(mb_virtual *v, int32_t i, mb_err *err)
{
    const mb_graph *g = v->opt.graph;

    for (int64_t p = g->ptr[i]; p < g->ptr[i + 1]; p++) {
        size_t n;

        if (!v->link[p].linked)
            continue;
        MB_TRY(mb_peer_frame(v->node[i].peer, g->adj[p], v->scratch, v->scratch_room, &n, err));
        MB_TRY(mb_tell_call_(
            v, i, (mb_called){.call = MB_CALL_FRAME, .id = g->adj[p], .bytes = v->scratch, .n = n},
            err));
        if (!n)
            continue;
        v->tally[MB_TALLY_FRAMES]++;
        v->tally[MB_TALLY_BYTES] += (int64_t)n;
        MB_TRY(mb_link_send_(v, p, v->scratch, n, err));
    }
    return MB_OK;
}

static mb_status tick(mb_virtual *v, int32_t i, mb_err *err)
{
    mb_vnode_ *node = &v->node[i];
    mb_err     why = {0};
    mb_status  st = mb_peer_tick(node->peer, mb_node_clock_(node, v->now), &why);

    node->last_us = v->now;
    node->tick_ms = mb_node_clock_(node, v->now);
    mb_node_read_clock_(node, node->tick_ms);
    node->read_ms = node->tick_ms;
    node->ticks++;
    v->tally[MB_TALLY_TICKS]++;
    MB_TRY(mb_tell_call_(v, i, (mb_called){.call = MB_CALL_TICK, .id = -1, .answer = st}, err));
    if (st < 0)
        return fail(v, i, why.msg, err);
    MB_TRY(report(v, i, err));
    MB_TRY(send(v, i, err));
    if (v->opt.checkpoint_ticks && node->ticks % v->opt.checkpoint_ticks == 0)
        MB_TRY(mb_disk_save_(v, i, err));
    return mb_node_wake_(v, i, err);
}

mb_status mb_node_woken_(mb_virtual *v, int32_t i, mb_err *err)
{
    mb_vnode_    *node = &v->node[i];
    const int64_t now = mb_node_clock_(node, v->now);
    int64_t       again;

    node->wake_us = -1;
    if (node->last_us < 0)
        return tick(v, i, err);
    if (v->now >= earliest(node) && (hurries(v, node) || mb_peer_due(node->peer) <= now))
        return tick(v, i, err);
    again = next(v, node);
    return plan(v, i, again > v->now ? again : v->now + 1000, err);
}

static mb_status hear(mb_virtual *v, int64_t p, mb_packet_ *packet, mb_err *err)
{
    const int32_t from = v->tail[p], to = v->opt.graph->adj[p];
    mb_vnode_    *node = &v->node[to];
    const int64_t now = mb_node_clock_(node, v->now);
    mb_refusal    why;

    v->tally[MB_TALLY_ARRIVED]++;
    why = mb_peer_hear(node->peer, now, from, packet->bytes, packet->n, NULL);
    if (!why)
        mb_node_read_clock_(node, now);
    MB_TRY(mb_tell_call_(v, to,
                         (mb_called){.call = MB_CALL_HEAR,
                                     .id = from,
                                     .bytes = packet->bytes,
                                     .n = packet->n,
                                     .answer = (int32_t)why},
                         err));
    return mb_node_wake_(v, to, err);
}

mb_status mb_node_arrive_(mb_virtual *v, int64_t p, mb_packet_ *packet, mb_err *err)
{
    mb_vlink_    *link = &v->link[p];
    const mb_life life = v->node[v->opt.graph->adj[p]].life;
    mb_status     st = MB_OK;

    if (!mb_open_(v, p)) {
        v->tally[MB_TALLY_CUT]++;
    } else if (life == MB_LIFE_PAUSED) {
        mb_packet_drop_(v, link->held);
        link->held = packet;
        return MB_OK;
    } else if (life != MB_LIFE_LIVE) {
        v->tally[MB_TALLY_GONE]++;
    } else {
        st = hear(v, p, packet, err);
    }
    mb_packet_drop_(v, packet);
    return st;
}

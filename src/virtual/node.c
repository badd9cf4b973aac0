/* node.c - lives of nodes: their beginning from a checkpoint or blank, their links,
 * rows and end. */
#include "virtual/inside.h"

#include "base/format.h"

mb_status mb_node_link_(mb_virtual *v, int64_t p, mb_err *err)
{
    const int32_t i = v->tail[p], j = v->opt.graph->adj[p];
    mb_peer      *peer = v->node[i].peer;
    mb_status     st;

    v->link[p].linked = 1;
    if (mb_peer_linked(peer, j))
        return MB_OK;
    st = mb_peer_link(peer, j, err);
    MB_TRY(st);
    return mb_tell_call_(v, i, (mb_called){.call = MB_CALL_LINK, .id = j, .answer = st}, err);
}

mb_status mb_node_feed_(mb_virtual *v, int32_t i, mb_err *err)
{
    mb_vnode_ *node = &v->node[i];

    for (; node->fed < node->pieces; node->fed++) {
        mb_piece_ *piece = &node->piece[node->fed];
        mb_status  st;

        piece->now = mb_node_clock_(node, v->now);
        if (!piece->rows->n)
            continue;
        mb_node_read_clock_(node, piece->now);
        st = mb_peer_append(node->peer, piece->now, piece->rows, NULL, err);
        MB_TRY(st);
        MB_TRY(mb_tell_call_(
            v, i, (mb_called){.call = MB_CALL_APPEND, .id = -1, .rows = piece->rows, .answer = st},
            err));
    }
    return MB_OK;
}

/* A blank peer, with the genesis of the network if it is given. */
static mb_status make(mb_virtual *v, int32_t i, mb_err *err)
{
    mb_vnode_      *node = &v->node[i];
    const mb_graph *g = v->opt.graph;
    mb_peer_opt     opt = v->opt.peer;
    mb_genesis      given = {.kind = NULL};
    size_t          bytes;

    opt.id = i;
    opt.name = v->opt.name ? v->opt.name[i] : NULL;
    opt.incarnation = ++node->incarnation;
    opt.neighbours = (int32_t)(g->ptr[i + 1] - g->ptr[i]);
    if (!opt.rows)
        opt.rows = opt.window_rows ? opt.window_rows : node->rows;
    if (v->opt.genesis)
        given = *v->opt.genesis;
    if (v->recorders && !v->mask) /* a record has the block, and not what is declared beside it */
        given.declared = NULL;
    opt.declared = opt.declared ? opt.declared : given.declared;
    opt.masks = v->mask ? &v->mask[i].by : NULL;
    bytes = mb_peer_bytes(&opt);
    node->own = bytes ? mb_arena_new(bytes + 4096) : NULL;
    if (!node->own)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for node %d", i);
    MB_TRY(mb_peer_new(node->own, &opt, &node->peer, err));
    MB_TRY(mb_tell_call_(v, i,
                         (mb_called){.call = MB_CALL_NEW,
                                     .id = -1,
                                     .opt = &opt,
                                     .mask = v->mask ? &(mb_mask_id){v->opt.seed, 1} : NULL},
                         err));
    if (!v->opt.genesis)
        return MB_OK;
    MB_TRY(mb_peer_genesis(node->peer, &given, err));
    return mb_tell_call_(
        v, i, (mb_called){.call = MB_CALL_GENESIS, .id = -1, .genesis = v->opt.genesis}, err);
}

/* Room for its frames and checkpoints. */
static mb_status make_room(mb_virtual *v, const mb_peer *peer, mb_err *err)
{
    const size_t frame = mb_peer_frame_max(peer), saved = mb_peer_saved(peer);
    const size_t room = frame > saved ? frame : saved;

    if (room <= v->scratch_room)
        return MB_OK;
    MB_NEW(v->scratch, v->own, room, err);
    v->scratch_room = room;
    return MB_OK;
}

/* The first tick: drawn from one period, or the next time at which all tick. */
static int64_t first_tick(const mb_virtual *v, int32_t i)
{
    const mb_vnode_ *node = &v->node[i];
    mb_rng           rng;

    if (v->opt.together)
        return (v->now + node->period_us - 1) / node->period_us * node->period_us;
    rng = mb_rng_at(v->opt.seed, MB_STREAM_HOST, (uint32_t)i, node->incarnation);
    return v->now + (int64_t)(mb_rng_uniform(&rng) * (double)node->period_us);
}

/* From a checkpoint where there is one that is complete. */
static mb_status recall(mb_virtual *v, int32_t i, char *note, mb_err *err)
{
    mb_vnode_      *node = &v->node[i];
    const mb_slot_ *slot;
    mb_err          why = {0};
    int32_t         refused;

    MB_TRY(mb_disk_load_(v, i, &slot, &refused, &why, err));
    node->read_ms = slot ? slot->read_ms : mb_node_clock_(node, v->now);
    node->fed = slot ? slot->fed : 0;
    for (int64_t k = 0; k < node->fed; k++)
        node->piece[k].now = slot->came[k];
    node->ticks = slot ? slot->tick : 0;
    if (slot)
        mb_format_(note, MB_NOTE_, "incarnation %u, checkpoint of tick %lld%s", node->incarnation,
                   (long long)slot->tick, refused ? ", the newer one was refused" : "");
    else
        mb_format_(note, MB_NOTE_, "incarnation %u, blank%s%s", node->incarnation,
                   refused ? ": " : "", refused ? why.msg : "");
    v->tally[MB_TALLY_BLANK] += !slot;
    return MB_OK;
}

mb_status mb_node_begin_(mb_virtual *v, int32_t i, char *note, mb_err *err)
{
    const mb_graph *g = v->opt.graph;
    mb_vnode_      *node = &v->node[i];

    MB_TRY(make(v, i, err));
    MB_TRY(make_room(v, node->peer, err));
    MB_TRY(recall(v, i, note, err));
    for (int64_t p = g->ptr[i]; p < g->ptr[i + 1]; p++) {
        v->link[p].linked = 0;
        if (v->node[g->adj[p]].life != MB_LIFE_ABSENT)
            MB_TRY(mb_node_link_(v, p, err));
    }
    MB_TRY(mb_node_feed_(v, i, err));
    node->life = MB_LIFE_LIVE;
    node->verdict = MB_PEER_MOVING;
    v->moving++;
    node->last_us = -1;
    node->first_us = first_tick(v, i);
    node->wake_us = -1;
    return mb_node_wake_(v, i, err);
}

mb_status mb_node_end_(mb_virtual *v, int32_t i, mb_life life, mb_err *err)
{
    const mb_graph *g = v->opt.graph;
    mb_vnode_      *node = &v->node[i];

    for (int64_t p = g->ptr[i]; p < g->ptr[i + 1]; p++) {
        mb_vlink_ *in = &v->link[g->rev[p]];

        mb_packet_drop_(v, in->held);
        in->held = NULL;
    }
    if (node->peer)
        MB_TRY(mb_tell_call_(v, i, (mb_called){.call = MB_CALL_END, .id = -1}, err));
    v->moving -= node->life == MB_LIFE_LIVE && node->verdict == MB_PEER_MOVING;
    mb_arena_free(node->own);
    node->own = NULL;
    node->peer = NULL;
    node->life = life;
    node->wake_us = -1;
    return MB_OK;
}

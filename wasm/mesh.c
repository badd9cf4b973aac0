/* mesh.c - nodes of a mesh on a virtual network: they talk by the protocol of meshbayes-node, die,
 * return with their checkpoints, and links break. What `meshbayes up --virtual` runs. */
#include "core/observe.h"
#include "inside.h"
#include "mesh/genesis.h"

#include <string.h>

enum { CHECKPOINT = 50 /* ticks between two checkpoints */ };

static mb_status begin(web *w, mb_err *err)
{
    mb_virtual_opt how;

    w->plan = (mb_plan){.kind = &mb_kind_gmm,
                        .kind_opt = &w->gmm,
                        .columns = w->d,
                        .column = w->column,
                        .seed = w->seed,
                        .from = MB_GENESIS_SAMPLE,
                        .algo = w->algo};
    how = (mb_virtual_opt){.graph = &w->net.g,
                           .name = w->net.id,
                           .rows = w->c.data,
                           .peer = {.plan = &w->plan, .tick_ms = WEB_ROUND_MS},
                           .delay_us = {1000, 10000},
                           .loss = w->loss,
                           .checkpoint_ticks = CHECKPOINT,
                           .seed = w->seed};
    return mb_virtual_new(&how, &w->virtual_, err);
}

static mb_status advance(web *w, double ms, mb_err *err)
{
    return mb_virtual_run(w->virtual_, mb_virtual_now(w->virtual_) + llround(1000 * ms), 0, err);
}

static mb_status event(web *w, const mb_event *e, mb_err *err)
{
    return mb_virtual_happen(w->virtual_, e, err);
}

static mb_status lose(web *w, double loss, mb_err *err)
{
    return mb_virtual_lose(w->virtual_, loss, err);
}

static void end(web *w)
{
    mb_virtual_free(w->virtual_);
    w->virtual_ = NULL;
}

/* The block of a part, that of its lowest node with one; NULL: none has. */
static const mb_genesis *block_of(const web *w, int32_t which)
{
    for (int32_t i = 0; i < w->net.n; i++) {
        const mb_peer    *p = w->part[i] == which ? mb_virtual_peer(w->virtual_, i) : NULL;
        const mb_genesis *g = p ? mb_peer_block(p) : NULL;

        if (g)
            return g;
    }
    return NULL;
}

static uint64_t mix(uint64_t h, uint64_t x)
{
    for (int k = 0; k < 8; k++, x >>= 8)
        h = (h ^ (x & 255)) * UINT64_C(1099511628211);
    return h;
}

/* What the pieces stand on: who is connected, and with which block. */
static uint64_t key_of(const web *w)
{
    uint64_t h = UINT64_C(14695981039346656037);

    for (int32_t i = 0; i < w->net.n; i++)
        h = mix(h, (uint64_t)(w->part[i] + 1));
    for (int32_t k = 0; k < w->parts; k++) {
        const mb_genesis *g = block_of(w, k);

        h = mix(h, g ? g->hash : 0);
    }
    return h;
}

/* 1: nodes of this part were in that piece before, whose answer is of the same units. */
static int came_from(const web *w, const web_piece *p, const int32_t *was, int32_t piece,
                     int32_t which, const mb_genesis *g)
{
    const size_t size = (size_t)w->d * sizeof(double);

    if (!p->answer || p->central.model.layout.len != g->len ||
        memcmp(p->central.run.scale, g->run.scale, size) ||
        memcmp(p->central.run.origin, g->run.origin, size))
        return 0;
    for (int32_t i = 0; i < w->net.n; i++)
        if (w->part[i] == which && was[i] == piece)
            return 1;
    return 0;
}

/* A part of the network, and what one machine with its rows would answer: from the start of the
 * nodes or, where that ends better, from what it answered before, where the nodes continue. */
static mb_status make_piece(web *w, const mb_genesis *g, const mb_rows *rows, int32_t which,
                            const web_piece *before, const int32_t *was, int32_t pieces,
                            mb_err *err)
{
    web_piece *p = &w->piece[which];

    MB_TRY(web_piece_make(w, g, rows, which, p, err));
    for (int32_t k = 0; k < pieces; k++)
        if (came_from(w, &before[k], was, k, which, g))
            MB_TRY(web_piece_from(w, p, before[k].answer, err));
    return MB_OK;
}

/* Pieces again; `was`: the parts of the pieces before. */
static mb_status remake(web *w, const int32_t *was, mb_err *err)
{
    mb_arena        *old = w->part_arena;
    const web_piece *before = w->piece;
    const int32_t    pieces = w->pieces;
    mb_rows         *rows;
    mb_status        st = MB_OK;

    w->part_arena = mb_arena_new(1 << 16);
    w->piece =
        w->part_arena ? mb_alloc(w->part_arena, (size_t)w->parts + 1, sizeof *w->piece) : NULL;
    rows = w->piece ? mb_alloc(w->part_arena, (size_t)w->net.n, sizeof *rows) : NULL;
    w->pieces = rows ? w->parts : 0;
    for (int32_t i = 0; rows && i < w->net.n && st == MB_OK; i++)
        if (w->part[i] >= 0)
            st = mb_virtual_rows(w->part_arena, w->virtual_, i, &rows[i], err);
    for (int32_t k = 0; k < w->pieces && st == MB_OK; k++) {
        const mb_genesis *g = block_of(w, k);

        if (g)
            st = make_piece(w, g, rows, k, before, was, pieces, err);
    }
    mb_arena_free(old);
    if (!rows)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for what one machine would answer");
    return st;
}

static void see_nodes(web *w)
{
    const mb_virtual *v = w->virtual_;

    for (int32_t i = 0; i < w->net.n; i++) {
        const mb_peer *p = mb_virtual_life(v, i) == MB_LIFE_LIVE ? mb_virtual_peer(v, i) : NULL;
        mb_peer_status is;

        w->state[i] = mb_life_text(mb_virtual_life(v, i));
        w->phi[i] = NULL;
        if (!p)
            continue;
        mb_peer_look(p, mb_virtual_clock(v, i), &is);
        w->state[i] = mb_peer_verdict_text(is.verdict);
        w->number[WEB_LIVE]++;
        w->number[WEB_SETTLED] += is.verdict == MB_PEER_SETTLED;
        w->number[WEB_ROUNDS] = fmax(w->number[WEB_ROUNDS], (double)is.rounds);
        if (is.rounds > 0 && block_of(w, w->part[i]) && is.run == block_of(w, w->part[i])->hash)
            w->phi[i] = mb_peer_phi(p);
    }
}

static void see_links(web *w)
{
    const mb_graph *g = &w->net.g;

    for (int32_t e = 0; e < w->links; e++) {
        const int64_t p = w->edge[e];

        w->lost[e] =
            (int32_t)(mb_virtual_lost(w->virtual_, p) + mb_virtual_lost(w->virtual_, g->rev[p]));
        w->cut[e] = !mb_virtual_open(w->virtual_, p) || !mb_virtual_open(w->virtual_, g->rev[p]);
    }
}

/* How `meshbayes up` would end now: settled where all live nodes say so, and a centralised step from
 * the mean of each part confirms it. */
static mb_verdict verdict(const web *w)
{
    const int     still = mb_virtual_settled(w->virtual_) && w->number[WEB_LIVE] > 0;
    mb_stop_state stand = {.still = still, .settled = still, .more = -1};
    double        moved = 0, apart = 0;

    for (int32_t k = 0; k < w->pieces; k++) {
        moved = fmax(moved, isnan(w->piece[k].moved) ? (double)INFINITY : w->piece[k].moved);
        apart = fmax(apart, w->piece[k].apart);
    }
    return mb_verdict_of(&stand, apart, moved, 0);
}

static mb_status look(web *w, mb_err *err)
{
    int32_t *was;
    uint64_t key;

    MB_NEW(was, w->look_arena, w->net.n, err);
    memcpy(was, w->part, (size_t)w->net.n * sizeof *was);
    mb_virtual_parts(w->virtual_, w->part, &w->parts);
    key = key_of(w);
    if (key != w->key)
        MB_TRY(remake(w, was, err));
    w->key = key;
    see_nodes(w);
    see_links(w);
    for (int32_t k = 0; k < w->pieces; k++)
        if (w->piece[k].central.kind)
            MB_TRY(web_piece_see(w, &w->piece[k], k, err));
    w->number[WEB_TIME] = 1e-6 * (double)mb_virtual_now(w->virtual_);
    w->number[WEB_BYTES] = (double)mb_virtual_tally(w->virtual_, MB_TALLY_BYTES);
    w->number[WEB_FRAMES] = (double)mb_virtual_tally(w->virtual_, MB_TALLY_FRAMES);
    w->number[WEB_LOST] = (double)mb_virtual_tally(w->virtual_, MB_TALLY_LOST);
    w->verdict = verdict(w);
    return MB_OK;
}

const web_engine web_mesh = {begin, advance, event, lose, look, end};

/* block.c - the genesis block of a node: given, heard, or made from the sample (docs/protocol.md,
 * section 6). */
#include "mesh/state.h"

#include <string.h>

mb_status mb_peer_remake_(mb_peer *p, mb_err *err)
{
    mb_life_ *l = p->life;

    p->made = mb_arena_fixed(p->made_at, p->made_bytes);
    if (!p->made)
        MB_FAIL(err, MB_E_NOMEM, "no room for the genesis block");
    MB_TRY(mb_genesis_decode(p->made, p->encoded, l->block, &p->g, err));
    MB_TRY(mb_genesis_model(p->made, &p->g, &p->model, err));
    if (p->model.layout.len != p->L)
        MB_FAIL(err, MB_E_ARG, "the genesis has posteriors of %zu numbers; expected %zu",
                p->model.layout.len, p->L);
    l->run = p->g.hash;
    memcpy(p->prior, p->model.prior, p->L * sizeof *p->prior);
    for (int64_t i = 0; i < l->n; i++)
        mb_peer_units_(p, i);
    return MB_OK;
}

/* What the plan says of a block. */
static mb_status fits(const mb_peer *p, const mb_genesis *g, mb_err *err)
{
    mb_genesis mine = *g;

    mine.kind = p->plan.kind;
    mine.size = p->size;
    mine.columns = p->plan.columns;
    mine.column = p->plan.column;
    return mb_genesis_same(&mine, g, err);
}

mb_status mb_peer_adopt_(mb_peer *p, const void *bytes, size_t n, mb_err *err)
{
    if (bytes != p->encoded)
        memmove(p->encoded, bytes, n);
    p->life->block = (uint32_t)n;
    MB_TRY(mb_peer_remake_(p, err));
    MB_TRY(fits(p, &p->g, err));
    mb_peer_blank_(p);
    return MB_OK;
}

int mb_peer_block_wins_(mb_peer *p, const void *bytes, size_t n)
{
    mb_arena  *draft = mb_arena_fixed(p->draft_at, p->draft_bytes);
    mb_genesis theirs;
    mb_err     err;

    if (!draft || mb_genesis_decode(draft, bytes, n, &theirs, &err) < 0 ||
        fits(p, &theirs, &err) < 0)
        return 0;
    return !p->life->run || mb_genesis_wins(&theirs, &p->g);
}

/* Larger keys first; equal ones by node and row, so that every node keeps the same. */
static int before(const mb_key_ *a, const mb_key_ *b)
{
    if (a->key > b->key || a->key < b->key)
        return a->key > b->key;
    return a->node < b->node || (a->node == b->node && a->row < b->row);
}

void mb_peer_merge_(mb_peer *p, const mb_key_ *k, const double *x)
{
    const size_t D = (size_t)p->plan.columns;
    mb_life_    *l = p->life;
    uint32_t     at = 0, move;

    while (at < l->samples && before(&p->key[at], k))
        at++;
    if (at == MB_GENESIS_ROWS ||
        (at < l->samples && p->key[at].node == k->node && p->key[at].row == k->row))
        return;
    if (l->samples < MB_GENESIS_ROWS)
        l->samples++;
    move = l->samples - at - 1;
    memmove(p->key + at + 1, p->key + at, move * sizeof *p->key);
    memmove(p->key_x + (at + 1) * D, p->key_x + at * D, move * D * sizeof *p->key_x);
    p->key[at] = *k;
    memcpy(p->key_x + at * D, x, D * sizeof *x);
    l->sample_changed = 1;
}

void mb_peer_draw_(mb_peer *p, int64_t i)
{
    mb_rng r =
        mb_rng_at(p->plan.seed, MB_STREAM_SAMPLE, (uint32_t)p->opt.id, (uint64_t)p->number[i]);
    mb_key_ k = {mb_rng_uniform(&r), (uint32_t)p->opt.id, (uint32_t)p->number[i]};

    if (p->plan.from == MB_GENESIS_SAMPLE && p->life->phase == MB_WAITING_ && k.key > 0 &&
        p->w[i] > 0)
        mb_peer_merge_(p, &k, p->x + (size_t)i * (size_t)p->plan.columns);
}

mb_status mb_peer_seal_(mb_peer *p, mb_err *err)
{
    const mb_rows rows = {
        .x = p->key_x, .n = p->life->samples, .d = p->plan.columns, .ld = (size_t)p->plan.columns};
    mb_arena  *draft = mb_arena_fixed(p->draft_at, p->draft_bytes);
    mb_genesis g;
    size_t     n;

    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "no room to make a genesis block");
    MB_TRY(mb_genesis_of_sample(draft, draft, &p->plan, &rows, &g, err));
    g.maker = 1 + (uint32_t)p->opt.id;
    g.counter = p->life->incarnation;
    MB_TRY(mb_genesis_encode(&g, p->encoded, p->room, &n, err));
    return mb_peer_adopt_(p, p->encoded, n, err);
}

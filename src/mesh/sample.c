/* sample.c - the rows with the largest keys: merging is idempotent, so that loss, repetition and order
 * of frames do no harm (docs/protocol.md, section 6). */
#include "mesh/state.h"

#include <string.h>

int mb_key_before_(const mb_key_ *a, const mb_key_ *b)
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

    while (at < l->samples && mb_key_before_(&p->key[at], k))
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

    p->life->sample_changed |= p->sums != 0; /* own rows are drawn again */
    if (p->plan.from == MB_GENESIS_SAMPLE && p->life->phase == MB_WAITING_ && k.key > 0 &&
        p->w[i] > 0)
        mb_peer_merge_(p, &k, p->x + (size_t)i * (size_t)p->plan.columns);
}

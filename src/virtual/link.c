/* link.c - what links do to frames: delay, loss, repetition, damage, bandwidth, cuts. All of it is
 * drawn from (seed, directed link, number of the frame on it). */
#include "base/text.h"
#include "virtual/inside.h"

#include <math.h>

int mb_open_(const mb_virtual *v, int64_t p)
{
    return !v->link[p].cut && !v->link[p].apart;
}

int mb_virtual_open(const mb_virtual *v, int64_t p)
{
    return mb_open_(v, p);
}

int64_t mb_virtual_lost(const mb_virtual *v, int64_t p)
{
    return v->link[p].lost;
}

/* In [0, 1). */
static double unit(mb_rng *rng)
{
    return mb_rng_u32(rng) * 0x1p-32;
}

static int64_t delay(const mb_virtual *v, mb_rng *rng)
{
    const int64_t lo = v->opt.delay_us[0], hi = v->opt.delay_us[1];

    return lo + (int64_t)(unit(rng) * (double)(hi - lo + 1));
}

/* Changes 1 to 8 different bytes. */
static void damage(mb_packet_ *p, mb_rng *rng)
{
    const uint32_t count = 1 + (mb_rng_u32(rng) & 7);
    uint64_t       at[8];

    for (uint32_t k = 0; k < count && k < p->n; k++) {
        uint32_t seen = 0;

        at[k] = mb_rng_below(rng, p->n);
        while (seen < k)
            if (at[seen++] == at[k]) {
                at[k] = mb_rng_below(rng, p->n);
                seen = 0;
            }
        p->bytes[at[k]] ^= (unsigned char)(1 + mb_rng_below(rng, 255));
    }
}

/* The packet leaves now, or after the `wait` us that its bytes take. */
static mb_status leave(mb_virtual *v, int64_t p, mb_packet_ *packet, int64_t wait, mb_err *err)
{
    const mb_virtual_opt *o = &v->opt;
    const uint64_t        number = v->link[p].frames++;
    mb_rng                rng = mb_rng_at(o->seed, MB_STREAM_LINK, (uint32_t)p, number);
    const double lost = unit(&rng), twice = unit(&rng), late = unit(&rng), hurt = unit(&rng);
    int64_t      at = v->now + wait + delay(v, &rng);
    mb_packet_  *copy;

    if (lost >= (1 - o->loss) * (o->delivery ? o->delivery[p] : 1)) {
        v->tally[MB_TALLY_LOST]++;
        v->link[p].lost++;
        mb_packet_drop_(v, packet);
        return MB_OK;
    }
    if (late < o->reorder) {
        v->tally[MB_TALLY_REORDERED]++;
        at += (int64_t)((1 + 2 * unit(&rng)) * (double)v->tick_us);
    }
    if (twice < o->duplicate) {
        v->tally[MB_TALLY_DUPLICATED]++;
        MB_TRY(mb_packet_take_(v, packet->bytes, packet->n, &copy, err));
        MB_TRY(mb_plan_item_(v, v->now + wait + delay(v, &rng), MB_ITEM_ARRIVE_, p, 0, copy, err));
    }
    if (hurt < o->corrupt) {
        v->tally[MB_TALLY_CORRUPTED]++;
        damage(packet, &rng);
    }
    return mb_plan_item_(v, at, MB_ITEM_ARRIVE_, p, 0, packet, err);
}

/* The link carries the packet's bytes first. */
static mb_status carry(mb_virtual *v, int64_t p, mb_packet_ *packet, mb_err *err)
{
    const int64_t wait = (int64_t)ceil((double)packet->n * 1e6 / v->opt.bandwidth);

    v->link[p].busy_us = v->now + wait;
    return leave(v, p, packet, wait, err);
}

mb_status mb_link_send_(mb_virtual *v, int64_t p, const void *bytes, size_t n, mb_err *err)
{
    mb_vlink_  *link = &v->link[p];
    mb_packet_ *packet;

    if (!mb_open_(v, p)) {
        v->tally[MB_TALLY_CUT]++;
        return MB_OK;
    }
    MB_TRY(mb_packet_take_(v, bytes, n, &packet, err));
    if (!(v->opt.bandwidth > 0))
        return leave(v, p, packet, 0, err);
    if (link->busy_us <= v->now && !link->waiting)
        return carry(v, p, packet, err);
    if (link->waiting) {
        v->tally[MB_TALLY_REPLACED]++;
        mb_packet_drop_(v, link->waiting);
        link->waiting = packet;
        return MB_OK;
    }
    link->waiting = packet;
    return mb_plan_item_(v, link->busy_us, MB_ITEM_FREE_, p, 0, NULL, err);
}

mb_status mb_link_free_(mb_virtual *v, int64_t p, mb_err *err)
{
    mb_packet_ *packet = v->link[p].waiting;

    v->link[p].waiting = NULL;
    if (mb_open_(v, p))
        return carry(v, p, packet, err);
    v->tally[MB_TALLY_CUT]++;
    mb_packet_drop_(v, packet);
    return MB_OK;
}

mb_status mb_virtual_inject(mb_virtual *v, int32_t from, int32_t to, const void *bytes, size_t n,
                            mb_err *err)
{
    const mb_graph *g = v->opt.graph;

    for (int64_t p = from < 0 || from >= v->n ? 0 : g->ptr[from];
         from >= 0 && from < v->n && p < g->ptr[from + 1]; p++)
        if (g->adj[p] == to)
            return mb_link_send_(v, p, bytes, n, err);
    MB_FAIL(err, MB_E_ARG, "no link from node %d to node %d", from, to);
}

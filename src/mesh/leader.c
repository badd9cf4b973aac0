/* leader.c - the lowest id leads; its beat says that it lives; hops from it, and H, the largest
 * number of hops (docs/protocol.md, section 3). */
#include "mesh/state.h"

#include <math.h>

/* Own ticks, times the mean slowness of the edges. */
enum { SUSPECT = 40, CONFIRM = 20 };
/* Time to live of H: ticks, and ticks a hop. */
enum { TTL = 60, TTL_HOP = 8, TTL_MOST = 1 << 20 };
/* A leader is believed again after this time; a life cannot be later than now by more. */
enum { SUSPECTED_MS = 600000, DAY_S = 86400 };

/* Lives of one id have ascending beats; should a neighbour say a later one, the node continues
 * from it. */
static uint64_t own_beat(const mb_peer *p)
{
    const mb_life_ *l = p->life;

    return ((uint64_t)l->incarnation << 32 | (l->tick & 0xffffffffu)) + p->guard->ahead;
}

/* The latest life that more than half of the live neighbours have reached: no single one of several
 * decides what time it is. */
static uint32_t median_life(const mb_peer *p)
{
    uint32_t median = 0;

    for (int32_t j = 0; j < p->life->links; j++) {
        int32_t reached = 0;

        for (int32_t k = 0; k < p->life->links; k++)
            reached += p->link[k].live && p->link[k].life >= p->link[j].life;
        if (2 * reached > p->life->live && p->link[j].life > median)
            median = p->link[j].life;
    }
    return median;
}

/* 1: the leader's life in this beat, at most seconds since 1970 where lives come from clocks, is not in
 * the future. A board whose clock begins in 1970 follows its neighbours. */
static int can_be(const mb_peer *p, uint64_t beat)
{
    const int64_t life = (int64_t)(beat >> 32) - DAY_S;

    return life <= (int64_t)p->life->incarnation || life <= p->life->ticked_ms / 1000 ||
           life <= (int64_t)median_life(p);
}

/* The largest H that can be: where the count of the nodes is at rest it bounds the hops. */
static uint32_t hops_most(const mb_peer *p)
{
    const mb_life_ *l = p->life;
    const uint32_t  most = mb_peer_nodes_most_(p);

    if (l->phase != MB_RUNNING_ || l->busy || !(p->s[p->L] > 0))
        return most;
    return (uint32_t)fmin(most, 2 * l->N + 10);
}

static void follow(mb_peer *p, uint32_t leader, uint64_t beat, uint32_t hop)
{
    mb_life_ *l = p->life;

    l->leader = leader;
    l->beat = beat;
    l->hop = hop;
    l->beat_age = l->hop_age = 0;
}

static void suspect(mb_peer *p)
{
    mb_life_ *l = p->life;

    l->any_suspected = 1;
    l->suspected = l->leader;
    l->suspected_at = l->beat;
    p->guard->suspected_ms = l->ticked_ms;
    follow(p, (uint32_t)p->opt.id, own_beat(p), 0);
}

/* H is at least the own number of hops. */
static void widen(mb_peer *p)
{
    mb_life_    *l = p->life;
    const double own = TTL + TTL_HOP * (double)l->hop * l->mean_slow;

    if (p->opt.hops)
        return;
    if (--l->ttl <= 0 || l->hop >= l->H || l->H > hops_most(p)) {
        l->H = l->hop;
        l->ttl = (int64_t)fmin(TTL_MOST, own);
    }
}

void mb_peer_lead_(mb_peer *p)
{
    mb_life_ *l = p->life;

    l->beat_age++;
    l->hop_age++;
    if (l->leader >= (uint32_t)p->opt.id)
        follow(p, (uint32_t)p->opt.id, own_beat(p), 0);
    else if ((double)l->beat_age > SUSPECT * l->mean_slow)
        suspect(p);
    widen(p);
}

/* The neighbour that is one hop nearer to the leader, of several the one with the lowest id. */
static int32_t parent_of(const mb_peer *p)
{
    const mb_life_ *l = p->life;

    for (int32_t j = 0; j < l->links; j++)
        if (mb_peer_hears_(&p->link[j]) && p->link[j].flags & MB_FRAME_HEARS_ &&
            p->link_guard[j].leader == l->leader && p->link_guard[j].hop + 1 == l->hop)
            return j;
    return -1;
}

/* By a tree: each node tells its parent how many there are below, and the leader, whose children have
 * all nodes below them, tells the sum to all. Without a block a node makes no rounds, so the field of
 * them is free; to others than its parent it says 0. */
void mb_peer_count_(mb_peer *p)
{
    mb_life_     *l = p->life;
    mb_guard_    *g = p->guard;
    const int32_t parent = parent_of(p);
    uint32_t      below = 1;
    double        nodes;

    for (int32_t j = 0; j < l->links; j++)
        if (mb_peer_hears_(&p->link[j]) && !p->link[j].run)
            below += p->link[j].rounds;
    nodes = parent < 0 ? below : p->link[parent].n_nodes;
    if (p->opt.min_nodes)
        l->sample_changed |=
            parent != g->parent || below != g->below || nodes < g->nodes || nodes > g->nodes;
    g->parent = parent;
    g->below = below;
    g->nodes = nodes;
}

/* A smaller number of hops at once, a larger one only when the old one is no longer confirmed:
 * hops would count to infinity when the leader leaves. */
static void hear_hop(mb_peer *p, uint32_t hop)
{
    mb_life_ *l = p->life;

    if (hop > l->hop && (double)l->hop_age <= CONFIRM * l->mean_slow)
        return;
    l->hop = hop;
    l->hop_age = 0;
}

/* 1: this leader is suspected, and its beat says no more than it did then. */
static int is_suspected(const mb_peer *p, const mb_frame_ *f)
{
    const mb_life_ *l = p->life;

    return l->any_suspected && f->leader == l->suspected && f->beat <= l->suspected_at &&
           l->ticked_ms - p->guard->suspected_ms < SUSPECTED_MS;
}

static void hear_beat(mb_peer *p, const mb_frame_ *f)
{
    mb_life_      *l = p->life;
    const uint32_t most = mb_peer_nodes_most_(p);
    const uint32_t hop = f->hop < most ? f->hop + 1 : most;

    if (f->leader == (uint32_t)p->opt.id) {
        if (f->beat > own_beat(p))
            p->guard->ahead += f->beat - own_beat(p);
    } else if (f->leader < l->leader && !is_suspected(p, f)) {
        follow(p, f->leader, f->beat, hop);
    } else if (f->leader == l->leader) {
        if (f->beat > l->beat) {
            l->beat = f->beat;
            l->beat_age = 0;
        }
        hear_hop(p, hop);
    }
}

void mb_peer_hear_leader_(mb_peer *p, const mb_frame_ *f)
{
    mb_life_ *l = p->life;

    if (can_be(p, f->beat))
        hear_beat(p, f);
    else
        p->guard->clipped++;
    if (p->opt.hops || f->leader != l->leader || f->ttl < 2 || f->hops > hops_most(p))
        return;
    if (f->hops > l->H || (f->hops == l->H && (int64_t)f->ttl - 1 > l->ttl)) {
        p->guard->clipped += f->ttl > TTL_MOST;
        l->H = f->hops;
        l->ttl = f->ttl - 1 < TTL_MOST ? f->ttl - 1 : TTL_MOST;
    }
}

void mb_peer_confirm_(mb_peer *p)
{
    mb_life_ *l = p->life;
    int32_t   received = 0, same = 0, deep = 0;

    for (int32_t j = 0; j < l->links; j++)
        if (p->link[j].live) {
            received++;
            same += p->link_guard[j].leader == l->leader;
            deep += p->link_guard[j].hops >= l->H;
        }
    if (received < 2)
        return;
    if (same < 2 && l->leader != (uint32_t)p->opt.id)
        follow(p, (uint32_t)p->opt.id, own_beat(p), 0);
    if (deep < 2 && !p->opt.hops) {
        l->H = l->hop;
        l->ttl = 0;
    }
}

/* leader.c - the lowest id leads; its beat says that it lives; hops from it, and H, the largest
 * number of hops (docs/protocol.md, section 3). */
#include "mesh/state.h"

#include <math.h>

/* Own ticks, times the mean slowness of the edges. */
enum { BURY = 40, CONFIRM = 20 };
/* Time to live of H: ticks, and ticks a hop. */
enum { TTL = 60, TTL_HOP = 8, TTL_MOST = 1 << 20, HOPS_MOST = 1 << 20 };

/* Lives of one id have ascending beats. */
static uint64_t own_beat(const mb_life_ *l)
{
    return (uint64_t)l->incarnation << 32 | (l->tick & 0xffffffffu);
}

static void follow(mb_peer *p, uint32_t leader, uint64_t beat, uint32_t hop)
{
    mb_life_ *l = p->life;

    l->leader = leader;
    l->beat = beat;
    l->hop = hop;
    l->beat_age = l->hop_age = 0;
}

static void bury(mb_peer *p)
{
    mb_life_ *l = p->life;

    l->any_buried = 1;
    l->buried = l->leader;
    l->buried_at = l->beat;
    follow(p, (uint32_t)p->opt.id, own_beat(l), 0);
}

/* H is at least the own number of hops. */
static void widen(mb_peer *p)
{
    mb_life_    *l = p->life;
    const double own = TTL + TTL_HOP * (double)l->hop * l->mean_slow;

    if (p->opt.hops)
        return;
    if (--l->ttl <= 0 || l->hop >= l->H) {
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
        follow(p, (uint32_t)p->opt.id, own_beat(l), 0);
    else if ((double)l->beat_age > BURY * l->mean_slow)
        bury(p);
    widen(p);
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

void mb_peer_hear_leader_(mb_peer *p, const mb_frame_ *f)
{
    mb_life_      *l = p->life;
    const uint32_t hop = f->hop < HOPS_MOST ? f->hop + 1 : HOPS_MOST;
    const int      dead = l->any_buried && f->leader == l->buried && f->beat <= l->buried_at;

    if (f->leader < l->leader && f->leader != (uint32_t)p->opt.id && !dead) {
        follow(p, f->leader, f->beat, hop);
    } else if (f->leader == l->leader && f->leader != (uint32_t)p->opt.id) {
        if (f->beat > l->beat) {
            l->beat = f->beat;
            l->beat_age = 0;
        }
        hear_hop(p, hop);
    }
    if (p->opt.hops || f->leader != l->leader || f->ttl < 2 || f->hops > HOPS_MOST)
        return;
    if (f->hops > l->H || (f->hops == l->H && (int64_t)f->ttl - 1 > l->ttl)) {
        l->H = f->hops;
        l->ttl = f->ttl - 1 < TTL_MOST ? f->ttl - 1 : TTL_MOST;
    }
}

/* back.c - a node that cannot get away by itself goes back to where it last settled, or to the start
 * block (docs/protocol.md, section 5). */
#include "mesh/guarded.h"
#include "mesh/state.h"

#include <string.h>

/* Ticks in turn, and the time between two returns. */
enum { EQUAL = 100, HELD = 1000, HOUR_MS = 3600000 };

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* What to go back from. */
static mb_stuck_ look(mb_peer *p)
{
    mb_guard_ *g = p->guard;
    const int  equal = mb_peer_equal_(p);

    g->held = p->life->outside ? least(g->held + 1, HELD) : 0;
    g->apart |= equal < 0;
    g->equal = equal > 0 && g->apart ? least(g->equal + 1, EQUAL) : 0;
    if (!g->equal && !g->held)
        g->stuck = MB_STUCK_NOWHERE_;
    return g->held >= HELD     ? MB_STUCK_FROZEN_
           : g->equal >= EQUAL ? MB_STUCK_EQUAL_
                               : MB_STUCK_NOWHERE_;
}

/* phi as it is at rest, of which all else follows. */
static void store(mb_peer *p)
{
    const mb_life_ *l = p->life;

    if (!mb_peer_done_(l) || l->event || l->edges_changed || p->guard->doubt != MB_DOUBT_NONE_ ||
        mb_peer_equal_(p) >= 0)
        return;
    memcpy(p->stored, p->phi, p->len * sizeof *p->stored);
    p->guard->stored = 1;
}

mb_status mb_peer_watch_(mb_peer *p, mb_err *err)
{
    mb_guard_    *g = p->guard;
    const int64_t now = p->life->ticked_ms;
    mb_stuck_     from;

    if (g->reset) {
        g->reset = g->stored = 0;
        return mb_peer_again_(p, NULL, err);
    }
    store(p);
    MB_TRY(mb_peer_round_(p, err));
    mb_peer_renew_(p);
    from = look(p);
    if (from == MB_STUCK_NOWHERE_)
        return MB_OK;
    if (g->returned && now - g->returned_ms < HOUR_MS) {
        g->stuck = (int32_t)from;
        return MB_OK;
    }
    g->returned++;
    g->returned_ms = now;
    g->equal = g->held = 0;
    return mb_peer_again_(p, g->stored ? p->stored : NULL, err);
}

void mb_peer_reset_(mb_peer *p)
{
    p->guard->reset = 1;
    p->life->quiet = 0;
    p->life->due_ms = INT64_MIN;
}

mb_peer_guarded mb_peer_guarded_(const mb_peer *p)
{
    return (mb_peer_guarded){.clipped = p->guard->clipped,
                             .returned = p->guard->returned,
                             .stuck = p->guard->stuck != 0};
}

mb_peer_guarded mb_peer_guarded_at_(const mb_peer *p, int32_t id)
{
    const int32_t j = mb_peer_find_(p, id);

    return j < 0 ? (mb_peer_guarded){0}
                 : (mb_peer_guarded){.clipped = p->link_guard[j].clipped,
                                     .refused = p->link_guard[j].refused,
                                     .twin = p->link_guard[j].twin};
}

/* pace.c - one frame in flight to each neighbour, so that it hears the newest instead of a queue. */
#include "pace.h"

enum {
    PATIENCE_LEAST = 100, /* ms until a frame counts as lost */
    PATIENCE_MOST = 1000  /* they at most                    */
};

void pace_sent(pace *p, int64_t tick, int64_t now)
{
    *p = (pace){.tick = tick, .before = p->tick, .ms = now};
}

/* Where a frame of the neighbour came after the newest was sent, the two have crossed, and neither
 * echoes the other: if both ends waited for an echo, both would wait until they lose patience. So it
 * is answered. A neighbour at rest echoes nothing until it is woken: the first frame without an echo
 * is waited for no longer than a tick, where round trips are short. */
int pace_waits(const pace *p, const mb_peer_neighbour *is, int64_t tick, int64_t tick_ms,
               int64_t now)
{
    const int     first = p->before <= is->echoed, crossed = tick - is->missed >= p->tick;
    const int64_t least = first && tick_ms < PATIENCE_LEAST ? tick_ms : PATIENCE_LEAST;
    const double  trips = is->rtt_ms > 0 ? 4 * is->rtt_ms : 0; /* NaN: not known */
    const double  patience = trips < (double)least   ? (double)least
                             : trips > PATIENCE_MOST ? PATIENCE_MOST
                                                     : trips;

    return p->tick > is->echoed && !(first && crossed) && (double)(now - p->ms) < patience;
}

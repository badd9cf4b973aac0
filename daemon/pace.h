/* pace.h - whether the next frame to a neighbour waits for the one before it. */
#ifndef MESHBAYES_DAEMON_PACE_H
#define MESHBAYES_DAEMON_PACE_H

#include "meshbayes/meshbayes.h"

/* Frames handed over to the transport: the newest, and the one before it. All 0: none. */
typedef struct pace {
    int64_t tick;   /* own, of the newest         */
    int64_t before; /* own, of the one before it  */
    int64_t ms;     /* when the newest was, ms    */
} pace;

/* A frame of this tick was handed over. */
void pace_sent(pace *p, int64_t tick, int64_t now);
/* 1: the frame before is still on its way, so none is sent in this tick. is: what is known of the
 * neighbour. tick_ms: longest time between two own ticks while moving. */
int pace_waits(const pace *p, const mb_peer_neighbour *is, int64_t tick, int64_t tick_ms,
               int64_t now);

#endif

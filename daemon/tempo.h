/* tempo.h - how soon a node may tick again: not before tick_least_ms have passed, the bytes that it
 * has sent are paid for, and a pause is over, which doubles where others keep it awake for nothing,
 * or where it waits for a node that is not there.
 * The neighbour that does so is held back: its frames are taken at intervals that double, and what
 * is not taken is as what is lost on the way. */
#ifndef MB_DAEMON_TEMPO_H
#define MB_DAEMON_TEMPO_H

#include "meshbayes/meshbayes.h"

enum {
    TEMPO_AWAKE_MS = 30000,   /* awake for this time because of others alone: the pause begins .. */
    TEMPO_AWAKE_TICKS = 1500, /* .. but not before this number of tick_ms                         */
    TEMPO_PAUSE_LEAST = 20,   /* ms, the first pause between two ticks                            */
    TEMPO_PAUSE_MOST = 1000,  /* ms, the longest one                                              */
    TEMPO_WAITS_MS = 5000,    /* waits for others for this time: the pause begins, too ..         */
    TEMPO_WAITS_MOST = 250,   /* .. and stays this short: word of who comes passes many nodes     */
    TEMPO_MOVED_MS = 5000,    /* a neighbour that moved in this time counts as one that moves     */
    TEMPO_TICKS = 8 /* of one end of a link in which no frame of the other end is taken or sent: */
                    /* edges must not time out                                                   */
};

/* What the configuration says. */
typedef struct tempo_opt {
    int64_t tick_ms, tick_least_ms;
    int64_t bytes_per_second; /* 0: no limit */
} tempo_opt;

/* All 0 but opt: a node that has not ticked. */
typedef struct tempo {
    tempo_opt opt;
    int64_t   ticked_ms; /* newest tick                                                        */
    double    owed;      /* bytes sent that a bucket of one second did not have, at ticked_ms; */
                         /* below 0: what is in it                                             */
    int64_t awake_ms;    /* awake because of others alone, less the time at rest               */
    int32_t disturbed;   /* 1: that has come to its limit, and not to 0 since           */
    int64_t waited_ms;   /* mb_peer_waits_ for this time without a break                       */
    int64_t pause_ms;    /* between two ticks because of either; 0: none                       */
} tempo;

/* What is known of a neighbour. All 0: nothing. */
typedef struct tempo_hold {
    int64_t moving_ms; /* it has been moving since then                                     */
    int64_t moved_ms;  /* when it last was; 0: never                                        */
    int32_t held;      /* 1: it keeps this node awake, and is held back                     */
    int32_t ticks;     /* own ones since a frame was taken                                  */
    int32_t frames;    /* taken since the newest own tick                                   */
    int64_t taken_ms;  /* when that was                                                     */
    int64_t wait_ms;   /* until the next one is, while it is held back                      */
} tempo_hold;

/* The node is about to tick. Where it wants to at once, as its rows have changed, it is as fast as
 * it was before: it moves in the tick after this one. */
void tempo_begin(tempo *t, const mb_peer *p);
/* The node has ticked and sent these bytes. is: what it says of itself afterwards; waits:
 * mb_peer_waits_. */
void tempo_ticked(tempo *t, int64_t now, const mb_peer_status *is, int waits, int64_t bytes);
/* No tick before this time. urgent: the node wants to tick at once, whatever keeps it awake. */
int64_t tempo_earliest(const tempo *t, int urgent);
/* When the node ticks next. */
int64_t tempo_next(const tempo *t, const mb_peer *p);
/* After a tick: what a neighbour says, and whether it is held back. */
void tempo_see(const tempo *t, tempo_hold *h, int64_t now, const mb_peer_neighbour *is);
/* 1: a frame that has come from it is taken. */
int tempo_takes(tempo_hold *h, int64_t now);
/* A frame of neighbour `id` was taken: where it moves, or ticks faster than this node, and is not
 * held back, the node is as fast as it was before. One that waits, as do its neighbours, which move
 * then, looks at their ticks alone. */
void tempo_wake(tempo *t, tempo_hold *h, int64_t now, const mb_peer *p, int32_t id);

#endif

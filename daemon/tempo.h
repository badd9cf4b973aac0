/* tempo.h - how soon a node may tick again: not before tick_least_ms have passed, the bytes that it
 * has sent are paid for, and a pause is over, which doubles where others keep it awake for nothing.
 */
#ifndef MB_DAEMON_TEMPO_H
#define MB_DAEMON_TEMPO_H

#include "meshbayes/meshbayes.h"

enum {
    TEMPO_AWAKE_MS = 30000, /* awake for this time because of others alone: the pause begins .. */
    TEMPO_AWAKE_TICKS =
        1500, /* .. but not before this number of tick_ms                                */
    TEMPO_PAUSE_LEAST = 20, /* ms, the first pause between two ticks                            */
    TEMPO_PAUSE_MOST = 1000 /* ms, the longest one: what moves here is noticed that late        */
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
    int64_t pause_ms;    /* between two ticks because of that; 0: none                         */
} tempo;

/* The node has ticked and sent these bytes. is: what it says of itself afterwards. */
void tempo_ticked(tempo *t, int64_t now, const mb_peer_status *is, int64_t bytes);
/* No tick before this time. urgent: the node wants to tick at once, whatever keeps it awake. */
int64_t tempo_earliest(const tempo *t, int urgent);

#endif

/* up_state.c - where a node is in its life, and of a live one how far it is. */
#include "up/up.h"

const char *up_state_text(up_state state)
{
    static const char *const text[UP_STATES] = {"absent",  "waiting", "greeting", "moving",
                                                "settled", "alone",   "paused",   "down",
                                                "left",    "failed"};

    return text[state];
}

up_state up_state_of(const mb_virtual *v, int32_t i)
{
    static const up_state other[MB_LIVES] = {[MB_LIFE_ABSENT] = UP_ABSENT,
                                             [MB_LIFE_PAUSED] = UP_PAUSED,
                                             [MB_LIFE_DEAD] = UP_DOWN,
                                             [MB_LIFE_LEFT] = UP_LEFT,
                                             [MB_LIFE_FAILED] = UP_FAILED};
    const mb_life         life = mb_virtual_life(v, i);
    mb_peer_status        status;

    if (life != MB_LIFE_LIVE)
        return other[life];
    mb_peer_look(mb_virtual_peer(v, i), mb_virtual_clock(v, i), &status);
    if (!status.run)
        return UP_WAITING;
    if (!status.rounds)
        return UP_GREETING;
    return status.verdict == MB_PEER_SETTLED  ? UP_SETTLED
           : status.verdict == MB_PEER_ALONE  ? UP_ALONE
           : status.verdict == MB_PEER_FAILED ? UP_FAILED
                                              : UP_MOVING;
}

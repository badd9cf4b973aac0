/* tempo.c - how soon a node may tick again. */
#include "tempo.h"

#include <math.h>

/* Bytes sent leave a bucket that holds those of a second. */
static void pay(tempo *t, int64_t passed, int64_t bytes)
{
    const double rate = (double)t->opt.bytes_per_second;

    if (!t->opt.bytes_per_second) {
        t->owed = 0;
        return;
    }
    t->owed = fmax(-rate, t->owed - rate * 1e-3 * (double)passed) + (double)bytes;
}

/* Where something moves at the node itself nothing is held back. A node that is woken again and again
 * counts, too, if it is awake for more than half of the time. */
static void watch(tempo *t, int64_t passed, const mb_peer_status *is)
{
    const int64_t ticks = TEMPO_AWAKE_TICKS * t->opt.tick_ms;
    const int64_t most = ticks > TEMPO_AWAKE_MS ? ticks : TEMPO_AWAKE_MS;

    if (is->moves)
        t->awake_ms = 0;
    else
        t->awake_ms += is->still ? -passed : passed;
    if (t->awake_ms <= 0)
        t->awake_ms = t->disturbed = 0;
    if (!t->disturbed || is->still)
        t->pause_ms = 0;
    if (t->awake_ms < most)
        return;
    t->awake_ms = most;
    t->disturbed = 1;
    t->pause_ms = t->pause_ms ? 2 * t->pause_ms : TEMPO_PAUSE_LEAST;
    t->pause_ms = t->pause_ms < TEMPO_PAUSE_MOST ? t->pause_ms : TEMPO_PAUSE_MOST;
}

void tempo_ticked(tempo *t, int64_t now, const mb_peer_status *is, int64_t bytes)
{
    const int64_t passed = t->ticked_ms && now > t->ticked_ms ? now - t->ticked_ms : 0;

    t->ticked_ms = now;
    pay(t, passed, bytes);
    watch(t, passed, is);
}

int64_t tempo_earliest(const tempo *t, int urgent)
{
    int64_t wait = t->opt.tick_least_ms;

    if (t->opt.bytes_per_second && t->owed > 0)
        wait = (int64_t)fmax((double)wait, ceil(1e3 * t->owed / (double)t->opt.bytes_per_second));
    if (!urgent && wait < t->pause_ms)
        wait = t->pause_ms;
    return t->ticked_ms ? t->ticked_ms + wait : INT64_MIN;
}

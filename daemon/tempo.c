/* tempo.c - how soon a node may tick again. */
#include "tempo.h"
#include "mesh/guarded.h"

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

/* Others may keep the node awake for so long. */
static int64_t patience(const tempo *t)
{
    const int64_t ticks = TEMPO_AWAKE_TICKS * t->opt.tick_ms;

    return ticks > TEMPO_AWAKE_MS ? ticks : TEMPO_AWAKE_MS;
}

/* Twice as long as before. */
static int64_t longer(int64_t pause_ms, int64_t most)
{
    const int64_t twice = pause_ms ? 2 * pause_ms : TEMPO_PAUSE_LEAST;

    return twice < most ? twice : most;
}

/* A node that waits says that it moves, and would tick as fast as its neighbours answer. */
static int waits_long(const tempo *t)
{
    return t->waited_ms >= TEMPO_WAITS_MS;
}

/* Where something moves at the node itself nothing is held back. A node that is woken again and again
 * counts, too, if it is awake for more than half of the time. */
static void watch(tempo *t, int64_t passed, const mb_peer_status *is)
{
    const int64_t most = patience(t);

    if (is->moves)
        t->awake_ms = 0;
    else
        t->awake_ms += is->still ? -passed : passed;
    if (t->awake_ms <= 0)
        t->awake_ms = t->disturbed = 0;
    if (!(t->disturbed || waits_long(t)) || is->still)
        t->pause_ms = 0;
    if (t->awake_ms < most)
        return;
    t->awake_ms = most;
    t->disturbed = 1;
    t->pause_ms = longer(t->pause_ms, TEMPO_PAUSE_MOST);
}

void tempo_begin(tempo *t, const mb_peer *p)
{
    if (mb_peer_due(p) == INT64_MIN)
        t->pause_ms = 0;
}

void tempo_ticked(tempo *t, int64_t now, const mb_peer_status *is, int waits, int64_t bytes)
{
    const int64_t passed = t->ticked_ms && now > t->ticked_ms ? now - t->ticked_ms : 0;

    t->ticked_ms = now;
    pay(t, passed, bytes);
    t->waited_ms = waits ? t->waited_ms + passed : 0;
    watch(t, passed, is);
    if (waits_long(t))
        t->pause_ms = longer(t->pause_ms, TEMPO_WAITS_MOST);
}

/* But for at least `least`, until the bytes are paid. */
static int64_t wait_of(const tempo *t, int64_t least)
{
    if (!t->opt.bytes_per_second || !(t->owed > 0))
        return least;
    return (int64_t)fmax((double)least, ceil(1e3 * t->owed / (double)t->opt.bytes_per_second));
}

int64_t tempo_earliest(const tempo *t, int urgent)
{
    int64_t wait = wait_of(t, t->opt.tick_least_ms);

    if (!urgent && wait < t->pause_ms)
        wait = t->pause_ms;
    return t->ticked_ms ? t->ticked_ms + wait : INT64_MIN;
}

/* At once when all live neighbours have answered. A sum is sent on when it is complete. */
int64_t tempo_next(const tempo *t, const mb_peer *p)
{
    const int64_t due = mb_peer_due(p); /* INT64_MIN: at once */
    const int64_t least = mb_peer_continues_(p) && t->ticked_ms
                              ? t->ticked_ms + wait_of(t, 1)
                              : tempo_earliest(t, due == INT64_MIN);

    return mb_peer_ready(p) || mb_peer_continues_(p) || due < least ? least : due;
}

void tempo_see(const tempo *t, tempo_hold *h, int64_t now, const mb_peer_neighbour *is)
{
    const int lately = h->moved_ms && now >= h->moved_ms && now - h->moved_ms < TEMPO_MOVED_MS;

    if (is->moves && !lately)
        h->moving_ms = now;
    if (is->moves)
        h->moved_ms = now;
    h->held =
        t->disturbed && is->live && (is->moves || lately) && now - h->moving_ms >= patience(t);
    if (!h->held)
        h->wait_ms = 0;
    h->ticks++;
    h->frames = 0;
}

int tempo_takes(tempo_hold *h, int64_t now)
{
    if (h->held && h->ticks < TEMPO_TICKS && now >= h->taken_ms && now - h->taken_ms < h->wait_ms)
        return 0;
    if (h->held)
        h->wait_ms = longer(h->wait_ms, TEMPO_PAUSE_MOST);
    h->taken_ms = now;
    h->ticks = 0;
    return 1;
}

void tempo_wake(tempo *t, tempo_hold *h, int64_t now, const mb_peer *p, int32_t id)
{
    mb_peer_status is;

    h->frames++;
    if (!t->pause_ms || h->held)
        return;
    if (h->frames >= TEMPO_TICKS)
        t->pause_ms = 0;
    if (t->waited_ms)
        return;
    mb_peer_look(p, now, &is);
    for (int32_t k = 0; k < is.neighbours && t->pause_ms; k++) {
        mb_peer_neighbour one;

        mb_peer_look_at(p, now, k, &one);
        if (one.id == id && one.moves)
            t->pause_ms = 0;
    }
}

/* Which frames wait for the one before: two ends of a link with a clock of whole milliseconds, without
 * sockets. An end ticks when it has heard the other since its last tick, or after TICK ms. */
#include "pace.h"
#include "test.h"

enum { TICK = 20, FRAMES = 64 };

typedef struct frame {
    int64_t tick, echo, arrives;
} frame;

typedef struct end {
    pace    pace;
    int64_t tick, due, received, echoed; /* heard: newest tick of the other    */
    int32_t age;                         /* own ticks since then; 0: just now  */
    frame   way[FRAMES];                 /* sent and not arrived, oldest first */
    int32_t on_way, most;                /* they, and most of them at a time   */
    int64_t early;                       /* ticks that waited for nothing      */
} end;

static void arrive(end *to, end *from, int64_t now)
{
    while (from->on_way && from->way[0].arrives <= now) {
        to->received = from->way[0].tick;
        to->echoed = from->way[0].echo > to->echoed ? from->way[0].echo : to->echoed;
        to->age = 0;
        memmove(from->way, from->way + 1, (size_t)--from->on_way * sizeof *from->way);
    }
}

static void tick(end *e, double rtt, int64_t latency, int64_t now)
{
    mb_peer_neighbour is = {.rtt_ms = rtt, .echoed = e->echoed};

    if (e->age && now < e->due)
        return;
    e->early += now < e->due;
    e->due = now + TICK;
    e->tick++;
    is.missed = ++e->age;
    if (pace_waits(&e->pace, &is, e->tick, TICK, now))
        return;
    pace_sent(&e->pace, e->tick, now);
    assert_true(e->on_way < FRAMES);
    e->way[e->on_way++] = (frame){e->tick, e->received, now + latency};
    e->most = e->on_way > e->most ? e->on_way : e->most;
}

/* Runs both for ms milliseconds; the second begins `late` ms after the first. */
static void run(end *a, end *b, int64_t latency, int64_t late, int64_t ms)
{
    memset(a, 0, sizeof *a);
    memset(b, 0, sizeof *b);
    a->age = b->age = 1;
    b->due = late;
    for (int64_t now = 0; now < ms; now++) {
        arrive(a, b, now);
        arrive(b, a, now);
        tick(a, 2.0 * (double)latency, latency, now);
        tick(b, 2.0 * (double)latency, latency, now);
    }
}

TEST(frames_that_cross_make_nobody_wait)
{
    end a, b;

    for (int64_t latency = 1; 2 * latency < TICK; latency++)
        for (int64_t late = 0; late < TICK; late++) {
            run(&a, &b, latency, late, 20000);
            assert_in_range(a.tick - a.early, 0, 3); /* the first ones */
            assert_in_range(b.tick - b.early, 0, 3);
            assert_true(a.tick >= 20000 / (2 * latency) - 3);
        }
}

TEST(two_frames_at_most_are_on_their_way)
{
    static const int64_t latency[] = {1, 7, 19, 20, 33, 100, 450, 2000};
    end                  a, b;

    for (size_t k = 0; k < sizeof latency / sizeof *latency; k++)
        for (int64_t late = 0; late < 50; late += 7) {
            run(&a, &b, latency[k], late, 100000);
            if (latency[k] <= 450) /* patience ends after a second */
                assert_true(a.most <= 2 && b.most <= 2);
            assert_true(a.most <= 5 && b.most <= 5);
        }
}

TEST(a_stopped_neighbour_gets_ten_frames_a_second)
{
    mb_peer_neighbour is = {.rtt_ms = 0, .echoed = 1};
    pace              p = {.tick = 1};
    int64_t           last = 0, sent = 0;

    for (int64_t now = TICK; now <= 10000; now += TICK) {
        is.missed++;
        if (pace_waits(&p, &is, 1 + is.missed, TICK, now))
            continue;
        assert_true(sent < 2 || now - last >= 100);
        last = now;
        sent++;
        pace_sent(&p, 1 + is.missed, now);
    }
    assert_in_range(sent, 90, 110);
}

TEST(a_neighbour_at_rest_is_woken_at_once)
{
    /* Its last frame echoed tick 8; tick 9, a second ago, needs no answer. */
    const mb_peer_neighbour is = {.rtt_ms = 1, .echoed = 8, .missed = 2};
    const pace              p = {.tick = 9, .before = 8, .ms = 0};

    assert_true(pace_waits(&p, &is, 10, TICK, TICK - 1)); /* it may be on its way still */
    assert_false(pace_waits(&p, &is, 10, TICK, TICK));
}

RUN_TESTS(NULL, NULL)

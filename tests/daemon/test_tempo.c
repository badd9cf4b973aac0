/* How soon a node ticks again: without sockets, by a clock of whole milliseconds. */
#include "tempo.h"
#include "test.h"

enum { TICK = 20 };

/* A node that is ready at once ticks for so long and sends `bytes` in every tick; its ticks. */
static int64_t ticks_of(tempo *t, int64_t *now, int64_t ms, const mb_peer_status *is, int64_t bytes)
{
    const int64_t end = *now + ms;
    int64_t       n = 0;

    for (; *now < end; ++*now)
        while (n < 1000000 && tempo_earliest(t, 0) <= *now && (t->ticked_ms < *now || !n)) {
            tempo_ticked(t, *now, is, bytes);
            n++;
        }
    return n;
}

TEST(ticks_are_at_least_tick_least_ms_from_each_other)
{
    const mb_peer_status is = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK, .tick_least_ms = 20}};
    int64_t              now = 1000;

    assert_int_equal(ticks_of(&t, &now, 2000, &is, 1000), 100);
    assert_int_equal(tempo_earliest(&t, 1), t.ticked_ms + 20);
}

/* What a second has, once, and then as much as the rate. */
TEST(no_more_than_bytes_per_second_are_sent)
{
    const mb_peer_status is = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK, .bytes_per_second = 10000}};
    int64_t              now = 1000;

    assert_in_range(ticks_of(&t, &now, 10000, &is, 500), 195, 222);
    assert_in_range(ticks_of(&t, &now, 10000, &is, 500), 195, 202);
    now += 60000; /* a minute of rest fills the bucket with no more than a second */
    assert_in_range(ticks_of(&t, &now, 1000, &is, 500), 35, 45);
}

TEST(a_limit_that_comes_later_owes_nothing)
{
    const mb_peer_status is = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK}};
    int64_t              now = 1000;

    (void)ticks_of(&t, &now, 1000, &is, 100000);
    t.opt.bytes_per_second = 1000;
    assert_int_equal(tempo_earliest(&t, 0), t.ticked_ms);
}

/* Bytes of one tick above those of a second are owed. */
TEST(a_large_frame_waits_for_its_time)
{
    const mb_peer_status is = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK, .bytes_per_second = 1000}};

    tempo_ticked(&t, 1000, &is, 5000);
    assert_int_equal(tempo_earliest(&t, 1), 6000);
}

/* 1 ms between ticks; after 30 s the pause doubles to a second. */
TEST(who_is_kept_awake_for_nothing_slows_down)
{
    const mb_peer_status disturbed = {.moves = 0}, still = {.still = 1}, moved = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK}};
    int64_t              now = 1000;

    assert_in_range(ticks_of(&t, &now, TEMPO_AWAKE_MS, &disturbed, 0), 29000, 30001);
    assert_in_range(ticks_of(&t, &now, 10000, &disturbed, 0), 10, 20);
    assert_int_equal(t.pause_ms, TEMPO_PAUSE_MOST);
    assert_int_equal(tempo_earliest(&t, 1), t.ticked_ms); /* rows arrive: at once */
    tempo_ticked(&t, ++now, &still, 0);
    assert_int_equal(t.pause_ms, 0);
    assert_true(t.disturbed); /* woken once more for nothing it slows down again */
    assert_in_range(ticks_of(&t, &now, 10000, &disturbed, 0), 10, 1020);
    tempo_ticked(&t, ++now, &moved, 0);
    assert_int_equal(t.pause_ms + t.disturbed, 0);
}

/* Nodes that move, or rest more than they are awake, are none of these. */
TEST(others_do_not)
{
    const mb_peer_status disturbed = {.moves = 0}, still = {.still = 1}, moved = {.moves = 1};
    tempo                t = {.opt = {.tick_ms = TICK}};
    int64_t              now = 1000;

    (void)ticks_of(&t, &now, 600000, &moved, 0);
    assert_int_equal(t.pause_ms, 0);
    for (int k = 0; k < 100; k++) {
        (void)ticks_of(&t, &now, 1000, &disturbed, 0);
        (void)ticks_of(&t, &now, 1100, &still, 0);
    }
    assert_int_equal(t.pause_ms, 0);
    for (int k = 0; k < 100; k++) {
        (void)ticks_of(&t, &now, 2000, &disturbed, 0);
        (void)ticks_of(&t, &now, 1000, &still, 0);
    }
    assert_true(t.disturbed);
}

RUN_TESTS(NULL, NULL)

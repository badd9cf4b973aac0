/* Links of the virtual network: faults at their rates, cuts and partitions. */
#include "test.h"
#include "virtual_record.h"

TEST(frames_suffer_at_their_rates)
{
    mesh_world *w = ring(NULL, 0);
    int64_t     damaged = 0, sent, left;
    mb_virtual *v;

    all_faults(&w->opt);
    w->opt.peer.rest_ms = 20; /* many frames */
    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_run(v, 100 * SECOND, 0, &err));
    sent = tally(v, MB_TALLY_FRAMES);
    assert_true(sent > 20000);
    about(tally(v, MB_TALLY_LOST), (double)sent, 0.3);
    left = sent - tally(v, MB_TALLY_LOST);
    about(tally(v, MB_TALLY_DUPLICATED), (double)left, 0.05);
    about(tally(v, MB_TALLY_REORDERED), (double)left, 0.1);
    about(tally(v, MB_TALLY_CORRUPTED), (double)left, 0.02);
    for (int32_t i = 0; i < 6; i++) {
        mb_peer_status is;

        mb_peer_look(mb_virtual_peer(v, i), mb_virtual_clock(v, i), &is);
        damaged += is.refused[MB_REFUSED_DAMAGED] + is.refused[MB_REFUSED_SHORT];
    }
    assert_in_range(tally(v, MB_TALLY_CORRUPTED) - damaged, 0, 5); /* on their way */
    left += tally(v, MB_TALLY_DUPLICATED);
    assert_in_range(left - tally(v, MB_TALLY_ARRIVED), 0, 60);
    mb_virtual_free(v);
}

TEST(delivery_is_of_each_link)
{
    mesh_world *w = ring(NULL, 0);
    double      delivery[12];
    record     *r = new_record();
    mb_virtual *v;

    for (int p = 0; p < 12; p++)
        delivery[p] = p == 0 ? 0.25 : 1; /* 0 -> 1 */
    w->opt.delivery = delivery;
    v = watched(w, r);
    OK(mb_virtual_run(v, 20 * SECOND, 0, &err));
    about(tally(v, MB_TALLY_LOST), (double)(tally(v, MB_TALLY_LOST) + r->received[0][1]), 0.75);
    mb_virtual_free(v);
}

TEST(delays_are_in_their_range)
{
    mesh_world *w = ring(NULL, 0);
    record     *r = new_record();
    mb_virtual *v;

    w->opt.delay_us[0] = 5000;
    w->opt.delay_us[1] = 45000;
    v = watched(w, r);
    OK(mb_virtual_run(v, 10 * SECOND, 0, &err));
    assert_true(r->delays > 1000);
    assert_in_range(r->delay[0], 5000, 5500);
    assert_in_range(r->delay[1], 44500, 45000);
    /* sd of a uniform one over 40 ms: 11.5 ms */
    assert_true(fabs((double)r->delay[2] / (double)r->delays - 25000) <
                6 * 11547 / sqrt((double)r->delays));
    assert_true(r->back > 0); /* 40 ms of jitter, 20 ms between frames */
    mb_virtual_free(v);
}

TEST(reordered_frames_come_after_newer_ones)
{
    mesh_world *w = ring(NULL, 0);
    record     *r = new_record();
    mb_virtual *v;

    v = watched(w, r);
    OK(mb_virtual_run(v, 3 * SECOND, 0, &err));
    assert_int_equal(r->back, 0);
    mb_virtual_free(v);
    w->opt.reorder = 0.1;
    v = watched(w, r);
    OK(mb_virtual_run(v, 3 * SECOND, 0, &err));
    assert_true(r->back > tally(v, MB_TALLY_REORDERED) * 9 / 10);
    assert_in_range(r->delay[1], 21000, 60000);
    mb_virtual_free(v);
}

TEST(bandwidth_keeps_the_newest)
{
    mesh_world *w = ring(NULL, 0);
    record     *r = new_record();
    mb_virtual *v;

    w->opt.bandwidth = 5000; /* a frame of 300 bytes takes 60 ms: one in three gets through */
    v = watched(w, r);
    OK(mb_virtual_run(v, 4 * SECOND, 0, &err));
    assert_true(tally(v, MB_TALLY_REPLACED) > tally(v, MB_TALLY_ARRIVED));
    assert_int_equal(r->back, 0);
    assert_true((double)tally(v, MB_TALLY_ARRIVED) * 132 <= 12 * 5000 * 4.0);
    /* the newest waits at most for one frame in front of it */
    assert_true(r->delay[1] <=
                2 * 1000000LL * (int64_t)mb_peer_frame_max(mb_virtual_peer(v, 0)) / 5000);
    mb_virtual_free(v);
}

TEST(cuts_stop_frames_until_healed)
{
    mb_event    event[] = {{.at_us = 1 * SECOND, .kind = MB_EVENT_CUT, .a = 0, .b = 1},
                           {.at_us = 1 * SECOND, .kind = MB_EVENT_ONEWAY, .a = 2, .b = 3},
                           {.at_us = 2 * SECOND, .kind = MB_EVENT_HEAL, .a = 1, .b = 0},
                           {.at_us = 2 * SECOND, .kind = MB_EVENT_HEAL, .a = 2, .b = 3}};
    mesh_world *w = ring(event, 4);
    record     *r = new_record();
    mb_virtual *v;

    v = watched(w, r);
    run_on(v, r, 1 * SECOND);
    assert_true(r->received[0][1] && r->received[1][0] && r->received[2][3]);
    run_on(v, r, 2 * SECOND - 1);
    assert_int_equal(r->received[0][1] + r->received[1][0] + r->received[2][3], 0);
    assert_true(r->received[3][2] && r->received[1][2]);
    assert_true(tally(v, MB_TALLY_CUT) > 100);
    run_on(v, r, 3 * SECOND);
    assert_true(r->received[0][1] && r->received[1][0] && r->received[2][3]);
    mb_virtual_free(v);
}

TEST(partitions_part_and_rejoin)
{
    static const int32_t set[3] = {0, 1, 2}, even[3] = {0, 2, 4};
    mb_event    event[] = {{.at_us = SECOND, .kind = MB_EVENT_PARTITION, .set = set, .nset = 3},
                           {.at_us = 2 * SECOND, .kind = MB_EVENT_PARTITION, .set = even, .nset = 3},
                           {.at_us = 3 * SECOND, .kind = MB_EVENT_REJOIN}};
    mesh_world *w = ring(event, 3);
    record     *r = new_record();
    int32_t     part[6], parts;
    mb_virtual *v;

    v = watched(w, r);
    run_on(v, r, 2 * SECOND - 1);
    mb_virtual_parts(v, part, &parts);
    assert_int_equal(parts, 2);
    assert_true(part[0] == 0 && part[1] == 0 && part[2] == 0 && part[3] == 1 && part[5] == 1);
    run_on(v, r, 3 * SECOND - 1);
    mb_virtual_parts(v, part, &parts);
    assert_int_equal(parts, 6); /* every link of the ring crosses */
    for (int k = 0; k < 36; k++)
        assert_int_equal(r->received[k / 6][k % 6], 0);
    run_on(v, r, 4 * SECOND);
    mb_virtual_parts(v, part, &parts);
    assert_int_equal(parts, 1);
    assert_true(r->received[2][3] > 0);
    mb_virtual_free(v);
}

RUN_TESTS(arena_up, arena_down)

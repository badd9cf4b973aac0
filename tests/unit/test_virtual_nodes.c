/* Nodes of the virtual network: their speeds, lives, clocks, disks and rows. */
#include "test.h"
#include "virtual_record.h"

TEST(speeds_are_the_periods_of_ticks)
{
    mesh_world *w = ring(NULL, 0);
    record     *r = new_record();
    mb_virtual *v;
    double      least = 9, most = 0;

    w->opt.speed[0] = 1;
    w->opt.speed[1] = 5;
    w->opt.peer.rest_ms = 20; /* they never slow down */
    v = watched(w, r);
    OK(mb_virtual_run(v, 20 * SECOND, 0, &err));
    for (int32_t i = 0; i < 6; i++) {
        const double   speed = mb_virtual_speed(v, i);
        mb_peer_status is;

        mb_peer_look(mb_virtual_peer(v, i), mb_virtual_clock(v, i), &is);
        assert_true(fabs((double)is.tick - 1000 / speed) <= 2);
        least = fmin(least, speed);
        most = fmax(most, speed);
    }
    assert_true(least >= 1 && most <= 5 && most - least > 1);
    mb_virtual_free(v);
}

TEST(killed_nodes_come_back_from_their_checkpoint)
{
    mb_event    event[] = {{.at_us = 2 * SECOND, .kind = MB_EVENT_KILL, .a = 0},
                           {.at_us = 3 * SECOND, .kind = MB_EVENT_START, .a = 0},
                           {.at_us = 4 * SECOND, .kind = MB_EVENT_WIPE, .a = 0},
                           {.at_us = 5 * SECOND, .kind = MB_EVENT_START, .a = 0}};
    mesh_world *w = ring(event, 4);
    record     *r = new_record();
    mb_virtual *v;
    char        want[80];

    w->opt.checkpoint_ticks = 7;
    w->opt.together = 1;
    v = watched(w, r);
    OK(mb_virtual_run(v, 3 * SECOND - 1, 0, &err));
    assert_null(mb_virtual_peer(v, 0));
    assert_int_equal(mb_virtual_life(v, 0), MB_LIFE_DEAD);
    assert_true(tally(v, MB_TALLY_GONE) > 0);
    OK(mb_virtual_run(v, 3 * SECOND, 0, &err));
    assert_int_equal(mb_virtual_life(v, 0), MB_LIFE_LIVE);
    /* 100 ticks before 2 s, the first at 0 */
    snprintf(want, sizeof want, "incarnation 2, checkpoint of tick %d", 100 / 7 * 7);
    assert_string_equal(r->note[MB_EVENT_START], want);
    assert_int_equal(r->loaded, 0);
    OK(mb_virtual_run(v, 6 * SECOND, 0, &err));
    assert_string_equal(r->note[MB_EVENT_START], "incarnation 3, blank");
    assert_int_equal(mb_virtual_incarnation(v, 0), 3);
    assert_int_equal(tally(v, MB_TALLY_LOADED), 1);
    assert_int_equal(tally(v, MB_TALLY_BLANK), 7);
    assert_int_equal(r->count[MB_CALL_END], 2);
    mb_virtual_free(v);
}

TEST(nodes_join_and_leave)
{
    mb_event       event[] = {{.at_us = 2 * SECOND, .kind = MB_EVENT_JOIN, .a = 3},
                              {.at_us = 3 * SECOND, .kind = MB_EVENT_LEAVE, .a = 5}};
    mesh_world    *w = ring(event, 2);
    record        *r = new_record();
    mb_peer_status is;
    mb_virtual    *v;

    v = watched(w, r);
    OK(mb_virtual_run(v, SECOND, 0, &err));
    assert_int_equal(mb_virtual_life(v, 3), MB_LIFE_ABSENT);
    mb_peer_look(mb_virtual_peer(v, 2), mb_virtual_clock(v, 2), &is);
    assert_int_equal(is.neighbours, 1);
    OK(mb_virtual_run(v, 2 * SECOND, 0, &err));
    mb_peer_look(mb_virtual_peer(v, 2), mb_virtual_clock(v, 2), &is);
    assert_int_equal(is.neighbours, 2);
    mb_peer_look(mb_virtual_peer(v, 3), mb_virtual_clock(v, 3), &is);
    assert_int_equal(is.neighbours, 2);
    assert_int_equal(is.rows, 20);
    OK(mb_virtual_run(v, 600 * SECOND, 1, &err));
    assert_true(mb_virtual_settled(v));
    assert_int_equal(mb_virtual_life(v, 5), MB_LIFE_LEFT);
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

TEST(paused_nodes_stand_still)
{
    mb_event    event[] = {{.at_us = SECOND, .kind = MB_EVENT_PAUSE, .a = 2, .x = 0.5},
                           {.at_us = 2 * SECOND, .kind = MB_EVENT_PAUSE, .a = 2},
                           {.at_us = 3 * SECOND, .kind = MB_EVENT_RESUME, .a = 2}};
    mesh_world *w = ring(event, 3);
    record     *r = new_record();
    mb_virtual *v;

    v = watched(w, r);
    run_on(v, r, SECOND);
    run_on(v, r, 3 * SECOND / 2 - 1);
    assert_int_equal(r->calls[2], 0);
    assert_true(r->calls[1] > 20);
    run_on(v, r, 3 * SECOND / 2);
    assert_int_equal(r->received[1][2] + r->received[3][2], 2); /* the newest of each neighbour */
    run_on(v, r, 2 * SECOND);
    assert_true(r->calls[2] > 50);
    run_on(v, r, 3 * SECOND - 1);
    assert_int_equal(r->calls[2], 0);
    run_on(v, r, 4 * SECOND);
    assert_true(r->calls[2] > 50);
    mb_virtual_free(v);
}

static mb_status see_time(void *self, const mb_virtual *v, const mb_called *c, mb_err *e)
{
    int64_t *newest = self;

    (void)v, (void)e;
    assert_true(c->at_us >= *newest);
    *newest = c->at_us;
    return MB_OK;
}

TEST(time_goes_on_after_a_pause_before_the_first_tick)
{
    mb_event           event[] = {{.kind = MB_EVENT_PAUSE, .a = 2},
                                  {.at_us = 2 * SECOND, .kind = MB_EVENT_RESUME, .a = 2}};
    mesh_world        *w = ring(event, 2);
    int64_t            newest = 0;
    mb_virtual_watcher watcher = {.self = &newest, .call = see_time};
    mb_virtual        *v;

    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_watch(v, &watcher, &err));
    OK(mb_virtual_run(v, 300 * SECOND, 1, &err));
    assert_true(newest > 2 * SECOND);
    assert_true(mb_virtual_settled(v));
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

TEST(clocks_jump_and_drift)
{
    mb_event    event[] = {{.at_us = SECOND, .kind = MB_EVENT_CLOCK, .a = 0, .x = -3.1e7},
                           {.at_us = 2 * SECOND, .kind = MB_EVENT_DRIFT, .a = 0, .x = 2}};
    mesh_world *w = ring(event, 2);
    record     *r = new_record();
    mb_virtual *v;
    int64_t     then;

    w->opt.together = 1;
    v = watched(w, r);
    OK(mb_virtual_run(v, 3 * SECOND / 2, 0, &err));
    assert_true(llabs(r->jump + INT64_C(31000000000)) < 100);
    then = mb_virtual_clock(v, 0);
    assert_true(then == 1500 - INT64_C(31000000000));
    OK(mb_virtual_run(v, 3 * SECOND, 0, &err));
    assert_true(mb_virtual_clock(v, 0) - then == 500 + 2 * 1000);
    assert_int_equal(mb_virtual_clock(v, 1), 3000);
    OK(mb_virtual_run(v, 300 * SECOND, 1, &err));
    assert_true(mb_virtual_settled(v));
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

TEST(checkpoints_fail_at_their_rates)
{
    mesh_world *w = ring(NULL, 0);
    mb_virtual *v;
    double      n;

    w->opt.checkpoint_ticks = 1;
    w->opt.peer.rest_ms = 20;
    w->opt.disk_fail = 0.1;
    w->opt.disk_torn = 0.2;
    w->opt.disk_short = 0.3;
    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_run(v, 30 * SECOND, 0, &err));
    n = (double)tally(v, MB_TALLY_TICKS);
    about(tally(v, MB_TALLY_SAVE_FAILED), n, 0.1);
    about(tally(v, MB_TALLY_SAVE_TORN), n, 0.2);
    about(tally(v, MB_TALLY_SAVE_SHORT), n, 0.3);
    about(tally(v, MB_TALLY_SAVED), n, 0.4);
    mb_virtual_free(v);
}

/* The newest complete checkpoint counts; when both places are damaged, the node begins blank. */
TEST(damaged_checkpoints_are_passed_over)
{
    enum { TIMES = 40 };
    mb_event    event[2 * TIMES];
    mesh_world *w = ring(event, (int64_t)2 * TIMES);
    record     *r = new_record();
    int64_t     older = 0, blank = 0;
    mb_virtual *v;

    for (int k = 0; k < TIMES; k++) {
        event[2 * k] = (mb_event){.at_us = (2 * k + 1) * SECOND, .kind = MB_EVENT_KILL, .a = 0};
        event[2 * k + 1] = (mb_event){.at_us = (2 * k + 2) * SECOND - 1, .kind = MB_EVENT_START};
    }
    w->opt.checkpoint_ticks = 3;
    w->opt.disk_torn = w->opt.disk_short = 0.25;
    v = watched(w, r);
    for (int k = 0; k < TIMES; k++) {
        r->loaded = -2;
        OK(mb_virtual_run(v, (2 * k + 2) * SECOND - 1, 0, &err));
        older += r->loaded == 1;
        blank += r->loaded == -2;
        assert_true(r->loaded == -2 || r->loaded == 0 || r->loaded == 1);
    }
    about(older, TIMES, 0.25);
    about(blank, TIMES, 0.25);
    assert_int_equal(tally(v, MB_TALLY_LOADED) + tally(v, MB_TALLY_BLANK), TIMES + 6);
    mb_virtual_free(v);
}

TEST(full_disks_take_nothing)
{
    mb_event    event[] = {{.at_us = SECOND, .kind = MB_EVENT_DISKFULL, .a = 0, .x = 1}};
    mesh_world *w = ring(event, 1);
    record     *r = new_record();
    mb_virtual *v;

    w->opt.checkpoint_ticks = 5;
    w->opt.together = 1;
    v = watched(w, r);
    OK(mb_virtual_run(v, SECOND - 1, 0, &err));
    assert_int_equal(r->saves, 10);
    OK(mb_virtual_run(v, 2 * SECOND - 1, 0, &err));
    assert_int_equal(r->saves, 10);
    assert_int_equal(tally(v, MB_TALLY_SAVE_FULL), 10);
    OK(mb_virtual_run(v, 3 * SECOND - 1, 0, &err));
    assert_int_equal(r->saves, 20);
    mb_virtual_free(v);
}

/* Rows that came before a crash and after the checkpoint, and while the node was dead, are there
 * when it comes back. */
TEST(rows_arrive_once_whatever_happens)
{
    static const double x[4] = {1, 2, 3, 4};
    const mb_rows       more = {.x = x, .n = 2, .d = 2, .ld = 2};
    mb_event            event[] = {{.at_us = 1990000, .kind = MB_EVENT_ROWS, .a = 0, .rows = &more},
                                   {.at_us = 1999999, .kind = MB_EVENT_KILL, .a = 0},
                                   {.at_us = 2 * SECOND, .kind = MB_EVENT_ROWS, .a = 0, .rows = &more},
                                   {.at_us = 3 * SECOND, .kind = MB_EVENT_START, .a = 0},
                                   {.at_us = 4 * SECOND, .kind = MB_EVENT_WIPE, .a = 0},
                                   {.at_us = 5 * SECOND, .kind = MB_EVENT_START, .a = 0}};
    mesh_world         *w = ring(event, 6);
    mb_peer_status      is;
    mb_rows             rows;
    mb_virtual         *v;

    w->opt.checkpoint_ticks = 10;
    OK(mb_virtual_new(&w->opt, &v, &err));
    for (int64_t at = 3 * SECOND; at <= 5 * SECOND; at += 2 * SECOND) {
        OK(mb_virtual_run(v, at, 0, &err));
        mb_peer_look(mb_virtual_peer(v, 0), mb_virtual_clock(v, 0), &is);
        assert_int_equal(is.rows, 24);
    }
    OK(mb_virtual_rows(arena, v, 0, &rows, &err));
    assert_int_equal(rows.n, 24);
    assert_memory_equal(rows.x, w->x, 40 * sizeof *rows.x);
    assert_memory_equal(rows.x + 40, x, sizeof x);
    OK(mb_virtual_run(v, 300 * SECOND, 1, &err));
    assert_true(mb_virtual_settled(v));
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

TEST(windows_leave_the_newest_rows)
{
    static const double x[6] = {1, 2, 3, 4, 5, 6};
    const mb_rows       more = {.x = x, .n = 3, .d = 2, .ld = 2};
    mb_event            event[] = {{.at_us = SECOND, .kind = MB_EVENT_ROWS, .rows = &more}};
    mesh_world         *w = ring(event, 1);
    mb_peer_status      is;
    mb_rows             rows;
    mb_virtual         *v;

    w->opt.peer.window_rows = 20;
    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_run(v, 300 * SECOND, 1, &err));
    mb_peer_look(mb_virtual_peer(v, 0), mb_virtual_clock(v, 0), &is);
    OK(mb_virtual_rows(arena, v, 0, &rows, &err));
    assert_int_equal(is.rows, 20);
    assert_int_equal(rows.n, 20);
    assert_memory_equal(rows.x, w->x + 6, 34 * sizeof *rows.x);
    assert_memory_equal(rows.x + 34, x, sizeof x);
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    mb_virtual_free(v);
}

RUN_TESTS(arena_up, arena_down)

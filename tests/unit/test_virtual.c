/* The virtual network: the same bits from the same seed, watchers, rest, and options that are wrong. */
#include "test.h"
#include "virtual_record.h"

static uint64_t stormy_hash(uint64_t seed)
{
    mb_event    event[] = {{.at_us = 2 * SECOND, .kind = MB_EVENT_KILL, .a = 1},
                           {.at_us = 3 * SECOND, .kind = MB_EVENT_START, .a = 1},
                           {.at_us = 4 * SECOND, .kind = MB_EVENT_DRIFT, .a = 2, .x = 1.01},
                           {.at_us = 5 * SECOND, .kind = MB_EVENT_PAUSE, .a = 3, .x = 0.7}};
    mesh_world *w = ring(event, 4);
    record     *r = new_record();
    mb_virtual *v;

    all_faults(&w->opt);
    w->opt.seed = seed;
    v = watched(w, r);
    OK(mb_virtual_run(v, 10 * SECOND, 0, &err));
    mb_virtual_free(v);
    return r->hash;
}

TEST(same_seed_gives_the_same_bits)
{
    const uint64_t one = stormy_hash(3);

    assert_true(one == stormy_hash(3));
    assert_true(one != stormy_hash(4));
}

TEST(a_run_in_pieces_is_the_same_run)
{
    mesh_world *w = ring(NULL, 0);
    record     *one = new_record(), *many = new_record();
    mb_virtual *v;

    all_faults(&w->opt);
    v = watched(w, one);
    OK(mb_virtual_run(v, 5 * SECOND, 0, &err));
    mb_virtual_free(v);
    v = watched(w, many);
    for (int64_t at = 0; at <= 5 * SECOND; at += 77777)
        OK(mb_virtual_run(v, at, 0, &err));
    OK(mb_virtual_run(v, 5 * SECOND, 0, &err));
    assert_true(one->hash == many->hash);
    assert_int_equal(mb_virtual_now(v), 5 * SECOND);
    mb_virtual_free(v);
}

TEST(it_is_not_settled_before_the_last_event)
{
    mb_event    event[] = {{.at_us = 60 * SECOND, .kind = MB_EVENT_KILL, .a = 0}};
    mesh_world *w = ring(event, 1);
    record     *r = new_record();
    mb_virtual *v;

    v = watched(w, r);
    OK(mb_virtual_run(v, 59 * SECOND, 0, &err));
    assert_true(mb_virtual_settled(v));
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    OK(mb_virtual_run(v, 600 * SECOND, 1, &err));
    assert_true(mb_virtual_now(v) > 61 * SECOND && mb_virtual_now(v) < 600 * SECOND);
    assert_true(mb_virtual_settled(v));
    assert_int_equal(mesh_check(w, v, 0, 1e-6), 1);
    assert_true(r->events[MB_EVENT_SETTLED] >= 11); /* six nodes, then five again */
    assert_true(r->events[MB_EVENT_MOVING] >= 5);
    mb_virtual_free(v);
}

TEST(foreign_bytes_are_refused)
{
    mesh_world    *w = ring(NULL, 0);
    unsigned char  bytes[300] = "MBM1";
    mb_peer_status is;
    mb_virtual    *v;

    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_run(v, SECOND, 0, &err));
    OK(mb_virtual_inject(v, 0, 1, bytes, sizeof bytes, &err));
    OK(mb_virtual_inject(v, 0, 1, bytes, 3, &err));
    assert_int_equal(mb_virtual_inject(v, 0, 3, bytes, 3, &err), MB_E_ARG);
    OK(mb_virtual_run(v, 2 * SECOND, 0, &err));
    mb_peer_look(mb_virtual_peer(v, 1), mb_virtual_clock(v, 1), &is);
    assert_int_equal(is.refused[MB_REFUSED_SHORT] + is.refused[MB_REFUSED_DAMAGED], 2);
    mb_virtual_free(v);
}

static mb_status look_and_stop(void *self, const mb_virtual *v, int64_t now_us, mb_err *e)
{
    int64_t *looks = self;

    (void)v, (void)e;
    assert_true(now_us == *looks * 250000);
    return ++*looks == 5 ? MB_STOP : MB_OK;
}

TEST(watchers_look_and_stop)
{
    mesh_world        *w = ring(NULL, 0);
    int64_t            looks = 0;
    mb_virtual_watcher watcher = {.self = &looks, .every_us = 250000, .look = look_and_stop};
    mb_virtual        *v;

    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_watch(v, &watcher, &err));
    watcher.every_us = 0;
    assert_int_equal(mb_virtual_watch(v, &watcher, &err), MB_E_ARG);
    assert_int_equal(mb_virtual_run(v, 9 * SECOND, 0, &err), MB_STOP);
    assert_int_equal(mb_virtual_now(v), SECOND);
    OK(mb_virtual_run(v, 2 * SECOND, 0, &err));
    assert_int_equal(looks, 9);
    mb_virtual_free(v);
}

TEST(wrong_options_are_named)
{
    mb_event    event[] = {{.at_us = 1, .kind = MB_EVENT_ROWS, .a = 0}};
    mesh_world *w = ring(event, 1);
    mb_virtual *v;

    assert_int_equal(mb_virtual_new(&w->opt, &v, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "schedule: event 1: got an event without rows"));
    assert_null(v);
    w->opt.schedule.n = 0;
    w->opt.loss = 1;
    assert_int_equal(mb_virtual_new(&w->opt, &v, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "loss: got 1; expected a probability"));
    w->opt.loss = 0;
    w->opt.delay_us[0] = 7;
    assert_int_equal(mb_virtual_new(&w->opt, &v, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "delay: got 7..0 us"));
    w->opt.delay_us[0] = 0;
    w->opt.speed[1] = 0.5;
    assert_int_equal(mb_virtual_new(&w->opt, &v, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "speed: got 0..0.5"));
    w->opt.speed[1] = 0;
    w->opt.peer.eta = 2;
    assert_int_equal(mb_virtual_new(&w->opt, &v, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "eta"));
}

TEST(texts_name_everything)
{
    for (int k = 0; k < MB_TALLIES; k++)
        assert_true(*mb_tally_text((mb_tally)k) && *mb_tally_help((mb_tally)k));
    for (int k = 0; k < MB_LIVES; k++)
        assert_true(*mb_life_text((mb_life)k));
}

RUN_TESTS(arena_up, arena_down)

/* Without memory the virtual network says so, whichever allocation it is that fails, and frees what
 * it took: a crash, a start from a checkpoint, a join and rows among its events. */
#define _XOPEN_SOURCE 700 /* mkstemp */
#include "failing.h"
#include "mesh_world.h"
#include "network/graph.h"
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

enum { SECOND = 1000000, LEAST = 20 };

static mb_status run(const mesh_world *w, mb_err *e)
{
    mb_virtual *v;
    mb_status   st;

    MB_TRY(mb_virtual_new(&w->opt, &v, e));
    st = mb_virtual_run(v, 4 * SECOND, 0, e);
    mb_virtual_free(v);
    return st;
}

TEST(every_failure_is_an_error)
{
    static const double x[4] = {1, 2, 3, 4};
    const mb_rows       more = {.x = x, .n = 2, .d = 2, .ld = 2};
    mb_event            event[] = {{.at_us = SECOND, .kind = MB_EVENT_KILL, .a = 0},
                                   {.at_us = SECOND, .kind = MB_EVENT_ROWS, .a = 1, .rows = &more},
                                   {.at_us = 2 * SECOND, .kind = MB_EVENT_START, .a = 0},
                                   {.at_us = 2 * SECOND, .kind = MB_EVENT_JOIN, .a = 2}};
    mesh_world         *w = mesh_make("ring:n=4", 10);

    w->opt.schedule = (mb_schedule){.n = 4, .event = event};
    w->opt.checkpoint_ticks = 10;
    w->opt.delay_us[1] = 2 * SECOND; /* enough frames on their way for the pool to grow */
    for (long k = 0;; k++) {
        const long before = live;
        mb_err     e = {0};
        mb_status  st;

        failed = 0;
        left = k;
        st = run(w, &e);
        left = -1;
        assert_int_equal(live, before);
        if (!failed) {
            assert_int_equal(st, MB_OK);
            assert_in_range(k, LEAST, 100000);
            return;
        }
        assert_int_equal(st, MB_E_NOMEM);
        assert_non_null(strstr(e.msg, "out of memory"));
    }
}

TEST(a_schedule_is_read_or_not)
{
    static const char    text[] = "time,event,a,b\n1,partition,1 2,\n2,rejoin,,\n";
    static const int32_t ends[4] = {0, 1, 1, 2};
    mb_graph             g;

    OK(mb_graph_from_edges(arena, 3, 2, ends, &g, &err));
    for (long k = 0;; k++) {
        mb_arena   *a = mb_arena_new(1);
        char        bytes[sizeof text];
        mb_err      e = {0};
        mb_schedule s;
        mb_status   st;

        memcpy(bytes, text, sizeof text);
        failed = 0;
        left = k;
        st = mb_schedule_parse(a, "s", bytes, sizeof text - 1, &g, NULL, &s, &e);
        left = -1;
        mb_arena_free(a);
        if (!failed) {
            assert_int_equal(st, MB_OK);
            assert_true(k >= 8);
            return;
        }
        assert_int_equal(st, MB_E_NOMEM);
    }
}

static mb_status record(const mb_called *c, const char *file, mb_err *e)
{
    mb_record *r;
    mb_status  st;

    MB_TRY(mb_record_open(&(mb_record_opt){.file = file}, &r, e));
    st = mb_record_call(r, c, e);
    if (st >= 0)
        st = mb_record_call(
            r, &(mb_called){.call = MB_CALL_GENESIS, .peer = c->peer, .genesis = c->genesis}, e);
    if (st < 0) {
        mb_status again = mb_record_close(r, NULL);

        assert_int_equal(again, st);
        return st;
    }
    return mb_record_close(r, e);
}

static mb_status replay(const char *file, mb_err *e)
{
    mb_replay *r;
    mb_status  st = MB_OK;

    MB_TRY(mb_replay_open(file, &r, e));
    while (st == MB_OK)
        st = mb_replay_next(r, NULL, e);
    mb_replay_close(r);
    return st == MB_STOP ? MB_OK : st;
}

TEST(a_record_is_written_and_run_again_or_not)
{
    mesh_world       *w = mesh_make("ring:n=4", 10);
    const mb_peer_opt o = {.id = 0, .incarnation = 1, .plan = &w->plan, .rows = 2};
    mb_called         c = {.call = MB_CALL_NEW, .opt = &o, .genesis = &w->genesis};
    char              file[] = "/tmp/mb-fault-record-XXXXXX";
    mb_peer          *p;

    OK(mb_peer_new(arena, &o, &p, &err));
    OK(mb_peer_genesis(p, &w->genesis, &err));
    c.peer = p;
    assert_true(close(mkstemp(file)) == 0);
    for (int what = 0; what < 2; what++)
        for (long k = 0;; k++) {
            const long before = live;
            mb_err     e = {0};
            mb_status  st;

            failed = 0;
            left = k;
            st = what ? replay(file, &e) : record(&c, file, &e);
            left = -1;
            assert_int_equal(live, before);
            if (!failed) {
                assert_int_equal(st, MB_OK);
                assert_true(k >= 3);
                break;
            }
            assert_int_equal(st, MB_E_NOMEM);
            assert_non_null(strstr(e.msg, "out of memory"));
        }
    remove(file);
}

RUN_TESTS(arena_up, arena_down)

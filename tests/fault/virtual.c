/* Without memory the virtual network says so, whichever allocation it is that fails, and frees what
 * it took: a crash, a start from a checkpoint, a join and rows among its events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "failing.h"

#include "mesh_world.h"

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

static void every_failure_is_an_error(void **state)
{
    static const double x[4] = {1, 2, 3, 4};
    const mb_rows       more = {.x = x, .n = 2, .d = 2, .ld = 2};
    mb_event            event[] = {{.at_us = SECOND, .kind = MB_EVENT_KILL, .a = 0},
                                   {.at_us = SECOND, .kind = MB_EVENT_ROWS, .a = 1, .rows = &more},
                                   {.at_us = 2 * SECOND, .kind = MB_EVENT_START, .a = 0},
                                   {.at_us = 2 * SECOND, .kind = MB_EVENT_JOIN, .a = 2}};
    mesh_world         *w = mesh_make("ring:n=4", 10);

    (void)state;
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

static void a_schedule_is_read_or_not(void **state)
{
    static const char    text[] = "time,event,a,b\n1,partition,1 2,\n2,rejoin,,\n";
    static const int32_t ends[4] = {0, 1, 1, 2};
    mb_graph             g;

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failure_is_an_error),
        cmocka_unit_test(a_schedule_is_read_or_not),
    };
    return cmocka_run_group_tests(tests, arena_up, arena_down);
}

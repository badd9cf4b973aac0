/* Events that somebody who watches a virtual network causes between two runs, and loss that changes. */
#include "test.h"
#include "virtual_record.h"

enum { AT = 2345678 /* us: no node ticks then */ };

/* What a watcher has seen after ten seconds in which node 1 dies and returns, and a link breaks. */
static uint64_t after(mesh_world *w, int by_hand)
{
    const mb_event kill = {.kind = MB_EVENT_KILL, .a = 1}, start = {.kind = MB_EVENT_START, .a = 1},
                   cut = {.kind = MB_EVENT_CUT, .a = 3, .b = 4};
    record     *r = new_record();
    mb_virtual *v = watched(w, r);

    OK(mb_virtual_run(v, AT, 0, &err));
    if (by_hand)
        OK(mb_virtual_happen(v, &kill, &err));
    OK(mb_virtual_run(v, 2 * AT, 0, &err));
    if (by_hand) {
        OK(mb_virtual_happen(v, &start, &err));
        OK(mb_virtual_happen(v, &cut, &err));
    }
    OK(mb_virtual_run(v, 10 * SECOND, 0, &err));
    mb_virtual_free(v);
    return r->hash;
}

TEST(an_event_by_hand_is_that_of_a_schedule)
{
    mb_event event[] = {{.at_us = AT, .kind = MB_EVENT_KILL, .a = 1},
                        {.at_us = 2 * AT, .kind = MB_EVENT_START, .a = 1},
                        {.at_us = 2 * AT, .kind = MB_EVENT_CUT, .a = 3, .b = 4}};

    assert_true(after(ring(NULL, 0), 1) == after(ring(event, 3), 0));
    assert_true(after(ring(NULL, 0), 1) != after(ring(NULL, 0), 0));
}

TEST(an_event_that_makes_no_sense_now_is_refused)
{
    const mb_event wrong[] = {{.kind = MB_EVENT_START, .a = 0},
                              {.kind = MB_EVENT_KILL, .a = 6},
                              {.kind = MB_EVENT_HEAL, .a = 0, .b = 1},
                              {.kind = MB_EVENT_CUT, .a = 0, .b = 3},
                              {.kind = MB_EVENT_REJOIN},
                              {.kind = MB_EVENT_FAILED}};
    const mb_event twice = {.kind = MB_EVENT_KILL, .a = 0}, join = {.kind = MB_EVENT_JOIN, .a = 0};
    mesh_world    *w = ring(NULL, 0);
    mb_virtual    *v;

    OK(mb_virtual_new(&w->opt, &v, &err));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        assert_int_equal(mb_virtual_happen(v, &wrong[k], &err), MB_E_FORMAT);
    assert_int_equal(mb_virtual_happen(v, &join, &err), MB_E_NOSUP);
    OK(mb_virtual_happen(v, &twice, &err));
    assert_int_equal(mb_virtual_happen(v, &twice, &err), MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "node \"1\", which is dead then"));
    mb_virtual_free(v);
}

TEST(lost_frames_are_counted_on_their_links)
{
    mesh_world *w = ring(NULL, 0);
    mb_virtual *v;
    int64_t     sum = 0;

    OK(mb_virtual_new(&w->opt, &v, &err));
    OK(mb_virtual_run(v, SECOND, 0, &err));
    assert_int_equal(mb_virtual_tally(v, MB_TALLY_LOST), 0);
    assert_int_equal(mb_virtual_lose(v, 1, &err), MB_E_ARG);
    OK(mb_virtual_lose(v, 0.5, &err));
    OK(mb_virtual_run(v, 2 * SECOND, 0, &err));
    for (int64_t p = 0; p < w->net.g.ptr[w->net.n]; p++)
        sum += mb_virtual_lost(v, p);
    assert_true(sum > 100);
    assert_int_equal(mb_virtual_tally(v, MB_TALLY_LOST), sum);
    mb_virtual_free(v);
}

RUN_TESTS(arena_up, arena_down)

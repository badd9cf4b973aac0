/* Dumps at chosen rounds, and progress. */
#include "arena.h"
#include "core/observe.h"
#include "test.h"

typedef struct seen {
    int64_t t[8], rounds;
    int     count;
} seen;

static mb_status note(void *to, int64_t t, const mb_problem *p, const mb_state *s, mb_err *err)
{
    seen *sn = to;
    assert_null(p);
    assert_int_equal(s->t, t);
    if (sn->count == 8)
        MB_FAIL(err, MB_E_IO, "full");
    sn->t[sn->count++] = t;
    return MB_OK;
}

/* What the loop does: the rounds that are due, and the last. */
static mb_status play(const mb_observer *ob, int64_t rounds)
{
    mb_state s;
    mb_err   err;
    memset(&s, 0, sizeof s);
    for (s.t = 1; s.t <= rounds; s.t++)
        if (s.t % ob->every == 0 || s.t == rounds)
            MB_TRY(ob->see(ob->self, NULL, &s, &err));
    return MB_OK;
}

TEST(dumps_come_at_the_requested_rounds)
{
    const int64_t at[] = {1, 2, 10, 14};
    seen          sn = {.count = 0};
    mb_observer   ob;
    mb_err        err;
    must(mb_dump_new(arena, at, 4, note, &sn, &ob, &err));
    must(play(&ob, 20));
    assert_int_equal(sn.count, 4);
    assert_memory_equal(sn.t, at, sizeof at);
}

TEST(rounds_far_from_each_other_disturb_no_others)
{
    const int64_t at[] = {50, 100, 250};
    seen          sn = {.count = 0};
    mb_observer   ob;
    mb_err        err;
    must(mb_dump_new(arena, at, 3, note, &sn, &ob, &err));
    must(play(&ob, 320));
    assert_int_equal(sn.count, 3);
    assert_memory_equal(sn.t, at, sizeof at);
}

TEST(no_rounds_no_dumps)
{
    seen        sn = {.count = 0};
    mb_observer ob;
    mb_err      err;
    must(mb_dump_new(arena, NULL, 0, note, &sn, &ob, &err));
    must(play(&ob, 30));
    assert_int_equal(sn.count, 0);
}

TEST(rounds_that_do_not_ascend_from_one_are_refused)
{
    const int64_t zero[] = {0, 1}, twice[] = {3, 3}, back[] = {5, 4};
    seen          sn = {.count = 0};
    mb_observer   ob;
    mb_err        err;
    assert_int_equal(mb_dump_new(arena, zero, 2, note, &sn, &ob, &err), MB_E_ARG);
    assert_int_equal(mb_dump_new(arena, twice, 2, note, &sn, &ob, &err), MB_E_ARG);
    assert_int_equal(mb_dump_new(arena, back, 2, note, &sn, &ob, &err), MB_E_ARG);
}

TEST(a_failing_dump_fails_the_run)
{
    const int64_t at[] = {4};
    seen          sn = {.count = 8};
    mb_observer   ob;
    mb_err        err;
    must(mb_dump_new(arena, at, 1, note, &sn, &ob, &err));
    assert_int_equal(play(&ob, 9), MB_E_IO);
}

static void tick(void *to, int64_t t, int64_t rounds)
{
    seen *sn = to;
    sn->t[sn->count++] = t;
    sn->rounds = rounds;
}

TEST(progress_tells_rounds_done_and_the_last)
{
    const int64_t expected[] = {4, 8, 10};
    seen          sn = {.count = 0};
    mb_observer   ob;
    mb_err        err;
    must(mb_progress_new(arena, 10, 4, tick, &sn, &ob, &err));
    must(play(&ob, 10));
    assert_int_equal(sn.count, 3);
    assert_memory_equal(sn.t, expected, sizeof expected);
    assert_int_equal(sn.rounds, 10);
    assert_int_equal(mb_progress_new(arena, 10, 0, tick, &sn, &ob, &err), MB_E_ARG);
}

RUN_TESTS(arena_up, arena_down)

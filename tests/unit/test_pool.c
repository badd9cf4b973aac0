/* Threads that share work: every part once, whoever asks and however often. */
#include "arena.h"
#include "base/pool.h"
#include "test.h"

enum { PARTS = 1000, THREADS = 5 };

typedef struct tally {
    int32_t  done[PARTS];
    int32_t  by[PARTS];     /* the thread that did it            */
    int64_t  last[THREADS]; /* of each thread: its last part + 1 */
    int32_t  back[THREADS]; /* parts before an earlier one of its own */
    mb_pool *pool;          /* for parts that have work themselves */
    int64_t  sum;           /* under the pool's lock */
} tally;

static mb_pool *open_pool(int32_t threads)
{
    mb_pool *p;
    mb_err   err;

    must(mb_pool_open(arena, threads, &p, &err));
    return p;
}

static void count(void *arg, int32_t thread, int64_t part)
{
    tally *t = arg;

    t->done[part]++;
    t->by[part] = thread;
    t->back[thread] += part < t->last[thread];
    t->last[thread] = part + 1;
}

static void check(const tally *t, int64_t parts, int32_t threads)
{
    for (int64_t k = 0; k < PARTS; k++) {
        assert_int_equal(t->done[k], k < parts);
        assert_in_range(t->by[k], 0, (uintmax_t)threads - 1);
    }
    /* In order but for a step back to what each other thread has left over. */
    for (int32_t k = 0; k < THREADS; k++)
        assert_in_range(t->back[k], 0, (uintmax_t)threads - 1);
}

TEST(every_part_is_done_once_and_in_runs)
{
    static const int64_t parts[] = {0, 1, 2, 3, 7, PARTS};

    for (int32_t threads = 1; threads <= THREADS; threads++) {
        mb_pool *p = open_pool(threads);

        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            tally t = {.pool = p};

            mb_pool_run(p, threads, parts[k], count, &t);
            check(&t, parts[k], threads);
        }
        mb_pool_close(p);
    }
}

TEST(no_more_threads_than_requested)
{
    mb_pool *p = open_pool(THREADS);

    for (int32_t threads = -1; threads < 9; threads++)
        for (int k = 0; k < 20; k++) {
            tally t = {.pool = p};

            mb_pool_run(p, threads, PARTS, count, &t);
            check(&t, PARTS, threads < 1 ? 1 : threads < THREADS ? threads : THREADS);
        }
    mb_pool_close(p);
}

/* Two parts each, most of them over before the others are awake. */
TEST(many_small_works_in_a_row)
{
    enum { WORKS = 20000 };
    mb_pool *p = open_pool(3);
    tally    t = {.pool = p};

    for (int k = 0; k < WORKS; k++) {
        t.last[0] = t.last[1] = t.last[2] = 0;
        mb_pool_run(p, 3, 2 + k % 4, count, &t);
        assert_int_equal(t.done[0], k + 1);
        assert_int_equal(t.done[1], k + 1);
    }
    assert_int_equal(t.done[2], WORKS / 4 * 3);
    assert_int_equal(t.done[4], WORKS / 4);
    mb_pool_close(p);
}

static void count_nested(void *arg, int32_t thread, int64_t part)
{
    tally *t = arg, inner = {.pool = t->pool};

    mb_pool_run(t->pool, 3, 50, count, &inner);
    for (int64_t k = 0; k < 50; k++)
        t->done[part] += inner.by[k] ? 100 : inner.done[k];
    t->by[part] = thread;
}

TEST(a_part_that_uses_its_own_pool_works_alone)
{
    mb_pool *p = open_pool(3);
    tally    t = {.pool = p};

    mb_pool_run(p, 3, 200, count_nested, &t);
    for (int64_t k = 0; k < 200; k++)
        assert_int_equal(t.done[k], 50);
    mb_pool_close(p);
}

static void count_far(void *arg, int32_t thread, int64_t part)
{
    tally *t = arg, inner = {.pool = t->pool};

    mb_pool_run(t->pool, 3, 50, count, &inner);
    for (int64_t k = 0; k < 50; k++)
        t->done[part] += inner.done[k];
    t->by[part] = thread;
}

/* The parts of one pool, on several threads, all use another one. */
TEST(callers_at_once_do_not_disturb_each_other)
{
    mb_pool *p = open_pool(3), *shared = open_pool(3);
    tally    t = {.pool = shared};

    mb_pool_run(p, 3, PARTS, count_far, &t);
    for (int64_t k = 0; k < PARTS; k++)
        assert_int_equal(t.done[k], 50);
    mb_pool_close(p);
    mb_pool_close(shared);
}

static void add_locked(void *arg, int32_t thread, int64_t part)
{
    tally *t = arg;

    (void)thread;
    mb_pool_lock(t->pool);
    t->sum += part;
    mb_pool_unlock(t->pool);
}

TEST(the_lock_lets_one_in)
{
    mb_pool *p = open_pool(4);
    tally    t = {.pool = p};

    mb_pool_run(p, 4, PARTS, add_locked, &t);
    assert_int_equal(t.sum, PARTS * (PARTS - 1) / 2);
    mb_pool_close(p);
}

TEST(no_pool_is_one_thread)
{
    tally t = {.pool = NULL};

    mb_pool_run(NULL, 3, 20, count, &t);
    check(&t, 20, 1);
    mb_pool_run(NULL, 3, PARTS, add_locked, &t);
    assert_int_equal(t.sum, PARTS * (PARTS - 1) / 2);
    assert_int_equal(mb_pool_threads(NULL), 1);
    mb_pool_close(NULL);
}

TEST(a_pool_says_how_many_threads_it_has)
{
    mb_pool *p = open_pool(0);
    mb_err   err;

    assert_in_range(mb_pool_threads(p), 1, 4096);
    mb_pool_close(p);
    p = open_pool(2);
    assert_in_range(mb_pool_threads(p), 1, 2); /* 1 in a build without threads */
    mb_pool_close(p);
    assert_int_equal(mb_pool_open(arena, -3, &p, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "threads: got -3"));
    assert_null(p);
}

RUN_TESTS(arena_up, arena_down)

/* Issue 12: threads that waited for work, and the caller that waited for them, kept their processors
 * busy and took them from whoever had something to compute. */
#include "arena.h"
#include "base/pool.h"
#include "test.h"

#include <time.h>

enum { THREADS = 4, WORKS = 20, SLEEP_MS = 20 };

/* Threads that spin would use at least WORKS x SLEEP_MS = 400 ms of one processor; those that sleep
 * use some microseconds each time. */
static const double MOST_SECONDS = 0.1;

static double used(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void rest(int milliseconds)
{
    struct timespec t = {.tv_nsec = milliseconds * 1000000L};

    nanosleep(&t, NULL);
}

/* The caller's parts are soon over: it waits for the others. */
static void doze(void *arg, int32_t thread, int64_t part)
{
    (void)arg, (void)part;
    rest(thread ? SLEEP_MS : 1);
}

static void nothing(void *arg, int32_t thread, int64_t part)
{
    (void)arg, (void)thread, (void)part;
}

static double cost_of(mb_do_part do_part, int rest_ms)
{
    mb_pool *p;
    double   began, cost;

    must(mb_pool_open(arena, THREADS, &p, NULL));
    began = used();
    for (int k = 0; k < WORKS; k++) {
        mb_pool_run(p, THREADS, THREADS, do_part, NULL);
        rest(rest_ms);
    }
    cost = used() - began;
    mb_pool_close(p);
    return cost;
}

TEST(threads_without_work_use_no_processor)
{
    assert_true(cost_of(nothing, SLEEP_MS) < MOST_SECONDS);
}

TEST(a_caller_that_waits_for_threads_uses_no_processor)
{
    assert_true(cost_of(doze, 0) < MOST_SECONDS);
}

RUN_TESTS(arena_up, arena_down)

/* clock.h - the clocks of the benchmarks. */
#ifndef MB_BENCH_CLOCK_H
#define MB_BENCH_CLOCK_H

#include <time.h>

static inline double bench_clock(clockid_t which)
{
    struct timespec t;

    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time of all threads, seconds: other work on the machine counts less than on a wall
 * clock. */
static inline double bench_now(void)
{
    return bench_clock(CLOCK_PROCESS_CPUTIME_ID);
}

/* Wall clock, seconds: for more than one thread. */
static inline double bench_wall(void)
{
    return bench_clock(CLOCK_MONOTONIC);
}

#endif

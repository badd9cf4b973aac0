/* clock.h - the clock of the benchmarks. */
#ifndef MB_BENCH_CLOCK_H
#define MB_BENCH_CLOCK_H

#include <time.h>

/* Processor time, seconds: other work on the machine counts less than on a wall clock. */
static inline double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif

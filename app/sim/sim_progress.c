/* sim_progress.c - how far a run is, on a terminal. */
#include "sim/sim_progress.h"

#include <stdio.h>

double sim_seconds_since(const struct timespec *began)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - began->tv_sec) + 1e-9 * (double)(now.tv_nsec - began->tv_nsec);
}

/* The time left if every round is used: an upper bound, runs may stop by --tol. */
void sim_progress_show(void *to, int64_t t, int64_t rounds)
{
    sim_progress *p = to;
    double        spent = sim_seconds_since(&p->began);

    if (!p->first)
        p->first = t;
    if (spent < 0.5)
        return;
    p->shown = 1;
    fprintf(stderr, "\r%-11s round %lld of at most %lld (%.0f %%), at most %.0f s left  ", p->name,
            (long long)t, (long long)rounds, 100.0 * (double)t / (double)rounds,
            spent / (double)(t - p->first + 1) * (double)(rounds - t));
    fflush(stderr);
}

void sim_progress_end(const sim_progress *p)
{
    if (p->shown)
        fprintf(stderr, "\r%78s\r", "");
}

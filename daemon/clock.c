/* clock.c - the clock of a node. */
#define _XOPEN_SOURCE 700
#include "node.h"

#include <time.h>

static int64_t clock_ms(clockid_t which)
{
    struct timespec t = {.tv_sec = 0};

    clock_gettime(which, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t node_clock_zero(void)
{
    return clock_ms(CLOCK_REALTIME) - clock_ms(CLOCK_MONOTONIC);
}

int64_t node_now(const node *n)
{
    return n->zero_ms + clock_ms(CLOCK_MONOTONIC);
}

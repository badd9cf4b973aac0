/* clock.c - the clock of the program. */
#define _XOPEN_SOURCE 700
#include "base/app.h"

#include <time.h>

double app_now(void)
{
    struct timespec t = {.tv_sec = 0};

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

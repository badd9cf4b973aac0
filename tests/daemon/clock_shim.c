/* clock_shim.c - LD_PRELOAD: the time of day of a process is off by as many seconds as the file that
 * CLOCK_OFF names says; the file is read at every call, so that the clock jumps while the process runs.
 * Clocks that do not tell the time of day are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static time_t off(void)
{
    const char *path = getenv("CLOCK_OFF");
    char        text[32];
    const int   fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t     n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);

    if (fd >= 0)
        close(fd);
    if (n < 0)
        n = 0;
    text[n] = 0;
    return (time_t)strtoll(text, NULL, 10);
}

int clock_gettime(clockid_t which, struct timespec *t)
{
    int (*next)(clockid_t, struct timespec *);
    int st;

    *(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
    st = next(which, t);
    if (!st && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
        t->tv_sec += off();
    return st;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;

    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &now))
        return -1;
    *t = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec now;

    if (clock_gettime(CLOCK_REALTIME, &now))
        return (time_t)-1;
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}

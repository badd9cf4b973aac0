/* log.c - the log of a node. */
#define _XOPEN_SOURCE 700
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum { MOST = 5 /* lines of a kind in a second */ };

static const char *const names[LOG_KINDS] = {"start",   "stop",  "verdict",    "neighbour",
                                             "refused", "rows",  "checkpoint", "config",
                                             "status",  "record"};

const char *log_value(const char *text, char *out, size_t cap)
{
    size_t n = 0;

    for (; *text && n + 1 < cap; text++)
        out[n++] = (unsigned char)*text < ' ' || *text == '"' ? '\'' : *text;
    out[n] = 0;
    return out;
}

int node_may_say(const node_log *log, log_kind kind)
{
    struct timespec now = {.tv_sec = 0};

    clock_gettime(CLOCK_REALTIME, &now);
    return log->of[kind].second != now.tv_sec || log->of[kind].lines < MOST;
}

void node_say(node_log *log, log_kind kind, const char *fmt, ...)
{
    struct timespec now = {.tv_sec = 0};
    struct tm       utc;
    char            date[32], line[1024];
    va_list         ap;

    clock_gettime(CLOCK_REALTIME, &now);
    if (log->of[kind].second != now.tv_sec)
        log->of[kind].lines = 0;
    log->of[kind].second = now.tv_sec;
    if (log->of[kind].lines++ >= MOST) {
        log->of[kind].dropped++;
        return;
    }
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (log->of[kind].dropped)
        fprintf(stderr, "time=%s.%03ldZ event=%s dropped=%lld\n", date, now.tv_nsec / 1000000,
                names[kind], (long long)log->of[kind].dropped);
    log->of[kind].dropped = 0;
    fprintf(stderr, "time=%s.%03ldZ event=%s %s\n", date, now.tv_nsec / 1000000, names[kind], line);
}

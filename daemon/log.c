/* log.c - the log of a node. */
#define _XOPEN_SOURCE 700
#include "log.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 5 /* lines of a kind in a second */, LINE = 1024 };

static const char *const names[LOG_KINDS] = {"start",   "stop",   "verdict",    "neighbour",
                                             "refused", "rows",   "checkpoint", "config",
                                             "status",  "record", "audit",      "mask"};

const char *node_level_text(log_level is)
{
    static const char *const text[LOG_LEVELS] = {"error", "warning", "info"};

    return text[is];
}

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

/* n bytes of a value as a JSON text; what is no UTF-8 becomes ?. */
static void put_text(const char *text, size_t n, FILE *to)
{
    fputc('"', to);
    for (size_t k = 0; k < n;) {
        const int bytes = mb_utf8(text + k);
        const int whole = bytes && k + (size_t)bytes <= n;

        if (text[k] == '\\')
            fputc('\\', to);
        fprintf(to, "%.*s", whole ? bytes : 1, whole ? text + k : "?");
        k += whole ? (size_t)bytes : 1;
    }
    fputc('"', to);
}

/* 1: n bytes that are a number of JSON as they are. */
static int is_number(const char *text, size_t n)
{
    const size_t sign = n > 1 && *text == '-';
    char        *end;

    if (n == sign || strspn(text + sign, "0123456789.e+-") < n - sign || text[sign] < '0' ||
        text[sign] > '9' || (text[sign] == '0' && n > sign + 1 && text[sign + 1] != '.'))
        return 0;
    (void)strtod(text, &end);
    return end == text + n && text[n - 1] != '.';
}

/* key=value pairs as members of a JSON object: quoted values are texts. */
static void put_members(const char *pairs, FILE *to)
{
    while (*pairs) {
        const char  *value = pairs + strcspn(pairs, "=");
        const size_t key = (size_t)(value - pairs);
        const int    quoted = *value && value[1] == '"';
        size_t       n;

        value += *value ? 1 + quoted : 0;
        n = strcspn(value, quoted ? "\"" : " ");
        fputs(", ", to);
        put_text(pairs, key, to);
        fputs(": ", to);
        if (!quoted && is_number(value, n))
            fprintf(to, "%.*s", (int)n, value);
        else
            put_text(value, n, to);
        pairs = value + n;
        pairs += strspn(pairs, "\" ");
    }
}

static void put_line(const node_log *log, const char *date, log_level level, log_kind kind,
                     const char *pairs)
{
    if (!log->json) {
        fprintf(stderr, "time=%s level=%s event=%s %s\n", date, node_level_text(level), names[kind],
                pairs);
        return;
    }
    fprintf(stderr, "{\"time\": \"%s\", \"level\": \"%s\", \"event\": \"%s\"", date,
            node_level_text(level), names[kind]);
    put_members(pairs, stderr);
    fputs("}\n", stderr);
}

static void say(node_log *log, log_level level, log_kind kind, const char *pairs)
{
    struct timespec now = {.tv_sec = 0};
    struct tm       utc;
    char            second[32], date[48], dropped[40];

    if (level > log->level)
        return;
    clock_gettime(CLOCK_REALTIME, &now);
    if (log->of[kind].second != now.tv_sec)
        log->of[kind].lines = 0;
    log->of[kind].second = now.tv_sec;
    if (log->of[kind].lines++ >= MOST) {
        log->of[kind].dropped++;
        return;
    }
    strftime(second, sizeof second, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    snprintf(date, sizeof date, "%s.%03ldZ", second, now.tv_nsec / 1000000);
    snprintf(dropped, sizeof dropped, "dropped=%lld", (long long)log->of[kind].dropped);
    if (log->of[kind].dropped)
        put_line(log, date, level, kind, dropped);
    log->of[kind].dropped = 0;
    put_line(log, date, level, kind, pairs);
}

void node_say(node_log *log, log_kind kind, const char *fmt, ...)
{
    char    line[LINE];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    say(log, LOG_INFO, kind, line);
}

void node_say_at(node_log *log, log_level level, log_kind kind, const char *fmt, ...)
{
    char    line[LINE];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    say(log, level, kind, line);
}

/* span.c - durations, rates and ranges as values of options. */
#include "base/span.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a number is multiplied by. */
typedef struct unit {
    const char *name;
    double      size;
} unit;

static const unit times[] = {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};
static const unit sizes[] = {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};
static const unit numbers[] = {{"", 1}};
enum {
    TIMES = sizeof times / sizeof *times,
    SIZES = sizeof sizes / sizeof *sizes,
    NUMBERS = 1,
    LONGEST = 40 /* characters of a number with its unit */
};

/* Reads n characters: digits, then one of the units, or without one `missing`. 0: they are none. */
static int quantity(const char *text, size_t n, const unit *list, int count, const unit *missing,
                    double *out)
{
    char   copy[LONGEST];
    size_t digits;
    char  *end;

    if (!n || n >= sizeof copy)
        return 0;
    memcpy(copy, text, n);
    copy[n] = 0;
    digits = strspn(copy, "0123456789.");
    if (!digits)
        return 0;
    for (int k = 0; k <= count; k++) {
        const unit *u = k < count ? &list[k] : missing;

        if (!u || strcmp(copy + digits, k < count ? u->name : "") != 0)
            continue;
        copy[digits] = 0;
        *out = strtod(copy, &end) * u->size;
        return !*end;
    }
    return 0;
}

/* The unit that a text ends in, or NULL. */
static const unit *unit_of(const char *text, const unit *list, int count)
{
    const size_t digits = strspn(text, "0123456789.");

    for (int k = 0; k < count && digits; k++)
        if (!strcmp(text + digits, list[k].name))
            return &list[k];
    return NULL;
}

int span_is_duration(const char *text)
{
    return unit_of(text, times, TIMES) != NULL;
}

/* One value, or two with ".." between them. 0: neither. */
static int range(const char *text, const unit *list, int count, span *out)
{
    const char *dots = strstr(text, "..");
    const unit *last = dots ? unit_of(dots + 2, list, count) : NULL;

    if (!dots) {
        const int read = quantity(text, strlen(text), list, count, NULL, &out->lo);

        out->hi = out->lo;
        return read;
    }
    return quantity(text, (size_t)(dots - text), list, count, last, &out->lo) &&
           quantity(dots + 2, strlen(dots + 2), list, count, NULL, &out->hi);
}

/* A time as text with the largest unit in which it is at least 1. */
static const char *in_words(double seconds, char text[32])
{
    int k = TIMES - 1;

    while (k > 0 && seconds < times[k].size * (1 - 1e-12))
        k--;
    snprintf(text, 32, seconds > 0 ? "%.6g%s" : "0", seconds / times[k].size, times[k].name);
    return text;
}

/* Ascending and within its limits. */
static int inside(const span *v, double lo, double hi)
{
    return v->lo >= lo && v->hi <= hi && v->lo <= v->hi;
}

static mb_status refuse(const char *option, const char *text, int pair, double lo, double hi,
                        mb_err *err)
{
    char from[32], to[32];

    MB_FAIL(err, MB_E_ARG,
            "--%s: got \"%s\"; expected %s of %s to %s with its unit (us, ms, s, min, h)%s", option,
            text, pair ? "a time, or two as in 1ms..50ms," : "a time", in_words(lo, from),
            in_words(hi, to), pair ? ", the first the smaller one" : "");
}

mb_status span_durations(const char *option, const char *text, double lo, double hi, span *seconds,
                         mb_err *err)
{
    if (!range(text, times, TIMES, seconds) || !inside(seconds, lo, hi))
        return refuse(option, text, 1, lo, hi, err);
    return MB_OK;
}

mb_status span_duration(const char *option, const char *text, double lo, double hi, double *seconds,
                        mb_err *err)
{
    span both;

    if (strstr(text, "..") || !range(text, times, TIMES, &both) || !inside(&both, lo, hi))
        return refuse(option, text, 0, lo, hi, err);
    *seconds = both.lo;
    return MB_OK;
}

mb_status span_numbers(const char *option, const char *text, double lo, double hi, span *out,
                       mb_err *err)
{
    if (!range(text, numbers, NUMBERS, out) || !inside(out, lo, hi))
        MB_FAIL(err, MB_E_ARG,
                "--%s: got \"%s\"; expected a number of %g to %g, or two as in 1..5, the first "
                "the smaller one",
                option, text, lo, hi);
    return MB_OK;
}

/* A number of bytes with its unit, from lo to 1000 GB. */
static int size(const char *text, double lo, double *bytes)
{
    span both;

    if (strstr(text, "..") || !range(text, sizes, SIZES, &both) || !inside(&both, lo, 1e12))
        return 0;
    *bytes = both.lo;
    return 1;
}

mb_status span_bytes(const char *option, const char *text, double lo, double *bytes, mb_err *err)
{
    if (!size(text, lo, bytes))
        MB_FAIL(err, MB_E_ARG,
                "--%s: got \"%s\"; expected bytes of %gB to 1000GB with their unit (B, kB, MB, GB)",
                option, text, lo);
    return MB_OK;
}

mb_status span_rate(const char *option, const char *text, double *bytes, mb_err *err)
{
    if (!size(text, 1, bytes))
        MB_FAIL(err, MB_E_ARG,
                "--%s: got \"%s\"; expected bytes a second of 1B to 1000GB with their unit (B, kB, "
                "MB, GB)",
                option, text);
    return MB_OK;
}

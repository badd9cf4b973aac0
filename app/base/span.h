/* span.h - durations, rates and ranges as values of options: 20ms, 1.5s, 10min, 1ms..50ms, 1..5. */
#ifndef MB_BASE_SPAN_H
#define MB_BASE_SPAN_H

#include "meshbayes/meshbayes.h"

/* From lo to hi; one value is both. */
typedef struct span {
    double lo, hi;
} span;

/* A value with its unit, in seconds, lo to hi: "20ms". MB_E_ARG names the option. */
mb_status span_duration(const char *option, const char *text, double lo, double hi, double *seconds,
                        mb_err *err) MB_CHECKED;
/* The same, or two with ".." between them; a first value without a unit has that of the second. */
mb_status span_durations(const char *option, const char *text, double lo, double hi, span *seconds,
                         mb_err *err) MB_CHECKED;
/* A number, or two with ".." between them, lo to hi. */
mb_status span_numbers(const char *option, const char *text, double lo, double hi, span *out,
                       mb_err *err) MB_CHECKED;
/* Bytes: "8MB", "500kB", at least lo. */
mb_status span_bytes(const char *option, const char *text, double lo, double *bytes,
                     mb_err *err) MB_CHECKED;
/* Bytes a second: "64kB", "1MB", "500B". */
mb_status span_rate(const char *option, const char *text, double *bytes, mb_err *err) MB_CHECKED;
/* 1 when a text ends in one of the units of time. */
int span_is_duration(const char *text);

#endif

/* time.h - a run in time, virtual or that of processes (meshbayes up), as the report shows it. */
#ifndef MB_REPORT_TIME_H
#define MB_REPORT_TIME_H

#include "report/parts.h"

/* A line of trace.csv; NaN: no node had a value. */
typedef struct report_instant {
    double time; /* seconds */
    double apart, apart_max, distance, distance_max, n_min, n_median, n_max;
} report_instant;

/* A line of events.csv. */
typedef struct report_event {
    double      time;
    const char *event, *a;
} report_event;

/* A line of life.csv: from then on the node is in this state. */
typedef struct report_change {
    double      time;
    const char *node, *state;
} report_change;

struct report_time {
    const mb_json  *about;     /* "virtual" or "processes" of the summary */
    int32_t         processes; /* 1: the latter                           */
    double          end;       /* seconds */
    int64_t         ninstant, nevent, nchange;
    report_instant *instant;
    report_event   *event;
    report_change  *change;
};

/* verdict.c: what the links did to frames, and what became known to nodes, as HTML. */
void report_time_faults(FILE *out, const report *r);
void report_time_revealed(FILE *out, const report *r);
/* "virtual time (s)", or "time (s)" of processes. */
const char *report_time_axis(const report *r);
/* fig_time.c: against it. */
mb_status report_fig_time(report *r, mb_err *err) MB_CHECKED;
mb_status report_fig_life(report *r, mb_err *err) MB_CHECKED;

#endif

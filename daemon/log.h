/* log.h - the log of a node: one line an event on standard error, key=value, at most a few of a
 * kind in a second. */
#ifndef MB_DAEMON_LOG_H
#define MB_DAEMON_LOG_H

#include "meshbayes/meshbayes.h"

typedef enum log_kind {
    LOG_START,
    LOG_STOP,
    LOG_VERDICT,
    LOG_NEIGHBOUR,
    LOG_REFUSED,
    LOG_ROWS,
    LOG_CHECKPOINT,
    LOG_CONFIG,
    LOG_STATUS,
    LOG_RECORD,
    LOG_KINDS
} log_kind;

typedef struct node_log {
    struct {
        int64_t second;  /* of the newest line    */
        int32_t lines;   /* in this second        */
        int64_t dropped; /* since the newest line */
    } of[LOG_KINDS];
} node_log;

/* "time=2026-11-23T00:00:00.000Z event=KIND what=.." and the pairs of the format, which are given
 * as "key=value"; values of strangers are quoted by log_value. */
void node_say(node_log *log, log_kind kind, const char *fmt, ...) MB_PRINTF(3, 4);
/* 1: a line of this kind would be written now. */
int node_may_say(const node_log *log, log_kind kind);
/* A text as a quoted value: control characters and quotes are replaced. At most cap bytes. */
const char *log_value(const char *text, char *out, size_t cap);

#endif

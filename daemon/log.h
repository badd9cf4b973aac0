/* log.h - the log of a node: one line an event on standard error, key=value or JSON, at most a few
 * of a kind in a second. */
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
    LOG_AUDIT,
    LOG_MASK,
    LOG_KINDS
} log_kind;

/* How urgent a line is. Names: node_level_text. */
typedef enum log_level {
    LOG_ERROR,   /* the node ends, or cannot do what is asked       */
    LOG_WARNING, /* something does not work: a link, a file, rows         */
    LOG_INFO,    /* what happens                                          */
    LOG_LEVELS
} log_level;
/* "error", "warning", "info". Static. */
const char *node_level_text(log_level is);

/* All 0: errors alone, as key=value. */
typedef struct node_log {
    log_level level; /* lines above it are not written       */
    int32_t   json;  /* 1: a line is a JSON object           */
    struct {
        int64_t second;  /* of the newest line    */
        int32_t lines;   /* in this second        */
        int64_t dropped; /* since the newest line */
    } of[LOG_KINDS];
} node_log;

/* "time=2026-11-23T00:00:00.000Z level=info event=KIND what=.." and the pairs of the format, which
 * are given as "key=value"; values of strangers are quoted by log_value. */
void node_say(node_log *log, log_kind kind, const char *fmt, ...) MB_PRINTF(3, 4);
/* The same at another level than LOG_INFO. */
void node_say_at(node_log *log, log_level level, log_kind kind, const char *fmt, ...)
    MB_PRINTF(4, 5);
/* 1: a line of this kind would be written now. */
int node_may_say(const node_log *log, log_kind kind);
/* A text as a quoted value: control characters and quotes are replaced. At most cap bytes. */
const char *log_value(const char *text, char *out, size_t cap);

#endif

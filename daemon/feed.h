/* feed.h - where the rows of a node come from: a file, a file that grows, standard input, and texts
 * that were posted. */
#ifndef MB_DAEMON_FEED_H
#define MB_DAEMON_FEED_H

#include "base/csv_rows.h"
#include "base/tail.h"
#include "config.h"
#include "log.h"
#include "posted.h"

typedef struct feed {
    const node_config *c;
    /* Called after rows have entered the node. */
    void (*took)(void *self, int64_t now, const mb_rows *rows);
    void          *self; /* its first argument */
    mb_peer       *peer;
    node_log      *log;
    mb_arena      *a;
    tail           tail;     /* of a file that grows, or standard input                 */
    int64_t        now;      /* of the call, node's clock                               */
    int64_t        rows;     /* of the data that have been taken                        */
    uint64_t       data;     /* hash of a file that does not grow                       */
    const mb_data *all;      /* it                                                      */
    posted        *posted;   /* log of rows that are posted; NULL: none */
    int64_t        refused;  /* lines that are no rows, in this life          */
    char           why[200]; /* the newest of them: "line 7: .."; "": none    */
    int64_t        lines;    /* of a file that grows, when it was opened, without names */
} feed;

/* The columns that rows come with, and what makes those of the plan of them. */
csv_want feed_columns(const node_config *c);
/* Before the node is made: reads the file, or its header. The columns of the plan are set from it
 * where the configuration names none. */
mb_status feed_open(mb_arena *a, node_config *c, node_log *log, feed *f, mb_err *err) MB_CHECKED;
/* The rows that are there, from f->rows and f->tail.at on. */
mb_status feed_begin(feed *f, mb_peer *peer, int64_t now, mb_err *err) MB_CHECKED;
/* What has been added since. Bad lines are logged and left out. */
mb_status feed_more(feed *f, int64_t now, mb_err *err) MB_CHECKED;
/* Posted rows of CSV text with a line of names: all or none. *rows: how many. key: as feed_post. */
mb_status feed_text(feed *f, int64_t now, uint64_t key, const char *text, size_t n, int64_t *rows,
                    mb_err *err) MB_CHECKED;
/* Posted rows of the plan's columns, first into the log, if there is one. key: of the request, 0:
 * none. MB_E_IO: they cannot be written. */
mb_status feed_post(feed *f, int64_t now, uint64_t key, const mb_rows *rows,
                    mb_err *err) MB_CHECKED;
/* Rows of the plan's columns. */
mb_status feed_rows(feed *f, int64_t now, const mb_rows *rows, mb_err *err) MB_CHECKED;
void      feed_close(feed *f);

#endif

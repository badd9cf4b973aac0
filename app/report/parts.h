/* parts.h - what the files of the report share: the run as read, figures, sections. */
#ifndef MB_REPORT_PARTS_H
#define MB_REPORT_PARTS_H

#include "data/json.h"
#include "data/table.h"
#include "report/numbers.h"
#include "report/page.h"
#include "report/report.h"

#include <stddef.h>

typedef enum report_metric {
    REPORT_KL_CVB,
    REPORT_KL_TRUTH,
    REPORT_BOUND,
    REPORT_DISAGREEMENT,
    REPORT_BYTES,
    REPORT_METRICS
} report_metric;

/* One metric of one algorithm: x the round, y the mean over the nodes (of bytes the sum), top the
 * maximum. NaN: no node has a value. The bound is that at the network mean. */
typedef struct report_series {
    int64_t     n;
    page_point *point; /* n, x ascending */
    page_point *band;  /* of many runs (bands.csv): y and top the quartiles, and point the median;
                          NULL: of one run */
} report_series;

typedef struct report_spread {
    double mean, sd, max; /* NaN: not measured */
} report_spread;

/* Numbers that were not measured are NaN, counts -1. */
typedef struct report_algo {
    const char   *name, *stopped, *error; /* borrowed from report.summary */
    const char   *verdict, *limit;        /* likewise; NULL: unknown      */
    const char   *label, *colour;
    int           failed, central; /* central: all rows in one place */
    int64_t       rounds, attempt, attempts, outside, frozen, projected, frames, bytes, start_bytes;
    double        disagreement, moved, bound, accuracy, nmi, ari, seconds;
    report_spread kl_cvb, kl_truth;
    const mb_json *counts; /* what its nodes counted; of other algorithms no object */
    double        *apart;  /* nnode: disagreement of each node, NaN unknown; NULL: no file */
    int64_t       *off;    /* nnode: 1 outside the domain                                  */
    int64_t        nview;  /* nodes whose components can be plotted                        */
    report_series  series[REPORT_METRICS];
} report_algo;

typedef struct report_node {
    const char *id;
    double      at[2];
} report_node;

typedef struct report_link {
    const report_node *end[2];
} report_link;

/* One row of the data on the columns shown. */
typedef struct report_row {
    double      x[2];
    int64_t     component; /* from 0              */
    const char *label;     /* true class; "" unknown */
} report_row;

/* One component of one posterior on the columns shown. */
typedef struct report_shape {
    report_algo *algo;
    const char  *node;
    const char  *of;    /* "mean" or "node"; "": an older file, in which a node "mean" is taken for
                           the network mean */
    int64_t      place; /* of the node among those of the algorithm; -1: the network mean */
    int64_t      component;
    double       weight, mean[2], cov[3] /* xx xy yy */;
} report_shape;

typedef struct report_answer report_answer; /* answer.h */
struct report_time;                         /* time.h */

typedef struct report {
    page_figures        page;             /* its arena is the report's */
    const mb_json      *summary, *config; /* config may be NULL */
    const char         *title;
    int32_t             nalgo;
    report_algo        *algo, *central; /* central: NULL if it did not run */
    int64_t             nnode, nlink, nrow, nshape;
    report_node        *node;
    const report_node **by_id; /* nnode, in byte order of their ids */
    report_link        *link;
    report_row         *row;
    report_shape       *shape;
    double              best;     /* highest lower bound seen, nats; NaN: none                 */
    double              rounding; /* differences of bounds and divergences below it are rounding */
    int64_t             runs;     /* with other seeds, whose quartiles are drawn; 1: this one */
    int                 mean_traced; /* the trace has the bound at the network mean */
    int                 traced;      /* trace.csv was read */
    int32_t             ncol;        /* columns shown: 0, 1, 2 */
    const char         *col[2];
    int                 alone;             /* 1: of `fit`, on one machine without a network */
    report_answer      *answer;            /* NULL: no file of it                           */
    const void         *reach;             /* nreach lines of reach.csv, as runs.c has them */
    int64_t             nreach;            /* 0: of one run                                  */
    struct report_time *time;              /* NULL: not a run in virtual time               */
    double              carried, row_hops; /* rows at all nodes; rows times hops to the hub, NaN */
    const char         *hub; /* the node to which the rows have the fewest hops       */
} report;

/* load.c: fills a report of which the folder and the arena are set. */
mb_status report_load(report *r, mb_err *err) MB_CHECKED;

/* records.c: a table of the folder as an array of structs. */
typedef enum report_kind {
    REPORT_TEXT,     /* const char *                                  */
    REPORT_NUMBER,   /* double, finite                                */
    REPORT_MEASURED, /* double, NaN where the cell is empty           */
    REPORT_LATER,    /* the same; NaN without the column, which older versions did not write */
    REPORT_COUNT,    /* int64_t, 0 .. most                            */
    REPORT_WORD,     /* const char *; "" without the column: likewise  */
    REPORT_ALGO      /* report_algo *; without the column the only one */
} report_kind;

typedef struct report_column {
    const char *name;
    report_kind kind;
    size_t      at; /* offset in the struct */
    int64_t     most;
} report_column;

enum { REPORT_COLUMNS = 10 /* of one table, at most */ };
typedef struct report_records {
    mb_csv csv;    /* for messages                                        */
    void  *record; /* csv.rows; NULL: the run wrote no table of this name */
} report_records;

mb_status report_read(report *r, const char *name, const report_column *column, int32_t columns,
                      size_t size, report_records *out, mb_err *err) MB_CHECKED;
/* Path of a file of the folder; NULL if it does not exist or belongs to another run. */
mb_status report_find_file(report *r, const char *name, const char **path, mb_err *err) MB_CHECKED;

/* runs.c: the quartiles of many runs replace the curves of the first. */
mb_status report_bands(report *r, mb_err *err) MB_CHECKED;
/* runs.c: of many runs, what it takes to come close; nothing of one run. */
mb_status report_load_reach(report *r, mb_err *err) MB_CHECKED;
void      report_reach(FILE *out, const report *r);
/* The series of a metric; NULL: it is not drawn. */
report_series *report_series_of(report_algo *a, const char *metric);

/* fig_*.c: each adds its figures. */
mb_status report_fig_network(report *r, mb_err *err) MB_CHECKED;
mb_status report_fig_curves(report *r, mb_err *err) MB_CHECKED;
mb_status report_fig_contours(report *r, mb_err *err) MB_CHECKED;
/* verdict.c, tables.c, words.c: sections of the page. */
void report_setting(FILE *out, const report *r);
void report_verdict(FILE *out, const report *r);
/* private.c: "privacy" of summary.json; NULL: no noise was asked for. */
const mb_json *report_promise(const report *r);
void           report_private_section(FILE *out, const report *r);
void           report_private_revealed(FILE *out, const report *r);
/* The last part of a path. */
const char *report_base(const char *path);
/* 1 unless the model is known to have no components. */
int  report_latent(const report *r);
void report_tables(FILE *out, const report *r);
void report_settings(FILE *out, const report *r);
void report_network_table(FILE *out, const report *r);
void report_glossary(FILE *out, const report *r);

#endif

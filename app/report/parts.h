/* parts.h - what the files of the report share: the run as read, figures, text helpers. */
#ifndef MB_REPORT_PARTS_H
#define MB_REPORT_PARTS_H

#include "base/json_file.h"
#include "page/numbers.h"
#include "page/page.h"
#include "report/report.h"

typedef enum report_metric {
    REPORT_KL_CVB,
    REPORT_KL_TRUTH,
    REPORT_BOUND,
    REPORT_DISAGREEMENT,
    REPORT_BYTES,
    REPORT_METRICS
} report_metric;

/* One metric of one algorithm over the rounds. NaN: no node has it. */
typedef struct report_series {
    int64_t n;
    double *t, *mean, *max; /* n, t ascending */
} report_series;

typedef struct report_spread {
    double mean, sd, max; /* NaN: not measured */
} report_spread;

/* Numbers that were not measured are NaN, counts -1. */
typedef struct report_algo {
    const char   *name, *title, *stopped, *status, *error; /* borrowed from report.summary */
    const char   *verdict, *limit;                         /* too; NULL: not said          */
    const char   *label, *colour;
    int           failed, central; /* central: all rows in one place */
    int64_t       rounds, attempt, attempts, outside, frozen, projected, frames, bytes, start_bytes;
    double        disagreement, moved, bound, accuracy, nmi, ari, seconds;
    report_spread kl_cvb, kl_truth;
    double       *apart; /* nnode: disagreement of each node, NaN unknown; NULL: no file */
    uint8_t      *off;   /* nnode: 1 outside the domain                                  */
    report_series series[REPORT_METRICS];
} report_algo;

/* One component of one posterior on the two columns shown. */
typedef struct report_shape {
    const report_algo *algo;
    const char        *node; /* "mean": the network mean */
    int32_t            component;
    double             weight, mx, my, sxx, sxy, syy;
} report_shape;

typedef struct report {
    page_figures   page;             /* its arena is the report's */
    const mb_json *summary, *config; /* config may be NULL */
    const char   **note;             /* nnotes: warnings of the run, then ours */
    int32_t        nnotes, note_cap;
    int32_t        nalgo;
    report_algo   *algo;
    int64_t        nnode, nedge;
    const char   **node_id; /* nnode     */
    double        *xy;      /* nnode x 2 */
    int32_t       *edge;    /* nedge x 2 */
    int32_t       *by_id;   /* nnode: nodes in byte order of their ids */
    int            traced;  /* trace.csv was read */
    int32_t        ncol;    /* columns shown: 0, 1, 2 */
    const char    *col[2];
    int64_t        nrow, nshape;
    double        *row;       /* nrow x 2 */
    int32_t       *component; /* nrow     */
    const char   **label;     /* nrow; "" unknown */
    report_shape  *shape;
} report;

/* load.c */
mb_status report_load(report *r, mb_err *err) MB_CHECKED;
/* files.c; text NULL: memory was short */
mb_status   report_note(report *r, const char *text, mb_err *err) MB_CHECKED;
const char *report_path(report *r, const char *name, mb_err *err);
int         report_find_algo(const report *r, const char *name); /* -1: none */
/* MB_E_IO when it can not be told. */
mb_status report_exists(const char *path, int *there, mb_err *err) MB_CHECKED;
/* Reads a CSV file of the folder; *there is 0 when it does not exist. col[k] = column names[k]. */
mb_status report_table(report *r, const char *name, const char *const *names, int32_t count,
                       mb_csv *csv, int32_t *col, int *there, mb_err *err) MB_CHECKED;
/* A number, NaN where the cell is empty. */
mb_status report_cell(const mb_csv *c, int64_t row, int32_t col, double *out,
                      mb_err *err) MB_CHECKED;

/* network.c */
mb_status report_load_network(report *r, mb_err *err) MB_CHECKED;
mb_status report_load_nodes(report *r, mb_err *err) MB_CHECKED;
/* trace.c */
mb_status report_load_trace(report *r, mb_err *err) MB_CHECKED;
/* view.c */
mb_status report_load_view(report *r, mb_err *err) MB_CHECKED;
/* fig_*.c: each adds its figures. */
mb_status report_fig_network(report *r, mb_err *err) MB_CHECKED;
mb_status report_fig_curves(report *r, mb_err *err) MB_CHECKED;
mb_status report_fig_contours(report *r, mb_err *err) MB_CHECKED;

mb_status report_page(report *r, mb_err *err) MB_CHECKED; /* page.c: writes report.html */
/* verdict.c, tables.c, words.c: sections of the page. */
void report_verdict(FILE *out, const report *r);
void report_tables(FILE *out, const report *r);
void report_settings(FILE *out, const report *r);
void report_network_table(FILE *out, const report *r);
void report_glossary(FILE *out);

#endif

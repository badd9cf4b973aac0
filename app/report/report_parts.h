/* report_parts.h - what the files of the report share: the run as read, figures, text helpers. */
#ifndef MB_REPORT_PARTS_H
#define MB_REPORT_PARTS_H

#include "base/json_file.h"
#include "page/report_math.h"
#include "report/report.h"

#include <stdio.h>

enum { REPORT_PANELS = 24, REPORT_FIGURES = 8, REPORT_WIDTH = 400 };

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

/* One picture: name is the file name and the prefix of its ids; body what is inside <svg>. */
typedef struct report_panel {
    const char *name, *title;
    int         height;
    const char *body; /* NULL until drawn */
} report_panel;

typedef struct report_figure {
    const char  *id, *heading;
    const char  *caption; /* plain text                                  */
    const char  *absent;  /* not NULL: why there is no figure, HTML      */
    int          wide;    /* 1: two panels a row                          */
    int          npanel;
    report_panel panel[REPORT_PANELS];
} report_figure;

typedef struct report {
    mb_arena      *a;
    const char    *dir;
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
    char          *temp;       /* folder of the scripts */
    FILE          *script;     /* the gnuplot script being written */
    const char    *no_figures; /* not NULL: why gnuplot drew nothing */
    int            png;        /* 1: every panel as PNG too           */
    report_panel  *last;       /* the panel being written             */
    int            nfigure;
    report_figure  figure[REPORT_FIGURES];
} report;

/* report_load.c */
mb_status   report_load(report *r, mb_err *err) MB_CHECKED;
const char *report_path(report *r, const char *name, mb_err *err);
/* Text in the report's arena; NULL with err set when memory is short. */
const char *report_say(report *r, mb_err *err, const char *fmt, ...) MB_PRINTF(3, 4);
mb_status   report_note(report *r, mb_err *err, const char *fmt, ...) MB_PRINTF(3, 4);
int         report_find_algo(const report *r, const char *name); /* -1: none */

/* report_csv.c */
mb_status report_load_network(report *r, mb_err *err) MB_CHECKED;
mb_status report_load_nodes(report *r, mb_err *err) MB_CHECKED;
/* report_trace.c */
mb_status report_load_trace(report *r, mb_err *err) MB_CHECKED;
/* report_view.c */
mb_status report_load_view(report *r, mb_err *err) MB_CHECKED;
/* MB_E_IO when it can not be told. */
mb_status report_exists(const char *path, int *there, mb_err *err) MB_CHECKED;
/* Reads a CSV file of the folder; *there is 0 when it does not exist. col[k] = column names[k]. */
mb_status report_table(report *r, const char *name, const char *const *names, int32_t count,
                       mb_csv *csv, int32_t *col, int *there, mb_err *err) MB_CHECKED;
/* A number, NaN where the cell is empty. */
mb_status report_cell(const mb_csv *c, int64_t row, int32_t col, double *out,
                      mb_err *err) MB_CHECKED;

/* report_plot.c */
mb_status report_plot_open(report *r, mb_err *err) MB_CHECKED;
/* Starts a panel: terminal, output and the common look. Data blocks and a plot command follow in
 * r->script. */
mb_status report_plot_panel(report *r, report_figure *f, const char *name, const char *title,
                            int height, mb_err *err) MB_CHECKED;
mb_status report_plot_run(report *r, mb_err *err) MB_CHECKED; /* draws all panels */
void      report_plot_close(report *r);                       /* removes the scripts */
/* Text as a gnuplot string: nothing in it is special. */
void report_plot_quote(FILE *out, const char *text);
/* report_svg.c: what is inside <svg>, ids made unique by the panel's name. */
mb_status report_svg_body(report *r, report_panel *p, const char *svg, mb_err *err) MB_CHECKED;
void      report_svg_write(FILE *out, const report_panel *p, int alone);

/* report_fig_*.c: each adds its figures. */
mb_status      report_fig_network(report *r, mb_err *err) MB_CHECKED;
mb_status      report_fig_curves(report *r, mb_err *err) MB_CHECKED;
mb_status      report_fig_contours(report *r, mb_err *err) MB_CHECKED;
report_figure *report_figure_new(report *r, const char *id, const char *heading);
/* report_page.c: the panels of a figure with its caption, as HTML. */
void report_panels(FILE *out, const report_figure *f);

/* report_style.c */
const char *report_component_colour(int32_t component);
const char *report_css(void);
void        report_style_algo(report_algo *a);

/* report_html.c */
void report_esc(FILE *out, const char *text);     /* text with &<>" escaped       */
void report_num(FILE *out, double x, int digits); /* 2.1 x 10^-9; a dash for NaN  */
/* 2.1 x 10^-9 as plain text with raised digits, for titles. */
void      report_power(char *buf, size_t cap, double x);
void      report_fixed(FILE *out, double x, int decimals); /* -1234.5678; a dash for NaN   */
void      report_count(FILE *out, int64_t n);              /* a dash for -1                */
void      report_bytes(FILE *out, int64_t n);              /* 12.3 MB                      */
mb_status report_page(report *r, mb_err *err) MB_CHECKED;  /* writes report.html        */
/* Closes a memory stream (NULL: it could not be opened), writes its text as a file, frees it. */
mb_status report_save(report *r, const char *path, FILE *out, char **text, const size_t *len,
                      mb_err *err) MB_CHECKED;
/* report_verdict.c, report_tables.c, report_words.c: sections of the page. */
void report_verdict(FILE *out, const report *r);
void report_tables(FILE *out, const report *r);
void report_settings(FILE *out, const report *r);
void report_network_table(FILE *out, const report *r);
void report_glossary(FILE *out);

#endif

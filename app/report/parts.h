/* parts.h - what the files of the report share: the run as read, figures, text helpers. */
#ifndef MB_REPORT_PARTS_H
#define MB_REPORT_PARTS_H

#include "base/json_file.h"
#include "page/numbers.h"
#include "report/report.h"

#include <stdio.h>

enum { PAGE_PANELS = 24, PAGE_FIGURES = 8, PAGE_WIDTH = 400 };

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
typedef struct page_panel {
    const char *name, *title;
    int         height;
    const char *body; /* NULL until drawn */
} page_panel;

typedef struct page_figure {
    const char *id, *heading;
    const char *caption; /* plain text                                  */
    const char *absent;  /* not NULL: why there is no figure, HTML      */
    int         wide;    /* 1: two panels a row                          */
    int         npanel;
    page_panel  panel[PAGE_PANELS];
} page_figure;

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
    page_panel    *last;       /* the panel being written             */
    int            nfigure;
    page_figure    figure[PAGE_FIGURES];
} report;

/* load.c */
mb_status   report_load(report *r, mb_err *err) MB_CHECKED;
const char *report_path(report *r, const char *name, mb_err *err);
/* Text in the report's arena; NULL with err set when memory is short. */
const char *report_say(report *r, mb_err *err, const char *fmt, ...) MB_PRINTF(3, 4);
mb_status   report_note(report *r, mb_err *err, const char *fmt, ...) MB_PRINTF(3, 4);
int         report_find_algo(const report *r, const char *name); /* -1: none */

/* csv.c */
mb_status report_load_network(report *r, mb_err *err) MB_CHECKED;
mb_status report_load_nodes(report *r, mb_err *err) MB_CHECKED;
/* trace.c */
mb_status report_load_trace(report *r, mb_err *err) MB_CHECKED;
/* view.c */
mb_status report_load_view(report *r, mb_err *err) MB_CHECKED;
/* MB_E_IO when it can not be told. */
mb_status report_exists(const char *path, int *there, mb_err *err) MB_CHECKED;
/* Reads a CSV file of the folder; *there is 0 when it does not exist. col[k] = column names[k]. */
mb_status report_table(report *r, const char *name, const char *const *names, int32_t count,
                       mb_csv *csv, int32_t *col, int *there, mb_err *err) MB_CHECKED;
/* A number, NaN where the cell is empty. */
mb_status report_cell(const mb_csv *c, int64_t row, int32_t col, double *out,
                      mb_err *err) MB_CHECKED;

/* plot.c */
mb_status page_plot_open(report *r, mb_err *err) MB_CHECKED;
/* Starts a panel: terminal, output and the common look. Data blocks and a plot command follow in
 * r->script. */
mb_status page_plot_panel(report *r, page_figure *f, const char *name, const char *title,
                          int height, mb_err *err) MB_CHECKED;
mb_status page_plot_run(report *r, mb_err *err) MB_CHECKED; /* draws all panels */
void      page_plot_close(report *r);                       /* removes the scripts */
/* Text as a gnuplot string: nothing in it is special. */
void page_plot_quote(FILE *out, const char *text);
/* svg.c: what is inside <svg>, ids made unique by the panel's name. */
mb_status page_svg_body(report *r, page_panel *p, const char *svg, mb_err *err) MB_CHECKED;
void      page_svg_write(FILE *out, const page_panel *p, int alone);

/* fig_*.c: each adds its figures. */
mb_status    report_fig_network(report *r, mb_err *err) MB_CHECKED;
mb_status    report_fig_curves(report *r, mb_err *err) MB_CHECKED;
mb_status    report_fig_contours(report *r, mb_err *err) MB_CHECKED;
page_figure *page_figure_new(report *r, const char *id, const char *heading);
/* page.c: the panels of a figure with its caption, as HTML. */
void page_panels(FILE *out, const page_figure *f);

/* style.c */
const char *page_component_colour(int32_t component);
const char *page_css(void);
void        report_style_algo(report_algo *a);

/* html.c */
void page_esc(FILE *out, const char *text);     /* text with &<>" escaped       */
void page_num(FILE *out, double x, int digits); /* 2.1 x 10^-9; a dash for NaN  */
/* 2.1 x 10^-9 as plain text with raised digits, for titles. */
void      page_power(char *buf, size_t cap, double x);
void      page_fixed(FILE *out, double x, int decimals);  /* -1234.5678; a dash for NaN   */
void      page_count(FILE *out, int64_t n);               /* a dash for -1                */
void      page_bytes(FILE *out, int64_t n);               /* 12.3 MB                      */
mb_status report_page(report *r, mb_err *err) MB_CHECKED; /* writes report.html        */
/* Closes a memory stream (NULL: it could not be opened), writes its text as a file, frees it. */
mb_status page_save(report *r, const char *path, FILE *out, char **text, const size_t *len,
                    mb_err *err) MB_CHECKED;
/* verdict.c, tables.c, words.c: sections of the page. */
void report_verdict(FILE *out, const report *r);
void report_tables(FILE *out, const report *r);
void report_settings(FILE *out, const report *r);
void report_network_table(FILE *out, const report *r);
void report_glossary(FILE *out);

#endif

/* page.h - a page of HTML with figures made by gnuplot; independent of what it shows. */
#ifndef MB_REPORT_PAGE_H
#define MB_REPORT_PAGE_H

#include "meshbayes/meshbayes.h"

#include <dirent.h>
#include <stdio.h>

enum { PAGE_PANELS = 24, PAGE_FIGURES = 16, PAGE_WIDTH = 400 };

/* One picture: name is the file name and the prefix of its ids; body: the contents of <svg>. */
typedef struct page_panel {
    const char *name, *title;
    int         height;
    const char *body; /* NULL until plotted */
} page_panel;

typedef struct page_figure {
    const char *id, *heading;
    const char *caption; /* plain text                                  */
    const char *absent;  /* not NULL: why there is no figure, HTML      */
    int         wide;    /* 1: two panels a row                          */
    int         within;  /* 1: part of another section                   */
    int         npanel;
    page_panel  panel[PAGE_PANELS];
} page_figure;

/* The figures of one page. Set a, dir and png before page_plot_open. */
typedef struct page_figures {
    mb_arena   *a;
    const char *dir;        /* figures go to dir/figures                   */
    int         png;        /* 1: every panel as PNG too                   */
    char       *temp;       /* folder of the scripts                       */
    DIR        *files;      /* the same, open, so that removing it needs no memory */
    FILE       *script;     /* the gnuplot script being written            */
    const char *no_figures; /* not NULL: why gnuplot failed                */
    page_panel *last;       /* the panel being written                     */
    int         nfigure;
    page_figure figure[PAGE_FIGURES];
} page_figures;

/* plot.c */
mb_status page_plot_open(page_figures *r, mb_err *err) MB_CHECKED;
/* Starts a panel: terminal, output and the common look. Data blocks and a plot command follow in
 * r->script. */
mb_status page_plot_panel(page_figures *r, page_figure *f, const char *name, const char *title,
                          int height, mb_err *err) MB_CHECKED;
/* Labels of the axes, shortened to what a panel has room for. */
void page_plot_labels(FILE *out, const char *x, const char *y);
/* Ticks of the horizontal axis whose texts stand clear of each other in `room` characters. */
void page_plot_ticks(FILE *out, double lo, double hi, int room);
/* Ranges of both axes, such ticks, and a left margin with room for the texts of the vertical axis.
 * y NULL: from 0 to what the data need. */
void page_plot_frame(FILE *out, const double x[2], const double y[2]);
/* The key under a panel: add every name, then ask for its lines, in as many columns as fit beside
 * each other. A panel whose key has more lines is to be higher by PAGE_KEY_LINE for each. */
typedef struct page_key {
    int names, widest; /* characters */
} page_key;
enum { PAGE_KEY_LINE = 18 };
void      page_key_add(page_key *key, const char *name);
int       page_key_lines(const page_key *key);
void      page_plot_key(FILE *out, int lines); /* its settings, and the margin below */
mb_status page_plot_run(page_figures *r, mb_err *err) MB_CHECKED; /* plots all panels */
void      page_plot_close(page_figures *r);                       /* removes the scripts */
/* Text as a gnuplot string in which no character is special. */
void page_plot_quote(FILE *out, const char *text);
/* The same of at most `most` characters, 1 to 60: a longer one ends in an ellipsis. */
void page_plot_short(FILE *out, const char *text, int most);

/* page.c */
page_figure *page_figure_new(page_figures *r, const char *id, const char *heading);
/* From the document type to the heading, inside <main> and <header>. */
void page_top(FILE *out, const char *title, const char *heading);
/* A picture, its ids made unique by the panel's name; alone: as a file. */
void page_svg_write(FILE *out, const page_panel *p, int alone);
/* The panels of a figure with its caption, as HTML. */
void page_panels(FILE *out, const page_figure *f);
/* Writes a file, whole or not at all. */
mb_status page_write(mb_arena *a, const char *path, void (*write)(FILE *out, const void *what),
                     const void *what, mb_err *err) MB_CHECKED;

/* Labels and colours. */
/* Label and colour of an algorithm in figures; the label may be the name itself. */
void        page_look(const char *name, const char **label, const char **colour);
const char *page_component_colour(int64_t component);
void        page_style(FILE *out); /* the style sheet with its tags */

/* Texts and numbers. */
void page_esc(FILE *out, const char *text); /* text with &<>" escaped */
/* The same between two pieces of HTML. */
void page_wrap(FILE *out, const char *before, const char *text, const char *after);
/* A number as HTML, used as in fputs(page_num(x, 3).s, out). */
typedef struct page_text {
    char s[128];
} page_text;
page_text page_num(double x, int digits);     /* 2.1 x 10^-9; a dash for NaN  */
page_text page_figures_of(double x, int n);   /* the same with n figures: 1.20 */
page_text page_fixed(double x, int decimals); /* -1234.5678; a dash for NaN   */
page_text page_count(int64_t n);              /* a dash for -1                */
page_text page_bytes(int64_t n);              /* 12.3 MB                      */
page_text page_power(double x);               /* 2.1 x 10^-9 as plain text with raised digits */

#endif

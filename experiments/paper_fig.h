/* paper_fig.h - the figures of the experiments: lines with bands, bars with spreads. */
#ifndef MB_PAPER_FIG_H
#define MB_PAPER_FIG_H

#include "paper.h"
#include "report/numbers.h"
#include "report/page.h"

struct paper_figures {
    page_figures *r; /* of this experiment: its folder */
    page_figure  *f;
};

/* A line over x: the median over the runs with a band between the quartiles. */
typedef struct paper_line {
    const char *algorithm, *part, *label, *colour;
    int         dash; /* 0 solid */
} paper_line;
typedef struct paper_axes {
    const char *x, *y;    /* labels                                            */
    const char *quantity; /* what the lines show                               */
    const char *xof;      /* quantity that is the abscissa; NULL: the number's x */
    double      floor;    /* values below are plotted there                    */
    int         height;
    const char *more; /* gnuplot commands, or NULL */
} paper_axes;

/* One panel for a protocol, both axes logarithmic; name is the file's, made unique by the
 * experiment's. Lines without numbers are left out; with none at all there is no panel. */
mb_status paper_panel_lines(paper_figures *f, const paper_table *t, paper_protocol p,
                            const char *name, const char *title, const paper_axes *axes,
                            const paper_line *line, int count, mb_err *err) MB_CHECKED;
/* Starts a panel of one's own: f->r->script takes the gnuplot commands. */
mb_status paper_panel(paper_figures *f, const paper_table *t, const char *name, const char *title,
                      int height, mb_err *err) MB_CHECKED;
/* A figure with a heading and a caption to which seed and runs are added. */
mb_status paper_figure(paper_figures *f, const paper_table *t, const char *id, const char *heading,
                       const char *caption, mb_err *err) MB_CHECKED;
/* The same for a protocol, which is part of the file's name and of the title. */
mb_status paper_panel_of(paper_figures *f, const paper_table *t, paper_protocol p, const char *name,
                         const char *title, int height, mb_err *err) MB_CHECKED;
/* Algorithms in the order of figures. */
enum { CVB, NONCOOP, NSG, DSVB, ADMM, EDGE, FLOW, PAPER_NAMES };
extern const char *const paper_names[PAPER_NAMES];
/* A line with the label and colour of an algorithm; part "". */
paper_line paper_line_of(const char *algorithm);

#endif

/* paper_estimates.h - the runs that Fig. values and Fig. contour show, and their numbers. */
#ifndef MB_PAPER_ESTIMATES_H
#define MB_PAPER_ESTIMATES_H

#include "paper_common.h"

enum { PAPER_K = 3, PAPER_ENTRIES = 6, PAPER_GRID = 41, PAPER_SHOWN = 5 };

/* Weight, mean (2), covariance (11, 12, 22) of each component of section V-A. */
extern const double      paper_true[PAPER_K][PAPER_ENTRIES];
extern const char *const paper_entry[PAPER_ENTRIES];
extern const char *const paper_shown[PAPER_SHOWN]; /* algorithms */
#define PAPER_ESTIMATES_PLAN                                                                       \
    {                                                                                              \
        (const char *const[]){"nsg", "dsvb", NULL}, (const char *const[]){"edge", "flow", NULL},   \
            3000, 800                                                                              \
    }

/* Numbers of a unit: distances from the truth over all nodes; in the first run also the entries of
 * every node, "@mean1 2" at x = node, components from left to right. */
mb_status paper_estimates_run(paper_unit *u, mb_err *err) MB_CHECKED;
/* Entry j of component k at a node (from 1) in the first run; NaN: none. */
double paper_entry_at(const paper_table *t, paper_protocol p, const char *algorithm, int j, int k,
                      int node);
/* Of the mixture with these entries. */
double paper_density(const double e[PAPER_K][PAPER_ENTRIES], double x, double y);
/* Point j of PAPER_GRID from lo to hi; the grid is -1 .. 9 by 0 .. 8. */
double paper_grid(int j, double lo, double hi);

#endif

/* paper_common.h - what several experiments share. */
#ifndef MB_PAPER_COMMON_H
#define MB_PAPER_COMMON_H

#include "paper_fig.h"
#include "paper_run.h"

/* paper_synthetic.c: the problem of section V-A on the network of 50 nodes, ready to run. */
mb_status paper_problem(paper_unit *u, paper_world **w, paper_truth *t, mb_err *err) MB_CHECKED;
/* The same for another problem and network. */
mb_status paper_problem_of(paper_unit *u, const data_problem *p, const paper_network *net,
                           paper_world **w, paper_truth *t, mb_err *err) MB_CHECKED;
/* What the row plans, one algorithm after the other, and their numbers; every run notes its cost on
 * the way. */
mb_status paper_compare(paper_world *w, const paper_truth *t, mb_err *err) MB_CHECKED;
/* paper_problem, then paper_compare: `run` of a row. */
mb_status               paper_plan_run(paper_unit *u, mb_err *err) MB_CHECKED;
extern const paper_axes paper_cost_axes; /* against rounds */
/* Figures of the cost against rounds (mean over nodes, deviation over nodes) and against bytes, a
 * panel for each protocol. Lines have no quantity. */
mb_status paper_draw_cost(paper_figures *f, const paper_table *t, const paper_line *line, int count,
                          mb_err *err) MB_CHECKED;
/* The same of every algorithm that has numbers: `draw` of a row. */
mb_status paper_plan_draw(paper_figures *f, const paper_table *t, mb_err *err) MB_CHECKED;
/* Median over the runs; at the end of an experiment of one part. */
double paper_median(const paper_table *t, paper_protocol p, const char *algorithm,
                    const char *quantity, const char *part, double x);
double paper_end(const paper_table *t, paper_protocol p, const char *algorithm,
                 const char *quantity);
/* Mean over the runs at the end, per cent. */
double paper_percent(const paper_table *t, paper_protocol p, const char *algorithm,
                     const char *quantity, const char *part);
/* Failures of an algorithm: of `runs` runs. */
int64_t paper_failures(const paper_table *t, paper_protocol p, const char *algorithm,
                       const char *part);

/* paper_clusters.c: what the experiments on real data share. The three protocols' algorithms for
 * clustering rows into K components with ADMM's penalty ("admm.rho=1"), each with its numbers. */
mb_status paper_cluster(paper_unit *u, const paper_rows_of *rows, const paper_network *net,
                        int32_t K, int32_t attempt, const char *rho, mb_err *err) MB_CHECKED;
/* Mean and deviation of the accuracy of every algorithm beside what the paper prints. */
mb_status paper_draw_accuracy(paper_figures *f, const paper_table *t, mb_err *err) MB_CHECKED;

/* paper_estimates.c: the runs that Fig. values and Fig. contour show, and their numbers. */
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

/* paper_common.h - what several experiments share. */
#ifndef MB_PAPER_COMMON_H
#define MB_PAPER_COMMON_H

#include "paper_fig.h"
#include "paper_run.h"

/* paper_synthetic.c: the problem of section V-A on the network of 50 nodes, or another problem and
 * network (not NULL), ready to run. */
mb_status paper_problem(paper_unit *u, const data_problem *p, const paper_network *net,
                        paper_world **w, paper_truth *t, mb_err *err) MB_CHECKED;
/* Runs what the row plans on that problem, one algorithm after another, and stores their numbers,
 * also costs on the way. */
mb_status paper_compare(paper_unit *u, const data_problem *p, const paper_network *net,
                        mb_err *err) MB_CHECKED;
/* The same on the problem of section V-A: `run` of a row. */
mb_status               paper_plan_run(paper_unit *u, mb_err *err) MB_CHECKED;
extern const paper_axes paper_cost_axes; /* against rounds */
/* Figures of the cost against rounds (mean over nodes, deviation over nodes) and against bytes, a
 * panel for each protocol. */
mb_status paper_draw_cost(paper_figures *f, const paper_table *t, const paper_line *line, int count,
                          mb_err *err) MB_CHECKED;
/* The same of every algorithm that has numbers: `draw` of a row. */
mb_status paper_plan_draw(paper_figures *f, const paper_table *t, mb_err *err) MB_CHECKED;
/* Median over the runs; at the end of an experiment of one part. */
double paper_median(const paper_table *t, paper_protocol p, const char *algorithm,
                    const char *quantity, const char *part, double x);
double paper_end(const paper_table *t, paper_protocol p, const char *algorithm,
                 const char *quantity);
/* The same of every algorithm in paper_names, and its mean over the runs in per cent. */
void paper_medians(const paper_table *t, paper_protocol p, const char *quantity,
                   double out[PAPER_NAMES]);
void paper_percents(const paper_table *t, paper_protocol p, const char *quantity, const char *part,
                    double out[PAPER_NAMES]);
/* Failures of an algorithm: of `runs` runs. */
int64_t paper_failures(const paper_table *t, paper_protocol p, const char *algorithm,
                       const char *part);

/* paper_clusters.c: what the experiments on real data share. The three protocols' algorithms for
 * clustering rows into K components with ADMM's penalty ("admm.rho=1"), each with its numbers. */
mb_status paper_cluster(paper_unit *u, const paper_rows_of *rows, const paper_network *net,
                        int32_t K, int32_t attempt, const char *rho, mb_err *err) MB_CHECKED;
/* Mean and deviation of the accuracy of every algorithm beside what the paper prints. */
mb_status paper_draw_accuracy(paper_figures *f, const paper_table *t, mb_err *err) MB_CHECKED;

#endif

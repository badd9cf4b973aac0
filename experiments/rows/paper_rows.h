/* paper_rows.h - the experiments, and what those on the synthetic problem share. */
#ifndef MB_PAPER_ROWS_H
#define MB_PAPER_ROWS_H

#include "paper_fig.h"
#include "paper_run.h"

extern const paper_row paper_row_network, paper_row_dsvb_tau, paper_row_dsvb_evolution,
    paper_row_dsvb_values, paper_row_dsvb_contour, paper_row_admm_rho, paper_row_admm_evolution,
    paper_row_unequal, paper_row_sizes, paper_row_ionosphere, paper_row_atmosphere,
    paper_row_coil20;

/* paper_synthetic.c: the problem of section V-A on the network of 50 nodes, ready to run. */
mb_status paper_problem(paper_unit *u, paper_world *w, paper_truth *t, mb_err *err) MB_CHECKED;
/* The same for another problem and network. */
mb_status paper_problem_of(paper_unit *u, const data_problem *p, const paper_network *net,
                           paper_world *w, paper_truth *t, mb_err *err) MB_CHECKED;
/* The algorithms of a protocol, one after the other, and their numbers; every run notes its cost on
 * the way. r: `count`, or NULL. */
mb_status paper_compare(paper_world *w, const paper_truth *t, const paper_case *c, int32_t count,
                        paper_result *r, mb_err *err) MB_CHECKED;
/* paper_cases, then paper_compare. */
mb_status paper_compare_of(paper_world *w, const paper_truth *t,
                           const paper_case *of[PAPER_PROTOCOLS], int64_t quick,
                           mb_err *err) MB_CHECKED;
/* A NULL-name-terminated list of cases by protocol, rounds cut for --quick; *count of them. */
mb_status paper_cases(paper_unit *u, const paper_case *of[PAPER_PROTOCOLS], int64_t quick,
                      paper_case **out, int32_t *count, mb_err *err) MB_CHECKED;
/* Figures of the cost against rounds (mean over nodes, deviation over nodes) and against bytes, a
 * panel for each protocol. Lines have no quantity. */
mb_status paper_draw_cost(paper_figures *f, const paper_table *t, const paper_line *line, int count,
                          mb_err *err) MB_CHECKED;
/* Median over the runs. */
double paper_median(const paper_table *t, paper_protocol p, const char *algorithm,
                    const char *quantity, const char *part, double x);

/* Failures of an algorithm: of `runs` runs. */
int64_t paper_failures(const paper_table *t, paper_protocol p, const char *algorithm,
                       const char *part);

/* paper_clusters.c: what the experiments on real data share. The three protocols' algorithms for
 * clustering with ADMM's penalty, each with its numbers; rounds: of the algorithms that exchange. */
mb_status paper_cluster(paper_world *w, paper_truth *t, const char *rho, int64_t rounds,
                        mb_err *err) MB_CHECKED;
/* Mean and deviation of the accuracy of every algorithm beside what the paper prints. */
mb_status paper_draw_accuracy(paper_figures *f, const paper_table *t, mb_err *err) MB_CHECKED;

/* Cases that several experiments have: the paper's text, and ours. */
#define PAPER_CVB(rounds)                                                                          \
    {                                                                                              \
        "cvb", "cvb", NULL, MB_METROPOLIS, MB_FREEZE, rounds, 1e-12, 0, 0                          \
    }
#define PAPER_TEXT(name, algo, options, rounds)                                                    \
    {                                                                                              \
        name, algo, options, MB_NEAREST, MB_PROJECT, rounds, 0, 0, 0                               \
    }
#define PAPER_OWN(name, algo, options, rounds)                                                     \
    {                                                                                              \
        name, algo, options, MB_METROPOLIS, MB_FREEZE, rounds, 1e-9, 0, 0                          \
    }
#define PAPER_END                                                                                  \
    {                                                                                              \
        .name = NULL                                                                               \
    }

#endif

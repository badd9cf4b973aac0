/* paper_run.h - what the units of the experiments share: a network with rows, algorithms run on it
 * by the library's own loop, and what is measured of them.
 *
 * Classes are kept apart from the rows: a paper_world has none, so nothing that runs on it can see
 * one. What judges an answer, and the protocol `published`, take a paper_truth as well. */
#ifndef MB_PAPER_RUN_H
#define MB_PAPER_RUN_H

#include "data/data_cmd.h"
#include "paper.h"

/* Rows dealt to nodes, and all a run stands on. Memory is the unit's. */
typedef struct paper_world {
    paper_unit  *u;
    int32_t      N, D, K;
    int64_t      n;
    double      *x;     /* n x D, data units, by node  */
    int64_t     *first; /* N + 1                       */
    mb_topology  top;
    mb_weights   w[3]; /* by mb_rule                  */
    mb_part      part[3], one;
    mb_graph     alone; /* of `one`                   */
    mb_weights   alone_w;
    mb_transport none[3], none_one;
    mb_rows     *raw;            /* N views, data units         */
    mb_rows     *rows, all;      /* the same in run units       */
    double      *origin, *scale; /* D: agreed by the network    */
    mb_model     model, clipped;
    double      *resp; /* n x K: the start             */
    int32_t      hops;
    double       lambda2[3];
} paper_world;

typedef struct paper_truth {
    int32_t *label; /* n */
    int32_t  nclass;
    double  *phi; /* the posterior that knows the classes, run units; NULL: not asked */
} paper_truth;

/* The synthetic problem: p->nodes nodes on a geometric network. */
typedef struct paper_network {
    const char *text; /* of mb_topology_make */
    int64_t     seed;
} paper_network;
/* The three networks of the paper, redrawn: 50 nodes with 144 edges and 10 nodes, as in
 * data/networks; 20 nodes, another draw with the same printed numbers. */
extern const paper_network paper_net50, paper_net20, paper_net10;

/* *g becomes what --networks has for N nodes; as it was when it has nothing. */
mb_status paper_network_given(const paper_unit *u, int32_t N, mb_graph *g, mb_err *err) MB_CHECKED;

mb_status paper_world_synthetic(paper_unit *u, const data_problem *p, const paper_network *net,
                                paper_world *w, paper_truth *t, mb_err *err) MB_CHECKED;
/* Rows (n x D) with classes, dealt evenly to the nodes of a network in the order `order` (n; the
 * first n - n % N of them). */
mb_status paper_world_rows(paper_unit *u, const double *x, const int32_t *label, int64_t n,
                           int32_t D, const int64_t *order, const paper_network *net,
                           paper_world *w, paper_truth *t, mb_err *err) MB_CHECKED;
/* Weights, units, prior and model of the unit's protocol, and the common start for K components
 * drawn by the network (paper, ours) with this attempt's centres. */
mb_status paper_world_ready(paper_world *w, int32_t K, int32_t attempt, mb_err *err) MB_CHECKED;
/* The starts of the protocol `published`: k-means of all rows together, or a random component for
 * every row. */
mb_status paper_start_pooled(paper_world *w, int32_t attempt, mb_err *err) MB_CHECKED;
void      paper_start_local(paper_world *w, int32_t attempt);
/* Renames every node's components by the nearest true class mean (`published` does). */
mb_status paper_start_align(paper_world *w, const paper_truth *t, mb_err *err) MB_CHECKED;
mb_status paper_truth_ready(const paper_world *w, paper_truth *t, mb_err *err) MB_CHECKED;

/* An algorithm as an experiment runs it. */
typedef struct paper_case {
    const char  *name, *algo; /* in results: "dsvb tau=0.2"; of the list, or "cvb" */
    const char  *options;     /* "dsvb.tau=0.2 dsvb.d0=2"; NULL: the defaults      */
    mb_rule      rule;
    mb_on_domain on_domain;
    int64_t      rounds;
    double       tol;  /* > 0: may stop by itself before, posterior standard deviations */
    int32_t      clip; /* 1: local steps on the nearest point of the domain: paper_clip.c */
    int64_t still; /* > 0: from this round on stops when the TRUE accuracy stays (`published`) */
} paper_case;

typedef struct paper_result {
    const paper_case *c;
    mb_problem        problem;
    mb_state          state;
    int               error; /* 1: the run ended with an error: diverged, or left the domain */
    int64_t           left, frozen; /* projections and freezes; freezes                     */
    double            bound;        /* of the network mean over all rows, nats a row; NaN   */
    mb_metrics        end;
    double           *mean; /* L: network mean                                              */
} paper_result;

/* Rounds at which the cost is noted: about `per_decade` a decade, 1 .. rounds. */
mb_status paper_rounds(mb_arena *a, int64_t rounds, int32_t per_decade, int64_t **at,
                       int32_t *count, mb_err *err) MB_CHECKED;
/* Runs one algorithm. at (count): rounds where the cost goes into the unit's numbers as
 * "kl_mean", "kl_sd" and "bytes" (a node); needs t->phi; count 0: none. */
mb_status paper_case_run(paper_world *w, const paper_truth *t, const paper_case *c,
                         const int64_t *at, int32_t count, paper_result *r, mb_err *err) MB_CHECKED;
/* The cost in round t; kl NULL or of nodes outside: no value. */
mb_status paper_put_kl(paper_unit *u, const char *name, int64_t t, const mb_stat *kl,
                       mb_err *err) MB_CHECKED;
/* The same from pooled k-means under `published`: starts again, from other centres, until no node
 * leaves the domain; "restarts" goes into the unit's numbers. local: from random components
 * instead. Renamed by the truth at every node. */
mb_status paper_case_retry(paper_world *w, const paper_truth *t, const paper_case *c, int local,
                           int32_t restarts, const int64_t *at, int32_t count, paper_result *r,
                           mb_err *err) MB_CHECKED;
/* paper_clip.c */
mb_status paper_clip(mb_arena *a, const mb_model *base, mb_model *out, mb_err *err) MB_CHECKED;
/* The numbers every algorithm has at the end: cost, its ratio to cVB's, bytes, agreement with the
 * classes, how it failed, and a fingerprint of the posteriors' bits. r[k].c->name "cvb" is the
 * reference. */
mb_status paper_conclude(const paper_world *w, const paper_truth *t, const paper_result *r,
                         int32_t count, mb_err *err) MB_CHECKED;
/* Of the experiment's plan. */
int64_t paper_rounds_of(const paper_unit *u);
/* Central VB, then what a plan names for the unit's protocol. */
mb_status paper_cases(paper_unit *u, const paper_plan *plan, paper_case **out, int32_t *count,
                      mb_err *err) MB_CHECKED;

#endif

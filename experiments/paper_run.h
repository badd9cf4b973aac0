/* paper_run.h - what the units of the experiments share: a network with rows, over the stages of
 * the library (fit.h), the algorithms that run on it, and what is measured of them.
 *
 * Classes are separate from the rows: a paper_world has none, so nothing that runs on it can see
 * one. Functions that judge a result, and the protocol `published`, take a paper_truth as well. */
#ifndef MB_PAPER_RUN_H
#define MB_PAPER_RUN_H

#include "core/observe.h"
#include "data/data_cmd.h"
#include "fit/case.h"
#include "meshbayes/extend.h"
#include "paper.h"

enum { PAPER_RULES = 2 /* MB_NEAREST and MB_METROPOLIS */ };

typedef struct paper_result paper_result;
/* Rows at their nodes, and what runs there. Memory is the unit's. */
struct paper_world {
    paper_unit   *u;
    int32_t       N, D, K;
    int64_t       n;
    double       *x;                /* n x D, data units, by node  */
    int64_t      *first;            /* N + 1                       */
    mb_network    net[PAPER_RULES]; /* by mb_rule, as the next two */
    mb_local_part place[PAPER_RULES];
    mb_case       nodes[PAPER_RULES], central;
    mb_start      start;
    mb_centres    drawn;   /* shared by the algorithms                           */
    int32_t       attempt; /* of the initialisation                              */
    double       *resp;    /* n x K: the initialisation; NULL unless `published` */
    double       *spare;   /* n x K beside it                                    */
    int64_t      *at;      /* noted: rounds whose cost goes into the numbers     */
    int32_t       noted, count;
    paper_result *result; /* count: of each algorithm */
};
typedef struct paper_world paper_world;

typedef struct paper_truth {
    int32_t *label; /* n */
    int32_t  nclass;
    double  *phi; /* the posterior that knows the classes, run units; NULL: not asked */
} paper_truth;

typedef struct paper_network {
    const char *text; /* of mb_topology_make */
    int64_t     seed;
} paper_network;
/* The three networks of the paper, redrawn: 50 nodes with 144 edges and 10 nodes, as in
 * data/networks; 20 nodes, another draw with the same printed numbers. */
extern const paper_network paper_net50, paper_net20, paper_net10;

/* Replaces *net by the network of --networks with as many nodes, if there is one. */
mb_status paper_network_given(const paper_unit *u, mb_network *net, mb_err *err) MB_CHECKED;

/* Rows with classes from 0. */
typedef struct paper_rows_of {
    const double  *x; /* n x D */
    const int32_t *label;
    int64_t        n;
    int32_t        D;
    const int64_t *order; /* n: in which they are dealt; NULL: a random one by the run's seed */
} paper_rows_of;
/* The synthetic problem: p->nodes nodes, 3 components. All algorithms of a world start from the
 * same centres, which the network draws; under `published` the caller initialises it. */
mb_status paper_world_synthetic(paper_unit *u, const data_problem *p, const paper_network *net,
                                paper_world **w, paper_truth *t, mb_err *err) MB_CHECKED;
/* Rows dealt evenly to the nodes (the first n - n % N of them), K components, this attempt's
 * centres. */
mb_status paper_world_rows(paper_unit *u, const paper_rows_of *rows, const paper_network *net,
                           int32_t K, int32_t attempt, paper_world **w, paper_truth *t,
                           mb_err *err) MB_CHECKED;
/* The posterior of the truth into t->phi: eq. (46)'s reference. */
mb_status paper_truth_ready(const paper_world *w, paper_truth *t, mb_err *err) MB_CHECKED;
/* Ends the sessions of a unit's world; NULL is allowed. */
void paper_world_close(paper_world *w);

/* The initialisations of the protocol `published`: a random component for every row.. */
void paper_start_local(paper_world *w, int32_t attempt);
/* ..the same (local), or k-means of all rows together, with every node's components renamed by the
 * nearest true class mean. */
mb_status paper_start_informed(paper_world *w, const paper_truth *t, int local, int32_t attempt,
                               mb_err *err) MB_CHECKED;

/* An algorithm as an experiment runs it. */
typedef struct paper_case {
    const char    *name;      /* in results: "dsvb tau=0.2"                           */
    const mb_algo *algo;      /* NULL: central VB                                     */
    const char    *option[2]; /* "dsvb.tau=0.2"; NULL: none                           */
    mb_rule        rule;
    mb_on_domain   on_domain;
    int64_t        rounds;
    double         tol;  /* > 0: may stop by itself before, posterior standard deviations */
    int32_t        clip; /* 1: local steps on the nearest point of the domain: paper_clip.c */
    int64_t still; /* > 0: from this round on stops when the TRUE accuracy stays (`published`) */
} paper_case;

struct paper_result {
    paper_case c;
    mb_session s;
    int        error;        /* 1: the run ended with an error: diverged, or left the domain */
    int64_t    left, frozen; /* projections and freezes; freezes                     */
    double     bound;        /* of the network mean over all rows, nats a row; NaN   */
    mb_metrics end;
};

/* Central VB, then what a plan names for the unit's protocol, into w->result. */
mb_status paper_cases(paper_world *w, const paper_plan *plan, mb_err *err) MB_CHECKED;
/* The costs of about `per_decade` rounds a decade of 1 .. rounds will go into the unit's numbers as
 * "kl_mean", "kl_sd" and "bytes" (a node). Needs paper_truth_ready. */
mb_status paper_note_costs(paper_world *w, int32_t per_decade, mb_err *err) MB_CHECKED;
/* Runs one algorithm of the world. */
mb_status paper_case_run(paper_world *w, const paper_truth *t, paper_result *r,
                         mb_err *err) MB_CHECKED;
/* The same from paper_start_informed, again and again until no node leaves the domain; "restarts"
 * goes into the unit's numbers. */
mb_status paper_case_retry(paper_world *w, const paper_truth *t, int local, int32_t restarts,
                           paper_result *r, mb_err *err) MB_CHECKED;
/* paper_clip.c: base is borrowed; *out has no initialisation. */
void paper_clip(const mb_model *base, mb_model *out);
/* The numbers every algorithm has at the end: cost, its ratio to cVB's, bytes, agreement with the
 * classes, how it failed, and a fingerprint of the posteriors' bits. */
mb_status paper_conclude(const paper_world *w, const paper_truth *t, mb_err *err) MB_CHECKED;

#endif

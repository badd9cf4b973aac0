/* plan.h - `meshbayes plan`: what a run would cost. */
#ifndef MB_RUN_PLAN_H
#define MB_RUN_PLAN_H

#include "run/sim.h"

typedef struct plan_opt {
    int64_t rows_per_node, features;
    double  measure; /* seconds an algorithm */
} plan_opt;

/* The initialisation of a run, every time that --n-init makes it: measured on the rows of the trial
 * run, once, and scaled by the work. */
typedef struct plan_begin {
    double  seconds;
    double  most;  /* seconds if k-means moved its centres as often as it may */
    int32_t steps; /* of k-means, counted                                     */
    int32_t known; /* 1: it has been measured                                 */
} plan_begin;

/* How many rounds a run makes until the stopping rule ends it. */
typedef enum plan_end {
    PLAN_SETTLED,  /* the trial run did                                                   */
    PLAN_FORECAST, /* by the rate at which its nodes came to rest                         */
    PLAN_LIMIT,    /* all that --rounds allows: it would need more, or --tol is 0         */
    PLAN_UNKNOWN   /* the trial was too short to tell                                     */
} plan_end;

/* What one algorithm costs: bytes and memory of the trial run are exact, seconds an estimate. */
typedef struct plan_cost {
    const char *name;
    double      bytes_round, frames_round; /* of the whole network, after the first two rounds */
    double      bytes, bytes_typical;      /* all rounds, and those until the run settles;
                                              without the initialisation                       */
    double      flops_round;               /* leading terms                                    */
    double      seconds_round;
    double      seconds, seconds_typical; /* the same, with the initialisation                */
    int64_t     rounds_typical;
    plan_end    end;
    double      memory, memory_node; /* bytes: the simulation, and one node by itself    */
    int64_t     rounds_measured;
    int32_t     failed;
    mb_err      err;
} plan_cost;

typedef struct plan {
    sim_job        *job;
    const sim_case *cs;
    plan_opt        opt;
    double          rows;     /* of the run that is planned                */
    int64_t         measured; /* rows of the trial run: fewer when more do not fit */
    plan_begin      begin;
    mb_traffic      sent; /* by all nodes before the first round */
    plan_cost       cost[SIM_MAX_ALGOS];
} plan;

/* plan_begin.c: seeds a trial run, the first one under the stopwatch. */
mb_status plan_seed(plan *p, mb_session *session, mb_err *err) MB_CHECKED;
/* How often a run is begun: once, or with each initialisation and then again with the best. */
double plan_runs(const sim_case *cs);
/* plan_measure.c: runs the k-th algorithm for a moment; an algorithm that fails says so in its
 * record. */
mb_status plan_measure(plan *p, int32_t k, sim_result *r, mb_err *err) MB_CHECKED;
/* MB_E_NOMEM with both figures when a run would need more than `available` bytes. */
mb_status plan_check_memory(const plan *p, double available, mb_err *err) MB_CHECKED;
/* plan_print.c */
void      plan_print(const plan *p);
mb_status plan_json(const plan *p, mb_err *err) MB_CHECKED;

#endif

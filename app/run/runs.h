/* runs.h - `sim --runs R`: the same run with seeds seed .. seed + R - 1, and what they have in
 * common. */
#ifndef MB_RUN_RUNS_H
#define MB_RUN_RUNS_H

#include "core/observe.h"
#include "run/sim.h"

/* A level that a run reaches: from then on it stays there. */
typedef enum runs_level { RUNS_NAT, RUNS_PERCENT, RUNS_LEVELS } runs_level;

/* The network in one round: means over the nodes, sums of what is counted. */
typedef struct runs_sample {
    int64_t t;
    double  value[MB_M_COUNT];
} runs_sample;

/* Where a level was reached; t 0: it was not. */
typedef struct runs_reach {
    int64_t t;
    double  bytes, frames; /* of the whole network so far */
} runs_reach;

/* One algorithm in one run. */
typedef struct runs_one {
    int32_t      ended; /* 0: it failed with an error; the rest is not set */
    mb_verdict   verdict;
    int64_t      rounds;
    int32_t      outside;
    double       bound, disagreement, moved;
    double       end[MB_M_COUNT]; /* as in a sample */
    runs_reach   reach[RUNS_LEVELS];
    int64_t      n;
    runs_sample *at; /* n, t ascending */
} runs_one;

/* All runs; the first has the files of the folder. */
typedef struct runs {
    sim_job        *job;
    const sim_args *args;    /* of the first run */
    uint32_t        metrics; /* that the rows of the first run allow */
    int64_t         count, now;
    runs_one       *all;         /* count x nchoice                                       */
    sim_many        hook;        /* of every run                                          */
    int32_t         ended_badly; /* further runs that failed with an error */
} runs;

/* Of run k and algorithm c. */
runs_one *runs_of(const runs *all, int64_t k, int32_t c);

/* runs.c: --runs, or the single run; the exit status. */
int runs_simulate(sim *s, mb_err *err);

/* runs_watch.c: the observers of one run, and its end. sim_many functions: self is a runs. */
mb_status runs_watch(void *self, sim_result *r, mb_session *session, mb_err *err) MB_CHECKED;
mb_status runs_ended(void *self, sim_result *r, mb_err *err) MB_CHECKED;

/* runs_write.c: runs.csv, bands.csv, reach.csv; the table on standard output; in the summary. */
mb_status runs_write(void *self, mb_err *err) MB_CHECKED;
void      runs_print(void *self);
mb_status runs_summary(void *self, mb_json_out *j) MB_CHECKED;

#endif

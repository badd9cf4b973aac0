/* fit_keep.h - `fit --checkpoint` and `--resume`: checkpoints of the current run, finished
 * units. */
#ifndef MB_RUN_FIT_KEEP_H
#define MB_RUN_FIT_KEEP_H

#include "checkpoint/checkpoint.h"
#include "run/sim_keep.h"

/* Names of units and runs: "seed-3", "start-3", "merge-1", "fit"; of a number of components that is
 * tried "of-4-start-3", and "of-4" once it is over. */
typedef struct fit_keep {
    sim_job        *job;
    const sim_case *cs;
    mb_checkpoint   c;       /* the facts                                              */
    mb_store        store;   /* for mb_fit_run                                         */
    const char     *of;      /* what a sweep tries, "of-3-diag"; NULL: the fit itself */
    int             alone;   /* 1: this process tries it, the others try something else */
    int             refused; /* units that cannot be used                              */
    mb_journal      lines;   /* of the trace                                           */
} fit_keep;

/* Collective, once the rows are known: refuses other options and data. Does nothing without the two
 * options. */
mb_status fit_keep_open(sim_job *job, sim_case *cs, mb_err *err) MB_CHECKED;
/* NULL: none. */
const mb_store *fit_keep_store(const sim_case *cs);
/* Names of all that follows: what is tried ("of-3", borrowed; NULL: the fit itself), alone 1: by
 * this process alone. */
void fit_keep_try(const sim_case *cs, const char *of, int alone);
/* Collective: *out keeps a session of r, and is r->keep; NULL: nobody does. */
mb_status fit_keep_run(sim_result *r, mb_session *session, int32_t attempt, sim_keep **out,
                       mb_err *err) MB_CHECKED;
/* Collective: the end of the run that r->keep keeps. */
mb_status fit_keep_end(sim_result *r, mb_err *err) MB_CHECKED;
/* Safe on NULL. */
void fit_keep_close(fit_keep *k);

#endif

/* fit_update.h - `fit --update`: an answer that a batch of rows updates. */
#ifndef MB_RUN_FIT_UPDATE_H
#define MB_RUN_FIT_UPDATE_H

#include "run/sim.h"

/* --update: the answer that the rows update. */
typedef struct sim_update {
    const char      *file;
    mb_posterior     p;
    mb_provenance    from;
    void            *opt;    /* of its kind, that ask for its sizes and choices */
    double           forget; /* --forget */
    mb_update_totals learnt; /* of p */
} sim_update;

/* fit_update.c: reads the file of --update, if the command has that option and it is given, and
 * puts words that ask for its model in front of those of the command line, which may name them
 * again. */
mb_status sim_update_words(sim_job *job, sim_args *args, int *argc, char ***argv,
                           mb_err *err) MB_CHECKED;
/* Once they are parsed: refuses another model than the answer's. */
mb_status sim_update_check(const sim_args *args, mb_err *err) MB_CHECKED;
/* The rows of --data, with the answer's columns whatever others the file has. */
mb_status sim_update_read(sim_job *job, const sim_args *args, const mb_data_opt *opt, mb_data *out,
                          mb_err *err) MB_CHECKED;
/* Prior and initialisation. */
mb_status sim_update_start(sim_job *job, sim_case *cs, mb_err *err) MB_CHECKED;

#endif

/* checkpoint.h - --checkpoint and --resume: the folder of a command, and the state of each run
 * in it. */
#ifndef MB_RUN_CHECKPOINT_H
#define MB_RUN_CHECKPOINT_H

#include "checkpoint/checkpoint.h"
#include "run/sim.h"

/* The folder of a command. Names of units and runs: that of an algorithm of `sim`; in `fit`
 * "seed-3", "start-3", "merge-1", "fit"; of a number of components that is tried
 * "of-4-start-3", and "of-4" once it is over. */
typedef struct sim_checkpoints {
    sim_job        *job;
    const sim_case *cs;
    mb_checkpoint  *c;       /* of each algorithm: its facts                             */
    mb_store        store;   /* for mb_fit_run                                           */
    const char     *resume;  /* --resume; NULL also where it holds no checkpoint yet     */
    const char     *of;      /* what a sweep tries, "of-3-diag"; NULL: the command itself */
    int             alone;   /* 1: this process tries it, the others try something else  */
    int             refused; /* units that cannot be used                                */
    mb_journal      lines;   /* of the trace                                             */
} sim_checkpoints;

/* What a run has beside its state; every entry is 8 bytes. */
typedef struct sim_once {
    int64_t attempt;       /* of --n-init                                              */
    int64_t at_best;       /* attempts with the best bound                             */
    int64_t ended;         /* 1: the stopping rule has ended the run                   */
    int64_t drawn;         /* attempts whose centres were drawn                        */
    int64_t frames, bytes; /* of initialisation, sent by all nodes for the centres     */
    double  seconds;       /* so far                                                   */
} sim_once;

/* The state of a run. */
typedef struct sim_checkpoint {
    sim_result        *r;
    mb_session        *session; /* that runs                             */
    mb_checkpoint      c;
    int                resumed; /* 1: resumes from a checkpoint          */
    int                refused; /* checkpoints passed over               */
    sim_once           once;
    mb_checkpoint_item items[5]; /* rows and links of each node, once; dumps */
    mb_file           *trace;    /* NULL: none                            */
    double             earlier;  /* seconds before this session           */
} sim_checkpoint;

/* Collective, once the rows are known: refuses a folder in use, none to resume from, other options
 * and data. Into job->checkpoints; without the two options there are none. */
mb_status checkpoints_open(sim_job *job, const sim_case *cs, mb_err *err) MB_CHECKED;
/* NULL: none. */
const mb_store *checkpoints_store(const sim_job *job);
/* Case and names of all that follows: what is tried ("of-3", borrowed; NULL: the command itself),
 * alone 1: by this process alone. */
void checkpoints_try(const sim_job *job, const sim_case *cs, const char *of, int alone);
/* Safe on NULL. */
void checkpoints_close(sim_checkpoints *all);
/* Collective: *out stores a session of r, and is r->checkpoint; NULL: nobody does. */
mb_status checkpoint_run(sim_result *r, mb_session *session, int32_t attempt, sim_checkpoint **out,
                         mb_err *err) MB_CHECKED;
/* After all other observers of the session: adds the one that saves. */
mb_status checkpoint_watch(sim_checkpoint *k, mb_err *err) MB_CHECKED;
/* The state of the session, from the checkpoint when there is one. */
mb_status checkpoint_load(sim_checkpoint *k, mb_err *err) MB_CHECKED;
/* Saves the run, given --checkpoint. end 1: as ended; 0: unless the observer saves this round. */
mb_status checkpoint_save(sim_checkpoint *k, int end, mb_err *err) MB_CHECKED;
/* Collective: the end of the run of r->checkpoint. */
mb_status checkpoint_end(sim_result *r, mb_err *err) MB_CHECKED;
/* mb_line_writer: to is a sim_checkpoint. */
mb_status checkpoint_line(void *to, const char *line, size_t len, mb_err *err);

#endif

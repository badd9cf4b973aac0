/* sim_keep.h - --checkpoint and --resume of one algorithm, of which those of `fit` are made. */
#ifndef MB_RUN_SIM_KEEP_H
#define MB_RUN_SIM_KEEP_H

#include "checkpoint/checkpoint.h"
#include "run/sim.h"

/* sim_checkpoint.c: --checkpoint and --resume. Stored once for a run; every entry is 8 bytes. */
typedef struct sim_once {
    int64_t attempt;       /* of --n-init                                              */
    int64_t at_best;       /* attempts with the best bound                              */
    int64_t ended;         /* 1: the stopping rule has ended the run                   */
    int64_t drawn;         /* attempts whose centres were drawn                        */
    int64_t frames, bytes; /* of initialisation, sent by all nodes for the centres     */
    double  seconds;       /* so far                                                   */
} sim_once;

/* One algorithm as it is stored. */
typedef struct sim_keep {
    sim_result        *r;
    mb_session        *session; /* r's; in `fit` the one that runs   */
    mb_checkpoint      c;
    int                resumed; /* 1: resumes from a checkpoint      */
    int                refused; /* checkpoints passed over           */
    sim_once           once;
    mb_checkpoint_item kept[5]; /* rows and links of each node, once; dumps */
    mb_journal         lines;   /* of the trace; in `fit` they are elsewhere */
    mb_file           *trace;   /* NULL: none                        */
    double             earlier; /* seconds before this session       */
} sim_keep;

/* run/fit_facts.c: where an algorithm resumes, and every option that affects its iterates or
 * trace. */
mb_status sim_facts(sim_job *job, const sim_case *cs, const sim_choice *c, mb_checkpoint *out,
                    mb_err *err) MB_CHECKED;
/* A further one, or another value of one; set: it is not the default. */
mb_status sim_fact(sim_job *job, mb_checkpoint *to, const char *name, const char *value, int set,
                   mb_err *err) MB_CHECKED;
/* 1 if a run resumes from the folder it saves to. */
int sim_same_folder(const sim_case *cs);
/* Refuses fewer rounds than a checkpoint, of round t, has. */
mb_status sim_keep_rounds(const sim_args *args, const mb_checkpoint *at, int64_t t,
                          mb_err *err) MB_CHECKED;
/* Refuses a folder in use, and one with nothing to resume from. */
mb_status sim_keep_folders(sim_job *job, sim_case *cs, mb_err *err) MB_CHECKED;

/* Wrong use that shows before the run: a folder in use, none to resume from, other options. */
mb_status sim_keep_check(sim_job *job, sim_case *cs, mb_err *err) MB_CHECKED;
/* Sets r->keep to k, whose c has folder, name and facts. */
void sim_keep_of(sim_keep *k, sim_result *r, mb_session *session);
/* The same, found in the folder; NULL when neither option is given. */
mb_status sim_keep_new(sim_result *r, mb_err *err) MB_CHECKED;
/* After all other observers of r's session: adds the one that saves. */
mb_status sim_keep_watch(sim_keep *k, mb_err *err) MB_CHECKED;
/* The state of r, whose messages tp carries; from the checkpoint when there is one. */
mb_status sim_keep_load(sim_keep *k, mb_err *err) MB_CHECKED;
/* Saves the run, given --checkpoint. end 1: as ended; 0: unless the observer saves this round. */
mb_status sim_keep_save(sim_keep *k, int end, mb_err *err) MB_CHECKED;
/* Safe on NULL. */
void sim_keep_close(sim_keep *k);
/* mb_line_writer: to is a sim_keep. */
mb_status sim_keep_line(void *to, const char *line, size_t len, mb_err *err);

#endif

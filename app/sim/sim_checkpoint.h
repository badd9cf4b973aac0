/* sim_checkpoint.h - --checkpoint and --resume: one algorithm of a run on disk. */
#ifndef MB_SIM_CHECKPOINT_H
#define MB_SIM_CHECKPOINT_H

#include "sim/sim.h"

/* Stored once for a run; every entry is 8 bytes. */
typedef struct sim_once {
    int64_t attempt;       /* of --n-init                                              */
    int64_t ended;         /* 1: the stopping rule has ended the run                   */
    int64_t drawn;         /* attempts whose centres were drawn                        */
    int64_t frames, bytes; /* of initialisation, sent by all nodes for the centres     */
    double  seconds;       /* so far                                                   */
} sim_once;

/* One algorithm as it is stored. */
typedef struct sim_keep {
    sim_result   *r;
    mb_checkpoint c;
    int           resumed; /* 1: resumes from a checkpoint      */
    int           refused; /* checkpoints passed over           */
    sim_once      once;
    mb_kept       kept[5]; /* rows and links of each node, once; dumps */
    mb_journal    journal; /* lines of the trace                */
    mb_file      *trace;   /* NULL: none                        */
    double        earlier; /* seconds before this session       */
} sim_keep;

/* Wrong use that shows before the run: a folder in use, none to resume from, other options. */
mb_status sim_keep_check(sim *s, mb_err *err) MB_CHECKED;
/* Sets r->keep; NULL when neither option is given. */
mb_status sim_keep_new(sim_result *r, mb_file *trace, mb_err *err) MB_CHECKED;
/* After all other observers of r's session: adds the one that saves. dump: NULL: none. */
mb_status sim_keep_watch(sim_keep *k, sim_dump *dump, mb_err *err) MB_CHECKED;
/* The state of r, whose messages tp carries; from the checkpoint when there is one. */
mb_status sim_keep_load(sim_keep *k, mb_err *err) MB_CHECKED;
/* Saves after this round, unless the observer has done so. */
mb_status sim_keep_now(sim_keep *k, mb_err *err) MB_CHECKED;
/* Saves a run that is over. */
mb_status sim_keep_end(sim_keep *k, mb_err *err) MB_CHECKED;
/* Safe on NULL. */
void sim_keep_close(sim_keep *k);
/* mb_line_writer: to is a sim_keep. */
mb_status sim_keep_line(void *to, const char *line, size_t len, mb_err *err);

#endif

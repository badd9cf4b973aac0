/* sim_checkpoint.h - --checkpoint and --resume: one algorithm of a run on disk. */
#ifndef MB_SIM_CHECKPOINT_H
#define MB_SIM_CHECKPOINT_H

#include "sim/sim.h"

/* Kept once for a run; every entry is 8 bytes. */
typedef struct sim_once {
    int64_t attempt;       /* of --n-init                                       */
    int64_t ended;         /* 1: the stop rule has ended the run                */
    int64_t drawn;         /* attempts whose centres were drawn                */
    int64_t frames, bytes; /* the start has sent, over all nodes, for the centres */
    double  seconds;       /* so far                                            */
} sim_once;

/* One algorithm as it is kept. */
typedef struct sim_keep {
    sim          *s;
    sim_result   *r;
    mb_checkpoint c;
    mb_fact      *fact;
    int32_t       nfact;
    int           resumed; /* 1: goes on from a checkpoint                     */
    int           refused; /* checkpoints passed over                          */
    sim_once      once;
    mb_kept       kept[5];      /* rows, links, once; dumps                         */
    uint64_t     *rows, *links; /* n_local: what each node stands on           */
    mb_journal    journal;      /* lines of the trace                          */
    mb_file      *trace;        /* NULL: none                                  */
    double        earlier;      /* seconds before this session                 */
    double        began;
} sim_keep;

/* Wrong use that shows before the run: a folder in use, none to go on from, other options. */
mb_status sim_keep_check(sim *s, mb_err *err) MB_CHECKED;
/* NULL when neither option is given. */
mb_status sim_keep_new(sim *s, const sim_choice *c, sim_watch *watch, sim_keep **out,
                       mb_err *err) MB_CHECKED;
/* After all other observers of r's session: adds the one that saves. dump: NULL: none. */
mb_status sim_keep_watch(sim_keep *k, sim_result *r, sim_dump *dump, mb_err *err) MB_CHECKED;
/* The state of r, whose messages tp carries; from the checkpoint when there is one to go on from. */
mb_status sim_keep_load(sim_keep *k, mb_err *err) MB_CHECKED;
/* Saved behind this round, unless the observer has done so. */
mb_status sim_keep_now(sim_keep *k, const mb_problem *p, const mb_state *st,
                       mb_err *err) MB_CHECKED;
/* The run is over: saved as such. */
mb_status sim_keep_end(sim_keep *k, mb_err *err) MB_CHECKED;
/* Safe on NULL. */
void sim_keep_close(sim_keep *k);
/* mb_line_writer: to is a sim_keep. */
mb_status sim_keep_line(void *to, const char *line, size_t len, mb_err *err);

#endif

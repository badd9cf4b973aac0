/* checkpoint/checkpoint.h - the state of a run in a folder, whole or not at all. */
#ifndef MB_CHECKPOINT_H
#define MB_CHECKPOINT_H

#include "meshbayes/extend.h"

/* Whether an option that only one of two versions knows matters. */
typedef enum mb_fact_state {
    MB_FACT_DEFAULT, /* it has the default of the version that knows it: it does not           */
    MB_FACT_SET,     /* it has another value                                                   */
    MB_FACT_OWN      /* a size of what is stored, of the library; set by it                    */
} mb_fact_state;
/* A fact that a run and the checkpoint it resumes from must agree on: an option and its value.
 * Found by name, in any order; names are all different. */
typedef struct mb_fact {
    const char   *name;  /* as messages show it: "loss" */
    const char   *value; /* "0.1"                         */
    mb_fact_state state; /* when the checkpoint is of a version with other options */
} mb_fact;

/* Bytes that a run appends to and that checkpoints store: its trace so far. Zeroed: empty. */
typedef struct mb_journal {
    char  *bytes; /* n; malloc          */
    size_t n;     /* bytes so far       */
    size_t room;  /* bytes there is room for */
} mb_journal;
/* Appends n bytes. */
mb_status mb_journal_add(mb_journal *j, const char *bytes, size_t n, mb_err *err) MB_CHECKED;
/* Frees its memory; safe on a zeroed struct. */
void mb_journal_free(mb_journal *j);

/* Where checkpoints are stored, and what they contain besides the state. All is borrowed. */
typedef struct mb_checkpoint {
    const char    *dir;   /* folder of the checkpoints                                   */
    const char    *name;  /* of the run in it: letters, digits, minus; not ending in "-end" */
    const mb_fact *fact;  /* nfact: must agree                                           */
    int32_t        nfact; /* facts                                                       */
    const mb_checkpoint_item
                      *items;   /* nkept: of the caller                                        */
    int32_t            nitems;  /* items of the caller that are stored                         */
    const mb_observer *obs;     /* nobs: their state is stored too                             */
    int32_t            nobs;    /* observers, seen before the checkpoint is made               */
    mb_journal        *journal; /* of process 0; NULL: none, as on the other processes         */
    int32_t            rank;    /* this process                                                */
    int32_t            ranks;   /* processes; joined over mb_problem::tp when above 1          */
    /* Called on every process for each refused checkpoint with a message; may be NULL. */
    void (*refused)(void *to, const char *why);
    void *to; /* first argument of refused */
} mb_checkpoint;

/* Writes the checkpoint of round s->t; end 1: the final one of a finished run (named so).
 * Collective: all processes get the same status. On failure earlier checkpoints are intact.
 * MB_E_NOSUP if the transport cannot store messages. O(state), in pages: no copy of the state. */
mb_status mb_checkpoint_save(const mb_checkpoint *c, const mb_problem *p, const mb_state *s,
                             int end, mb_err *err) MB_CHECKED;
/* Loads the newest complete checkpoint into a state of mb_state_new, the transport, the observers
 * and everything else that is stored. Collective. MB_QUIET: there is none with this name;
 * MB_E_FORMAT: all were refused; MB_E_ARG: a fact differs, which the message names. */
mb_status mb_checkpoint_load(const mb_checkpoint *c, const mb_problem *p, mb_state *s,
                             mb_err *err) MB_CHECKED;
/* Round of the newest checkpoint with a complete manifest and the same facts (dir, name and fact
 * suffice); statuses of mb_checkpoint_load. Serves an early check, before data are read. */
mb_status mb_checkpoint_find(const mb_checkpoint *c, int64_t *t, mb_err *err) MB_CHECKED;
/* Removes the checkpoints of c->name. */
mb_status mb_checkpoint_forget(const mb_checkpoint *c, mb_err *err) MB_CHECKED;
/* DIR/unit-NAME.mbck: n numbers of a unit of work that is over, with the facts of c; its other
 * fields but refused are not used. */
mb_status mb_checkpoint_put(const mb_checkpoint *c, const char *name, const double *x, size_t n,
                            mb_err *err) MB_CHECKED;
/* The same numbers again. MB_QUIET: there is no such file, or it was refused. */
mb_status mb_checkpoint_get(const mb_checkpoint *c, const char *name, double *x, size_t n,
                            mb_err *err) MB_CHECKED;
/* *count = checkpoints and units in a folder, with any name; 0 if there is no such folder. */
mb_status mb_checkpoint_count(const char *dir, int32_t *count, mb_err *err) MB_CHECKED;

/* An observer that saves every `every` rounds, except in round `rounds`, which the caller saves as
 * the end. It comes last in the list of observers. MB_E_ARG when every < 1. */
mb_status mb_checkpoint_watch(mb_arena *a, const mb_checkpoint *c, int64_t every, int64_t rounds,
                              mb_observer *out, mb_err *err) MB_CHECKED;

#endif

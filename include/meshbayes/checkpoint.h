/* meshbayes/checkpoint.h - a run on disk, to go on from later: on the same or another number of
 * processes, with the bits of a run that was never interrupted. Layout: docs/formats.md.
 *
 * A checkpoint is a folder DIR/round-NNNNNNNNN-NAME: a part of each process, a journal, and the
 * manifest that makes it whole. It is made beside its place and renamed; every page has a checksum;
 * nodes are found by their ids, whoever wrote them. The newest two of a name are kept. */
#ifndef MESHBAYES_CHECKPOINT_H
#define MESHBAYES_CHECKPOINT_H

#include "meshbayes/file.h"
#include "meshbayes/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a run and a checkpoint it goes on from must have in common: an option and its value. */
typedef struct mb_fact {
    const char *name;  /* as a message shows it: "loss" */
    const char *value; /* "0.1"                         */
} mb_fact;

/* Bytes that a run adds to as it goes, kept with it: its trace so far. Zeroed: empty. */
typedef struct mb_journal {
    char  *bytes; /* n; malloc          */
    size_t n;     /* bytes so far       */
    size_t room;  /* bytes there is room for */
} mb_journal;
/* n bytes more. */
MB_API mb_status mb_journal_add(mb_journal *j, const char *bytes, size_t n, mb_err *err) MB_CHECKED;
/* Ends what it holds; safe on a zeroed struct. */
MB_API void mb_journal_free(mb_journal *j);

/* Where a run keeps itself, and what belongs to it besides the state. All is borrowed. */
typedef struct mb_checkpoint {
    const char        *dir;     /* folder of the checkpoints                                   */
    const char        *name;    /* of the run in it: letters, digits, minus; not ending in "-end" */
    const mb_fact     *fact;    /* nfact: must agree                                           */
    int32_t            nfact;   /* facts                                                       */
    const mb_kept     *kept;    /* nkept: of the caller                                        */
    int32_t            nkept;   /* things of the caller that are kept                          */
    const mb_observer *obs;     /* nobs: what these keep is kept too                           */
    int32_t            nobs;    /* observers, seen before the checkpoint is made               */
    mb_journal        *journal; /* of process 0; NULL: none, as on the other processes         */
    int32_t            rank;    /* this process                                                */
    int32_t            ranks;   /* processes; joined over mb_problem::tp when above 1          */
    /* Told of each checkpoint that is refused, in words, on every process; NULL: nobody is. */
    void (*refused)(void *to, const char *why);
    void *to; /* first argument of refused */
} mb_checkpoint;

/* Writes the checkpoint of round s->t; end 1: of a run that is over (named so, kept like others).
 * Collective: all processes get the same status. On failure the checkpoints before it are intact.
 * MB_E_NOSUP when the transport can not keep messages. O(state), in pages: no copy of the state. */
MB_API mb_status mb_checkpoint_save(const mb_checkpoint *c, const mb_problem *p, const mb_state *s,
                                    int end, mb_err *err) MB_CHECKED;
/* The newest checkpoint that is whole, into a state of mb_state_new, the transport, the observers
 * and all else that is kept. Collective. MB_QUIET: there is none of that name; MB_E_FORMAT: all
 * were refused; MB_E_ARG: a fact differs, and which. */
MB_API mb_status mb_checkpoint_load(const mb_checkpoint *c, const mb_problem *p, mb_state *s,
                                    mb_err *err) MB_CHECKED;
/* Round of the newest checkpoint whose manifest is whole and whose facts are these (dir, name and
 * fact suffice); statuses of mb_checkpoint_load. For a word early, before data are read. */
MB_API mb_status mb_checkpoint_find(const mb_checkpoint *c, int64_t *t, mb_err *err) MB_CHECKED;
/* *count = checkpoints in a folder, of all names; 0 when it is missing. */
MB_API mb_status mb_checkpoint_count(const char *dir, int32_t *count, mb_err *err) MB_CHECKED;

/* An observer that saves every `every` rounds, except in round `rounds`, which the caller saves as
 * the end. It comes last in the list of observers. MB_E_ARG when every < 1. */
MB_API mb_status mb_checkpoint_watch(mb_arena *a, const mb_checkpoint *c, int64_t every,
                                     int64_t rounds, mb_observer *out, mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif

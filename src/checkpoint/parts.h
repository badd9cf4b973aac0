/* parts.h - the files of a checkpoint, and what all processes agree on. */
#ifndef MB_CHECKPOINT_PARTS_H
#define MB_CHECKPOINT_PARTS_H

#include "checkpoint/checkpoint.h"
#include "checkpoint/pages.h"
#include "meshbayes/extend.h"

/* Kinds of files; the numbers are in the files. */
enum { MB_MANIFEST_ = 1, MB_PART_ = 2, MB_JOURNAL_ = 3, MB_UNIT_ = 4 };
enum { MB_SHARE_ = 3 /* numbers of a part in the manifest: nodes, lowest id, highest id */ };

/* What is saved or loaded: everything of the caller's in one list. */
typedef struct mb_scope_ {
    const mb_checkpoint *c;
    const mb_problem    *p;
    mb_arena            *a;
    mb_pages_           *f;     /* the file that is open */
    mb_transport        *tp;    /* of the problem, or `none` */
    mb_transport         none;  /* where the problem has none */
    mb_state             s;     /* a view */
    mb_checkpoint_item  *items; /* nkept: the caller's and the observers' */
    int32_t              nitems;
    mb_fact             *fact; /* nfact: the caller's, then the library's */
    int32_t              nfact;
    uint64_t             hash; /* of the facts */
    int64_t              t;    /* round of the checkpoint */
} mb_scope_;
mb_status mb_scope_of_(mb_arena *a, const mb_checkpoint *c, const mb_problem *p, const mb_state *s,
                       mb_scope_ *out, mb_err *err) MB_CHECKED;
/* Puts or gets all that follows the head of a file. */
typedef mb_status (*mb_mover_)(void *self, mb_pages_ *f, mb_err *err);
/* A file of a checkpoint's folder, written or read as a whole. */
mb_status mb_scope_file_(const mb_scope_ *k, const char *folder, const char *name, uint64_t kind,
                         int reading, mb_mover_ move, void *self, mb_err *err) MB_CHECKED;
/* The same status and message on all processes: that of the first one that failed. */
mb_status mb_agree_(const mb_checkpoint *c, mb_transport *tp, mb_status st, mb_err *err) MB_CHECKED;

/* What the manifest says. */
typedef struct mb_manifest_ {
    const mb_scope_ *k;
    int64_t          t;
    uint64_t         hash;
    mb_fact         *fact; /* nfact */
    int64_t          nfact;
    mb_traffic       sent; /* of all processes */
    int64_t          parts;
    int64_t         *share;   /* parts x MB_SHARE_ */
    int64_t          journal; /* 1: there is one */
} mb_manifest_;
/* m: k is set, and for writing the rest from `sent` on; reading fills the items of k that are
 * stored once. MB_E_ARG names the first fact that differs; MB_E_FORMAT: the file is of another
 * run. */
mb_status mb_manifest_move_(const char *folder, mb_manifest_ *m, int reading,
                            mb_err *err) MB_CHECKED;
/* The same as far as the round and the c->nfact facts of the caller, all that k->c must have. */
mb_status mb_manifest_facts_(const char *folder, mb_manifest_ *m, mb_err *err) MB_CHECKED;
/* The facts of k alone, compared when they are read. */
mb_status mb_facts_move_(const mb_scope_ *k, mb_pages_ *f, mb_err *err) MB_CHECKED;
mb_status mb_journal_move_(const char *folder, mb_scope_ *k, int reading, mb_err *err) MB_CHECKED;

/* The nodes of this process. */
mb_status mb_part_write_(const char *folder, const mb_scope_ *k, mb_err *err) MB_CHECKED;
/* The nodes of this process from all parts in the folder. */
mb_status mb_parts_read_(const char *folder, const mb_scope_ *k, const mb_manifest_ *m,
                         mb_err *err) MB_CHECKED;

/* list.c: checkpoints of a name in a folder. A key orders them: twice the round, 1 more for an end.
 * DIR/round-NNNNNNNNN-NAME, with a tail. */
const char *mb_key_path_(mb_arena *a, const mb_checkpoint *c, int64_t key, const char *tail,
                         mb_err *err);
/* The largest key below `before`, -1: there is none. */
mb_status mb_key_newest_(const mb_checkpoint *c, int64_t before, int64_t *key,
                         mb_err *err) MB_CHECKED;
/* Removes what is unfinished, of any name. */
mb_status mb_unfinished_remove_(const char *dir, mb_err *err) MB_CHECKED;
/* Removes those of the name above `key` (of a run that this one replaces) and below the newest
 * two. */
mb_status mb_outdated_remove_(const mb_checkpoint *c, int64_t key, mb_err *err) MB_CHECKED;
/* Removes a folder and the files in it as far as it can; one that is missing is fine. dir: an open
 * folder that a relative path starts from, or AT_FDCWD. */
void mb_folder_remove_(int dir, const char *folder);
/* After it, what was renamed in a folder survives a crash of the machine. */
mb_status mb_folder_sync_(const char *path, mb_err *err) MB_CHECKED;

#endif

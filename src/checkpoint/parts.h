/* parts.h - the files of a checkpoint, and what all processes agree on. */
#ifndef MB_CHECKPOINT_PARTS_H
#define MB_CHECKPOINT_PARTS_H

#include "checkpoint/pages.h"
#include "meshbayes/checkpoint.h"

/* Kinds of files; the numbers are in the files. */
enum { MB_MANIFEST_ = 1, MB_PART_ = 2, MB_JOURNAL_ = 3 };
enum { MB_SHARE_ = 3 /* numbers of a part in the manifest: nodes, lowest id, highest id */ };

/* What is saved or loaded: the caller's things in one list. */
typedef struct mb_scope_ {
    const mb_checkpoint *c;
    const mb_problem    *p;
    mb_transport        *tp;   /* of the problem, or `none` */
    mb_transport         none; /* where the problem has none */
    mb_state             s;    /* a view */
    mb_kept             *kept; /* nkept: the caller's and the observers' */
    int32_t              nkept;
    mb_fact             *fact; /* nfact: the caller's, then the library's */
    int32_t              nfact;
    uint64_t             hash; /* of the facts */
    int64_t              t;    /* round of the checkpoint */
} mb_scope_;
mb_status mb_scope_of_(mb_arena *a, const mb_checkpoint *c, const mb_problem *p, const mb_state *s,
                       mb_scope_ *out, mb_err *err) MB_CHECKED;

/* scope.c: MB_E_ARG names the first of n facts that the other list (of a file) has otherwise. */
mb_status mb_facts_compare_(const char *path, const mb_fact *ours, int32_t n, const mb_fact *theirs,
                            int32_t nthem, mb_err *err) MB_CHECKED;

/* What the manifest says. */
typedef struct mb_manifest_ {
    int64_t    t;
    uint64_t   hash;
    mb_fact   *fact;
    int32_t    nfact;
    mb_traffic sent; /* of all processes */
    int64_t    parts;
    int64_t   *share;   /* parts x MB_SHARE_ */
    int64_t    journal; /* 1: there is one */
} mb_manifest_;
mb_status mb_manifest_write_(mb_arena *a, const char *path, const mb_scope_ *k,
                             const mb_manifest_ *m, mb_err *err) MB_CHECKED;
/* Up to the facts, to compare them. */
mb_status mb_manifest_facts_(mb_arena *a, const char *path, mb_pages_in_ *in, mb_manifest_ *out,
                             mb_err *err) MB_CHECKED;
/* All of it, into what is kept once; the file's facts are those of k. */
mb_status mb_manifest_read_(mb_arena *a, const char *path, const mb_scope_ *k, mb_manifest_ *out,
                            mb_err *err) MB_CHECKED;

/* The nodes of this process. */
mb_status mb_part_write_(mb_arena *a, const char *path, const mb_scope_ *k, mb_err *err) MB_CHECKED;
/* The nodes of this process from all parts in `dir`. */
mb_status mb_parts_read_(mb_arena *a, const char *dir, const mb_scope_ *k, const mb_manifest_ *m,
                         mb_err *err) MB_CHECKED;
mb_status mb_journal_write_(mb_arena *a, const char *path, const mb_scope_ *k,
                            mb_err *err) MB_CHECKED;
mb_status mb_journal_read_(mb_arena *a, const char *path, const mb_scope_ *k,
                           mb_err *err) MB_CHECKED;

/* list.c: checkpoints of a name in a folder. A key orders them: twice the round, 1 more for an end. */
const char *mb_key_name_(char buf[64 + 256], int64_t key, const char *name);
/* The largest key below `before`, -1: there is none. */
mb_status mb_key_newest_(const char *dir, const char *name, int64_t before, int64_t *key,
                         mb_err *err) MB_CHECKED;
/* Removes what is unfinished, of any name. */
mb_status mb_unfinished_remove_(const char *dir, mb_err *err) MB_CHECKED;
/* Removes those of the name above `key` (a run that this one replaces) and below the newest two. */
mb_status mb_outdated_remove_(const char *dir, const char *name, int64_t key,
                              mb_err *err) MB_CHECKED;

/* Moves n words between memory and a file. */
typedef mb_status (*mb_mover_)(void *file, void *words, size_t n, mb_err *err);
/* node.c: everything of row i but its letters, which lie behind it, in the order of the file. */
mb_status mb_node_move_(const mb_scope_ *k, int32_t i, int reading, mb_mover_ move, void *file,
                        double *spare, mb_err *err) MB_CHECKED;
/* Words of the longest piece that must be the same. */
size_t mb_fixed_words_(const mb_scope_ *k);
/* The same status and message on all processes: that of the first one that failed. */
mb_status mb_agree_(const mb_checkpoint *c, mb_transport *tp, mb_status st, mb_err *err) MB_CHECKED;
/* DIR/NAME. */
mb_status mb_path_(mb_arena *a, const char *dir, const char *name, const char **out,
                   mb_err *err) MB_CHECKED;
mb_status mb_part_path_(mb_arena *a, const char *dir, int64_t number, const char **out,
                        mb_err *err) MB_CHECKED;

#endif

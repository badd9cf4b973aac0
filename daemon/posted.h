/* posted.h - the log of rows that were posted since the newest checkpoint: a crash loses none of
 * them. It is files in the state folder, posted-NUMBER, each begun at a checkpoint, whose hash it
 * has. */
#ifndef MB_DAEMON_POSTED_H
#define MB_DAEMON_POSTED_H

#include "meshbayes/meshbayes.h"

typedef struct posted posted;
/* For rows of d columns, with weights if weighted is 1. Writes nothing yet. */
mb_status posted_open(const char *folder, int32_t d, int weighted, posted **out,
                      mb_err *err) MB_CHECKED;
/* NULL is allowed, here and below where nothing is returned. */
void posted_close(posted *p);
/* Who takes rows that are read from the log. */
typedef struct posted_taker {
    mb_status (*take)(void *self, const mb_rows *rows, mb_err *err);
    void *self; /* its first argument */
} posted_taker;
/* Gives the rows that came after the checkpoint of this hash (0: all that are there) and since the
 * time `least` to *to; rows that it refuses are left out. *rows: how many were taken. */
mb_status posted_replay(posted *p, uint64_t hash, int64_t least, const posted_taker *to,
                        int64_t *rows, mb_err *err) MB_CHECKED;
/* 1: rows were posted under this key (0: none), one of the last ones. */
int posted_known(const posted *p, uint64_t key);
/* Writes rows that come at `now`, before the node has them. MB_E_IO: nothing was written. */
mb_status posted_add(posted *p, int64_t now, uint64_t key, const mb_rows *rows,
                     mb_err *err) MB_CHECKED;
/* The node has refused the rows of the newest posted_add. */
void posted_undo(posted *p);
/* What is to be synced; -1: nothing. */
int posted_fd(const posted *p);
/* A checkpoint of this hash will be written: rows that come from now on are not in it. */
mb_status posted_mark(posted *p, uint64_t hash, mb_err *err) MB_CHECKED;
/* It was written: what came before is no longer needed. */
void posted_cut(posted *p);

#endif

/* turns.h - `predict` and `score` by several processes, which compute batches of rows in turn, or
 * each those of its own file. */
#ifndef MB_POSTERIOR_TURNS_H
#define MB_POSTERIOR_TURNS_H

#include "base/ranks.h"
#include "posterior/file.h"

/* Every process reads all rows, so that batches, texts and notes are those of one process, and
 * computes every size-th batch; process 0 has all results, in the order of the rows. Of rows in
 * parts (`own_part`) every process reads, computes and writes its own. */
typedef struct posterior_turns {
    const ranks       *job;
    mb_posterior_rows *rows;
    /* Results of the batch of rows into x: `width` numbers a line, and `more`. */
    mb_status (*make)(void *self, double *x, mb_err *err);
    void   *self; /* its own data */
    mb_want of;   /* says what a line is: a row, or a group */
    int32_t width, more;
    int32_t next;     /* the process whose turn it is                  */
    int     ended;    /* 1: all rows are read and handed over          */
    int     own_part; /* 1: this process has rows of its own           */
    int     over;     /* 1: and has come to their end                  */
} posterior_turns;

#define POSTERIOR_THREADS(offset)                                                                  \
    "threads", MB_OPT_INT, (offset), "0", 0, 4096,                                                 \
        .sklearn = "n_jobs",                                                                       \
        .help =                                                                                    \
            "that read CSV and compute; 0: one for each processor; results do not depend on it"
/* The rows of `file`, which `threads` threads read (0: those of this process), in read->pool.
 * Collective. */
mb_status posterior_open(mb_arena *a, const mb_posterior *p, const char *file, int need_target,
                         const ranks *job, int64_t threads, mb_data_opt *read,
                         mb_posterior_rows *out, mb_err *err) MB_CHECKED;
void      posterior_close(mb_posterior_rows *rows, mb_data_opt *read);

/* What this process reads and writes. */
typedef struct posterior_files {
    const char *data, *out; /* out NULL: none was asked for          */
    int         own_part;   /* 1: it has a part of the rows          */
    int         writes;     /* 1: results are written by this process */
} posterior_files;
/* MB_E_ARG if rows come to one process only, such as those of standard input, and there are
 * several; if there are more parts than processes; if the results of parts (`results`: there are
 * some) have one file. Collective. */
mb_status posterior_files_find(mb_arena *a, const ranks *job, int results, const mb_data_opt *read,
                               posterior_files *f, mb_err *err) MB_CHECKED;
/* The next batch into t->rows, *n lines; 0: there are no more. The process that writes gets its
 * results in x, others only their own. An error of a batch is that of all processes. Collective. */
mb_status posterior_turns_next(posterior_turns *t, double *x, int64_t *n, mb_err *err) MB_CHECKED;
/* What came of the output, st, which process 0 writes: its error is that of all. Collective. */
mb_status posterior_turns_end(const posterior_turns *t, mb_status st, mb_err *err) MB_CHECKED;

/* The command in every process of the job. Its options begin with `ranks`. */
int posterior_run(const app_command *c, int argc, char **argv);

#endif

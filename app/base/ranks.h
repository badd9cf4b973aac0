/* ranks.h - the processes of a job: this one alone, or those that mpirun started. MPI is called only
 * when the program was started under it. */
#ifndef MB_RANKS_H
#define MB_RANKS_H

#include "app.h"

typedef struct ranks {
    int32_t           rank, size; /* 0 of 1 without MPI                                    */
    int32_t           threads;    /* cores of this machine for each of its processes       */
    struct ranks_mpi *mpi;        /* NULL: MPI was not started                             */
    const mb_comm    *comm;       /* NULL: one process                                     */
    int               lost;       /* 1: the others did not answer: the job must be aborted */
} ranks;

/* Processes that a launcher says it started, from its environment; 1: none did. */
int ranks_launched(void);
/* 1 in the one process of a job that should speak before MPI is there. */
int ranks_first(void);
/* Joins the job. MB_E_NOSUP when there is one and this build has no MPI. */
mb_status ranks_open(mb_arena *a, ranks *r, mb_err *err) MB_CHECKED;
/* Collective: the error of the first process that has one, in all of them. */
#define ranks_agree(r, st, err) mb_comm_agree((r)->comm, st, err)
/* Collective: bytes of process 0, in all of them. */
#define ranks_share(r, bytes, n, err) mb_comm_share((r)->comm, bytes, n, err)
/* A failure that ends the program: 1 in the process that should print it. When only some
 * processes fail, the others are stopped by ranks_close. */
int ranks_speak(ranks *r);
/* ranks_signal.c. Splits this process in two: the one that returns works; the other, its guardian,
 * waits for it, ends as it ends, and exits with 1 and one line on standard error when it is killed.
 * Before MPI, threads and files. */
void ranks_guard(void);
/* For a signal handler of the process that works: ends it, with that line, if its guardian is gone. */
void ranks_last_words(void);
/* What is added to the one line that tells of a killed process: where to go on from. */
void ranks_notice(const char *line);
/* Leaves the job; the exit status. */
int ranks_close(ranks *r, int status);

#endif

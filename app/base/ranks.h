/* ranks.h - the processes of a job: this one alone, or those that mpirun started. MPI is called
 * only if the program was started under it. */
#ifndef MB_RANKS_H
#define MB_RANKS_H

#include "base/app.h"
#include "meshbayes/extend.h"
#include "transport/transport.h"

typedef struct ranks {
    int32_t           rank, size; /* 0 of 1 without MPI                                    */
    int32_t           threads;    /* cores of this machine for each of its processes       */
    struct ranks_mpi *mpi;        /* NULL: MPI was not started                             */
    const mb_comm    *comm;       /* NULL: one process                                     */
    int               lost;       /* 1: the others did not answer: the job must be aborted */
} ranks;

/* The number of processes that a launcher started, from its environment; 0: no launcher. */
int ranks_launched(void);
/* 1 in the process of a job that prints messages before MPI is initialised. */
int ranks_first(void);
/* Joins the job. MB_E_NOSUP if there is one and this build has no MPI. */
mb_status ranks_open(mb_arena *a, ranks *r, mb_err *err) MB_CHECKED;
/* Collective: the error of the first process that has one, in all of them. */
#define ranks_agree(r, st, err) mb_comm_agree((r)->comm, st, err)
/* Collective: copies bytes of process `from` to all of them. */
#define ranks_share(r, from, bytes, n, err) mb_comm_share((r)->comm, from, bytes, n, err)
/* Collective: the largest v of all processes, in all of them. */
mb_status ranks_most(const ranks *r, double *v, mb_err *err) MB_CHECKED;
/* parts.c: 1: the name stands for a file of each process: it has %r, and no file is called so. */
int ranks_in_parts(const char *name);
/* The file of this process in place of *name, which has %r. */
mb_status ranks_part(mb_arena *a, const ranks *r, const char **name, mb_err *err) MB_CHECKED;
/* The same of rows: MB_E_ARG if there are more parts than processes. Collective. */
mb_status ranks_rows(mb_arena *a, const ranks *r, const char **name, mb_err *err) MB_CHECKED;
/* After a failure that ends the program: 1 in the process that prints it. If only some processes
 * fail, ranks_close stops the others. */
int ranks_speak(ranks *r);
/* Splits this process in two: the one that returns works; the other, its guardian, waits for it and
 * ends with its status, or with status 1 and one line on standard error if it is killed. Call it
 * before MPI, threads and files. */
void ranks_guard(void);
/* For a signal handler of the process that works: prints that line and exits if its guardian has
 * ended. */
void ranks_last_words(void);
/* Sets the end of that line: from where the run can be resumed. */
void ranks_notice(const char *line);
/* Leaves the job; returns the exit status. */
int ranks_close(ranks *r, int status);

#endif

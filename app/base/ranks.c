/* ranks.c - the processes of a job, with MPI; ranks_signal.c holds what does not need MPI. */
#ifdef MB_MPI
#define _GNU_SOURCE 1 /* sched_getaffinity */
#include "base/ranks.h"

#include "meshbayes/mpi.h"

#include <sched.h>
#include <time.h>

enum { PATIENCE_MS = 2000 /* how long other processes may take to fail as well */ };

struct ranks_mpi {
    MPI_Comm comm;  /* of the program's own messages */
    MPI_Comm ends;  /* of the end, which may come in the middle of anything else */
    int      ended; /* 1: this process has announced its end */
};

/* Cores for this process: those of its machine, divided by the processes there. */
static int32_t cores(MPI_Comm comm)
{
    MPI_Comm  machine;
    cpu_set_t set;
    int       here = 1, mine = 1;

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        mine = CPU_COUNT(&set);
    if (MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine) ==
        MPI_SUCCESS) {
        MPI_Comm_size(machine, &here);
        MPI_Comm_free(&machine);
    }
    return mine > here ? mine / here : 1;
}

mb_status ranks_open(mb_arena *a, ranks *r, mb_err *err)
{
    int level, rank, size;

    *r = (ranks){.size = 1};
    if (!ranks_launched())
        return MB_OK;
    MB_NEW(r->mpi, a, 1, err);
    if (ranks_launched() > 1)
        ranks_guard();
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level); /* errors here end the process */
    MPI_Comm_dup(MPI_COMM_WORLD, &r->mpi->comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &r->mpi->ends);
    MPI_Comm_set_errhandler(r->mpi->comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(r->mpi->comm, &rank);
    MPI_Comm_size(r->mpi->comm, &size);
    if (ranks_launched() > size)
        MB_FAIL(
            err, MB_E_NOSUP,
            "started as %d processes, but MPI sees %d: the launcher belongs to another MPI than "
            "this program; expected the one it was built with",
            ranks_launched(), size);
    MB_TRY(mb_comm_mpi(a, r->mpi->comm, &r->comm, err));
    r->rank = rank;
    r->size = size;
    r->threads = size > 1 ? cores(r->mpi->comm) : 0;
    return MB_OK;
}

/* The largest `mine` of all processes; -1 if some did not answer in time. */
static int largest(ranks *r, int mine, int patience_ms)
{
    const struct timespec nap = {0, 1000000};
    MPI_Request           going;
    int                   all = mine, done = 0;

    r->mpi->ended = 1;
    MPI_Iallreduce(&mine, &all, 1, MPI_INT, MPI_MAX, r->mpi->ends, &going);
    for (int ms = 0; !done && (patience_ms < 0 || ms < patience_ms); ms++) {
        MPI_Test(&going, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&nap, NULL);
    }
    return done ? all : -1;
}

mb_status ranks_most(const ranks *r, double *v, mb_err *err)
{
    if (r->size > 1 &&
        MPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_DOUBLE, MPI_MAX, r->mpi->comm) != MPI_SUCCESS)
        MB_FAIL(err, MB_E_PEER, "the other processes cannot be reached");
    return MB_OK;
}

int ranks_speak(ranks *r)
{
    int loudest;

    if (r->size == 1 || r->mpi->ended)
        return r->size == 1 && ranks_first();
    loudest = largest(r, r->size - r->rank, PATIENCE_MS);
    r->lost = loudest < 0;
    return r->lost || loudest == r->size - r->rank;
}

int ranks_close(ranks *r, int status)
{
    if (!r->mpi)
        return status;
    if (r->lost) {
        fflush(stderr);
        MPI_Abort(MPI_COMM_WORLD, status);
    }
    if (r->size > 1 && !r->mpi->ended && largest(r, 0, -1) > 0 && status == APP_DONE)
        status = APP_FAILED;
    MPI_Comm_free(&r->mpi->ends);
    MPI_Comm_free(&r->mpi->comm);
    MPI_Finalize();
    r->mpi = NULL;
    return status;
}
#else
#include "base/ranks.h"

mb_status ranks_open(mb_arena *a, ranks *r, mb_err *err)
{
    (void)a;
    *r = (ranks){.size = 1};
    if (ranks_launched() > 1)
        MB_FAIL(err, MB_E_NOSUP,
                "started as %d processes, but built without MPI: each would do the whole run and "
                "write the same files; expected one process, or a program that is built "
                "where libopenmpi-dev or libmpich-dev is installed",
                ranks_launched());
    return MB_OK;
}

mb_status ranks_most(const ranks *r, double *v, mb_err *err)
{
    (void)r, (void)v, (void)err;
    return MB_OK;
}

int ranks_speak(ranks *r)
{
    (void)r;
    return ranks_first();
}

int ranks_close(ranks *r, int status)
{
    (void)r;
    return status;
}
#endif

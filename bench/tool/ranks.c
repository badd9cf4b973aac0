/* ranks.c - what the rounds of one network cost on the processes of mpirun, and which part of the time
 * is exchange: handing over, waiting for and taking in messages, and what the rounds agree on.
 * Use: mpirun -n P tool_ranks TOPOLOGY ROWS ROUNDS
 * EDGE, D = 2, K = 3, one thread a process. Process 0 prints seconds of rounds 2 to ROUNDS. */
#include "network.h"
#include "transport/mpi.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

/* A transport with a clock around another. */
typedef struct timed {
    mb_transport inner;
    double       spent; /* seconds */
} timed;

static mb_status begin(mb_transport *tp, int64_t t, mb_mail *mail, mb_err *err)
{
    timed       *in = tp->self;
    const double from = bench_wall();
    mb_status    st = in->inner.ops->begin(&in->inner, t, mail, err);

    in->spent = t <= 1 ? 0 : in->spent + bench_wall() - from; /* rounds from the second on */
    return st;
}

static mb_status end(mb_transport *tp, int64_t t, int timeout_ms, mb_mail *mail, mb_err *err)
{
    timed       *in = tp->self;
    const double from = bench_wall();
    mb_status    st = in->inner.ops->end(&in->inner, t, timeout_ms, mail, err);

    in->spent += bench_wall() - from;
    return st;
}

static mb_status reduce(mb_transport *tp, mb_reduce op, double *v, int32_t n, mb_err *err)
{
    timed       *in = tp->self;
    const double from = bench_wall();
    mb_status    st = in->inner.ops->reduce(&in->inner, op, v, n, err);

    in->spent += bench_wall() - from;
    return st;
}

static const mb_transport_ops ops = {
    .scheme = "timed", .begin = begin, .end = end, .reduce = reduce};

/* The nodes of this process, over a transport with a clock. */
static mb_status share(network *w, timed *clock, int rank, int size, mb_err *err)
{
    int32_t  *owner;
    mb_status st;

    if (size > 1) {
        MB_NEW(owner, w->a, w->n, err);
        st = mb_split_metis(w->a, &w->topology.g, size, owner, err);
        if (st == MB_E_NOSUP)
            mb_split_blocks(w->n, size, owner);
        else
            MB_TRY(st);
        MB_TRY(mb_part_share(w->a, &w->topology.g, &w->weights, owner, rank, &w->part, err));
        MB_TRY(mb_transport_mpi(w->a, &w->part, MPI_COMM_WORLD, &clock->inner, err));
        w->n = w->part.n_local;
    } else
        clock->inner = w->tp;
    w->tp = (mb_transport){.ops = &ops, .part = &w->part, .self = clock};
    return MB_OK;
}

static mb_status measure(network *w, char **arg, int rank, int size, mb_err *err)
{
    const int64_t rounds = atoll(arg[3]);
    timed         clock = {.spent = 0};
    double        wall = 0, cpu = 0, most[3];
    struct rusage use;

    MB_TRY(network_links(w, arg[1], err));
    MB_TRY(share(w, &clock, rank, size, err));
    MB_TRY(network_rows(w, atoll(arg[2]), SYN_D, SYN_K, err));
    MPI_Barrier(MPI_COMM_WORLD);
    MB_TRY(network_run(w, &mb_algo_edge, rounds, 1, &wall, &cpu, err));
    getrusage(RUSAGE_SELF, &use);
    most[0] = wall;
    most[1] = clock.spent / wall;
    most[2] = 1024.0 * (double)use.ru_maxrss;
    MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (!rank)
        printf("{\"nodes\": %d, \"processes\": %d, \"rounds\": %lld, \"wall\": %.9g, "
               "\"us_node_round_wall\": %.6g, \"exchange\": %.4g, \"peak_bytes\": %.0f}\n",
               w->total, size, (long long)rounds, most[0],
               most[0] * 1e6 / ((double)w->total * (double)(rounds - 1)), most[1], most[2]);
    return MB_OK;
}

int main(int argc, char **argv)
{
    static network w;
    mb_err         err = {.code = MB_OK};
    mb_status      st = MB_E_NOMEM;
    int            rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 4) {
        fprintf(stderr, "mpirun -n P tool_ranks TOPOLOGY ROWS ROUNDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    w.a = mb_arena_new(1 << 20);
    if (w.a)
        st = measure(&w, argv, rank, size, &err);
    if (st < 0) {
        fprintf(stderr, "tool_ranks: %s\n", w.a ? err.msg : "out of memory");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Finalize();
    mb_arena_free(w.a);
    return 0;
}

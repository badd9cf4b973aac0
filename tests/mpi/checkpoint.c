/* Under mpirun: a run saved by some ranks and resumed on another number of them is bit-identical. */
#include "arena.h"
#include "gmm_world.h"
#include "keeping.h"
#include "test.h"
#include "transport/mpi.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const NET = "geometric:n=30,side=2.6,radius=0.8";
enum { HALF = 23, WHOLE = 40 };

/* The first ranks of the job, with the nodes dealt in turns or in blocks. */
typedef struct group {
    MPI_Comm     comm;
    mb_part      part;
    mb_transport tp, faults;
    run          r;
    keeping     *k;
} group;

static mb_rows *rows_of(const world *w, const mb_part *part)
{
    mb_rows *rows = mb_alloc(arena, (size_t)part->n_local, sizeof *rows);

    for (int32_t i = 0; i < part->n_local; i++)
        rows[i] = w->rows[part->gid[i]];
    return rows;
}

static void share(group *g, const world *w, int rank, int ranks)
{
    const int32_t n = w->net->part.n_local;
    int32_t      *owner = mb_alloc(arena, (size_t)n, sizeof *owner);
    mb_err        err;

    mb_split_blocks(n, ranks, owner);
    for (int32_t i = 0; ranks % 2 && i < n; i++)
        owner[i] = i % ranks;
    must(mb_part_share(arena, &w->net->topology.g, &w->net->weights, owner, rank, &g->part, &err));
    g->part.tree = tree_of_share(arena, &w->net->topology.g, w->net->part.tree, &g->part);
    must(mb_transport_mpi(arena, &g->part, g->comm, &g->tp, &err));
}

static void join(group *g, const world *w, const mb_algo *algo, const mb_faults *f, int rank,
                 int ranks, const char *dir)
{
    const size_t len = w->model.layout.len;

    share(g, w, rank, ranks);
    g->r = (run){.w = w};
    g->r.problem = (mb_problem){.model = &w->model,
                                .algo = algo,
                                .opt = world_options(w, algo, "", f),
                                .part = &g->part,
                                .rows = rows_of(w, &g->part),
                                .scale = g->part.n_global,
                                .tp = &g->tp};
    must(mb_state_new(arena, &g->r.problem, &g->r.state, &g->r.err));
    for (int32_t i = 0; i < g->part.n_local; i++)
        memcpy(g->r.state.phi_star + (size_t)i * g->r.state.ld,
               w->star + (size_t)g->part.gid[i] * len, len * sizeof(double));
    if (f) {
        must(mb_transport_faults(arena, &g->tp, f, &g->r.state.mail, &g->faults, &g->r.err));
        g->r.problem.tp = &g->faults;
    }
    g->k = keeping_of(&g->r, dir);
    g->k->c.rank = rank;
    g->k->c.ranks = ranks;
    g->k->c.journal = rank ? NULL : &g->k->journal;
}

static void leave(group *g)
{
    keeping_end(g->k);
    g->tp.ops->close(&g->tp);
}

static void expect_same_traffic(const group *g, const run *whole)
{
    double sent[2] = {(double)g->r.state.sent.frames, (double)g->r.state.sent.bytes};

    assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, sent, 2, MPI_DOUBLE, MPI_SUM, g->comm), 0);
    assert_int_equal((int64_t)sent[0], whole->state.sent.frames);
    assert_int_equal((int64_t)sent[1], whole->state.sent.bytes);
}

/* `save` 1: half the run on the first `ranks` ranks; 0: the other half, against `whole`. */
static void half(const run *whole, const mb_faults *f, int ranks, int save, const char *dir)
{
    group g;
    int   rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks ? 0 : MPI_UNDEFINED, rank, &g.comm);
    if (rank >= ranks)
        return;
    join(&g, whole->w, whole->problem.algo, f, rank, ranks, dir);
    if (save) {
        keeping_go(g.k, HALF);
        keeping_save(g.k, 0);
    } else {
        must(keeping_load(g.k));
        assert_int_equal(g.k->once, 1000 + HALF);
        keeping_go(g.k, WHOLE);
        expect_same_rows(&g.r, whole);
        expect_same_traffic(&g, whole);
    }
    leave(&g);
    MPI_Comm_free(&g.comm);
}

static void folder_of(const char *name, char dir[128])
{
    int id = (int)getpid();

    MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(dir, 128, "/tmp/meshbayes-mpi-%d-%s", id, name);
}

static void remove_folder(const char *dir)
{
    char command[256];
    int  rank;

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(command, sizeof command, "rm -rf '%s'", dir);
    if (!rank)
        assert_int_equal(system(command), 0);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void between_all_numbers_of_ranks(const mb_faults *f)
{
    char dir[128];
    int  size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (const mb_algo *const *algo = mb_algo_list(); *algo; algo++) {
        if (f && (*algo)->needs & MB_NEEDS_EVERY_MSG)
            continue;
        run *whole =
            world_run(gmm_world(arena, keeping_net(*algo), MB_METROPOLIS, 5, 20), *algo, "", f);

        must(world_go(whole, WHOLE, 1, NULL, 0));
        for (int from = 1; from <= size; from++) {
            folder_of((*algo)->name, dir);
            half(whole, f, from, 1, dir);
            MPI_Barrier(MPI_COMM_WORLD);
            for (int to = 1; to <= size; to++)
                half(whole, f, to, 0, dir);
            remove_folder(dir);
        }
    }
}

TEST(a_run_goes_on_with_the_same_bits)
{
    between_all_numbers_of_ranks(NULL);
}

TEST(messages_on_their_way_go_on_too)
{
    const mb_faults f = {.loss = 0.1, .loss_directed = 0.2, .silent = 0.1, .delay = 2, .seed = 11};

    between_all_numbers_of_ranks(&f);
}

/* One rank's part is damaged: all ranks refuse it, with the same words. */
TEST(all_ranks_refuse_what_one_finds_damaged)
{
    const world *w = gmm_world(arena, NET, MB_METROPOLIS, 5, 20);
    char         dir[128], path[256], why[512];
    group        g;
    int          rank, size;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &g.comm);
    folder_of("damage", dir);
    join(&g, w, &mb_algo_edge, NULL, rank, size, dir);
    for (int64_t t = 5; t <= 10; t += 5) {
        keeping_go(g.k, t);
        keeping_save(g.k, 0);
    }
    snprintf(path, sizeof path, "%s/round-000000010-edge/part-%04d.mbck", dir, size - 1);
    if (!rank)
        assert_int_equal(truncate(path, 4096), 0);
    MPI_Barrier(MPI_COMM_WORLD);
    must(keeping_load(g.k));
    assert_int_equal(g.r.state.t, 5);
    assert_int_equal(g.k->refused, 1);
    memcpy(why, g.k->why, sizeof why);
    MPI_Bcast(why, sizeof why, MPI_CHAR, 0, MPI_COMM_WORLD);
    assert_string_equal(why, g.k->why);
    assert_non_null(strstr(why, path));
    leave(&g);
    MPI_Comm_free(&g.comm);
    remove_folder(dir);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int failed = run_all_tests(arena_up, arena_down);

    MPI_Finalize();
    return failed;
}

/* Under mpirun: initialisations that processes share end in the choice of one process, to the bit. */
#include "fits.h"
#include "meshbayes/mpi.h"
#include "test.h"

enum { MANY = 150 };

static const mb_comm *processes(void)
{
    const mb_comm *c;

    OK(mb_comm_mpi(arena, MPI_COMM_WORLD, &c, &err));
    return c;
}

/* Clusters that overlap, so that initialisations end in different optima, and slowly. */
static mb_table blurred(uint32_t seed)
{
    mb_rng  r = gen_rng(seed);
    double *x = doubles(2 * MANY);

    for (int32_t j = 0; j < MANY; j++) {
        x[2 * j] = 1.5 * (j % 3) + mb_rng_normal(&r);
        x[2 * j + 1] = 1.5 * (j % 2) + mb_rng_normal(&r);
    }
    return (mb_table){.rows = {.x = x, .n = MANY, .d = 2, .ld = 2}};
}

static mb_fit_opt of_components(mb_gmm_kind *gmm, int32_t count, uint64_t seed)
{
    mb_fit_opt o = mixture(gmm);

    gmm->n_components = count;
    o.start = (mb_start){.how = seed % 2 ? MB_INIT_KMEANS : MB_INIT_RANDOM, .seed = seed};
    o.how.rounds = 2000;
    return o;
}

static void same_fit(const mb_table *t, mb_fit_opt *o, const mb_comm *comm)
{
    mb_fit           alone, together;
    mb_search_result own, all;
    size_t           bytes;

    o->how.comm = NULL;
    OK(mb_fit_run(arena, NULL, t, o, &alone, &err));
    o->how.comm = comm;
    OK(mb_fit_run(arena, NULL, t, o, &together, &err));
    own = alone.found;
    all = together.found;
    bytes = alone.stages->session.c->model.layout.len * sizeof(double);
    assert_int_equal(own.attempt, all.attempt);
    assert_int_equal(own.n_init, all.n_init);
    assert_int_equal(own.at_best, all.at_best);
    assert_int_equal(own.moves, all.moves);
    assert_int_equal(own.improved, all.improved);
    assert_int_equal(alone.out.rounds, together.out.rounds);
    assert_memory_equal(&alone.out.bound, &together.out.bound, sizeof alone.out.bound);
    assert_memory_equal(alone.out.mean, together.out.mean, bytes);
    mb_fit_close(&alone);
    mb_fit_close(&together);
}

/* Three initialisations and an answer for a sample, of which three processes make one each. */
TEST(the_choice_among_three_is_that_of_one_process)
{
    enum { ALL = 5000, WIDTH = 32 };
    static double  x[ALL * WIDTH];
    const mb_table table = {.rows = {.x = x, .n = ALL, .d = WIDTH, .ld = WIDTH}};
    const mb_comm *comm = processes();
    mb_rng         r = gen_rng(5);
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = of_components(&gmm, 20, 1);

    gen_rows(&r, ALL, WIDTH, 4, x);
    opt.how.rounds = 3;
    if (comm->size == 3)
        same_fit(&table, &opt, comm);
}

TEST(the_choice_is_that_of_one_process)
{
    const mb_comm *comm = processes();

    for (uint32_t seed = 0; seed < 12; seed++) {
        const mb_table table = blurred(seed);
        mb_gmm_kind    gmm;
        mb_fit_opt     opt = of_components(&gmm, 2 + (int32_t)seed % 5, seed);

        same_fit(&table, &opt, comm);
    }
}

TEST(a_number_of_initialisations_is_met_for_any_processes)
{
    const mb_comm *comm = processes();
    const mb_table table = blurred(3);

    for (int32_t n_init = 1; n_init < 7; n_init++) {
        mb_gmm_kind gmm;
        mb_fit_opt  opt = of_components(&gmm, 4, 8);

        opt.n_init = n_init;
        opt.how.prune = n_init % 2;
        same_fit(&table, &opt, comm);
    }
}

/* What a watch sees, and how it ends the search. */
typedef struct seen {
    int32_t   count; /* attempts in this process */
    int32_t   from;  /* those from here on end with st */
    mb_status st;
} seen;

static mb_status look(void *self, mb_session *s, int32_t attempt, mb_err *e)
{
    seen *w = self;

    (void)s;
    w->count += attempt >= 0;
    if (attempt < w->from || w->st == MB_OK)
        return MB_OK;
    if (w->st == MB_STOP)
        return MB_STOP;
    MB_FAIL(e, w->st, "attempt %d", attempt);
}

static mb_status watched(const mb_comm *comm, seen *w, mb_err *e)
{
    const mb_table table = blurred(1);
    mb_gmm_kind    gmm;
    mb_fit_opt     opt = of_components(&gmm, 3, 1);
    mb_fit         fit;
    mb_status      st;

    opt.n_init = 8;
    opt.how.comm = comm;
    opt.watch = look;
    opt.self = w;
    st = mb_fit_run(arena, NULL, &table, &opt, &fit, e);
    mb_fit_close(&fit);
    return st;
}

TEST(each_process_runs_its_share)
{
    const mb_comm *comm = processes();
    seen           w = {0};

    OK(watched(comm, &w, &err));
    assert_int_equal(w.count, (8 - comm->rank + comm->size - 1) / comm->size);
}

TEST(the_first_error_is_that_of_all)
{
    const mb_comm *comm = processes();
    seen           w = {.from = 2, .st = MB_E_IO};
    mb_err         e = {0};

    assert_int_equal(watched(comm, &w, &e), MB_E_IO);
    assert_int_equal(e.code, MB_E_IO);
    assert_string_equal(e.msg, "attempt 2");
    assert_int_equal(watched(comm, &w, NULL), MB_E_IO);
}

TEST(a_stop_in_one_process_is_that_of_all)
{
    const mb_comm *comm = processes();
    seen           w = {.from = 7, .st = MB_STOP};

    assert_int_equal(watched(comm, &w, &err), MB_STOP);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int failed = run_all_tests(arena_up, arena_down);

    MPI_Finalize();
    return failed;
}

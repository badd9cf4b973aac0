/* A mesh of nodes beside the simulator: the same bits in lock step with N and H given, the same
 * answer at rest without them. */
#include "blend.h"
#include "mesh_fit.h"
#include "test.h"

enum { ROUNDS = 300, GREETING = 2 /* ticks before the first round */ };

/* phi of every node and round of a run of the simulator. */
typedef struct memory {
    double *phi;
    size_t  L;
} memory;

static mb_status remember(void *self, const mb_problem *p, const mb_state *s, mb_err *e)
{
    memory *m = self;

    (void)e;
    for (int32_t i = 0; i < p->part->n_local; i++)
        memcpy(m->phi + ((size_t)s->t * (size_t)p->part->n_local + (size_t)i) * m->L,
               s->phi + (size_t)i * s->ld, m->L * sizeof *m->phi);
    return MB_OK;
}

static void simulate(const world *w, const mb_algo *algo, memory *sim)
{
    const mb_method   how = {.algo = algo, .rounds = ROUNDS};
    const mb_start    start = {.how = MB_INIT_CENTRES, .centres = centres};
    const mb_observer look = {.self = sim, .every = 1, .see = remember};
    mb_session        s;

    sim->L = w->c.model.layout.len;
    sim->phi = mb_alloc(arena, (size_t)(ROUNDS + 1) * (size_t)w->net.n * sim->L, 8);
    OK(mb_session_open(&w->c, &how, &s, &err));
    OK(mb_session_seed(&s, &start, 0, &err));
    OK(mb_session_watch(&s, &look, &err));
    OK(mb_session_run(&s, &err));
    mb_session_close(&s);
}

static void lock_step_with_n_and_h_has_the_bits_of_the_simulator(const mb_algo *algo,
                                                                 const char    *topology,
                                                                 mb_covariance  covariance)
{
    world  w;
    memory sim;

    fit_case_with(&w, topology, covariance);
    simulate(&w, algo, &sim);
    w.plan.algo = algo;
    mesh_up(&w.m, &w.net, &w.c, &w.plan, &w.g, w.net.n, w.c.tree.hops);
    mesh_ticks(&w.m, GREETING);
    for (int t = 1; t <= ROUNDS; t++) {
        mesh_tick(&w.m);
        for (int32_t i = 0; i < w.net.n; i++) {
            const double *is = mb_peer_phi(w.m.peer[i]);
            const double *was = sim.phi + ((size_t)t * (size_t)w.net.n + (size_t)i) * sim.L;

            if (memcmp(is, was, sim.L * sizeof *is))
                fail_msg("round %d, node %d: %.17g, %.17g", t, i, is[0], was[0]);
        }
    }
}

/* The largest relative distance of all nodes from central VB. */
static double far_from(const mesh *m, const mb_fit *exact)
{
    const size_t L = exact->posterior.model->layout.len;
    double       far = 0;

    for (int32_t i = 0; i < m->net.n; i++) {
        mb_posterior p;

        OK(mb_peer_posterior(arena, m->peer[i], &p, &err));
        for (size_t l = 0; l < L; l++)
            far = fmax(far, fabs(p.par[l] - exact->posterior.par[l]) /
                                fmax(1, fabs(exact->posterior.par[l])));
    }
    return far;
}

/* Nodes that do not know N, and central VB of the rows of all. */
static void up_beside_central(world *w, const char *topology, mb_covariance covariance,
                              mb_fit *exact)
{
    const mb_table table = some_rows();
    mb_fit_opt     opt;

    fit_case_with(w, topology, covariance);
    nodes_up(w, &w->gmm, MB_GENESIS_GIVEN);
    opt = mixture(&w->gmm);
    w->gmm.covariance_type = (int32_t)covariance;
    opt.tol = 1e-12;
    OK(mb_fit_run(arena, NULL, &table, &opt, exact, &err));
}

static void with_n_unknown_the_answer_at_rest_is_that_of_central_vb(const char *topology,
                                                                    void (*tick)(mesh *m))
{
    world  w;
    mb_fit fit;

    up_beside_central(&w, topology, MB_COVARIANCE_FULL, &fit);
    assert_in_range(mesh_settle(&w.m, tick, 5000), 20, 5000);
    for (int t = 0; t < 300; t++) /* settled is 3e-7; here to the last digits */
        tick(&w.m);
    for (int32_t i = 0; i < w.net.n; i++) {
        const mb_peer_status s = mesh_look(&w.m, i);

        assert_true(fabs(s.n_nodes - w.net.n) < 1e-9);
        assert_int_equal(s.leader, 0);
        assert_true(fabs(s.bound - fit.out.bound) < 1e-6 * fabs(fit.out.bound));
    }
    assert_true(far_from(&w.m, &fit) < 1e-9);
    mb_fit_close(&fit);
}

static void half_the_frames_lost(mb_covariance covariance)
{
    world  w;
    mb_fit fit;

    up_beside_central(&w, "ring:n=6", covariance, &fit);
    w.m.loss = 0.5;
    assert_in_range(mesh_settle(&w.m, mesh_tick, 20000), 20, 20000);
    assert_true(far_from(&w.m, &fit) < 1e-6);
    mb_fit_close(&fit);
}

TEST(half_the_frames_lost_change_nothing_at_rest)
{
    for (int c = 0; c < MB_COVARIANCES; c++)
        half_the_frames_lost((mb_covariance)c);
}

TEST(a_ring_has_the_bits_of_the_simulator)
{
    for (int c = 0; c < MB_COVARIANCES; c++)
        lock_step_with_n_and_h_has_the_bits_of_the_simulator(&mb_algo_edge, "ring:n=6",
                                                             (mb_covariance)c);
}

TEST(a_star_has_the_bits_of_the_simulator)
{
    lock_step_with_n_and_h_has_the_bits_of_the_simulator(&mb_algo_edge, "star:n=7",
                                                         MB_COVARIANCE_FULL);
}

TEST(a_path_with_a_held_start_has_the_bits_of_the_simulator)
{
    lock_step_with_n_and_h_has_the_bits_of_the_simulator(&mb_algo_edge, "path:n=30",
                                                         MB_COVARIANCE_FULL);
}

TEST(another_algorithm_has_the_bits_of_the_simulator)
{
    lock_step_with_n_and_h_has_the_bits_of_the_simulator(&blend, "ring:n=6", MB_COVARIANCE_FULL);
    lock_step_with_n_and_h_has_the_bits_of_the_simulator(&blend, "star:n=7", MB_COVARIANCE_DIAG);
}

TEST(a_grid_that_does_not_know_n_ends_at_central_vb)
{
    with_n_unknown_the_answer_at_rest_is_that_of_central_vb("grid:rows=3,cols=3", mesh_tick);
}

TEST(a_star_that_does_not_know_n_ends_at_central_vb)
{
    with_n_unknown_the_answer_at_rest_is_that_of_central_vb("star:n=6", mesh_tick);
}

TEST(nodes_that_tick_in_turn_end_at_central_vb)
{
    with_n_unknown_the_answer_at_rest_is_that_of_central_vb("grid:rows=3,cols=3",
                                                            mesh_tick_in_turn);
    with_n_unknown_the_answer_at_rest_is_that_of_central_vb("star:n=6", mesh_tick_in_turn);
    with_n_unknown_the_answer_at_rest_is_that_of_central_vb("star:n=6", mesh_tick_late);
}

RUN_TESTS(arena_up, arena_down)

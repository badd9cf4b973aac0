/* Incremental VB: what goes round the ring is the mean of the nodes' shares, and it ends at the fixed
 * point of central VB. */
#include "arena.h"
#include "test.h"
#include "worlds.h"

enum { N = 10 };

/* Regression is conjugate: shares do not depend on the estimate, so two times round is the answer. */
TEST(twice_round_is_exact_where_statistics_are_fixed)
{
    world *w = linreg_world(arena, "ring:n=10", MB_METROPOLIS, 1, 40);
    run   *r = world_run(w, &mb_algo_incremental, "", NULL);

    world_solve(w);
    must(world_go(r, 2 * N - 1, 1, NULL, 0));
    assert_true(farthest(r, w->cvb) < 1e-13);
}

TEST(mixtures_end_at_the_fixed_point_of_cvb)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        world *w = gmm_world(arena, "ring:n=10", MB_METROPOLIS, seed, 60);
        run   *r = world_run(w, &mb_algo_incremental, "", NULL);

        world_solve(w);
        must(world_go(r, 400 * N, 1, NULL, 0));
        assert_true(farthest(r, w->cvb) < 1e-9);
    }
}

/* The mean of the shares over the nodes. */
static void mean_of_shares(const run *r, double *mean)
{
    const size_t len = r->w->model.layout.len;

    memset(mean, 0, len * sizeof *mean);
    for (size_t i = 0; i < N; i++)
        for (size_t l = 0; l < len; l++)
            mean[l] += r->state.aux[i * r->state.ld + l] / N;
}

/* In round N + k node k - 1 has replaced its share and node k holds the new estimate. */
TEST(the_estimate_is_the_mean_of_the_shares)
{
    world       *w = gmm_world(arena, "ring:n=10", MB_METROPOLIS, 1, 60);
    run         *r = world_run(w, &mb_algo_incremental, "", NULL);
    const size_t len = w->model.layout.len;
    double      *mean = doubles(len);

    for (int64_t t = N; t < 4 * N; t++) {
        int32_t at = 0;

        must(world_go(r, t, 1, NULL, 0));
        while (w->net->part.turn[at] != t % N)
            at++;
        mean_of_shares(r, mean);
        assert_true(apart(phi_of(r, at), mean, len) < 1e-13);
    }
}

/* The first time round the shares are those of the start: their mean is the first step of cVB. */
TEST(once_round_is_the_first_estimate_of_cvb)
{
    world       *w = gmm_world(arena, "ring:n=10", MB_METROPOLIS, 1, 60);
    run         *r = world_run(w, &mb_algo_incremental, "", NULL);
    const size_t len = w->model.layout.len;
    double      *mean = doubles(len);

    for (size_t i = 0; i < N; i++)
        for (size_t l = 0; l < len; l++)
            mean[l] += w->star[i * len + l] / N;
    must(world_go(r, N, 1, NULL, 0));
    assert_true(apart(phi_of(r, 0), mean, len) < 1e-13);
}

/* One message a round, to both neighbours; asking for bounds changes no bit. */
static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    int64_t *rounds = self;

    (void)p, (void)err;
    assert_int_equal(s->sent.frames, ++*rounds);
    for (int32_t i = 0; i < N; i++)
        assert_true(isfinite(s->bound[i]));
    return MB_OK;
}

TEST(one_node_speaks_in_a_round_and_bounds_change_nothing)
{
    const world      *w = gmm_world(arena, "ring:n=10", MB_METROPOLIS, 1, 60);
    run              *seen = world_run(w, &mb_algo_incremental, "", NULL);
    run              *alone = world_run(w, &mb_algo_incremental, "", NULL);
    int64_t           rounds = 0;
    const mb_observer obs = {.self = &rounds, .every = 1, .wants_bound = 1, .see = see};

    must(world_go(seen, 5 * N, 1, &obs, 1));
    must(world_go(alone, 5 * N, 1, NULL, 0));
    assert_memory_equal(seen->state.phi, alone->state.phi, N * seen->state.ld * sizeof(double));
}

TEST(networks_that_are_no_ring_are_refused)
{
    const world *w = gmm_world(arena, "star:n=4", MB_METROPOLIS, 1, 60);
    run         *r = world_run(w, &mb_algo_incremental, "", NULL);

    assert_int_equal(world_go(r, 1, 1, NULL, 0), MB_E_NOSUP);
    assert_non_null(strstr(r->err.msg, "ring"));
}

RUN_TESTS(arena_up, arena_down)

/* How often a run adds up rows: those of a linear regression once for each node, and for a bound at
 * another phi that needs them; those of no model where a step leaves every bit as it is. */
#include "core/loop.h"
#include "core/observe.h"
#include "linreg_world.h"
#include "test.h"

#include <stdlib.h>

enum { ROWS = 20, ROUNDS = 40, LOOK = 10 };

static const mb_model_ops *real;
static int                 calls, based = 1; /* with the model's log_base */

static mb_status count_stats(const mb_model *m, const double *phi, const mb_rows *rows, double *s,
                             double *logz, double *scratch, mb_err *err)
{
    calls++;
    return real->stats(m, phi, rows, s, logz, scratch, err);
}

/* A world whose model counts, as it is or as one that says nothing of its statistics. */
static world *counting_world(mb_arena *a, const char *text, int32_t relevance, int32_t fixed)
{
    mb_linreg_opt o = mb_linreg_defaults(LR_D, 1);
    world        *w;
    mb_model_ops *ops = mb_alloc(a, 1, sizeof *ops);

    o.relevance = relevance;
    w = linreg_world_of(a, text, MB_METROPOLIS, 1, ROWS, &o);
    real = w->model.ops;
    *ops = *real;
    assert_int_equal(ops->fixed_stats, 1);
    ops->fixed_stats = fixed;
    ops->stats = count_stats;
    ops->log_base = based ? real->log_base : NULL;
    w->model.ops = ops;
    calls = 0;
    return w;
}

static mb_status see_nothing(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    (void)self, (void)p, (void)s, (void)err;
    return MB_OK;
}

static const mb_observer bounds = {.every = LOOK, .wants_bound = 1, .see = see_nothing};

/* Runs of both models: the same bits, and how many calls each. */
static void expect_calls(const mb_algo *algo, int32_t relevance, int nobs, int once, int always)
{
    mb_arena    *a = mb_arena_new(1 << 20);
    const size_t row = sizeof(double);
    run         *r[2];

    for (int32_t fixed = 0; fixed < 2; fixed++) {
        r[fixed] = world_run(counting_world(a, "ring:n=6", relevance, fixed), algo, "", NULL);
        must(world_go(r[fixed], ROUNDS, 1, &bounds, nobs));
        assert_int_equal(calls, fixed ? once : always);
    }
    assert_memory_equal(r[0]->state.phi, r[1]->state.phi, 6 * r[0]->state.ld * row);
    assert_memory_equal(r[0]->state.phi_star, r[1]->state.phi_star, 6 * r[0]->state.ld * row);
    assert_memory_equal(r[0]->state.bound, r[1]->state.bound, 6 * row);
    mb_arena_free(a);
}

TEST(rows_of_a_regression_are_added_up_once)
{
    const mb_algo *const algos[] = {&mb_algo_edge, &mb_algo_flow, &mb_algo_admm, &mb_algo_dsvb,
                                    &mb_algo_tree};

    for (size_t k = 0; k < sizeof algos / sizeof *algos; k++)
        for (int32_t relevance = 0; relevance < 2; relevance++)
            expect_calls(algos[k], relevance, 0, 6, 6 * ROUNDS);
}

TEST(also_for_bounds)
{
    for (int32_t relevance = 0; relevance < 2; relevance++)
        expect_calls(&mb_algo_edge, relevance, 1, 6, 6 * ROUNDS);
}

/* A step beside the run, and a second run, read what is there; a seed makes it, without stats. */
TEST(once_for_all_runs_and_checks_of_a_problem)
{
    for (int32_t seeded = 0; seeded < 2; seeded++) {
        mb_arena *a = mb_arena_new(1 << 20);
        double   *star, *scratch, moved[2], bound[2];
        run      *r[2];

        for (int k = 0; k < 2; k++) {
            r[k] = world_run(counting_world(a, "ring:n=6", 1, 1), &mb_algo_edge, "", NULL);
            star = mb_alloc(a, 6 * r[k]->state.ld, sizeof *star);
            scratch = mb_alloc(a, mb_local_scratch(&r[k]->w->model), sizeof *scratch);
            if (k)
                must(mb_fixed_new_(a, &r[k]->w->model, 6, &r[k]->problem.fixed, NULL));
            for (int32_t i = 0; seeded && i < 6; i++)
                must(mb_seed_step_(&r[k]->w->model, &r[k]->w->rows[i], 6, NULL,
                                   mb_fixed_of_(r[k]->problem.fixed, &r[k]->w->model, i), star,
                                   scratch, NULL));
            must(world_go(r[k], ROUNDS / 2, 1, &bounds, 1));
            must(mb_central_check(a, &r[k]->problem, phi_of(r[k], 0), &moved[k], &bound[k], NULL));
            must(world_go(r[k], ROUNDS, 1, &bounds, 1));
            assert_int_equal(calls, !k ? 3 * 6 : seeded ? 0 : 6);
        }
        assert_memory_equal(r[0]->state.phi, r[1]->state.phi, 6 * r[0]->state.ld * sizeof(double));
        assert_memory_equal(moved, moved + 1, sizeof *moved);
        assert_memory_equal(bound, bound + 1, sizeof *bound);
        mb_arena_free(a);
    }
}

/* Its phi* is the centralised step, which is not made again. */
TEST(a_verdict_on_a_node_alone_adds_up_no_rows)
{
    mb_arena     *a = mb_arena_new(1 << 20);
    const world  *w = counting_world(a, "path:n=1", 1, 0);
    run          *r = world_run(w, &mb_algo_noncoop, "", NULL);
    run          *same = world_run(w, &mb_algo_noncoop, "", NULL);
    mb_stop_state stand;
    mb_observer   rule;
    double        moved, bound;
    int           judged;

    must(mb_stop_new(a, &r->problem, 1e-7, &stand, &rule, &r->err));
    must(world_go(r, 1000, 1, &rule, 1));
    assert_true(stand.settled);
    judged = calls;
    must(world_go(same, r->state.t, 1, NULL, 0));
    assert_int_equal(calls, 2 * judged);
    must(mb_central_check(a, &r->problem, phi_of(r, 0), &moved, &bound, &r->err));
    assert_memory_equal(&moved, &stand.moved, sizeof moved);
    mb_arena_free(a);
}

/* In the first round, and in every one that is looked at. */
TEST(and_again_for_a_bound_that_needs_rows)
{
    based = 0;
    expect_calls(&mb_algo_edge, 0, 1, 6 + 6 * ROUNDS / LOOK, 6 * ROUNDS);
    expect_calls(&mb_algo_edge, 1, 1, 6 + 6 * ROUNDS / LOOK, 6 * ROUNDS);
    based = 1;
}

/* The first phi* is the posterior: round 2 moves nothing, and neither does any later one. The bound
 * is that of the first round when the algorithm judges it, else that of the first look. */
TEST(a_node_at_rest_makes_no_step)
{
    expect_calls(&mb_algo_squarem, 0, 0, 6, 6);
    expect_calls(&mb_algo_squarem, 0, 1, 6, 6);
    expect_calls(&mb_algo_noncoop, 0, 0, 6, 6);
    expect_calls(&mb_algo_noncoop, 0, 1, 6, 12);
    based = 0;
    expect_calls(&mb_algo_noncoop, 0, 1, 12, 12);
    based = 1;
}

/* The bound that a node at rest keeps is that of its phi. */
TEST(the_bound_at_rest_is_that_of_phi)
{
    const mb_algo *const algos[] = {&mb_algo_noncoop, &mb_algo_squarem};
    double               bound, star[64], scratch[4096];

    for (int k = 0; k < 2; k++) {
        mb_arena *a = mb_arena_new(1 << 20);
        run      *r = world_run(counting_world(a, "ring:n=6", 0, 1), algos[k], "", NULL);

        assert_true(mb_local_scratch(&r->w->model) <= sizeof scratch / sizeof *scratch);
        assert_true(r->w->model.layout.len <= sizeof star / sizeof *star);
        must(world_go(r, ROUNDS, 1, &bounds, 1));
        for (int32_t i = 0; i < 6; i++) {
            must(mb_local_step(&r->w->model, &r->w->rows[i], r->problem.scale, phi_of(r, i), star,
                               &bound, NULL, scratch, &r->err));
            assert_true(r->state.bound[i] == bound);
        }
        mb_arena_free(a);
    }
}

/* phi = phi*, but in round 3 outside Omega. */
static mb_status stray_emit(mb_node *nd, const double *phi_star, double *msg, size_t ld,
                            mb_err *err)
{
    (void)ld, (void)err;
    memcpy(msg, phi_star, nd->len * sizeof *msg);
    return MB_OK;
}

static mb_status stray(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                       const mb_inbox *in, mb_err *err)
{
    (void)msg, (void)ld, (void)in, (void)err;
    memcpy(nd->phi, phi_star, nd->len * sizeof *nd->phi);
    if (nd->t == 3)
        nd->phi[0] = -1e6;
    return MB_OK;
}

static const mb_opt  no_opts[] = {{.name = NULL}};
static const mb_algo strays = {
    .name = "strays", .title = "a test's", .opts = no_opts, .emit = stray_emit, .absorb = stray};

TEST(a_phi_outside_is_seen_without_the_rows)
{
    mb_arena *a = mb_arena_new(1 << 20);
    run      *r = world_run(counting_world(a, "ring:n=6", 0, 1), &strays, "", NULL);

    must(world_go(r, 3, 1, NULL, 0));
    for (int32_t i = 0; i < 6; i++)
        assert_true(r->state.outside[i] == 1 && r->state.frozen[i] == 1);
    must(world_go(r, 5, 1, NULL, 0));
    for (int32_t i = 0; i < 6; i++)
        assert_true(r->state.outside[i] == 0 && r->state.frozen[i] == 1);
    assert_int_equal(calls, 2 * 6); /* once in each run */
    mb_arena_free(a);
}

RUN_TESTS(NULL, NULL)

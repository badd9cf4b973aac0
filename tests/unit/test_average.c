/* Averaging VB: with averaging rounds enough each VB step is one of central VB; the local step is
 * held meanwhile. */
#include "arena.h"
#include "core/observe.h"
#include "test.h"
#include "worlds.h"

enum { STEPS = 25 };

/* 0.91 (the ring's second eigenvalue) to the power 600 is below 1e-24: what is left is rounding. */
TEST(many_averaging_rounds_give_the_iterates_of_cvb)
{
    for (int k = 0; k < WORLDS; k++) {
        const world *w = worlds[k].make(arena, "ring:n=12", MB_METROPOLIS, 1, 60);
        run         *r = world_run(w, &mb_algo_average, "average.m=600", NULL);
        const size_t len = w->model.layout.len;
        double      *cvb = doubles(2 * len), *next = cvb + len;
        double      *mine = doubles(len + mb_local_scratch(&w->model));

        for (size_t i = 0; i < 12; i++)
            for (size_t l = 0; l < len; l++)
                cvb[l] += w->star[i * len + l] / 12;
        for (int t = 1; t <= STEPS; t++) {
            must(world_go(r, t * 600, 1, NULL, 0));
            assert_true(farthest(r, cvb) < 1e-12);
            memset(next, 0, len * sizeof *next);
            for (int i = 0; i < 12; i++) {
                must(mb_local_step(&w->model, &w->rows[i], 12, cvb, mine, NULL, NULL, mine + len,
                                   &r->err));
                for (size_t l = 0; l < len; l++)
                    next[l] += mine[l] / 12;
            }
            memcpy(cvb, next, len * sizeof *cvb);
        }
    }
}

TEST(one_averaging_round_is_nsg_to_the_bit)
{
    const world *w = gmm_world(arena, "geometric:n=12,side=2,radius=0.8", MB_NEAREST, 1, 60);
    run         *r = world_run(w, &mb_algo_average, "average.m=1", NULL);
    run         *q = world_run(w, &mb_algo_nsg, "", NULL);

    must(world_go(r, 40, 1, NULL, 0));
    must(world_go(q, 40, 1, NULL, 0));
    assert_memory_equal(r->state.phi, q->state.phi, 12 * r->state.ld * sizeof(double));
}

/* Root of the sum over nodes of |v_i - mean|^2. */
static double spread(const double *v, size_t ld, size_t len)
{
    double sum = 0;

    for (size_t l = 0; l < len; l++) {
        double mean = 0;

        for (size_t i = 0; i < 12; i++)
            mean += v[i * ld + l] / 12;
        for (size_t i = 0; i < 12; i++)
            sum += (v[i * ld + l] - mean) * (v[i * ld + l] - mean);
    }
    return sqrt(sum);
}

/* Doubly stochastic, symmetric weights: each round leaves at most the second eigenvalue's part. */
TEST(a_vb_step_leaves_what_the_second_eigenvalue_says)
{
    static const char *const set[] = {"average.m=1", "average.m=10", "average.m=40"};
    static const int         m[] = {1, 10, 40};
    const world   *w = gmm_world(arena, "geometric:n=12,side=2,radius=0.8", MB_METROPOLIS, 1, 60);
    const size_t   len = w->model.layout.len;
    const double   before = spread(w->star, len, len);
    mb_graph_stats stats;
    mb_err         err;

    must(mb_graph_describe(arena, &w->net->topology.g, &w->net->weights, &stats, &err));
    for (int k = 0; k < 3; k++) {
        run   *r = world_run(w, &mb_algo_average, set[k], NULL);
        double left, bound = pow(stats.lambda2, m[k]);

        must(world_go(r, m[k], 1, NULL, 0));
        left = spread(r->state.phi, r->state.ld, len) / before;
        assert_true(left < bound * (1 + 1e-9) && left > 1e-3 * bound);
    }
}

typedef struct watch {
    const run *r;
    double    *phi, *star; /* of node 3, at the last VB step */
    int        checked;
} watch;

/* m = 5: phi and phi* of a node change in rounds 5, 10, ... only. */
static mb_status see(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    watch       *w = self;
    const size_t bytes = p->model->layout.len * sizeof(double);

    (void)err;
    if (s->t > 5 && s->t % 5) {
        assert_memory_equal(w->phi, s->phi + 3 * s->ld, bytes);
        assert_memory_equal(w->star, s->phi_star + 3 * s->ld, bytes);
        w->checked++;
    }
    memcpy(w->phi, s->phi + 3 * s->ld, bytes);
    memcpy(w->star, s->phi_star + 3 * s->ld, bytes);
    return MB_OK;
}

TEST(the_local_step_is_held_while_nodes_average)
{
    const world *w = gmm_world(arena, "geometric:n=12,side=2,radius=0.8", MB_METROPOLIS, 1, 60);
    run         *r = world_run(w, &mb_algo_average, "average.m=5", NULL);
    run         *plain = world_run(w, &mb_algo_average, "average.m=5", NULL);
    const size_t len = w->model.layout.len;
    watch        eye = {.r = r};
    mb_observer  obs = {.self = &eye, .every = 1, .wants_bound = 1, .see = see};

    eye.phi = mb_alloc(arena, len, sizeof *eye.phi);
    eye.star = mb_alloc(arena, len, sizeof *eye.star);
    must(world_go(r, 40, 1, &obs, 1));
    assert_int_equal(eye.checked, 28);
    must(world_go(plain, 40, 1, NULL, 0));
    assert_memory_equal(r->state.phi, plain->state.phi, 12 * r->state.ld * sizeof(double));
}

/* Looks every 10 rounds would find phi still in the middle of 400 averaging rounds. */
TEST(the_stop_rule_counts_vb_steps)
{
    world      *w = gmm_world(arena, "ring:n=12", MB_METROPOLIS, 1, 60);
    run        *r = world_run(w, &mb_algo_average, "average.m=400", NULL);
    mb_observer stop;

    world_solve(w);
    must(mb_stop_new(arena, &r->problem, 1e-10, NULL, &stop, &r->err));
    must(world_go(r, 1000000, 1, &stop, 1));
    assert_true(r->state.t > 4 * 400 && r->state.t < 1000000);
    assert_true(farthest(r, w->cvb) < 1e-8);
}

RUN_TESTS(arena_up, arena_down)

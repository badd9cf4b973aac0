/* A network of one node that holds all rows is central VB. */
#include "arena.h"
#include "gmm_world.h"
#include "test.h"

enum { ROWS = 300, ROUNDS = 30 };

/* phi of central VB after each round, by local steps alone. */
static double *central(const world *w)
{
    const size_t len = w->model.layout.len;
    double      *phi = doubles((ROUNDS + 1) * len);
    double      *scratch = doubles(mb_local_scratch(&w->model));
    mb_err       err;

    memcpy(phi + len, w->star, len * sizeof *phi);
    for (size_t t = 2; t <= ROUNDS; t++)
        must(mb_local_step(&w->model, w->rows, 1, phi + (t - 1) * len, phi + t * len, NULL, NULL,
                           scratch, &err));
    return phi;
}

/* Where nothing is damped the arithmetic is the same, to the bit. */
TEST(undamped_methods_are_cvb_to_the_bit)
{
    const struct {
        const char *name, *set;
        int64_t     rounds;
    } row[] = {
        {"noncoop", "", ROUNDS},
        {"nsg", "", ROUNDS},
        {"admm", "", ROUNDS},
        {"edge", "edge.eta=1", ROUNDS},
        {"flow", "flow.eta=1", ROUNDS},
        {"edge", "", 2}, /* damped from round 3 on */
        {"flow", "", 1}, /* damped from round 2 on */
    };
    const world  *w = gmm_world(arena, "complete:n=1", MB_METROPOLIS, 1, ROWS);
    const size_t  len = w->model.layout.len;
    const double *cvb = central(w);

    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        run *r = world_run(w, mb_algo_find(row[k].name), row[k].set, NULL);

        for (int64_t t = 1; t <= row[k].rounds; t++) {
            must(world_go(r, t, 1, NULL, 0));
            assert_memory_equal(phi_of(r, 0), cvb + (size_t)t * len, len * sizeof *cvb);
        }
    }
}

/* phi + 1 (phi* - phi) rounds twice. */
TEST(dsvb_with_a_full_step_is_cvb_to_rounding)
{
    const world  *w = gmm_world(arena, "complete:n=1", MB_METROPOLIS, 1, ROWS);
    run          *r = world_run(w, &mb_algo_dsvb, "dsvb.tau=0", NULL);
    const double *cvb = central(w);

    must(world_go(r, ROUNDS, 1, NULL, 0));
    assert_true(apart(phi_of(r, 0), cvb + ROUNDS * w->model.layout.len, w->model.layout.len) <
                1e-12);
}

/* dSVB's steps shrink: what is left after T rounds is the product of 1 - (1 - rate) eta_t, about
 * (tau T)^(-(1 - rate)/tau) or 0.05 for the rate .88 of this problem, of a start 1 away. */
TEST(every_method_ends_at_the_fixed_point_of_cvb)
{
    world *w = gmm_world(arena, "complete:n=1", MB_METROPOLIS, 1, ROWS);

    world_solve(w);
    for (const mb_algo *const *a = mb_algo_list(); *a; a++) {
        run          *r = world_run(w, *a, "", NULL);
        const int64_t cycle = (*a)->cycle ? (*a)->cycle(r->problem.opt) : 1;

        must(world_go(r, 1000 * cycle, 1, NULL, 0));
        assert_true(farthest(r, w->cvb) < (*a == &mb_algo_dsvb ? 0.05 : 1e-10));
    }
}

typedef struct climb {
    double last;
    int    rounds;
} climb;

static mb_status see_bound(void *self, const mb_problem *p, const mb_state *s, mb_err *err)
{
    climb *c = self;

    (void)p, (void)err;
    assert_true(s->bound[0] >= c->last - 1e-12 * fabs(c->last)); /* rounding of a sum of rows */
    c->last = s->bound[0];
    c->rounds++;
    return MB_OK;
}

TEST(the_bound_never_falls)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const world      *w = gmm_world(arena, "complete:n=1", MB_METROPOLIS, seed, ROWS);
        run              *r = world_run(w, &mb_algo_noncoop, "", NULL);
        climb             c = {.last = -HUGE_VAL};
        const mb_observer obs = {.self = &c, .every = 1, .wants_bound = 1, .see = see_bound};

        must(world_go(r, 200, 1, &obs, 1));
        assert_int_equal(c.rounds, 200);
    }
}

RUN_TESTS(arena_up, arena_down)

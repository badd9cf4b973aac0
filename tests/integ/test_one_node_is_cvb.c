/* A network of one node that holds all rows is central VB. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "arena.h"
#include "gmm_world.h"

enum { ROWS = 300, ROUNDS = 30 };

/* phi of central VB after each round, by local steps alone. */
static double *central(const world *w)
{
    const size_t len = w->model.layout.len;
    double      *phi = mb_alloc(arena, (ROUNDS + 1) * len, sizeof *phi);
    double      *scratch = mb_alloc(arena, mb_local_scratch(&w->model), sizeof *scratch);
    mb_err       err;

    memcpy(phi + len, w->star, len * sizeof *phi);
    for (size_t t = 2; t <= ROUNDS; t++)
        assert_int_equal(mb_local_step(&w->model, w->rows, 1, phi + (t - 1) * len, phi + t * len,
                                       NULL, NULL, scratch, &err),
                         MB_OK);
    return phi;
}

/* Where nothing is damped the arithmetic is the same, to the bit. */
static void undamped_methods_are_cvb_to_the_bit(void **state)
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

    (void)state;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        run *r = world_run(w, mb_algo_find(row[k].name), row[k].set, NULL);

        for (int64_t t = 1; t <= row[k].rounds; t++) {
            assert_int_equal(world_go(r, t, 1, NULL, 0), MB_OK);
            assert_memory_equal(phi_of(r, 0), cvb + (size_t)t * len, len * sizeof *cvb);
        }
    }
}

/* phi + 1 (phi* - phi) rounds twice. */
static void dsvb_with_a_full_step_is_cvb_to_rounding(void **state)
{
    const world  *w = gmm_world(arena, "complete:n=1", MB_METROPOLIS, 1, ROWS);
    run          *r = world_run(w, &mb_algo_dsvb, "dsvb.tau=0", NULL);
    const double *cvb = central(w);

    (void)state;
    assert_int_equal(world_go(r, ROUNDS, 1, NULL, 0), MB_OK);
    assert_true(apart(phi_of(r, 0), cvb + ROUNDS * w->model.layout.len, w->model.layout.len) <
                1e-12);
}

/* dSVB's steps shrink: what is left after T rounds is the product of 1 - (1 - rate) eta_t, about
 * (tau T)^(-(1 - rate)/tau) or 0.05 for the rate .88 of this problem, of a start 1 away. */
static void every_method_ends_at_the_fixed_point_of_cvb(void **state)
{
    world *w = gmm_world(arena, "complete:n=1", MB_METROPOLIS, 1, ROWS);

    (void)state;
    world_solve(w);
    for (const mb_algo *const *a = mb_algo_list(); *a; a++) {
        run          *r = world_run(w, *a, "", NULL);
        const int64_t cycle = (*a)->cycle ? (*a)->cycle(r->problem.opt) : 1;

        assert_int_equal(world_go(r, 1000 * cycle, 1, NULL, 0), MB_OK);
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

static void the_bound_never_falls(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        const world      *w = gmm_world(arena, "complete:n=1", MB_METROPOLIS, seed, ROWS);
        run              *r = world_run(w, &mb_algo_noncoop, "", NULL);
        climb             c = {.last = -HUGE_VAL};
        const mb_observer obs = {.self = &c, .every = 1, .wants_bound = 1, .see = see_bound};

        assert_int_equal(world_go(r, 200, 1, &obs, 1), MB_OK);
        assert_int_equal(c.rounds, 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undamped_methods_are_cvb_to_the_bit),
        cmocka_unit_test(dsvb_with_a_full_step_is_cvb_to_rounding),
        cmocka_unit_test(every_method_ends_at_the_fixed_point_of_cvb),
        cmocka_unit_test(the_bound_never_falls),
    };
    return cmocka_run_group_tests(tests, arena_up, arena_down);
}

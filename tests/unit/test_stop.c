/* The stop rule: still over a window, at every node, inside Omega all the while. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "net.h"

enum { NODES = 3, WINDOW = 5 };

static mb_model   model;
static mb_problem problem;
static mb_state   run;

static int set_up(void **state)
{
    static const double prior[3] = {1, 2, 3};
    mb_err              err;
    if (arena_up(state))
        return 1;
    memset(&model, 0, sizeof model);
    if (mb_layout_add(&model.layout, &mb_dirichlet, 3, 1, &err) < 0)
        return 1;
    model.prior = prior;
    problem = (mb_problem){.model = &model, .part = &net_make(arena, "path:n=3")->part, .scale = 3};
    run = state_by_hand(arena, &problem);
    return 0;
}

static mb_observer rule(double tol)
{
    mb_observer out;
    mb_err      err;
    assert_int_equal(mb_stop_new(arena, &problem, tol, WINDOW, &out, &err), MB_OK);
    assert_int_equal(out.every, WINDOW);
    assert_int_equal(out.wants_bound, 0);
    return out;
}

static mb_status see_at(const mb_observer *ob, int64_t t)
{
    mb_err err;
    run.t = t;
    return ob->see(ob->self, &problem, &run, &err);
}

static void two_equal_looks_a_window_apart_stop(void **state)
{
    const mb_observer ob = rule(1e-6);
    (void)state;
    assert_int_equal(see_at(&ob, WINDOW), MB_OK); /* nothing to compare with */
    assert_int_equal(see_at(&ob, 2 * WINDOW), MB_STOP);
}

static void one_moving_node_keeps_the_run_going(void **state)
{
    const mb_observer ob = rule(1e-6);
    (void)state;
    assert_int_equal(see_at(&ob, WINDOW), MB_OK);
    for (int64_t look = 2; look < 6; look++) {
        run.phi[run.ld] += 1e-4;
        assert_int_equal(see_at(&ob, look * WINDOW), MB_OK);
    }
    run.phi[run.ld] += 1e-8; /* |phi| is about 3.7: within 1e-6 of it */
    assert_int_equal(see_at(&ob, 6 * WINDOW), MB_STOP);
}

static void tolerance_is_relative_to_the_norm(void **state)
{
    const mb_observer ob = rule(1e-3);
    (void)state;
    assert_int_equal(see_at(&ob, WINDOW), MB_OK);
    run.phi[0] += 1.1e-3 * sqrt(14); /* |(1, 2, 3)| */
    assert_int_equal(see_at(&ob, 2 * WINDOW), MB_OK);
    run.phi[0] += 0.9e-3 * sqrt(14);
    assert_int_equal(see_at(&ob, 3 * WINDOW), MB_STOP);
}

static void a_node_outside_omega_keeps_the_run_going(void **state)
{
    const mb_observer ob = rule(1e-6);
    (void)state;
    assert_int_equal(see_at(&ob, WINDOW), MB_OK);
    run.outside[2] = 1;
    assert_int_equal(see_at(&ob, 2 * WINDOW), MB_OK);
    run.outside[2] = 0;
    assert_int_equal(see_at(&ob, 3 * WINDOW), MB_STOP);
}

static void a_freeze_or_projection_between_two_looks_keeps_the_run_going(void **state)
{
    const mb_observer ob = rule(1e-6);
    (void)state;
    assert_int_equal(see_at(&ob, WINDOW), MB_OK);
    run.frozen[1]++;
    assert_int_equal(see_at(&ob, 2 * WINDOW), MB_OK);
    run.projected[0]++;
    assert_int_equal(see_at(&ob, 3 * WINDOW), MB_OK);
    assert_int_equal(see_at(&ob, 4 * WINDOW), MB_STOP);
}

static void a_look_between_windows_changes_nothing(void **state)
{
    const mb_observer ob = rule(1e-6);
    (void)state;
    assert_int_equal(see_at(&ob, WINDOW), MB_OK);
    assert_int_equal(see_at(&ob, WINDOW + 2), MB_OK); /* the last round of a run */
    assert_int_equal(see_at(&ob, 3 * WINDOW), MB_OK); /* a window was not seen */
    assert_int_equal(see_at(&ob, 4 * WINDOW), MB_STOP);
}

static void numbers_that_are_none_never_stop(void **state)
{
    const mb_observer ob = rule(1e-6);
    (void)state;
    run.phi[1] = (double)NAN;
    assert_int_equal(see_at(&ob, WINDOW), MB_OK);
    assert_int_equal(see_at(&ob, 2 * WINDOW), MB_OK);
}

static void no_tolerance_and_no_window_are_refused(void **state)
{
    mb_observer out;
    mb_err      err;
    (void)state;
    assert_int_equal(mb_stop_new(arena, &problem, 0, WINDOW, &out, &err), MB_E_ARG);
    assert_int_equal(mb_stop_new(arena, &problem, (double)NAN, WINDOW, &out, &err), MB_E_ARG);
    assert_int_equal(mb_stop_new(arena, &problem, 1e-8, 0, &out, &err), MB_E_ARG);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, arena_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(two_equal_looks_a_window_apart_stop),
        TEST(one_moving_node_keeps_the_run_going),
        TEST(tolerance_is_relative_to_the_norm),
        TEST(a_node_outside_omega_keeps_the_run_going),
        TEST(a_freeze_or_projection_between_two_looks_keeps_the_run_going),
        TEST(a_look_between_windows_changes_nothing),
        TEST(numbers_that_are_none_never_stop),
        TEST(no_tolerance_and_no_window_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

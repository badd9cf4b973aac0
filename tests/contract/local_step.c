/* local_step.c - what the generic local step promises for every model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models.h"

static void the_bound_never_falls(void **state)
{
    const double rounding = 1e-11;
    bench        b;

    (void)state;
    for (size_t i = 0; i < MODELS; i++) {
        double bound, before = -INFINITY, star[MAX_LEN];

        set_up(&b, i);
        for (int t = 0; t < 60; t++) {
            assert_int_equal(
                mb_local_step(&b.m, &b.rows, 1, b.phi, star, &bound, NULL, b.scratch, &b.err),
                MB_OK);
            assert_true(bound >= before - rounding * fabs(bound));
            before = bound;
            memcpy(b.phi, star, b.m.layout.len * sizeof *star);
        }
    }
}

/* Without rows nothing but the prior is in phi*: the bound rises by the divergence of the step's ends
 * (docs/math.md, sections 9 and 20). */
static void without_rows_a_step_gains_the_divergence_of_its_ends(void **state)
{
    bench b;

    (void)state;
    for (size_t i = 0; i < MODELS; i++) {
        mb_rows none;
        double  star[MAX_LEN], next[MAX_LEN], bound[2], kl;

        set_up(&b, i);
        none = part(&b, 0, 0);
        assert_int_equal(
            mb_local_step(&b.m, &none, 1, b.phi, star, &bound[0], NULL, b.scratch, &b.err), MB_OK);
        assert_int_equal(
            mb_local_step(&b.m, &none, 1, star, next, &bound[1], NULL, b.scratch, &b.err), MB_OK);
        assert_int_equal(mb_kl(&b.m.layout, b.phi, star, &kl, b.scratch, &b.err), MB_OK);
        assert_near(bound[1] - bound[0], kl, 1e-9);
    }
}

/* eq. (20): the mean of the local phi* with N replicas is the pooled phi*. */
static void mean_of_local_steps_is_the_pooled_step(void **state)
{
    enum { NODES = 3 };
    const int64_t cut[NODES + 1] = {0, 20, 21, ROWS};
    bench         b;

    (void)state;
    for (size_t i = 0; i < MODELS; i++) {
        double star[MAX_LEN], pooled[MAX_LEN], mean[MAX_LEN] = {0};

        set_up(&b, i);
        for (int v = 0; v < NODES; v++) {
            const mb_rows own = part(&b, cut[v], cut[v + 1] - cut[v]);

            assert_int_equal(
                mb_local_step(&b.m, &own, NODES, b.phi, star, NULL, NULL, b.scratch, &b.err),
                MB_OK);
            for (size_t l = 0; l < b.m.layout.len; l++)
                mean[l] += star[l] / NODES;
        }
        assert_int_equal(
            mb_local_step(&b.m, &b.rows, 1, b.phi, pooled, NULL, NULL, b.scratch, &b.err), MB_OK);
        assert_all_near(mean, pooled, b.m.layout.len, 1e-13);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_never_falls),
        cmocka_unit_test(without_rows_a_step_gains_the_divergence_of_its_ends),
        cmocka_unit_test(mean_of_local_steps_is_the_pooled_step),
    };

    return cmocka_run_group_tests(tests, arena_up, arena_down);
}

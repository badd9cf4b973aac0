/* predict.c - what every model promises of its predictions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models.h"

static void responsibilities_sum_to_one_and_labels_are_their_largest(void **state)
{
    bench  b;
    double label[ROWS];

    (void)state;
    for (size_t i = 0; i < MODELS; i++) {
        set_up(&b, i);
        if (b.m.K == 0)
            continue;
        assert_int_equal(
            b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_RESP, b.resp, b.scratch, &b.err), MB_OK);
        assert_int_equal(
            b.m.ops->predict(&b.m, b.phi, &b.rows, MB_WANT_LABEL, label, b.scratch, &b.err), MB_OK);
        for (int j = 0; j < ROWS; j++) {
            const double *r = b.resp + j * b.m.K;
            double        sum = 0;
            int32_t       best = 0;

            for (int32_t k = 0; k < b.m.K; k++) {
                sum += r[k];
                best = r[k] > r[best] ? k : best;
            }
            assert_near(sum, 1, 1e-14);
            assert_int_equal((int32_t)label[j], best);
        }
    }
}

static mb_status offers(const bench *b, mb_want want)
{
    for (int32_t k = 0; k < b->kind->nwants; k++)
        if (b->kind->wants[k] == want)
            return MB_OK;
    return MB_E_NOSUP;
}

/* Responsibilities and labels for those with components, of a target what the kind says. */
static void a_prediction_it_has_not_is_refused(void **state)
{
    const mb_want components[] = {MB_WANT_RESP, MB_WANT_LABEL};
    const mb_want target[] = {MB_WANT_MEAN_VAR, MB_WANT_INTERVAL};
    bench         b;

    (void)state;
    for (size_t i = 0; i < MODELS; i++)
        for (int w = 0; w < 2; w++) {
            double out[3 * ROWS * 4];

            set_up(&b, i);
            assert_int_equal(
                b.m.ops->predict(&b.m, b.phi, &b.rows, components[w], out, b.scratch, &b.err),
                offers(&b, components[w]));
            assert_int_equal(
                b.m.ops->predict(&b.m, b.phi, &b.rows, target[w], out, b.scratch, &b.err),
                offers(&b, target[w]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(responsibilities_sum_to_one_and_labels_are_their_largest),
        cmocka_unit_test(a_prediction_it_has_not_is_refused),
    };

    return cmocka_run_group_tests(tests, arena_up, arena_down);
}

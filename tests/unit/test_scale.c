/* Common origin and scale: powers of two, the same for any network, no overflow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "net.h"

typedef struct agreed {
    double    origin[2], scale[2];
    uint8_t   constant[2];
    mb_status status;
} agreed;

/* n rows of two columns, all but the first row at the last node; the first at node 0. */
static agreed agree(const char *topology, const double *x, int64_t n)
{
    net          *net_ = net_make(arena, topology);
    mb_rows      *rows = mb_alloc(arena, (size_t)net_->part.n_local, sizeof *rows);
    mb_traffic    sent = {0, 0};
    mb_err        err;
    agreed        out;
    const int32_t last = net_->part.n_local - 1;
    for (int32_t i = 0; i <= last; i++)
        rows[i] = (mb_rows){.d = 2, .ld = 2};
    if (last > 0 && n > 0)
        rows[0] = (mb_rows){.x = x, .n = 1, .d = 2, .ld = 2};
    rows[last] = last > 0 && n > 0 ? (mb_rows){.x = x + 2, .n = n - 1, .d = 2, .ld = 2}
                                   : (mb_rows){.x = x, .n = n, .d = 2, .ld = 2};
    out.status =
        mb_agree_scale(arena, &net_->tp, rows, 2, out.origin, out.scale, out.constant, &sent, &err);
    return out;
}

static void origin_is_the_midpoint_and_scale_the_nearest_power_of_two(void **state)
{
    const double x[] = {0, -3, 16, -1, 4, 5}; /* ranges 16 and 8 */
    const agreed s = agree("path:n=4", x, 3);
    (void)state;
    assert_int_equal(s.status, MB_OK);
    assert_true(s.origin[0] == 8 && s.origin[1] == 1);
    assert_true(s.scale[0] == 4 && s.scale[1] == 2);
    assert_true(!s.constant[0] && !s.constant[1]);
}

static void a_quarter_of_the_range_is_within_sqrt_two_of_the_scale(void **state)
{
    mb_rng rng = mb_rng_at(3, MB_STREAM_DATA, 0, 0);
    (void)state;
    for (int trial = 0; trial < 300; trial++) {
        const double range = pow(10, -250 + 500 * mb_rng_uniform(&rng));
        const double x[] = {0, 0, range, 2 * range};
        const agreed s = agree("path:n=2", x, 2);
        int          e;
        assert_int_equal(s.status, MB_OK);
        assert_true(frexp(s.scale[0], &e) == 0.5); /* a power of two */
        assert_true(range / 4 / s.scale[0] >= sqrt(0.5) && range / 4 / s.scale[0] < sqrt(2.0));
        assert_true(s.scale[1] == 2 * s.scale[0]);
    }
}

static void neither_the_largest_nor_the_smallest_range_overflows(void **state)
{
    const double x[] = {-1.7e308, 0, 1.7e308, 4.9406564584124654e-324};
    const agreed s = agree("ring:n=3", x, 2);
    (void)state;
    assert_int_equal(s.status, MB_OK);
    assert_true(s.origin[0] == 0);
    assert_true(s.scale[0] == ldexp(1, 1023)); /* 8.5e307 against 2^1023 = 9.0e307 */
    assert_true(s.scale[1] == ldexp(1, -1022));
    assert_true(isfinite(1 / s.scale[1]));
}

static void a_constant_column_keeps_its_value_as_origin_and_scale_one(void **state)
{
    const double x[] = {0.1, 1, 0.1, 2, 0.1, 3};
    const agreed s = agree("star:n=4", x, 3);
    (void)state;
    assert_int_equal(s.status, MB_OK);
    assert_true(s.constant[0] == 1 && s.constant[1] == 0);
    assert_true(s.origin[0] == 0.1 && s.scale[0] == 1);
}

static void every_network_agrees_on_the_same_bits(void **state)
{
    const double      x[] = {0.3, 1e6 + 0.1, 0.7, 1e6 - 1, -2.3, 1e6, 0.01, 1e6 + 2.7};
    const char *const other[] = {"ring:n=5", "star:n=8", "path:n=12", "grid:rows=2,cols=3"};
    const agreed      one = agree("complete:n=1", x, 4);
    (void)state;
    assert_int_equal(one.status, MB_OK);
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        const agreed s = agree(other[k], x, 4);
        assert_int_equal(s.status, MB_OK);
        assert_memory_equal(s.origin, one.origin, sizeof s.origin);
        assert_memory_equal(s.scale, one.scale, sizeof s.scale);
    }
}

static void a_network_without_rows_is_an_argument_error(void **state)
{
    (void)state;
    assert_int_equal(agree("path:n=3", NULL, 0).status, MB_E_ARG);
}

static void a_value_that_is_no_number_is_refused(void **state)
{
    double x[] = {0, 1, 2, 3};
    (void)state;
    x[3] = (double)NAN;
    assert_int_equal(agree("path:n=2", x, 2).status, MB_E_NUMERIC);
    x[3] = HUGE_VAL;
    assert_int_equal(agree("path:n=2", x, 2).status, MB_E_NUMERIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(origin_is_the_midpoint_and_scale_the_nearest_power_of_two),
        cmocka_unit_test(a_quarter_of_the_range_is_within_sqrt_two_of_the_scale),
        cmocka_unit_test(neither_the_largest_nor_the_smallest_range_overflows),
        cmocka_unit_test(a_constant_column_keeps_its_value_as_origin_and_scale_one),
        cmocka_unit_test(every_network_agrees_on_the_same_bits),
        cmocka_unit_test(a_network_without_rows_is_an_argument_error),
        cmocka_unit_test(a_value_that_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, arena_up, arena_down);
}

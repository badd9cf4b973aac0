/* Moments of the columns over a network, and common units: exact shifts, powers of two, no
 * overflow. */
#include "arena.h"
#include "base/rows.h"
#include "gen.h"
#include "net.h"
#include "start/moments.h"
#include "start/start.h"
#include "test.h"

typedef struct agreed {
    mb_row_moments m;
    double         origin[2], scale[2];
    mb_status      status;
} agreed;

/* n rows of two columns, all but the first row at the last node; the first at node 0. w: weights, or
 * NULL. */
static agreed agree_weighted(const char *topology, const double *x, const double *w, int64_t n)
{
    net          *net_ = net_make(arena, topology);
    mb_rows      *rows = mb_alloc(arena, (size_t)net_->part.n_local, sizeof *rows);
    const mb_rows all = {.x = x, .w = w, .n = n, .d = 2, .ld = 2};
    mb_traffic    sent = {0, 0};
    mb_tree       tree;
    mb_err        err;
    agreed        out;
    const int32_t last = net_->part.n_local - 1;
    for (int32_t i = 0; i <= last; i++)
        rows[i] = (mb_rows){.d = 2, .ld = 2};
    if (last > 0 && n > 0)
        rows[0] = mb_rows_part(&all, 0, 1);
    rows[last] = last > 0 && n > 0 ? mb_rows_part(&all, 1, n - 1) : all;
    must(mb_agree_tree(arena, arena, &net_->tp, &tree, &sent, &err));
    out.status =
        mb_agree_moments(arena, arena, &net_->tp, &tree, rows, 2, 1, 0, NULL, &out.m, &sent, &err);
    if (out.status == MB_OK)
        mb_common_units(&out.m, out.origin, out.scale);
    return out;
}

static agreed agree(const char *topology, const double *x, int64_t n)
{
    return agree_weighted(topology, x, NULL, n);
}

static void expect_near(double got, double expected, double relative)
{
    assert_true(fabs(got - expected) <= relative * fabs(expected));
}

TEST(moments_are_those_of_np_cov)
{
    /* numpy: np.cov(x.T), and np.cov(x.T, fweights=[2, 1, 4]) */
    const double x[] = {0, -3, 16, -1, 4, 5}, w[] = {2, 1, 4};
    agreed       s = agree("path:n=4", x, 3);
    assert_int_equal(s.status, MB_OK);
    assert_true(s.m.weight == 3);
    expect_near(s.m.mean[0], 20.0 / 3, 1e-15);
    expect_near(s.m.mean[1], 1.0 / 3, 1e-14);
    expect_near(s.m.cov[0], 208.0 / 3, 1e-14); /* (272 - 400/3)/2 */
    expect_near(s.m.cov[1], -4.0 / 3, 1e-14);  /* (4 - 20/3)/2 */
    expect_near(s.m.cov[3], 52.0 / 3, 1e-14);  /* (35 - 1/3)/2 */
    assert_true(s.m.cov[1] == s.m.cov[2]);
    expect_near(s.m.sd[0], sqrt(208.0 / 3), 1e-14);
    s = agree_weighted("ring:n=3", x, w, 3);
    assert_true(s.m.weight == 7);
    expect_near(s.m.mean[0], 32.0 / 7, 1e-15);
    expect_near(s.m.mean[1], 13.0 / 7, 1e-15);
    expect_near(s.m.cov[0], (320 - 32.0 * 32 / 7) / 6, 1e-14);
    expect_near(s.m.cov[1], (64 - 32.0 * 13 / 7) / 6, 1e-14);
    expect_near(s.m.cov[3], (119 - 13.0 * 13 / 7) / 6, 1e-14);
}

/* Of n rows of two columns at one node. ends: -low, then high. */
static mb_row_moments inside(const double *x, int64_t n, const double *ends)
{
    const mb_rows  rows = {.x = x, .n = n, .d = 2, .ld = 2};
    net           *one = net_make(arena, "path:n=1");
    mb_traffic     sent = {0, 0};
    mb_tree        tree;
    mb_row_moments m;
    mb_err         err;
    must(mb_agree_tree(arena, arena, &one->tp, &tree, &sent, &err));
    must(mb_agree_moments(arena, arena, &one->tp, &tree, &rows, 2, 1, 0, ends, &m, &sent, &err));
    return m;
}

/* Nobody sees the ends of the rows. */
TEST(stated_ends_are_in_place_of_those_of_the_rows)
{
    const double         x[] = {0, -3, 16, -1, 4, 5}, ends[] = {0, 100, 1e3, 5};
    const mb_row_moments m = inside(x, 3, ends);
    expect_near(m.mean[0], 20.0 / 3, 1e-14);
    expect_near(m.cov[3], 52.0 / 3, 1e-13);
    assert_true(m.middle[0] == 500 && m.middle[1] == -47.5);
}

/* Rounding of the sums grows with the rows. */
TEST(a_constant_column_inside_stated_ends_is_constant)
{
    enum { MOST = 60000 };
    static const double  ends[] = {0, 9, 1, 9};
    static const int64_t rows[] = {1, 3, 60, 6000, MOST};
    double              *x = mb_alloc(arena, 2 * MOST, sizeof *x);
    for (int64_t j = 0; j < MOST; j++) {
        x[2 * j] = 0.1;
        x[2 * j + 1] = (double)(j % 7);
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const mb_row_moments m = inside(x, rows[k], ends);
        assert_true(m.constant[0] && m.constant[1] == (rows[k] == 1));
        assert_true(m.sd[0] == 0 && m.cov[0] == 0 && m.cov[1] == 0 && m.cov[2] == 0);
        assert_true(m.spread[0] == 1 && m.middle[0] == m.mean[0]);
        expect_near(m.mean[0], 0.1, 1e-11);
    }
}

TEST(a_column_that_varies_little_inside_stated_ends_is_not_constant)
{
    const double         ends[] = {0, 9, 1, 9}, x[] = {0.1, 0, 0.1 + 1e-12, 1, 0.1, 2};
    const mb_row_moments m = inside(x, 3, ends);
    assert_true(!m.constant[0]);
    expect_near(m.sd[0], 1e-12 / sqrt(3), 1e-3);
}

TEST(columns_far_from_zero_lose_no_digits)
{
    double x[2000];
    agreed near, far;
    for (int j = 0; j < 1000; j++) {
        x[2 * j] = j % 7;
        x[2 * j + 1] = j % 11;
    }
    near = agree("star:n=3", x, 1000);
    for (int j = 0; j < 1000; j++)
        x[2 * j] += 4503599627370496.0; /* 2^52: whole numbers remain exact */
    far = agree("star:n=3", x, 1000);
    assert_memory_equal(near.m.cov, far.m.cov, 4 * sizeof(double));
    assert_memory_equal(near.m.sd, far.m.sd, 2 * sizeof(double));
}

TEST(values_of_1e100_and_weights_of_1e15_do_not_overflow)
{
    const double x[] = {-1e100, 1, 1e100, 2, 1e100, 3, -1e100, 4}, w[] = {1e15, 1e15, 1e15, 1e15};
    const agreed s = agree_weighted("path:n=2", x, w, 4);
    assert_int_equal(s.status, MB_OK);
    assert_true(fabs(s.m.mean[0]) <= 1e85);
    expect_near(s.m.sd[0], 1e100, 1e-14);
    expect_near(s.m.cov[0], 1e200, 1e-14);
    expect_near(s.m.mean[1], 2.5, 1e-15);
}

TEST(one_row_has_no_spread)
{
    const double x[] = {0.1, 7};
    const agreed s = agree("complete:n=1", x, 1);
    assert_int_equal(s.status, MB_OK);
    assert_true(s.m.mean[0] == 0.1 && s.m.mean[1] == 7 && s.m.sd[0] == 0 && s.m.cov[3] == 0);
    assert_true(s.m.constant[0] && s.origin[0] == 0.1 && s.scale[0] == 1);
}

/* Rows of weight 0 count in the range, but not in the moments. */
TEST(a_column_may_vary_in_rows_of_weight_zero_only)
{
    const double x[] = {0, 1, 16, 2, 0, 3}, none[] = {0, 0, 0};
    const double v[] = {1, 0, 2};
    agreed       s = agree_weighted("path:n=2", x, v, 3);
    assert_true(!s.m.constant[0] && s.m.sd[0] == 0 && s.m.mean[0] == 0);
    assert_true(s.scale[0] == 4 && s.origin[0] == 0); /* a quarter of the range */
    s = agree_weighted("path:n=2", x, none, 3);
    assert_int_equal(s.status, MB_OK);
    assert_true(s.m.weight == 0 && s.m.mean[0] == 8 && s.m.sd[0] == 0);
}

TEST(middle_and_spread_are_those_of_the_range)
{
    const double x[] = {0, -3, 16, -1, 4, 5}; /* ranges 16 and 8 */
    const agreed s = agree("path:n=4", x, 3);
    assert_true(s.m.middle[0] == 8 && s.m.middle[1] == 1);
    assert_true(s.m.spread[0] == 4 && s.m.spread[1] == 2);
    assert_true(!s.m.constant[0] && !s.m.constant[1]);
}

TEST(the_scale_is_within_sqrt_two_of_the_standard_deviation)
{
    mb_rng rng = mb_rng_at(3, MB_STREAM_DATA, 0, 0);
    for (int trial = 0; trial < 300; trial++) {
        const double range = pow(10, -250 + 500 * mb_rng_uniform(&rng));
        const double x[] = {0, 0, range, 2 * range}; /* sd = range/sqrt 2 */
        const agreed s = agree("path:n=2", x, 2);
        int          e;
        assert_int_equal(s.status, MB_OK);
        assert_true(frexp(s.scale[0], &e) == 0.5); /* a power of two */
        assert_true(range / 2 / s.scale[0] >= 0.5 * (1 - 1e-14) && range / 2 / s.scale[0] < 1);
        assert_true(range / 4 / s.m.spread[0] >= sqrt(0.5) &&
                    range / 4 / s.m.spread[0] < sqrt(2.0));
        assert_true(s.scale[1] == 2 * s.scale[0]);
        assert_true(fabs(s.origin[0] - range / 2) <= s.scale[0] / 128);
    }
}

TEST(neither_the_largest_nor_the_smallest_range_overflows)
{
    const double x[] = {-1.7e308, 0, 1.7e308, 4.9406564584124654e-324};
    const agreed s = agree("ring:n=3", x, 2);
    assert_int_equal(s.status, MB_OK);
    assert_true(s.origin[0] == 0);
    assert_true(s.scale[0] == ldexp(1, 1023)); /* 8.5e307 against 2^1023 = 9.0e307 */
    assert_true(s.scale[1] == ldexp(1, -1022));
    assert_true(isfinite(1 / s.scale[1]));
}

TEST(a_constant_column_keeps_its_value_as_origin_and_scale_one)
{
    const double x[] = {0.1, 1, 0.1, 2, 0.1, 3};
    const agreed s = agree("star:n=4", x, 3);
    assert_int_equal(s.status, MB_OK);
    assert_true(s.m.constant[0] == 1 && s.m.constant[1] == 0);
    assert_true(s.m.mean[0] == 0.1 && s.m.sd[0] == 0 && s.m.cov[0] == 0 && s.m.cov[1] == 0);
    assert_true(s.origin[0] == 0.1 && s.scale[0] == 1);
}

TEST(every_network_agrees_on_the_same_units)
{
    const double      x[] = {0.3, 1e6 + 0.1, 0.7, 1e6 - 1, -2.3, 1e6, 0.01, 1e6 + 2.7};
    const char *const other[] = {"ring:n=5", "star:n=8", "path:n=12", "grid:rows=2,cols=3"};
    const agreed      one = agree("complete:n=1", x, 4);
    assert_int_equal(one.status, MB_OK);
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        const agreed s = agree(other[k], x, 4);
        assert_int_equal(s.status, MB_OK);
        assert_memory_equal(s.origin, one.origin, sizeof s.origin);
        assert_memory_equal(s.scale, one.scale, sizeof s.scale);
    }
}

TEST(a_network_without_rows_is_an_argument_error)
{
    assert_int_equal(agree("path:n=3", NULL, 0).status, MB_E_ARG);
}

TEST(a_value_that_is_no_number_is_refused)
{
    double x[] = {0, 1, 2, 3};
    x[3] = (double)NAN;
    assert_int_equal(agree("path:n=2", x, 2).status, MB_E_NUMERIC);
    x[3] = HUGE_VAL;
    assert_int_equal(agree("path:n=2", x, 2).status, MB_E_NUMERIC);
}

TEST(one_node_needs_no_network)
{
    const double   x[] = {0, -3, 16, 0, 4, 5e7, 1, 1}, w[] = {2, 1, 4, 0};
    const mb_rows  rows = {.x = x, .w = w, .n = 4, .d = 2, .ld = 2};
    const agreed   s = agree_weighted("path:n=1", x, w, 4);
    mb_row_moments own;
    mb_err         err;
    must(mb_moments_of_(arena, arena, &rows, 1, &own, &err));
    assert_memory_equal(&own.weight, &s.m.weight, sizeof own.weight);
    assert_memory_equal(own.mean, s.m.mean, 2 * sizeof(double));
    assert_memory_equal(own.sd, s.m.sd, 2 * sizeof(double));
    assert_memory_equal(own.middle, s.m.middle, 2 * sizeof(double));
    assert_memory_equal(own.spread, s.m.spread, 2 * sizeof(double));
    assert_memory_equal(own.cov, s.m.cov, 4 * sizeof(double));
    assert_memory_equal(own.constant, s.m.constant, 2);
}

/* Up to the most columns that are summed in panels, and beyond; the last rows are no whole panel. */
TEST(many_columns_have_the_sums_of_row_by_row)
{
    static const int32_t widths[] = {47, 48, 53, 500, 1100};
    enum { ROWS = 45, WIDE = 1100 };
    mb_rng         r = gen_rng(4);
    double        *x = doubles(ROWS * WIDE), *w = doubles(ROWS), *mean = doubles(WIDE);
    double        *z = doubles(WIDE), *together = doubles(WIDE * (WIDE + 1) / 2);
    double        *alone = doubles(WIDE * (WIDE + 1) / 2);
    mb_row_moments m;

    for (size_t k = 0; k < ROWS * WIDE; k++)
        x[k] = mb_rng_normal(&r);
    for (size_t j = 0; j < ROWS; j++)
        w[j] = mb_rng_uniform(&r);
    must(mb_moments_new_(arena, WIDE, 1, 0, &m, NULL));
    for (int32_t d = 0; d < WIDE; d++) {
        m.spread[d] = d % 2 ? 2 : 0.25;
        m.middle[d] = mean[d] = 0.01 * d;
    }
    for (int k = 0; k < 10; k++) {
        const mb_rows rows = {
            .x = x, .w = k % 2 ? w : NULL, .n = ROWS, .d = widths[k / 2], .ld = WIDE};
        const size_t bytes = mb_second_len_(rows.d, 1, 0) * sizeof *alone;

        m.d = rows.d;
        memset(together, 0, bytes);
        memset(alone, 0, bytes);
        mb_add_second_(&m, &rows, mean, z, together);
        for (int64_t j = 0; j < ROWS; j++) {
            const mb_rows one = mb_rows_part(&rows, j, 1);

            mb_add_second_(&m, &one, mean, z, alone);
        }
        assert_memory_equal(together, alone, bytes);
    }
}

RUN_TESTS(arena_up, arena_down)

/* Limits of the rows: medians, quartiles, and how far a row may be in one column and in many. */
#include "arena.h"
#include "net.h"
#include "start/moments.h"
#include "start/start.h"
#include "test.h"

enum { ROWS = 101, MOST = 9 };

/* The limits of n rows of D columns, all at the last node of a path of three. */
static mb_limits limits_of(const double *x, int64_t n, int32_t D, double widths)
{
    net       *net_ = net_make(arena, "path:n=3");
    mb_rows    rows[3] = {{.d = D, .ld = D}, {.d = D, .ld = D}, {.x = x, .n = n, .d = D, .ld = D}};
    mb_traffic sent = {0, 0};
    mb_tree    tree;
    mb_row_moments seen;
    mb_limits      out;
    mb_err         err;

    must(mb_agree_tree(arena, arena, &net_->tp, &tree, &sent, &err));
    must(mb_agree_moments(arena, arena, &net_->tp, &tree, rows, D, 0, 0, NULL, &seen, &sent, &err));
    must(
        mb_agree_limits(arena, arena, &net_->tp, &tree, rows, &seen, widths, 1, &out, &sent, &err));
    return out;
}

/* 0 to 99 and a value far out, in each of D columns; `constant` columns more are 7. */
static mb_limits of_columns(int32_t D, int32_t constant)
{
    const int32_t all = D + constant;
    double        x[ROWS * MOST];

    assert_true(all <= MOST);
    for (int j = 0; j < ROWS; j++)
        for (int d = 0; d < all; d++)
            x[j * all + d] = d >= D ? 7 : j < ROWS - 1 ? j : 1e6;
    return limits_of(x, ROWS, all, 5);
}

TEST(one_column_has_its_median_and_five_of_its_robust_deviations)
{
    const mb_limits l = of_columns(1, 0);
    const double    five = 5 * 50 / 1.3489795003921634;

    assert_int_equal(l.d, 1);
    assert_true(fabs(l.middle[0] - 50) <= 50.0 / 64 + 1); /* a value more or less at each side */
    assert_true(fabs(l.reach[0] - five) <= five * (2.0 / 64 + 2.0 / 50));
}

/* sqrt(1 + 24/sqrt(n)) beside 5, from four columns on that of four. */
TEST(many_columns_have_narrower_limits)
{
    const double  one = of_columns(1, 0).reach[0];
    const int32_t columns[] = {2, 3, 4, 5, 9};
    const double  square[] = {17.970562748477143, 14.856406460551018, 13, 13, 13};

    for (int k = 0; k < 5; k++) {
        const mb_limits l = of_columns(columns[k], 0);

        assert_int_equal(l.d, columns[k]);
        for (int32_t d = 0; d < l.d; d++)
            assert_true(fabs(l.reach[d] / one - sqrt(square[k]) / 5) <= 1e-15);
    }
}

TEST(a_constant_column_has_no_say)
{
    const mb_limits without = of_columns(2, 0), l = of_columns(2, 3);

    assert_int_equal(l.d, 5);
    for (int d = 0; d < 5; d++)
        assert_true(l.reach[d] == (d < 2 ? without.reach[d] : 0));
}

TEST(where_no_row_is_far_or_more_than_a_quarter_there_are_no_limits)
{
    double x[100];

    for (int j = 0; j < 100; j++)
        x[j] = j;
    assert_int_equal(limits_of(x, 100, 1, 5).d, 0);
    for (int j = 76; j < 100; j++)
        x[j] = 1e6;
    assert_int_equal(limits_of(x, 100, 1, 5).d, 1); /* 24 of 100, and the third quartile is 75 */
    for (int j = 70; j < 100; j++)
        x[j] = j % 2 ? 1e6 : -1e6; /* both ways, so that the quartiles remain near */
    assert_int_equal(limits_of(x, 100, 1, 5).d, 0);
}

RUN_TESTS(arena_up, arena_down)

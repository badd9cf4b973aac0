/* Minimum-cost assignment against all permutations. */
#include "core/observe.h"
#include "test.h"

enum { MOST = 6 };

/* Smallest cost of rows r.. of m, over columns not in `used`. */
static double brute(const double *cost, int32_t m, int32_t n, int32_t r, unsigned used)
{
    double best = HUGE_VAL;
    if (r == m)
        return 0;
    for (int32_t c = 0; c < n; c++)
        if (!(used & 1u << c))
            best = fmin(best, cost[r * n + c] + brute(cost, m, n, r + 1, used | 1u << c));
    return best;
}

static double solve(const double *cost, int32_t m, int32_t n)
{
    double   scratch[64], sum = 0;
    int32_t  col[MOST];
    unsigned used = 0;
    mb_err   err;
    assert_true(mb_assign_scratch(m, n) <= sizeof scratch);
    must(mb_assign(cost, m, n, col, scratch, &err));
    for (int32_t r = 0; r < m; r++) {
        assert_in_range(col[r], 0, n - 1);
        assert_false(used & 1u << col[r]); /* one to one */
        used |= 1u << col[r];
        sum += cost[r * n + col[r]];
    }
    return sum;
}

/* Costs are integers times `unit`, `levels` of them around `shift`: sums are exact. */
static void compare_all_shapes(double unit, uint64_t levels, double shift)
{
    mb_rng rng = mb_rng_at(11, MB_STREAM_DATA, 0, levels);
    double cost[MOST * MOST];
    for (int32_t n = 1; n <= MOST; n++)
        for (int32_t m = 1; m <= n; m++)
            for (int trial = 0; trial < 30; trial++) {
                for (int32_t l = 0; l < m * n; l++)
                    cost[l] = unit * ((double)mb_rng_below(&rng, levels) - shift);
                assert_true(solve(cost, m, n) == brute(cost, m, n, 0, 0));
            }
}

TEST(the_cost_is_the_smallest_of_all_assignments)
{
    compare_all_shapes(0.125, 1000, 500);
}

TEST(ties_do_not_matter)
{
    compare_all_shapes(1, 3, 1); /* costs -1, 0, 1 */
    compare_all_shapes(1, 1, 0); /* all equal */
}

TEST(large_costs_are_matched_as_well)
{
    compare_all_shapes(1048576, 1000, 900);
}

TEST(equal_costs_are_matched_in_order)
{
    const double cost[9] = {0};
    double       scratch[64];
    int32_t      col[3];
    mb_err       err;
    must(mb_assign(cost, 3, 3, col, scratch, &err));
    for (int32_t r = 0; r < 3; r++)
        assert_int_equal(col[r], r);
}

TEST(more_rows_than_columns_and_costs_that_are_no_numbers_are_refused)
{
    double  cost[2] = {1, 2}, scratch[64];
    int32_t col[2];
    mb_err  err;
    assert_int_equal(mb_assign(cost, 2, 1, col, scratch, &err), MB_E_ARG);
    cost[1] = (double)NAN;
    assert_int_equal(mb_assign(cost, 1, 2, col, scratch, &err), MB_E_NUMERIC);
}

RUN_TESTS(NULL, NULL)

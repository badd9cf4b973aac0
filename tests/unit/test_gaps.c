/* test_gaps.c - moments, cases and centres of rows with gaps. What every kind promises of them is in
 * contract/gaps.c, and compared with textbooks in contract/textbook.c. */
#include "arena.h"
#include "network/network.h"
#include "start/moments.h"
#include "start/start.h"
#include "test.h"

/* Means 4 and 3 of the values there; rows 0, 2 and 3 have both: (-3)(-2) + (-1)(0) + (4)(2) = 14. */
TEST(moments_are_of_the_available_values)
{
    const double   gap = (double)NAN, rows_x[] = {1, 1, 4, gap, 3, 3, 8, 5, gap, 3, gap, gap};
    const mb_rows  rows = {.x = rows_x, .n = 6, .d = 2, .ld = 2, .gaps = 1};
    mb_row_moments m;

    must(mb_moments_of_(arena, arena, &rows, 1, &m, NULL));
    assert_near(m.mean[0], 4, 1e-15);
    assert_near(m.mean[1], 3, 1e-15);
    assert_near(m.filled[0], 4, 0);
    assert_near(m.filled[1], 4, 0);
    assert_near(m.cov[0], 26.0 / 3, 1e-14);
    assert_near(m.cov[3], 8.0 / 3, 1e-14);
    assert_near(m.cov[1], 14.0 / 2, 1e-14);
    assert_near(m.sd[1], sqrt(8.0 / 3), 1e-15);
}

static mb_status case_of(const mb_kind *kind, const double *data, int n, int32_t d, mb_case *c,
                         mb_err *err)
{
    const mb_table table = {.rows = {.x = data, .n = n, .d = d, .ld = (size_t)d, .gaps = 1}};
    mb_local_part *place = mb_alloc(arena, 1, sizeof *place);

    must(mb_place_one(arena, place, err));
    return mb_case_make(arena, place, &table, kind, NULL, NULL, c, err);
}

TEST(a_case_counts_gaps_and_refuses_what_it_must)
{
    const double gap = (double)NAN, data[] = {1, 1, 4, gap, 3, 3, 8, 5, gap, 3, gap, gap},
                 half[] = {1, gap, 2, gap, 4, gap};
    mb_case c;
    mb_err  err;

    must(case_of(&mb_kind_gmm, data, 6, 2, &c, &err));
    assert_int_equal(c.gaps.cells, 4);
    assert_int_equal(c.gaps.rows, 3);
    assert_int_equal(c.gaps.empty, 1);
    assert_near(c.weight_total, 5, 0);
    assert_near(c.gaps.jacobian, log(c.run.scale[0]) + log(c.run.scale[1]), 1e-15);
    assert_int_equal(case_of(&mb_kind_gmm, half, 3, 2, &c, &err), MB_E_FORMAT);
    assert_non_null(strstr(err.msg, "column \"x2\": no row has a value"));
    assert_int_equal(case_of(&mb_kind_linreg, data, 6, 2, &c, &err), MB_E_NOSUP);
    assert_non_null(strstr(err.msg, "model linreg needs all of them"));
}

/* Columns 1 and 2, and 1 and 3, are equal where both are there, 2 and 3 opposite: correlations that no
 * matrix has. Each has the variance 4/3. */
TEST(where_pairs_disagree_the_prior_has_the_variances)
{
    const double gap = (double)NAN,
                 data[] = {1, 1, gap, -1, -1, gap, 1, gap, 1, -1, gap, -1, gap, 1, -1, gap, -1, 1};
    mb_case c;
    mb_err  err;

    must(case_of(&mb_kind_gmm, data, 6, 3, &c, &err));
    assert_non_null(strstr(c.warning, "the variances of the columns alone"));
    const double *w0inv = c.prior_par + c.model.layout.block[1].off + 2 + 3;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            assert_near(w0inv[i * (i + 1) / 2 + j], i == j ? 4.0 / 3 : 0, 1e-14);
}

/* k-means of rows with gaps: the centre of {0, -}, {1, 2}, {-, 4} is where the values that are there
 * have their mean, {0.5, 3}. */
TEST(centres_are_means_of_the_values_that_are_there)
{
    const double   gap = (double)NAN, data[] = {0, gap, 1, 2, gap, 4, 100, 100, gap, 101, 102, gap};
    const double   zero[] = {0, 0}, one[] = {1, 1};
    const mb_rows  rows = {.x = data, .n = 6, .d = 2, .ld = 2, .gaps = 1};
    double         centres[] = {1, 2, 100, 100}, side[12];
    mb_local_part *place = mb_alloc(arena, 1, sizeof *place);
    mb_tree        tree;
    mb_traffic     sent = {0, 0};
    int32_t        steps;

    must(mb_place_one(arena, place, NULL));
    must(mb_agree_tree(arena, arena, &place->tp, &tree, &sent, NULL));
    for (int k = 0; k < 60; k++) /* each call moves what is missing once or more */
        must(mb_lloyd(arena, &place->tp, &tree, &rows, zero, one, 2, 2, NULL, centres, &steps,
                      &sent, NULL));
    assert_all_near(centres, ((const double[]){0.5, 3, 101, 100.5}), 4, 1e-12);
    mb_nearest_resp(&rows, zero, one, 2, centres, side);
    for (int j = 0; j < 6; j++)
        assert_near(side[2 * j], j < 3, 0);
}

RUN_TESTS(arena_up, arena_down)

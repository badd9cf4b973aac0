/* The arithmetic of the report's figures. */
#include "report/numbers.h"
#include "test.h"

/* A few roundings of numbers of size 1. */
#define TOL 1e-13

TEST(every_point_of_an_ellipse_has_the_same_distance_in_standard_deviations)
{
    enum { COUNT = 33 };
    const double mean[2] = {1.5, -2}, cov[3] = {0.5, -0.3, 0.9};
    const double det = cov[0] * cov[2] - cov[1] * cov[1];
    double       xy[2 * COUNT];

    page_ellipse(mean, cov, 2, COUNT, xy);
    for (int j = 0; j < COUNT; j++) {
        const double x = xy[2 * j] - mean[0], y = xy[2 * j + 1] - mean[1];
        const double d2 = (cov[2] * x * x - 2 * cov[1] * x * y + cov[0] * y * y) / det;

        assert_true(fabs(d2 - 4) < 100 * TOL);
    }
    assert_true(fabs(xy[0] - xy[2 * COUNT - 2]) + fabs(xy[1] - xy[2 * COUNT - 1]) < TOL);
}

TEST(an_ellipse_of_no_width_is_a_line)
{
    const double mean[2] = {0, 0}, cov[3] = {0, 0, 1};
    double       xy[2 * 5];

    page_ellipse(mean, cov, 2, 5, xy);
    for (int j = 0; j < 5; j++)
        assert_true(fabs(xy[2 * j]) < TOL && fabs(xy[2 * j + 1]) <= 2 + TOL);
    assert_true(fabs(xy[3] - 2) < TOL);
}

TEST(a_density_integrates_to_one)
{
    double sum = 0;

    /* the trapezoid rule is exact to rounding for a bell that has died out at both ends */
    for (int j = -4000; j <= 4000; j++)
        sum += 0.01 * page_density(0.01 * j, 0.7, 2.5);
    assert_true(fabs(sum - 1) < 1e-12);
}

enum { POINTS = 5000, BUCKETS = 20 };

static int64_t thinned(page_point *in, int logx, page_point *out)
{
    for (int j = 0; j < POINTS; j++)
        in[j] = (page_point){j + 1, sin(0.01 * j), 2};
    in[3210].y = 50;
    in[3210].top = 70;
    in[77].y = -50;
    return page_thin(POINTS, in, BUCKETS, logx, out);
}

TEST(thinning_keeps_spikes)
{
    static page_point in[POINTS], out[2 * BUCKETS];

    for (int logx = 0; logx < 2; logx++) {
        const int64_t n = thinned(in, logx, out);
        double        lo = 0, hi = 0, top = 0;

        assert_in_range(n, 2, 2 * BUCKETS);
        for (int64_t j = 0; j < n; j++) {
            lo = fmin(lo, out[j].y);
            hi = fmax(hi, out[j].y);
            top = fmax(top, out[j].top);
            assert_true(j == 0 || out[j].x > out[j - 1].x);
        }
        assert_true(fabs(lo + 50) < TOL && fabs(hi - 50) < TOL && fabs(top - 70) < TOL);
    }
}

TEST(short_curves_are_not_thinned)
{
    const page_point in[3] = {{1, 5, 6}, {2, PAGE_NAN, PAGE_NAN}, {4, 3, 4}};
    page_point       out[3];

    assert_int_equal(page_thin(3, in, BUCKETS, 1, out), 3);
    assert_true(isnan(out[1].y) && fabs(out[2].y - 3) < TOL);
}

TEST(a_stretch_without_values_stays_a_gap)
{
    static page_point in[POINTS], out[2 * BUCKETS];
    int               gaps = 0;

    for (int j = 0; j < POINTS; j++)
        in[j] = (page_point){j + 1, j < POINTS / 2 ? PAGE_NAN : 1, 1};
    const int64_t n = page_thin(POINTS, in, BUCKETS, 0, out);

    for (int64_t j = 0; j < n; j++)
        gaps += isnan(out[j].y);
    assert_int_equal(gaps, BUCKETS / 2);
}

TEST(a_quantile_is_a_value_in_order)
{
    double x[5] = {5, 1, 4, 2, 3};

    assert_true(fabs(page_quantile(x, 5, 0.5) - 3) < TOL);
    assert_true(fabs(x[0] - 1) < TOL && fabs(x[4] - 5) < TOL);
}

TEST(a_gap_that_is_rounding_is_none)
{
    assert_true(fabs(page_gap(-3654.435, -3654.435 * (1 + 1e-13))) < 1e-300);
    assert_true(fabs(page_gap(-3654.435, -3654.436) - 1e-3) < 1e-9);
    assert_true(isnan(page_gap(PAGE_NAN, -1)));
}

TEST(ticks_are_the_closest_whose_texts_have_room)
{
    int widest;

    /* 0 .. 9000 by 1000: ten texts; by 2000 "0", "2000", .. "8000": 17 characters and 8 blanks */
    assert_true(fabs(page_tick_step(-100, 9500, 8, 36, &widest) - 2000) < TOL);
    assert_int_equal(widest, 4);
    assert_true(fabs(page_tick_step(-100, 9500, 8, 24, NULL) - 5000) < TOL);
    /* by 500 twenty: "0", "500" and eighteen of four characters, 76, and 38 blanks */
    assert_true(fabs(page_tick_step(-100, 9500, 20, 114, NULL) - 500) < TOL);
    assert_true(fabs(page_tick_step(-100, 9500, 20, 113, NULL) - 1000) < TOL);
    /* 0.1 .. 0.7: seven texts of 3 characters and six gaps of 2 */
    assert_true(fabs(page_tick_step(0.05, 0.72, 8, 33, &widest) - 0.1) < TOL);
    assert_int_equal(widest, 3);
    /* negative ones have a sign */
    assert_true(fabs(page_tick_step(-495000, -460000, 8, 1000, &widest) - 5000) < TOL);
    assert_int_equal(widest, 7);
}

TEST(ticks_of_no_range_are_ones)
{
    assert_true(fabs(page_tick_step(2, 2, 8, 36, NULL) - 1) < TOL);
    assert_true(fabs(page_tick_step(INFINITY, -INFINITY, 8, 36, NULL) - 1) < TOL);
}

RUN_TESTS(NULL, NULL)

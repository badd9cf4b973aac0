/* Predicted levels beside observed ones. */
#include "meshbayes/meshbayes.h"
#include "test.h"

#define near(a, b) assert_true(fabs((a) - (b)) < 1e-12)

TEST(rows_are_counted_by_observed_and_likeliest_level)
{
    const double      p[] = {.2, .5, .3, .1, .1, .8, .6, .3, .1, .2, .5, .3};
    const double      y[] = {1, 9, 2, 9, 1, 9, (double)NAN, 9}, w[] = {1, 2, 4, 8};
    mb_arena         *a = mb_arena_new(1 << 12);
    mb_classification c;

    must(mb_classification_new(a, 3, &c, NULL));
    assert_true(isnan(mb_classification_accuracy(&c)) && isnan(mb_classification_loss(&c)));
    mb_classification_add(&c, 4, p, y, 2, w);
    near(c.table[3 * 1 + 1], 1);
    near(c.table[3 * 2 + 2], 2);
    near(c.table[3 * 1 + 0], 4);
    near(c.weight, 7);
    near(mb_classification_accuracy(&c), 3. / 7);
    near(mb_classification_loss(&c), -(log(.5) + 2 * log(.8) + 4 * log(.3)) / 7);
    assert_null(c.bin);
    mb_arena_free(a);
}

TEST(a_bin_of_calibration_has_the_interval_of_wilson)
{
    const double      p[] = {.75, .25, .76, .24, .78, .22, 0, 1}, y[] = {1, 0, 1, 1};
    const double      z2 = 3.84145882069412447; /* chi-square of one degree of freedom, .95 */
    mb_arena         *a = mb_arena_new(1 << 12);
    mb_classification c;
    double            mean, share, low, high;

    must(mb_classification_new(a, 2, &c, NULL));
    mb_classification_add(&c, 4, p, y, 1, NULL);
    near(mb_calibration(&c, 0, &mean, &share, &low, &high), 0);
    near(mb_calibration(&c, 2, &mean, &share, &low, &high), 3);
    near(mean, (.25 + .24 + .22) / 3);
    near(share, 2. / 3);
    near((share - low) * (share - low), z2 * low * (1 - low) / 3);
    near((high - share) * (high - share), z2 * high * (1 - high) / 3);
    near(mb_calibration(&c, 9, &mean, &share, &low, &high), 1); /* probability 1 */
    near(high, 1);
    mb_arena_free(a);
}

TEST(fewer_than_two_levels_are_refused)
{
    mb_arena         *a = mb_arena_new(1 << 12);
    mb_classification c;

    assert_int_equal(mb_classification_new(a, 1, &c, NULL), MB_E_ARG);
    mb_arena_free(a);
}

RUN_TESTS(NULL, NULL)

/* Claims about the counter-based generator. */
#include "base/text.h"
#include "test.h"

/* The published known answers of Philox4x32-10 [Salmon11, kat_vectors of Random123]. */
TEST(philox_gives_the_published_known_answers)
{
    static const uint32_t ctr[3][4] = {
        {0, 0, 0, 0}, {~0u, ~0u, ~0u, ~0u}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
    static const uint32_t key[3][2] = {{0, 0}, {~0u, ~0u}, {0xa4093822, 0x299f31d0}};
    static const uint32_t want[3][4] = {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                        {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                        {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};

    for (int v = 0; v < 3; v++) {
        mb_rng r = {0};

        memcpy(r.ctr, ctr[v], sizeof r.ctr);
        memcpy(r.key, key[v], sizeof r.key);
        for (int l = 0; l < 4; l++)
            assert_int_equal(mb_rng_u32(&r), want[v][l]);
    }
}

TEST(numbers_can_be_passed_over)
{
    for (uint64_t before = 0; before < 6; before++)
        for (uint64_t n = 0; n < 13; n++) {
            mb_rng a = mb_rng_at(7, MB_STREAM_LOSS, 3, 11), b = a;

            for (uint64_t k = 0; k < before; k++)
                assert_int_equal(mb_rng_u32(&a), mb_rng_u32(&b));
            for (uint64_t k = 0; k < n; k++)
                (void)mb_rng_u32(&a);
            mb_rng_skip(&b, n);
            for (int k = 0; k < 9; k++)
                assert_int_equal(mb_rng_u32(&a), mb_rng_u32(&b));
        }
}

TEST(the_same_place_gives_the_same_numbers)
{
    mb_rng a = mb_rng_at(7, MB_STREAM_LOSS, 3, 11), b = mb_rng_at(7, MB_STREAM_LOSS, 3, 11);

    for (int k = 0; k < 100; k++)
        assert_int_equal(mb_rng_u32(&a), mb_rng_u32(&b));
}

TEST(another_seed_stream_node_or_round_gives_other_numbers)
{
    const mb_rng places[] = {mb_rng_at(7, MB_STREAM_LOSS, 3, 11),
                             mb_rng_at(8, MB_STREAM_LOSS, 3, 11),
                             mb_rng_at(7 + (1ull << 32), MB_STREAM_LOSS, 3, 11),
                             mb_rng_at(7, MB_STREAM_START, 3, 11),
                             mb_rng_at(7, MB_STREAM_LOSS, 4, 11),
                             mb_rng_at(7, MB_STREAM_LOSS, 3, 12),
                             mb_rng_at(7, MB_STREAM_LOSS, 3, 11 + (1ull << 32))};
    const int    count = sizeof places / sizeof *places;

    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            mb_rng a = places[i], b = places[j];
            int    same = 0;

            for (int k = 0; k < 8; k++)
                same += mb_rng_u32(&a) == mb_rng_u32(&b);
            assert_int_equal(same, 0);
        }
}

enum { DRAWS = 200000 };
static const double EULER = 0.57721566490153286061, PI = 3.14159265358979323846;
/* Six standard errors of a mean: a false alarm in 5e8. */
static double margin(double sd)
{
    return 6 * sd / sqrt(DRAWS);
}

TEST(uniform_stays_inside_and_has_the_right_moments)
{
    mb_rng r = mb_rng_at(1, MB_STREAM_DATA, 0, 0);
    double sum = 0, sum2 = 0;

    for (int k = 0; k < DRAWS; k++) {
        double u = mb_rng_uniform(&r);

        assert_true(u > 0 && u < 1);
        sum += u;
        sum2 += u * u;
    }
    assert_true(fabs(sum / DRAWS - 0.5) < margin(sqrt(1.0 / 12)));
    assert_true(fabs(sum2 / DRAWS - 1.0 / 3) < margin(sqrt(4.0 / 45)));
}

TEST(normal_has_mean_zero_variance_one_and_no_skew)
{
    mb_rng r = mb_rng_at(2, MB_STREAM_DATA, 0, 0);
    double sum = 0, sum2 = 0, sum3 = 0, sum4 = 0;

    for (int k = 0; k < DRAWS; k++) {
        double z = mb_rng_normal(&r);

        sum += z;
        sum2 += z * z;
        sum3 += z * z * z;
        sum4 += z * z * z * z;
    }
    assert_true(fabs(sum / DRAWS) < margin(1));
    assert_true(fabs(sum2 / DRAWS - 1) < margin(sqrt(2)));
    assert_true(fabs(sum3 / DRAWS) < margin(sqrt(15)));
    assert_true(fabs(sum4 / DRAWS - 3) < margin(sqrt(96)));
}

TEST(gumbel_has_the_mean_of_euler)
{
    mb_rng r = mb_rng_at(3, MB_STREAM_DATA, 0, 0);
    double sum = 0;

    for (int k = 0; k < DRAWS; k++)
        sum += mb_gumbel_of(mb_rng_uniform(&r));
    assert_true(fabs(sum / DRAWS - EULER) < margin(PI / sqrt(6)));
}

TEST(many_at_once_are_those_of_one_by_one)
{
    for (int32_t n = 0; n < 100; n++) {
        mb_rng one = mb_rng_at(9, MB_STREAM_DATA, 3, 8), many;
        double u[100];

        for (int k = 0; k < n % 5; k++) /* in the middle of a block, at the end of the counter */
            (void)mb_rng_u32(&one);
        one.ctr[0] = n % 3 ? one.ctr[0] : UINT32_MAX - 2;
        many = one;
        mb_rng_uniforms(&many, n, u);
        for (int32_t k = 0; k < n; k++)
            assert_true(u[k] == mb_rng_uniform(&one));
        assert_true(mb_rng_uniform(&many) == mb_rng_uniform(&one));
    }
}

TEST(below_is_even_over_its_range)
{
    mb_rng  r = mb_rng_at(4, MB_STREAM_DATA, 0, 0);
    int64_t count[7] = {0};
    double  chi2 = 0;

    for (int k = 0; k < DRAWS; k++) {
        uint64_t x = mb_rng_below(&r, 7);

        assert_true(x < 7);
        count[x]++;
    }
    for (int v = 0; v < 7; v++)
        chi2 += ((double)count[v] - DRAWS / 7.0) * ((double)count[v] - DRAWS / 7.0) / (DRAWS / 7.0);
    assert_true(chi2 < 38.3); /* six degrees of freedom: one false alarm in 1e6 */
    assert_int_equal(mb_rng_below(&r, 1), 0);
}

RUN_TESTS(NULL, NULL)

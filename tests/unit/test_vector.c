/* Vectors of a frame as bytes: float64, float32, float16 differences. */
#include "base/half.h"
#include "mesh/frame.h"
#include "test.h"

#include <float.h>

enum { BLOCKS = 3, LEN = 11 };

/* Blocks of 3 and 2 x 3 numbers; vectors have two more after those. */
static mb_layout layout(void)
{
    mb_layout l = {0};
    mb_err    err;

    must(mb_layout_add(&l, &mb_dirichlet, 3, 1, &err));
    must(mb_layout_add(&l, &mb_dirichlet, 3, 2, &err));
    assert_int_equal(l.len + 2, LEN);
    return l;
}

static const size_t block_at[BLOCKS + 1] = {0, 3, 9, LEN};

/* The value of a half from its three parts. */
static double value_of(unsigned h)
{
    const int    e = (int)(h >> 10 & 31), m = (int)(h & 1023);
    const double x = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);

    return h & 0x8000 ? -x : x;
}

TEST(every_half_has_its_value_and_comes_back)
{
    int bad = 0, worse = 0;

    for (unsigned h = 0; h < 0x10000; h++) {
        if ((h >> 10 & 31) == 31) {
            worse = 0;
            mb_half_value_((uint16_t)h, &worse);
            assert_int_equal(worse, 1);
            continue;
        }
        const double x = mb_half_value_((uint16_t)h, &bad), want = value_of(h);

        assert_memory_equal(&x, &want, sizeof x);
        assert_int_equal(mb_half_of_(x), h);
    }
    assert_int_equal(bad, 0);
}

/* Between each two neighbours: the middle becomes the even one, and the numbers next to it the
 * nearer one. */
TEST(halves_round_to_nearest_even)
{
    for (unsigned h = 0; h < 0x7bff; h++) {
        const double middle = (value_of(h) + value_of(h + 1)) / 2;
        const double below = nextafter(middle, 0), above = nextafter(middle, 1e9);

        assert_int_equal(mb_half_of_(middle), h + (h & 1));
        assert_int_equal(mb_half_of_(below), h);
        assert_int_equal(mb_half_of_(above), h + 1);
        assert_int_equal(mb_half_of_(-middle), 0x8000 + h + (h & 1));
        assert_int_equal(mb_half_of_(-below), 0x8000 + h);
        assert_int_equal(mb_half_of_(-above), 0x8001 + h);
    }
    assert_int_equal(mb_half_of_(DBL_TRUE_MIN), 0);
    assert_int_equal(mb_half_of_(-DBL_MIN), 0x8000);
}

TEST(what_no_half_reaches_is_the_largest_and_nan_stays)
{
    static const double far[] = {65519.9, 65520, 65536, 1e300, (double)INFINITY};
    int                 bad = 0;

    for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
        assert_int_equal(mb_half_of_(far[k]), 0x7bff);
        assert_int_equal(mb_half_of_(-far[k]), 0xfbff);
    }
    mb_half_value_(mb_half_of_((double)NAN), &bad);
    assert_int_equal(bad, 1);
}

static void fill(mb_rng *rng, int spread, double *x)
{
    for (int k = 0; k < LEN; k++)
        x[k] = ldexp(mb_rng_normal(rng), (int)mb_rng_below(rng, (uint64_t)spread) - spread / 2);
}

TEST(sizes_are_the_documents)
{
    const mb_layout l = layout();

    assert_int_equal(mb_vector_size_(&l, LEN, MB_CODE_FLOAT64_), 8 * LEN);
    assert_int_equal(mb_vector_size_(&l, LEN, MB_CODE_FLOAT32_), 4 * LEN);
    assert_int_equal(mb_vector_size_(&l, LEN, MB_CODE_FLOAT16_), BLOCKS + 2 * LEN);
    assert_int_equal(mb_vector_size_(&l, LEN - 2, MB_CODE_FLOAT16_), BLOCKS - 1 + 2 * (LEN - 2));
}

TEST(float64_is_the_bytes_of_the_numbers)
{
    static const double        x[2] = {-2.5, 4.9406564584124654e-324};
    static const unsigned char want[16] = {0, 0, 0, 0, 0, 0, 4, 0xc0, 1, 0, 0, 0, 0, 0, 0, 0};
    unsigned char              b[16];
    double                     y[2];

    mb_put_doubles_(b, x, 2);
    assert_memory_equal(b, want, sizeof b);
    assert_true(mb_get_doubles_(b, y, 2));
    assert_memory_equal(x, y, sizeof x);
}

TEST(float32_is_the_nearest_float)
{
    const mb_layout l = layout();
    unsigned char   b[4 * LEN];
    mb_rng          rng = mb_rng_at(3, MB_STREAM_SAMPLE, 0, 0);
    double          v[LEN], sent[LEN], got[LEN];

    fill(&rng, 60, v);
    v[0] = -2.5;
    v[1] = 1e39;
    v[2] = -1e300;
    mb_vector_code_(&l, LEN, v, NULL, MB_CODE_FLOAT32_, b, sent);
    assert_memory_equal(b, "\0\0\x20\xc0", 4);
    assert_true(mb_vector_decode_(&l, LEN, b, NULL, MB_CODE_FLOAT32_, got));
    assert_memory_equal(got, sent, sizeof got);
    v[1] = (double)FLT_MAX;
    v[2] = -(double)FLT_MAX;
    for (int k = 0; k < LEN; k++)
        assert_true(fabs(got[k] - v[k]) <= ldexp(fabs(v[k]), -24));
}

/* Known numbers: differences 3, -4, 1 have e = 4/2^15; 0 has the least one; 5 has e = 8/2^15. */
TEST(differences_are_the_bytes_of_the_document)
{
    const mb_layout            l = layout();
    const double               base[LEN] = {1, 1, 1, 2, 2, 2, 2, 2, 2, 7, 7};
    const double               v[LEN] = {4, -3, 2, 2, 2, 2, 2, 2, 2, 12, 7 - .5};
    static const unsigned char want[BLOCKS + 2 * LEN] = {
        0xf3, 0x00, 0x76, 0x00, 0xf8, 0x00, 0x70,                   /* 1.5, -2, .5 of 2^14 e */
        0x80, 0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, /* 0 of 2^-128           */
        0xf4, 0x00, 0x75, 0x00, 0xe8};                              /* 1.25 2^14, -2^11 of e */
    unsigned char b[BLOCKS + 2 * LEN];
    double        sent[LEN], got[LEN];

    mb_vector_code_(&l, LEN, v, base, MB_CODE_FLOAT16_, b, sent);
    assert_memory_equal(b, want, sizeof b);
    assert_memory_equal(sent, v, sizeof v);
    assert_true(mb_vector_decode_(&l, LEN, b, base, MB_CODE_FLOAT16_, got));
    assert_memory_equal(got, v, sizeof v);
}

TEST(differences_are_as_near_as_eleven_bits_allow)
{
    const mb_layout l = layout();
    unsigned char   b[BLOCKS + 2 * LEN];
    mb_rng          rng = mb_rng_at(4, MB_STREAM_SAMPLE, 0, 0);
    double          v[LEN], base[LEN], sent[LEN], got[LEN];

    for (int run = 0; run < 2000; run++) {
        fill(&rng, 80, v);
        fill(&rng, 80, base);
        mb_vector_code_(&l, LEN, v, base, MB_CODE_FLOAT16_, b, sent);
        assert_true(mb_vector_decode_(&l, LEN, b, base, MB_CODE_FLOAT16_, got));
        assert_memory_equal(got, sent, sizeof got);
        for (int q = 0; q < BLOCKS; q++) {
            double most = 0;

            for (size_t k = block_at[q]; k < block_at[q + 1]; k++)
                most = fmax(most, fabs(v[k] - base[k]));
            /* half a unit of a half of at most 1 in a block whose e is below 2 max|d|; the sum with
             * the base rounds once more */
            for (size_t k = block_at[q]; k < block_at[q + 1]; k++)
                assert_true(fabs(got[k] - v[k]) <=
                            ldexp(most, -11) + ldexp(fabs(v[k]) + fabs(base[k]), -52));
        }
    }
}

/* Beside a difference of 1, which has e = 2^-15, halves of normal size have 11 bits from 2^-29 on, and
 * the smallest ones are multiples of 2^-39. */
TEST(a_small_difference_arrives_beside_a_large_one)
{
    const mb_layout l = layout();
    unsigned char   b[BLOCKS + 2 * LEN];
    const double    base[LEN] = {0};
    double          v[LEN] = {0}, got[LEN];

    v[10] = -1;
    for (int k = 1; k < 50; k++) {
        v[9] = ldexp(1.3, -k);
        mb_vector_code_(&l, LEN, v, base, MB_CODE_FLOAT16_, b, NULL);
        assert_true(mb_vector_decode_(&l, LEN, b, base, MB_CODE_FLOAT16_, got));
        assert_true(fabs(got[9] - v[9]) <= (k <= 29 ? ldexp(v[9], -11) : ldexp(1, -40)));
    }
}

/* What the sender knows that the receiver has is the next base: the numbers come to rest exactly. */
TEST(repeated_differences_arrive_at_the_number)
{
    const mb_layout l = layout();
    unsigned char   b[BLOCKS + 2 * LEN];
    mb_rng          rng = mb_rng_at(5, MB_STREAM_SAMPLE, 0, 0);
    double          v[LEN], here[LEN] = {0}, there[LEN] = {0};

    fill(&rng, 40, v);
    for (int run = 0; run < 12; run++) {
        mb_vector_code_(&l, LEN, v, here, MB_CODE_FLOAT16_, b, here);
        assert_true(mb_vector_decode_(&l, LEN, b, there, MB_CODE_FLOAT16_, there));
        assert_memory_equal(here, there, sizeof here);
    }
    assert_memory_equal(here, v, sizeof v);
}

TEST(powers_end_at_a_signed_byte)
{
    const mb_layout l = layout();
    unsigned char   b[BLOCKS + 2 * LEN];
    const double    base[LEN] = {0, 0, 0, -1e308};
    double          v[LEN] = {1e60, 0, 0, 1e308}, got[LEN];

    v[9] = ldexp(1, -140);
    mb_vector_code_(&l, LEN, v, base, MB_CODE_FLOAT16_, b, got);
    assert_int_equal(b[0], 127);
    assert_int_equal(b[7], 127);
    assert_int_equal(b[20], 0x80);
    assert_true(mb_vector_decode_(&l, LEN, b, base, MB_CODE_FLOAT16_, got));
    assert_true(got[0] == ldexp(65504, 127));
    assert_true(got[9] == ldexp(1, -140));
    assert_true(got[3] == -1e308 + ldexp(65504, 127));
}

TEST(numbers_that_are_not_finite_are_refused)
{
    const mb_layout l = layout();
    unsigned char   b[8 * LEN];
    const double    base[LEN] = {0}, v[LEN] = {1, 2, 3};
    double          got[LEN], far[LEN] = {0};

    mb_vector_code_(&l, LEN, v, NULL, MB_CODE_FLOAT64_, b, NULL);
    assert_true(mb_vector_decode_(&l, LEN, b, NULL, MB_CODE_FLOAT64_, got));
    memcpy(b + 80, "\0\0\0\0\0\0\xf0\x7f", 8);
    assert_false(mb_vector_decode_(&l, LEN, b, NULL, MB_CODE_FLOAT64_, got));
    memcpy(b + 80, "\1\0\0\0\0\0\xf0\xff", 8);
    assert_false(mb_vector_decode_(&l, LEN, b, NULL, MB_CODE_FLOAT64_, got));
    mb_vector_code_(&l, LEN, v, NULL, MB_CODE_FLOAT32_, b, NULL);
    memcpy(b + 40, "\0\0\x80\xff", 4);
    assert_false(mb_vector_decode_(&l, LEN, b, NULL, MB_CODE_FLOAT32_, got));
    mb_vector_code_(&l, LEN, v, base, MB_CODE_FLOAT16_, b, NULL);
    memcpy(b + 1, "\0\x7c", 2);
    assert_false(mb_vector_decode_(&l, LEN, b, base, MB_CODE_FLOAT16_, got));
    far[0] = DBL_MAX;
    memcpy(b, "\x7f\xff\x7b", 3); /* rounds back to the base, which is finite */
    assert_true(mb_vector_decode_(&l, LEN, b, far, MB_CODE_FLOAT16_, got));
}

RUN_TESTS(NULL, NULL)

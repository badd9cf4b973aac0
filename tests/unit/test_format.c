/* The stand-in for snprintf of builds without stdio says what snprintf says. */
#include "base/format.h"
#include "test.h"

#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/* The source as a build without stdio compiles it, under other names: tests/CMakeLists.txt. */
int stand_in(char *buf, size_t cap, const char *fmt, ...) MB_PRINTF(3, 4);
int stand_in_v(char *buf, size_t cap, const char *fmt, va_list ap) MB_PRINTF(3, 0);

static char mine[256], theirs[256];

#define SAME(...)                                                                                  \
    do {                                                                                           \
        const int a_ = stand_in(mine, sizeof mine, __VA_ARGS__);                                   \
        const int b_ = snprintf(theirs, sizeof theirs, __VA_ARGS__);                               \
        assert_string_equal(mine, theirs);                                                         \
        assert_int_equal(a_, b_);                                                                  \
    } while (0)

TEST(texts_and_characters)
{
    SAME("plain %% text");
    SAME("%s and %.3s and %.*s%c", "whole", "cut short", 2, "xyz", '!');
    SAME("%.20s|", "shorter than its precision");
}

TEST(integers_of_every_width)
{
    SAME("%d %d %d %d", 0, -1, INT32_MAX, INT32_MIN);
    SAME("%u %lu %zu", 4000000000u, 5000000000ul, (size_t)-1);
    SAME("%lld %lld %" PRId64 " %" PRId32, LLONG_MAX, LLONG_MIN, (int64_t)-7, (int32_t)9);
    SAME("%5d|%05d|%2d|%016llx", 42, -42, 12345, 0xabcdef0123ull);
}

TEST(numbers_of_up_to_nine_digits)
{
    const double x[] = {
        0,     1,      -1,       0.1,      1e-5,    1e-4,   123456,         1234567, 1e15, 2.4e-7,
        1e100, 1e-300, 99999.96, 999999.6, DBL_MIN, 5e-324, 0.000123456789, DBL_MAX, -3.75};

    for (size_t k = 0; k < sizeof x / sizeof *x; k++)
        SAME("%g %.9g %.1g %.3g %.0g", x[k], x[k], x[k], x[k], x[k]);
    SAME("%g %g %g", (double)INFINITY, -(double)INFINITY, -0.0);
    stand_in(mine, sizeof mine, "%g", (double)NAN);
    assert_string_equal(mine, "nan");
}

/* Not exact at 15 digits, but never further off than the last two of them. */
TEST(numbers_of_fifteen_digits_are_near)
{
    mb_rng rng = mb_rng_at(3, MB_STREAM_DATA, 0, 0);

    for (int k = 0; k < 20000; k++) {
        const double x = ldexp(mb_rng_normal(&rng), (int)mb_rng_below(&rng, 600) - 300);

        stand_in(mine, sizeof mine, "%.15g", x);
        assert_true(fabs(strtod(mine, NULL) - x) <= 1e-13 * fabs(x));
        SAME("%.6g", x);
    }
}

TEST(a_text_too_long_is_cut_and_its_length_reported)
{
    char small[8];

    memset(small, '#', sizeof small);
    assert_int_equal(stand_in(small, sizeof small, "%s", "longer than that"), 16);
    assert_string_equal(small, "longer ");
    assert_int_equal(stand_in(NULL, 0, "%d", 1234), 4);
}

RUN_TESTS(NULL, NULL)

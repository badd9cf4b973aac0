/* Text to numbers. */
#include "data/parse.h"
#include "test.h"

#include <locale.h>
#include <stdlib.h>

static void same_bits(const char *text)
{
    double ours = (double)NAN, theirs = strtod(text, NULL);

    if (mb_parse_double(text, &ours) != 0 || memcmp(&ours, &theirs, sizeof ours) != 0)
        fail_msg("%s: %.17g, expected %.17g", text, ours, theirs);
}

TEST(hard_cases_round_as_strtod_does)
{
    static const char *const text[] = {"0",
                                       "-0",
                                       "0.1",
                                       "1e22",
                                       "1e23",
                                       "9007199254740993",
                                       "9007199254740992e22",
                                       "-9007199254740991e-22",
                                       "123456789012345678",
                                       "1234567890123456789012345678901234567890",
                                       "0.000000000000000000000000000000000000001",
                                       "1.7976931348623157e308",
                                       "2.2250738585072011e-308",
                                       "4.9e-324",
                                       "1e-400",
                                       "5e-325",
                                       "100000000000000000000000000000000e-32",
                                       "1.00000000000000011102230246251565",
                                       "8.5e0005",
                                       ".5",
                                       "5.",
                                       "+7.25E+3"};

    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        same_bits(text[k]);
}

TEST(random_numbers_round_as_strtod_does)
{
    static const int digits[] = {3, 6, 15, 17, 25};
    mb_rng           rng = mb_rng_at(5, MB_STREAM_SAMPLE, 0, 0);
    char             text[64];

    for (int k = 0; k < 20000; k++) {
        double x = ldexp(mb_rng_normal(&rng), (int)mb_rng_below(&rng, 1200) - 600 * (k % 3));

        snprintf(text, sizeof text, "%.*g", digits[k % 5], x);
        if (isfinite(x))
            same_bits(text);
    }
}

/* The number at the start of `text` (of n characters), read where the characters after it can be read
 * and where they cannot, from a buffer that has no more. */
static void scans_as_strtod(const char *text, size_t n, char after)
{
    char  *copy = malloc(n + 2);
    double want, x[2] = {(double)NAN, (double)NAN};

    memcpy(copy, text, n);
    copy[n] = 0;
    want = strtod(copy, NULL);
    copy[n] = after;
    copy[n + 1] = 0;
    for (int wide = 0; wide < 2; wide++) {
        const char *end = mb_scan_double_(copy, wide ? copy + n + 1 : copy, &x[wide]);

        if (end != copy + n || memcmp(&x[wide], &want, sizeof want) != 0)
            fail_msg("%s: %.17g, %d characters, expected %.17g", copy, x[wide],
                     end ? (int)(end - copy) : -1, want);
    }
    free(copy);
}

TEST(scanned_numbers_end_at_any_other_character)
{
    static const char text[] = "-7.1234567890123456";
    static const char other[] = "0123456789.eE";

    for (size_t n = 2; n < sizeof text; n++)
        for (int c = 0; c < 256; c++)
            if (!c || !memchr(other, c, sizeof other - 1))
                scans_as_strtod(text, n, (char)c);
}

TEST(scanned_fractions_round_as_strtod_does)
{
    mb_rng rng = mb_rng_at(6, MB_STREAM_SAMPLE, 0, 0);
    char   text[64];

    for (int k = 0; k < 20000; k++) {
        static const double scale[] = {1, 20, 1e-6};
        const double        x = mb_rng_normal(&rng) * scale[k % 3];
        const int           n = snprintf(text, sizeof text, "%.*f", (int)mb_rng_below(&rng, 16), x);

        scans_as_strtod(text, (size_t)n, ',');
    }
    scans_as_strtod("0.000000000000000012345678", 26, '\n');
    scans_as_strtod(".12345678e-12", 13, ';');
    scans_as_strtod("12345678.", 9, ',');
}

TEST(blanks_around_are_skipped)
{
    double x = 0;

    assert_int_equal(mb_parse_double(" \t-2.5e1 \t", &x), 0);
    assert_true(x == -25);
}

TEST(other_texts_are_refused)
{
    static const char *const text[] = {
        "",  " ",  "nan", "NaN", "inf", "-infinity", "0x10",  "1x",     "1 2",   "e5",   ".",
        "-", "1e", "1e+", "--1", "+-1", "1,5",       "1e999", "-1e400", "1_000", "1.2.3"};
    double x;

    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        if (mb_parse_double(text[k], &x) == 0)
            fail_msg("\"%s\" was read as %g", text[k], x);
}

/* Without a locale of decimal commas on this machine there is nothing to see. */
TEST(decimal_point_does_not_follow_the_locale)
{
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char              *found = NULL;
    double                   x = 0, y = 0;

    for (int k = 0; k < 4 && !found; k++)
        found = setlocale(LC_NUMERIC, comma[k]);
    if (!found)
        skip();
    int slow = mb_parse_double("0.12345678901234567891234", &x), fast = mb_parse_double("1.5", &y);

    setlocale(LC_NUMERIC, "C");
    assert_int_equal(slow, 0);
    assert_int_equal(fast, 0);
    assert_true(y == 1.5);
    assert_true(fabs(x - 0.12345678901234568) < 1e-16);
}

static void same_text(double x)
{
    char         ours[MB_NUMBER_TEXT_], theirs[MB_NUMBER_TEXT_];
    const size_t n = mb_number_text_(x, ours);

    snprintf(theirs, sizeof theirs, "%.17g", x);
    assert_string_equal(ours, theirs);
    assert_int_equal(n, strlen(theirs));
}

/* Ties of the last digit, powers of ten and their neighbours, every form of the text. */
TEST(texts_are_those_of_printf)
{
    const double x[] = {0,
                        -0.0,
                        1,
                        -2.5,
                        0.1,
                        1 + 0x1p-17,
                        1 + 3 * 0x1p-17,
                        1 - 0x1p-53,
                        9007199254740992,
                        99999999999999984.0,
                        1e17,
                        1e22,
                        1e-4,
                        9.9999999999999991e-5,
                        1.2345e-5,
                        1e-10,
                        1e-11,
                        5e-324,
                        1.7976931348623157e308,
                        (double)INFINITY,
                        -(double)INFINITY};
    mb_rng       rng = mb_rng_at(6, MB_STREAM_SAMPLE, 0, 0);

    for (size_t k = 0; k < sizeof x / sizeof *x; k++)
        same_text(x[k]);
    for (int e = -14; e < 19; e++) {
        same_text(pow(10, e));
        same_text(nextafter(pow(10, e), 0));
        same_text(-nextafter(pow(10, e), 1e300));
    }
    for (int k = 0; k < 20000; k++)
        same_text(ldexp(mb_rng_normal(&rng), (int)mb_rng_below(&rng, 140) - 70));
}

TEST(integers_are_strict_and_fit)
{
    static const char *const bad[] = {"",
                                      "-",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1.0",
                                      "1e3",
                                      "0x1",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "99999999999999999999999"};
    int64_t                  x = 0;

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        if (mb_parse_integer_(bad[k], &x) == 0)
            fail_msg("\"%s\" was read as %lld", bad[k], (long long)x);
    assert_int_equal(mb_parse_integer_("9223372036854775807", &x), 0);
    assert_true(x == INT64_MAX);
    assert_int_equal(mb_parse_integer_("-9223372036854775808", &x), 0);
    assert_true(x == INT64_MIN);
    assert_int_equal(mb_parse_integer_("-007", &x), 0);
    assert_true(x == -7);
}

RUN_TESTS(NULL, NULL)

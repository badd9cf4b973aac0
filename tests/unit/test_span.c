/* Durations, sizes and ranges as values of options. */
#include "base/span.h"
#include "test.h"

static mb_err err;

/* The numbers themselves: no sum is made of them. */
static void assert_span(span got, double lo, double hi)
{
    assert_true(got.lo >= lo && got.lo <= lo && got.hi >= hi && got.hi <= hi);
}

TEST(a_time_has_its_unit)
{
    static const struct {
        const char *text;
        double      seconds;
    } good[] = {{"60s", 60},  {"20ms", 20 * 1e-3},   {"1.5s", 1.5}, {"10min", 600},
                {"2h", 7200}, {"250us", 250 * 1e-6}, {"0s", 0},     {".5s", .5}};
    static const char *const bad[] = {"",       "60",
                                      "s",      "60 s",
                                      "-1s",    "1e3s",
                                      "60m",    "60S",
                                      "1.2.3s", "1s..2s",
                                      "3h",     "1s2",
                                      "soon",   "0000000000000000000000000000000000000000001s"};
    double                   seconds;

    for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
        must(span_duration("time", good[k].text, 0, 7200, &seconds, &err));
        assert_true(seconds >= good[k].seconds && seconds <= good[k].seconds);
        assert_true(span_is_duration(good[k].text));
    }
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_int_equal(span_duration("time", bad[k], 0, 7200, &seconds, &err), MB_E_ARG);
        assert_non_null(strstr(err.msg, "--time: got \""));
        assert_non_null(strstr(err.msg, "expected a time of 0 to 2h with its unit"));
    }
    assert_false(span_is_duration("60"));
    assert_false(span_is_duration("settled"));
}

TEST(two_times_are_a_range)
{
    span v;

    must(span_durations("delay", "1ms..50ms", 0, 3600, &v, &err));
    assert_span(v, 1 * 1e-3, 50 * 1e-3);
    must(span_durations("delay", "1..50ms", 0, 3600, &v, &err));
    assert_span(v, 1 * 1e-3, 50 * 1e-3);
    must(span_durations("delay", "500us..2s", 0, 3600, &v, &err));
    assert_span(v, 500 * 1e-6, 2);
    must(span_durations("delay", "5ms", 0, 3600, &v, &err));
    assert_span(v, 5 * 1e-3, 5 * 1e-3);
    assert_int_equal(span_durations("delay", "50ms..1ms", 0, 3600, &v, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "the first the smaller one"));
    assert_int_equal(span_durations("delay", "1ms..", 0, 3600, &v, &err), MB_E_ARG);
    assert_int_equal(span_durations("delay", "..1ms", 0, 3600, &v, &err), MB_E_ARG);
    assert_int_equal(span_durations("delay", "1ms..2", 0, 3600, &v, &err), MB_E_ARG);
    assert_int_equal(span_durations("delay", "1h..2h", 0, 3600, &v, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "0 to 1h"));
}

TEST(numbers_have_no_unit)
{
    span v;

    must(span_numbers("speed", "1..5", 0.01, 100, &v, &err));
    assert_span(v, 1, 5);
    must(span_numbers("speed", "2.5", 0.01, 100, &v, &err));
    assert_span(v, 2.5, 2.5);
    assert_int_equal(span_numbers("speed", "1s", 0.01, 100, &v, &err), MB_E_ARG);
    assert_int_equal(span_numbers("speed", "0", 0.01, 100, &v, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "--speed: got \"0\"; expected a number of 0.01 to 100"));
}

TEST(sizes_are_powers_of_ten)
{
    double bytes;

    must(span_bytes("record-limit", "8MB", 1000, &bytes, &err));
    assert_true(bytes >= 8e6 && bytes <= 8e6);
    must(span_rate("bandwidth", "64kB", &bytes, &err));
    assert_true(bytes >= 64e3 && bytes <= 64e3);
    must(span_rate("bandwidth", "1.5GB", &bytes, &err));
    assert_true(bytes >= 1.5e9 && bytes <= 1.5e9);
    assert_int_equal(span_bytes("record-limit", "999B", 1000, &bytes, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, "--record-limit: got \"999B\"; expected bytes of 1000B"));
    assert_int_equal(span_rate("bandwidth", "64", &bytes, &err), MB_E_ARG);
    assert_int_equal(span_rate("bandwidth", "64KB", &bytes, &err), MB_E_ARG);
    assert_int_equal(span_rate("bandwidth", "1kB..2kB", &bytes, &err), MB_E_ARG);
    assert_int_equal(span_rate("bandwidth", "0B", &bytes, &err), MB_E_ARG);
    assert_int_equal(span_rate("bandwidth", "2000GB", &bytes, &err), MB_E_ARG);
}

RUN_TESTS(NULL, NULL)

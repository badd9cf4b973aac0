/* A whole number on the command line is taken as it is written, or refused: never rounded. */
#include "meshbayes/meshbayes.h"
#include "test.h"

static const mb_opt seed = {.name = "seed", .kind = MB_OPT_INT, .lo = -5, .hi = 9007199254740992.0};

static void taken(const char *text, int64_t want)
{
    int64_t value = 77;
    mb_err  err;

    must(mb_opt_set(&seed, text, &value, &err));
    assert_true(value == want);
}

static void refused(const char *text, const char *why)
{
    int64_t value = 77;
    mb_err  err;

    assert_int_equal(mb_opt_set(&seed, text, &value, &err), MB_E_ARG);
    assert_non_null(strstr(err.msg, text));
    assert_non_null(strstr(err.msg, why));
    assert_true(value == 77);
}

TEST(exact_ones_are_taken_however_written)
{
    taken("0", 0);
    taken("-0", 0);
    taken("-5", -5);
    taken("007", 7);
    taken("1e3", 1000);
    taken("5.0", 5);
    taken("0.5e1", 5);
    taken("1200e-2", 12);
    taken("100.00e-1", 10);
    taken("0e99999", 0);
    taken("9007199254740992", INT64_C(9007199254740992));
    taken("9007199254740991.0", INT64_C(9007199254740991));
    taken("9.007199254740992e15", INT64_C(9007199254740992));
}

TEST(what_a_double_would_round_is_refused)
{
    refused("9007199254740993", "out of range");
    refused("9007199254740992.5", "not a whole number");
    refused("9007199254740993.0", "out of range");
    refused("9.007199254740993e15", "out of range");
    refused("5.00000000000000000001", "not a whole number");
    refused("1e-400", "not a whole number");
    refused("18446744073709551616", "out of range");
    refused("-6", "out of range");
    refused("0.5", "not a whole number");
}

RUN_TESTS(NULL, NULL)

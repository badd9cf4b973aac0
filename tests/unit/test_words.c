/* What a node says of its plan, and what it says of another's. */
#include "base/text.h"
#include "mesh/frame.h"
#include "test.h"

enum { ROOM = 400 };
static const char *const two[] = {"x1", "x2"};
static const double      w0inv[] = {2, 0, 0, 3};

/* The plan of most tests; the options are the caller's. */
static mb_plan plan_of(mb_gmm_kind *o)
{
    mb_err err;

    memset(o, 0, sizeof *o);
    must(mb_opt_defaults(mb_kind_gmm.opts, o, &err));
    o->n_components = 3;
    return (mb_plan){.kind = &mb_kind_gmm,
                     .kind_opt = o,
                     .columns = 2,
                     .column = two,
                     .seed = 7,
                     .from = MB_GENESIS_SAMPLE};
}

static const char *words(const mb_plan *p)
{
    static char out[ROOM + 1];
    size_t      n = mb_plan_words_(p, out, ROOM);

    assert_true(n <= ROOM);
    out[n] = 0;
    return out;
}

TEST(a_plan_is_described_with_a_message)
{
    mb_gmm_kind o;
    mb_plan     p = plan_of(&o);

    assert_string_equal(words(&p),
                        "gmm, K = 3, columns x1 x2, genesis sample, seed 7, meshbayes " MB_VERSION);
    o.prior = "weak";
    o.alpha0 = .5;
    o.w0inv_at = w0inv;
    p.from = MB_GENESIS_SUMS;
    assert_string_equal(words(&p),
                        "gmm, K = 3, columns x1 x2, genesis sums, seed 7, meshbayes " MB_VERSION
                        ", prior weak, prior.alpha0 0.5, prior.w0inv 2,0,0,3");
}

TEST(a_regression_has_no_components)
{
    mb_linreg_kind o;
    mb_plan        p = plan_of(&(mb_gmm_kind){0});
    mb_err         err;

    memset(&o, 0, sizeof o);
    must(mb_opt_defaults(mb_kind_linreg.opts, &o, &err));
    p.kind = &mb_kind_linreg;
    p.kind_opt = &o;
    p.from = MB_GENESIS_GIVEN;
    assert_string_equal(words(&p),
                        "linreg, columns x1 x2, genesis given, seed 7, meshbayes " MB_VERSION);
}

/* By another program (Python): FNV-1a of the texts with their zeros, and of numbers as 8 bytes. */
TEST(the_hash_is_fnv1a_of_what_is_agreed)
{
    mb_gmm_kind o;
    mb_plan     p = plan_of(&o);

    o.prior = "weak";
    o.alpha0 = .5;
    o.w0inv_at = w0inv;
    assert_true(mb_plan_hash_(&p) == UINT64_C(0x1243e1cc5263984e));
}

TEST(the_hash_knows_every_part)
{
    static const char *const other[] = {"x1", "y"}, *const joined[] = {"x1x", "2"};
    mb_gmm_kind    o, q;
    const mb_plan  p = plan_of(&o);
    const uint64_t h = mb_plan_hash_(&p);
    mb_plan        r;

#define DIFFERS(change)                                                                            \
    r = plan_of(&q);                                                                               \
    assert_true(mb_plan_hash_(&r) == h);                                                           \
    change;                                                                                        \
    assert_true(mb_plan_hash_(&r) != h)
    DIFFERS(q.n_components = 4);
    DIFFERS(r.column = other);
    DIFFERS(r.column = joined);
    DIFFERS(r.columns = 1);
    DIFFERS(r.seed = 8);
    DIFFERS(r.from = MB_GENESIS_SUMS);
    DIFFERS(q.prior = "weak");
    DIFFERS(q.alpha0 = .5);
    DIFFERS(q.nu0 = 5);
    DIFFERS(q.mu0 = "0");
    DIFFERS(q.mu0_at = w0inv);
    DIFFERS(q.w0inv_at = w0inv);
    DIFFERS(q.covariance_type = MB_COVARIANCE_DIAG);
    DIFFERS(q.covariance_type = MB_COVARIANCE_SPHERICAL);
}

TEST(what_is_not_given_is_the_default)
{
    mb_gmm_kind o, q;
    mb_plan     p = plan_of(&o), r = plan_of(&q);
    uint64_t    signalling = UINT64_C(0xfff8000000000001);

    q.prior = NULL;
    memcpy(&q.alpha0, &signalling, sizeof q.alpha0); /* another NaN */
    assert_true(mb_plan_hash_(&p) == mb_plan_hash_(&r));
    assert_string_equal(words(&r), words(&p));
}

TEST(numbers_win_over_a_text)
{
    mb_gmm_kind o, q;
    mb_plan     p = plan_of(&o), r = plan_of(&q);

    o.w0inv_at = q.w0inv_at = w0inv;
    q.w0inv = "5";
    assert_true(mb_plan_hash_(&p) == mb_plan_hash_(&r));
}

TEST(many_columns_and_long_options_are_cut)
{
    static char        name[300][24];
    static const char *column[300];
    char               long_text[1000];
    mb_gmm_kind        o;
    mb_plan            p = plan_of(&o);
    const char        *text;

    for (int k = 0; k < 300; k++) {
        snprintf(name[k], sizeof name[k], "sensor %d", k);
        column[k] = name[k];
    }
    memset(long_text, '1', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    p.column = column;
    p.columns = 300;
    o.mu0 = o.w0inv = o.prior = long_text;
    o.alpha0 = 1 / 3.0;
    o.beta0 = 1 / 7.0;
    text = words(&p);
    assert_non_null(strstr(text, "columns sensor_0 sensor_1 sensor_2 "));
    assert_non_null(strstr(text, " more, genesis sample, seed 7"));
    assert_non_null(strstr(text, ", and more"));
    for (size_t room = 0; room < ROOM; room++) {
        char out[ROOM];

        memset(out, 1, sizeof out);
        assert_true(mb_plan_words_(&p, out, room) <= room);
        for (size_t k = room; k < ROOM; k++)
            assert_int_equal(out[k], 1);
    }
}

TEST(names_cannot_break_the_list)
{
    static const char *const odd[] = {"a, genesis sums", "t\n\xc3\xa9\xff"};
    mb_gmm_kind              o;
    mb_plan                  p = plan_of(&o);

    p.column = odd;
    assert_non_null(strstr(words(&p), "columns a,_genesis_sums t?\xc3\xa9?, genesis sample"));
}

static const char *compared(const mb_plan *mine, const char *theirs, size_t n)
{
    static mb_err err;

    memset(&err, 0, sizeof err);
    assert_int_equal(mb_words_compare_(mine, theirs, n, &err), MB_E_PEER);
    assert_int_equal(err.code, MB_E_PEER);
    for (const char *c = err.msg; *c; c += mb_utf8(c))
        assert_true(mb_utf8(c) && (unsigned char)*c >= ' ');
    return strchr(err.msg, ':') ? strchr(err.msg, ':') + 2 : err.msg;
}

static void expect(const char *theirs, const char *want)
{
    mb_gmm_kind o;
    mb_plan     p = plan_of(&o);

    assert_string_equal(compared(&p, theirs, strlen(theirs)), want);
}

#define TAIL ", genesis sample, seed 7, meshbayes " MB_VERSION
TEST(each_difference_is_named)
{
    expect("linreg, columns x1 x2" TAIL, "the model is gmm here and linreg there");
    expect("gmm, K = 4, columns x1 x2" TAIL, "K is 3 here and 4 there");
    expect("gmm, K = 3, columns x1 y" TAIL, "column 2 is x2 here and y there");
    expect("gmm, K = 3, columns x1" TAIL, "the number of columns is 2 here and 1 there");
    expect("gmm, K = 3, columns x1 x2 and 38 more" TAIL,
           "the number of columns is 2 here and 40 there");
    expect("gmm, K = 3, columns x1 x2, genesis sums, seed 7, meshbayes " MB_VERSION,
           "the genesis is sample here and sums there");
    expect("gmm, K = 3, columns x1 x2, genesis sample, seed 8, meshbayes " MB_VERSION,
           "the seed is 7 here and 8 there");
    expect("gmm, K = 3, columns x1 x2, genesis sample, seed 7, meshbayes 99.1",
           "the version of meshbayes is " MB_VERSION " here and 99.1 there");
    expect("gmm, K = 3, columns x1 x2" TAIL ", prior weak",
           "prior is not given here and weak there");
    expect("gmm, K = 4, columns x1 y, genesis sums, seed 7, meshbayes 99.1",
           "K is 3 here and 4 there; column 2 is x2 here and y there; the genesis is sample here "
           "and sums there");
    expect("gmm, K = 3, columns x1 x2" TAIL, "an option differs that is too long for a message");
}

TEST(options_of_both_are_compared)
{
    mb_gmm_kind o, q;
    mb_plan     p = plan_of(&o), r = plan_of(&q);
    const char *theirs;

    o.prior = "weak";
    o.beta0 = 2;
    q.prior = "paper";
    q.nu0 = 4;
    theirs = words(&r);
    assert_string_equal(compared(&p, theirs, strlen(theirs)),
                        "prior is weak here and paper there; prior.beta0 is 2 here and not given "
                        "there; prior.nu0 is not given here and 4 there");
}

/* Whatever a neighbour sends, the message is one line of UTF-8; compared() asks for it. */
TEST(what_neighbours_say_is_not_trusted)
{
    mb_gmm_kind              o;
    mb_plan                  p = plan_of(&o);
    mb_rng                   rng = mb_rng_at(1, MB_STREAM_SAMPLE, 0, 0);
    static const char *const piece[] = {
        ", ",       " ",    "K = ", "columns ", "and 9",        " more",   "genesis ",
        "\xc3\xa9", "\xff", "\n",   "gmm",      "\xf0\x9f\x8d", "99999999"};

    for (int run = 0; run < 20000; run++) {
        char   text[600];
        size_t n = 0, most = (size_t)mb_rng_below(&rng, 560);

        while (n < most) {
            const char *s = piece[mb_rng_below(&rng, sizeof piece / sizeof *piece)];

            if (mb_rng_below(&rng, 4)) {
                memcpy(text + n, s, strlen(s));
                n += strlen(s);
            } else {
                text[n++] = (char)mb_rng_below(&rng, 256);
            }
        }
        compared(&p, text, n);
    }
    compared(&p, "", 0);
}

/* Of two columns, and of more than the words have. */
TEST(units_that_differ_are_named)
{
    static double    origin[20] = {.5, 20}, other[20] = {.5, 21}, scale[20] = {1, 4};
    const char      *many[20];
    const mb_genesis mine = {
        .columns = 2, .column = two, .run = {.origin = origin, .scale = scale}};
    mb_genesis theirs = mine, wide = mine;
    char       said[ROOM];
    mb_err     err;
    size_t     n = mb_units_words_(&mine, said, ROOM);

    assert_int_equal(n, strlen("units, origin 0.5 20, scale 1 4"));
    assert_memory_equal(said, "units, origin 0.5 20, scale 1 4", n);
    assert_true(mb_words_are_units_(said, n));
    assert_false(mb_words_are_units_("gmm, K = 3", 10));
    assert_int_equal(mb_units_compare_(&mine, said, n, &err), MB_E_PEER);
    assert_string_equal(err.msg, "another genesis block: prior or start differ, and units do not");
    theirs.run.origin = other;
    n = mb_units_words_(&theirs, said, ROOM);
    assert_int_equal(mb_units_compare_(&mine, said, n, &err), MB_E_PEER);
    assert_string_equal(err.msg, "units differ: the origin of x2 is 20 here and 21 there");
    assert_int_equal(mb_units_compare_(&mine, "units, scale", 12, &err), MB_E_PEER);
    wide.columns = 20;
    for (int d = 0; d < 20; d++)
        many[d] = two[d % 2];
    wide.column = many;
    n = mb_units_words_(&wide, said, ROOM);
    assert_true(n < 200);
    assert_int_equal(mb_units_compare_(&wide, said, n, &err), MB_E_PEER);
    assert_non_null(strstr(err.msg, "in the first columns"));
}

RUN_TESTS(NULL, NULL)

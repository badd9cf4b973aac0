/* Claims about option tables. */
#include "base/opt.h"
#include "test.h"

typedef struct things {
    double      tau, kappa;
    int64_t     rounds;
    const char *file;
    int32_t     policy, json, link;
} things;

static const mb_opt table[] = {
    {"tau", MB_OPT_REAL, offsetof(things, tau), "0.2", 0, 1, NULL, "", "", "", "rate"},
    {"kappa", MB_OPT_AUTO, offsetof(things, kappa), "auto", 0.1, 100, NULL, "", "", "", "edge"},
    {"rounds", MB_OPT_INT, offsetof(things, rounds), "1000", 1, INFINITY, NULL, "", "", "", "max"},
    {"file", MB_OPT_TEXT, offsetof(things, file), NULL, 0, 0, "FILE.csv", "", "", "", "rows"},
    {"policy", MB_OPT_CHOICE, offsetof(things, policy), "freeze", 0, 0, "freeze|project|stop", "",
     "", "", "domain"},
    {"json", MB_OPT_FLAG, offsetof(things, json), NULL, 0, 0, NULL, "", "", "", "print"},
    {"link", MB_OPT_CHOICE, offsetof(things, link), "logit", 0, 0, "log=ln=poisson|logit", "", "",
     "", "words"},
    {NULL, MB_OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL}};

static void set(const char *name, const char *value, things *t)
{
    must(mb_opt_set(mb_opt_find(table, name), value, t, NULL));
}

static void refused(const char *name, const char *value, const char *line)
{
    things t = {0};
    mb_err err = {0};

    assert_int_equal(mb_opt_set(mb_opt_find(table, name), value, &t, &err), MB_E_ARG);
    assert_string_equal(err.msg, line);
}

TEST(defaults_fill_every_field)
{
    things t;

    memset(&t, 0x7f, sizeof t);
    must(mb_opt_defaults(table, &t, NULL));
    assert_true(fabs(t.tau - 0.2) < 1e-17);
    assert_true(isnan(t.kappa));
    assert_int_equal(t.rounds, 1000);
    assert_null(t.file);
    assert_int_equal(t.policy, 0);
    assert_int_equal(t.json, 0);
}

TEST(other_words_of_a_choice_are_taken_and_shown_as_its_first)
{
    static const struct {
        const char *word, *shown;
        int32_t     index;
    } of[] = {{"log", "log", 0}, {"ln", "log", 0}, {"poisson", "log", 0}, {"logit", "logit", 1}};

    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        things t = {.link = 7};
        char   shown[16];

        set("link", of[i].word, &t);
        assert_int_equal(t.link, of[i].index);
        mb_opt_text(mb_opt_find(table, "link"), &t, shown, sizeof shown);
        assert_string_equal(shown, of[i].shown);
    }
    refused("link", "log=ln",
            "--link: got \"log=ln\", which is not known; expected log, ln, poisson or logit");
}

TEST(values_are_taken_as_typed)
{
    things t = {0};

    set("tau", "1e-1", &t);
    set("kappa", "4", &t);
    set("rounds", "1e3", &t);
    set("file", "a b.csv", &t);
    set("policy", "stop", &t);
    set("json", "1", &t);
    assert_true(fabs(t.tau - 0.1) < 1e-17 && fabs(t.kappa - 4) < 1e-17);
    assert_int_equal(t.rounds, 1000);
    assert_string_equal(t.file, "a b.csv");
    assert_int_equal(t.policy, 2);
    assert_int_equal(t.json, 1);
    assert_null(mb_opt_find(table, "ta"));
}

TEST(a_refusal_names_option_value_and_what_is_accepted)
{
    refused("tau", "2", "--tau: got \"2\", which is out of range; expected 0 to 1");
    refused("tau", "0.5x", "--tau: got \"0.5x\", which is not a number; expected 0 to 1");
    refused("tau", "nan", "--tau: got \"nan\", which is not a number; expected 0 to 1");
    refused("tau", "0x1p-3", "--tau: got \"0x1p-3\", which is not a number; expected 0 to 1");
    refused("tau", "", "--tau: got \"\", which is not a number; expected 0 to 1");
    refused("tau", "auto", "--tau: got \"auto\", which is not a number; expected 0 to 1");
    refused("kappa", "0", "--kappa: got \"0\", which is out of range; expected auto or 0.1 to 100");
    refused("rounds", "0",
            "--rounds: got \"0\", which is out of range; expected whole numbers at least 1");
    refused(
        "rounds", "1.5",
        "--rounds: got \"1.5\", which is not a whole number; expected whole numbers at least 1");
    refused("rounds", "1e400",
            "--rounds: got \"1e400\", which is not a number; expected whole numbers at "
            "least 1");
    refused("policy", "melt",
            "--policy: got \"melt\", which is not known; expected freeze, project or stop");
    refused("policy", "free",
            "--policy: got \"free\", which is not known; expected freeze, project or stop");
    refused("file", "", "--file: got \"\", which is empty; expected FILE.csv");
}

TEST(text_goes_out_and_comes_back)
{
    const char *const values[] = {"0.1", "auto", "12345678901", "x.csv", "project"};
    things            t = {0};
    char              text[64];

    for (int k = 0; k < 5; k++) {
        must(mb_opt_set(&table[k], values[k], &t, NULL));
        mb_opt_text(&table[k], &t, text, sizeof text);
        assert_string_equal(text, values[k]);
    }
    t.file = NULL;
    mb_opt_text(&table[3], &t, text, sizeof text);
    assert_string_equal(text, "");
}

RUN_TESTS(NULL, NULL)

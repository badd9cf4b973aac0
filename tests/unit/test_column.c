/* test_column.c - kinds of columns: declared, as a text, and read from files. */
#include "base/columns.h"
#include "scratch.h"
#include "test.h"

static mb_err      err;
static mb_arena   *arena;
static const char *path;

static const char *const name[] = {"age", "sex", "a:b", "n"};

static mb_status declare(const char *text, mb_column *of, uint8_t *given)
{
    memset(given, 0, 4);
    return mb_columns_declare(arena, text, 4, name, of, given, &err);
}

TEST(a_declaration_names_columns_kinds_and_words)
{
    uint8_t   given[4];
    mb_column of[4];

    must(declare("age:count,sex:category(f|m),a:b:flag", of, given));
    assert_int_equal(of[0].kind, MB_COLUMN_COUNT);
    assert_int_equal(of[1].kind, MB_COLUMN_CATEGORY);
    assert_int_equal(of[1].levels, 2);
    assert_string_equal(of[1].level[1], "m");
    assert_int_equal(of[2].kind, MB_COLUMN_FLAG);
    assert_int_equal(given[3], 0);
    must(declare("sex:category", of, given));
    assert_int_equal(of[1].levels, 0);
}

TEST(every_kind_has_a_word_that_is_read_and_offered)
{
    for (int k = 0; k < MB_COLUMN_KINDS; k++) {
        const char *word = mb_column_word((mb_column_kind)k);
        char        text[64];
        uint8_t     given[4];
        mb_column   of[4];

        assert_non_null(word);
        assert_non_null(strstr(mb_column_words_, word));
        snprintf(text, sizeof text, "age:%s", word);
        must(declare(text, of, given));
        assert_int_equal(of[0].kind, k);
    }
}

TEST(what_is_wrong_in_a_declaration_is_reported)
{
    static const char *const wrong[][2] = {
        {"old:number", "no column \"old\""},
        {"age:real", "\"age\": kinds of columns: got \"real\"; expected number, count"},
        {"age:count,age:flag", "\"age\" is there twice"},
        {"sex:category(f|m", "expected names"},
        {"sex:category(f|f)", "\"f\" is there twice"},
        {"sex:category(f|)", "is empty"},
        {"age:count)", "expected a comma"},
        {"age", "no column \"age\"; expected NAME:KIND"}};
    uint8_t   given[4];
    mb_column of[4];

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(declare(wrong[k][0], of, given), MB_E_ARG);
        if (!strstr(err.msg, wrong[k][1]))
            fail_msg("%s: got \"%s\"", wrong[k][0], err.msg);
    }
}

TEST(the_text_is_read_back_whatever_the_names)
{
    static const char *const level[] = {"a,b", "(c)", "d|e", "f\\g"};
    const mb_column          of[] = {{.kind = MB_COLUMN_NUMBER},
                                     {.kind = MB_COLUMN_CATEGORY, .levels = 4, .level = level},
                                     {.kind = MB_COLUMN_FLAG}};
    mb_columns               made, back;

    must(mb_columns_make(arena, 3, of, &made, &err));
    assert_string_equal(made.text, "number,category(a\\,b|\\(c\\)|d\\|e|f\\\\g),flag");
    must(mb_columns_parse(arena, made.text, strlen(made.text), 3, &back, &err));
    assert_true(mb_columns_same(&made, &back));
    for (int l = 0; l < 4; l++)
        assert_string_equal(back.of[1].level[l], level[l]);
    assert_false(mb_columns_same(&made, NULL));
    for (size_t n = 0; n < strlen(made.text); n++)
        assert_int_equal(mb_columns_parse(arena, made.text, n, 3, &back, &err), MB_E_FORMAT);
}

TEST(a_kind_refuses_what_it_cannot_hold)
{
    const mb_column count = {.kind = MB_COLUMN_COUNT}, number = {.kind = MB_COLUMN_NUMBER};
    const mb_column three = {.kind = MB_COLUMN_CATEGORY, .levels = 3};

    assert_null(mb_column_refuses(&number, -1.5));
    assert_null(mb_column_refuses(&count, 7));
    assert_non_null(mb_column_refuses(&count, -1));
    assert_non_null(mb_column_refuses(&count, 1.5));
    assert_null(mb_column_refuses(&three, 2));
    assert_non_null(mb_column_refuses(&three, 3));
    assert_non_null(mb_column_refuses(&three, 0.5));
    assert_null(mb_column_refuses(&three, (double)NAN));
}

static mb_status read_text(scratch *s, const char *text, mb_data_opt opt, mb_data *out)
{
    path = scratch_text(s, "t.csv", text);
    opt.recognise = 1;
    return mb_data_read(s->a, path, &opt, out, &err);
}

static const char table[] = "x,n,sex,job,on,id\n"
                            "1.5,3,m,b,0,1\n"
                            "2,0,f,a,1,2\n"
                            "0,7,m,c,1,1\n";

TEST(kinds_are_recognised_from_the_cells)
{
    static const double want[] = {1.5, 3, 1, 1, 0, 1, 2, 0, 0, 0, 1, 2, 0, 7, 1, 2, 1, 1};
    mb_data             d;

    must(read_text(*state, table, (mb_data_opt){.unseen = 0}, &d));
    assert_string_equal(d.columns->text, "number,count,category(f|m),category(a|b|c),flag,count");
    assert_all_near(d.x, want, 18, 0);
    assert_int_equal(d.nnotes, 1);
    assert_non_null(strstr(d.note[0], "x:number,n:count,sex:category(f|m)"));
}

TEST(a_declaration_wins)
{
    static const double want[] = {1, 2, 1};
    mb_data             d;

    must(read_text(*state, table,
                   (mb_data_opt){.column = "job:category(c|b|a),id:category,on:number"}, &d));
    assert_string_equal(d.columns->text,
                        "number,count,category(f|m),category(c|b|a),number,category(1|2)");
    for (int j = 0; j < 3; j++)
        assert_near(d.x[6 * j + 3], want[j] - (j == 2), 0);
}

TEST(words_for_truth_make_a_flag)
{
    mb_data d;

    must(read_text(*state, "a,b\nyes,True\nno,FALSE\n", (mb_data_opt){.unseen = 0}, &d));
    assert_string_equal(d.columns->text, "flag,flag");
    assert_near(d.x[0] + d.x[1], 2, 0);
    assert_near(d.x[2] + d.x[3], 0, 0);
}

TEST(a_cell_that_does_not_fit_is_one_line)
{
    static const char *const wrong[][3] = {
        {"n\n3\n-1\n", "n:count", ":3: column \"n\": got -1; expected a count"},
        {"n\n3\n1.5\n", "n:count", ":3: column \"n\": got 1.5; expected a count"},
        {"n\n1\n2\n", "n:flag", ":3: column \"n\": got 2; expected a flag"},
        {"n\na\nc\n", "n:category(a|b)", ":3: column \"n\": got category \"c\"; expected a, b"},
        {"n\n1\nc\n", NULL, ":3: column \"n\": got \"c\"; expected a number, as before"},
        {"n,o\na,1\n,1\n", NULL, "the cell is missing"},
        {"n\n1\n", "m:flag", "no column \"m\""}};
    mb_data d;

    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_true(read_text(*state, wrong[k][0], (mb_data_opt){.column = wrong[k][1]}, &d) < 0);
        if (!strstr(err.msg, wrong[k][2]))
            fail_msg("%zu: got \"%s\"", k, err.msg);
        assert_null(strchr(err.msg, '\n'));
    }
}

TEST(numbers_alone_are_read_as_before)
{
    const mb_data_opt plain = {.column = NULL}, declared = {.column = "x:number"};
    mb_data           d;

    assert_true(read_text(*state, "x\n1\n0\n", plain, &d) >= 0);
    must(mb_data_read(arena, path, &plain, &d, &err));
    assert_null(d.columns);
    assert_int_equal(mb_data_read(arena, path, &declared, &d, &err), MB_E_ARG);
}

static int up(void **state)
{
    const int st = scratch_begin(state);

    arena = st ? NULL : ((scratch *)*state)->a;
    return st;
}

RUN_TESTS(up, scratch_end)

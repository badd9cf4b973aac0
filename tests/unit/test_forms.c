/* Rows in the forms in which people have them: separators, decimal commas, files without a header,
 * missing values, chosen columns, several files, ids beside the rows. */
#include "base/text.h"
#include "data/table.h"
#include "scratch.h"
#include "test.h"

static mb_status read_as(scratch *s, const char *text, const mb_data_opt *opt, mb_data *out)
{
    return mb_data_read(s->a, scratch_text(s, "d.csv", text), opt, out, &s->err);
}

/* The rows 1 2, 3 4 of columns a, b. */
static void expect_four(scratch *s, const char *text, const mb_data_opt *opt, int notes)
{
    static const double x[4] = {1.5, 2, 3, 4.25};
    mb_data             d;

    if (read_as(s, text, opt, &d) != MB_OK)
        fail_msg("%s", s->err.msg);
    assert_int_equal(d.n, 2);
    assert_int_equal(d.d, 2);
    assert_memory_equal(d.x, x, sizeof x);
    assert_int_equal(d.nnotes, notes);
}

TEST(separators_are_recognised_and_named)
{
    static const mb_data_opt usual = {.drop = NULL}, tab = {.separator = MB_SEPARATOR_TAB};
    scratch                 *s = *state;
    mb_data                  d;

    expect_four(s, "a,b\n1.5,2\n3,4.25\n", &usual, 0);
    expect_four(s, "a;b\r\n1.5;2\r\n3; 4.25\r\n", &usual, 1);
    expect_four(s, "a\tb\n1.5\t2\n3\t4.25\n", &usual, 1);
    expect_four(s, "\"a,c\";\"b\"\n1.5;2\n3;4.25\n", &usual, 1);
    expect_four(s, "a,b\n1.5,2\n3,4.25\n", &(mb_data_opt){.separator = MB_SEPARATOR_COMMA}, 0);
    expect_four(s, "a\tb\n1,5\t2\n3\t4,25\n", &tab, 0);
    must(read_as(s, "a;b\n1;2\n", &usual, &d));
    assert_non_null(strstr(d.note[0], "d.csv: its cells are separated by semicolons"));
    scratch_expect(s, read_as(s, "a\tb\n1\t\n", &tab, &d), MB_E_FORMAT,
                   "d.csv:2: column \"b\": \"\"");
    scratch_expect(s, read_as(s, "a;b\n1;2;3\n", &usual, &d), MB_E_FORMAT,
                   "d.csv:2: got 3 cells; expected 2");
}

TEST(decimal_commas_are_opted_for_and_not_mixed_with_points)
{
    static const mb_data_opt usual = {.drop = NULL},
                             semicolon = {.separator = MB_SEPARATOR_SEMICOLON};
    scratch *s = *state;
    mb_data  d;

    expect_four(s, "a;b\n1,5;2\n3;4,25\n", &semicolon, 0);
    expect_four(s, "a;b\n15e-1;2\n3;4.25\n", &semicolon, 0);
    scratch_expect(s, read_as(s, "a;b\n1,5;2\n", &usual, &d), MB_E_FORMAT,
                   "d.csv:2: column \"a\": \"1,5\" is not a finite number; decimal commas are read "
                   "with --separator ';'");
    scratch_expect(
        s, read_as(s, "a;b\n1,5;2\n3;4.25\n", &semicolon, &d), MB_E_FORMAT,
        "d.csv:3: column \"b\": \"4.25\" has a decimal point, but line 2 has decimal commas");
    scratch_expect(s, read_as(s, "a;b\n1.000,5;2\n", &semicolon, &d), MB_E_FORMAT,
                   "\"1.000,5\" is not a finite number");
}

TEST(first_line_of_numbers_is_no_header)
{
    static const mb_data_opt usual = {.drop = NULL}, none = {.header = MB_HEADER_NONE},
                             first = {.header = MB_HEADER_FIRST};
    scratch *s = *state;
    mb_data  d;

    scratch_expect(s, read_as(s, "1.5,2\n3,4.25\n", &usual, &d), MB_E_FORMAT,
                   "d.csv:1: the first line is numbers (\"1.5\" ..)");
    expect_four(s, "1.5,2\n3,4.25\n", &none, 0);
    expect_four(s,
                "\xEF\xBB\xBF"
                "1.5;2\n3;4.25",
                &none, 1);
    expect_four(s, "0,1\n1.5,2\n3,4.25\n", &first, 0);
    must(read_as(s, "7,8\n", &none, &d));
    assert_string_equal(d.name[1], "x2");
    assert_true(d.n == 1 && d.x[1] == 8);
}

TEST(missing_values_are_named_or_their_rows_dropped)
{
    static const mb_data_opt usual = {.drop = NULL},
                             drop = {.missing = MB_MISSING_DROP, .label_column = "c"};
    static const char *const none[] = {"", "NA", "n/a", "NaN", "null", "None", "?", "#N/A", "<NA>"};
    scratch                 *s = *state;
    mb_data                  d;

    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        char text[80];

        snprintf(text, sizeof text, "a,b\n1,2\n%s,3\n", none[k]);
        scratch_expect(s, read_as(s, text, &usual, &d), MB_E_FORMAT, "--missing drop");
        snprintf(text, sizeof text, "a,b,c\n1.5,2,u\n%s,3,u\n9,9,\n3,4.25,v\n", none[k]);
        expect_four(s, text, &drop, 1);
    }
    must(read_as(s, "a,b,c\n,1,u\n1,2,v\n3,?,u\n5,6,v\n", &drop, &d));
    assert_int_equal(d.dropped, 2);
    assert_true(d.file_row[0] == 1 && d.file_row[1] == 3 && d.nlabel == 1);
    assert_string_equal(d.note[0], "2 of 4 rows are left out: a value is missing");
    scratch_expect(s, read_as(s, "a,c\n,1\n", &drop, &d), MB_E_FORMAT,
                   "every row has a missing value");
    scratch_expect(s, read_as(s, "a,c\nx,1\n", &drop, &d), MB_E_FORMAT,
                   "\"x\" is not a finite number");
}

TEST(columns_are_chosen_by_name)
{
    static const mb_data_opt chosen = {.columns = " b , a"}, dropped = {.drop = "t,n"};
    scratch                 *s = *state;
    mb_data                  d;

    must(read_as(s, "a,t,b\n1,x,2\n", &chosen, &d));
    assert_true(d.d == 2 && d.x[0] == 2 && d.x[1] == 1);
    assert_string_equal(d.name[0], "b");
    expect_four(s, "n,a,t,b\n7,1.5,x,2\n8,3,y,4.25\n", &dropped, 0);
    must(read_as(s, "\"a,b\",c\n1,2\n", &(mb_data_opt){.drop = "a,b"}, &d));
    assert_int_equal(d.d, 1);
    scratch_expect(s, read_as(s, "a,b\n1,2\n", &(mb_data_opt){.columns = "a,q"}, &d), MB_E_ARG,
                   "no column \"q\" (the column of --columns); expected a, b");
    scratch_expect(
        s, read_as(s, "a,b\n1,2\n", &(mb_data_opt){.columns = "a", .label_column = "a"}, &d),
        MB_E_ARG, "column \"a\" is both the label column and the column of --columns");
    scratch_expect(s, read_as(s, "a,b\n1,2\n", &(mb_data_opt){.drop = "a,b"}, &d), MB_E_FORMAT,
                   "no feature column is left");
}

static const char *pair_of_files(scratch *s, const char *first, const char *second)
{
    const char *a = scratch_text(s, "bonn.csv", first), *b = scratch_text(s, "aachen.csv", second);

    return mb_text(s->a, NULL, "%s,%s", a, b);
}

TEST(every_file_is_a_node)
{
    static const double x[8] = {5, 6, 1, 2, 3, 4, 7, 8};
    scratch            *s = *state;
    mb_data             d;

    if (mb_data_read(s->a, pair_of_files(s, "a,b\n1,2\n3,4\n7,8\n", "b,a\n6,5\n"),
                     &(mb_data_opt){.drop = NULL}, &d, &s->err) != MB_OK)
        fail_msg("%s", s->err.msg);
    assert_int_equal(d.N, 2);
    assert_int_equal(d.nfiles, 2);
    assert_string_equal(d.node_id[0], "aachen");
    assert_string_equal(d.node_id[1], "bonn");
    assert_memory_equal(d.x, x, sizeof x);
    assert_true(d.first[1] == 1 && d.first[2] == 4 && d.file_row[0] == 3);
    if (mb_data_read(s->a, s->dir, &(mb_data_opt){.drop = NULL}, &d, &s->err) != MB_OK)
        fail_msg("%s", s->err.msg);
    assert_true(d.N == 2 && d.n == 4);
}

TEST(files_of_other_columns_are_refused_by_name)
{
    static const mb_data_opt usual = {.columns = NULL}, drop = {.drop = "c"},
                             only = {.columns = "a"};
    scratch    *s = *state;
    const char *more = pair_of_files(s, "a,b\n1,2\n", "a,b,c\n6,5,z\n");
    const char *less;
    mb_data     d;

    scratch_expect(s, mb_data_read(s->a, more, &usual, &d, &s->err), MB_E_FORMAT,
                   "bonn.csv: no column \"c\", which ");
    must(mb_data_read(s->a, more, &drop, &d, &s->err));
    must(mb_data_read(s->a, more, &only, &d, &s->err));
    assert_int_equal(d.d, 1);
    less = pair_of_files(s, "a,b\n1,2\n", "a\n6\n");
    scratch_expect(s, mb_data_read(s->a, less, &usual, &d, &s->err), MB_E_FORMAT,
                   "aachen.csv: no column \"b\", which ");
    scratch_expect(s, mb_data_read(s->a, mb_text(s->a, NULL, "%s,,", more), &usual, &d, &s->err),
                   MB_E_ARG, "expected a file between the commas");
    scratch_expect(
        s, mb_data_read(s->a, mb_text(s->a, NULL, "%s,x/bonn.csv", more), &usual, &d, &s->err),
        MB_E_ARG, "both name a node \"bonn\"");
}

TEST(ids_and_classes_may_be_beside_the_rows)
{
    scratch    *s = *state;
    const char *ids = scratch_text(s, "ids.csv", "site\nv\nu\nv\n");
    const char *y = scratch_path(s, "y.npy"), *x = scratch_path(s, "x.npy");
    mb_data_opt opt = {.node_file = ids, .label_file = y};
    mb_data     d;

    must(mb_npy_write(s->a, x, 2, (const int64_t[]){3, 1}, (const double[]){1, 2, 3}, &s->err));
    must(mb_npy_write(s->a, y, 1, (const int64_t[]){3}, (const double[]){10, 9, 10}, &s->err));
    if (mb_data_read(s->a, x, &opt, &d, &s->err) != MB_OK)
        fail_msg("%s", s->err.msg);
    assert_string_equal(d.node_id[0], "u");
    assert_true(d.N == 2 && d.first[1] == 1 && d.x[0] == 2 && d.x[2] == 3 && d.d == 1);
    assert_true(d.nlabel == 2 && d.label[0] == 0 && d.label[1] == 1);
    opt.node_file = scratch_text(s, "ids.csv", "site\nv\nu\n");
    scratch_expect(s, mb_data_read(s->a, x, &opt, &d, &s->err), MB_E_SHAPE,
                   "ids.csv has 2 rows; expected 3, one for each row of");
}

TEST(arrays_of_an_archive_are_read_by_name)
{
    static const double xy[6] = {1, 2, 3, 4, 5, 6};
    scratch            *s = *state;
    const char         *path = scratch_path(s, "m.npz");
    mb_npz             *z;
    mb_data             d;

    must(mb_npz_open(s->a, path, &z, &s->err));
    must(mb_npz_add(z, "x", 2, (const int64_t[]){3, 2}, xy, &s->err));
    must(mb_npz_add(z, "y", 1, (const int64_t[]){2}, xy, &s->err));
    must(mb_npz_commit(z, &s->err));
    must(mb_data_read(s->a, mb_text(s->a, NULL, "%s:x", path), &(mb_data_opt){.drop = NULL}, &d,
                      &s->err));
    assert_true(d.n == 3 && d.d == 2);
    assert_memory_equal(d.x, xy, sizeof xy);
    scratch_expect(s, mb_data_read(s->a, path, NULL, &d, &s->err), MB_E_ARG,
                   "m.npz: got 2 arrays (x, y); expected one, named as ");
    scratch_expect(s, mb_data_read(s->a, mb_text(s->a, NULL, "%s:q", path), NULL, &d, &s->err),
                   MB_E_ARG, "no array \"q\"; expected x, y");
}

/* The reader in batches of any size agrees with the data set, texts and numbers of rows too. */
TEST(batches_keep_texts_and_numbers_of_rows)
{
    static const mb_data_opt opt = {.missing = MB_MISSING_DROP, .columns = "a"};
    scratch                 *s = *state;
    const char *path = pair_of_files(s, "id,a\nu,1\nv,\nw,3\n", "a,id\n?,q\n5,\"x,y\"\n");

    for (int64_t batch = 1; batch < 5; batch++) {
        static const char *const text[] = {"u", "w", "x,y"};
        static const int64_t     number[] = {0, 2, 4};
        int64_t                  n = 1, at = 0;
        mb_reader               *r;
        double                   x[5];

        must(mb_reader_open(s->a, path, &opt, &r, &s->err));
        must(mb_reader_keep(r, (const int32_t[]){0}, 1, &s->err));
        for (; n; at += n) {
            must(mb_reader_next(r, batch, x, &n, &s->err));
            for (int64_t k = 0; k < n; k++) {
                assert_true(x[k] == (double)(2 * (at + k) + 1));
                assert_int_equal(mb_reader_rows(r)[k], number[at + k]);
                assert_string_equal(mb_reader_extra(r, k, 0), text[at + k]);
            }
        }
        assert_int_equal(at, 3);
        assert_int_equal(mb_reader_dropped(r), 2);
        mb_reader_close(r);
    }
}

RUN_EACH_TEST(scratch_begin, scratch_end)

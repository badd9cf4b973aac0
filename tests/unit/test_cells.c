/* Rows as texts: columns, missing values, decimal commas, several files, numbers of NPY. */
#include "base/text.h"
#include "data/data.h"
#include "data/table.h"
#include "scratch.h"
#include "test.h"

static mb_cells read_cells(scratch *s, const char *path, const mb_data_opt *opt)
{
    mb_cells c;

    if (mb_cells_read(s->a, path, opt, &c, &s->err) != MB_OK)
        fail_msg("%s", s->err.msg);
    return c;
}

/* Names, then the cells of each row, separated by '|' and '/'. */
static void expect(const mb_cells *c, const char *want)
{
    char   got[512] = "";
    size_t n = 0;

    for (int64_t r = -1; r < c->csv.rows; r++)
        for (int32_t k = 0; k < c->csv.cols; k++)
            n += (size_t)snprintf(got + n, sizeof got - n, "%s%s",
                                  k        ? "|"
                                  : r >= 0 ? "/"
                                           : "",
                                  r < 0 ? c->csv.name[k] : c->csv.cell[r * c->csv.cols + k]);
    assert_string_equal(got, want);
}

TEST(named_columns_come_first_in_their_order)
{
    scratch          *s = *state;
    const char       *path = scratch_text(s, "t.csv", "w,a,kind,b,c\n1,2,u,x,4\n5,6,,y,8\n");
    const mb_data_opt all = {.missing = MB_MISSING_KEEP};
    const mb_data_opt some = {
        .columns = "c,a", .label_column = "kind", .weight_column = "w", .missing = MB_MISSING_KEEP};
    mb_cells c = read_cells(s, path, &all);

    expect(&c, "w|a|kind|b|c/1|2|u|x|4/5|6||y|8");
    assert_int_equal(c.csv.line[1], 3);
    c = read_cells(s, path, &some);
    expect(&c, "c|a|kind|w/4|2|u|1/8|6||5");
}

TEST(a_missing_value_is_retained_dropped_or_an_error)
{
    scratch    *s = *state;
    const char *path = scratch_text(s, "t.csv", "a,b,kind\n1,n/a,NA\n2,3,\n4,x,u\n");
    mb_data_opt opt = {.label_column = "kind", .missing = MB_MISSING_KEEP};
    mb_cells    c = read_cells(s, path, &opt);

    expect(&c, "a|b|kind/1|n/a|NA/2|3|/4|x|u");
    opt.missing = MB_MISSING_DROP; /* a class may be called NA, but not be empty */
    c = read_cells(s, path, &opt);
    expect(&c, "a|b|kind/4|x|u");
    assert_int_equal(c.csv.line[0], 4);
    assert_int_equal(c.nnotes, 1);
    assert_non_null(strstr(c.note[0], "2 of 3 rows"));
    opt.missing = MB_MISSING_ERROR;
    scratch_expect(s, mb_cells_read(s->a, path, &opt, &c, &s->err), MB_E_FORMAT,
                   "column \"b\": got \"n/a\"; expected a value");
}

TEST(decimal_commas_become_points_where_they_may_be)
{
    scratch    *s = *state;
    const char *path = scratch_text(s, "t.csv", "a;b\n1,5;u,v\n-2,5e1;3\n");
    const char *mixed = scratch_text(s, "m.csv", "a;b\n1,5;2\n2.5;3\n");
    mb_data_opt opt = {.separator = MB_SEPARATOR_SEMICOLON, .missing = MB_MISSING_KEEP};
    mb_cells    c = read_cells(s, path, &opt);

    expect(&c, "a|b/1.5|u,v/-2.5e1|3");
    scratch_expect(s, mb_cells_read(s->a, mixed, &opt, &c, &s->err), MB_E_FORMAT,
                   "has a decimal point, but line 2 has decimal commas");
    opt.separator = MB_SEPARATOR_AUTO;
    c = read_cells(s, path, &opt);
    expect(&c, "a|b/1,5|u,v/-2,5e1|3");
}

TEST(rows_of_several_files_have_their_file)
{
    scratch    *s = *state;
    const char *one = scratch_text(s, "one.csv", "a,b\n1,2\n");
    const char *two = scratch_text(s, "two.csv", "b,a\n4,3\n6,5\n");
    const char *both = mb_text(s->a, NULL, "%s,%s", one, two);
    mb_data_opt opt = {.missing = MB_MISSING_KEEP};
    mb_cells    c = read_cells(s, both, &opt);

    expect(&c, "a|b/1|2/3|4/5|6");
    assert_int_equal(c.files.n, 2);
    assert_int_equal(c.of[0], 0);
    assert_int_equal(c.of[1], 1);
    assert_int_equal(c.csv.line[2], 3);
}

TEST(numbers_of_npy_read_back)
{
    static const double  x[] = {.1, -3, 1. / 3, 1e99};
    static const int64_t shape[] = {2, 2};
    scratch             *s = *state;
    const char          *path = scratch_path(s, "t.npy");
    mb_data_opt          opt = {.missing = MB_MISSING_KEEP};
    mb_cells             c;

    must(mb_npy_write(s->a, path, 2, shape, x, &s->err));
    c = read_cells(s, path, &opt);
    assert_string_equal(c.csv.name[1], "x2");
    assert_string_equal(c.csv.cell[0], "0.1");
    for (int k = 0; k < 4; k++) {
        double back;

        assert_int_equal(mb_parse_double(c.csv.cell[k], &back), 0);
        assert_memory_equal(&back, &x[k], sizeof back);
    }
}

/* More rows than a batch, and texts of different lengths. */
TEST(long_files_keep_every_cell)
{
    enum { ROWS = 5000 };
    scratch    *s = *state;
    size_t      n = 0, room = (size_t)ROWS * 40;
    char       *text = mb_alloc(s->a, room, 1);
    mb_data_opt opt = {.missing = MB_MISSING_KEEP};
    mb_cells    c;

    n += (size_t)snprintf(text, room, "a,b\n");
    for (int k = 0; k < ROWS; k++)
        n += (size_t)snprintf(text + n, room - n, "%d,%.*s\n", k, k % 17, "abcdefghijklmnopq");
    c = read_cells(s, scratch_text(s, "t.csv", text), &opt);
    assert_int_equal(c.csv.rows, ROWS);
    for (int k = 0; k < ROWS; k++) {
        char number[16];

        snprintf(number, sizeof number, "%d", k);
        assert_string_equal(c.csv.cell[2 * k], number);
        assert_int_equal(strlen(c.csv.cell[2 * k + 1]), k % 17);
        assert_int_equal(c.csv.line[k], k + 2);
    }
}

RUN_EACH_TEST(scratch_begin, scratch_end)

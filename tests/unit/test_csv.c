/* CSV files as text cells. */
#include "data/table.h"
#include "scratch.h"
#include "test.h"

static mb_csv good(scratch *s, const char *text)
{
    mb_csv csv;

    if (mb_csv_read(s->a, scratch_text(s, "f.csv", text), &csv, &s->err) != MB_OK)
        fail_msg("%s", s->err.msg);
    return csv;
}

static void bad(scratch *s, const char *text, const char *part)
{
    mb_csv csv;

    scratch_expect(s, mb_csv_read(s->a, scratch_text(s, "f.csv", text), &csv, &s->err), MB_E_FORMAT,
                   part);
}

TEST(plain_cells_are_read_in_order)
{
    mb_csv csv = good(*state, "a,b\n1,2\n 3 ,\t4\n,\n");

    assert_int_equal(csv.cols, 2);
    assert_int_equal(csv.rows, 3);
    assert_string_equal(csv.name[1], "b");
    assert_string_equal(csv.cell[1], "2");
    assert_string_equal(csv.cell[2], "3");
    assert_string_equal(csv.cell[3], "4");
    assert_string_equal(csv.cell[5], "");
    assert_int_equal(csv.line[2], 4);
    assert_int_equal(mb_csv_find(&csv, "b"), 1);
    assert_int_equal(mb_csv_find(&csv, "B"), -1);
}

TEST(last_line_needs_no_end)
{
    mb_csv csv = good(*state, "a,b\n1,2\n3,");

    assert_int_equal(csv.rows, 2);
    assert_string_equal(csv.cell[3], "");
}

TEST(byte_order_mark_crlf_and_empty_lines_at_the_end_are_allowed)
{
    mb_csv csv = good(*state, "\xEF\xBB\xBF"
                              "a,b\r\n1,2\r\n\r\n  \n\n");

    assert_string_equal(csv.name[0], "a");
    assert_int_equal(csv.rows, 1);
    assert_string_equal(csv.cell[1], "2");
}

TEST(quotes_hold_commas_quotes_and_lines)
{
    mb_csv csv = good(*state, "\"a\",\"b,c\"\n\"x\"\"y\" , \"two\nlines\"\n\"\",5\n");

    assert_string_equal(csv.name[1], "b,c");
    assert_string_equal(csv.cell[0], "x\"y");
    assert_string_equal(csv.cell[1], "two\nlines");
    assert_string_equal(csv.cell[2], "");
    assert_int_equal(csv.line[1], 4);
}

TEST(header_alone_is_no_rows)
{
    assert_int_equal(good(*state, "i,j\n").rows, 0);
    assert_int_equal(good(*state, "i,j").rows, 0);
}

TEST(unequal_rows_name_their_line)
{
    bad(*state, "a,b\n1,2\n1\n", "f.csv:3: got 1 cells; expected 2");
    bad(*state, "a,b\n1,2,3\n", "f.csv:2: got 3 cells; expected 2");
    bad(*state, "a,b\n\"x\ny\",2\n1,2,3", "f.csv:4: got 3 cells");
}

TEST(bad_headers_are_refused)
{
    bad(*state, "a,b,a\n1,2,3\n", "columns 1 and 3 are both called \"a\"");
    bad(*state, "a,,c\n1,2,3\n", "f.csv:1: column 2 of the header line has no name");
    bad(*state, "", "f.csv: empty file");
    bad(*state, " \n\n", "f.csv: empty file");
    bad(*state, "\na,b\n", "f.csv:1: column 1");
}

TEST(broken_text_is_refused)
{
    scratch *s = *state;
    mb_csv   csv;

    bad(s, "a,b\n1,2\n\n3,4\n", "f.csv:3: empty line");
    bad(s, "a\n\"1\n2\n", "f.csv:2: the quote that opens a cell here is never closed");
    bad(s, "a,b\n\"1\"2,3\n", "f.csv:2: \"2\" after a closing quote");
    bad(s, "a,b\r1,2\r", "f.csv:1: carriage return without line feed");
    scratch_expect(s, mb_csv_read(s->a, scratch_bytes(s, "f.csv", "a,b\n1,\0\n", 9), &csv, &s->err),
                   MB_E_FORMAT, "f.csv:2: a byte of value 0");
}

TEST(numbers_name_line_column_and_text)
{
    scratch *s = *state;
    mb_csv   csv = good(s, "a,b\n1.5,x1\n,-3\n7,1e3\n");
    double   x = 0;
    int64_t  k = 0;

    must(mb_csv_number(&csv, 0, 0, &x, &s->err));
    assert_true(x == 1.5);
    scratch_expect(s, mb_csv_number(&csv, 0, 1, &x, &s->err), MB_E_FORMAT,
                   "f.csv:2: column \"b\": \"x1\" is not a finite number");
    scratch_expect(s, mb_csv_number(&csv, 1, 0, &x, &s->err), MB_E_FORMAT,
                   "f.csv:3: column \"a\": \"\" is not a finite number: the cell is missing");
    must(mb_csv_integer(&csv, 1, 1, -3, 5, &k, &s->err));
    assert_int_equal(k, -3);
    scratch_expect(s, mb_csv_integer(&csv, 1, 1, 0, 5, &k, &s->err), MB_E_FORMAT,
                   "f.csv:3: column \"b\": got \"-3\"; expected an integer from 0 to 5");
    scratch_expect(s, mb_csv_integer(&csv, 2, 1, 0, 5000, &k, &s->err), MB_E_FORMAT, "1e3");
}

static void bad_bounds(scratch *s, const char *text, const char *part)
{
    static const char *const name[] = {"a", "b"};
    double                   low[2], high[2];

    scratch_expect(
        s, mb_bounds_read(s->a, scratch_text(s, "b.csv", text), 2, name, low, high, &s->err),
        MB_E_FORMAT, part);
}

TEST(bounds_are_those_of_every_column_once)
{
    static const char *const name[] = {"a", "b"};
    scratch                 *s = *state;
    double                   low[2], high[2];

    must(mb_bounds_read(s->a, scratch_text(s, "b.csv", "column,low,high\nb,-1,2\na,0,1e3\n"), 2,
                        name, low, high, &s->err));
    assert_true(low[0] == 0 && high[0] == 1e3 && low[1] == -1 && high[1] == 2);
    bad_bounds(s, "column,low\na,0\n", "column \"high\"");
    bad_bounds(s, "column,low,high\na,0,1\n", "b.csv: no bounds of column \"b\"");
    bad_bounds(s, "column,low,high\na,0,1\nc,0,1\n", "b.csv:3: got column \"c\"; expected one of");
    bad_bounds(s, "column,low,high\na,0,1\na,0,1\n", "b.csv:3: column \"a\" is there twice");
    bad_bounds(s, "column,low,high\na,1,1\nb,0,1\n", "b.csv:2: column \"a\": got low 1 and high 1");
    bad_bounds(s, "column,low,high\na,x,1\nb,0,1\n", "\"x\" is not a finite number");
}

RUN_EACH_TEST(scratch_begin, scratch_end)

/* Numeric rows read batch by batch: what mb_matrix_read gives, in a buffer that does not grow. */
#include "data/file.h"
#include "data/table.h"
#include "scratch.h"
#include "test.h"

#include <stdlib.h>

enum { BUFFER = 1 << 16 }; /* of the reader: rows must survive its border */

static mb_reader *opened(scratch *s, const char *path)
{
    mb_reader *r = NULL;

    if (mb_reader_open(s->a, path, NULL, &r, &s->err) != MB_OK)
        fail_msg("%s", s->err.msg);
    return r;
}

/* Texts beside the numbers, batch by batch. */
TEST(stored_texts_belong_to_their_rows)
{
    static const int32_t numbers[] = {1}, keep[] = {2, 0}, beyond[] = {3};
    scratch             *s = *state;
    mb_reader *r = opened(s, scratch_text(s, "t.csv", "id,x,b\na,1,\n\"b,c\",2,y\nd,3,z\n"));
    double     x[2];
    int64_t    n;

    must(mb_reader_select(r, numbers, 1, &s->err));
    scratch_expect(s, mb_reader_keep(r, beyond, 1, &s->err), MB_E_ARG, "column 3; expected 0 to 2");
    must(mb_reader_keep(r, keep, 2, &s->err));
    must(mb_reader_next(r, 2, x, &n, &s->err));
    assert_string_equal(mb_reader_extra(r, 0, 0), "");
    assert_string_equal(mb_reader_extra(r, 0, 1), "a");
    assert_string_equal(mb_reader_extra(r, 1, 0), "y");
    assert_string_equal(mb_reader_extra(r, 1, 1), "b,c");
    must(mb_reader_next(r, 2, x, &n, &s->err));
    assert_int_equal(n, 1);
    assert_string_equal(mb_reader_extra(r, 0, 1), "d");
    mb_reader_close(r);
}

/* All rows, `batch` at a time, against a matrix. */
static void expect_rows(scratch *s, const char *path, const mb_matrix *m, int64_t batch)
{
    mb_reader *r = opened(s, path);
    double    *x = malloc((size_t)(batch * m->d) * sizeof *x);
    int64_t    row = 0, n = 0;

    assert_non_null(x);
    assert_int_equal(mb_reader_columns(r), m->d);
    do {
        if (mb_reader_next(r, batch, x, &n, &s->err) != MB_OK)
            fail_msg("%s", s->err.msg);
        assert_true(row + n <= m->n);
        assert_memory_equal(x, m->x + row * m->d, (size_t)(n * m->d) * sizeof *x);
        row += n;
    } while (n == batch);
    assert_int_equal(row, m->n);
    must(mb_reader_next(r, batch, x, &n, &s->err));
    assert_int_equal(n, 0);
    mb_reader_close(r);
    free(x);
}

static void expect_matrix(scratch *s, const char *path)
{
    mb_matrix m;

    if (mb_matrix_read(s->a, path, &m, &s->err) != MB_OK)
        fail_msg("%s", s->err.msg);
    for (int64_t batch = 1; batch <= 7; batch++)
        expect_rows(s, path, &m, batch);
    expect_rows(s, path, &m, 100000);
}

TEST(any_batch_gives_the_rows_of_the_whole_file)
{
    expect_matrix(*state, scratch_text(*state, "f.csv", "a,b\n1,2.5\n-3,4\n5e-3,6\n 7 ,\t8\n9,0"));
    expect_matrix(*state, scratch_text(*state, "f.csv", "a\n1\n"));
    expect_matrix(*state, scratch_text(*state, "f.csv",
                                       "\xEF\xBB\xBF\"a\",b\r\n1,\"2\"\r\n\"3\" , 4\r\n\r\n \n"));
}

TEST(npy_gives_the_rows_of_the_whole_file)
{
    static const double x[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, -0.0};
    static const char   f4[] = "\x93NUMPY\1\0\x38\0{'descr':'<f4','fortran_order':False,'shape':(2,"
                               "1)}    \n\0\0\x80\x3f\0\0\0\xc0";
    scratch            *s = *state;
    const char         *path = scratch_path(s, "m.npy");
    mb_reader          *r;

    must(mb_npy_write(s->a, path, 2, (const int64_t[]){5, 2}, x, &s->err));
    expect_matrix(s, path);
    r = opened(s, path);
    assert_null(mb_reader_names(r));
    mb_reader_close(r);
    must(mb_npy_write(s->a, path, 2, (const int64_t[]){10, 1}, x, &s->err));
    expect_matrix(s, path);
    expect_matrix(s, scratch_bytes(s, "m.npy", f4, sizeof f4 - 1));
}

/* Rows of every length around the border, some of it inside quotes, doubled quotes and CRLF. */
TEST(rows_survive_the_border_of_the_buffer)
{
    static const char row[] = "1.25,\" -3e2\"\r\n";
    scratch          *s = *state;
    char             *text = malloc(2 * BUFFER + 200);

    assert_non_null(text);
    for (size_t shift = 0; shift < sizeof row + 2; shift++) {
        size_t at;

        memset(text, 'a', shift + 1);
        at = shift + 1 + (size_t)sprintf(text + shift + 1, ",\"b\"\"c\"\n");
        while (at < 2 * BUFFER + 50)
            at += (size_t)sprintf(text + at, "%s", row);
        expect_matrix(s, scratch_bytes(s, "f.csv", text, at));
    }
    free(text);
}

TEST(line_longer_than_the_buffer_is_read)
{
    enum { COLS = 30000 };
    scratch *s = *state;
    char    *text = malloc(COLS * 20);
    size_t   at = 0;

    assert_non_null(text);
    at += (size_t)sprintf(text, "c");
    memset(text + at, 'x', 3 * BUFFER);
    at += 3 * BUFFER;
    at += (size_t)sprintf(text + at, ",d\n%*d,7\n8,%*d\n9,9", 2 * BUFFER + 1, 5, BUFFER - 2, 6);
    expect_matrix(s, scratch_bytes(s, "f.csv", text, at));
    free(text);
}

TEST(names_are_the_header_and_live_as_long_as_the_arena)
{
    scratch    *s = *state;
    mb_reader  *r = opened(s, scratch_text(s, "f.csv", "\"p,q\",r\n1,2\n"));
    const char *name = mb_reader_names(r)[0];
    double      x[2];
    int64_t     n;

    must(mb_reader_next(r, 5, x, &n, &s->err));
    mb_reader_close(r);
    assert_string_equal(name, "p,q");
}

TEST(selected_columns_come_in_the_requested_order)
{
    static const double xy[6] = {1, 2, 3, 4, (double)NAN, 6};
    scratch            *s = *state;
    const char         *npy = scratch_path(s, "m.npy");
    const char         *csv = scratch_text(s, "f.csv", "a,b,c\n1,word,3\n4,,6\n");
    double              x[6];
    int64_t             n;

    must(mb_npy_write(s->a, npy, 2, (const int64_t[]){2, 3}, xy, &s->err));
    for (int k = 0; k < 2; k++) {
        mb_reader *r = opened(s, k ? npy : csv);

        must(mb_reader_select(r, (const int32_t[]){2, 0, 2}, 3, &s->err));
        must(mb_reader_next(r, 2, x, &n, &s->err));
        assert_int_equal(n, 2);
        assert_memory_equal(x, ((const double[]){3, 1, 3, 6, 4, 6}), sizeof x);
        scratch_expect(s, mb_reader_select(r, (const int32_t[]){3}, 1, &s->err), MB_E_ARG,
                       "got column 3; expected 0 to 2");
        scratch_expect(s, mb_reader_select(r, NULL, 0, &s->err), MB_E_ARG, "0 columns");
        mb_reader_close(r);
    }
}

enum { ROWS = 100, COLS = 3 };
static int has_gap(int64_t row)
{
    return row == 0 || (row >= 31 && row <= 33) || row == 64 || row == ROWS - 1;
}

/* The rows without a gap: those of number 10 row + column. */
static void expect_dropped(scratch *s, const char *path, const int32_t *column, int32_t d,
                           int64_t batch)
{
    const mb_data_opt opt = {.missing = MB_MISSING_DROP};
    double            x[ROWS * COLS];
    mb_reader        *r;
    int64_t           row = -1, n;

    must(mb_reader_open(s->a, path, &opt, &r, &s->err));
    must(mb_reader_select(r, column, d, &s->err));
    do {
        must(mb_reader_next(r, batch, x, &n, &s->err));
        for (int64_t j = 0; j < n; j++) {
            while (has_gap(++row))
                continue;
            assert_int_equal(mb_reader_rows(r)[j], row);
            for (int32_t k = 0; k < d; k++)
                assert_true(x[j * d + k] == (double)(10 * row + column[k]));
        }
    } while (n == batch);
    assert_int_equal(row, ROWS - 2);
    mb_reader_close(r);
}

TEST(rows_of_npy_with_gaps_are_dropped_wherever_they_are)
{
    static const int32_t all[] = {0, 1, 2}, turned[] = {2, 1};
    static const int64_t batch[] = {1, 31, 32, 33, 50, ROWS};
    scratch             *s = *state;
    const char          *path = scratch_path(s, "m.npy");
    double               x[ROWS * COLS];

    for (int64_t l = 0; l < ROWS * COLS; l++)
        x[l] =
            l % COLS == 1 && has_gap(l / COLS) ? (double)NAN : (double)(10 * (l / COLS) + l % COLS);
    must(mb_npy_write(s->a, path, 2, (const int64_t[]){ROWS, COLS}, x, &s->err));
    for (size_t k = 0; k < sizeof batch / sizeof *batch; k++) {
        expect_dropped(s, path, all, COLS, batch[k]);
        expect_dropped(s, path, all + 1, 2, batch[k]);
        expect_dropped(s, path, turned, 2, batch[k]);
    }
}

/* Reads to the first error, which opening may give, `batch` rows at a time. */
static mb_status read_all(scratch *s, const char *path, int64_t batch)
{
    mb_reader *r;
    double     x[64];
    int64_t    n = 0;
    mb_status  st = mb_reader_open(s->a, path, NULL, &r, &s->err);

    if (st == MB_OK)
        do
            st = mb_reader_next(r, batch, x, &n, &s->err);
        while (st == MB_OK && n);
    mb_reader_close(r);
    return st;
}

/* The message must be the one of a reader of whole files. */
static void same_error(scratch *s, const char *path, mb_status want)
{
    mb_matrix m;
    char      msg[sizeof s->err.msg];

    assert_int_equal(mb_matrix_read(s->a, path, &m, &s->err), want);
    memcpy(msg, s->err.msg, sizeof msg);
    for (int64_t batch = 1; batch <= 7; batch++) {
        memset(&s->err, 0, sizeof s->err);
        assert_int_equal(read_all(s, path, batch), want);
        assert_string_equal(s->err.msg, msg);
    }
}

TEST(errors_of_text_are_those_of_whole_files)
{
    static const char *const bad[] = {"a,b\n1,x1\n2,3\n",
                                      "a,b\n1,2\n,3\n",
                                      "a,b\n1,2\n3,nan\n",
                                      "a,b\n1,2\n1\n",
                                      "a,b\n1,2\n1,2,3\n",
                                      "a,b\n1,2\n\n3,4\n",
                                      "a,b\n\"x\ny\",1\n",
                                      "a,b\n1,\"2\n",
                                      "a,b\n1,\"2\"3\n",
                                      "a,b\r1,2\r",
                                      "a,b\n1,2\n3,4\rx\n",
                                      "a,b,a\n1,2,3\n",
                                      "a,,c\n1,2,3\n",
                                      "\na,b\n",
                                      "",
                                      " \n\n",
                                      "a,b\n",
                                      "a,b",
                                      "a,b\n1,\"2\n\n\"\n"};
    scratch                 *s = *state;

    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        same_error(s, scratch_text(s, "f.csv", bad[k]), MB_E_FORMAT);
    same_error(s, scratch_bytes(s, "f.csv", "a,b\n1,2\n1,\0\n", 13), MB_E_FORMAT);
    same_error(s, scratch_path(s, "absent.csv"), MB_E_IO);
    same_error(s, s->dir, MB_E_IO);
}

/* The line number is still right after the buffer was refilled. */
TEST(error_far_in_the_file_names_its_line)
{
    scratch *s = *state;
    char    *text = malloc(4 * BUFFER);
    size_t   at;

    assert_non_null(text);
    at = (size_t)sprintf(text, "a,b\n");
    for (int k = 0; k < 30000; k++)
        at += (size_t)sprintf(text + at, "1,\"2\"\n");
    sprintf(text + at, "1,\"x\"\n");
    scratch_expect(s, read_all(s, scratch_text(s, "f.csv", text), 7), MB_E_FORMAT,
                   "f.csv:30002: column \"b\": \"x\" is not a finite number");
    memcpy(text + at, "1,\0\n", 4);
    scratch_expect(s, read_all(s, scratch_bytes(s, "f.csv", text, at + 4), 7), MB_E_FORMAT,
                   "f.csv:30002: a byte of value 0");
    free(text);
}

TEST(errors_of_npy_are_those_of_whole_files)
{
    static const double x[6] = {1, 2, 3, 4, (double)INFINITY, 6};
    scratch            *s = *state;
    const char         *path = scratch_path(s, "m.npy");
    char               *bytes;
    size_t              n;

    must(mb_npy_write(s->a, path, 2, (const int64_t[]){3, 2}, x, &s->err));
    same_error(s, path, MB_E_FORMAT); /* row 3, column 1 */
    must(mb_npy_write(s->a, path, 3, (const int64_t[]){3, 1, 2}, x, &s->err));
    same_error(s, path, MB_E_SHAPE);
    must(mb_npy_write(s->a, path, 2, (const int64_t[]){0, 2}, x, &s->err));
    same_error(s, path, MB_E_SHAPE);
    must(mb_npy_write(s->a, path, 2, (const int64_t[]){2, 2}, x, &s->err));
    must(mb_file_read(s->a, path, &bytes, &n, &s->err));
    for (size_t cut = 0; cut < n; cut++)
        same_error(s, scratch_bytes(s, "cut.npy", bytes, cut), MB_E_FORMAT);
    same_error(s, scratch_bytes(s, "more.npy", bytes, n + 1), MB_E_FORMAT);
}

TEST(first_of_several_bad_numbers_of_npy_is_named)
{
    scratch    *s = *state;
    const char *path = scratch_path(s, "m.npy");
    double      x[ROWS * COLS] = {0};

    x[41 * COLS + 1] = x[40 * COLS + 2] = (double)INFINITY;
    x[40 * COLS] = 2 * MB_VALUE_MAX;
    must(mb_npy_write(s->a, path, 2, (const int64_t[]){ROWS, COLS}, x, &s->err));
    scratch_expect(s, read_all(s, path, 20), MB_E_FORMAT, "m.npy: row 41, column 1: ");
}

TEST(header_and_line_without_end_are_refused)
{
    enum { LIMIT = 1 << 26 };
    scratch *s = *state;
    char    *text = malloc(LIMIT + 16);

    assert_non_null(text);
    memset(text, '1', LIMIT + 16);
    memcpy(text, "a\n", 2);
    scratch_expect(s, read_all(s, scratch_bytes(s, "f.csv", text, LIMIT + 16), 1), MB_E_NOSUP,
                   "f.csv:2: a row longer than 67108864 bytes");
    memcpy(text, "\x93NUMPY\2\0\1\0\x10\0{", 13);
    scratch_expect(s, read_all(s, scratch_bytes(s, "f.npy", text, 4096), 1), MB_E_FORMAT,
                   "f.npy: got an NPY header of 1048577 bytes");
    free(text);
}

TEST(nobody_asks_for_no_rows)
{
    scratch   *s = *state;
    mb_reader *r = opened(s, scratch_text(s, "f.csv", "a\n1\n"));
    double     x;
    int64_t    n;

    scratch_expect(s, mb_reader_next(r, 0, &x, &n, &s->err), MB_E_ARG, "got 0 rows to read");
    mb_reader_close(r);
    mb_reader_close(NULL);
}

RUN_EACH_TEST(scratch_begin, scratch_end)

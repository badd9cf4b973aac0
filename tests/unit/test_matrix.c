/* Plain matrices from CSV or NPY. */
#include "data/table.h"
#include "scratch.h"
#include "test.h"

TEST(both_formats_give_the_same_matrix)
{
    static const double x[6] = {1, 2.5, -3, 4, 5e-3, 6};
    scratch            *s = *state;
    const char         *path = scratch_path(s, "m.npy");
    mb_matrix           m, c;

    must(mb_npy_write(s->a, path, 2, (const int64_t[]){3, 2}, x, &s->err));
    must(mb_matrix_read(s->a, path, &m, &s->err));
    must(mb_matrix_read(s->a, scratch_text(s, "m.csv", "p,q\n1,2.5\n-3,4\n5e-3,6\n"), &c, &s->err));
    assert_int_equal(m.n, 3);
    assert_int_equal(m.d, 2);
    assert_null(m.name);
    assert_int_equal(c.n, 3);
    assert_int_equal(c.d, 2);
    assert_string_equal(c.name[1], "q");
    assert_memory_equal(m.x, x, sizeof x);
    assert_memory_equal(c.x, x, sizeof x);
}

TEST(vector_is_no_matrix)
{
    scratch    *s = *state;
    const char *path = scratch_path(s, "m.npy");
    mb_matrix   m;

    must(mb_npy_write(s->a, path, 1, (const int64_t[]){2}, (const double[]){7, 8}, &s->err));
    scratch_expect(s, mb_matrix_read(s->a, path, &m, &s->err), MB_E_SHAPE,
                   "m.npy: got 1 dimension; expected rows x columns");
}

TEST(numbers_must_be_finite_and_there)
{
    static const double x[4] = {1, 2, (double)NAN, 4};
    scratch            *s = *state;
    const char         *path = scratch_path(s, "m.npy");
    mb_matrix           m;

    must(mb_npy_write(s->a, path, 2, (const int64_t[]){2, 2}, x, &s->err));
    scratch_expect(s, mb_matrix_read(s->a, path, &m, &s->err), MB_E_FORMAT,
                   "m.npy: row 2, column 1: nan is not a finite number");
    must(mb_npy_write(s->a, path, 3, (const int64_t[]){2, 1, 2}, x, &s->err));
    scratch_expect(s, mb_matrix_read(s->a, path, &m, &s->err), MB_E_SHAPE, "3 dimensions");
    must(mb_npy_write(s->a, path, 2, (const int64_t[]){0, 2}, x, &s->err));
    scratch_expect(s, mb_matrix_read(s->a, path, &m, &s->err), MB_E_SHAPE, "0 x 2");
    scratch_expect(s, mb_matrix_read(s->a, scratch_text(s, "m.csv", "a\nx\n"), &m, &s->err),
                   MB_E_FORMAT, "m.csv:2: column \"a\": \"x\"");
    scratch_expect(s, mb_matrix_read(s->a, scratch_text(s, "m.csv", "a,b\n"), &m, &s->err),
                   MB_E_FORMAT, "no rows below the header line");
}

RUN_EACH_TEST(scratch_begin, scratch_end)

/* Rows of an NPY file looked at where they lie, and rows cut into blocks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "meshbayes/data.h"
#include "scratch.h"

enum { ROWS = 1000, COLS = 3 };

static const char *file_of(scratch *s, const double *x)
{
    const int64_t shape[2] = {ROWS, COLS};
    const char   *path = scratch_path(s, "rows.npy");

    assert_int_equal(mb_npy_write(s->a, path, 2, shape, x, &s->err), MB_OK);
    return path;
}

static void count_up(double *x)
{
    for (int k = 0; k < ROWS * COLS; k++)
        x[k] = k / 7.0;
}

static void mapped_rows_are_those_that_were_written(void **state)
{
    scratch    *s = *state;
    double      x[ROWS * COLS];
    mb_npy_rows rows;

    count_up(x);
    assert_int_equal(mb_npy_map(file_of(s, x), &rows, &s->err), MB_OK);
    assert_int_equal(rows.n, ROWS);
    assert_int_equal(rows.d, COLS);
    assert_memory_equal(rows.x, x, sizeof x);
    mb_npy_rest(&rows);
    assert_memory_equal(rows.x, x, sizeof x);
    mb_npy_unmap(&rows);
    assert_null(rows.x);
    mb_npy_unmap(&rows);
}

static void a_value_that_is_not_finite_is_named_by_those_who_look_at_it(void **state)
{
    scratch    *s = *state;
    double      x[ROWS * COLS];
    mb_npy_rows rows;
    const char *path;

    count_up(x);
    x[500 * COLS + 1] = (double)NAN;
    path = file_of(s, x);
    assert_int_equal(mb_npy_map(path, &rows, &s->err), MB_OK);
    assert_int_equal(mb_npy_check(path, &rows, 0, 500, &s->err), MB_OK);
    assert_int_equal(mb_npy_check(path, &rows, 501, ROWS, &s->err), MB_OK);
    scratch_expect(s, mb_npy_check(path, &rows, 400, 600, &s->err), MB_E_FORMAT,
                   "row 501, column 2: nan is not a finite number");
    mb_npy_unmap(&rows);
}

static void what_can_not_be_mapped_is_refused(void **state)
{
    static const char head[] =
        "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(2, 1), }                                                        \n";
    scratch    *s = *state;
    char        bytes[128 + 8] = {0};
    mb_npy_rows rows;

    memcpy(bytes, head, sizeof head - 1);
    memset(bytes + sizeof head - 1, ' ', 128 - sizeof head);
    bytes[127] = '\n';
    scratch_expect(s, mb_npy_map(scratch_bytes(s, "f4.npy", bytes, sizeof bytes), &rows, &s->err),
                   MB_E_NOSUP, "expected float64");
    scratch_expect(s, mb_npy_map(scratch_bytes(s, "cut.npy", bytes, 130), &rows, &s->err),
                   MB_E_FORMAT, "bytes of numbers");
    scratch_expect(s, mb_npy_map(scratch_bytes(s, "empty.npy", bytes, 0), &rows, &s->err),
                   MB_E_FORMAT, "not an NPY file");
    scratch_expect(s, mb_npy_map(scratch_path(s, "none.npy"), &rows, &s->err), MB_E_IO,
                   "No such file");
    assert_null(rows.base);
}

static void blocks_cover_all_rows_in_order_and_differ_by_one(void **state)
{
    scratch *s = *state;
    mb_data  d = {.n = 11, .d = 1};

    assert_int_equal(mb_data_deal_blocks(s->a, &d, 4, &s->err), MB_OK);
    assert_int_equal(d.N, 4);
    for (int32_t i = 0; i < 4; i++)
        assert_int_equal(d.first[i + 1] - d.first[i], i < 3 ? 3 : 2);
    assert_int_equal(d.first[4], 11);
    assert_string_equal(d.node_id[3], "4");
    scratch_expect(s, mb_data_deal_blocks(s->a, &d, 4, &s->err), MB_E_ARG, "have nodes already");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(mapped_rows_are_those_that_were_written, scratch_begin,
                                        scratch_end),
        cmocka_unit_test_setup_teardown(a_value_that_is_not_finite_is_named_by_those_who_look_at_it,
                                        scratch_begin, scratch_end),
        cmocka_unit_test_setup_teardown(what_can_not_be_mapped_is_refused, scratch_begin,
                                        scratch_end),
        cmocka_unit_test_setup_teardown(blocks_cover_all_rows_in_order_and_differ_by_one,
                                        scratch_begin, scratch_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

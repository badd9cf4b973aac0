/* Rows where the caller has them: any type, any strides, targets in another array. */
#include "fits.h"

#include <stdlib.h>

enum { WIDE = 3, MANY = 40 };

/* Small whole numbers, which every type holds. */
static double value(int64_t j, int32_t k)
{
    return (double)((7 * j + 11 * k + j * k) % 100);
}

static const size_t width[] = {[MB_NUMBER_F8] = 8,
                               [MB_NUMBER_F4] = 4,
                               [MB_NUMBER_I8] = 8,
                               [MB_NUMBER_I4] = 4,
                               [MB_NUMBER_U1] = 1};

static void store(char *at, mb_number type, double x)
{
    const float   f4 = (float)x;
    const int64_t i8 = (int64_t)x;
    const int32_t i4 = (int32_t)x;
    const uint8_t u1 = (uint8_t)x;
    const void   *from = type == MB_NUMBER_F8   ? (const void *)&x
                         : type == MB_NUMBER_F4 ? (const void *)&f4
                         : type == MB_NUMBER_I8 ? (const void *)&i8
                         : type == MB_NUMBER_I4 ? (const void *)&i4
                                                : (const void *)&u1;

    memcpy(at, from, width[type]);
}

/* MANY x WIDE values in a buffer, their row 0 and column 0 at `first`. */
static mb_rows laid_out(char *first, mb_number type, int64_t row, int64_t column)
{
    mb_rows out;

    for (int64_t j = 0; j < MANY; j++)
        for (int32_t k = 0; k < WIDE; k++)
            store(first + j * row + k * column, type, value(j, k));
    OK(mb_rows_strided(arena, first, type, MANY, WIDE, row, column, &out, &err));
    return out;
}

static void has_the_values(const mb_rows *rows)
{
    double all[MANY * WIDE];

    assert_int_equal(rows->n, MANY);
    assert_int_equal(rows->d, WIDE);
    mb_rows_take(rows, 0, MANY, all);
    for (int64_t j = 0; j < MANY; j++)
        for (int32_t k = 0; k < WIDE; k++) {
            assert_true(mb_rows_at(rows, j, k) == value(j, k));
            assert_true(all[j * WIDE + k] == value(j, k));
        }
}

TEST(every_type_and_stride_reads_the_same_rows)
{
    static _Alignas(8) char room[1 << 14];

    for (mb_number t = MB_NUMBER_F8; t <= MB_NUMBER_U1; t++) {
        const int64_t w = (int64_t)width[t];
        const int64_t steps[][3] = {/* first byte, row, column */
                                    {0, WIDE * w, w},
                                    {0, (WIDE + 2) * w, w},
                                    {0, w, MANY * w},                      /* Fortran     */
                                    {(MANY - 1) * WIDE * w, -WIDE * w, w}, /* rows upside down */
                                    {(WIDE - 1) * w, WIDE * w, -w},        /* columns reversed */
                                    {1, WIDE * w + 5, w + 1},              /* not aligned */
                                    {((MANY * WIDE) - 1) * w, -w, -MANY * w}};

        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            const mb_rows rows = laid_out(room + steps[k][0], t, steps[k][1], steps[k][2]);

            has_the_values(&rows);
        }
    }
}

TEST(c_order_is_read_as_the_array_it_is)
{
    static double x[MANY * 5];
    static float  f[MANY * 5];
    mb_rows       rows = laid_out((char *)x, MB_NUMBER_F8, 40, 8);

    assert_ptr_equal(rows.x, x);
    assert_int_equal(rows.ld, 5);
    assert_null(rows.stored);
    rows = laid_out((char *)f, MB_NUMBER_F4, 20, 4);
    assert_ptr_equal(rows.x32, f);
    assert_null(rows.stored);
    /* The stride of a single row or column says nothing. */
    OK(mb_rows_strided(arena, x, MB_NUMBER_F8, 1, 5, -3, 8, &rows, &err));
    assert_ptr_equal(rows.x, x);
    assert_int_equal(rows.ld, 5);
    OK(mb_rows_strided(arena, x, MB_NUMBER_F8, MANY, 1, 40, -3, &rows, &err));
    assert_ptr_equal(rows.x, x);
    assert_int_equal(rows.ld, 5);
}

TEST(one_row_may_stand_for_all)
{
    static const double x[] = {4, 5};
    mb_rows             rows;

    OK(mb_rows_strided(arena, x, MB_NUMBER_F8, MANY, 2, 0, 8, &rows, &err));
    assert_true(mb_rows_at(&rows, MANY - 1, 1) == 5);
}

TEST(what_is_no_view_is_refused)
{
    static const double x[] = {4};
    mb_rows             rows;

    assert_int_equal(mb_rows_strided(arena, x, MB_NUMBER_F8, -1, 1, 8, 8, &rows, &err), MB_E_SHAPE);
    assert_int_equal(mb_rows_strided(arena, x, MB_NUMBER_F8, 1, 0, 8, 8, &rows, &err), MB_E_SHAPE);
    assert_int_equal(mb_rows_strided(arena, NULL, MB_NUMBER_F8, 1, 1, 8, 8, &rows, &err), MB_E_ARG);
    assert_int_equal(mb_rows_strided(arena, x, (mb_number)5, 1, 1, 8, 8, &rows, &err), MB_E_ARG);
}

/* The rows of a table in columns, one after the other. */
static mb_rows by_columns(const mb_rows *rows, int32_t first, int32_t d)
{
    double *x = doubles((size_t)rows->n * (size_t)d);
    mb_rows out;

    for (int32_t k = 0; k < d; k++)
        for (int64_t j = 0; j < rows->n; j++)
            x[k * rows->n + j] = mb_rows_at(rows, j, first + k);
    OK(mb_rows_strided(arena, x, MB_NUMBER_F8, rows->n, d, 8, 8 * rows->n, &out, &err));
    return out;
}

static void same_fit(const mb_table *p, const mb_table *q, const mb_fit_opt *o)
{
    mb_fit f, g;

    OK(mb_fit_run(arena, NULL, p, o, &f, &err));
    OK(mb_fit_run(arena, NULL, q, o, &g, &err));
    assert_int_equal(f.out.rounds, g.out.rounds);
    assert_memory_equal(f.posterior.par, g.posterior.par,
                        f.posterior.len * sizeof *f.posterior.par);
    assert_memory_equal(&f.out.bound, &g.out.bound, sizeof f.out.bound);
    mb_fit_close(&f);
    mb_fit_close(&g);
}

TEST(fortran_order_fits_to_the_same_bits)
{
    const mb_table t = some_rows();
    mb_table       turned = t;
    mb_gmm_kind    gmm;
    mb_fit_opt     o = mixture(&gmm);

    turned.rows = by_columns(&t.rows, 0, COLS);
    assert_non_null(turned.rows.stored);
    same_fit(&t, &turned, &o);
    o.start = (mb_start){.how = MB_INIT_KMEANS};
    same_fit(&t, &turned, &o);
}

/* Columns first .. first + d - 1 of rows in an array. */
static mb_rows columns_of(const mb_rows *rows, int32_t first, int32_t d)
{
    mb_rows out = *rows;

    out.x += first;
    out.d = d;
    return out;
}

TEST(two_arrays_side_by_side_are_one_table)
{
    static _Alignas(8) char room[1 << 14];
    const mb_rows           all = laid_out(room, MB_NUMBER_F8, 24, 8);

    for (int32_t left = 1; left < WIDE; left++)
        for (int32_t way = 0; way < 4; way++) {
            const mb_rows x = way & 1 ? by_columns(&all, 0, left) : columns_of(&all, 0, left);
            const mb_rows y =
                way & 2 ? by_columns(&all, left, WIDE - left) : columns_of(&all, left, WIDE - left);
            mb_rows both, wrong = y;

            OK(mb_rows_hstack(arena, &x, &y, &both, &err));
            has_the_values(&both);
            wrong.n--;
            assert_int_equal(mb_rows_hstack(arena, &x, &wrong, &both, &err), MB_E_SHAPE);
        }
}

TEST(more_columns_than_can_be_counted_are_refused)
{
    static const double x[] = {4};
    mb_rows             wide, both;

    OK(mb_rows_strided(arena, x, MB_NUMBER_F8, 1, INT32_MAX / 2 + 1, 8, 0, &wide, &err));
    assert_int_equal(mb_rows_hstack(arena, &wide, &wide, &both, &err), MB_E_SHAPE);
}

TEST(targets_in_an_array_of_their_own_fit_to_the_same_bits)
{
    mb_linreg_kind kind = {0};
    mb_fit_opt     o = mb_fit_defaults();
    mb_table       t = some_rows(), stacked;
    mb_rows        x, y;
    double        *w = row_weights(ROWS);

    OK(mb_opt_defaults(mb_kind_linreg.opts, &kind, &err));
    o.kind = &mb_kind_linreg;
    o.kind_opt = &kind;
    t.rows.w = w;
    stacked = t;
    x = columns_of(&t.rows, 0, COLS - 1);
    y = columns_of(&t.rows, COLS - 1, 1);
    OK(mb_rows_hstack(arena, &x, &y, &stacked.rows, &err));
    assert_ptr_equal(stacked.rows.w, w);
    same_fit(&t, &stacked, &o);
}

RUN_TESTS(arena_up, arena_down)

/* Rows of an NPY file looked at where they lie, and rows cut into blocks. */
#include "base/rows.h"
#include "data/parse.h"
#include "fit/case.h"
#include "scratch.h"
#include "test.h"

enum { ROWS = 1000, COLS = 3 };

static const char *file_of(scratch *s, const double *x)
{
    const int64_t shape[2] = {ROWS, COLS};
    const char   *path = scratch_path(s, "rows.npy");

    must(mb_npy_write(s->a, path, 2, shape, x, &s->err));
    return path;
}

static void count_up(double *x)
{
    for (int k = 0; k < ROWS * COLS; k++)
        x[k] = k / 7.0;
}

TEST(mapped_rows_are_those_that_were_written)
{
    scratch    *s = *state;
    double      x[ROWS * COLS];
    mb_npy_rows rows;

    count_up(x);
    must(mb_npy_map(file_of(s, x), &rows, &s->err));
    assert_int_equal(rows.n, ROWS);
    assert_int_equal(rows.d, COLS);
    assert_memory_equal(rows.x, x, sizeof x);
    mb_npy_rest(&rows);
    assert_memory_equal(rows.x, x, sizeof x);
    mb_npy_unmap(&rows);
    assert_null(rows.x);
    mb_npy_unmap(&rows);
}

TEST(a_value_that_is_not_finite_is_named_by_those_who_look_at_it)
{
    scratch    *s = *state;
    double      x[ROWS * COLS];
    mb_npy_rows rows;
    mb_table    table;
    const char *path;
    int64_t     gaps;
    uint64_t    hash;

    count_up(x);
    x[500 * COLS + 1] = (double)NAN;
    path = file_of(s, x);
    must(mb_npy_map(path, &rows, &s->err));
    must(mb_npy_check(path, &rows, 0, 500, &s->err));
    must(mb_npy_check(path, &rows, 501, ROWS, &s->err));
    scratch_expect(s, mb_npy_check(path, &rows, 400, 600, &s->err), MB_E_FORMAT,
                   "row 501, column 2: nan is not a finite number");
    table = (mb_table){.rows = mb_npy_view(&rows), .name = path};
    must(mb_table_look(s->a, &rows, 0, NULL, &table, &gaps, &hash, &s->err));
    assert_int_equal(gaps, 1);
    assert_int_equal(table.rows.gaps, 1);
    assert_true(hash == mb_npy_hash(&rows));
    mb_npy_unmap(&rows);
}

/* A file of ROWS x COLS numbers of a type, `width` bytes each. */
static const char *typed(scratch *s, const char *type, size_t width, const void *numbers)
{
    char head[128], *bytes = mb_alloc(s->a, sizeof head + ROWS * COLS * width, 1);
    int  n = snprintf(head, sizeof head,
                      "%sNUMPY%c%cv%c{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }",
                      "\x93", 1, 0, 0, type, ROWS, COLS);

    assert_non_null(bytes);
    memset(head + n, ' ', sizeof head - (size_t)n);
    head[sizeof head - 1] = '\n';
    memcpy(bytes, head, sizeof head);
    memcpy(bytes + sizeof head, numbers, ROWS * COLS * width);
    return scratch_bytes(s, "typed.npy", bytes, sizeof head + ROWS * COLS * width);
}

/* The view, and the view in units, have what a copy has, to the bit: row by row, in blocks, in
 * parts, number by number. */
static void expect_views(scratch *s, const char *path, const double *scale)
{
    static const double origin[COLS] = {0.25, -3, 100};
    mb_npy_rows         rows;
    mb_rows             all, view, part;
    mb_npy              copy;
    double              block[7 * COLS], row[COLS];

    must(mb_npy_read(s->a, path, &copy, &s->err));
    must(mb_npy_map(path, &rows, &s->err));
    all = mb_npy_view(&rows);
    assert_int_equal(all.n, ROWS);
    for (int64_t k = 0; k < ROWS * COLS; k++)
        assert_true(fabs(mb_rows_at(&all, k / COLS, (int32_t)(k % COLS)) - copy.x[k]) <= 0);
    for (int64_t k = 0; k < ROWS * COLS; k++)
        copy.x[k] = (copy.x[k] - origin[k % COLS]) / scale[k % COLS];
    must(mb_rows_in_units(s->a, &all, origin, scale, &view, &s->err));
    part = mb_rows_part(&view, 500, 100);
    mb_rows_take(&part, 90, 7, block);
    assert_memory_equal(block, copy.x + (size_t)590 * COLS, sizeof block);
    for (int64_t j = 0; j < ROWS; j++)
        assert_memory_equal(mb_rows_row(&view, j, row), copy.x + j * COLS, sizeof row);
    for (int64_t k = 0; k < ROWS * COLS; k++) {
        const double one = mb_rows_at(&view, k / COLS, (int32_t)(k % COLS));

        assert_memory_equal(&one, &copy.x[k], sizeof one);
    }
    mb_npy_unmap(&rows);
}

TEST(views_of_every_type_and_scale_have_the_bits_of_a_copy)
{
    static const double exact[COLS] = {0.5, 1024, 1}, other[COLS] = {0.3, 7, 1e-5};
    static const char  *type[] = {"<f8", ">f8", "<f4", "<f2", "|u1", "|i1", "|b1", "<i4", ">u2"};
    static const size_t width[] = {8, 8, 4, 2, 1, 1, 1, 4, 2};
    scratch            *s = *state;
    unsigned char       bytes[ROWS * COLS * 8];
    double              x[ROWS * COLS];

    count_up(x);
    for (size_t t = 0; t < sizeof type / sizeof *type; t++) {
        memcpy(bytes, x, sizeof x);
        for (size_t k = 0; t && k < sizeof bytes; k++) /* small exponents: every number finite */
            bytes[k] = (unsigned char)(type[t][1] == 'b' ? k % 2 : (k * 37 + k / 11) % 60);
        expect_views(s, typed(s, type[t], width[t], bytes), exact);
        expect_views(s, typed(s, type[t], width[t], bytes), other);
    }
}

TEST(hashes_do_not_depend_on_how_bytes_are_cut)
{
    char bytes[100];

    for (size_t k = 0; k < sizeof bytes; k++)
        bytes[k] = (char)(k * 7);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        mb_hash_ whole = mb_hash_begin_();

        mb_hash_more_(&whole, bytes, n);
        for (size_t cut = 0; cut <= n; cut++) {
            mb_hash_ parts = mb_hash_begin_();

            mb_hash_more_(&parts, bytes, cut);
            mb_hash_more_(&parts, bytes + cut, (n - cut) / 2);
            mb_hash_more_(&parts, bytes + cut + (n - cut) / 2, n - cut - (n - cut) / 2);
            assert_true(mb_hash_end_(&parts) == mb_hash_end_(&whole));
        }
    }
}

/* Test vectors of the reference implementation. */
TEST(the_hash_is_xxh64)
{
    static const char text[] = "Nobody inspects the spammish repetition";
    mb_hash_          h = mb_hash_begin_();

    assert_true(mb_hash_end_(&h) == UINT64_C(0xef46db3751d8e999));
    mb_hash_more_(&h, text, sizeof text - 1);
    assert_true(mb_hash_end_(&h) == UINT64_C(0xfbcea83c8a378bf1));
}

TEST(what_can_not_be_mapped_is_refused)
{
    static const char head[] =
        "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': True, 'shape': "
        "(2, 2), }                                                         \n";
    scratch    *s = *state;
    char        bytes[128 + 16] = {0};
    mb_npy_rows rows;

    memcpy(bytes, head, sizeof head - 1);
    memset(bytes + sizeof head - 1, ' ', 128 - sizeof head);
    bytes[127] = '\n';
    scratch_expect(s, mb_npy_map(scratch_bytes(s, "by.npy", bytes, sizeof bytes), &rows, &s->err),
                   MB_E_NOSUP, "expected numbers in C order");
    scratch_expect(s, mb_npy_map(scratch_bytes(s, "cut.npy", bytes, 130), &rows, &s->err),
                   MB_E_FORMAT, "bytes of numbers");
    scratch_expect(s, mb_npy_map(scratch_bytes(s, "empty.npy", bytes, 0), &rows, &s->err),
                   MB_E_FORMAT, "not an NPY file");
    scratch_expect(s, mb_npy_map(scratch_path(s, "none.npy"), &rows, &s->err), MB_E_IO,
                   "No such file");
    assert_null(rows.base);
}

TEST(blocks_cover_all_rows_in_order_and_differ_by_one)
{
    scratch *s = *state;
    mb_data  d = {.n = 11, .d = 1};

    must(mb_data_deal_blocks(s->a, &d, 4, &s->err));
    assert_int_equal(d.N, 4);
    for (int32_t i = 0; i < 4; i++)
        assert_int_equal(d.first[i + 1] - d.first[i], i < 3 ? 3 : 2);
    assert_int_equal(d.first[4], 11);
    assert_string_equal(d.node_id[3], "4");
    scratch_expect(s, mb_data_deal_blocks(s->a, &d, 4, &s->err), MB_E_ARG, "have nodes already");
}

RUN_EACH_TEST(scratch_begin, scratch_end)

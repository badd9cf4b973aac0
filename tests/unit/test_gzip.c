/* Files that are gzip data, read and written. */
#include "data/file.h"
#include "data/table.h"
#include "scratch.h"
#include "test.h"

#include <stdlib.h>

/* printf 'a,b\n1,2.5\n' | gzip -n */
static const char packed[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\xd4\x49\xe2\x32\xd4\x31\xd2\x33\xe5"
                             "\x02\0\x62\xe8\xd6\x6e\x0a\0\0";
enum { PACKED = sizeof packed };

/* Without zlib every use is an error, and that is all there is to test. */
static int without_zlib(scratch *s)
{
    const char *path = scratch_bytes(s, "probe", packed, PACKED);
    mb_file     f = {0};
    char       *bytes;
    size_t      n;

    if (mb_file_read(s->a, path, &bytes, &n, &s->err) != MB_E_NOSUP)
        return 0;
    scratch_expect(s, MB_E_NOSUP, MB_E_NOSUP, "probe: gzip data, but meshbayes is built without");
    assert_int_equal(mb_file_open(s->a, scratch_path(s, "f.gz"), &f, &s->err), MB_E_NOSUP);
    assert_int_equal(scratch_count(s), 1);
    return 1;
}

static void expect_bytes(scratch *s, const char *path, const char *text)
{
    char  *bytes;
    size_t n;

    if (mb_file_read(s->a, path, &bytes, &n, &s->err) != MB_OK)
        fail_msg("%s", s->err.msg);
    assert_int_equal(n, strlen(text));
    assert_string_equal(bytes, text);
}

TEST(packed_files_are_recognised_by_their_bytes)
{
    scratch *s = *state;

    if (without_zlib(s))
        return;
    expect_bytes(s, scratch_bytes(s, "f.csv.gz", packed, PACKED), "a,b\n1,2.5\n");
    expect_bytes(s, scratch_bytes(s, "f.csv", packed, PACKED), "a,b\n1,2.5\n");
    expect_bytes(s, scratch_text(s, "plain.gz", "a,b\n"), "a,b\n");
    expect_bytes(s, scratch_text(s, "one.gz", "\x1f"), "\x1f");
    expect_bytes(s, scratch_text(s, "none.gz", ""), "");
}

TEST(members_are_read_one_behind_the_other)
{
    scratch *s = *state;
    char     twice[2 * PACKED];

    if (without_zlib(s))
        return;
    memcpy(twice, packed, PACKED);
    memcpy(twice + PACKED, packed, PACKED);
    expect_bytes(s, scratch_bytes(s, "f.gz", twice, sizeof twice), "a,b\n1,2.5\na,b\n1,2.5\n");
}

/* The status of reading n bytes as a file, whole and row by row: both the same. */
static mb_status read_both(scratch *s, const char *bytes, size_t n)
{
    const char *path = scratch_bytes(s, "f.csv.gz", bytes, n);
    mb_matrix   m;
    mb_reader  *r;
    double      x[2];
    int64_t     rows = 1;
    mb_status   st = mb_matrix_read(s->a, path, &m, &s->err), by_rows;

    by_rows = mb_reader_open(s->a, path, NULL, &r, &s->err);
    while (by_rows == MB_OK && rows)
        by_rows = mb_reader_next(r, 1, x, &rows, &s->err);
    mb_reader_close(r);
    assert_int_equal(st, by_rows);
    return st;
}

TEST(damage_is_an_error_that_names_the_file)
{
    scratch *s = *state;
    char     bad[PACKED + 2];

    if (without_zlib(s))
        return;
    must(read_both(s, packed, PACKED));
    for (size_t n = 2; n < PACKED; n++)
        scratch_expect(s, read_both(s, packed, n), MB_E_FORMAT,
                       "f.csv.gz: the gzip data ends too early");
    for (size_t k = 10; k < PACKED; k++) { /* after the header, in which some bits are free */
        memcpy(bad, packed, PACKED);
        bad[k] ^= 0x01;
        assert_int_equal(read_both(s, bad, PACKED), MB_E_FORMAT);
    }
    memcpy(bad, packed, PACKED);
    memcpy(bad + PACKED, "xx", 2);
    scratch_expect(s, read_both(s, bad, PACKED + 2), MB_E_FORMAT,
                   "f.csv.gz: broken gzip data: incorrect header check");
}

enum { N = 20000 };

/* A matrix of N / 4 rows at `path`; its numbers, for the test to free. */
static double *write_matrix(scratch *s, const char *path)
{
    double *x = calloc(N, sizeof *x);

    assert_non_null(x);
    for (int k = 0; k < N; k++)
        x[k] = k / 7.0;
    must(mb_npy_write(s->a, path, 2, (const int64_t[]){N / 4, 4}, x, &s->err));
    return x;
}

TEST(packed_npy_comes_back)
{
    scratch    *s = *state;
    const char *path = scratch_path(s, "m.npy.gz");
    double     *x, y[4];
    mb_matrix   m;
    mb_reader  *r;
    int64_t     got;

    if (without_zlib(s))
        return;
    x = write_matrix(s, path);
    must(mb_matrix_read(s->a, path, &m, &s->err));
    assert_int_equal(m.n, N / 4);
    assert_memory_equal(m.x, x, N * sizeof *x);
    must(mb_reader_open(s->a, path, NULL, &r, &s->err));
    for (int64_t row = 0; row < m.n; row++) {
        must(mb_reader_next(r, 1, y, &got, &s->err));
        assert_memory_equal(y, x + 4 * row, sizeof y);
    }
    mb_reader_close(r);
    free(x);
}

/* The bytes as they are on the disk. */
static size_t raw(scratch *s, const char *path, char **bytes)
{
    FILE  *fp = fopen(path, "rb");
    size_t n;

    *bytes = mb_alloc(s->a, N, sizeof(double));
    assert_non_null(fp);
    n = fread(*bytes, 1, N * sizeof(double), fp);
    fclose(fp);
    return n;
}

TEST(packed_files_are_smaller_and_hold_no_time)
{
    scratch    *s = *state;
    const char *path = scratch_path(s, "m.npy.gz"), *again = scratch_path(s, "again.npy.gz");
    char       *one, *two;
    size_t      n;

    if (without_zlib(s))
        return;
    free(write_matrix(s, path));
    free(write_matrix(s, again));
    n = raw(s, path, &one);
    assert_true(n < N * sizeof(double) / 2);
    assert_memory_equal(one, "\x1f\x8b\x08\0\0\0\0\0", 8); /* no name, no time */
    assert_int_equal(raw(s, again, &two), n);
    assert_memory_equal(one, two, n);
}

TEST(printed_text_is_packed_too)
{
    scratch *s = *state;
    char     longer[1200];
    mb_file  f;

    if (without_zlib(s))
        return;
    memset(longer, 'x', sizeof longer);
    longer[sizeof longer - 1] = 0;
    for (int gz = 0; gz < 2; gz++) {
        const char *path = scratch_path(s, gz ? "f.txt.gz" : "f.txt");

        must(mb_file_open(s->a, path, &f, &s->err));
        must(mb_file_printf(&f, &s->err, "%s", longer));
        must(mb_file_printf(&f, &s->err, "%d%s", 7, ""));
        must(mb_file_commit(&f, &s->err));
    }
    longer[sizeof longer - 1] = '7';
    assert_int_equal(scratch_count(s), 3); /* and the probe */
    for (int gz = 0; gz < 2; gz++) {
        char  *bytes;
        size_t n;

        must(mb_file_read(s->a, scratch_path(s, gz ? "f.txt.gz" : "f.txt"), &bytes, &n, &s->err));
        assert_int_equal(n, sizeof longer);
        assert_memory_equal(bytes, longer, n);
    }
}

TEST(aborted_packed_file_leaves_nothing)
{
    scratch *s = *state;
    mb_file  f;

    if (without_zlib(s))
        return;
    must(mb_file_open(s->a, scratch_path(s, "f.gz"), &f, &s->err));
    must(mb_file_printf(&f, &s->err, "half"));
    mb_file_abort(&f);
    assert_int_equal(scratch_count(s), 1); /* the probe */
}

RUN_EACH_TEST(scratch_begin, scratch_end)

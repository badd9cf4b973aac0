/* NumPy's array files. */
#include "data/file.h"
#include "data/table.h"
#include "scratch.h"
#include "test.h"

/* A file of version 1 or 2 with this dictionary and n bytes of numbers. */
static const char *make(scratch *s, int version, const char *dictionary, const void *x, size_t n)
{
    unsigned char bytes[600] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    size_t        lead = version == 1 ? 10 : 12, len = strlen(dictionary);

    bytes[6] = (unsigned char)version;
    bytes[8] = (unsigned char)len;
    memcpy(bytes + lead, dictionary, len);
    memcpy(bytes + lead + len, x, n);
    return scratch_bytes(s, "f.npy", bytes, lead + len + n);
}

static void bad(scratch *s, const char *dictionary, size_t n, const char *part)
{
    static const double zeros[8];
    mb_npy              npy;

    scratch_expect(s, mb_npy_read(s->a, make(s, 1, dictionary, zeros, n), &npy, &s->err),
                   MB_E_FORMAT, part);
}

#define HEAD(dtype, order, shape)                                                                  \
    "{'descr': '" dtype "', 'fortran_order': " order ", 'shape': " shape ", }\n"

TEST(float64_is_read_bit_for_bit)
{
    static const double x[6] = {1, -2.5, 1e-310, (double)NAN, (double)INFINITY, 3e300};
    scratch            *s = *state;
    mb_npy              npy;

    for (int version = 1; version <= 3; version++) {
        must(mb_npy_read(s->a, make(s, version, HEAD("<f8", "False", "(2, 3)"), x, sizeof x), &npy,
                         &s->err));
        assert_int_equal(npy.ndim, 2);
        assert_int_equal(npy.shape[0], 2);
        assert_int_equal(npy.shape[1], 3);
        assert_memory_equal(npy.x, x, sizeof x);
    }
}

TEST(float32_and_other_spellings_are_read)
{
    static const float x[2] = {0.1f, -7};
    scratch           *s = *state;
    mb_npy             npy;

    must(mb_npy_read(s->a,
                     make(s, 1, "{\"shape\":(2,),\"descr\":\"f4\",\"fortran_order\":False}", x, 8),
                     &npy, &s->err));
    assert_int_equal(npy.ndim, 1);
    assert_true(npy.x[0] == (double)0.1f && npy.x[1] == -7);
}

/* 300 and -2 as bytes of each type, most significant byte last and first. */
TEST(integers_and_floats_of_either_order_are_read)
{
    static const struct {
        const char *head;
        const char  bytes[17];
        size_t      n;
        double      x[2];
    } all[] = {
        {HEAD("|i1", "False", "(2,)"), "\x2c\xfe", 2, {44, -2}},
        {HEAD("<i2", "False", "(2,)"), "\x2c\1\xfe\xff", 4, {300, -2}},
        {HEAD(">i2", "False", "(2,)"), "\1\x2c\xff\xfe", 4, {300, -2}},
        {HEAD("<i4", "False", "(2,)"), "\x2c\1\0\0\xfe\xff\xff\xff", 8, {300, -2}},
        {HEAD("<i8", "False", "(2,)"),
         "\x2c\1\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff",
         16,
         {300, -2}},
        {HEAD("|u1", "False", "(2,)"), "\x2c\xfe", 2, {44, 254}},
        {HEAD("<u2", "False", "(2,)"), "\x2c\1\xfe\xff", 4, {300, 65534}},
        {HEAD(">u4", "False", "(2,)"), "\0\0\1\x2c\xff\xff\xff\xfe", 8, {300, 4294967294}},
        {HEAD("<u8", "False", "(2,)"), "\x2c\1\0\0\0\0\0\0\0\0\0\0\0\0\0\x80", 16, {300, 0x1p63}},
        {HEAD("|b1", "False", "(2,)"), "\1\0", 2, {1, 0}},
        {HEAD("<f2", "False", "(2,)"), "\0\x3e\1\x80", 4, {1.5, -0x1p-24}},
        {HEAD(">f4", "False", "(2,)"), "\x3f\xc0\0\0\xc0\0\0\0", 8, {1.5, -2}},
        {HEAD(">f8", "False", "(2,)"), "\x3f\xf8\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0", 16, {1.5, -2}},
    };
    scratch *s = *state;
    mb_npy   npy;

    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        must(mb_npy_read(s->a, make(s, 1, all[k].head, all[k].bytes, all[k].n), &npy, &s->err));
        assert_memory_equal(npy.x, all[k].x, sizeof all[k].x);
    }
}

TEST(columns_first_become_rows_first)
{
    static const double columns[6] = {1, 4, 2, 5, 3, 6}, rows[6] = {1, 2, 3, 4, 5, 6};
    static const double deep[8] = {0, 4, 2, 6, 1, 5, 3, 7};
    scratch            *s = *state;
    mb_npy              npy;

    must(mb_npy_read(s->a, make(s, 1, HEAD("<f8", "True", "(2, 3)"), columns, 48), &npy, &s->err));
    assert_memory_equal(npy.x, rows, sizeof rows);
    must(mb_npy_read(s->a, make(s, 1, HEAD("<f8", "True", "(2, 2, 2)"), deep, 64), &npy, &s->err));
    for (int k = 0; k < 8; k++)
        assert_true(npy.x[k] == k);
}

TEST(other_types_are_refused)
{
    bad(*state, HEAD("<c16", "False", "(1,)"), 16,
        "f.npy: dtype '<c16' is not supported; expected numbers: float16, 32 or 64, int or uint 8 "
        "to 64, or bool");
    bad(*state, HEAD("<U4", "False", "(1,)"), 16, "dtype '<U4'");
    bad(*state, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,), }", 16,
        "dtype 'structured'");
}

TEST(shape_must_match_the_bytes)
{
    bad(*state, HEAD("<f8", "False", "(3,)"), 16, "16 bytes of numbers; expected 24");
    bad(*state, HEAD("<f8", "False", "(1,)"), 16, "16 bytes of numbers; expected 8");
    bad(*state, HEAD("<f8", "False", "()"), 8, "no dimension");
    bad(*state, HEAD("<f8", "False", "(1, 1, 1, 1)"), 8, "more than 3 dimensions");
    bad(*state, HEAD("<f8", "False", "(4294967296, 4294967296)"), 8, "more numbers than memory");
    bad(*state, HEAD("<f8", "False", "(99999999999999999999,)"), 8, "length below 2^63");
}

TEST(broken_headers_are_refused)
{
    scratch *s = *state;
    mb_npy   npy;

    bad(s, HEAD("<f8", "False", "(2)"), 16, "where , is expected");
    bad(s, HEAD("<f8", "False", "(-2,)"), 16, "where a length is expected");
    bad(s, HEAD("<f8", "Maybe", "(2,)"), 16, "where True or False is expected");
    bad(s, "{'descr': '<f8', 'shape': (2,), }", 16, "lacks descr, fortran_order or shape");
    bad(s, "{'descr': '<f8', 'descr': '<f8', }", 0, "NPY header key 'descr'");
    bad(s, "{'extra': 1}", 0, "NPY header key 'extra'");
    bad(s, "{'descr", 0, "where a quoted word is expected");
    bad(s, HEAD("<f8", "False", "(0,)") "junk", 0, "the end of the header");
    scratch_expect(s, mb_npy_read(s->a, scratch_text(s, "t.npy", "a,b\n1,2\n"), &npy, &s->err),
                   MB_E_FORMAT, "t.npy: not an NPY file");
    scratch_expect(
        s,
        mb_npy_read(s->a, scratch_bytes(s, "t.npy", "\x93NUMPY\1\0\x70\0{'de", 14), &npy, &s->err),
        MB_E_FORMAT, "ends within the NPY header");
    scratch_expect(
        s, mb_npy_read(s->a, scratch_bytes(s, "t.npy", "\x93NUMPY\7\0\1\0{", 11), &npy, &s->err),
        MB_E_FORMAT, "NPY version 7");
}

TEST(every_truncation_is_refused)
{
    static const double x[2] = {1, 2};
    scratch            *s = *state;
    char               *bytes;
    size_t              n;
    mb_npy              npy;

    must(mb_file_read(s->a, make(s, 1, HEAD("<f8", "False", "(2,)"), x, sizeof x), &bytes, &n,
                      &s->err));
    for (size_t k = 0; k < n; k++)
        assert_int_equal(mb_npy_read(s->a, scratch_bytes(s, "cut.npy", bytes, k), &npy, &s->err),
                         MB_E_FORMAT);
}

/* The header numpy 1.24 itself writes for this shape: 128 bytes, newline last. */
TEST(written_header_is_numpys)
{
    static const char   want[] = "\x93NUMPY\1\0v\0{'descr': '<f8', 'fortran_order': False, "
                                 "'shape': (2, 1, 3), }";
    static const double x[6] = {1, 2, 3, 4, 5, -0.0};
    scratch            *s = *state;
    const char         *path = scratch_path(s, "w.npy");
    char               *bytes;
    size_t              n;

    must(mb_npy_write(s->a, path, 3, (const int64_t[]){2, 1, 3}, x, &s->err));
    must(mb_file_read(s->a, path, &bytes, &n, &s->err));
    assert_int_equal(n, 128 + sizeof x);
    assert_memory_equal(bytes, want, sizeof want - 1);
    assert_int_equal(strspn(bytes + sizeof want - 1, " "), 127 - (sizeof want - 1));
    assert_int_equal(bytes[127], '\n');
    assert_memory_equal(bytes + 128, x, sizeof x);
}

TEST(what_is_written_is_read_back)
{
    scratch    *s = *state;
    const char *path = scratch_path(s, "w.npy");
    double      x[5000];
    mb_npy      npy;

    for (int k = 0; k < 5000; k++)
        x[k] = sin(k);
    must(mb_npy_write(s->a, path, 1, (const int64_t[]){5000}, x, &s->err));
    must(mb_npy_read(s->a, path, &npy, &s->err));
    assert_int_equal(npy.ndim, 1);
    assert_int_equal(npy.shape[0], 5000);
    assert_memory_equal(npy.x, x, sizeof x);
    assert_int_equal(scratch_count(s), 1);
}

TEST(rows_may_be_counted_at_the_end)
{
    scratch    *s = *state;
    const char *path = scratch_path(s, "w.npy");
    double      x[6] = {1, 2, 3, 4, 5, 6};
    mb_file     f;
    mb_npy      npy;

    must(mb_file_open(s->a, path, &f, &s->err));
    must(mb_npy_begin(&f, 2, (const int64_t[]){0, 2}, &s->err));
    must(mb_npy_put(&f, 4, x, &s->err));
    must(mb_npy_put(&f, 2, x + 4, &s->err));
    must(mb_npy_end(&f, 2, (const int64_t[]){3, 2}, &s->err));
    must(mb_file_commit(&f, &s->err));
    must(mb_npy_read(s->a, path, &npy, &s->err));
    assert_int_equal(npy.shape[0], 3);
    assert_int_equal(npy.shape[1], 2);
    assert_memory_equal(npy.x, x, sizeof x);
}

TEST(the_head_is_as_long_for_any_number_of_rows)
{
    scratch      *s = *state;
    const char   *path = scratch_path(s, "w.npy");
    const int64_t most[2] = {INT64_MAX, INT32_MAX}, least[1] = {0};
    mb_file       f;
    char         *bytes;
    size_t        n;

    for (int32_t ndim = 1; ndim <= 2; ndim++) {
        must(mb_file_open(s->a, path, &f, &s->err));
        must(mb_npy_begin(&f, ndim, ndim == 1 ? least : most, &s->err));
        must(mb_file_commit(&f, &s->err));
        must(mb_file_read(s->a, path, &bytes, &n, &s->err));
        assert_int_equal(n, 128);
    }
}

TEST(three_dimensions_and_pipes_are_not_counted_at_the_end)
{
    scratch *s = *state;
    mb_file  f;

    must(mb_file_open(s->a, scratch_path(s, "w.npy"), &f, &s->err));
    assert_int_equal(mb_npy_end(&f, 3, (const int64_t[]){1, 1, 1}, &s->err), MB_E_ARG);
    mb_file_abort(&f);
    must(mb_file_open(s->a, "/dev/null", &f, &s->err));
    assert_int_equal(mb_npy_end(&f, 2, (const int64_t[]){1, 1}, &s->err), MB_E_NOSUP);
    mb_file_abort(&f);
}

RUN_EACH_TEST(scratch_begin, scratch_end)

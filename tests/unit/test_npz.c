/* Named arrays in one file, by their bytes and by what numpy makes of them. */
#include "data/file.h"
#include "data/table.h"
#include "scratch.h"
#include "test.h"

#include <stdlib.h>

static const double numbers[12] = {1, 2.5, -3, 4, 5, 6, 7, 8, 9, 10, 11, 1e-300};

static void write_three(scratch *s, const char *path)
{
    mb_npz *z;

    must(mb_npz_open(s->a, path, &z, &s->err));
    must(mb_npz_add(z, "means_", 2, (const int64_t[]){4, 3}, numbers, &s->err));
    must(mb_npz_add(z, "one", 0, NULL, numbers + 1, &s->err));
    must(mb_npz_add(z, "none", 1, (const int64_t[]){0}, numbers, &s->err));
    must(mb_npz_commit(z, &s->err));
    mb_npz_abort(z);
}

/* The bytes after the NPY head of the only member, whose type must be this. */
static const char *payload(scratch *s, const char *path, const char *type)
{
    char  *bytes;
    size_t n;

    must(mb_file_read(s->a, path, &bytes, &n, &s->err));
    assert_memory_equal(bytes + 30 + 5 + 6, "\1\0", 2); /* x.npy, then NPY 1.0 */
    assert_non_null(strstr(bytes + 30 + 5 + 10, type));
    return bytes + 30 + 5 + 128;
}

TEST(texts_are_code_points_of_the_longest)
{
    static const char *const text[2] = {"a\xc2\xb5", "\xf0\x9f\x98\x80"}; /* U+00B5, U+1F600 */
    static const uint32_t    want[4] = {'a', 0xb5, 0x1f600, 0};
    static const char *const bad[1] = {"\xff"};
    scratch                 *s = *state;
    const char              *path = scratch_path(s, "t.npz"), *at;
    mb_npz                  *z;

    must(mb_npz_open(s->a, path, &z, &s->err));
    scratch_expect(s, mb_npz_add_texts(z, "x", 1, bad, &s->err), MB_E_FORMAT, "not UTF-8");
    must(mb_npz_add_texts(z, "x", 2, text, &s->err));
    must(mb_npz_commit(z, &s->err));
    at = payload(s, path, "{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }");
    for (int k = 0; k < 16; k++)
        assert_int_equal((unsigned char)at[k], want[k / 4] >> 8 * (k % 4) & 255);
}

TEST(whole_numbers_keep_their_type)
{
    static const double x[3] = {1, 0, -2}, nan = 0.0 / 0.0;
    scratch            *s = *state;
    const char         *path = scratch_path(s, "w.npz"), *at;
    mb_npz             *z;

    must(mb_npz_open(s->a, path, &z, &s->err));
    scratch_expect(s, mb_npz_add_whole(z, "x", MB_WHOLE_BOOL, 0, NULL, &nan, &s->err), MB_E_ARG,
                   "expected whole numbers");
    must(mb_npz_add_whole(z, "x", MB_WHOLE_INTEGER, 1, (const int64_t[]){3}, x, &s->err));
    must(mb_npz_add_whole(z, "is", MB_WHOLE_BOOL, 0, NULL, x, &s->err));
    must(mb_npz_commit(z, &s->err));
    at = payload(s, path, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }");
    assert_memory_equal(at, "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff", 24);
    assert_memory_equal(at + 24, "PK\3\4", 4);
    assert_non_null(
        strstr(at + 24 + 30 + 6 + 10, "{'descr': '|b1', 'fortran_order': False, 'shape': ()"));
}

TEST(same_arrays_give_the_same_bytes)
{
    scratch    *s = *state;
    const char *one = scratch_path(s, "one.npz"), *two = scratch_path(s, "two.npz");
    char       *a, *b;
    size_t      n, m;

    write_three(s, one);
    write_three(s, two);
    must(mb_file_read(s->a, one, &a, &n, &s->err));
    must(mb_file_read(s->a, two, &b, &m, &s->err));
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
}

/* A member is stored uncompressed: after its header it is the NPY file of the same array. */
TEST(member_is_the_npy_file)
{
    enum { HEAD = 30 + 10 /* means_.npy */ };
    scratch    *s = *state;
    const char *npz = scratch_path(s, "f.npz"), *npy = scratch_path(s, "f.npy");
    char       *a, *b;
    size_t      n, m;

    write_three(s, npz);
    must(mb_npy_write(s->a, npy, 2, (const int64_t[]){4, 3}, numbers, &s->err));
    must(mb_file_read(s->a, npz, &a, &n, &s->err));
    must(mb_file_read(s->a, npy, &b, &m, &s->err));
    assert_memory_equal(a, "PK\3\4", 4);
    assert_memory_equal(a + 30, "means_.npy", 10);
    assert_memory_equal(a + HEAD, b, m);
    assert_memory_equal(a + HEAD + m, "PK\3\4", 4);
}

/* Debian's python has numpy; zipfile's test compares the check sums. */
TEST(numpy_loads_what_was_written)
{
    scratch *s = *state;
    char     command[600];

    if (system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0)
        skip();
    write_three(s, scratch_path(s, "f.npz"));
    snprintf(
        command, sizeof command,
        "cd %s && /usr/bin/python3 -c \"\n"
        "import numpy, zipfile\n"
        "assert zipfile.ZipFile('f.npz').testzip() is None\n"
        "z = numpy.load('f.npz')\n"
        "assert z.files == ['means_', 'one', 'none'], z.files\n"
        "assert z['means_'].tolist() == [[1, 2.5, -3], [4, 5, 6], [7, 8, 9], [10, 11, 1e-300]]\n"
        "assert z['one'].shape == () and z['one'] == 2.5 and z['none'].shape == (0,)\n\"",
        s->dir);
    assert_int_equal(system(command), 0);
}

TEST(names_are_plain_and_come_once)
{
    static const char *const bad[] = {"", "a b", "../x", "\xc3\xa9"};
    scratch                 *s = *state;
    mb_npz                  *z;

    must(mb_npz_open(s->a, scratch_path(s, "f.npz"), &z, &s->err));
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        scratch_expect(s, mb_npz_add(z, bad[k], 0, NULL, numbers, &s->err), MB_E_ARG,
                       "f.npz: got an array \"");
    must(mb_npz_add(z, "a", 0, NULL, numbers, &s->err));
    scratch_expect(s, mb_npz_add(z, "a", 0, NULL, numbers, &s->err), MB_E_ARG, "two arrays");
    scratch_expect(s, mb_npz_add(z, "b", 4, NULL, numbers, &s->err), MB_E_ARG, "4 dimensions");
    mb_npz_abort(z);
    mb_npz_abort(NULL);
    assert_int_equal(scratch_count(s), 0);
}

TEST(many_arrays_fit)
{
    scratch    *s = *state;
    const char *path = scratch_path(s, "f.npz");
    char       *bytes, name[16];
    size_t      n;
    mb_npz     *z;

    must(mb_npz_open(s->a, path, &z, &s->err));
    for (int k = 0; k < 300; k++) {
        snprintf(name, sizeof name, "a%d", k);
        must(mb_npz_add(z, name, 1, (const int64_t[]){2}, numbers, &s->err));
    }
    must(mb_npz_commit(z, &s->err));
    must(mb_file_read(s->a, path, &bytes, &n, &s->err));
    assert_memory_equal(bytes + n - 22, "PK\5\6\0\0\0\0\x2c\1\x2c\1", 12); /* 300 of 300 */
}

TEST(path_that_can_not_be_written_is_an_error)
{
    scratch *s = *state;
    mb_npz  *z;

    scratch_expect(s, mb_npz_open(s->a, scratch_path(s, "no/f.npz"), &z, &s->err), MB_E_IO,
                   "f.npz: cannot write");
    assert_null(z);
}

RUN_EACH_TEST(scratch_begin, scratch_end)

/* Files that are never incomplete, whole files, folders. */
#include "data/file.h"
#include "scratch.h"
#include "test.h"

static void content_is(scratch *s, const char *path, const char *text)
{
    char  *bytes;
    size_t n;

    must(mb_file_read(s->a, path, &bytes, &n, &s->err));
    assert_int_equal(n, strlen(text));
    assert_string_equal(bytes, text);
}

TEST(committed_file_has_what_was_written)
{
    scratch    *s = *state;
    const char *path = scratch_path(s, "a.txt");
    mb_file     f = {0};

    must(mb_file_open(s->a, path, &f, &s->err));
    must(mb_file_write(&f, "one ", 4, &s->err));
    must(mb_file_printf(&f, &s->err, "%d", 2));
    must(mb_file_commit(&f, &s->err));
    mb_file_abort(&f);
    content_is(s, path, "one 2");
    assert_int_equal(scratch_count(s), 1);
}

TEST(aborted_file_leaves_the_old_one)
{
    scratch    *s = *state;
    const char *path = scratch_text(s, "a.txt", "old");
    mb_file     f = {0};

    must(mb_file_open(s->a, path, &f, &s->err));
    must(mb_file_write(&f, "new", 3, &s->err));
    content_is(s, path, "old");
    mb_file_abort(&f);
    mb_file_abort(&f);
    content_is(s, path, "old");
    assert_int_equal(scratch_count(s), 1);
}

TEST(missing_folder_is_an_error_with_its_reason)
{
    scratch *s = *state;
    mb_file  f = {0};

    scratch_expect(s, mb_file_open(s->a, scratch_path(s, "no/such.txt"), &f, &s->err), MB_E_IO,
                   "no/such.txt: cannot write: No such file or directory");
    mb_file_abort(&f);
}

TEST(folder_is_no_file)
{
    scratch *s = *state;
    mb_file  f = {0};
    char    *bytes;
    size_t   n;

    scratch_expect(s, mb_file_open(s->a, s->dir, &f, &s->err), MB_E_IO, "Is a directory");
    scratch_expect(s, mb_file_read(s->a, s->dir, &bytes, &n, &s->err), MB_E_IO, "Is a directory");
}

TEST(full_disk_is_reported_at_commit)
{
    scratch *s = *state;
    mb_file  f = {0};

    if (mb_file_open(s->a, "/dev/full", &f, &s->err) < 0)
        skip();
    must(mb_file_printf(&f, &s->err, "text"));
    scratch_expect(s, mb_file_commit(&f, &s->err), MB_E_IO, "No space left on device");
}

TEST(device_is_written_not_replaced)
{
    scratch *s = *state;
    mb_file  f = {0};
    char    *bytes;
    size_t   n = 1;

    must(mb_file_open(s->a, "/dev/null", &f, &s->err));
    assert_null(f.temp);
    must(mb_file_write(&f, "text", 4, &s->err));
    must(mb_file_commit(&f, &s->err));
    must(mb_file_read(s->a, "/dev/null", &bytes, &n, &s->err));
    assert_int_equal(n, 0);
}

TEST(missing_file_is_an_error_with_its_reason)
{
    scratch *s = *state;
    char    *bytes;
    size_t   n;

    scratch_expect(s, mb_file_read(s->a, scratch_path(s, "none"), &bytes, &n, &s->err), MB_E_IO,
                   "none: cannot read: No such file or directory");
}

TEST(folders_are_made_with_their_parents)
{
    scratch *s = *state;
    mb_file  f = {0};

    must(mb_dir_make(scratch_path(s, "deep/er"), &s->err));
    must(mb_dir_make(scratch_path(s, "deep/er/"), &s->err));
    must(mb_file_open(s->a, scratch_path(s, "deep/er/f"), &f, &s->err));
    mb_file_abort(&f);
    scratch_expect(s, mb_dir_make(scratch_text(s, "plain", ""), &s->err), MB_E_IO,
                   "plain: exists and is not a folder");
    assert_int_equal(remove(scratch_path(s, "deep/er")), 0);
}

/* The vectors of [Aumasson12], appendix A, and of its reference code. */
TEST(the_keyed_hash_has_its_published_values)
{
    static const uint64_t key[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
    static const struct {
        size_t   n;
        uint64_t want;
    } cases[] = {{15, UINT64_C(0xa129ca6149be45e5)},
                 {0, UINT64_C(0x726fdb47dd0e0e31)},
                 {8, UINT64_C(0x93f5f5799a932462)},
                 {63, UINT64_C(0x958a324ceb064572)}};
    scratch      *s = *state;
    unsigned char bytes[64];
    uint64_t      got;

    for (int k = 0; k < 64; k++)
        bytes[k] = (unsigned char)k;
    for (int k = 0; k < 4; k++) {
        const char *file = scratch_bytes(s, "a.bin", bytes, cases[k].n);

        must(mb_file_keyed_hash(file, key, &got, &s->err));
        assert_true(got == cases[k].want);
    }
}

RUN_EACH_TEST(scratch_begin, scratch_end)

/* Files that are never incomplete, whole files, folders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "data/file.h"
#include "scratch.h"

static void content_is(scratch *s, const char *path, const char *text)
{
    char  *bytes;
    size_t n;

    assert_int_equal(mb_file_read(s->a, path, &bytes, &n, &s->err), MB_OK);
    assert_int_equal(n, strlen(text));
    assert_string_equal(bytes, text);
}

static void committed_file_has_what_was_written(void **state)
{
    scratch    *s = *state;
    const char *path = scratch_path(s, "a.txt");
    mb_file     f = {0};

    assert_int_equal(mb_file_open(s->a, path, &f, &s->err), MB_OK);
    assert_int_equal(mb_file_write(&f, "one ", 4, &s->err), MB_OK);
    assert_int_equal(mb_file_printf(&f, &s->err, "%d", 2), MB_OK);
    assert_int_equal(mb_file_commit(&f, &s->err), MB_OK);
    mb_file_abort(&f);
    content_is(s, path, "one 2");
    assert_int_equal(scratch_count(s), 1);
}

static void aborted_file_leaves_the_old_one(void **state)
{
    scratch    *s = *state;
    const char *path = scratch_text(s, "a.txt", "old");
    mb_file     f = {0};

    assert_int_equal(mb_file_open(s->a, path, &f, &s->err), MB_OK);
    assert_int_equal(mb_file_write(&f, "new", 3, &s->err), MB_OK);
    content_is(s, path, "old");
    mb_file_abort(&f);
    mb_file_abort(&f);
    content_is(s, path, "old");
    assert_int_equal(scratch_count(s), 1);
}

static void missing_folder_is_an_error_with_its_reason(void **state)
{
    scratch *s = *state;
    mb_file  f = {0};

    scratch_expect(s, mb_file_open(s->a, scratch_path(s, "no/such.txt"), &f, &s->err), MB_E_IO,
                   "no/such.txt: cannot write: No such file or directory");
    mb_file_abort(&f);
}

static void folder_is_no_file(void **state)
{
    scratch *s = *state;
    mb_file  f = {0};
    char    *bytes;
    size_t   n;

    scratch_expect(s, mb_file_open(s->a, s->dir, &f, &s->err), MB_E_IO, "Is a directory");
    scratch_expect(s, mb_file_read(s->a, s->dir, &bytes, &n, &s->err), MB_E_IO, "Is a directory");
}

static void full_disk_is_reported_at_commit(void **state)
{
    scratch *s = *state;
    mb_file  f = {0};

    if (mb_file_open(s->a, "/dev/full", &f, &s->err) < 0)
        skip();
    assert_int_equal(mb_file_printf(&f, &s->err, "text"), MB_OK);
    scratch_expect(s, mb_file_commit(&f, &s->err), MB_E_IO, "No space left on device");
}

static void device_is_written_not_replaced(void **state)
{
    scratch *s = *state;
    mb_file  f = {0};
    char    *bytes;
    size_t   n = 1;

    assert_int_equal(mb_file_open(s->a, "/dev/null", &f, &s->err), MB_OK);
    assert_null(f.temp);
    assert_int_equal(mb_file_write(&f, "text", 4, &s->err), MB_OK);
    assert_int_equal(mb_file_commit(&f, &s->err), MB_OK);
    assert_int_equal(mb_file_read(s->a, "/dev/null", &bytes, &n, &s->err), MB_OK);
    assert_int_equal(n, 0);
}

static void missing_file_is_an_error_with_its_reason(void **state)
{
    scratch *s = *state;
    char    *bytes;
    size_t   n;

    scratch_expect(s, mb_file_read(s->a, scratch_path(s, "none"), &bytes, &n, &s->err), MB_E_IO,
                   "none: cannot read: No such file or directory");
}

static void folders_are_made_with_their_parents(void **state)
{
    scratch *s = *state;
    mb_file  f = {0};

    assert_int_equal(mb_dir_make(scratch_path(s, "deep/er"), &s->err), MB_OK);
    assert_int_equal(mb_dir_make(scratch_path(s, "deep/er/"), &s->err), MB_OK);
    assert_int_equal(mb_file_open(s->a, scratch_path(s, "deep/er/f"), &f, &s->err), MB_OK);
    mb_file_abort(&f);
    scratch_expect(s, mb_dir_make(scratch_text(s, "plain", ""), &s->err), MB_E_IO,
                   "plain: exists and is not a folder");
    assert_int_equal(remove(scratch_path(s, "deep/er")), 0);
}

#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, scratch_begin, scratch_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_TEST(committed_file_has_what_was_written),
        FILE_TEST(aborted_file_leaves_the_old_one),
        FILE_TEST(missing_folder_is_an_error_with_its_reason),
        FILE_TEST(folder_is_no_file),
        FILE_TEST(full_disk_is_reported_at_commit),
        FILE_TEST(device_is_written_not_replaced),
        FILE_TEST(missing_file_is_an_error_with_its_reason),
        FILE_TEST(folders_are_made_with_their_parents),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

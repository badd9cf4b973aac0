/* issue_0012_sweep.c - temporaries that processes which are no more left beside a file go when it is
 * written again; the check sum that the list of a folder is made of. */
#include "data/file.h"
#include "scratch.h"
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

static long dead_process(void)
{
    const pid_t child = fork();

    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return child;
}

static const char *left(scratch *s, const char *file, long pid)
{
    char name[64];

    snprintf(name, sizeof name, "%s.tmp-%ld", file, pid);
    return scratch_text(s, name, "half");
}

static void write_again(scratch *s, const char *file)
{
    mb_file f = {0};

    must(mb_file_open(s->a, scratch_path(s, file), &f, &s->err));
    must(mb_file_commit(&f, &s->err));
}

TEST(what_a_dead_process_left_goes)
{
    scratch    *s = *state;
    const long  dead = dead_process();
    const char *mine = left(s, "a.txt", dead), *other = left(s, "ba.txt", dead);
    const char *longer = left(s, "a.txt.tmp-1", dead);

    write_again(s, "a.txt");
    assert_int_not_equal(access(mine, F_OK), 0);
    assert_int_equal(access(other, F_OK), 0);
    assert_int_equal(access(longer, F_OK), 0);
}

TEST(what_is_no_such_temporary_stays)
{
    scratch    *s = *state;
    const char *living = left(s, "a.txt", (long)getppid());
    const char *word = scratch_text(s, "a.txt.tmp-mine", "notes");
    const char *bare = scratch_text(s, "a.txt.tmp-", "notes");

    write_again(s, "a.txt");
    mb_dir_sweep(s->dir, NULL);
    assert_int_equal(access(living, F_OK), 0);
    assert_int_equal(access(word, F_OK), 0);
    assert_int_equal(access(bare, F_OK), 0);
}

TEST(sweeping_a_missing_folder_is_nothing)
{
    mb_dir_sweep(scratch_path(*state, "no/such"), NULL);
}

TEST(crc_is_that_of_zip)
{
    const char text[] = "123456789";

    assert_int_equal(mb_crc32(0, text, 9), 0xcbf43926);
    assert_int_equal(mb_crc32(mb_crc32(0, text, 4), text + 4, 5), 0xcbf43926);
    assert_int_equal(mb_crc32(0, text, 0), 0);
}

RUN_EACH_TEST(scratch_begin, scratch_end)

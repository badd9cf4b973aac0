/* scratch.c - a folder of its own and an arena for tests that read and write files. */
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include "scratch.h"
#include "test.h"

#include <dirent.h>
#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

int scratch_begin(void **state)
{
    scratch *s = calloc(1, sizeof *s);

    if (!s)
        return -1;
    snprintf(s->dir, sizeof s->dir, "/tmp/meshbayes-test-XXXXXX");
    s->a = mb_arena_new(1 << 16);
    *state = s;
    return s->a && mkdtemp(s->dir) ? 0 : -1;
}

static int erase_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static int each_file(const scratch *s, int erase)
{
    DIR           *dir = opendir(s->dir);
    struct dirent *e;
    char           path[400];
    int            count = 0;

    while (dir && (e = readdir(dir))) {
        if (e->d_name[0] == '.')
            continue;
        count++;
        snprintf(path, sizeof path, "%s/%s", s->dir, e->d_name);
        if (erase)
            nftw(path, erase_one, 8, FTW_DEPTH | FTW_PHYS);
    }
    if (dir)
        closedir(dir);
    return count;
}

int scratch_count(const scratch *s)
{
    return each_file(s, 0);
}

int scratch_end(void **state)
{
    scratch *s = *state;

    each_file(s, 1);
    rmdir(s->dir);
    mb_arena_free(s->a);
    free(s);
    return 0;
}

const char *scratch_path(scratch *s, const char *name)
{
    size_t n = strlen(s->dir) + strlen(name) + 2;
    char  *path = mb_alloc(s->a, n, 1);

    assert_non_null(path);
    snprintf(path, n, "%s/%s", s->dir, name);
    return path;
}

const char *scratch_bytes(scratch *s, const char *name, const void *bytes, size_t n)
{
    const char *path = scratch_path(s, name);
    FILE       *fp = fopen(path, "wb");

    assert_non_null(fp);
    assert_int_equal(fwrite(bytes, 1, n, fp), n);
    assert_int_equal(fclose(fp), 0);
    return path;
}

const char *scratch_text(scratch *s, const char *name, const char *text)
{
    return scratch_bytes(s, name, text, strlen(text));
}

void scratch_expect(const scratch *s, mb_status got, mb_status want, const char *part)
{
    assert_int_equal(got, want);
    if (!strstr(s->err.msg, part))
        fail_msg("\"%s\" does not hold \"%s\"", s->err.msg, part);
}

/* list.c - the checkpoints in a folder: their names, which is the newest, which are removed. */
#define _XOPEN_SOURCE 700
#include "base/text.h"
#include "checkpoint/parts.h"
#include "data/parse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char unfinished[] = ".tmp", end[] = "-end";

static int ends_in(const char *text, const char *tail)
{
    const size_t n = strlen(text), m = strlen(tail);

    return n >= m && !strcmp(text + n - m, tail);
}

const char *mb_key_path_(mb_arena *a, const mb_checkpoint *c, int64_t key, const char *tail,
                         mb_err *err)
{
    return mb_text(a, err, "%s/round-%09lld-%s%s%s", c->dir, (long long)(key / 2), c->name,
                   key % 2 ? end : "", tail);
}

/* Key of a folder's name, -1 for any other. name: of the run; NULL: any. */
static int64_t key_of(const char *folder, const char *name)
{
    int64_t t = 0;
    int     digits = 0;
    size_t  n;

    if (strncmp(folder, "round-", 6) != 0 || ends_in(folder, unfinished))
        return -1;
    for (folder += 6; *folder >= '0' && *folder <= '9' && digits < 16; folder++, digits++)
        t = 10 * t + (*folder - '0');
    if (!digits || *folder++ != '-')
        return -1;
    const int ended = ends_in(folder, end);

    n = strlen(folder) - (ended ? strlen(end) : 0);
    if (name && (strlen(name) != n || memcmp(folder, name, n) != 0))
        return -1;
    return 2 * t + ended;
}

/* What is asked about a folder, and what is found. */
typedef struct scan {
    const char *dir, *name; /* of the run; NULL: any                          */
    int64_t     low, high;  /* keys: those outside are removed                */
    int64_t     newest;     /* key below `high` that was found; first -1      */
    int32_t     count;      /* checkpoints of the name that were found        */
} scan;

/* Calls `see` for each name in a folder; a missing folder has none. */
static mb_status each(scan *s, void (*see)(scan *s, int dir, const char *folder), mb_err *err)
{
    DIR                 *d = opendir(s->dir);
    const struct dirent *e;
    int                  reason;

    if (!d)
        return errno == ENOENT ? MB_OK : mb_io_failed_(s->dir, "read", errno, err);
    for (;;) {
        errno = 0;
        e = readdir(d);
        if (!e)
            break;
        see(s, dirfd(d), e->d_name);
    }
    reason = errno;
    closedir(d);
    return reason ? mb_io_failed_(s->dir, "read", reason, err) : MB_OK;
}

static void look(scan *s, int dir, const char *folder)
{
    const int64_t key = key_of(folder, s->name);

    (void)dir;
    s->count += key >= 0 || (!s->name && !strncmp(folder, "unit-", 5) && ends_in(folder, ".mbck"));
    if (key < s->high && key > s->newest)
        s->newest = key;
}

mb_status mb_checkpoint_count(const char *dir, int32_t *count, mb_err *err)
{
    scan s = {.dir = dir};

    MB_TRY(each(&s, look, err));
    *count = s.count;
    return MB_OK;
}

mb_status mb_key_newest_(const mb_checkpoint *c, int64_t before, int64_t *key, mb_err *err)
{
    scan s = {.dir = c->dir, .name = c->name, .high = before, .newest = -1};

    MB_TRY(each(&s, look, err));
    *key = s.newest;
    return MB_OK;
}

void mb_folder_remove_(int dir, const char *folder)
{
    const int            fd = openat(dir, folder, O_RDONLY | O_DIRECTORY);
    DIR                 *d = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *e;

    while (d && (e = readdir(d)))
        unlinkat(fd, e->d_name, 0); /* "." and ".." are refused */
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    unlinkat(dir, folder, AT_REMOVEDIR);
}

static void remove_unfinished(scan *s, int dir, const char *folder)
{
    (void)s;
    if (!strncmp(folder, "round-", 6) && ends_in(folder, unfinished))
        mb_folder_remove_(dir, folder);
}

mb_status mb_unfinished_remove_(const char *dir, mb_err *err)
{
    scan s = {.dir = dir};

    return each(&s, remove_unfinished, err);
}

static void remove_outdated(scan *s, int dir, const char *folder)
{
    const int64_t key = key_of(folder, s->name);

    if (key >= 0 && (key < s->low || key > s->high))
        mb_folder_remove_(dir, folder);
}

mb_status mb_outdated_remove_(const mb_checkpoint *c, int64_t key, mb_err *err)
{
    scan s = {.dir = c->dir, .name = c->name, .high = key};

    MB_TRY(mb_key_newest_(c, key, &s.low, err));
    return each(&s, remove_outdated, err);
}

mb_status mb_checkpoint_forget(const mb_checkpoint *c, mb_err *err)
{
    scan s = {.dir = c->dir, .name = c->name, .high = -1};

    return each(&s, remove_outdated, err);
}

mb_status mb_folder_sync_(const char *path, mb_err *err)
{
    const int fd = open(path, O_RDONLY);
    int       reason = 0;

    if (fd < 0)
        return mb_io_failed_(path, "read", errno, err);
    if (fsync(fd) != 0 && errno != EINVAL) /* EINVAL: this file system has nothing to sync here */
        reason = errno;
    close(fd);
    return reason ? mb_io_failed_(path, "write", reason, err) : MB_OK;
}

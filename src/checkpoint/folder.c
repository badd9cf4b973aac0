/* folder.c - folders of files: listed, renamed, removed, made safe. */
#define _XOPEN_SOURCE 700
#include "checkpoint/folder.h"
#include "io/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int is_entry(const struct dirent *e)
{
    return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

static mb_status count_names(const char *path, DIR *d, int32_t *count, mb_err *err)
{
    const struct dirent *e;

    errno = 0;
    while ((e = readdir(d)))
        *count += is_entry(e);
    return errno ? mb_io_failed_(path, "read", errno, err) : MB_OK;
}

static mb_status copy_names(mb_arena *a, DIR *d, const char **name, int32_t max, int32_t *count,
                            mb_err *err)
{
    const struct dirent *e;
    char                *copy;

    rewinddir(d);
    while (*count < max && (e = readdir(d))) {
        if (!is_entry(e))
            continue;
        MB_NEW(copy, a, strlen(e->d_name) + 1, err);
        memcpy(copy, e->d_name, strlen(e->d_name));
        name[(*count)++] = copy;
    }
    return MB_OK;
}

mb_status mb_folder_list_(mb_arena *a, const char *path, const char ***name, int32_t *count,
                          mb_err *err)
{
    DIR      *d = opendir(path);
    int32_t   max = 0;
    mb_status st;

    *count = 0;
    *name = NULL;
    if (!d)
        return errno == ENOENT ? MB_OK : mb_io_failed_(path, "read", errno, err);
    st = count_names(path, d, &max, err);
    *name = st < 0 ? NULL : mb_alloc(a, (size_t)max + 1, sizeof **name);
    if (*name)
        st = copy_names(a, d, *name, max, count, err);
    closedir(d);
    MB_TRY(st);
    if (!*name)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for %d names", path, max);
    return MB_OK;
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

mb_status mb_folder_rename_(const char *from, const char *to, mb_err *err)
{
    return rename(from, to) == 0 ? MB_OK : mb_io_failed_(to, "write", errno, err);
}

void mb_folder_remove_(const char *path)
{
    const int            fd = open(path, O_RDONLY | O_DIRECTORY);
    DIR                 *d = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *e;

    while (d && (e = readdir(d)))
        if (is_entry(e))
            unlinkat(fd, e->d_name, 0);
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
    rmdir(path);
}

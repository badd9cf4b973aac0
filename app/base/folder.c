/* folder.c - an output folder: one writer at a time, by a lock that the system releases when its
 * process ends, however it ends, and the removal of what such processes left; the list of the
 * files of one run in summary.json, and the check against it; from one run in a folder to the
 * next: the list of the earlier run is stored aside until the files of the new one are there,
 * and then what only the earlier run made is removed. A process that is killed in between leaves
 * the list for the next one. */
#include "base/folder.h"
#include "base/app.h"
#include "data/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static mb_status taken(const char *dir, long pid, mb_err *err)
{
    char who[48] = "another process";

    if (pid > 0)
        snprintf(who, sizeof who, "process %ld", pid);
    MB_FAIL(err, MB_E_IO,
            "%s: %s is writing into this folder; expected another folder, or this one when it is "
            "done",
            dir, who);
}

/* 0 if this process has the lock, else errno; *pid: the process that has it, 0 if unknown. */
static int try_lock(int fd, long *pid)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int          reason;

    *pid = 0;
    if (fcntl(fd, F_SETLK, &lock) == 0)
        return 0;
    reason = errno == EACCES ? EAGAIN : errno;
    if (reason == EAGAIN && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
        *pid = (long)lock.l_pid;
    return reason;
}

/* The lock file is never removed: a second process could then lock the removed file, which it had
 * open, and a third process a new one. The descriptor stays open, because closing it would release
 * the lock. */
mb_status folder_lock(const char *dir, const char *command, folder_kind kind, mb_err *err)
{
    char path[4096];
    long pid;
    int  fd, reason, make = kind == FOLDER_NEW ? O_CREAT : 0;

    snprintf(path, sizeof path, "%s/summary.json", dir);
    if (access(path, F_OK) == 0)
        make = O_CREAT;
    snprintf(path, sizeof path, "%s/.lock", dir);
    fd = open(path, O_RDWR | O_CLOEXEC | make, 0666);
    if (fd < 0 && !make && errno == ENOENT)
        return MB_OK;
    if (fd < 0)
        MB_FAIL(err, MB_E_IO, "%s: cannot write: %s", path, strerror(errno));
    reason = try_lock(fd, &pid);
    if (!reason)
        return MB_OK;
    close(fd);
    if (reason == EAGAIN)
        return taken(dir, pid, err);
    app_warn(command, "%s cannot be locked (%s): no other process may write into the folder", path,
             strerror(reason));
    return MB_OK;
}

void folder_remove(DIR *d, int at, const char *name)
{
    const struct dirent *e;

    rewinddir(d);
    while ((e = readdir(d)))
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    closedir(d);
    unlinkat(at, name, AT_REMOVEDIR);
}

/* 1 for .report-PID-XXXXXX of a process that has ended; older versions wrote no number. */
static int is_left(const char *name)
{
    static const char mark[] = ".report-";
    char             *end;
    long              pid;

    if (strncmp(name, mark, strlen(mark)) != 0)
        return 0;
    pid = strtol(name + strlen(mark), &end, 10);
    return *end != '-' || mb_process_gone(pid);
}

void folder_sweep(const char *dir)
{
    DIR                 *d, *left;
    const struct dirent *e;
    char                 below[4096];
    int                  fd;

    mb_dir_sweep(dir, NULL);
    snprintf(below, sizeof below, "%s/figures", dir);
    mb_dir_sweep(below, NULL);
    d = opendir(dir);
    while (d && (e = readdir(d))) {
        if (!is_left(e->d_name))
            continue;
        fd = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        left = fd < 0 ? NULL : fdopendir(fd);
        if (left)
            folder_remove(left, dirfd(d), e->d_name);
        else if (fd >= 0)
            close(fd);
    }
    if (d)
        closedir(d);
}

static const char list[] = "files", size_of[] = "bytes", sum_of[] = "crc32";

static mb_status cannot(const char *path, const char *what, int reason, mb_err *err)
{
    MB_FAIL(err, MB_E_IO, "%s: cannot %s: %s", path, what, strerror(reason ? reason : EIO));
}

typedef struct sum {
    int64_t  bytes;
    uint32_t crc;
} sum;

/* Size and check sum of a file; *missing = 1 if it does not exist. */
static mb_status weigh(const char *path, sum *out, int *missing, mb_err *err)
{
    unsigned char part[1 << 14];
    size_t        got;
    FILE         *f = fopen(path, "rb");
    int           bad;

    *out = (sum){0};
    *missing = !f && (errno == ENOENT || errno == ENOTDIR);
    if (*missing)
        return MB_OK;
    if (!f)
        return cannot(path, "read", errno, err);
    while ((got = fread(part, 1, sizeof part, f)) > 0) {
        out->crc = mb_crc32(out->crc, part, got);
        out->bytes += (int64_t)got;
    }
    bad = ferror(f);
    fclose(f);
    return bad ? cannot(path, "read", errno, err) : MB_OK;
}

mb_status folder_list(const char *dir, const char *const *name, int32_t count, mb_json_out *out,
                      mb_err *err)
{
    mb_json_object(out, list);
    for (int32_t k = 0; k < count; k++) {
        char path[4096], hex[16];
        int  missing;
        sum  s;

        snprintf(path, sizeof path, "%s/%s", dir, name[k]);
        MB_TRY(weigh(path, &s, &missing, err));
        if (missing)
            MB_FAIL(err, MB_E_IO, "%s: went away while the run was written", path);
        snprintf(hex, sizeof hex, "%08lx", (unsigned long)s.crc);
        mb_json_object(out, name[k]);
        mb_json_integer(out, size_of, s.bytes);
        mb_json_text(out, sum_of, hex);
        mb_json_close(out);
    }
    mb_json_close(out);
    return MB_OK;
}

/* Compares one file with its entry; `from`: summary.json, for messages. */
static mb_status compare(const char *dir, const char *from, const char *name, const mb_json *entry,
                         mb_err *err)
{
    static const char again[] = "the folder holds files of more than one run, or was changed; "
                                "expected a folder whose run came to its end";
    const mb_json    *bytes = mb_json_at(entry, size_of);
    const char       *crc = mb_json_at(entry, sum_of)->text;
    char              path[4096], hex[16];
    int               missing;
    sum               s;

    if (bytes->type != MB_JSON_INTEGER || !crc || strchr(name, '/'))
        MB_FAIL(err, MB_E_FORMAT,
                "%s: field \"%s.%.60s\" is wrong; expected a file of the folder with \"%s\" and "
                "\"%s\"",
                from, list, name, size_of, sum_of);
    snprintf(path, sizeof path, "%s/%s", dir, name);
    MB_TRY(weigh(path, &s, &missing, err));
    if (missing)
        MB_FAIL(err, MB_E_FORMAT, "%s: is missing, but summary.json lists it: %s", path, again);
    if (s.bytes != bytes->integer)
        MB_FAIL(err, MB_E_FORMAT, "%s: has %lld bytes, but summary.json says %lld: %s", path,
                (long long)s.bytes, (long long)bytes->integer, again);
    snprintf(hex, sizeof hex, "%08lx", (unsigned long)s.crc);
    if (strcmp(hex, crc) != 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: has the CRC-32 %s, but summary.json says %.8s: %s", path,
                hex, crc, again);
    return MB_OK;
}

int folder_is_same(const char *dir, const char *name, const mb_json *entry)
{
    return compare(dir, "", name, entry, NULL) >= 0;
}

static mb_status check(const char *dir, const char *path, const mb_json *summary, mb_err *err)
{
    const mb_json *files = mb_json_at(summary, list);

    if (files->type != MB_JSON_NONE && files->type != MB_JSON_OBJECT)
        MB_FAIL(err, MB_E_FORMAT, "%s: field \"%s\" is wrong; expected an object", path, list);
    for (size_t k = 0; k < files->n; k++)
        MB_TRY(compare(dir, path, files->item[k].key, &files->item[k], err));
    return MB_OK;
}

mb_status folder_check(const char *dir, mb_err *err)
{
    char           path[4096];
    const mb_json *summary;
    mb_arena      *a;
    mb_status      st;

    snprintf(path, sizeof path, "%s/summary.json", dir);
    if (access(path, F_OK) != 0 && errno == ENOENT)
        MB_FAIL(err, MB_E_IO,
                "%s: not found: the run into this folder did not end; expected a folder whose "
                "run came to its end",
                path);
    a = mb_arena_new(1 << 14);
    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory to read it", path);
    st = mb_json_read(a, path, &summary, err);
    if (st >= 0)
        st = check(dir, path, summary, err);
    mb_arena_free(a);
    return st;
}

int folder_has(const mb_json *summary, const char *name)
{
    const mb_json *files = mb_json_at(summary, list);

    return files->type == MB_JSON_NONE || mb_json_at(files, name)->type != MB_JSON_NONE;
}

enum { PATH = 4096 };

static void path_of(char path[PATH], const char *dir, const char *name)
{
    snprintf(path, PATH, "%s/%s", dir, name);
}

/* Files of `before` that `now` does not list, unless they have been changed since. */
static void remove_stale(const char *dir, const mb_json *before, const mb_json *now)
{
    const mb_json *files = mb_json_at(before, "files");

    for (size_t k = 0; files->type == MB_JSON_OBJECT && k < files->n; k++) {
        const char *name = files->item[k].key;
        char        path[PATH];

        if (folder_has(now, name) || !folder_is_same(dir, name, &files->item[k]))
            continue;
        path_of(path, dir, name);
        unlink(path);
    }
}

static mb_status tidy(mb_arena *a, const char *dir, const char *aside, mb_err *err)
{
    char           path[PATH];
    const mb_json *before, *now;
    mb_status      st;

    path_of(path, dir, "summary.json");
    MB_TRY(mb_json_read(a, path, &now, err));
    st = mb_json_read(a, aside, &before, err);
    if (st == MB_E_NOMEM)
        return st;
    if (st >= 0) /* else it is no list */
        remove_stale(dir, before, now);
    unlink(aside);
    return MB_OK;
}

mb_status folder_end(const char *dir, mb_err *err)
{
    char      aside[PATH];
    mb_arena *a;
    mb_status st;

    path_of(aside, dir, ".earlier.json");
    if (access(aside, F_OK) != 0)
        return MB_OK;
    a = mb_arena_new(1 << 14);
    if (!a)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory to read it", aside);
    st = tidy(a, dir, aside, err);
    mb_arena_free(a);
    return st;
}

/* summary.json becomes .earlier.json. */
static mb_status put_aside(const char *dir, mb_err *err)
{
    char summary[PATH], aside[PATH];

    path_of(summary, dir, "summary.json");
    path_of(aside, dir, ".earlier.json");
    if (access(summary, F_OK) == 0 && access(aside, F_OK) == 0)
        MB_TRY(folder_end(dir, err)); /* of a process that was killed before it was done */
    if (rename(summary, aside) != 0 && errno != ENOENT && errno != ENOTDIR)
        MB_FAIL(err, MB_E_IO, "%s: cannot remove: %s", summary, strerror(errno));
    return MB_OK;
}

static mb_status drop(const char *dir, const char *name, mb_err *err)
{
    char path[PATH];

    path_of(path, dir, name);
    if (unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR)
        MB_FAIL(err, MB_E_IO, "%s: cannot remove: %s", path, strerror(errno));
    return MB_OK;
}

/* 1 if the name is that of a figure of the report. */
static int is_figure(const char *name)
{
    static const char *const begins[] = {"network-",  "data-",        "contours-",  "kl-cvb-",
                                         "kl-truth-", "bound-",       "agreement-", "pairs",
                                         "principal", "coefficients", "fitted",     "components."};
    const char              *dot = strrchr(name, '.');

    if (!dot || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".png") != 0))
        return 0;
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
        if (!strncmp(name, begins[k], strlen(begins[k])))
            return 1;
    return 0;
}

mb_status folder_begin(const char *dir, mb_err *err)
{
    char                 below[4096];
    DIR                 *d;
    const struct dirent *e;

    MB_TRY(put_aside(dir, err));
    MB_TRY(drop(dir, "report.html", err));
    snprintf(below, sizeof below, "%s/figures", dir);
    d = opendir(below);
    while (d && (e = readdir(d)))
        if (is_figure(e->d_name))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    return MB_OK;
}

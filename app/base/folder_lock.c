/* folder_lock.c - one writer at a time: a lock that the system releases when its process ends,
 * however it ends, and the removal of what such processes left. */
#include "base/app.h"
#include "base/folder.h"
#include "data/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

/* file.c - files written beside their place and renamed into it, gzip data through zlib where the
 * library is built with it; folders made, and cleared of what killed processes left there. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "base/text.h"
#include "data/parse.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* 1 when the name ends in ".gz". */
static int is_gzip(const char *path)
{
    const size_t len = strlen(path);

    return len >= 3 && !strcmp(path + len - 3, ".gz");
}

int mb_path_ends(const char *path, const char *ending)
{
    const size_t len = strlen(path) - (is_gzip(path) ? 3 : 0), tail = strlen(ending);

    return len >= tail && !strncmp(path + len - tail, ending, tail);
}

#ifdef MB_ZLIB
#include <zlib.h>

enum { MOST = 1 << 30 /* bytes of a call: zlib counts in unsigned int */ };

/* The same bytes give the same file: zlib stores neither name nor time. */
static mb_status open_gzip(mb_file *f, mb_err *err)
{
    const int fd = dup(fileno(f->fp));

    if (fd < 0)
        return mb_io_failed_(f->path, "write", errno, err);
    f->gzip = gzdopen(fd, "wb6");
    if (!f->gzip) {
        close(fd);
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for gzip data", f->path);
    }
    return MB_OK;
}

static mb_status write_gzip(mb_file *f, const void *bytes, size_t n, mb_err *err)
{
    const char *at = bytes;

    while (n) {
        const size_t take = n < MOST ? n : MOST;

        if (!gzwrite(f->gzip, at, (unsigned)take))
            return mb_io_failed_(f->path, "write", errno, err);
        at += take;
        n -= take;
    }
    return MB_OK;
}

/* The reason when not all bytes are written, else 0. */
static int close_gzip(mb_file *f)
{
    gzFile gzip = f->gzip;

    f->gzip = NULL;
    errno = 0;
    if (!gzip || gzclose(gzip) == Z_OK)
        return 0;
    return errno ? errno : EIO;
}
#else
static mb_status open_gzip(mb_file *f, mb_err *err)
{
    MB_FAIL(err, MB_E_NOSUP, "%s: gzip data, but meshbayes is built without zlib", f->path);
}

static mb_status write_gzip(mb_file *f, const void *bytes, size_t n, mb_err *err)
{
    (void)bytes, (void)n;
    return open_gzip(f, err);
}

static int close_gzip(mb_file *f)
{
    (void)f;
    return 0;
}
#endif

/* The open descriptor that a path stands for; -1: it stands for none. */
static int descriptor(const char *path)
{
    static const char *const folder[] = {"/dev/fd/", "/proc/self/fd/"};
    int64_t                  number;

    if (!strcmp(path, "/dev/stdout"))
        return STDOUT_FILENO;
    if (!strcmp(path, "/dev/stderr"))
        return STDERR_FILENO;
    for (size_t k = 0; k < sizeof folder / sizeof *folder; k++) {
        const size_t len = strlen(folder[k]);

        if (!strncmp(path, folder[k], len) && !mb_parse_integer_(path + len, &number) &&
            number >= 0 && number <= INT_MAX)
            return (int)number;
    }
    return -1;
}

/* A second descriptor for the same place, where other programs may be writing too: opening the path
 * again would begin at the front of a file, and would make a descriptor for reading writable. */
static int again(int fd)
{
    const int flags = fcntl(fd, F_GETFL);

    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) {
        errno = EBADF;
        return -1;
    }
    return flags < 0 ? -1 : dup(fd);
}

/* Devices and pipes are written in place: no file can be renamed to them. /dev/stdout is one even
 * when it leads to a file. /dev/shm is a folder of plain files in memory. st: NULL: nothing there. */
static int is_stream(const char *path, const struct stat *st)
{
    const int device = !strncmp(path, "/dev/", 5) && strncmp(path, "/dev/shm/", 9) != 0;

    return device || descriptor(path) >= 0 || (st && !S_ISREG(st->st_mode));
}

int mb_process_gone(long pid)
{
    return pid > 0 && pid != (long)getpid() && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
}

/* FILE.tmp-PID of a process that has ended; n: the length of FILE, when it must be `file`. */
static int is_left(const char *name, const char *file, size_t n)
{
    static const char mark[] = ".tmp-";
    const char       *tail = strstr(name, mark), *next;

    while (tail && (next = strstr(tail + 1, mark)))
        tail = next;
    if (!tail || tail == name || (file && ((size_t)(tail - name) != n || memcmp(name, file, n))))
        return 0;
    tail += strlen(mark);
    if (!*tail || strspn(tail, "0123456789") != strlen(tail))
        return 0;
    return mb_process_gone(strtol(tail, NULL, 10));
}

void mb_dir_sweep(const char *dir, const char *file)
{
    DIR                 *d = opendir(dir);
    const struct dirent *e;

    while (d && (e = readdir(d)))
        if (is_left(e->d_name, file, file ? strlen(file) : 0))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

/* The temporary for a file, where the bytes really go: a link stays a link, its target is
 * replaced. */
static mb_status make_temp(mb_arena *a, const char *path, mb_file *f, mb_err *err)
{
    char       *target = realpath(path, NULL);
    const char *slash, *dir = ".";

    f->path = mb_text(a, err, "%s", target ? target : path);
    free(target);
    if (!f->path)
        return MB_E_NOMEM;
    f->temp = mb_text(a, err, "%s.tmp-%ld", f->path, (long)getpid());
    slash = strrchr(f->path, '/');
    if (slash)
        dir = mb_text(a, err, "%.*s", (int)(slash + 1 - f->path), f->path);
    if (!f->temp || !dir)
        return MB_E_NOMEM;
    mb_dir_sweep(dir, slash ? slash + 1 : f->path);
    return MB_OK;
}

mb_status mb_file_open(mb_arena *a, const char *path, mb_file *out, mb_err *err)
{
    struct stat st;
    const int   exists = stat(path, &st) == 0;
    mb_status   opened = MB_OK;
    int         fd;

    memset(out, 0, sizeof *out);
    if (exists && S_ISDIR(st.st_mode))
        return mb_io_failed_(path, "write", EISDIR, err);
    if (is_stream(path, exists ? &st : NULL)) {
        out->path = mb_text(a, err, "%s", path);
        if (!out->path)
            return MB_E_NOMEM;
        fd = descriptor(path);
        fd = fd >= 0 ? again(fd) : open(path, O_WRONLY | O_APPEND);
    } else {
        MB_TRY(make_temp(a, path, out, err));
        fd = open(out->temp, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    }
    if (fd < 0)
        return mb_io_failed_(path, "write", errno, err);
    out->fp = fdopen(fd, "wb");
    if (!out->fp) {
        opened = mb_io_failed_(path, "write", errno, err);
        close(fd);
    } else if (is_gzip(path)) {
        opened = open_gzip(out, err);
    }
    if (opened < 0)
        mb_file_abort(out);
    return opened;
}

mb_status mb_file_write(mb_file *f, const void *bytes, size_t n, mb_err *err)
{
    if (f->gzip)
        return write_gzip(f, bytes, n, err);
    if (fwrite(bytes, 1, n, f->fp) != n)
        return mb_io_failed_(f->path, "write", errno, err);
    return MB_OK;
}

mb_status mb_file_printf(mb_file *f, mb_err *err, const char *fmt, ...)
{
    char      usual[512], *text = usual;
    mb_status st;
    va_list   ap;
    int       n;

    va_start(ap, fmt);
    n = vsnprintf(usual, sizeof usual, fmt, ap);
    va_end(ap);
    if (n < 0)
        return mb_io_failed_(f->path, "write", errno, err);
    if ((size_t)n >= sizeof usual) {
        text = malloc((size_t)n + 1);
        if (!text)
            MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for %d bytes", f->path, n + 1);
        va_start(ap, fmt);
        vsnprintf(text, (size_t)n + 1, fmt, ap);
        va_end(ap);
    }
    st = mb_file_write(f, text, (size_t)n, err);
    if (text != usual)
        free(text);
    return st;
}

/* The first failure's errno, 0 when all bytes are safe. A write that failed earlier counts. */
static int close_safely(mb_file *f)
{
    FILE *fp = f->fp;
    int   reason = close_gzip(f);

    if (!reason && ferror(fp))
        reason = EIO;
    errno = 0;
    if (fflush(fp) != 0)
        reason = errno ? errno : EIO;
    if (!reason && f->temp && fsync(fileno(fp)) != 0)
        reason = errno;
    if (fclose(fp) != 0 && !reason)
        reason = errno;
    f->fp = NULL;
    return reason;
}

mb_status mb_file_commit(mb_file *f, mb_err *err)
{
    mb_status st = MB_OK;
    int       reason = close_safely(f);

    if (!reason && f->temp && rename(f->temp, f->path) != 0)
        reason = errno;
    if (reason)
        st = mb_io_failed_(f->path, "write", reason, err);
    else
        f->temp = NULL;
    mb_file_abort(f);
    return st;
}

void mb_file_abort(mb_file *f)
{
    (void)close_gzip(f);
    if (f->fp)
        fclose(f->fp);
    if (f->temp)
        unlink(f->temp);
    f->fp = NULL;
    f->temp = NULL;
}

/* One folder; one that exists already is fine. */
static mb_status make_one(const char *path, mb_err *err)
{
    struct stat st;

    if (mkdir(path, 0777) == 0)
        return MB_OK;
    if (errno != EEXIST)
        return mb_io_failed_(path, "make the folder", errno, err);
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        MB_FAIL(err, MB_E_IO, "%s: exists and is not a folder", path);
    return MB_OK;
}

mb_status mb_dir_make(const char *path, mb_err *err)
{
    const size_t n = strlen(path);
    mb_status    st = MB_OK;
    char        *copy;

    if (!n)
        MB_FAIL(err, MB_E_ARG, "the name of a folder is empty");
    copy = malloc(n + 1);
    if (!copy)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its name", path);
    memcpy(copy, path, n + 1);
    for (char *c = copy; st == MB_OK && *c; c++) {
        const char next = c[1];

        if (next && next != '/')
            continue;
        c[1] = 0;
        st = make_one(copy, err);
        c[1] = next;
    }
    free(copy);
    return st;
}

mb_status mb_file_close(mb_file *f, mb_status st, mb_err *err)
{
    if (st >= 0)
        st = mb_file_commit(f, err);
    mb_file_abort(f);
    return st;
}

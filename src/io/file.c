/* file.c - files written beside their place and renamed into it, folders made. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "io/gzip.h"
#include "io/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int mb_path_ends(const char *path, const char *ending)
{
    const size_t len = strlen(path) - (mb_is_gzip_(path) ? 3 : 0), tail = strlen(ending);

    return len >= tail && !strncmp(path + len - tail, ending, tail);
}

static mb_status copy_text(mb_arena *a, const char *from, const char *tail, char **to, mb_err *err)
{
    size_t n = strlen(from), m = strlen(tail);

    MB_NEW(*to, a, n + m + 1, err);
    memcpy(*to, from, n);
    memcpy(*to + n, tail, m + 1);
    return MB_OK;
}

/* Where the bytes really go: a link stays a link, its target is replaced. */
static mb_status resolve(mb_arena *a, const char *path, char **out, mb_err *err)
{
    char     *target = realpath(path, NULL);
    mb_status st;

    if (!target)
        return copy_text(a, path, "", out, err);
    st = copy_text(a, target, "", out, err);
    free(target);
    return st;
}

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

/* A second descriptor for the same place, which others may be writing too: opening the path anew
 * would begin at the front of a file, and would turn one that is for reading into one for writing. */
static int again(int fd)
{
    const int flags = fcntl(fd, F_GETFL);

    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) {
        errno = EBADF;
        return -1;
    }
    return flags < 0 ? -1 : dup(fd);
}

/* Devices and pipes cannot be renamed into: they are written as they are. /dev/stdout is one even
 * when it leads to a file. /dev/shm is a folder of plain files in memory. */
static int is_stream(const char *path)
{
    struct stat st;

    if (descriptor(path) >= 0 || (!strncmp(path, "/dev/", 5) && strncmp(path, "/dev/shm/", 9) != 0))
        return 1;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* A stream for the descriptor; what is written is packed when the path says so. */
static mb_status wrap(mb_file *f, const char *path, int fd, mb_err *err)
{
    mb_status st = MB_OK;

    f->fp = fdopen(fd, "wb");
    if (!f->fp) {
        st = mb_io_failed_(path, "write", errno, err);
        close(fd);
    } else if (mb_is_gzip_(path)) {
        st = mb_gzip_open_(f->path, &f->gzip, err);
    }
    if (st < 0)
        mb_file_abort(f);
    return st;
}

/* What killed processes left of the same file: the temporary is ours, `base` bytes of it its name. */
static void sweep(char *temp, size_t base)
{
    const char kept = temp[base];
    char      *slash;

    temp[base] = 0;
    slash = strrchr(temp, '/');
    if (slash && slash > temp) {
        *slash = 0;
        mb_dir_sweep(temp, slash + 1);
        *slash = '/';
    } else
        mb_dir_sweep(slash ? "/" : ".", slash ? slash + 1 : temp);
    temp[base] = kept;
}

mb_status mb_file_open(mb_arena *a, const char *path, mb_file *out, mb_err *err)
{
    struct stat st;
    char        tail[32];
    int         fd;

    memset(out, 0, sizeof *out);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return mb_io_failed_(path, "write", EISDIR, err);
    if (is_stream(path)) {
        MB_TRY(copy_text(a, path, "", &out->path, err));
        fd = descriptor(path);
        fd = fd >= 0 ? again(fd) : open(path, O_WRONLY | O_APPEND);
    } else {
        MB_TRY(resolve(a, path, &out->path, err));
        snprintf(tail, sizeof tail, ".tmp-%ld", (long)getpid());
        MB_TRY(copy_text(a, out->path, tail, &out->temp, err));
        sweep(out->temp, strlen(out->path));
        fd = open(out->temp, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    }
    if (fd < 0)
        return mb_io_failed_(path, "write", errno, err);
    return wrap(out, path, fd, err);
}

mb_status mb_file_write(mb_file *f, const void *bytes, size_t n, mb_err *err)
{
    if (f->gzip)
        return mb_gzip_write_(f->gzip, f->fp, bytes, n, err);
    if (fwrite(bytes, 1, n, f->fp) != n)
        return mb_io_failed_(f->path, "write", errno, err);
    return MB_OK;
}

/* A text of n bytes, more than fit where texts usually go. */
MB_PRINTF(3, 0)
static mb_status print_long(mb_file *f, size_t n, const char *fmt, va_list ap, mb_err *err)
{
    char     *text = malloc(n + 1);
    mb_status st;

    if (!text)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for %zu bytes", f->path, n + 1);
    vsnprintf(text, n + 1, fmt, ap);
    st = mb_file_write(f, text, n, err);
    free(text);
    return st;
}

mb_status mb_file_printf(mb_file *f, mb_err *err, const char *fmt, ...)
{
    char      text[512];
    mb_status st;
    va_list   ap;
    int       n;

    va_start(ap, fmt);
    n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (n < 0)
        return mb_io_failed_(f->path, "write", errno, err);
    if ((size_t)n < sizeof text)
        return mb_file_write(f, text, (size_t)n, err);
    va_start(ap, fmt);
    st = print_long(f, (size_t)n, fmt, ap, err);
    va_end(ap);
    return st;
}

/* The first failure's errno, 0 when all bytes are safe. A write that failed earlier counts. */
static int close_safely(mb_file *f)
{
    FILE *fp = f->fp;
    int   reason = ferror(fp) ? EIO : 0;

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
    mb_status st = f->gzip ? mb_gzip_end_(f->gzip, f->fp, err) : MB_OK;
    int       reason = close_safely(f);

    mb_gzip_close_(f->gzip);
    f->gzip = NULL;
    if (st < 0) {
        mb_file_abort(f);
        return st;
    }
    if (!reason && f->temp && rename(f->temp, f->path) != 0)
        reason = errno;
    if (reason) {
        mb_file_abort(f);
        return mb_io_failed_(f->path, "write", reason, err);
    }
    f->temp = NULL;
    return MB_OK;
}

void mb_file_abort(mb_file *f)
{
    if (f->fp)
        fclose(f->fp);
    mb_gzip_close_(f->gzip);
    if (f->temp)
        unlink(f->temp);
    f->fp = NULL;
    f->gzip = NULL;
    f->temp = NULL;
}

/* One folder; one that is there already is fine. */
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
    size_t n = strlen(path);
    char  *copy;

    if (!n)
        MB_FAIL(err, MB_E_ARG, "the name of a folder is empty");
    copy = malloc(n + 1);
    if (!copy)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its name", path);
    memcpy(copy, path, n + 1);
    mb_status st = MB_OK;

    for (size_t c = 1; c < n && st == MB_OK; c++) {
        if (path[c] != '/')
            continue;
        copy[c] = 0;
        st = make_one(copy, err);
        copy[c] = '/';
    }
    free(copy);
    MB_TRY(st);
    return make_one(path, err);
}

/* tail.c - the lines of a file that grows, or of standard input, as they come. */
#define _XOPEN_SOURCE 700
#include "base/tail.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

mb_status tail_open(mb_arena *a, tail *t, mb_err *err)
{
    struct stat is;

    t->a = a;
    t->fd = -1;
    MB_NEW(t->held, a, TAIL_PIECE + 1, err);
    t->fd = t->file ? open(t->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : STDIN_FILENO;
    if (t->fd < 0 || fstat(t->fd, &is) < 0)
        MB_FAIL(err, MB_E_IO, "%s: cannot be read: %s", t->file, strerror(errno));
    if (t->file && !S_ISREG(is.st_mode))
        MB_FAIL(err, MB_E_IO, "%s: is not a file that grows; expected one, or - for standard input",
                t->file);
    if (t->file)
        return MB_OK;
    t->flags = fcntl(t->fd, F_GETFL);
    fcntl(t->fd, F_SETFL, t->flags | O_NONBLOCK);
    return MB_OK;
}

void tail_close(tail *t)
{
    if (t->fd > STDIN_FILENO)
        close(t->fd);
    else if (t->fd == STDIN_FILENO) /* it may be a terminal, which others share */
        fcntl(t->fd, F_SETFL, t->flags);
    t->fd = -1;
}

/* Names and lines joined, in an arena of their own. */
static mb_status join(tail *t, const char *text, size_t n, mb_err *err)
{
    mb_arena *scratch_arena = mb_arena_new(t->header_len + n + 4096);
    char     *copy = scratch_arena ? mb_alloc(scratch_arena, t->header_len + n + 1, 1) : NULL;
    mb_status st;

    if (!copy) {
        mb_arena_free(scratch_arena);
        MB_FAIL(err, MB_E_NOMEM, "out of memory for rows");
    }
    memcpy(copy, t->header, t->header_len);
    memcpy(copy + t->header_len, text, n);
    st = t->take(t->self, scratch_arena, copy, t->header_len + n, err);
    mb_arena_free(scratch_arena);
    return st;
}

static int64_t count_lines(const char *text, size_t n)
{
    int64_t lines = 0;

    for (const char *at = text; (at = memchr(at, '\n', n - (size_t)(at - text))) != NULL; at++)
        lines++;
    return lines;
}

/* Whole lines: all at once, or where that fails each by itself. */
static mb_status take_lines(tail *t, const char *text, size_t n, mb_err *err)
{
    mb_err    why = {.msg = ""};
    mb_status st = join(t, text, n, &why);

    if (st >= 0) {
        t->line += count_lines(text, n);
        return MB_OK;
    }
    for (size_t at = 0; at < n; t->line++) {
        const char  *end = memchr(text + at, '\n', n - at);
        const size_t len = end ? (size_t)(end - text) - at + 1 : n - at;

        st = len > 1 ? join(t, text + at, len, &why) : MB_OK;
        if (st == MB_E_NOMEM)
            MB_FAIL(err, st, "%s", why.msg);
        if (st < 0)
            MB_TRY(t->refused(t->self, t->line + 1, why.msg, err));
        at += len;
    }
    return MB_OK;
}

/* The first line has the names. */
static mb_status take_header(tail *t, size_t *used, mb_err *err)
{
    const char *end = memchr(t->held, '\n', t->n);
    size_t      len;

    *used = 0;
    if (t->header_len || !end)
        return MB_OK;
    len = (size_t)(end - t->held) + 1;
    if (len > t->header_room) {
        MB_NEW(t->header, t->a, len, err);
        t->header_room = len;
    }
    memcpy(t->header, t->held, len);
    *used = t->header_len = len;
    t->at += (int64_t)len;
    t->line++;
    return MB_OK;
}

/* The whole lines of what is held; all: the last one without an end, too. */
static mb_status take_held(tail *t, int all, mb_err *err)
{
    size_t used, n;

    MB_TRY(take_header(t, &used, err));
    for (n = t->n; n > used && t->held[n - 1] != '\n' && !all;)
        n--;
    if (n > used && t->header_len) {
        MB_TRY(take_lines(t, t->held + used, n - used, err));
        t->at += (int64_t)(n - used);
    } else {
        n = used;
    }
    memmove(t->held, t->held + n, t->n - n);
    t->n -= n;
    if (t->n == TAIL_PIECE) {
        t->at += (int64_t)t->n;
        t->n = 0;
        return t->refused(t->self, t->line + 1, "a line of more than 65536 bytes", err);
    }
    return MB_OK;
}

/* To the end of what there is now. */
static mb_status read_on(tail *t, mb_err *err)
{
    ssize_t got = 1;

    while (got > 0 && t->fd >= 0) {
        const off_t from = (off_t)(t->at + (int64_t)t->n);

        got = t->file ? pread(t->fd, t->held + t->n, TAIL_PIECE - t->n, from)
                      : read(t->fd, t->held + t->n, TAIL_PIECE - t->n);
        if (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            MB_FAIL(err, MB_E_IO, "%s: cannot be read: %s", t->file ? t->file : "standard input",
                    strerror(errno));
        if (got <= 0)
            break;
        t->n += (size_t)got;
        MB_TRY(take_held(t, 0, err));
    }
    if (got == 0 && !t->file) {
        t->ended = 1;
        return take_held(t, 1, err);
    }
    return MB_OK;
}

/* 1: the file has another inode than the open one, or has become shorter than what was read. */
static int is_replaced(const tail *t)
{
    struct stat is, open_one;

    if (!t->file || stat(t->file, &is))
        return 0;
    return t->fd < 0 || fstat(t->fd, &open_one) || is.st_ino != open_one.st_ino ||
           is.st_dev != open_one.st_dev || is.st_size < t->at + (int64_t)t->n;
}

mb_status tail_more(tail *t, mb_err *err)
{
    if (!t->held || t->ended)
        return MB_OK;
    MB_TRY(read_on(t, err));
    if (!is_replaced(t))
        return MB_OK;
    MB_TRY(read_on(t, err)); /* what was written before it was replaced */
    tail_close(t);
    t->fd = open(t->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (t->fd < 0 && errno != ENOENT) /* it may be between two names */
        MB_FAIL(err, MB_E_IO, "%s: cannot be read: %s", t->file, strerror(errno));
    if (t->fd < 0)
        return MB_OK;
    t->at = t->line = 0;
    t->n = t->header_len = 0;
    t->replaced(t->self);
    return read_on(t, err);
}

/* Lines of the bytes between two places of the file. */
static int64_t lines_between(const tail *t, int64_t from, int64_t to)
{
    int64_t lines = 0;
    ssize_t got = 1;

    for (; got > 0 && from < to; from += got) {
        const int64_t left = to - from;

        got = pread(t->fd, t->held, left < TAIL_PIECE ? (size_t)left : TAIL_PIECE, (off_t)from);
        lines += got > 0 ? count_lines(t->held, (size_t)got) : 0;
    }
    return lines;
}

mb_status tail_resume(tail *t, int64_t at, mb_err *err)
{
    size_t  used;
    ssize_t got = pread(t->fd, t->held, TAIL_PIECE, 0);

    t->n = got > 0 ? (size_t)got : 0;
    t->at = 0;
    MB_TRY(take_header(t, &used, err));
    t->n = 0;
    if (t->header_len)
        t->line += lines_between(t, t->at, at);
    t->at = t->header_len ? at : 0;
    return MB_OK;
}

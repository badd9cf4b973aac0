/* source.c - the bytes of a file, front to back and decompressed (RFC 1952, through zlib where the
 * library is built with it), and whole files. */
#include "data/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

mb_status mb_io_failed_(const char *path, const char *doing, int reason, mb_err *err)
{
    MB_FAIL(err, MB_E_IO, "%s: cannot %s: %s", path, doing, strerror(reason));
}

/* The bytes of the file itself, compressed or not. */
static mb_status read_raw(mb_source_ *s, char *bytes, size_t n, size_t *got, mb_err *err)
{
    const size_t first = s->heads < n ? s->heads : n;

    if (!s->fp) {
        *got = n < s->left ? n : s->left;
        memcpy(bytes, s->memory, *got);
        s->memory += *got;
        s->left -= *got;
        return MB_OK;
    }
    memcpy(bytes, s->head, first);
    s->heads -= first;
    memmove(s->head, s->head + first, s->heads);
    *got = first + fread(bytes + first, 1, n - first, s->fp);
    if (*got < n && ferror((FILE *)s->fp))
        return mb_io_failed_(s->path, "read", errno, err);
    return MB_OK;
}

#ifdef MB_ZLIB
#define ZLIB_CONST /* input is const */
#include <zlib.h>

/* zlib counts in unsigned int; 16 + 15: the gzip format with the largest window. */
enum { CHUNK = 1 << 16, MOST = 1 << 30, GZIP = 16 + 15 };

struct mb_gunzip_ {
    z_stream z;
    int      ended; /* at the end of a member: another may follow */
    char     in[CHUNK];
};

static mb_status open_gzip(mb_source_ *s, mb_err *err)
{
    struct mb_gunzip_ *g = calloc(1, sizeof *g);

    if (!g || inflateInit2(&g->z, GZIP) != Z_OK) {
        free(g);
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for gzip data", s->path);
    }
    s->gzip = g;
    return MB_OK;
}

/* Supplies inflate with bytes; *end is 1 when there are no more and none are missing. */
static mb_status feed(mb_source_ *s, int *end, mb_err *err)
{
    struct mb_gunzip_ *g = s->gzip;
    size_t             got = g->z.avail_in;

    if (!got) {
        MB_TRY(read_raw(s, g->in, CHUNK, &got, err));
        g->z.next_in = (Bytef *)g->in;
        g->z.avail_in = (uInt)got;
    }
    *end = !got;
    if (!got && !g->ended)
        MB_FAIL(err, MB_E_FORMAT, "%s: the gzip data ends too early", s->path);
    if (got && g->ended)
        inflateReset(&g->z);
    return MB_OK;
}

/* One member after the other. */
static mb_status read_gzip(mb_source_ *s, char *bytes, size_t n, size_t *got, mb_err *err)
{
    struct mb_gunzip_ *g = s->gzip;
    int                end = 0;

    for (*got = 0; *got < n;) {
        const size_t room = n - *got < MOST ? n - *got : MOST;
        int          code;

        MB_TRY(feed(s, &end, err));
        if (end)
            return MB_OK;
        g->z.next_out = (Bytef *)bytes + *got;
        g->z.avail_out = (uInt)room;
        code = inflate(&g->z, Z_NO_FLUSH);
        *got += room - g->z.avail_out;
        if (code == Z_MEM_ERROR)
            MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for gzip data", s->path);
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            MB_FAIL(err, MB_E_FORMAT, "%s: broken gzip data: %s", s->path,
                    g->z.msg ? g->z.msg : "it needs a dictionary");
        g->ended = code == Z_STREAM_END;
    }
    return MB_OK;
}

static void close_gzip(mb_source_ *s)
{
    if (s->gzip)
        inflateEnd(&s->gzip->z);
    free(s->gzip);
}
#else
static mb_status open_gzip(mb_source_ *s, mb_err *err)
{
    MB_FAIL(err, MB_E_NOSUP, "%s: gzip data, but meshbayes is built without zlib", s->path);
}
#endif

/* Gzip data is recognised by its first two bytes, whatever the name. */
static mb_status open_any(mb_source_ *s, mb_err *err)
{
    struct stat st;

    if (!s->fp || fstat(fileno(s->fp), &st) != 0)
        return mb_io_failed_(s->path, "read", errno, err);
    if (S_ISDIR(st.st_mode))
        return mb_io_failed_(s->path, "read", EISDIR, err);
    s->size = S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
    MB_TRY(read_raw(s, s->head, sizeof s->head, &s->heads, err));
    if (s->heads < sizeof s->head || memcmp(s->head, "\x1f\x8b", sizeof s->head) != 0)
        return MB_OK;
    s->size = -1;
    return open_gzip(s, err);
}

static mb_status begin(const char *path, FILE *fp, mb_source_ *out, mb_err *err)
{
    mb_status st;

    *out = (mb_source_){.path = path, .fp = fp};
    st = open_any(out, err);
    if (st < 0)
        mb_source_close_(out);
    return st;
}

mb_status mb_source_open_(const char *path, mb_source_ *out, mb_err *err)
{
    return begin(path, fopen(path, "rb"), out, err);
}

mb_status mb_source_stdin_(const char *path, mb_source_ *out, mb_err *err)
{
    const int fd = dup(STDIN_FILENO);
    FILE     *fp = fd < 0 ? NULL : fdopen(fd, "rb");

    if (!fp && fd >= 0)
        close(fd);
    return begin(path, fp, out, err);
}

mb_source_ mb_source_memory_(const char *path, const char *bytes, size_t n)
{
    return (mb_source_){.path = path, .memory = bytes, .left = n, .size = (int64_t)n};
}

static mb_status read_on(mb_source_ *s, char *bytes, size_t n, size_t *got, mb_err *err)
{
#ifdef MB_ZLIB
    if (s->gzip)
        return read_gzip(s, bytes, n, got, err);
#endif
    return read_raw(s, bytes, n, got, err);
}

mb_status mb_source_peek_(mb_source_ *s, size_t *n, mb_err *err)
{
    MB_TRY(read_on(s, s->ahead, sizeof s->ahead, &s->aheads, err));
    *n = s->aheads;
    return MB_OK;
}

mb_status mb_source_read_(mb_source_ *s, char *bytes, size_t n, size_t *got, mb_err *err)
{
    const size_t first = s->aheads < n ? s->aheads : n;

    if (!first)
        return read_on(s, bytes, n, got, err);
    memcpy(bytes, s->ahead, first);
    s->aheads -= first;
    memmove(s->ahead, s->ahead + first, s->aheads);
    MB_TRY(read_on(s, bytes + first, n - first, got, err));
    *got += first;
    return MB_OK;
}

void mb_source_close_(mb_source_ *s)
{
    if (s->fp)
        fclose(s->fp);
#ifdef MB_ZLIB
    close_gzip(s);
#endif
    *s = (mb_source_){.path = s->path};
}

/* Reads to the end: a file of known size at once (one that shrinks meanwhile ends early); the length
 * of a pipe, a device or gzip data is known only at its end. */
mb_status mb_source_rest_(mb_arena *a, mb_source_ *s, char **bytes, size_t *n, mb_err *err)
{
    const int known = s->size >= 0;
    size_t    room = known ? (size_t)s->size : 1 << 16, got;

    *n = 0;
    *bytes = NULL;
    for (;; room *= 2) {
        *bytes = mb_larger_(a, *bytes, *n, room + 1, 1, NULL);
        if (!*bytes)
            MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for %zu bytes", s->path, room);
        MB_TRY(mb_source_read_(s, *bytes + *n, room - *n, &got, err));
        *n += got;
        if (known || *n < room)
            return MB_OK;
    }
}

mb_status mb_file_read(mb_arena *a, const char *path, char **bytes, size_t *n, mb_err *err)
{
    mb_source_ s;
    mb_status  st;

    MB_TRY(mb_source_open_(path, &s, err));
    st = mb_source_rest_(a, &s, bytes, n, err);
    mb_source_close_(&s);
    return st;
}

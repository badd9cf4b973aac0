/* source.c - the bytes of a file, front to back and unpacked, and whole files. */
#include "io/gzip.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static mb_status open_file(mb_source_ *s, mb_err *err)
{
    struct stat st;
    FILE       *fp = fopen(s->path, "rb");

    if (!fp)
        return mb_io_failed_(s->path, "read", errno, err);
    s->fp = fp;
    if (fstat(fileno(fp), &st) != 0)
        return mb_io_failed_(s->path, "read", errno, err);
    if (S_ISDIR(st.st_mode))
        return mb_io_failed_(s->path, "read", EISDIR, err);
    s->size = S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
    return MB_OK;
}

/* Gzip data is told by its first two bytes, whatever the name. */
static mb_status look(mb_source_ *s, mb_err *err)
{
    size_t got;

    MB_TRY(mb_source_packed_(s, s->head, sizeof s->head, &got, err));
    s->heads = got;
    if (got < sizeof s->head || memcmp(s->head, "\x1f\x8b", sizeof s->head) != 0)
        return MB_OK;
    s->size = -1;
    return mb_gunzip_open_(s->path, &s->gzip, err);
}

mb_status mb_source_open_(const char *path, mb_source_ *out, mb_err *err)
{
    mb_status st;

    *out = (mb_source_){.path = path};
    st = open_file(out, err);
    if (st >= 0)
        st = look(out, err);
    if (st < 0)
        mb_source_close_(out);
    return st;
}

mb_status mb_source_read_(mb_source_ *s, char *bytes, size_t n, size_t *got, mb_err *err)
{
    if (s->gzip)
        return mb_gunzip_read_(s->gzip, s, bytes, n, got, err);
    return mb_source_packed_(s, bytes, n, got, err);
}

void mb_source_close_(mb_source_ *s)
{
    if (s->fp)
        fclose(s->fp);
    mb_gunzip_close_(s->gzip);
    *s = (mb_source_){.path = s->path};
}

/* A file of known size in one read into the arena. A file that shrinks meanwhile ends early. */
static mb_status read_known(mb_arena *a, mb_source_ *s, char **bytes, size_t *n, mb_err *err)
{
    const size_t size = (size_t)s->size;

    *bytes = mb_alloc(a, size + 1, 1);
    if (!*bytes)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for %zu bytes", s->path, size);
    return mb_source_read_(s, *bytes, size, n, err);
}

/* Grows *all until the source ends; the caller frees it. */
static mb_status gather(mb_source_ *s, char **all, size_t *len, mb_err *err)
{
    size_t cap = 0, got;

    do {
        size_t more = cap ? 2 * cap : 1 << 16;
        char  *grown = more > cap ? realloc(*all, more) : NULL;

        if (!grown)
            MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for %zu bytes", s->path, more);
        *all = grown;
        cap = more;
        MB_TRY(mb_source_read_(s, *all + *len, cap - *len, &got, err));
        *len += got;
    } while (*len == cap);
    return MB_OK;
}

/* A pipe, a device or gzip data: its length is known only at its end. */
static mb_status read_unknown(mb_arena *a, mb_source_ *s, char **bytes, size_t *n, mb_err *err)
{
    char     *all = NULL;
    mb_status st;

    *n = 0;
    st = gather(s, &all, n, err);
    if (st >= 0) {
        *bytes = mb_alloc(a, *n + 1, 1);
        if (*bytes)
            memcpy(*bytes, all, *n);
    }
    free(all);
    MB_TRY(st);
    if (!*bytes)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for %zu bytes", s->path, *n);
    return MB_OK;
}

mb_status mb_file_read(mb_arena *a, const char *path, char **bytes, size_t *n, mb_err *err)
{
    mb_source_ s;
    mb_status  st;

    MB_TRY(mb_source_open_(path, &s, err));
    st = s.size >= 0 ? read_known(a, &s, bytes, n, err) : read_unknown(a, &s, bytes, n, err);
    mb_source_close_(&s);
    return st;
}

/* gzip.c - gzip data through zlib, where the library is built with it. */
#include "io/gzip.h"

#include <string.h>

int mb_is_gzip_(const char *path)
{
    size_t len = strlen(path);

    return len >= 3 && !strcmp(path + len - 3, ".gz");
}

#ifdef MB_ZLIB
#define ZLIB_CONST /* input is const */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

/* zlib counts in unsigned int; 16 + 15: the gzip format with the largest window. */
enum { CHUNK = 1 << 16, MOST = 1 << 30, GZIP = 16 + 15, LEVEL = 6, MEMORY = 8 };

struct mb_gunzip_ {
    z_stream    z;
    const char *path;
    int         ended; /* at the end of a member: another may follow */
    char        in[CHUNK];
};

struct mb_gzip_ {
    z_stream    z;
    const char *path;
    char        out[CHUNK];
};

static mb_status no_memory(const char *path, mb_err *err)
{
    MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for gzip data", path);
}

mb_status mb_gunzip_open_(const char *path, mb_gunzip_ **out, mb_err *err)
{
    mb_gunzip_ *g = calloc(1, sizeof *g);

    *out = NULL;
    if (!g || inflateInit2(&g->z, GZIP) != Z_OK) {
        free(g);
        return no_memory(path, err);
    }
    g->path = path;
    *out = g;
    return MB_OK;
}

/* Gives inflate bytes to work on; *end is 1 when there are no more and none are missing. */
static mb_status feed(mb_gunzip_ *g, mb_source_ *from, int *end, mb_err *err)
{
    size_t got = g->z.avail_in;

    if (!got) {
        MB_TRY(mb_source_packed_(from, g->in, CHUNK, &got, err));
        g->z.next_in = (Bytef *)g->in;
        g->z.avail_in = (uInt)got;
    }
    *end = !got;
    if (!got && !g->ended)
        MB_FAIL(err, MB_E_FORMAT, "%s: the gzip data ends too early", g->path);
    if (got && g->ended)
        inflateReset(&g->z);
    return MB_OK;
}

mb_status mb_gunzip_read_(mb_gunzip_ *g, mb_source_ *from, char *bytes, size_t n, size_t *got,
                          mb_err *err)
{
    int end = 0;

    for (*got = 0; *got < n;) {
        const size_t room = n - *got < MOST ? n - *got : MOST;
        int          code;

        MB_TRY(feed(g, from, &end, err));
        if (end)
            return MB_OK;
        g->z.next_out = (Bytef *)bytes + *got;
        g->z.avail_out = (uInt)room;
        code = inflate(&g->z, Z_NO_FLUSH);
        *got += room - g->z.avail_out;
        if (code == Z_MEM_ERROR)
            return no_memory(g->path, err);
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            MB_FAIL(err, MB_E_FORMAT, "%s: broken gzip data: %s", g->path,
                    g->z.msg ? g->z.msg : "it needs a dictionary");
        g->ended = code == Z_STREAM_END;
    }
    return MB_OK;
}

void mb_gunzip_close_(mb_gunzip_ *g)
{
    if (g)
        inflateEnd(&g->z);
    free(g);
}

mb_status mb_gzip_open_(const char *path, mb_gzip_ **out, mb_err *err)
{
    mb_gzip_ *g = calloc(1, sizeof *g);

    *out = NULL;
    if (!g || deflateInit2(&g->z, LEVEL, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(g);
        return no_memory(path, err);
    }
    g->path = path;
    *out = g;
    return MB_OK;
}

/* Runs deflate until it wants no more room for what it has. */
static mb_status pack(mb_gzip_ *g, FILE *fp, int flush, mb_err *err)
{
    do {
        size_t made;

        g->z.next_out = (Bytef *)g->out;
        g->z.avail_out = CHUNK;
        (void)deflate(&g->z, flush); /* fails on a broken stream only */
        made = CHUNK - g->z.avail_out;
        if (fwrite(g->out, 1, made, fp) != made)
            return mb_io_failed_(g->path, "write", errno, err);
    } while (!g->z.avail_out);
    return MB_OK;
}

mb_status mb_gzip_write_(mb_gzip_ *g, void *fp, const void *bytes, size_t n, mb_err *err)
{
    const char *at = bytes;

    while (n) {
        const size_t take = n < MOST ? n : MOST;

        g->z.next_in = (z_const Bytef *)at;
        g->z.avail_in = (uInt)take;
        MB_TRY(pack(g, fp, Z_NO_FLUSH, err));
        at += take;
        n -= take;
    }
    return MB_OK;
}

mb_status mb_gzip_end_(mb_gzip_ *g, void *fp, mb_err *err)
{
    return pack(g, fp, Z_FINISH, err);
}

void mb_gzip_close_(mb_gzip_ *g)
{
    if (g)
        deflateEnd(&g->z);
    free(g);
}

#else

static mb_status absent(const char *path, mb_err *err)
{
    MB_FAIL(err, MB_E_NOSUP, "%s: gzip data, but meshbayes is built without zlib", path);
}

mb_status mb_gunzip_open_(const char *path, mb_gunzip_ **out, mb_err *err)
{
    *out = NULL;
    return absent(path, err);
}

mb_status mb_gunzip_read_(mb_gunzip_ *g, mb_source_ *from, char *bytes, size_t n, size_t *got,
                          mb_err *err)
{
    (void)g, (void)bytes, (void)n, (void)got;
    return absent(from->path, err);
}

void mb_gunzip_close_(mb_gunzip_ *g)
{
    (void)g;
}

mb_status mb_gzip_open_(const char *path, mb_gzip_ **out, mb_err *err)
{
    *out = NULL;
    return absent(path, err);
}

mb_status mb_gzip_write_(mb_gzip_ *g, void *fp, const void *bytes, size_t n, mb_err *err)
{
    (void)g, (void)fp, (void)bytes, (void)n;
    return absent("", err);
}

mb_status mb_gzip_end_(mb_gzip_ *g, void *fp, mb_err *err)
{
    (void)g, (void)fp;
    return absent("", err);
}

void mb_gzip_close_(mb_gzip_ *g)
{
    (void)g;
}
#endif

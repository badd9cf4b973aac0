/* fetch_inflate.c - what zlib packed, unpacked in memory. */
#include "data/fetch.h"

#include <string.h>

#ifdef MB_ZLIB
#define ZLIB_CONST
#include <zlib.h>

/* Doubles the room; the old one stays in the arena. */
static mb_status grow(mb_arena *a, size_t used, size_t *room, char **out, mb_err *err)
{
    char *more;

    MB_NEW(more, a, 2 * *room, err);
    memcpy(more, *out, used);
    *out = more;
    *room *= 2;
    return MB_OK;
}

static mb_status unpack(mb_arena *a, const char *file, z_stream *z, size_t limit, char **out,
                        size_t *got, mb_err *err)
{
    size_t room = 1 << 16;
    int    st = Z_OK;

    MB_NEW(*out, a, room, err);
    for (*got = 0; st == Z_OK;) {
        if (*got == room)
            MB_TRY(grow(a, *got, &room, out, err));
        z->next_out = (Bytef *)*out + *got;
        z->avail_out = (uInt)(room - *got);
        st = inflate(z, Z_NO_FLUSH);
        *got = room - z->avail_out;
        if (*got > limit)
            MB_FAIL(err, MB_E_FORMAT, "%s: packed data of more than %zu bytes", file, limit);
    }
    if (st != Z_STREAM_END)
        MB_FAIL(err, MB_E_FORMAT, "%s: packed data that is cut or damaged (%s)", file,
                z->msg ? z->msg : "no end");
    return MB_OK;
}

mb_status fetch_inflate(mb_arena *a, const char *file, const char *in, size_t n, int raw,
                        size_t limit, char **out, size_t *got, mb_err *err)
{
    z_stream  z = {.next_in = (const Bytef *)in, .avail_in = (uInt)n};
    mb_status st;

    if (n > UINT32_MAX || inflateInit2(&z, raw ? -15 : 15) != Z_OK)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory to unpack it", file);
    st = unpack(a, file, &z, limit, out, got, err);
    inflateEnd(&z);
    return st;
}

#else

mb_status fetch_inflate(mb_arena *a, const char *file, const char *in, size_t n, int raw,
                        size_t limit, char **out, size_t *got, mb_err *err)
{
    (void)a, (void)in, (void)n, (void)raw, (void)limit, (void)out, (void)got;
    MB_FAIL(err, MB_E_NOSUP, "%s: packed data; this program was built without zlib", file);
}

#endif

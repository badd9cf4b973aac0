/* fetch_zip.c - files out of zip archives (stored or deflated; no encryption, no zip64). */
#include "data/fetch.h"

#include <string.h>

enum { END_SIZE = 22, ENTRY_SIZE = 46, LOCAL_SIZE = 30, COMMENT = 65535, DEEP = 2 };
static const size_t FILE_LIMIT = (size_t)1 << 28;

typedef struct zip {
    mb_arena   *a;
    const char *file; /* for messages */
    const char *prefix, *suffix, *to;
    int32_t    *count;
} zip;
typedef struct span {
    const unsigned char *at;
    size_t               n;
} span;
/* An entry of the directory at the end. */
typedef struct entry {
    uint32_t    method, crc, packed, size, local, name_len, extra_len, comment_len;
    const char *name;
} entry;

static uint32_t little(const unsigned char *at, int bytes)
{
    uint32_t x = 0;

    for (int b = bytes - 1; b >= 0; b--)
        x = x << 8 | at[b];
    return x;
}

static mb_status broken(const zip *z, mb_err *err)
{
    MB_FAIL(err, MB_E_FORMAT, "%s: not a zip archive, or a damaged one", z->file);
}

/* The end record: behind it at most a comment. NULL: none. */
static const unsigned char *end_record(span s)
{
    for (size_t k = END_SIZE; k <= s.n && k <= END_SIZE + COMMENT; k++)
        if (little(s.at + s.n - k, 4) == 0x06054b50)
            return s.at + s.n - k;
    return NULL;
}

static int read_entry(span s, size_t at, entry *e)
{
    const unsigned char *p = s.at + at;

    if (at > s.n || s.n - at < ENTRY_SIZE || little(p, 4) != 0x02014b50)
        return 0;
    *e = (entry){.method = little(p + 10, 2),
                 .crc = little(p + 16, 4),
                 .packed = little(p + 20, 4),
                 .size = little(p + 24, 4),
                 .name_len = little(p + 28, 2),
                 .extra_len = little(p + 30, 2),
                 .comment_len = little(p + 32, 2),
                 .local = little(p + 42, 4),
                 .name = (const char *)p + ENTRY_SIZE};
    return e->name_len <= s.n - at - ENTRY_SIZE;
}

static mb_status contents(const zip *z, span s, const entry *e, char **out, size_t *n, mb_err *err)
{
    const unsigned char *p = s.at + e->local;
    size_t               skip;

    if (e->local > s.n || s.n - e->local < LOCAL_SIZE || little(p, 4) != 0x04034b50)
        return broken(z, err);
    skip = LOCAL_SIZE + little(p + 26, 2) + little(p + 28, 2);
    if (skip > s.n - e->local || e->packed > s.n - e->local - skip || e->size > FILE_LIMIT)
        return broken(z, err);
    if (e->method == 8)
        MB_TRY(fetch_inflate(z->a, z->file, (const char *)p + skip, e->packed, 1, e->size, out, n,
                             err));
    else if (e->method == 0) {
        *n = e->packed;
        MB_NEW(*out, z->a, *n + 1, err);
        memcpy(*out, p + skip, *n);
    } else
        MB_FAIL(err, MB_E_NOSUP, "%s: \"%.*s\" is packed by method %u, accepted: deflate", z->file,
                (int)(e->name_len < 80 ? e->name_len : 80), e->name, e->method);
    if (*n != e->size || mb_crc32(0, *out, *n) != e->crc)
        return broken(z, err);
    return MB_OK;
}

static int ends_in(const char *name, size_t len, const char *suffix)
{
    const size_t n = strlen(suffix);

    return len >= n && !memcmp(name + len - n, suffix, n);
}

static mb_status write_out(const zip *z, const char *name, size_t len, const char *bytes, size_t n,
                           mb_err *err)
{
    const char *path = fetch_say(z->a, err, "%s/%.*s", z->to, (int)len, name);
    mb_file     f = {0};
    mb_status   st;

    if (!path)
        return MB_E_NOMEM;
    MB_TRY(mb_file_open(z->a, path, &f, err));
    st = mb_file_write(&f, bytes, n, err);
    if (st >= 0)
        st = mb_file_commit(&f, err);
    mb_file_abort(&f);
    (*z->count)++;
    return st;
}

static mb_status walk(const zip *z, span s, int depth, mb_err *err);

/* A file that is wanted is written (its folders are cut off), an archive is walked. */
static mb_status visit(const zip *z, span s, const entry *e, int depth, mb_err *err)
{
    const char *name = e->name;
    size_t      len = e->name_len, n;
    char       *bytes;

    for (size_t k = 0; k < e->name_len; k++)
        if (e->name[k] == '/' || e->name[k] == '\\') {
            name = e->name + k + 1;
            len = e->name_len - k - 1;
        }
    const int wanted = len >= strlen(z->prefix) && !memcmp(name, z->prefix, strlen(z->prefix)) &&
                       ends_in(name, len, z->suffix) && !memchr(name, 0, len);

    if (!wanted && !(depth < DEEP && ends_in(name, len, ".zip")))
        return MB_OK;
    MB_TRY(contents(z, s, e, &bytes, &n, err));
    if (wanted)
        return write_out(z, name, len, bytes, n, err);
    return walk(z, (span){(const unsigned char *)bytes, n}, depth + 1, err);
}

static mb_status walk(const zip *z, span s, int depth, mb_err *err)
{
    const unsigned char *end = end_record(s);
    size_t               at;

    if (!end)
        return broken(z, err);
    at = little(end + 16, 4);
    for (uint32_t k = little(end + 10, 2); k > 0; k--) {
        entry e;

        if (!read_entry(s, at, &e))
            return broken(z, err);
        MB_TRY(visit(z, s, &e, depth, err));
        at += ENTRY_SIZE + e.name_len + e.extra_len + e.comment_len;
    }
    return MB_OK;
}

mb_status fetch_unzip(mb_arena *a, const char *file, const char *bytes, size_t n,
                      const char *prefix, const char *suffix, const char *to, int32_t *count,
                      mb_err *err)
{
    const zip z = {a, file, prefix, suffix, to, count};

    *count = 0;
    return walk(&z, (span){(const unsigned char *)bytes, n}, 0, err);
}

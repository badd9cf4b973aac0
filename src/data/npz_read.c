/* npz_read.c - one array of a NumPy archive (.npz): a zip archive of NPY files, stored or
 * deflated. */
#include "data/parse.h"

#include <stdio.h>
#include <string.h>

enum { LOCAL = 30, CENTRAL = 46, END = 22, COMMENT = 65535, STORED = 0, DEFLATED = 8, LIST = 200 };
#define ABSENT UINT64_C(0xffffffff) /* the number is in a zip64 record */

/* An entry of the archive's directory. */
typedef struct entry {
    const char *name; /* len bytes without ".npy" */
    size_t      len;
    uint64_t    flags, method, crc, packed, size, offset;
} entry;

typedef struct archive {
    const char *file, *bytes;
    size_t      n, at;   /* at: the next entry of the directory */
    uint64_t    entries; /* from there on                       */
} archive;

static uint64_t take(const char *bytes, int at, int width)
{
    return mb_npy_little_(bytes + at, width);
}

static mb_status broken(const archive *z, const char *what, mb_err *err)
{
    MB_FAIL(err, MB_E_FORMAT, "%s: not an NPZ file as numpy.savez writes it: %s", z->file, what);
}

/* The record at the end, before a comment of any length. */
static mb_status find_end(archive *z, mb_err *err)
{
    for (size_t back = END; back <= z->n && back <= END + COMMENT; back++) {
        const char *end = z->bytes + z->n - back;

        if (take(end, 0, 4) != 0x06054b50 || take(end, 20, 2) != back - END)
            continue;
        z->entries = take(end, 10, 2);
        z->at = take(end, 16, 4);
        if (z->at == ABSENT)
            MB_FAIL(err, MB_E_NOSUP, "%s: got an archive beyond 4 GiB; expected NPY files",
                    z->file);
        return MB_OK;
    }
    return broken(z, "it has no directory", err);
}

static mb_status next_entry(archive *z, entry *out, mb_err *err)
{
    const char *e = z->bytes + z->at;
    size_t      full;

    if (z->at > z->n || z->n - z->at < CENTRAL || take(e, 0, 4) != 0x02014b50)
        return broken(z, "its directory is damaged", err);
    *out = (entry){.name = e + CENTRAL,
                   .len = take(e, 28, 2),
                   .flags = take(e, 8, 2),
                   .method = take(e, 10, 2),
                   .crc = take(e, 16, 4),
                   .packed = take(e, 20, 4),
                   .size = take(e, 24, 4),
                   .offset = take(e, 42, 4)};
    full = CENTRAL + out->len + take(e, 30, 2) + take(e, 32, 2);
    if (full > z->n - z->at)
        return broken(z, "its directory is damaged", err);
    z->at += full;
    z->entries--;
    if (out->len > 4 && !memcmp(out->name + out->len - 4, ".npy", 4))
        out->len -= 4;
    return MB_OK;
}

/* Finds the array, or the only one. */
static mb_status find_entry(archive *z, const char *member, entry *out, mb_err *err)
{
    char  list[LIST] = "", name[64];
    int   found = 0;
    entry e = {.name = NULL};

    MB_TRY(find_end(z, err));
    while (z->entries) {
        MB_TRY(next_entry(z, &e, err));
        snprintf(name, sizeof name, "%.*s", (int)(e.len < 60 ? e.len : 60), e.name);
        mb_list_add_(list, sizeof list, name);
        if (member && (strlen(member) != e.len || memcmp(member, e.name, e.len) != 0))
            continue;
        *out = e;
        found++;
    }
    if (member && !found)
        MB_FAIL(err, MB_E_ARG, "%s: no array \"%.60s\"; expected %s", z->file, member, list);
    if (!member && found != 1)
        MB_FAIL(err, MB_E_ARG, "%s: got %d arrays (%s); expected one, named as %s:NAME", z->file,
                found, list, z->file);
    return MB_OK;
}

#ifdef MB_ZLIB
#define ZLIB_CONST /* input is const */
#include <zlib.h>

enum { RAW = -15 /* deflate data without a header, largest window */ };

static mb_status unpack(mb_arena *a, const archive *z, const entry *e, const char *from,
                        const char **out, mb_err *err)
{
    enum { MOST_RATIO = 1040 /* of deflate */ };
    z_stream s = {.next_in = (const Bytef *)from, .avail_in = (uInt)e->packed};
    char    *to;
    int      code;

    if (e->size / MOST_RATIO > e->packed)
        return broken(z, "an array is longer than its packed bytes allow", err);
    MB_NEW(to, a, e->size + 1, err);
    if (inflateInit2(&s, RAW) != Z_OK)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for packed data", z->file);
    s.next_out = (Bytef *)to;
    s.avail_out = (uInt)e->size;
    code = inflate(&s, Z_FINISH);
    inflateEnd(&s);
    if (code != Z_STREAM_END || s.avail_out)
        return broken(z, "the packed data of an array are damaged", err);
    *out = to;
    return MB_OK;
}
#else
static mb_status unpack(mb_arena *a, const archive *z, const entry *e, const char *from,
                        const char **out, mb_err *err)
{
    (void)a, (void)e, (void)from, (void)out;
    MB_FAIL(err, MB_E_NOSUP,
            "%s: packed arrays, but meshbayes is built without zlib; expected numpy.savez",
            z->file);
}
#endif

mb_status mb_npz_member_(mb_arena *a, const char *file, const char *bytes, size_t n,
                         const char *member, const char **out, size_t *size, mb_err *err)
{
    archive     z = {.file = file, .bytes = bytes, .n = n};
    const char *head;
    size_t      start;
    entry       e = {.name = NULL};

    MB_TRY(find_entry(&z, member, &e, err));
    if (e.packed == ABSENT || e.size == ABSENT || e.offset == ABSENT)
        MB_FAIL(err, MB_E_NOSUP, "%s: got an array beyond 4 GiB; expected NPY files", file);
    head = bytes + e.offset;
    if (e.offset > n || n - e.offset < LOCAL || take(head, 0, 4) != 0x04034b50)
        return broken(&z, "the head of an array is damaged", err);
    start = LOCAL + take(head, 26, 2) + take(head, 28, 2);
    if (start > n - e.offset || e.packed > n - e.offset - start)
        return broken(&z, "an array ends too early", err);
    if ((e.flags & 1) || (e.method != STORED && e.method != DEFLATED) ||
        (e.method == STORED && e.packed != e.size))
        return broken(&z, "an array is neither stored nor deflated", err);
    *out = head + start;
    *size = e.size;
    if (e.method == DEFLATED)
        MB_TRY(unpack(a, &z, &e, head + start, out, err));
    if (mb_crc32(0, *out, *size) != e.crc)
        return broken(&z, "the checksum of an array differs", err);
    return MB_OK;
}

/* npz.c - named arrays in one file, as numpy.load reads them: a zip archive of NPY files, stored as
 * they are, dated 1980-01-01. */
#include "base/text.h"
#include "data/parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOCAL = 30, CENTRAL = 46, END = 22, MOST_ARRAYS = 65534, LONGEST_NAME = 200 };
static const double MOST_WHOLE = 9007199254740992.0; /* 2^53 */
#define MOST_BYTES UINT64_C(0xfffffffe)              /* of an archive without the zip64 extension */

typedef struct member {
    const char *name; /* with its ".npy" */
    uint32_t    crc;
    uint64_t    size, offset;
} member;

struct mb_npz {
    mb_arena *a;
    mb_file   f;
    member   *list; /* cap */
    int32_t   count, cap;
    uint64_t  at; /* bytes written */
};

/* The remainders of four bits by the polynomial of ISO 3309. */
static const uint32_t left_by[16] = {
    0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
    0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

uint32_t mb_crc32(uint32_t crc, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;

    crc = ~crc;
    for (size_t k = 0; k < n; k++) {
        crc ^= b[k];
        crc = crc >> 4 ^ left_by[crc & 15];
        crc = crc >> 4 ^ left_by[crc & 15];
    }
    return ~crc;
}

/* Counts a member's bytes and sums them up, before they are written. */
static mb_status weigh(void *to, const void *bytes, size_t n, mb_err *err)
{
    member *m = to;

    (void)err;
    m->crc = mb_crc32(m->crc, bytes, n);
    m->size += n;
    return MB_OK;
}

static mb_status put(void *to, const void *bytes, size_t n, mb_err *err)
{
    mb_npz *z = to;

    z->at += n;
    return mb_file_write(&z->f, bytes, n, err);
}

/* Appends `width` bytes, little endian. */
static void number(unsigned char **at, int width, uint64_t x)
{
    for (int b = 0; b < width; b++)
        *(*at)++ = (unsigned char)(x >> 8 * b);
}

/* What both headers of a member say: version 2.0, no flags, stored, the date, sum, sizes, name. */
static void describe(unsigned char **at, const member *m)
{
    number(at, 2, 20);
    number(at, 4, 0);
    number(at, 4, 0x210000);
    number(at, 4, m->crc);
    number(at, 4, m->size);
    number(at, 4, m->size);
    number(at, 2, strlen(m->name));
    number(at, 2, 0);
}

static mb_status put_local(mb_npz *z, const member *m, mb_err *err)
{
    unsigned char head[LOCAL], *at = head;

    number(&at, 4, 0x04034b50);
    describe(&at, m);
    MB_TRY(put(z, head, sizeof head, err));
    return put(z, m->name, strlen(m->name), err);
}

static mb_status put_central(mb_npz *z, const member *m, mb_err *err)
{
    unsigned char head[CENTRAL], *at = head;

    number(&at, 4, 0x02014b50);
    number(&at, 2, 20);
    describe(&at, m);
    number(&at, 6, 0); /* no comment, first disk, no attributes */
    number(&at, 4, 0);
    number(&at, 4, m->offset);
    MB_TRY(put(z, head, sizeof head, err));
    return put(z, m->name, strlen(m->name), err);
}

mb_status mb_npz_open(mb_arena *a, const char *file, mb_npz **out, mb_err *err)
{
    mb_npz *z;

    *out = NULL;
    MB_NEW(z, a, 1, err);
    z->a = a;
    MB_TRY(mb_file_open(a, file, &z->f, err));
    *out = z;
    return MB_OK;
}

static mb_status make_name(mb_npz *z, const char *name, const char **out, mb_err *err)
{
    static const char accepted[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                   "_.-";
    const size_t      n = strlen(name);

    if (!n || n > LONGEST_NAME || name[strspn(name, accepted)])
        MB_FAIL(err, MB_E_ARG,
                "%s: got an array \"%.60s\"; expected names of 1 to %d letters, digits and _ . -",
                z->f.path, name, LONGEST_NAME);
    *out = mb_text(z->a, err, "%s.npy", name);
    if (!*out)
        return MB_E_NOMEM;
    for (int32_t k = 0; k < z->count; k++)
        if (!strcmp(z->list[k].name, *out))
            MB_FAIL(err, MB_E_ARG, "%s: two arrays called \"%.60s\"; expected one", z->f.path,
                    name);
    return MB_OK;
}

static mb_status more_room(mb_npz *z, mb_err *err)
{
    z->cap = z->cap ? 2 * z->cap : 16;
    z->list = mb_larger_(z->a, z->list, (size_t)z->count, (size_t)z->cap, sizeof *z->list, err);
    return z->list ? MB_OK : MB_E_NOMEM;
}

/* What a member holds: numbers, or bytes that are the whole NPY file. */
typedef struct body {
    int32_t        ndim;
    const int64_t *shape;
    const double  *x;
    const char    *bytes; /* NULL: numbers */
    size_t         n;
} body;

static mb_status put_body(const body *b, mb_npy_sink_ sink, void *to, mb_err *err)
{
    return b->bytes ? sink(to, b->bytes, b->n, err)
                    : mb_npy_put_(sink, to, b->ndim, b->shape, b->x, err);
}

static mb_status add(mb_npz *z, const char *name, const body *b, mb_err *err)
{
    member m = {.offset = z->at};

    MB_TRY(make_name(z, name, &m.name, err));
    if (z->count == z->cap)
        MB_TRY(more_room(z, err));
    MB_TRY(put_body(b, weigh, &m, err));
    /* Leaves room for the directory, which repeats every name. */
    if (z->count >= MOST_ARRAYS || z->at + m.size + (uint64_t)(z->count + 2) * 512 > MOST_BYTES)
        MB_FAIL(err, MB_E_NOSUP, "%s: more than 4 GiB or %d arrays", z->f.path, MOST_ARRAYS);
    MB_TRY(put_local(z, &m, err));
    MB_TRY(put_body(b, put, z, err));
    z->list[z->count++] = m;
    return MB_OK;
}

static mb_status check_ndim(const mb_npz *z, int32_t ndim, mb_err *err)
{
    if (ndim < 0 || ndim > 3)
        MB_FAIL(err, MB_E_ARG, "%s: got %d dimensions; expected 0 to 3", z->f.path, ndim);
    return MB_OK;
}

mb_status mb_npz_add(mb_npz *z, const char *name, int32_t ndim, const int64_t *shape,
                     const double *x, mb_err *err)
{
    MB_TRY(check_ndim(z, ndim, err));
    return add(z, name, &(body){.ndim = ndim, .shape = shape, .x = x}, err);
}

/* The NPY file of `count` items of `size` bytes: its head, and room for the items at *items. */
static mb_status make_file(mb_npz *z, const char *type, int32_t ndim, const int64_t *shape,
                           size_t count, size_t size, body *out, unsigned char **items, mb_err *err)
{
    char         head[MB_NPY_HEADER_MAX_];
    const size_t before = mb_npy_header_(type, ndim, shape, head);
    char        *bytes;

    if (size && count > (SIZE_MAX - before) / size)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for %zu x %zu bytes", z->f.path, count, size);
    MB_NEW(bytes, z->a, before + count * size, err);
    memcpy(bytes, head, before);
    *out = (body){.bytes = bytes, .n = before + count * size};
    *items = (unsigned char *)bytes + before;
    return MB_OK;
}

mb_status mb_npz_add_whole(mb_npz *z, const char *name, mb_whole type, int32_t ndim,
                           const int64_t *shape, const double *x, mb_err *err)
{
    const int      width = type == MB_WHOLE_BOOL ? 1 : 8;
    size_t         count = 1;
    unsigned char *to;
    body           b;

    MB_TRY(check_ndim(z, ndim, err));
    for (int32_t k = 0; k < ndim; k++)
        count *= (size_t)shape[k];
    for (size_t k = 0; k < count; k++)
        if (!(fabs(x[k]) <= MOST_WHOLE))
            MB_FAIL(err, MB_E_ARG, "%s: array \"%.60s\": got %g; expected whole numbers", z->f.path,
                    name, x[k]);
    MB_TRY(
        make_file(z, width == 1 ? "|b1" : "<i8", ndim, shape, count, (size_t)width, &b, &to, err));
    for (size_t k = 0; k < count; k++)
        number(&to, width, (uint64_t)(int64_t)(width == 1 ? x[k] > 0 : x[k]));
    return add(z, name, &b, err);
}

/* The character at *text, which is UTF-8 of n bytes. */
static uint32_t code_point(const char *text, int n)
{
    const unsigned char *b = (const unsigned char *)text;
    uint32_t             code = n == 1 ? b[0] : b[0] & (0xffU >> (n + 1));

    for (int k = 1; k < n; k++)
        code = code << 6 | (b[k] & 63);
    return code;
}

/* Characters of the longest text, at least 1. */
static mb_status longest(const mb_npz *z, int32_t n, const char *const *text, size_t *most,
                         mb_err *err)
{
    *most = 1;
    for (int32_t k = 0; k < n; k++) {
        size_t len = 0;

        for (const char *at = text[k]; *at; at += mb_utf8(at), len++)
            if (!mb_utf8(at))
                MB_FAIL(err, MB_E_FORMAT, "%s: text %d is not UTF-8; expected UTF-8", z->f.path, k);
        *most = len > *most ? len : *most;
    }
    return MB_OK;
}

/* ndim 0: one text. */
static mb_status add_texts(mb_npz *z, const char *name, int32_t ndim, int32_t n,
                           const char *const *text, mb_err *err)
{
    const int64_t  shape[1] = {n};
    char           type[32];
    unsigned char *to, *end;
    size_t         most;
    body           b;

    MB_TRY(longest(z, n, text, &most, err));
    snprintf(type, sizeof type, "<U%zu", most);
    MB_TRY(make_file(z, type, ndim, shape, (size_t)n, 4 * most, &b, &to, err));
    for (int32_t k = 0; k < n; k++) {
        end = to + 4 * most;
        for (const char *at = text[k]; *at; at += mb_utf8(at))
            number(&to, 4, code_point(at, mb_utf8(at)));
        while (to < end)
            *to++ = 0;
    }
    return add(z, name, &b, err);
}

mb_status mb_npz_add_texts(mb_npz *z, const char *name, int32_t n, const char *const *text,
                           mb_err *err)
{
    return add_texts(z, name, 1, n, text, err);
}

mb_status mb_npz_add_text(mb_npz *z, const char *name, const char *text, mb_err *err)
{
    return add_texts(z, name, 0, 1, &text, err);
}

mb_status mb_npz_commit(mb_npz *z, mb_err *err)
{
    const uint64_t start = z->at;
    unsigned char  tail[END], *at = tail;

    for (int32_t k = 0; k < z->count; k++)
        MB_TRY(put_central(z, &z->list[k], err));
    number(&at, 4, 0x06054b50);
    number(&at, 4, 0);
    number(&at, 2, (uint64_t)z->count);
    number(&at, 2, (uint64_t)z->count);
    number(&at, 4, z->at - start);
    number(&at, 4, start);
    number(&at, 2, 0);
    MB_TRY(put(z, tail, sizeof tail, err));
    return mb_file_commit(&z->f, err);
}

void mb_npz_abort(mb_npz *z)
{
    if (z)
        mb_file_abort(&z->f);
}

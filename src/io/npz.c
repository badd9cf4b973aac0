/* npz.c - named arrays in one file, as numpy.load reads them: a zip archive of NPY files, stored as
 * they are, dated 1980-01-01. */
#include "io/parse.h"

#include <string.h>

enum { LOCAL = 30, CENTRAL = 46, END = 22, MOST_ARRAYS = 65534, LONGEST_NAME = 200 };
#define MOST_BYTES UINT64_C(0xfffffffe) /* of an archive without the zip64 extension */

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

mb_status mb_npz_add(mb_npz *z, const char *name, int32_t ndim, const int64_t *shape,
                     const double *x, mb_err *err)
{
    member m = {.offset = z->at};

    if (ndim < 0 || ndim > 3)
        MB_FAIL(err, MB_E_ARG, "%s: got %d dimensions; expected 0 to 3", z->f.path, ndim);
    MB_TRY(make_name(z, name, &m.name, err));
    if (z->count == z->cap)
        MB_TRY(more_room(z, err));
    MB_TRY(mb_npy_put_(weigh, &m, ndim, shape, x, err));
    /* Leaves room for the directory, which repeats every name. */
    if (z->count >= MOST_ARRAYS || z->at + m.size + (uint64_t)(z->count + 2) * 512 > MOST_BYTES)
        MB_FAIL(err, MB_E_NOSUP, "%s: more than 4 GiB or %d arrays", z->f.path, MOST_ARRAYS);
    MB_TRY(put_local(z, &m, err));
    MB_TRY(mb_npy_put_(put, z, ndim, shape, x, err));
    z->list[z->count++] = m;
    return MB_OK;
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

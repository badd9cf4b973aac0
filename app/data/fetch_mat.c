/* fetch_mat.c - numeric matrices out of MATLAB files of version 5 (little endian). */
#include "data/fetch.h"

#include <string.h>

enum { HEADER = 128, TAG = 8, COMPRESSED = 15, MATRIX = 14, DOUBLE_CLASS = 6, LAST_CLASS = 15 };
static const size_t LIMIT = (size_t)1 << 28; /* bytes of an unpacked variable */

typedef struct span {
    const unsigned char *at;
    size_t               n;
} span;
/* One data element: its type and its bytes. */
typedef struct element {
    uint32_t type;
    span     data;
} element;

static uint64_t little(const unsigned char *at, int bytes)
{
    uint64_t x = 0;

    for (int b = bytes - 1; b >= 0; b--)
        x = x << 8 | at[b];
    return x;
}

/* Takes the next element off s; 0 when it does not fit. Up to 4 bytes may sit in the tag itself; others
 * are padded to 8, but for packed ones. */
static int take(span *s, element *e)
{
    uint32_t word, size;
    size_t   used;

    if (s->n < TAG)
        return 0;
    word = (uint32_t)little(s->at, 4);
    if (word >> 16) {
        *e = (element){word & 0xffff, {s->at + 4, word >> 16}};
        used = TAG;
        if (e->data.n > 4)
            return 0;
    } else {
        size = (uint32_t)little(s->at + 4, 4);
        if (size > s->n - TAG)
            return 0;
        *e = (element){word, {s->at + TAG, size}};
        used = TAG + (word == COMPRESSED ? size : ((size_t)size + 7) / 8 * 8);
    }
    used = used < s->n ? used : s->n;
    s->at += used;
    s->n -= used;
    return 1;
}

/* Bytes of a number of type 1..13, 0: no such. */
static int width_of(uint32_t type)
{
    static const int width[14] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};

    return type < 14 ? width[type] : 0;
}

static double number(uint32_t type, const unsigned char *at)
{
    const uint64_t bits = little(at, width_of(type));
    const uint32_t half = (uint32_t)bits;
    double         x;
    float          f;

    switch (type) {
    case 1:
        return (double)(int8_t)half;
    case 3:
        return (double)(int16_t)half;
    case 5:
        return (double)(int32_t)half;
    case 7:
        memcpy(&f, &half, sizeof f);
        return (double)f;
    case 9:
        memcpy(&x, &bits, sizeof x);
        return x;
    case 12:
        return (double)(int64_t)bits;
    default:
        return (double)bits;
    }
}

static int is_named(const element *e, const char *name)
{
    return e->data.n == strlen(name) && !memcmp(e->data.at, name, e->data.n);
}

/* A matrix element's parts: flags, dimensions, name, real part. 1 when it is the one; 0 when it is
 * another variable, or none of numbers. */
static int matrix(span s, const char *name, fetch_matrix *out, element *real)
{
    element flags, dims, title;

    if (!take(&s, &flags) || !take(&s, &dims) || !take(&s, &title) || !take(&s, real))
        return 0;
    if (flags.data.n < 1 || flags.data.at[0] < DOUBLE_CLASS || flags.data.at[0] > LAST_CLASS ||
        dims.data.n != 8 || !is_named(&title, name) || !width_of(real->type))
        return 0;
    out->rows = (int64_t)little(dims.data.at, 4);
    out->cols = (int64_t)little(dims.data.at + 4, 4);
    return out->rows > 0 && out->cols > 0 && out->rows <= (1 << 28) / out->cols &&
           real->data.n == (size_t)(out->rows * out->cols) * (size_t)width_of(real->type);
}

static mb_status numbers(mb_arena *a, const element *real, fetch_matrix *out, mb_err *err)
{
    const int    width = width_of(real->type);
    const size_t count = (size_t)(out->rows * out->cols);

    MB_NEW(out->x, a, count, err);
    for (size_t k = 0; k < count; k++)
        out->x[k] = number(real->type, real->data.at + k * (size_t)width);
    return MB_OK;
}

/* *found = 1 when a variable of this name was read. */
static mb_status find(mb_arena *a, const char *file, span s, const char *name, fetch_matrix *out,
                      int *found, mb_err *err)
{
    element e, real;

    for (*found = 0; !*found && take(&s, &e);) {
        span inner = e.data;

        if (e.type == COMPRESSED) {
            char *bytes;

            MB_TRY(fetch_inflate(a, file, (const char *)e.data.at, e.data.n, 0, LIMIT, &bytes,
                                 &inner.n, err));
            inner.at = (const unsigned char *)bytes;
            if (!take(&inner, &e))
                continue;
            inner = e.data;
        }
        *found = e.type == MATRIX && matrix(inner, name, out, &real);
    }
    return *found ? numbers(a, &real, out, err) : MB_OK;
}

mb_status fetch_mat(mb_arena *a, const char *file, const char *bytes, size_t n,
                    const char *const *names, fetch_matrix *out, mb_err *err)
{
    const span s = {(const unsigned char *)bytes, n};

    if (n < HEADER || memcmp(bytes, "MATLAB 5.0", 10) != 0 || memcmp(bytes + 126, "IM", 2) != 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: not a MATLAB file of version 5, little endian", file);
    for (int k = 0; names[k]; k++) {
        int found;

        MB_TRY(find(a, file, (span){s.at + HEADER, s.n - HEADER}, names[k], out, &found, err));
        if (found)
            return MB_OK;
    }
    MB_FAIL(err, MB_E_FORMAT, "%s: no numeric matrix named %s%s%s", file, names[0],
            names[1] ? " or " : "", names[1] ? names[1] : "");
}

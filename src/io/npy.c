/* npy.c - NumPy's array files: float32 or float64, little endian, C order, 1 to 3 dimensions. */
#include "io/parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAGIC = 6, ALIGN = 64, HEADER_MAX = 192, CHUNK = 2048 };

static const char magic[] = "\x93NUMPY";

/* The header's dictionary as it is read. at runs over a copy that ends in 0. */
typedef struct header {
    const char *at, *file;
    int32_t     width; /* bytes a number: 4 or 8; 0 not seen */
    int32_t     has_order, has_shape, ndim;
    int64_t     shape[3];
} header;

static void skip_blanks(header *h)
{
    while (*h->at == ' ' || *h->at == '\t' || *h->at == '\n')
        h->at++;
}

/* Steps over one character if it is there. */
static int take(header *h, char c)
{
    skip_blanks(h);
    if (*h->at != c)
        return 0;
    h->at++;
    return 1;
}

static mb_status broken(const header *h, const char *wanted, mb_err *err)
{
    MB_FAIL(err, MB_E_FORMAT, "%s: the NPY header has \"%.30s\" where %s is expected", h->file,
            h->at, wanted);
}

/* A quoted word, cut at cap - 1 bytes. */
static mb_status take_word(header *h, char *word, size_t cap, mb_err *err)
{
    const char *end;
    char        quote;
    size_t      len;

    skip_blanks(h);
    quote = *h->at;
    end = quote == '\'' || quote == '"' ? strchr(h->at + 1, quote) : NULL;
    if (!end)
        return broken(h, "a quoted word", err);
    len = (size_t)(end - h->at) - 1;
    len = len < cap ? len : cap - 1;
    memcpy(word, h->at + 1, len);
    word[len] = 0;
    h->at = end + 1;
    return MB_OK;
}

static mb_status take_descr(header *h, mb_err *err)
{
    char word[24] = "";

    if (*h->at != '[')
        MB_TRY(take_word(h, word, sizeof word, err));
    if (!strcmp(word, "<f8") || !strcmp(word, "f8"))
        h->width = 8;
    else if (!strcmp(word, "<f4") || !strcmp(word, "f4"))
        h->width = 4;
    else
        MB_FAIL(err, MB_E_FORMAT,
                "%s: dtype '%s' is not supported, accepted: float32 ('<f4') or float64 ('<f8')",
                h->file, *word ? word : "structured");
    return MB_OK;
}

static mb_status take_order(header *h, mb_err *err)
{
    if (!strncmp(h->at, "True", 4))
        MB_FAIL(err, MB_E_FORMAT,
                "%s: Fortran order is not supported, accepted: C order (numpy.ascontiguousarray)",
                h->file);
    if (strncmp(h->at, "False", 5) != 0)
        return broken(h, "True or False", err);
    h->at += 5;
    h->has_order = 1;
    return MB_OK;
}

static mb_status take_length(header *h, int64_t *out, mb_err *err)
{
    char   digits[24];
    size_t len;

    skip_blanks(h);
    len = strspn(h->at, "0123456789");
    if (!len || len >= sizeof digits)
        return broken(h, "a length", err);
    memcpy(digits, h->at, len);
    digits[len] = 0;
    if (mb_parse_integer_(digits, out))
        return broken(h, "a length below 2^63", err);
    h->at += len;
    return MB_OK;
}

static mb_status take_shape(header *h, mb_err *err)
{
    if (!take(h, '('))
        return broken(h, "(", err);
    h->has_shape = 1;
    for (h->ndim = 0; !take(h, ')'); h->ndim++) {
        if (h->ndim == 3)
            MB_FAIL(err, MB_E_FORMAT, "%s: more than 3 dimensions, accepted: 1 to 3", h->file);
        MB_TRY(take_length(h, &h->shape[h->ndim], err));
        if (take(h, ','))
            continue;
        if (h->ndim == 0 || *h->at != ')')
            return broken(h, ",", err);
    }
    if (!h->ndim)
        MB_FAIL(err, MB_E_FORMAT, "%s: no dimension (a single number), accepted: 1 to 3", h->file);
    return MB_OK;
}

static mb_status take_dictionary(header *h, mb_err *err)
{
    char key[24];

    if (!take(h, '{'))
        return broken(h, "{", err);
    while (!take(h, '}')) {
        MB_TRY(take_word(h, key, sizeof key, err));
        if (!take(h, ':'))
            return broken(h, ":", err);
        skip_blanks(h);
        if (!strcmp(key, "descr") && !h->width)
            MB_TRY(take_descr(h, err));
        else if (!strcmp(key, "fortran_order") && !h->has_order)
            MB_TRY(take_order(h, err));
        else if (!strcmp(key, "shape") && !h->has_shape)
            MB_TRY(take_shape(h, err));
        else
            MB_FAIL(err, MB_E_FORMAT,
                    "%s: NPY header key '%s', accepted: descr, fortran_order, shape, once each",
                    h->file, key);
        if (!take(h, ',') && *h->at != '}')
            return broken(h, ", or }", err);
    }
    skip_blanks(h);
    if (*h->at)
        return broken(h, "the end of the header", err);
    if (!h->width || !h->has_order || !h->has_shape)
        MB_FAIL(err, MB_E_FORMAT, "%s: the NPY header lacks descr, fortran_order or shape",
                h->file);
    return MB_OK;
}

/* Little-endian unsigned integer of `width` bytes. */
static uint64_t little(const char *bytes, int width)
{
    uint64_t x = 0;

    for (int b = width - 1; b >= 0; b--)
        x = x << 8 | (unsigned char)bytes[b];
    return x;
}

/* Finds the header's text (copied, ending in 0) and the offset of the numbers. */
static mb_status find_header(mb_arena *a, header *h, const char *bytes, size_t n, size_t *data,
                             mb_err *err)
{
    size_t lead, len;
    int    version;
    char  *text;

    if (n < MAGIC + 4 || memcmp(bytes, magic, MAGIC) != 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: not an NPY file (it does not begin with \\x93NUMPY)",
                h->file);
    version = (unsigned char)bytes[MAGIC];
    if (version < 1 || version > 3)
        MB_FAIL(err, MB_E_FORMAT, "%s: NPY version %d, accepted: 1 to 3", h->file, version);
    lead = version == 1 ? 10 : 12;
    len = n < lead ? 0 : (size_t)little(bytes + 8, (int)lead - 8);
    if (n < lead || len > n - lead)
        MB_FAIL(err, MB_E_FORMAT, "%s: the file ends within the NPY header (%zu bytes)", h->file,
                n);
    if (memchr(bytes + lead, 0, len))
        MB_FAIL(err, MB_E_FORMAT, "%s: a byte of value 0 in the NPY header", h->file);
    MB_NEW(text, a, len + 1, err);
    memcpy(text, bytes + lead, len);
    h->at = text;
    *data = lead + len;
    return MB_OK;
}

/* Product of the shape; the bytes of the file must be exactly those numbers. */
static mb_status count_numbers(const header *h, size_t bytes, size_t *count, mb_err *err)
{
    int64_t product = 1;

    for (int32_t k = 0; k < h->ndim; k++) {
        if (h->shape[k] && product > INT64_MAX / 8 / h->shape[k])
            MB_FAIL(err, MB_E_FORMAT, "%s: the shape has more numbers than memory can hold",
                    h->file);
        product *= h->shape[k];
    }
    *count = (size_t)product;
    if (bytes != *count * (size_t)h->width)
        MB_FAIL(err, MB_E_FORMAT, "%s: %zu bytes of numbers, accepted: %zu, as its shape says",
                h->file, bytes, *count * (size_t)h->width);
    return MB_OK;
}

static double number_at(const char *bytes, int32_t width)
{
    const uint64_t bits = little(bytes, width);
    const uint32_t half = (uint32_t)bits;
    double         x;
    float          f;

    if (width == 8) {
        memcpy(&x, &bits, 8);
        return x;
    }
    memcpy(&f, &half, 4);
    return (double)f;
}

mb_status mb_npy_parse_(mb_arena *a, const char *file, const char *bytes, size_t n, mb_npy *out,
                        mb_err *err)
{
    header h = {.file = file};
    size_t data = 0, count = 0;

    memset(out, 0, sizeof *out);
    MB_TRY(find_header(a, &h, bytes, n, &data, err));
    MB_TRY(take_dictionary(&h, err));
    MB_TRY(count_numbers(&h, n - data, &count, err));
    out->ndim = h.ndim;
    memcpy(out->shape, h.shape, sizeof out->shape);
    MB_NEW(out->x, a, count ? count : 1, err);
    for (size_t k = 0; k < count; k++)
        out->x[k] = number_at(bytes + data + k * (size_t)h.width, h.width);
    return MB_OK;
}

mb_status mb_npy_read(mb_arena *a, const char *file, mb_npy *out, mb_err *err)
{
    mb_arena *draft = mb_arena_new(1 << 16);
    char     *bytes;
    size_t    n;
    mb_status st;

    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its bytes", file);
    st = mb_file_read(draft, file, &bytes, &n, err);
    if (st >= 0)
        st = mb_npy_parse_(a, file, bytes, n, out, err);
    mb_arena_free(draft);
    return st;
}

int mb_is_npy_(const char *file)
{
    size_t len = strlen(file);

    return len >= 4 && !strcmp(file + len - 4, ".npy");
}

/* Version 1.0, padded with blanks so that the numbers begin at a multiple of 64. */
static size_t make_header(int32_t ndim, const int64_t *shape, char *out)
{
    size_t len = MAGIC + 4, full;

    memcpy(out, magic, MAGIC);
    memcpy(out + MAGIC, "\1\0", 2);
    len += (size_t)snprintf(out + len, HEADER_MAX - len,
                            "{'descr': '<f8', 'fortran_order': False, 'shape': (");
    for (int32_t k = 0; k < ndim; k++)
        len += (size_t)snprintf(out + len, HEADER_MAX - len, "%s%lld%s", k ? " " : "",
                                (long long)shape[k], k + 1 < ndim || ndim == 1 ? "," : "");
    len += (size_t)snprintf(out + len, HEADER_MAX - len, "), }");
    full = (len + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(out + len, ' ', full - len);
    out[full - 1] = '\n';
    out[8] = (char)((full - 10) & 255);
    out[9] = (char)((full - 10) >> 8);
    return full;
}

/* The numbers as little-endian bytes, chunk by chunk. */
static mb_status put_numbers(mb_file *f, size_t count, const double *x, mb_err *err)
{
    unsigned char chunk[CHUNK * 8];

    for (size_t k = 0; k < count;) {
        size_t m = count - k < CHUNK ? count - k : CHUNK;

        for (size_t j = 0; j < m; j++) {
            uint64_t bits;

            memcpy(&bits, &x[k + j], 8);
            for (int b = 0; b < 8; b++)
                chunk[8 * j + (size_t)b] = (unsigned char)(bits >> 8 * b);
        }
        MB_TRY(mb_file_write(f, chunk, m * 8, err));
        k += m;
    }
    return MB_OK;
}

mb_status mb_npy_write(mb_arena *a, const char *file, int32_t ndim, const int64_t *shape,
                       const double *x, mb_err *err)
{
    char      head[HEADER_MAX + ALIGN];
    mb_file   f = {0};
    size_t    count = 1;
    mb_status st;

    if (ndim < 1 || ndim > 3)
        MB_FAIL(err, MB_E_ARG, "%s: %d dimensions, accepted: 1 to 3", file, ndim);
    for (int32_t k = 0; k < ndim; k++)
        count *= (size_t)shape[k];
    MB_TRY(mb_file_open(a, file, &f, err));
    st = mb_file_write(&f, head, make_header(ndim, shape, head), err);
    if (st >= 0)
        st = put_numbers(&f, count, x, err);
    if (st >= 0)
        st = mb_file_commit(&f, err);
    mb_file_abort(&f);
    return st;
}

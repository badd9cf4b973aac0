/* npy_head.c - the header of NumPy's array files: what numbers follow, and in which shape. */
#include "base/text.h"
#include "data/parse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = MB_NPY_MAGIC_LEN_ };

/* The header's dictionary while it is read. `at` points into a copy that ends in 0. */
typedef struct header {
    const char   *at, *file;
    int           has_order;
    mb_npy_head_ *out; /* width, ndim: 0 before they are read */
} header;

static void skip_blanks(header *h)
{
    while (*h->at == ' ' || *h->at == '\t' || *h->at == '\n')
        h->at++;
}

/* Skips one character; 0 when it is not there. */
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

/* "<f8": byte order, kind, bytes; 0 when numbers of this type are not read. */
static int known_type(const char *word, mb_npy_head_ *out)
{
    static const char *const types[] = {"f2", "f4", "f8", "i1", "i2", "i4",
                                        "i8", "u1", "u2", "u4", "u8", "b1"};

    out->big = *word == '>';
    word += *word && strchr("<>|=", *word) != NULL;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (!strcmp(word, types[k])) {
            out->type = word[0];
            out->width = word[1] - '0';
        }
    return out->width;
}

static mb_status take_descr(header *h, mb_err *err)
{
    char word[24] = "";

    if (*h->at != '[')
        MB_TRY(take_word(h, word, sizeof word, err));
    if (!known_type(word, h->out))
        MB_FAIL(err, MB_E_FORMAT,
                "%s: dtype '%s' is not supported; expected numbers: float16, 32 or 64, int or uint "
                "8 to 64, or bool",
                h->file, *word ? word : "structured");
    return MB_OK;
}

static mb_status take_order(header *h, mb_err *err)
{
    h->out->fortran = !strncmp(h->at, "True", 4);
    if (!h->out->fortran && strncmp(h->at, "False", 5) != 0)
        return broken(h, "True or False", err);
    h->at += h->out->fortran ? 4 : 5;
    h->has_order = 1;
    return MB_OK;
}

static mb_status take_length(header *h, int64_t *out, mb_err *err)
{
    char *end;

    skip_blanks(h);
    if (*h->at < '0' || *h->at > '9')
        return broken(h, "a length", err);
    errno = 0;
    *out = strtoll(h->at, &end, 10);
    if (errno)
        return broken(h, "a length below 2^63", err);
    h->at = end;
    return MB_OK;
}

static mb_status take_shape(header *h, mb_err *err)
{
    int32_t ndim = 0;

    if (!take(h, '('))
        return broken(h, "(", err);
    for (; !take(h, ')'); ndim++) {
        if (ndim == 3)
            MB_FAIL(err, MB_E_FORMAT, "%s: more than 3 dimensions; expected 1 to 3", h->file);
        MB_TRY(take_length(h, &h->out->shape[ndim], err));
        if (take(h, ','))
            continue;
        if (ndim == 0 || *h->at != ')')
            return broken(h, ",", err);
    }
    if (!ndim)
        MB_FAIL(err, MB_E_FORMAT, "%s: no dimension (a single number); expected 1 to 3", h->file);
    h->out->ndim = ndim;
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
        if (!strcmp(key, "descr") && !h->out->width)
            MB_TRY(take_descr(h, err));
        else if (!strcmp(key, "fortran_order") && !h->has_order)
            MB_TRY(take_order(h, err));
        else if (!strcmp(key, "shape") && !h->out->ndim)
            MB_TRY(take_shape(h, err));
        else
            MB_FAIL(err, MB_E_FORMAT,
                    "%s: got NPY header key '%s'; expected descr, fortran_order, shape, once each",
                    h->file, key);
        if (!take(h, ',') && *h->at != '}')
            return broken(h, ", or }", err);
    }
    skip_blanks(h);
    if (*h->at)
        return broken(h, "the end of the header", err);
    if (!h->out->width || !h->has_order || !h->out->ndim)
        MB_FAIL(err, MB_E_FORMAT, "%s: the NPY header lacks descr, fortran_order or shape",
                h->file);
    return MB_OK;
}

static mb_status cut(const char *file, size_t n, mb_err *err)
{
    MB_FAIL(err, MB_E_FORMAT, "%s: the file ends within the NPY header (%zu bytes)", file, n);
}

mb_status mb_npy_lead_(const char *file, const char *bytes, size_t n, size_t *size, mb_err *err)
{
    enum { MAX_HEADER = 1 << 20 };
    size_t lead, len;
    int    version;

    if (n < MAGIC + 4 || memcmp(bytes, MB_NPY_MAGIC_, MAGIC) != 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: not an NPY file (it does not begin with \\x93NUMPY)", file);
    version = (unsigned char)bytes[MAGIC];
    if (version < 1 || version > 3)
        MB_FAIL(err, MB_E_FORMAT, "%s: got NPY version %d; expected 1 to 3", file, version);
    lead = version == 1 ? 10 : 12;
    if (n < lead)
        return cut(file, n, err);
    len = (size_t)mb_npy_little_(bytes + 8, (int)lead - 8);
    if (len > MAX_HEADER)
        MB_FAIL(err, MB_E_FORMAT, "%s: got an NPY header of %zu bytes; expected up to %d", file,
                len, MAX_HEADER);
    *size = lead + len;
    return MB_OK;
}

static mb_status count_numbers(const char *file, mb_npy_head_ *h, mb_err *err)
{
    int64_t product = 1;

    for (int32_t k = 0; k < h->ndim; k++) {
        if (h->shape[k] && product > INT64_MAX / 8 / h->shape[k])
            MB_FAIL(err, MB_E_FORMAT, "%s: the shape has more numbers than memory can hold", file);
        product *= h->shape[k];
    }
    h->count = (size_t)product;
    return MB_OK;
}

mb_status mb_npy_head_read_(mb_arena *a, const char *file, const char *bytes, size_t n,
                            mb_npy_head_ *out, mb_err *err)
{
    const size_t lead = n > MAGIC && bytes[MAGIC] == 1 ? 10 : 12;
    header       h = {.file = file, .out = out};

    *out = (mb_npy_head_){.size = 0};
    MB_TRY(mb_npy_lead_(file, bytes, n, &out->size, err));
    if (n < out->size)
        return cut(file, n, err);
    if (memchr(bytes + lead, 0, out->size - lead))
        MB_FAIL(err, MB_E_FORMAT, "%s: a byte of value 0 in the NPY header", file);
    h.at = mb_text(a, err, "%.*s", (int)(out->size - lead), bytes + lead);
    if (!h.at)
        return MB_E_NOMEM;
    MB_TRY(take_dictionary(&h, err));
    return count_numbers(file, out, err);
}

mb_status mb_npy_exact_(const char *file, const mb_npy_head_ *h, size_t bytes, mb_err *err)
{
    if (bytes != h->count * (size_t)h->width)
        MB_FAIL(err, MB_E_FORMAT, "%s: got %zu bytes of numbers; expected %zu, as its shape says",
                file, bytes, h->count * (size_t)h->width);
    return MB_OK;
}

mb_status mb_npy_shape_(const char *file, int32_t ndim, const int64_t *shape, int64_t *n,
                        int32_t *d, mb_err *err)
{
    const int64_t cols = shape[1];

    if (ndim != 2)
        MB_FAIL(err, MB_E_SHAPE, "%s: got %d dimension%s; expected rows x columns%s", file, ndim,
                ndim > 1 ? "s" : "", ndim > 1 ? "" : " (numpy: x.reshape(-1, 1))");
    if (shape[0] < 1 || cols < 1 || cols > INT32_MAX)
        MB_FAIL(err, MB_E_SHAPE, "%s: got %lld x %lld; expected at least one row and one column",
                file, (long long)shape[0], (long long)cols);
    *n = shape[0];
    *d = (int32_t)cols;
    return MB_OK;
}

mb_status mb_npy_no_value_(const char *file, int64_t row, int64_t col, double x, mb_err *err)
{
    if (isfinite(x))
        MB_FAIL(err, MB_E_FORMAT,
                "%s: row %lld, column %lld: %g is too large; expected numbers up to %g in "
                "magnitude",
                file, (long long)row + 1, (long long)col + 1, x, MB_VALUE_MAX);
    MB_FAIL(err, MB_E_FORMAT, "%s: row %lld, column %lld: %g is not a finite number", file,
            (long long)row + 1, (long long)col + 1, x);
}

/* npy.c - NumPy's array files of 1 to 3 dimensions, read whole and written. */
#include "data/parse.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAGIC = MB_NPY_MAGIC_LEN_, ALIGN = 64, CHUNK = 2048 };
enum { HEADER_MAX = MB_NPY_HEADER_MAX_ - ALIGN };
static const char REAL[] = "<f8";

/* Columns first (Fortran order) to rows first. */
static void by_rows(const mb_npy_head_ *h, const double *from, double *to)
{
    const size_t n = (size_t)h->shape[0], m = h->ndim > 1 ? (size_t)h->shape[1] : 1;
    const size_t l = h->ndim > 2 ? (size_t)h->shape[2] : 1;

    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
            for (size_t k = 0; k < l; k++)
                *to++ = from[i + n * (j + m * k)];
}

mb_status mb_npy_parse_(mb_arena *a, const char *file, const char *bytes, size_t n, mb_npy *out,
                        mb_err *err)
{
    mb_npy_head_ h;

    memset(out, 0, sizeof *out);
    MB_TRY(mb_npy_head_read_(a, file, bytes, n, &h, err));
    MB_TRY(mb_npy_exact_(file, &h, n - h.size, err));
    out->ndim = h.ndim;
    memcpy(out->shape, h.shape, sizeof out->shape);
    MB_NEW(out->x, a, h.count ? h.count : 1, err);
    mb_npy_numbers_(&h, bytes + h.size, h.count, out->x);
    if (h.fortran && h.ndim > 1) {
        const double *columns = out->x;

        MB_NEW(out->x, a, h.count ? h.count : 1, err);
        by_rows(&h, columns, out->x);
    }
    return MB_OK;
}

mb_status mb_npy_read(mb_arena *a, const char *file, mb_npy *out, mb_err *err)
{
    char  *bytes;
    size_t n;

    MB_TRY(mb_file_read(a, file, &bytes, &n, err));
    return mb_npy_parse_(a, file, bytes, n, out, err);
}

size_t mb_npy_header_(const char *type, int32_t ndim, const int64_t *shape, char *out)
{
    size_t len = MAGIC + 4, full;

    memcpy(out, MB_NPY_MAGIC_, MAGIC);
    memcpy(out + MAGIC, "\1\0", 2);
    len += (size_t)snprintf(out + len, HEADER_MAX - len,
                            "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
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
static mb_status put_numbers(mb_npy_sink_ sink, void *to, size_t count, const double *x,
                             mb_err *err)
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
        MB_TRY(sink(to, chunk, m * 8, err));
        k += m;
    }
    return MB_OK;
}

static size_t product(int32_t ndim, const int64_t *shape)
{
    size_t count = 1;

    for (int32_t k = 0; k < ndim; k++)
        count *= (size_t)shape[k];
    return count;
}

mb_status mb_npy_put_(mb_npy_sink_ sink, void *to, int32_t ndim, const int64_t *shape,
                      const double *x, mb_err *err)
{
    char head[MB_NPY_HEADER_MAX_];

    MB_TRY(sink(to, head, mb_npy_header_(REAL, ndim, shape, head), err));
    return put_numbers(sink, to, product(ndim, shape), x, err);
}

static mb_status to_file(void *to, const void *bytes, size_t n, mb_err *err)
{
    return mb_file_write(to, bytes, n, err);
}

static mb_status put_head(mb_file *f, int32_t ndim, int32_t most, const int64_t *shape, mb_err *err)
{
    char head[MB_NPY_HEADER_MAX_];

    if (ndim < 1 || ndim > most)
        MB_FAIL(err, MB_E_ARG, "%s: got %d dimensions; expected 1 to %d", f->path, ndim, most);
    return mb_file_write(f, head, mb_npy_header_(REAL, ndim, shape, head), err);
}

mb_status mb_npy_begin(mb_file *f, int32_t ndim, const int64_t *shape, mb_err *err)
{
    return put_head(f, ndim, 3, shape, err);
}

mb_status mb_npy_put(mb_file *f, size_t count, const double *x, mb_err *err)
{
    return put_numbers(to_file, f, count, x, err);
}

/* The header of 1 or 2 dimensions is 128 bytes long, whatever its numbers are. */
mb_status mb_npy_end(mb_file *f, int32_t ndim, const int64_t *shape, mb_err *err)
{
    if (!f->temp || f->gzip)
        MB_FAIL(err, MB_E_NOSUP,
                "%s: the head of NPY must say how many rows follow; expected a file that is not "
                "packed, or CSV",
                f->path);
    if (fseek(f->fp, 0, SEEK_SET) != 0)
        return mb_io_failed_(f->path, "write", errno, err);
    return put_head(f, ndim, 2, shape, err);
}

mb_status mb_npy_write(mb_arena *a, const char *file, int32_t ndim, const int64_t *shape,
                       const double *x, mb_err *err)
{
    mb_file   f;
    mb_status st;

    MB_TRY(mb_file_open(a, file, &f, err));
    st = mb_npy_begin(&f, ndim, shape, err);
    if (st >= 0)
        st = mb_npy_put(&f, product(ndim, shape), x, err);
    return mb_file_close(&f, st, err);
}

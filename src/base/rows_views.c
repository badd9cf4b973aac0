/* rows_views.c - rows where the caller has them: numbers of any type and strides, and columns in two
 * places. Nothing is copied; each number is made a double when it is read. */
#include "base/rows.h"

#include <string.h>

typedef struct strided {
    mb_stored   stored; /* first; borrowed by views */
    const char *x;
    mb_number   type;
    int32_t     d;
    int64_t     row, column; /* bytes to the next one */
} strided;

#define READ(type)                                                                                 \
    for (; n > 0; n--, from += step, out += out_step) {                                            \
        type x;                                                                                    \
        memcpy(&x, from, sizeof x);                                                                \
        *out = (double)x;                                                                          \
    }
/* n numbers that are `step` bytes apart, and `out_step` doubles apart in out. */
static void read_numbers(mb_number type, const char *from, int64_t step, int64_t n, double *out,
                         size_t out_step)
{
    switch (type) {
    case MB_NUMBER_F8:
        READ(double)
        return;
    case MB_NUMBER_F4:
        READ(float)
        return;
    case MB_NUMBER_I8:
        READ(int64_t)
        return;
    case MB_NUMBER_I4:
        READ(int32_t)
        return;
    case MB_NUMBER_U1:
        READ(uint8_t)
        return;
    }
}

static double at(const mb_stored *s, int64_t j, int32_t d)
{
    const strided *v = (const strided *)(const void *)s;
    double         x = 0;

    read_numbers(v->type, v->x + j * v->row + d * v->column, 0, 1, &x, 1);
    return x;
}

/* In the order of memory. */
static void take(const mb_stored *s, int64_t j, int64_t n, double *out)
{
    const strided *v = (const strided *)(const void *)s;
    const char    *from = v->x + j * v->row;
    const size_t   d = (size_t)v->d;

    if ((v->row < 0 ? -v->row : v->row) < (v->column < 0 ? -v->column : v->column))
        for (int32_t k = 0; k < v->d; k++)
            read_numbers(v->type, from + k * v->column, v->row, n, out + k, d);
    else
        for (int64_t r = 0; r < n; r++)
            read_numbers(v->type, from + r * v->row, v->column, v->d, out + (size_t)r * d, 1);
}

/* Doubles or floats of `width` bytes, rows one after the other, as mb_rows has them without more: *ld. */
static int is_plain(const void *x, int64_t width, int64_t n, int32_t d, int64_t row, int64_t column,
                    size_t *ld)
{
    const int64_t step = n < 2 ? d * width : row;

    *ld = (size_t)(step / width);
    return (d < 2 || column == width) && step >= d * width && step % width == 0 &&
           (uintptr_t)x % (uintptr_t)width == 0;
}

mb_status mb_rows_strided(mb_arena *a, const void *x, mb_number type, int64_t n, int32_t d,
                          int64_t row_step, int64_t column_step, mb_rows *out, mb_err *err)
{
    strided *v;
    size_t   ld;

    if (n < 0 || d < 1)
        MB_FAIL(err, MB_E_SHAPE, "rows: got %lld of %d columns; expected columns", (long long)n, d);
    if ((!x && n) || (int)type < 0 || type > MB_NUMBER_U1)
        MB_FAIL(err, MB_E_ARG, "rows: got numbers of type %d at %s; expected an address and a type",
                (int)type, x ? "an address" : "NULL");
    *out = (mb_rows){.n = n, .d = d};
    if (type == MB_NUMBER_F8 && is_plain(x, sizeof(double), n, d, row_step, column_step, &ld)) {
        out->x = x;
        out->ld = ld;
        return MB_OK;
    }
    if (type == MB_NUMBER_F4 && is_plain(x, sizeof(float), n, d, row_step, column_step, &ld)) {
        out->x32 = x;
        out->ld = ld;
        return MB_OK;
    }
    if (!MB_STORED_(1))
        MB_FAIL(err, MB_E_NOSUP, "rows: got other numbers than doubles and floats in C order");
    MB_NEW(v, a, 1, err);
    *v = (strided){{at, take}, x, type, d, row_step, column_step};
    out->stored = &v->stored;
    return MB_OK;
}

typedef struct hstack {
    mb_stored stored;      /* first; borrowed by views */
    mb_rows   left, right; /* as they are              */
} hstack;

static double hstack_at(const mb_stored *s, int64_t j, int32_t d)
{
    const hstack *v = (const hstack *)(const void *)s;
    const int32_t D = v->left.d;

    return d < D ? mb_rows_at(&v->left, j, d) : mb_rows_at(&v->right, j, d - D);
}

/* The left rows go to the end of out, from where they move to their places; each is
 * read before anything is written there. */
static void hstack_take(const mb_stored *s, int64_t j, int64_t n, double *out)
{
    const hstack *v = (const hstack *)(const void *)s;
    const size_t  left = (size_t)v->left.d;
    double       *from = out + n * v->right.d;

    mb_rows_take(&v->left, j, n, from);
    for (const int64_t end = j + n; j < end; j++, from += left) {
        memmove(out, from, left * sizeof *out);
        out += left;
        for (int32_t k = 0; k < v->right.d; k++)
            *out++ = mb_rows_at(&v->right, j, k);
    }
}

mb_status mb_rows_hstack(mb_arena *a, const mb_rows *left, const mb_rows *right, mb_rows *out,
                         mb_err *err)
{
    hstack *v;

    if (left->n != right->n)
        MB_FAIL(err, MB_E_SHAPE, "rows side by side: got %lld and %lld; expected as many",
                (long long)left->n, (long long)right->n);
    if (left->d > INT32_MAX - right->d)
        MB_FAIL(err, MB_E_SHAPE, "rows side by side: got %d and %d columns; expected at most %d",
                left->d, right->d, INT32_MAX);
    if (!MB_STORED_(1))
        MB_FAIL(err, MB_E_NOSUP, "rows side by side: got two arrays; expected one");
    MB_NEW(v, a, 1, err);
    *v = (hstack){{hstack_at, hstack_take}, *left, *right};
    *out = *left;
    out->x = NULL;
    out->x32 = NULL;
    out->stored = &v->stored;
    out->skip = 0;
    out->d += right->d;
    out->gaps |= right->gaps;
    out->sums = NULL;
    return MB_OK;
}

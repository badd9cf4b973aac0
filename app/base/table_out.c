/* table_out.c - rows of numbers into CSV or NPY, in constant memory. */
#include "base/table_out.h"

#include <string.h>

enum { CELL = 26 }; /* "-1.2345678901234567e-308," and more */

static int ends_with(const char *text, const char *tail)
{
    const size_t n = strlen(text), m = strlen(tail);

    return n >= m && !strcmp(text + n - m, tail);
}

int table_is_npy(const char *path)
{
    return ends_with(path, ".npy") || ends_with(path, ".npy.gz");
}

/* A name with a comma, a quote or a line end is quoted, its quotes doubled (RFC 4180). */
static mb_status put_name(mb_file *f, const char *name, mb_err *err)
{
    if (!strpbrk(name, ",\"\r\n"))
        return mb_file_write(f, name, strlen(name), err);
    MB_TRY(mb_file_write(f, "\"", 1, err));
    for (const char *c = name; *c; c++)
        MB_TRY(mb_file_write(f, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1, err));
    return mb_file_write(f, "\"", 1, err);
}

static mb_status header(table_out *t, const char *const *name, mb_err *err)
{
    for (int32_t d = 0; d < t->columns; d++) {
        if (d)
            MB_TRY(mb_file_write(&t->file, ",", 1, err));
        MB_TRY(put_name(&t->file, name[d], err));
    }
    return mb_file_write(&t->file, "\n", 1, err);
}

/* Rows that are counted: a place that can not be patched is refused now, not at the end. */
static mb_status begin_npy(table_out *t, mb_err *err)
{
    int64_t none[3] = {0, t->ndim > 1 ? t->shape[1] : 0, 0};

    if (t->shape[0] >= 0)
        return mb_npy_begin(&t->file, t->ndim, t->shape, err);
    MB_TRY(mb_npy_begin(&t->file, t->ndim, none, err));
    return mb_npy_end(&t->file, t->ndim, none, err);
}

mb_status table_out_open(mb_arena *a, const char *path, int32_t columns, const char *const *name,
                         int32_t ndim, const int64_t *shape, table_out *out, mb_err *err)
{
    mb_status st;

    *out = (table_out){.npy = table_is_npy(path), .columns = columns, .ndim = ndim};
    memcpy(out->shape, shape, (size_t)ndim * sizeof *shape);
    MB_NEW(out->line, a, (size_t)columns * CELL, err);
    MB_TRY(mb_file_open(a, path, &out->file, err));
    st = out->npy ? begin_npy(out, err) : header(out, name, err);
    if (st < 0)
        mb_file_abort(&out->file);
    return st;
}

mb_status table_out_put(table_out *t, int64_t n, const double *x, mb_err *err)
{
    t->rows += n;
    if (t->npy)
        return mb_npy_put(&t->file, (size_t)n * (size_t)t->columns, x, err);
    for (int64_t r = 0; r < n; r++) {
        size_t len = 0;

        for (int32_t d = 0; d < t->columns; d++)
            len += (size_t)snprintf(t->line + len, CELL, "%.17g%c", *x++,
                                    d + 1 < t->columns ? ',' : '\n');
        MB_TRY(mb_file_write(&t->file, t->line, len, err));
    }
    return MB_OK;
}

mb_status table_out_close(table_out *t, mb_status st, mb_err *err)
{
    if (st >= 0 && t->npy && t->shape[0] < 0) {
        t->shape[0] = t->rows;
        st = mb_npy_end(&t->file, t->ndim, t->shape, err);
    }
    if (st >= 0)
        st = mb_file_commit(&t->file, err);
    mb_file_abort(&t->file);
    return st;
}

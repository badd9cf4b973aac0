/* matrix.c - a plain matrix of finite numbers from CSV or NPY. */
#include "io/npy.h"
#include "io/parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

mb_status mb_npy_shape_(const char *file, int32_t ndim, const int64_t *shape, int64_t *n,
                        int32_t *d, mb_err *err)
{
    const int64_t cols = shape[1];

    if (ndim != 2)
        MB_FAIL(err, MB_E_SHAPE, "%s: %d dimension%s, accepted: rows x columns%s", file, ndim,
                ndim > 1 ? "s" : "", ndim > 1 ? "" : " (numpy: x.reshape(-1, 1))");
    if (shape[0] < 1 || cols < 1 || cols > INT32_MAX)
        MB_FAIL(err, MB_E_SHAPE, "%s: %lld x %lld, accepted: at least one row and one column", file,
                (long long)shape[0], (long long)cols);
    *n = shape[0];
    *d = (int32_t)cols;
    return MB_OK;
}

mb_status mb_npy_no_value_(const char *file, int64_t row, int64_t col, double x, mb_err *err)
{
    if (isfinite(x))
        MB_FAIL(err, MB_E_FORMAT,
                "%s: row %lld, column %lld: %g is too large, accepted: numbers up to %g in "
                "magnitude",
                file, (long long)row + 1, (long long)col + 1, x, MB_VALUE_MAX);
    MB_FAIL(err, MB_E_FORMAT, "%s: row %lld, column %lld: %g is not a finite number", file,
            (long long)row + 1, (long long)col + 1, x);
}

mb_status mb_npy_matrix_(const mb_npy *npy, const char *file, int64_t *n, int32_t *d, mb_err *err)
{
    MB_TRY(mb_npy_shape_(file, npy->ndim, npy->shape, n, d, err));
    for (int64_t k = 0; k < *n * *d; k++)
        if (!mb_npy_is_value_(npy->x[k]))
            return mb_npy_no_value_(file, k / *d, k % *d, npy->x[k], err);
    return MB_OK;
}

mb_status mb_no_rows_(const char *file, mb_err *err)
{
    MB_FAIL(err, MB_E_FORMAT, "%s: no rows below the header line", file);
}

static mb_status from_csv(mb_arena *a, mb_arena *draft, const char *file, mb_matrix *out,
                          mb_err *err)
{
    mb_csv csv;

    MB_TRY(mb_csv_read(draft, file, &csv, err));
    if (!csv.rows)
        return mb_no_rows_(file, err);
    out->n = csv.rows;
    out->d = csv.cols;
    MB_TRY(mb_texts_copy_(a, csv.cols, csv.name, &out->name, err));
    MB_NEW(out->x, a, (size_t)csv.rows * (size_t)csv.cols, err);
    for (int64_t r = 0; r < csv.rows; r++)
        for (int32_t c = 0; c < csv.cols; c++)
            MB_TRY(mb_csv_bounded(&csv, r, c, MB_VALUE_MAX, &out->x[r * csv.cols + c], err));
    return MB_OK;
}

mb_status mb_matrix_read(mb_arena *a, const char *file, mb_matrix *out, mb_err *err)
{
    mb_arena *draft;
    mb_npy    npy;
    mb_status st;

    memset(out, 0, sizeof *out);
    if (mb_path_ends(file, ".npy")) {
        MB_TRY(mb_npy_read(a, file, &npy, err));
        out->x = npy.x;
        return mb_npy_matrix_(&npy, file, &out->n, &out->d, err);
    }
    draft = mb_arena_new(1 << 16);
    if (!draft)
        MB_FAIL(err, MB_E_NOMEM, "%s: out of memory for its cells", file);
    st = from_csv(a, draft, file, out, err);
    mb_arena_free(draft);
    return st;
}

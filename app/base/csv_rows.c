/* csv_rows.c - rows of known columns from a table of texts. */
#include "base/csv_rows.h"

#include <math.h>

/* A column of a table of texts, of this kind (NULL: numbers), one number each `ld`. */
static mb_status of_kind(const mb_csv *csv, const char *name, const mb_column *kind, int gaps,
                         size_t ld, double *x, mb_err *err)
{
    const mb_column number = {.kind = MB_COLUMN_NUMBER};
    const int32_t   at = mb_csv_find(csv, name);

    if (at < 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: no column \"%s\"", csv->file, name);
    for (int64_t i = 0; i < csv->rows; i++, x += ld) {
        *x = (double)NAN;
        if (!gaps || !mb_cell_missing(csv->cell[i * csv->cols + at]))
            MB_TRY(mb_csv_cell(csv, i, at, kind ? kind : &number, x, err));
    }
    return MB_OK;
}

/* The column of weights. */
static mb_status weights(const mb_csv *csv, const char *name, double *x, mb_err *err)
{
    const int32_t at = mb_csv_find(csv, name);

    if (at < 0)
        MB_FAIL(err, MB_E_FORMAT, "%s: no column \"%s\"", csv->file, name);
    for (int64_t i = 0; i < csv->rows; i++, x++) {
        MB_TRY(mb_csv_bounded(csv, i, at, MB_WEIGHT_MAX, x, err));
        if (*x < 0)
            MB_FAIL(err, MB_E_FORMAT, "%s:%lld: column \"%s\": got %g; expected 0 or more",
                    csv->file, (long long)csv->line[i], name, *x);
    }
    return MB_OK;
}

mb_status csv_rows(mb_arena *a, const mb_csv *csv, const csv_want *want, mb_rows *out, mb_err *err)
{
    const size_t D = (size_t)want->columns;
    double      *x, *w = NULL;

    MB_NEW(x, a, (size_t)csv->rows * D + 1, err);
    for (size_t d = 0; d < D; d++)
        MB_TRY(of_kind(csv, want->name[d], want->kinds ? &want->kinds->of[d] : NULL, want->gaps, D,
                       x + d, err));
    if (want->weight) {
        MB_NEW(w, a, csv->rows + 1, err);
        MB_TRY(weights(csv, want->weight, w, err));
    }
    *out =
        (mb_rows){.x = x, .w = w, .n = csv->rows, .d = want->columns, .ld = D, .gaps = want->gaps};
    return MB_OK;
}

/* csv_rows.c - rows of known columns from a table of texts. */
#include "base/csv_rows.h"
#include "base/columns.h"
#include "base/rows.h"
#include "formula/design.h"

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
    return design_rows(a, want, out, err);
}

/* Words were read as codes; numbers that were sent may be others. */
static mb_status check_codes(const mb_design *g, const mb_rows *rows, int64_t j, mb_err *err)
{
    for (int32_t k = 0; k < g->columns; k++) {
        const double x = mb_rows_at(rows, j, k);
        const char  *expected = mb_column_refuses(&g->kind[k], x);

        if (expected)
            MB_FAIL(err, MB_E_FORMAT, "column \"%.60s\": got %g; expected %s", g->column[k], x,
                    expected);
    }
    return MB_OK;
}

/* A row of the design. */
static mb_status check_made(const csv_want *want, const double *x, mb_err *err)
{
    const mb_design *g = want->design;

    for (int32_t k = 0; k < g->D; k++) {
        const char *expected = want->made ? mb_column_refuses(&want->made->of[k], x[k]) : NULL;

        if (expected)
            MB_FAIL(err, MB_E_FORMAT, "column \"%.60s\": got %.9g; expected %s", g->name[k], x[k],
                    expected);
        if (!isfinite(x[k]))
            MB_FAIL(err, MB_E_FORMAT, "%.60s is %g; expected a finite number", g->name[k], x[k]);
    }
    return MB_OK;
}

mb_status design_rows(mb_arena *a, const csv_want *want, mb_rows *rows, mb_err *err)
{
    const mb_design *g = want->design;
    mb_rows          laid;
    double          *x;
    size_t           d;

    if (!g)
        return MB_OK;
    MB_TRY(mb_design_rows(a, g, rows, NULL, rows->d - g->columns, &laid, err));
    d = (size_t)laid.d;
    MB_NEW(x, a, (size_t)rows->n * d + 1, err);
    for (int64_t j = 0; j < rows->n; j++) {
        MB_TRY(check_codes(g, rows, j, err));
        mb_rows_take(&laid, j, 1, x + (size_t)j * d);
        MB_TRY(check_made(want, x + (size_t)j * d, err));
    }
    rows->x = x;
    rows->d = laid.d;
    rows->ld = d;
    return MB_OK;
}

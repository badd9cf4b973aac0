/* bounds.c - the stated ends of columns: CSV of column, low, high. */
#include "data/parse.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static mb_status take(const mb_csv *c, int64_t row, const int32_t *at, int32_t d,
                      const char *const *name, double *low, double *high, mb_err *err)
{
    const char *column = c->cell[row * c->cols + at[0]];
    const int   line = (int)c->line[row];
    int32_t     k = 0;

    while (k < d && strcmp(name[k], column) != 0)
        k++;
    if (k == d)
        MB_FAIL(err, MB_E_FORMAT, "%s:%d: got column \"%s\"; expected one of the rows: %s .. %s",
                c->file, line, column, name[0], name[d - 1]);
    if (!isnan(low[k]))
        MB_FAIL(err, MB_E_FORMAT, "%s:%d: column \"%s\" is there twice", c->file, line, column);
    MB_TRY(mb_csv_bounded(c, row, at[1], MB_VALUE_MAX, &low[k], err));
    MB_TRY(mb_csv_bounded(c, row, at[2], MB_VALUE_MAX, &high[k], err));
    if (!(low[k] < high[k]))
        MB_FAIL(err, MB_E_FORMAT,
                "%s:%d: column \"%s\": got low %g and high %g; expected low below high", c->file,
                line, column, low[k], high[k]);
    return MB_OK;
}

mb_status mb_bounds_columns(mb_arena *a, const char *file, int32_t *d, const char *const **name,
                            mb_err *err)
{
    const char **column;
    mb_csv       c;
    int32_t      at;

    MB_TRY(mb_csv_read(a, file, &c, err));
    MB_TRY(mb_csv_need_(&c, MB_E_FORMAT, "column", "column", &at, err));
    if (c.rows < 1 || c.rows > INT32_MAX)
        MB_FAIL(err, MB_E_FORMAT, "%s: got %lld columns; expected a line of each", file,
                (long long)c.rows);
    MB_NEW(column, a, c.rows, err);
    for (int64_t row = 0; row < c.rows; row++)
        column[row] = c.cell[row * c.cols + at];
    *d = (int32_t)c.rows;
    *name = column;
    return MB_OK;
}

mb_status mb_bounds_read(mb_arena *a, const char *file, int32_t d, const char *const *name,
                         double *low, double *high, mb_err *err)
{
    static const char *const heading[] = {"column", "low", "high"};
    mb_csv                   c;
    int32_t                  at[3];

    MB_TRY(mb_csv_read(a, file, &c, err));
    for (int k = 0; k < 3; k++)
        MB_TRY(mb_csv_need_(&c, MB_E_FORMAT, "column", heading[k], &at[k], err));
    for (int32_t k = 0; k < d; k++)
        low[k] = (double)NAN;
    for (int64_t row = 0; row < c.rows; row++)
        MB_TRY(take(&c, row, at, d, name, low, high, err));
    for (int32_t k = 0; k < d; k++)
        if (isnan(low[k]))
            MB_FAIL(err, MB_E_FORMAT, "%s: no bounds of column \"%s\"; expected a line of each",
                    file, name[k]);
    return MB_OK;
}

mb_status mb_bounds_hold(const mb_bounds *b, const mb_data *rows, const char *stated, mb_err *err)
{
    char place[MB_PLACE];

    for (int64_t k = 0; rows->x && k < rows->n * rows->d; k++) {
        const int64_t row = k / rows->d, d = k % rows->d;

        if (rows->x[k] >= b->low[d] && rows->x[k] <= b->high[d])
            continue;
        mb_row_place(&rows->from, rows->file_row ? rows->file_row[row] : row, rows->name[d], place);
        MB_FAIL(err, MB_E_FORMAT, "%s: got %g; expected %g to %g, as %s says", place, rows->x[k],
                b->low[d], b->high[d], stated);
    }
    return MB_OK;
}

/* levels.c - the categories of a target that comes as numbers. */
#include "base/format.h"
#include "base/text.h"
#include "fit/fit.h"
#include "model/kind.h"

#include <math.h>
#include <string.h>

enum { MOST = 10000 };

static mb_status largest(const mb_case *c, int32_t *out, mb_err *err)
{
    const int32_t d = c->table.rows.d - 1;

    *out = 0;
    for (int64_t j = 0; j < c->table.rows.n; j++) {
        const double x = mb_rows_at(&c->table.rows, j, d);

        if (!(x >= 0 && x < MOST) || floor(x) < x)
            return mb_refuse_cell_(&c->table, j, d, "the number of a category, from 0", err);
        *out = x > *out ? (int32_t)x : *out;
    }
    return MB_OK;
}

mb_status mb_case_levels_(mb_arena *a, mb_case *c, mb_err *err)
{
    const char **name;
    mb_columns  *columns;
    mb_column   *of;
    int32_t      most;

    const mb_columns *known = c->size.columns;

    if (!mb_kind_category(c->kind, &c->size) || (known && known->of[known->d - 1].levels))
        return MB_OK;
    MB_TRY(largest(c, &most, err));
    MB_NEW(of, a, c->table.rows.d, err);
    MB_NEW(columns, a, 1, err);
    if (known)
        memcpy(of, known->of, (size_t)known->d * sizeof *of);
    MB_NEW(name, a, most + 1, err);
    for (int32_t l = 0; l <= most; l++)
        if (!(name[l] = mb_text(a, err, "%d", (int)l)))
            return MB_E_NOMEM;
    of[c->table.rows.d - 1] =
        (mb_column){.kind = MB_COLUMN_CATEGORY, .levels = most + 1, .level = name};
    MB_TRY(mb_columns_make(a, c->table.rows.d, of, columns, err));
    c->size.columns = columns;
    return MB_OK;
}

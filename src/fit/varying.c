/* varying.c - what rows in groups say of inputs whose effects do not vary. */
#include "base/text.h"
#include "fit/fit.h"
#include "model/kind.h"

/* 1 when input d has one value in each group, and some group has more than one row. */
static int is_of_group(const mb_rows *rows, int32_t d)
{
    int several = 0;

    for (int32_t g = 0; g < rows->ngroup; g++)
        for (int64_t j = rows->first[g] + 1; j < rows->first[g + 1]; j++) {
            const double a = mb_rows_at(rows, j - 1, d), b = mb_rows_at(rows, j, d);

            if (a < b || a > b)
                return 0;
            several = 1;
        }
    return several;
}

mb_status mb_case_varying_(mb_arena *a, const mb_case *c, const char **warning, mb_err *err)
{
    const mb_columns *columns = c->size.columns;
    const char       *list = NULL;
    int               more = 0;

    *warning = NULL;
    if (!mb_kind_varies(c->kind) || !c->table.rows.first)
        return MB_OK;
    for (int32_t d = 0; d < c->size.D; d++) {
        if ((columns && columns->of[d].varying) || c->seen.constant[d] ||
            !is_of_group(&c->table.rows, d))
            continue;
        more = list != NULL;
        list = mb_text(a, err, "%s%s\"%.60s\"", list ? list : "", list ? ", " : "",
                       c->table.column[d]);
        if (!list)
            return MB_E_NOMEM;
    }
    if (!list)
        return MB_OK;
    *warning =
        mb_text(a, err,
                "%s %s one value in each group: groups, not rows, say what effect %s, and with "
                "few groups its interval is too short",
                list, more ? "have" : "has", more ? "they have" : "it has");
    return *warning ? MB_OK : MB_E_NOMEM;
}

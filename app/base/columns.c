/* columns.c - the rows of a file whose columns are known by name. */
#include "base/app.h"
#include "base/text.h"

#include <string.h>

/* The names as one list for mb_data_opt; NULL: one has a comma, so all columns are read. */
static mb_status list_of(mb_arena *a, int32_t d, const char *const *name, const char **list,
                         mb_err *err)
{
    const char *all = name[0];

    *list = NULL;
    for (int32_t k = 0; d > 1 && k < d; k++)
        if (strchr(name[k], ','))
            return MB_OK;
    for (int32_t k = 1; all && k < d; k++)
        all = mb_text(a, err, "%s,%s", all, name[k]);
    *list = all;
    return all ? MB_OK : MB_E_NOMEM;
}

static mb_status find(const char *file, const mb_data *from, const char *name, const char *origin,
                      int32_t *at, mb_err *err)
{
    for (*at = 0; *at < from->d; ++*at)
        if (!strcmp(from->name[*at], name))
            return MB_OK;
    MB_FAIL(err, MB_E_FORMAT, "%s: no column \"%s\"; expected the columns of %s", file, name,
            origin);
}

mb_status app_read_columns(mb_arena *a, const char *file, const mb_data_opt *opt, int32_t d,
                           const char *const *name, const char *origin, mb_data *out, mb_err *err)
{
    mb_data_opt how = *opt;
    mb_data     got = {0};
    double     *x;

    MB_TRY(list_of(a, d, name, &how.columns, err));
    MB_TRY(mb_data_read(a, file, &how, &got, err));
    *out = got;
    if (how.columns)
        return MB_OK;
    MB_NEW(x, a, got.n * d + 1, err);
    for (int32_t k = 0; k < d; k++) {
        int32_t at;

        MB_TRY(find(file, &got, name[k], origin, &at, err));
        for (int64_t j = 0; j < got.n; j++)
            x[j * d + k] = got.x[j * got.d + at];
    }
    out->x = x;
    out->d = d;
    MB_NEW(out->name, a, d, err);
    memcpy(out->name, name, (size_t)d * sizeof *name);
    return MB_OK;
}

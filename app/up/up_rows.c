/* up_rows.c - the files of rows that a schedule names: columns by name, as those of --data. */
#include "up/up.h"

#include <string.h>

/* The names of the columns as one list for --columns; NULL: one has a comma, so all are taken. */
static mb_status wanted(up *u, const char **list, mb_err *err)
{
    const mb_data *data = &u->s->rows.data;
    const char    *all = data->name[0];

    *list = NULL;
    for (int32_t d = 0; d < data->d; d++)
        if (strchr(data->name[d], ','))
            return MB_OK;
    for (int32_t d = 1; all && d < data->d; d++)
        all = mb_text(u->s->a, err, "%s,%s", all, data->name[d]);
    *list = all;
    return all ? MB_OK : MB_E_NOMEM;
}

/* Column d of --data in another file. */
static mb_status find(const up *u, const mb_event *e, const mb_data *from, int32_t d, int32_t *at,
                      mb_err *err)
{
    const char *name = u->s->rows.data.name[d];

    for (*at = 0; *at < from->d; ++*at)
        if (!strcmp(from->name[*at], name))
            return MB_OK;
    MB_FAIL(err, MB_E_FORMAT, "%s: no column \"%s\"; expected the columns of --data (%s:%lld)",
            e->file, name, u->opt.schedule, (long long)e->line);
}

/* The rows of one event, columns in the order of --data. */
static mb_status one(up *u, const mb_data_opt *how, mb_event *e, mb_err *err)
{
    const int32_t D = u->s->rows.data.d;
    mb_data       got = {0};
    mb_rows      *rows;
    double       *x;

    MB_TRY(mb_data_read(u->s->a, e->file, how, &got, err));
    MB_NEW(rows, u->s->a, 1, err);
    MB_NEW(x, u->s->a, got.n * D + 1, err);
    for (int32_t d = 0; d < D; d++) {
        int32_t at;

        MB_TRY(find(u, e, &got, d, &at, err));
        for (int64_t j = 0; j < got.n; j++)
            x[j * D + d] = got.x[j * got.d + at];
    }
    *rows = (mb_rows){.x = x, .w = got.w, .n = got.n, .d = D, .ld = (size_t)D};
    e->rows = rows;
    return MB_OK;
}

mb_status up_rows_read(up *u, mb_err *err)
{
    mb_data_opt how = u->s->opt.read;

    MB_TRY(wanted(u, &how.columns, err));
    how.drop = NULL;
    how.node_file = how.label_file = NULL;
    how.weight_column = u->s->opt.weight_column;
    for (int64_t k = 0; k < u->schedule.n; k++)
        if (u->schedule.event[k].kind == MB_EVENT_ROWS)
            MB_TRY(one(u, &how, &u->schedule.event[k], err));
    return MB_OK;
}

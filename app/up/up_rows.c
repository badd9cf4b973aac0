/* up_rows.c - the files of rows that a schedule names: columns by name, as those of --data. */
#include "base/app.h"
#include "base/columns.h"
#include "base/text.h"
#include "up/up.h"

/* The rows of one event, columns in the order of --data. */
static mb_status one(up *u, const mb_data_opt *how, mb_event *e, mb_err *err)
{
    const mb_data *data = &u->cs->rows->data;
    const char    *origin;
    mb_data        got;
    mb_rows       *rows;

    MB_NEW(rows, u->job->a, 1, err);
    origin = mb_text(u->job->a, err, "--data (%s:%lld)", u->opt.schedule, (long long)e->line);
    if (!origin)
        return MB_E_NOMEM;
    MB_TRY(app_read_columns(u->job->a, e->file, how, data->d, data->name, origin, &got, err));
    *rows = (mb_rows){
        .x = got.x, .w = got.w, .n = got.n, .d = got.d, .ld = (size_t)got.d, .gaps = got.gaps > 0};
    rows->first = got.group;
    rows->ngroup = got.ngroup;
    e->rows = rows;
    return MB_OK;
}

/* The groups of rows that come later are those of a column. */
static mb_status no_rows(const up *u, mb_err *err)
{
    for (int64_t k = 0; k < u->schedule.n; k++)
        if (u->schedule.event[k].kind == MB_EVENT_ROWS)
            MB_FAIL(err, MB_E_ARG,
                    "%s:%lld: rows that arrive need --group-column; expected no --group-file",
                    u->opt.schedule, (long long)u->schedule.event[k].line);
    return MB_OK;
}

mb_status up_rows_read(up *u, mb_err *err)
{
    mb_data_opt how = u->cs->args->opt.read;

    MB_TRY(app_missing(u->cs->args->kind, &how, err));
    if (how.missing == MB_MISSING_KEEP && u->args.from == MB_GENESIS_SUMS)
        how.missing = MB_MISSING_ERROR;
    how.drop = NULL;
    if (u->plan.kinds) {
        how.column = mb_columns_declaration(u->job->a, u->plan.kinds, u->plan.column, err);
        how.recognise = 1;
        if (!how.column)
            return MB_E_NOMEM;
    }
    how.node_file = how.label_file = NULL;
    if (how.group_file && u->schedule.n)
        MB_TRY(no_rows(u, err));
    how.weight_column = u->cs->args->opt.weight_column;
    for (int64_t k = 0; k < u->schedule.n; k++)
        if (u->schedule.event[k].kind == MB_EVENT_ROWS)
            MB_TRY(one(u, &how, &u->schedule.event[k], err));
    return MB_OK;
}

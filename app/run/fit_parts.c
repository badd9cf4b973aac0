/* fit_parts.c - `fit` of rows that are in a file for each process: --data FILE-%r.npy. */
#include "data/data.h"
#include "run/fit_share.h"

int sim_in_parts(const sim *s)
{
    return s->args.command->fit && ranks_in_parts(s->args.opt.data);
}

mb_status sim_use_mapped(sim *s, mb_err *err)
{
    sim_rows *rows = &s->rows;

    rows->data.n = rows->mapped.n;
    rows->data.d = rows->mapped.d;
    rows->data.x = (double *)(uintptr_t)rows->mapped.x; /* never written to */
    rows->data.stored = rows->mapped.x ? NULL : &rows->mapped.stored;
    return mb_data_number_columns(s->job.a, rows->data.d, &rows->data.name, err);
}

mb_status sim_parts(sim *s, int plain, const mb_data_opt *read, mb_err *err)
{
    const char *own = s->args.opt.data;
    mb_data_opt o = *read;

    if (!plain)
        MB_FAIL(
            err, MB_E_ARG,
            "--data: got %s, parts of NPY files, with options that choose or explain columns or "
            "drop rows, or --update; expected the rows alone",
            s->args.opt.data);
    MB_TRY(app_missing(s->args.kind, &o, err));
    MB_TRY(ranks_rows(s->job.a, &s->job.ranks, &own, err));
    MB_TRY(mb_npy_join(s->job.a, s->job.ranks.comm, own, o.missing == MB_MISSING_KEEP,
                       &s->rows.mapped, &s->rows.data.hash, err));
    return sim_use_mapped(s, err);
}

mb_status sim_parts_over(sim *s, mb_err *err)
{
    const int read = s->args.kind->target || sim_to_folder(s);

    return read ? mb_npy_fetch(s->job.a, &s->rows.mapped, err) : MB_OK;
}

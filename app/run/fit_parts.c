/* fit_parts.c - `fit` of rows that are in a file for each process: --data FILE-%r.npy. */
#include "data/data.h"
#include "run/fit_share.h"

int sim_in_parts(const sim_args *args)
{
    return args->command->fit && ranks_in_parts(args->opt.data);
}

mb_status sim_use_mapped(sim_job *job, sim_rows *rows, mb_err *err)
{
    rows->data.n = rows->mapped->n;
    rows->data.d = rows->mapped->d;
    rows->data.x = (double *)(uintptr_t)rows->mapped->x; /* never written to */
    rows->data.stored = rows->mapped->x ? NULL : &rows->mapped->stored;
    return mb_data_number_columns(job->a, rows->data.d, &rows->data.name, err);
}

mb_status sim_parts(sim_job *job, sim_rows *rows, int plain, const mb_data_opt *read, mb_err *err)
{
    const char *own = rows->args->opt.data;
    mb_data_opt o = *read;

    if (!plain)
        MB_FAIL(
            err, MB_E_ARG,
            "--data: got %s, parts of NPY files, with options that choose or explain columns or "
            "drop rows, or --update; expected the rows alone",
            rows->args->opt.data);
    MB_TRY(app_missing(rows->args->kind, &o, err));
    MB_TRY(ranks_rows(job->a, &job->ranks, &own, err));
    MB_TRY(mb_npy_join(job->a, job->ranks.comm, own, o.missing == MB_MISSING_KEEP, rows->mapped,
                       &rows->data.hash, err));
    return sim_use_mapped(job, rows, err);
}

mb_status sim_parts_over(sim_job *job, const sim_rows *rows, mb_err *err)
{
    const int read = rows->args->kind->target || sim_to_folder(job);

    return read ? mb_npy_fetch(job->a, rows->mapped, err) : MB_OK;
}

/* fit_share.c - `fit` by several processes: the rows of each, in one file or in one for each
 * process (--data FILE-%r.npy), and what they exchanged. */
#include "run/fit_share.h"
#include "data/data.h"

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

/* Once the sums are made process 0 has all rows, if anything reads them. Collective. */
static mb_status parts_over(sim_job *job, const sim_rows *rows, mb_err *err)
{
    const int read = rows->args->kind->targets || sim_to_folder(job);

    return read ? mb_npy_fetch(job->a, rows->mapped, err) : MB_OK;
}

int sim_is_shared(const sim_job *job, const sim_rows *rows)
{
    return job->ranks.size > 1 && rows->mapped->base && rows->data.n > MB_SHARE_LEAST;
}

int sim_shares_starts(const sim_job *job, const sim_case *cs)
{
    return job->ranks.size > 1 && !cs->table.rows.share;
}

mb_status sim_open(sim_result *r, int32_t attempt, mb_err *err)
{
    const int first = !r->opened, meet = r->apart ? attempt < 0 : first;
    mb_status st = MB_OK;

    if (first)
        st = sim_folder(r->job, err);
    if (first && st >= 0)
        st = sim_trace(r->job, r->cs, err);
    r->opened = 1;
    r->apart = r->apart && attempt >= 0;
    return meet ? ranks_agree(&r->job->ranks, st, err) : st;
}

mb_status sim_share_agree(const sim_job *job, mb_status st, mb_err *err)
{
    mb_err own = *err;

    if (st < 0)
        st = mb_fail_(err, st, own.file, own.line, "process %d of %d: %.400s", job->ranks.rank,
                      job->ranks.size, own.msg);
    return ranks_agree(&job->ranks, st, err);
}

mb_status sim_share_over(sim_result *r, mb_err *err)
{
    mb_case *c;

    MB_TRY(parts_over(r->job, r->cs->rows, err));
    MB_NEW(c, r->job->a, 1, err);
    *c = *r->session.c;
    c->table.rows = mb_table_of(&r->cs->rows->data, r->cs->args->opt.data).rows;
    r->session.c = c;
    return MB_OK;
}

void sim_share_print(const sim_job *job, const sim_case *cs)
{
    if (cs->table.rows.share)
        printf("%d processes with a share of the rows each; bytes a pass that each sent: %.0f\n",
               job->ranks.size, mb_table_sent(&cs->table));
}

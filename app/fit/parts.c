/* parts.c - `fit` of rows that are in a file for each process: --data FILE-%r.npy. */
#include "fit/share.h"

#include <string.h>
#include <unistd.h>

int sim_in_parts(const sim *s)
{
    return s->command->fit && strstr(s->opt.data, "%r") && access(s->opt.data, F_OK) != 0;
}

/* The file of a process; NULL: no memory. */
static const char *part_of(sim *s, int32_t rank, mb_err *err)
{
    const char *at = strstr(s->opt.data, "%r");

    return mb_text(s->a, err, "%.*s%d%s", (int)(at - s->opt.data), s->opt.data, rank, at + 2);
}

/* A part too many would be left out without a word. */
static mb_status none_left(sim *s, mb_err *err)
{
    const int32_t size = s->ranks.size;
    const char   *next = part_of(s, size, err);

    if (!next)
        return MB_E_NOMEM;
    if (access(next, F_OK) == 0)
        MB_FAIL(err, MB_E_ARG,
                "--data: got %s besides the part%s of %d process%s; expected a process for each "
                "part",
                next, size > 1 ? "s" : "", size, size > 1 ? "es" : "");
    return MB_OK;
}

mb_status sim_use_mapped(sim *s, mb_err *err)
{
    sim_rows *rows = &s->rows;

    rows->data.n = rows->mapped.n;
    rows->data.d = rows->mapped.d;
    rows->data.x = (double *)(uintptr_t)rows->mapped.x; /* never written to */
    rows->data.stored = rows->mapped.x ? NULL : &rows->mapped.stored;
    return mb_data_number_columns(s->a, rows->data.d, &rows->data.name, err);
}

mb_status sim_parts(sim *s, int plain, const mb_data_opt *read, mb_err *err)
{
    const char *own = part_of(s, s->ranks.rank, err);
    mb_data_opt o = *read;

    if (!own)
        return MB_E_NOMEM;
    if (!plain)
        MB_FAIL(
            err, MB_E_ARG,
            "--data: got %s, parts of NPY files, with options that choose or explain columns or "
            "drop rows, or --update; expected the rows alone",
            s->opt.data);
    MB_TRY(app_missing(s->asked.kind, &o, err));
    MB_TRY(ranks_agree(&s->ranks, none_left(s, err), err));
    MB_TRY(mb_npy_join(s->a, s->ranks.comm, own, o.missing == MB_MISSING_KEEP, &s->rows.mapped,
                       &s->rows.data.hash, err));
    return sim_use_mapped(s, err);
}

mb_status sim_parts_over(sim *s, mb_err *err)
{
    const int read = s->asked.kind->target || sim_to_folder(s);

    return read ? mb_npy_fetch(s->a, &s->rows.mapped, err) : MB_OK;
}

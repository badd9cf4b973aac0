/* posterior_cmd.c - opening the rows that a posterior is applied to. */
#include "posterior/posterior_cmd.h"

void posterior_note(const char *cmd, const mb_posterior_rows *r)
{
    if (r->unused)
        app_note(cmd, "%s: columns not used: %s", r->file, r->unused);
}

mb_status posterior_rows(mb_arena *a, const mb_posterior *p, const char *cmd, const char *file,
                         int need_target, const mb_data_opt *opt, mb_posterior_rows *out,
                         mb_err *err)
{
    MB_TRY(mb_posterior_rows_open(a, p, file, need_target, opt, out, err));
    posterior_note(cmd, out);
    return MB_OK;
}

void posterior_notes(const char *cmd, const mb_posterior_rows *rows)
{
    int32_t            n;
    const char *const *note = mb_reader_notes(rows->reader, &n);

    for (int32_t k = 0; k < n; k++)
        app_note(cmd, "%s", note[k]);
}

/* posterior_cmd.c - opening the rows that a posterior is applied to. */
#include "posterior/posterior_cmd.h"

void posterior_note(const char *cmd, const mb_posterior_rows *r)
{
    if (r->unused)
        fprintf(stderr, "meshbayes %s: note: %s: columns not used: %s\n", cmd, r->file, r->unused);
}

mb_status posterior_rows(mb_arena *a, const mb_posterior *p, const char *cmd, const char *file,
                         int need_target, const char *weight, mb_posterior_rows *out, mb_err *err)
{
    MB_TRY(mb_posterior_rows_open(a, p, file, need_target, weight, out, err));
    posterior_note(cmd, out);
    return MB_OK;
}

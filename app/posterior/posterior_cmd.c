/* posterior_cmd.c - what is said of the rows that a posterior is applied to. */
#include "posterior/posterior_cmd.h"

void posterior_note(const char *cmd, const mb_posterior_rows *r)
{
    if (r->unused)
        app_note(cmd, "%s: columns not used: %s", r->file, r->unused);
}

void posterior_notes(const char *cmd, const mb_posterior_rows *rows)
{
    int32_t            n;
    const char *const *note = mb_reader_notes(rows->reader, &n);

    for (int32_t k = 0; k < n; k++)
        app_note(cmd, "%s", note[k]);
}

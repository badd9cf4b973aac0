/* posterior_cmd.c - what the commands that apply a posterior share. */
#include "posterior/posterior_cmd.h"
#include "base/json_file.h"

mb_status posterior_open(mb_arena *a, const char *file, mb_posterior *out, mb_provenance *from,
                         mb_err *err)
{
    const mb_status st = mb_posterior_read(a, file, NULL, out, from, err);

    MB_TRY(app_json_whole(err)); /* jansson does not say when memory was short */
    return st;
}

mb_status posterior_rows(mb_arena *a, const mb_posterior *p, const char *cmd, const char *file,
                         int need_target, const char *weight, mb_posterior_rows *out, mb_err *err)
{
    MB_TRY(mb_posterior_rows_open(a, p, file, need_target, weight, out, err));
    if (out->unused)
        fprintf(stderr, "meshbayes %s: note: %s: columns not used: %s\n", cmd, file, out->unused);
    return MB_OK;
}

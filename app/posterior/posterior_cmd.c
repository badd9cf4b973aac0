/* posterior_cmd.c - what the commands that apply a posterior share. */
#include "posterior/posterior_cmd.h"
#include "base/json_file.h"

int posterior_command(const char *name, const mb_opt *table, void *self, posterior_work work,
                      int argc, char **argv, const char **words, int max_words)
{
    const app_group group = {table, self};
    mb_err          err = {0};
    mb_arena       *a = mb_arena_new(1 << 16);
    int             nwords = 0, status = APP_DONE;

    if (!a) {
        fprintf(stderr, "meshbayes %s: error: out of memory\n", name);
        return APP_FAILED;
    }
    if (app_parse(argc, argv, &group, 1, words, max_words, &nwords, &err) < 0 ||
        work(a, self, &err) < 0)
        status = app_fail(name, &err, 1);
    mb_arena_free(a);
    return status;
}

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

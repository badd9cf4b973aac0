/* posterior_cmd.c - what the commands that apply a posterior share. */
#include "posterior/posterior_cmd.h"

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

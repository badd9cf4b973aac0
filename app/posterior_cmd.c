/* posterior_cmd.c - what the commands that apply a posterior share. */
#include "posterior_cmd.h"

#include <stdarg.h>
#include <string.h>

mb_status lines_open(mb_arena *a, const char *path, lines *out, mb_err *err)
{
    *out = (lines){.to_file = path != NULL};
    return path ? mb_file_open(a, path, &out->file, err) : MB_OK;
}

mb_status lines_put(lines *l, mb_err *err, const char *fmt, ...)
{
    char    text[512];
    va_list ap;
    int     n;

    va_start(ap, fmt);
    n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof text)
        MB_FAIL(err, MB_E_ARG, "a line of more than %zu characters", sizeof text - 1);
    if (l->to_file)
        return mb_file_write(&l->file, text, (size_t)n, err);
    if (fwrite(text, 1, (size_t)n, stdout) != (size_t)n)
        MB_FAIL(err, MB_E_IO, "standard output can not be written");
    return MB_OK;
}

mb_status lines_commit(lines *l, mb_err *err)
{
    return l->to_file ? mb_file_commit(&l->file, err) : MB_OK;
}

void lines_abort(lines *l)
{
    if (l->to_file)
        mb_file_abort(&l->file);
}

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

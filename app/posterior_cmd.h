/* posterior_cmd.h - what the commands that apply a posterior share. */
#ifndef MB_POSTERIOR_CMD_H
#define MB_POSTERIOR_CMD_H

#include "posterior.h"

/* Lines to --out, or to standard output when it was not given. */
typedef struct lines {
    mb_file file;
    int     to_file;
} lines;
mb_status lines_open(mb_arena *a, const char *path, lines *out, mb_err *err) MB_CHECKED;
mb_status lines_put(lines *l, mb_err *err, const char *fmt, ...) MB_PRINTF(3, 4);
mb_status lines_commit(lines *l, mb_err *err) MB_CHECKED;
void      lines_abort(lines *l);

/* What a command does: parsed options in `self`; *wrong_use = 1 when the user's words are at fault. */
typedef mb_status (*posterior_work)(mb_arena *a, void *self, mb_err *err);
/* Memory, options, work, the exit status. */
int posterior_command(const char *name, const mb_opt *table, void *self, posterior_work work,
                      int argc, char **argv, const char **words, int max_words);

#endif

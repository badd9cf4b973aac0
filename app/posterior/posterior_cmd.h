/* posterior_cmd.h - what the commands that apply a posterior share. */
#ifndef MB_POSTERIOR_CMD_H
#define MB_POSTERIOR_CMD_H

#include "app.h"

/* What a command does: parsed options in `self`. */
typedef mb_status (*posterior_work)(mb_arena *a, void *self, mb_err *err);
/* Memory, options, work, the exit status. */
int posterior_command(const char *name, const mb_opt *table, void *self, posterior_work work,
                      int argc, char **argv, const char **words, int max_words);
/* mb_posterior_read of any listed kind. */
mb_status posterior_open(mb_arena *a, const char *file, mb_posterior *out, mb_provenance *from,
                         mb_err *err) MB_CHECKED;
/* mb_posterior_rows_open; columns that are not used are named in a note of `cmd` on standard error. */
mb_status posterior_rows(mb_arena *a, const mb_posterior *p, const char *cmd, const char *file,
                         int need_target, const char *weight, mb_posterior_rows *out,
                         mb_err *err) MB_CHECKED;

#endif

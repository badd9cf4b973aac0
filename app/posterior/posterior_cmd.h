/* posterior_cmd.h - what the commands that apply a posterior share. */
#ifndef MB_POSTERIOR_CMD_H
#define MB_POSTERIOR_CMD_H

#include "posterior/posterior.h"

/* What a command does: parsed options in `self`; *wrong_use = 1 when the user's words are at fault. */
typedef mb_status (*posterior_work)(mb_arena *a, void *self, mb_err *err);
/* Memory, options, work, the exit status. */
int posterior_command(const char *name, const mb_opt *table, void *self, posterior_work work,
                      int argc, char **argv, const char **words, int max_words);

#endif

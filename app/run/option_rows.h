/* option_rows.h - rows of the tables of options. All that is known of an option is in its row:
 * help, checks and files are made from it. */
#ifndef MB_RUN_OPTION_ROWS_H
#define MB_RUN_OPTION_ROWS_H

#include "run/sim.h"

/* clang-format off */
/* group, commands that take it, then an mb_opt. */
#define ROW(in, by, ...)      {.group = SIM_##in, .commands = by, .opt = {__VA_ARGS__}}
/* The same that changes no posterior, but what is written where, and on how many threads. */
#define SHOW(in, by, ...)                                                                          \
    {.group = SIM_##in, .commands = by, .presents = 1, .opt = {__VA_ARGS__}}
/* The same of some models alone. */
#define ROW_OF(which, in, by, ...)                                                                 \
    {.group = SIM_##in, .commands = by, .models = SIM_##which, .opt = {__VA_ARGS__}}
#define ROWS_END              {.opt = {.name = NULL}}
/* Commands on whose short help page the option is, which shows those that are used most. */
#define OFTEN(commands)       ((commands) | (commands) << SIM_OFTEN)
/* clang-format on */

#endif

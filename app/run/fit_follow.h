/* fit_follow.h - `fit --follow`: an answer that learns from rows as they arrive. */
#ifndef MB_RUN_FIT_FOLLOW_H
#define MB_RUN_FIT_FOLLOW_H

#include "run/sim.h"

/* The options of fit beside those of sim; the table is in cmd_fit.c. */
typedef struct fit_opt {
    const char *update;
    double      forget;
    const char *follow, *window, *every;
    int32_t     on_bad_row; /* FOLLOW_SKIP, .. */
    int32_t     prefer;     /* mb_prefer */
} fit_opt;
enum { FOLLOW_SKIP, FOLLOW_STOP };

/* fit_follow.c: refuses what belongs to a fit of one file; --data is what --follow names. */
mb_status follow_take(sim_args *args, mb_err *err) MB_CHECKED;
/* Checks, then follows until the end of standard input or a signal; the exit
 * status. */
int follow_run(sim *s, mb_err *err);

#endif

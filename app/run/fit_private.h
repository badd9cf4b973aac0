/* fit_private.h - `fit --privacy`: one release of noisy moments, and the posterior that knows the
 * noise. */
#ifndef MB_RUN_FIT_PRIVATE_H
#define MB_RUN_FIT_PRIVATE_H

#include "run/sim.h"

/* Refuses what --privacy cannot be given with in `fit`. */
mb_status private_check(const sim_job *job, const sim_args *args, mb_err *err) MB_CHECKED;
/* The same for options alone, those of the model too. */
mb_status private_options(const sim_args *args, mb_err *err) MB_CHECKED;
/* Reads, books, draws, prints and writes; the exit status. */
int private_run(sim *s, mb_err *err);
/* `plan --privacy`: what a release of these rows would say, before any epsilon is spent; the exit
 * status. */
int private_plan(sim *s, const char *text, int64_t rows, int32_t inputs, mb_err *err);

#endif

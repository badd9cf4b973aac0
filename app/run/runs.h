/* runs.h - `sim --runs R`: the same run with seeds seed .. seed + R - 1, and what they have in
 * common. */
#ifndef MB_RUN_RUNS_H
#define MB_RUN_RUNS_H

#include "run/sim.h"

/* --runs, or the single run; the exit status. */
int runs_simulate(sim *s, mb_err *err);

#endif

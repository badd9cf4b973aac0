/* ranks_signal.h - inside of ranks: a guardian in front of every process of a job, which says how its
 * process was lost. */
#ifndef MB_RANKS_SIGNAL_H
#define MB_RANKS_SIGNAL_H

#include "base/ranks.h"

/* Splits this process in two: the one that returns works, the other waits for it, ends as it ends,
 * and exits with 1 and one line on stderr when it is killed. Before MPI, threads and files. */
void ranks_guard(void);

/* For a handler of the one that works: ends it, with its line, when nobody waits for it any more. */
void ranks_last_words(void);

#endif

/* sim_progress.h - the clock of a run, and the line that tells how far it is. */
#ifndef MB_SIM_PROGRESS_H
#define MB_SIM_PROGRESS_H

#include <stdint.h>
#include <time.h>

typedef struct sim_progress {
    const char     *name;
    int64_t         first; /* round of this session */
    struct timespec began;
    int             shown;
} sim_progress;

double sim_seconds_since(const struct timespec *began);
/* mb_progress_fn: to is a sim_progress. */
void sim_progress_show(void *to, int64_t t, int64_t rounds);
void sim_progress_end(const sim_progress *p);

#endif

/* base/pool.h - a fixed number of threads that work on parts of one task. */
#ifndef MB_BASE_POOL_H
#define MB_BASE_POOL_H

#include "meshbayes/meshbayes.h"

/* Does one part of a job. thread: 0 (the caller's) to threads - 1. */
typedef void (*mb_do_part)(void *arg, int32_t thread, int64_t part);
/* Calls do_part(arg, thread, part) once for each part 0 .. parts - 1 on at most `threads` threads
 * and returns when all are done. Each thread has a run of consecutive parts, which it takes in
 * ascending order, and then takes those that the others have not started; one thread takes all in
 * order. If the pool is busy (a part that uses its own pool, or two callers at once) or NULL, the
 * caller's thread does them all, as thread 0. Allocates nothing. */
void mb_pool_run(mb_pool *p, int32_t threads, int64_t parts, mb_do_part do_part, void *arg);

/* Enters a section in which at most one thread of the pool is at a time; not nested. NULL: none. */
void mb_pool_lock(mb_pool *p);
/* Leaves that section. NULL: does nothing. */
void mb_pool_unlock(mb_pool *p);

#endif

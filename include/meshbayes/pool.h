/* meshbayes/pool.h - threads that share work and leave the processors alone while there is none.
 *
 * A pool is opened once and used for many pieces of work, by the library (mb_run_opt::pool,
 * mb_model_parallel) and by its callers. A thread that waits looks for work for some microseconds
 * and then sleeps. Who has work for a pool computes too, and never waits for a thread that has not
 * begun. In a build without threads (MB_THREADS=OFF) a pool has one thread, the caller's. */
#ifndef MESHBAYES_POOL_H
#define MESHBAYES_POOL_H

#include "meshbayes/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Some threads and what they are doing. */
typedef struct mb_pool mb_pool;

/* Starts threads - 1 threads, 0: one a processor that this process may use, with the caller's own.
 * Fewer when the system has no more, 4096 at most. In the memory of a, which must outlive the pool.
 * Signals of the process are left to the threads that it has without us. */
MB_API mb_status mb_pool_open(mb_arena *a, int32_t threads, mb_pool **out, mb_err *err) MB_CHECKED;
/* Ends the threads; nothing may run on them. NULL is allowed. */
MB_API void mb_pool_close(mb_pool *p);
/* Threads with the caller's own: 1 or more. NULL: 1. */
MB_API int32_t mb_pool_threads(const mb_pool *p);

/* One part of some work on one of its threads: 0 (the caller's) to threads - 1. */
typedef void (*mb_do_part)(void *arg, int32_t thread, int64_t part);
/* do_part(arg, thread, part) for the parts 0 to parts - 1, each once, on at most so many threads,
 * which take the parts in their order. Returns when all are done. A pool that is at work already (a
 * part that uses its own pool, two callers at once) and NULL do them on the caller's thread alone,
 * as thread 0. No memory is taken. */
MB_API void mb_pool_run(mb_pool *p, int32_t threads, int64_t parts, mb_do_part do_part, void *arg);

/* Between these two is one thread of a pool at a time. Not twice by the same thread. NULL: nothing. */
MB_API void mb_pool_lock(mb_pool *p);
/* Lets the next one in. NULL: nothing. */
MB_API void mb_pool_unlock(mb_pool *p);

#ifdef __cplusplus
}
#endif
#endif

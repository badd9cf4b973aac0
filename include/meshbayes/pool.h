/* meshbayes/pool.h - a thread pool whose idle threads release their processors.
 *
 * A pool is opened once and runs many jobs, for the library (mb_run_opt::pool, mb_model_parallel)
 * and for its callers. An idle thread polls for work for a few microseconds and then sleeps. The
 * calling thread takes part in its own job and never waits for a thread that has not started on it.
 * In a build without threads (MB_THREADS=OFF) a pool has one thread, the caller's. */
#ifndef MESHBAYES_POOL_H
#define MESHBAYES_POOL_H

#include "meshbayes/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pool of threads; opaque. */
typedef struct mb_pool mb_pool;

/* Opens a pool of `threads` threads, the caller's included, so it starts threads - 1; 0: one for
 * each processor that this process may use; at most 4096. If the system refuses to start that many,
 * the pool is smaller; that is no error. Its memory comes from a, which must outlive the pool. The
 * new threads block all signals. */
MB_API mb_status mb_pool_open(mb_arena *a, int32_t threads, mb_pool **out, mb_err *err) MB_CHECKED;
/* Stops and joins the threads; no job may be running. NULL is allowed. */
MB_API void mb_pool_close(mb_pool *p);
/* Number of threads, the caller's included: 1 or more. NULL: 1. */
MB_API int32_t mb_pool_threads(const mb_pool *p);

/* Does one part of a job. thread: 0 (the caller's) to threads - 1. */
typedef void (*mb_do_part)(void *arg, int32_t thread, int64_t part);
/* Calls do_part(arg, thread, part) once for each part 0 .. parts - 1 on at most `threads` threads
 * and returns when all are done. Each thread has a run of consecutive parts, which it takes in
 * ascending order, and then takes those that the others have not started; one thread takes all in
 * order. If the pool is busy (a part that uses its own pool, or two callers at once) or NULL, the
 * caller's thread does them all, as thread 0. Allocates nothing. */
MB_API void mb_pool_run(mb_pool *p, int32_t threads, int64_t parts, mb_do_part do_part, void *arg);

/* Enters a section in which at most one thread of the pool is at a time; not nested. NULL: none. */
MB_API void mb_pool_lock(mb_pool *p);
/* Leaves that section. NULL: does nothing. */
MB_API void mb_pool_unlock(mb_pool *p);

#ifdef __cplusplus
}
#endif
#endif

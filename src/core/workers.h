/* core/workers.h - a function applied to every local node, on one thread or several: the same
 * bits for any number of them. */
#ifndef MB_CORE_WORKERS_H
#define MB_CORE_WORKERS_H

#include "meshbayes/run.h"

typedef struct mb_worker_ { /* one per thread */
    double   *scratch;      /* what an algorithm may use */
    double   *local;        /* what a local step may use */
    mb_err    err;
    mb_status status;
    int32_t   node; /* the one that failed */
} mb_worker_;

typedef struct mb_crew_ {
    mb_pool       *pool; /* NULL: one thread */
    mb_pool       *own;  /* the same when it is ours to close, else NULL */
    mb_worker_    *worker;
    int32_t        count;
    int32_t        nodes;
    const int32_t *gid;
    const uint8_t *mask; /* visited: mask[i] == want; NULL: 0 everywhere */
    uint8_t        want;
    int32_t        failed; /* global id of the node that the last error names */
} mb_crew_;

/* Threads that a step of so many operations (2 for each number of the message and row) pays for, of
 * those there are. Waking them costs some ten microseconds a step, and waiting for one that must
 * share its processor some milliseconds; 2e7 operations are about a millisecond on one thread. */
static inline int32_t mb_threads_that_pay_(double operations, int32_t threads)
{
    return operations > 2e7 ? threads : 1;
}

/* threads and pool: as mb_run_opt says. To be closed whatever it returns. */
mb_status mb_crew_open_(mb_arena *a, const mb_problem *p, const mb_run_opt *opt, mb_crew_ *out,
                        mb_err *err) MB_CHECKED;
void      mb_crew_close_(mb_crew_ *c);

/* do_node(arg, w, i) for every i. Of the nodes that fail the lowest is reported, by its global id
 * and the round. Every node is visited even when one fails, save those behind it on its thread. */
typedef mb_status (*mb_do_node_)(void *arg, mb_worker_ *w, int32_t i);
mb_status mb_crew_run_(mb_crew_ *c, mb_do_node_ do_node, void *arg, int64_t t,
                       mb_err *err) MB_CHECKED;
/* Only the nodes whose mask is `want`; without a mask it is 0 everywhere. */
mb_status mb_crew_part_(mb_crew_ *c, const uint8_t *mask, uint8_t want, mb_do_node_ do_node,
                        void *arg, int64_t t, mb_err *err) MB_CHECKED;

#endif

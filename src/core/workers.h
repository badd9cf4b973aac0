/* workers.h - a function applied to every local node, on one thread or several, with bit-identical
 * results for any number of them; and the one error of all threads and processes. */
#ifndef MB_CORE_WORKERS_H
#define MB_CORE_WORKERS_H

#include "core/run.h"
#include "meshbayes/extend.h"

typedef struct mb_worker_ { /* one per thread */
    double   *scratch;      /* for an algorithm  */
    double   *local;        /* for a local step  */
    double   *from;         /* phi before a step */
    mb_err    err;          /* of the last node  */
    mb_status status;
    int32_t   node;    /* the lowest that failed */
    mb_err    failure; /* its error              */
} mb_worker_;

/* What is applied: do_node(arg, w, i) for the local node i. */
typedef mb_status (*mb_do_node_)(void *arg, mb_worker_ *w, int32_t i);

/* Which nodes: all; those without a neighbour in another process; then the others. */
typedef enum mb_which_ { MB_ALL_, MB_INSIDE_, MB_BORDER_ } mb_which_;

typedef struct mb_crew_ {
    mb_pool       *pool; /* NULL: one thread                              */
    mb_pool       *own;  /* the same if the crew must close it, else NULL */
    mb_worker_    *worker;
    int32_t        count; /* threads */
    int32_t        nodes;
    int64_t        shares; /* parts that the nodes are divided into            */
    const int32_t *gid;    /* nodes                                            */
    int32_t        alone;  /* 1: there is no other node in any process         */
    const uint8_t *border; /* nodes: 1 at the border; NULL: none is            */
    int32_t        failed; /* global id of the node that the last error names  */
    mb_which_      which;  /* of the current job, as do_node and arg           */
    mb_do_node_    do_node;
    void          *arg;
} mb_crew_;

/* How many of the available threads pay for a step of this number of operations (2 for each number
 * of the message and row). Waking them costs about ten microseconds a step, waiting for one that
 * shares its processor some milliseconds; 2e7 operations take about a millisecond on one thread. */
static inline int32_t mb_threads_that_pay_(double operations, int32_t threads)
{
    return operations > 2e7 ? threads : 1;
}

/* threads and pool: as in mb_run_opt. To be closed whatever it returns. */
mb_status mb_crew_open_(mb_arena *a, const mb_problem *p, const mb_run_opt *opt, mb_crew_ *out,
                        mb_err *err) MB_CHECKED;
void      mb_crew_close_(mb_crew_ *c);

/* Calls do_node for these nodes. The error names the lowest node that failed, by its global id, if
 * there are others, and the round; after a failure a thread still visits lower nodes. MB_BORDER_
 * continues the MB_INSIDE_ before it: the error names the lowest node of both. */
mb_status mb_crew_run_(mb_crew_ *c, mb_which_ which, mb_do_node_ do_node, void *arg, int64_t t,
                       mb_err *err) MB_CHECKED;

/* The halves of a round. */
typedef enum mb_when_ { MB_WHEN_SENDING_, MB_WHEN_HEARING_ } mb_when_;
/* Collective, by reductions only: the status and error of the first failure, in all processes. If
 * st < 0, the node is the crew's `failed`. Of one half, the failure of the lowest node is first. */
mb_status mb_crew_agree_(const mb_crew_ *c, mb_transport *tp, mb_when_ when, mb_status st,
                         mb_err *err) MB_CHECKED;

#endif

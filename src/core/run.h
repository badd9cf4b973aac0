/* core/run.h - the loop over rounds: local step, emit, exchange, absorb. */
#ifndef MB_CORE_RUN_H
#define MB_CORE_RUN_H

#include "meshbayes/extend.h"

/* A state before the first round: phi of every node = the model's prior; phi_star = the first phi*
 * of every node, which the caller fills (mb_seed_step) before mb_run. What lies behind their L
 * numbers (mb_algo::extra) is 0. */
mb_status mb_state_new(mb_arena *a, const mb_problem *p, mb_state *out, mb_err *err) MB_CHECKED;

/* How to run. */
typedef struct mb_run_opt {
    int64_t      rounds;     /* the last round, counted from the first of the state */
    int32_t      timeout_ms; /* < 0: wait for every message */
    int32_t      threads;    /* 0: as many as pay: one when a round is below about 1 ms of work */
    mb_on_domain on_domain;  /* policy for a phi outside Omega */
    mb_arena    *work; /* where the work space comes from; NULL: malloc, once before the rounds */
    mb_pool     *pool; /* that has the threads; borrowed. NULL: threads of this run alone */
} mb_run_opt;

/* The one loop. Ends when s->t = opt->rounds or an observer says MB_STOP; a state that has done
 * rounds already continues from there. MB_E_NOSUP when the algorithm needs every message and the
 * transport may lose some; MB_E_NUMERIC when a phi is not finite. Errors name node and round. */
mb_status mb_run(const mb_problem *p, mb_state *s, const mb_observer *obs, int32_t nobs,
                 const mb_run_opt *opt, mb_err *err) MB_CHECKED;

#endif

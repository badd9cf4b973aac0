/* meshbayes/run.h - the state of many nodes, observers, and the one loop. */
#ifndef MESHBAYES_RUN_H
#define MESHBAYES_RUN_H

#include "meshbayes/algo.h"
#include "meshbayes/model.h"
#include "meshbayes/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a run works on; read-only during it, and borrowed. */
typedef struct mb_problem {
    const mb_model *model; /* with its prior                             */
    const mb_algo  *algo;  /* what the nodes do                          */
    const void     *opt;   /* the algorithm's options, tuned               */
    const mb_part  *part;  /* the network                                */
    const mb_rows  *rows;  /* n_local views                                */
    double          scale; /* N of eq. (15): replicas of local data        */
    mb_transport   *tp; /* carries the messages, joins what is measured. NULL: mb_transport_none */
} mb_problem;

/* All node state, structure of arrays: row i of a plane is node i's vector (stride ld doubles). */
typedef struct mb_state {
    size_t      ld;       /* >= len = L + mb_algo::extra, rows 64-byte aligned              */
    int64_t     t;        /* rounds done                                                    */
    int32_t     naux;     /* vectors of mb_node::aux                                           */
    int32_t     nedge;    /* vectors of mb_node::edge of each neighbour                        */
    int32_t     nmemo;    /* numbers of mb_node::memo                                          */
    double     *phi;      /* n_local x ld                                                   */
    double     *phi_star; /* n_local x ld: the last one, kept while a node is frozen        */
    double     *mu;    /* n_local x ld: grad A at the last phi inside Omega; NULL: no MB_WANTS_MU */
    double     *aux;   /* n_local x naux x ld                                            */
    double     *edge;  /* ptr[n_local] x nedge x ld                                      */
    double     *memo;  /* n_local x nmemo                                                */
    double     *bound; /* n_local: L_i(phi_i) of eq. (15), nats; NaN outside Omega or not asked */
    uint8_t    *outside;   /* n_local: 1 while phi is outside Omega (after the last round)   */
    int64_t    *frozen;    /* n_local: freezes so far                                        */
    int64_t    *projected; /* n_local: projections so far                                    */
    mb_mail     mail;      /* of the round                                                     */
    mb_traffic *by;        /* n_local: what each node sent so far                               */
    mb_traffic  sent;      /* the same of all nodes of this process                             */
} mb_state;

/* A state before the first round: phi of every node = the model's prior; phi_star = the first phi*
 * of every node, which the caller fills (mb_seed_step) before mb_run. What lies behind their L
 * numbers (mb_algo::extra) is 0. */
MB_API mb_status mb_state_new(mb_arena *a, const mb_problem *p, mb_state *out,
                              mb_err *err) MB_CHECKED;

/* Something that is stored for a restart of a run besides its state: for every row i of this
 * process `pieces` times `bytes` at at + piece * apart + i * stride; stride 0: once, the same on
 * all processes. bytes: a multiple of 8. */
typedef struct mb_kept {
    const char *name;   /* of the thing, in messages                                        */
    void       *at;     /* borrowed                                                         */
    size_t      bytes;  /* of a piece                                                       */
    size_t      stride; /* from row to row; 0: once                                         */
    int64_t     pieces; /* of a row, >= 1                                                   */
    size_t      apart;  /* from piece to piece                                              */
    int32_t     fixed;  /* 1: rows are not restored but must be the same: what the run stands on  */
    int32_t     of_links; /* 1: of the links of rows: the piece of link e at at + e * stride  */
} mb_kept;
enum { MB_KEPT = 9 /* things of one observer at most */ };

/* Units of a fit that are over, by name: what it does not compute again after an interruption
 * (mb_checkpoint_put). Both are called by every process, for the same units in the same order. */
typedef struct mb_store {
    void *self; /* their first argument */
    /* Reads n numbers; MB_QUIET: none are stored. */
    mb_status (*get)(void *self, const char *name, double *x, size_t n, mb_err *err);
    /* Stores n numbers. */
    mb_status (*put)(void *self, const char *name, const double *x, size_t n, mb_err *err);
} mb_store;

/* Looks at a run between rounds: metrics, trace, stopping. */
typedef struct mb_observer {
    void   *self;        /* its own data                                         */
    int64_t every;       /* rounds; >= 1. The last round is always seen. */
    int32_t wants_bound; /* 1: state->bound is filled in the rounds it is due */
    /* MB_STOP ends the run with success. The state is read-only. */
    mb_status (*see)(void *self, const mb_problem *p, const mb_state *s, mb_err *err);
    /* What later looks depend on: fills out (MB_KEPT at most), returns how many. NULL: nothing. */
    int32_t (*keep)(void *self, mb_kept *out);
} mb_observer;

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
MB_API mb_status mb_run(const mb_problem *p, mb_state *s, const mb_observer *obs, int32_t nobs,
                        const mb_run_opt *opt, mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif

/* meshbayes/algo.h - one node of a distributed algorithm: pure functions, no I/O, no clock, no
 * allocation. A round is: emit -> (exchange) -> absorb -> local step; the first local step is
 * the start. The same functions run in the simulator, the daemon and under MPI. */
#ifndef MESHBAYES_ALGO_H
#define MESHBAYES_ALGO_H

#include "meshbayes/expfam.h"
#include "meshbayes/opt.h"
#include "meshbayes/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mb_inbox {
    int32_t              deg;
    const double *const *msg;   /* deg; newest heard; NULL: never heard from that one */
    const int32_t       *age;   /* deg; rounds since it was sent, 0 = this round       */
    const uint8_t       *fresh; /* deg; 1 when it arrived in this round                */
    const double        *w;     /* deg combination weights                             */
    double               w_self;
} mb_inbox;

/* What to do with a node whose phi is outside Omega. */
typedef enum mb_on_domain {
    MB_FREEZE,  /* keep the last phi*, go on exchanging; counted                     */
    MB_PROJECT, /* move phi to the nearest point of Omega, eq. (38b); counted         */
    MB_HALT     /* end the run with MB_E_DOMAIN that names node, round and block      */
} mb_on_domain;

enum { MB_MEMO = 4 };
typedef struct mb_node { /* what an algorithm may touch                        */
    const mb_layout *layout;
    const void      *opt; /* the algorithm's options, read-only             */
    int64_t          t;   /* round, from 1; 0 in init and open              */
    int32_t          deg;
    const int32_t   *nbr_deg; /* deg: degrees of the neighbours                 */
    double          *phi;     /* L: the node's estimate; the prior before init  */
    double          *aux;     /* naux * L: duals, caches; zero at first         */
    double          *edge;    /* deg * nedge * L, neighbour-major; zero at first */
    double          *memo;    /* MB_MEMO numbers; zero at first                 */
    double          *scratch; /* layout->len + layout->scratch                  */
    int32_t          outside; /* 1 while phi_star is held because phi was outside Omega */
    mb_on_domain     on_domain;
    const double    *eps;       /* layout->nblock: margins of the projection      */
    int64_t         *projected; /* count of projections at this node            */
} mb_node;

/* What a run must provide for the method's fixed point to be the right one. */
enum {
    MB_NEEDS_EVERY_MSG = 1 /* a late or lost message biases it for good: refused on a lossy net */
};

/* What the network knows of itself when the options that say "auto" are settled. */
typedef struct mb_net_facts {
    int32_t n;       /* nodes                                                            */
    int32_t hops;    /* H: hops from the lowest node id to the farthest node             */
    double  lambda2; /* second-largest eigenvalue modulus of the combination weights     */
    int64_t delay;   /* largest delay of a message, rounds                               */
    int32_t lossy;   /* 1 when messages may be lost, nodes silent or messages late       */
} mb_net_facts;

typedef struct mb_algo {
    const char   *name;      /* "dsvb"                                              */
    const char   *title;     /* one line for help and reports                       */
    const mb_opt *opts;      /* its options ("dsvb.tau"), ends with a NULL name     */
    size_t        opt_size;  /* bytes of its option struct                          */
    mb_fanout     fanout;    /* emit writes 1 or deg messages (msg: deg rows)       */
    unsigned      needs;     /* MB_NEEDS_*                                          */
    int32_t       consensus; /* 1: its nodes are meant to agree at rest            */
    /* extra L-vectors of state per node and per neighbour, after tune; NULL: none */
    int32_t (*naux)(const void *opt);
    int32_t (*nedge)(const void *opt);
    /* Settle the options that are automatic (NaN). NULL: nothing to settle. */
    mb_status (*tune)(void *opt, const mb_net_facts *net, mb_err *err);

    /* Optional, once, before anything is exchanged: phi_star is the first phi*. */
    mb_status (*init)(mb_node *nd, const double *phi_star, mb_err *err);
    /* Optional, once: the neighbours' first phi are in the inbox (an opening exchange of phi is
     * made only for algorithms that have this). */
    mb_status (*open)(mb_node *nd, const mb_inbox *in, mb_err *err);

    /* First half: consume phi_star, update phi and aux, write the message(s). msg: one row, or deg
     * rows of stride ld. MB_QUIET: nothing to send, neighbours keep what they have. */
    mb_status (*emit)(mb_node *nd, const double *phi_star, double *msg, size_t ld, mb_err *err);
    /* Second half: consume the neighbours' messages. msg is our own. */
    mb_status (*absorb)(mb_node *nd, const double *phi_star, const double *msg, size_t ld,
                        const mb_inbox *in, mb_err *err);
} mb_algo;

/* An algorithm that sends phi itself calls this after writing it: projects phi onto Omega when
 * the policy is MB_PROJECT and counts it. (The loop projects after absorb by itself.) */
MB_API mb_status mb_node_project(mb_node *nd, mb_err *err);

/* Adding an algorithm: one .c file, one line here, one line in algo/list.c. */
extern MB_API const mb_algo mb_algo_noncoop, mb_algo_nsg, mb_algo_dsvb, mb_algo_admm, mb_algo_edge,
    mb_algo_flow;
MB_API const mb_algo *const *mb_algo_list(void);             /* NULL-terminated */
MB_API const mb_algo        *mb_algo_find(const char *name); /* NULL: no such */

typedef struct mb_dsvb_opt {
    double tau, d0;
} mb_dsvb_opt; /* eq. (29) */
typedef struct mb_admm_opt {
    double  rho, xi;
    int32_t start;
} mb_admm_opt; /* eq. (38)-(40); start: 0 prior, 1 local */
typedef struct mb_edge_opt {
    double kappa, eta, alpha; /* NaN: auto                                                 */
    double floor;             /* automatic eta: a node that does not settle goes down to it */
} mb_edge_opt;
typedef struct mb_flow_opt {
    double  eta, gamma; /* NaN: auto */
    double  part;       /* of each weight that is used: 1, with delays 1/2 */
    int32_t halve, per_edge, history;
} mb_flow_opt; /* last four: settled by tune, 0 before */

#ifdef __cplusplus
}
#endif
#endif

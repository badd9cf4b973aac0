/* meshbayes/algo.h - one node of a distributed algorithm: pure functions, no I/O, no clock, no
 * allocation. A round is: emit -> (exchange) -> absorb -> local step; the first local step is
 * the start. The same functions run in the simulator and under MPI. */
#ifndef MESHBAYES_ALGO_H
#define MESHBAYES_ALGO_H

#include "meshbayes/expfam.h"
#include "meshbayes/opt.h"
#include "meshbayes/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a node has heard by the end of a round. Arrays are in the order of the neighbours' ids. */
typedef struct mb_inbox {
    int32_t              deg;    /* neighbours                                         */
    const double *const *msg;    /* deg; newest heard; NULL: never heard from that one */
    const int32_t       *age;    /* deg; rounds since it was sent, 0 = this round       */
    const uint8_t       *fresh;  /* deg; 1 when it arrived in this round                */
    const double        *w;      /* deg combination weights                             */
    double               w_self; /* weight of the node's own message                  */
} mb_inbox;

/* What to do with a node whose phi is outside Omega. */
typedef enum mb_on_domain {
    MB_FREEZE,  /* keep the last phi*, continue to exchange; counted                     */
    MB_PROJECT, /* move phi to the nearest point of Omega, eq. (38b); counted         */
    MB_HALT     /* end the run with MB_E_DOMAIN that names node, round and block      */
} mb_on_domain;

/* One node as an algorithm sees it: what it may touch. A vector has `len` numbers: the L =
 * layout->len numbers of the layout, then mb_algo::extra numbers of the algorithm's own. */
typedef struct mb_node {
    const mb_layout *layout;  /* of the first L numbers                          */
    size_t           len;     /* L + extra: of phi, phi_star, messages, aux, edge */
    const void      *opt;     /* the algorithm's options, read-only             */
    int64_t          t;       /* round, from 1; 0 in init and open              */
    int32_t          id;      /* of the node in the network, 0..n-1                  */
    int32_t          deg;     /* neighbours                                         */
    const int32_t   *nbr_deg; /* deg: degrees of the neighbours                 */
    const double    *rho;     /* deg: stiffness of each edge, 0: not in use; NULL: of the degrees */
    const uint8_t   *tree;    /* deg: 1 at neighbours in the tree; NULL: no tree (mb_part::tree) */
    double           scale;   /* N of eq. (15)                                      */
    const double    *prior;   /* L: phi without data; phi* = prior + N statistics   */
    double          *phi;     /* len: the node's estimate; before init the prior, then zeros */
    double       *extra;   /* mb_algo::extra: behind phi_star; the node's to write, zero at first */
    const double *mu;      /* L: grad A at phi, see MB_WANTS_MU; else NULL */
    double       *aux;     /* naux * len: duals, caches; zero at first       */
    double       *edge;    /* deg * nedge * len, neighbour-major; zero at first */
    double       *memo;    /* mb_algo::memo numbers; zero at first           */
    double       *scratch; /* len + layout->scratch                          */
    int32_t       turn;    /* place on the ring of a method that MB_NEEDS_RING, else 0 */
    int32_t       outside; /* 1 while phi_star is held because phi was outside Omega */
    mb_on_domain  on_domain; /* policy for a phi outside Omega            */
    const double *eps;       /* layout->nblock: margins of the projection      */
    int64_t      *projected; /* count of projections at this node            */
} mb_node;

/* What a run must provide: for the right fixed point of the method, and for its functions. */
enum {
    MB_NEEDS_EVERY_MSG = 1, /* a late or lost message biases it for good: refused on a lossy net */
    MB_NEEDS_RING = 2,   /* a cyclic path through all nodes: refused where mb_part::turn is NULL */
    MB_NEEDS_NO_MSG = 4, /* its nodes send nothing, so no node waits for messages */
    /* mb_node::mu = grad A, eq. (10a), at the phi of the node's last local step inside Omega: in
     * emit phi itself, unless the node is outside. Before the first local step it is at the prior.
     * Costs mb_moments a step, O(D^3) a component (nothing in rounds whose bound is wanted), and a
     * plane. */
    MB_WANTS_MU = 8,
    /* A spanning tree: refused where mb_part::tree is NULL and there is more than one node. Only
     * links of the tree carry messages: rows of the others are not read, are not counted, and
     * their mb_inbox::msg is NULL. */
    MB_NEEDS_TREE = 16
};

/* What the network knows of itself when the options that say "auto" are settled. */
typedef struct mb_net_facts {
    int32_t n;             /* nodes                                                            */
    int32_t hops;          /* H: hops from the lowest node id to the farthest node             */
    double  lambda2;       /* second-largest eigenvalue modulus of the combination weights     */
    int64_t delay;         /* largest delay of a message, rounds                               */
    int32_t lossy;         /* 1 when messages may be lost, nodes silent or messages late       */
    double  tree_mean;     /* distance of two nodes in the tree (mb_part::tree), hops: mean over all
                              ordered pairs, also of a node and itself                         */
    int32_t tree_diameter; /* hops of the longest path in that tree                            */
} mb_net_facts;

/* A distributed algorithm: a table of pure functions and of what they need. Functions return MB_OK
 * or an error that ends the run. */
typedef struct mb_algo {
    const char   *name;  /* "dsvb"                                              */
    const char   *title; /* one line for help and reports                       */
    const char   *label; /* as in figures: "dSVB"; NULL: the name               */
    const mb_opt *opts;  /* its options ("dsvb.tau"), ends with a NULL name; NULL: none */
    /* For help: what it does, assumes and costs, what it is not for, and its sources. Paragraphs
     * end with a newline. NULL: the title says it. */
    const char *about;
    size_t      opt_size;  /* bytes of its option struct                          */
    mb_fanout   fanout;    /* emit writes 1 or deg messages (msg: deg rows)       */
    unsigned    needs;     /* MB_NEEDS_*, MB_WANTS_* */
    int32_t     consensus; /* 1: its nodes are meant to agree at rest            */
    int32_t     memo;      /* numbers of mb_node::memo: what a node counts or remembers */
    /* Numbers after the L of the layout in phi, phi_star, messages, aux and edge, which only the
     * algorithm reads and writes (a count, a weight); phi's must stay finite. */
    int32_t extra;
    /* Further vectors of state per node, after tune; NULL: none. */
    int32_t (*naux)(const void *opt);
    /* Further vectors of state per neighbour, after tune; NULL: none. */
    int32_t (*nedge)(const void *opt);
    /* Settle the options that are automatic (NaN). NULL: nothing to settle. */
    mb_status (*tune)(void *opt, const mb_net_facts *net, mb_err *err);
    /* Rounds from one local step of a node to the next, after tune; NULL: 1. The step is made in
     * the rounds t with t mod cycle = turn; in the others it is held, and phi must stay. */
    int64_t (*cycle)(const void *opt);
    /* The part of the way to its target that a node went in the round nd->t, in (0, 1]: the
     * stopping rule divides by it; NaN: says nothing. nd: opt, t, deg, memo alone. NULL: 1. */
    double (*step)(const mb_node *nd);

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
    /* Optional, for algorithms with MB_NEEDS_NO_MSG, after the local step of each round: *bound is
     * L_i(phi) of eq. (15), nats, and -infinity where phi is outside Omega or a number is not
     * finite. 1: phi is taken back; phi, phi_star and *bound are those of an earlier round again.
     * NULL: each phi is taken as it is. */
    int32_t (*judge)(mb_node *nd, double *phi_star, double *bound);
} mb_algo;

/* An algorithm that sends phi itself calls this after writing it: projects phi onto Omega, eq.
 * (38b), when the policy is MB_PROJECT and counts it. (The loop projects after absorb by itself.)
 * MB_E_NUMERIC when phi is not finite. Cost: O(D^3) a component. */
MB_API mb_status mb_node_project(mb_node *nd, mb_err *err);

/* Adding an algorithm: one .c file, one line here, one line in algo/list.c. */
extern MB_API const mb_algo  mb_algo_noncoop; /* no exchange: phi = phi*; on one node central VB */
extern MB_API const mb_algo  mb_algo_nsg;  /* nsg-dVB: averages phi*, no gradient step            */
extern MB_API const mb_algo  mb_algo_dsvb; /* dSVB, Algorithm 1                                   */
extern MB_API const mb_algo  mb_algo_admm; /* dVB-ADMM, Algorithm 2                               */
extern MB_API const mb_algo  mb_algo_edge; /* EDGE, the default: exact at rest, bears any loss    */
extern MB_API const mb_algo  mb_algo_flow; /* FLOW: one message a round, damped                   */
extern MB_API const mb_algo  mb_algo_tree; /* TREE: exact sums over a spanning tree            */
extern MB_API const mb_algo  mb_algo_average;     /* many averaging rounds in every VB step     */
extern MB_API const mb_algo  mb_algo_incremental; /* one estimate goes round a ring */
MB_API const mb_algo *const *mb_algo_list(void);  /* All of them, NULL-terminated. */
MB_API const mb_algo        *mb_algo_find(const char *name); /* By name; NULL: no such. */
/* noncoop whose iterates are extrapolated where the bound does not fall: central VB in fewer rounds
 * (docs/math.md, section 27). Not in the list: mb_central_algo runs it where all rows are. */
extern MB_API const mb_algo mb_algo_squarem;

/* Options of dSVB: the step is 1/(d0 + tau t), eq. (29). */
typedef struct mb_dsvb_opt {
    double tau; /* forgetting rate, 0 to 1 */
    double d0;  /* delay, >= 1             */
} mb_dsvb_opt;
/* Options of dVB-ADMM, eq. (38)-(40). */
typedef struct mb_admm_opt {
    double  rho;   /* penalty, > 0                                        */
    double  xi;    /* how fast kappa_t = 1 - 1/(1 + xi t)^2 rises, eq. (40) */
    int32_t start; /* phi before the first round: 0 prior, 1 local phi*   */
} mb_admm_opt;
/* Options of EDGE; NaN: chosen by tune. */
typedef struct mb_edge_opt {
    double  kappa; /* stiffness of an edge, kappa/sqrt(deg_i deg_j)                      */
    double  eta;   /* damping of the VB step, 0 to 1; automatic: where a node begins     */
    double  alpha; /* relaxation of the averaging, 0 to 1                                */
    double  least; /* automatic kappa: stiffness is at least least/min(deg); settled by tune */
    int32_t adapt; /* 1: eta follows the node's measured gain; settled by tune           */
    int32_t hold;  /* rounds in which the first phi* is averaged; settled by tune        */
} mb_edge_opt;
/* Options of TREE; lead NaN: chosen by tune. The last three are settled by tune, 0 before. */
typedef struct mb_tree_opt {
    double  eta;      /* part of the way to the extrapolated mean, 0 to 1                 */
    double  momentum; /* part of the last movement that is repeated, below 1               */
    double  lead;     /* rounds by which the mean is extrapolated, >= 0                   */
    int32_t n;        /* nodes                                                            */
    int32_t first;    /* rounds in which the mean of the nodes heard is taken as it is    */
    int32_t adapt;    /* 1: a node that goes round halves lead and momentum; lead is automatic */
} mb_tree_opt;
/* Options of averaging VB. */
typedef struct mb_average_opt {
    int64_t m; /* averaging rounds of a VB step, >= 1 */
} mb_average_opt;
/* Incremental VB has nothing to choose. */
typedef struct mb_incremental_opt {
    int32_t n; /* nodes of the ring: settled by tune, 0 before */
} mb_incremental_opt;
/* Options of FLOW; NaN: chosen by tune. The last four are settled by tune, 0 before. */
typedef struct mb_flow_opt {
    double  eta;      /* step of phi towards the average, 0 to 1                */
    double  gamma;    /* momentum of the averaging                              */
    double  part;     /* of each weight that is used: 1, with delays 1/2 */
    int32_t adapt;    /* 1: eta follows the node's measured gain                */
    int32_t per_edge; /* 1: differences are stored per neighbour (lossy network)  */
    int32_t history;  /* own messages kept, for answers that come late: delay + 1 */
} mb_flow_opt;

#ifdef __cplusplus
}
#endif
#endif

/* core/observe.h - observers of a run: metrics, trace, stopping rule, progress. */
#ifndef MB_CORE_OBSERVE_H
#define MB_CORE_OBSERVE_H

#include "meshbayes/extend.h"

/* Bytes of scratch of mb_assign. */
size_t mb_assign_scratch(int32_t m, int32_t n);
/* Minimum-cost assignment of m rows to n columns, cost m x n, m <= n: col[r] = column of row r.
 * O(m^2 n). scratch: mb_assign_scratch(m, n) bytes (8-byte aligned). MB_E_NUMERIC for a cost that
 * is not finite, MB_E_ARG when m > n. */
mb_status mb_assign(const double *cost, int32_t m, int32_t n, int32_t *col, void *scratch,
                    mb_err *err) MB_CHECKED;

/* Doubles of scratch of mb_kl_aligned. */
size_t mb_kl_aligned_scratch(const mb_model *m);
/* KL(p || q), nats, minimum over permutations of the K components of q, eq. (46). p, q: phi of
 * length L. perm (K, may be NULL) is the best one. scratch: mb_kl_aligned_scratch(m) doubles.
 * MB_E_DOMAIN when p or q is outside Omega. O(K^2 L/K + K^3). */
mb_status mb_kl_aligned(const mb_model *m, const double *p, const double *q, double *kl,
                        int32_t *perm, double *scratch, mb_err *err) MB_CHECKED;

/* Agreement of predicted components with true classes; all NaN without rows. */
typedef struct mb_agreement {
    double accuracy; /* under the single best map of components to classes, 0 to 1         */
    double nmi;      /* normalised mutual information, arithmetic mean, as scikit-learn    */
    double ari;      /* adjusted Rand index                                                */
} mb_agreement;
/* From counts (K x C, row-major): rows of component k and class c. match (K, may be NULL): class of
 * each component, or -1. MB_E_ARG if K or C is below 1. */
mb_status mb_agreement_of(mb_arena *a, const int64_t *counts, int32_t K, int32_t C,
                          mb_agreement *out, int32_t *match, mb_err *err) MB_CHECKED;

/* Mean and spread over the nodes that have the metric. */
typedef struct mb_stat {
    double  mean;    /* all four are NaN if no node has the metric  */
    double  sd;      /* standard deviation with divisor count       */
    double  min;     /* smallest                                    */
    double  max;     /* largest                                     */
    double  total;   /* sum over the network; NaN where a sum says nothing */
    int32_t outside; /* nodes without the metric (outside Omega)    */
} mb_stat;

/* Their names are in mb_metric_table. */
typedef enum mb_metric {
    MB_M_KL_TRUTH,
    MB_M_KL_CVB,
    MB_M_BOUND,
    MB_M_DISAGREEMENT,
    MB_M_ACCURACY,
    MB_M_NMI,
    MB_M_ARI,
    MB_M_BYTES,
    MB_M_FRAMES,
    MB_M_FROZEN,
    MB_M_PROJECTED,
    MB_M_BOUND_SKLEARN,
    MB_M_BOUND_MEAN, /* costs one local step of every node: in sampled rounds only */
    MB_M_COUNT
} mb_metric;
/* A metric's name, unit and help text. */
typedef struct mb_metric_info {
    const char *name; /* as typed: "kl_cvb"             */
    const char *unit; /* "nats", "bytes", "nodes" or "" */
    const char *help; /* one line                       */
} mb_metric_info;
const mb_metric_info *mb_metric_table(void); /* MB_M_COUNT entries */

/* Inputs of the metrics besides the state, and their values. */
typedef struct mb_metrics {
    uint32_t       on;     /* bit m: metric m is wanted                                   */
    const double  *truth;  /* phi of the truth posterior, or NULL                         */
    const double  *cvb;    /* phi of central VB, or NULL                                  */
    const int32_t *label;  /* true class of every row, in row order of all nodes, or NULL */
    int32_t        nclass; /* classes of label                                       */
    /* Data units = standardised - total weight * this: sum_d ln scale_d; regression: ln scale of
     * the target alone. */
    double        log_jacobian;
    const double *scale;   /* of the columns of rows with gaps (mb_gaps_jacobian); NULL: none */
    int32_t       sampled; /* 1: all metrics in sampled rounds only (mb_metrics_sampled)      */
    mb_stat       value[MB_M_COUNT]; /* filled by mb_metrics_see                            */
    void         *work; /* mb_metrics_new                                              */
} mb_metrics;
/* The bound of a node in data units: ln p(data) is shifted by the log-Jacobian of the columns for
 * each replicated row. gaps: mb_gaps_jacobian of its rows. */
static inline double mb_bound_in_data_units_(double bound, double scale, double weight,
                                             double log_jacobian, double gaps)
{
    return bound - scale * weight * log_jacobian + scale * gaps;
}
/* Allocates all work space; the caller has set the fields on .. log_jacobian. */
mb_status mb_metrics_new(mb_arena *a, const mb_problem *p, mb_metrics *m, mb_err *err) MB_CHECKED;
/* 1 for the rounds in which costly metrics are taken: every round to 64, then 32 to 64 of them,
 * evenly spaced, each time the number of rounds doubles: 327 of 20,000. */
int mb_metrics_sampled(int64_t t);
/* The first of these rounds after round t >= 0. */
int64_t mb_metrics_next(int64_t t);
/* The metrics of m that are due in round t, as bits. */
uint32_t mb_metrics_due(const mb_metrics *m, int64_t t);
/* Evaluates the metrics that are on into value[], due or not. bound needs state->bound. */
mb_status mb_metrics_see(mb_metrics *m, const mb_problem *p, const mb_state *s,
                         mb_err *err) MB_CHECKED;

/* Mean of phi over all nodes (length L), including nodes outside Omega. Collective, as are the
 * following functions: summed in the order of ids, so the result is bit-identical however the nodes
 * are distributed over processes. */
mb_status mb_mean_phi(const mb_problem *p, const mb_state *s, double *mean, mb_err *err) MB_CHECKED;
/* *worst = max over nodes of |phi_i - mean|_2 / |mean|_2 (NULL: not wanted); per_node: n_local. */
mb_status mb_disagreement(const mb_problem *p, const mb_state *s, const double *mean,
                          double *per_node, double *worst, mb_err *err) MB_CHECKED;

/* One centralised step from phi: phi* is the mean of the nodes' phi* at phi, eq. (20). *moved = max
 * over entries of |phi* - phi| / max(1, |phi|); *bound = the lower bound at phi over all rows,
 * which is the mean of the nodes' bounds, nats (run units). MB_E_DOMAIN if phi is outside Omega. */
mb_status mb_central_check(mb_arena *a, const mb_problem *p, const double *phi, double *moved,
                           double *bound, mb_err *err) MB_CHECKED;

/* Stopping rule (docs/math.md, section 13). A node is busy in a round if it is outside Omega,
 * froze or was projected, or is farther than tol from its target: d = sqrt(<dphi, dmu>)/step, in
 * posterior standard deviations over all blocks (mb_algo::step; over one cycle for an algorithm
 * that holds the local step; a node that waits, mb_algo::ready, is as far as at its last step, and
 * has made two). Once no node has been busy since a round T and every directed link
 * has delivered two messages sent after T, one centralised step decides: the run ends if the
 * network has settled (MB_SETTLED). The run also ends if rounding keeps the nodes from reaching
 * tol: every busy node is within the effect of its last digits, none has come closer for 200
 * rounds, and the network is within MB_SETTLED (mb_stop_state::rounding). Nodes that are not
 * meant to agree (mb_algo::consensus) end the run when they stand still at different posteriors.
 * stand: updated at every check, borrowed; NULL: not wanted. Cost: at a check 2 mb_moments at
 * one node, every twenty rounds at all, and at all nodes in every round once no node is busy; of
 * nodes that wait, at each of their steps; one local step per node each time the nodes stand still,
 * at most every ten rounds. Memory: L + 5 numbers a node, L + 9 of nodes that wait, one a link.
 * MB_E_ARG unless tol > 0. */
mb_status mb_stop_new(mb_arena *a, const mb_problem *p, double tol, mb_stop_state *stand,
                      mb_observer *out, mb_err *err) MB_CHECKED;

/* scikit-learn's rule, of a problem with all rows at one node (MB_E_NOSUP for others): ends the run
 * in the round that changes the node's lower bound by less than tol nats (MB_E_ARG unless > 0). */
mb_status mb_stop_bound_new(mb_arena *a, const mb_problem *p, double tol, mb_observer *out,
                            mb_err *err) MB_CHECKED;

/* The verdict on a run that was not interrupted. stand: as the stopping rule left it; disagreement,
 * moved: at the end (NaN: not known); outside: nodes outside Omega. Never settled unless
 * disagreement and moved are within MB_SETTLED. */
mb_verdict mb_verdict_of(const mb_stop_state *stand, double disagreement, double moved,
                         int32_t outside);

/* Writes one line of a trace: [algorithm,]t,metric,unit,mean,sd,min,max,outside,total, one line per
 * metric and round. The caller supplies it, so the trace does no I/O of its own. `line` has `len`
 * bytes including its newline; an error ends the run. */
typedef mb_status (*mb_line_writer)(void *to, const char *line, size_t len, mb_err *err);
/* An observer that writes the metrics of m (mb_metrics_new) that are due in each round. */
mb_status mb_trace_new(mb_arena *a, mb_metrics *m, const char *algorithm /* NULL: one */,
                       mb_line_writer put, void *to, mb_observer *out, mb_err *err) MB_CHECKED;
/* Writes values of m, bits `which`, as lines of round t. */
mb_status mb_trace_lines(const mb_metrics *m, uint32_t which, int64_t t, const char *algorithm,
                         mb_line_writer put, void *to, mb_err *err) MB_CHECKED;
/* The header line, with its newline. */
const char *mb_trace_header(int with_algorithm);

/* Receives the rounds done and their total; the program decides whether to print. */
typedef void (*mb_progress_fn)(void *to, int64_t t, int64_t rounds);
/* An observer that calls fn every `every` rounds; MB_E_ARG when every < 1. */
mb_status mb_progress_new(mb_arena *a, int64_t rounds, int64_t every, mb_progress_fn fn, void *to,
                          mb_observer *out, mb_err *err) MB_CHECKED;

/* Receives the state of all nodes (n_local x L, run units) after round t. */
typedef mb_status (*mb_dump_fn)(void *to, int64_t t, const mb_problem *p, const mb_state *s,
                                mb_err *err);
/* An observer that calls fn after the rounds at[0 .. at_count - 1]; at_count 0: never. MB_E_ARG
 * unless they are ascending and at least 1. */
mb_status mb_dump_new(mb_arena *a, const int64_t *at, int32_t at_count, mb_dump_fn fn, void *to,
                      mb_observer *out, mb_err *err) MB_CHECKED;

#endif

/* meshbayes/observe.h - everything that looks at a run: metrics, trace, stop rule, progress.
 * The core prints nothing and knows no metric. */
#ifndef MESHBAYES_OBSERVE_H
#define MESHBAYES_OBSERVE_H

#include "meshbayes/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of scratch of mb_assign. */
MB_API size_t mb_assign_scratch(int32_t m, int32_t n);
/* Minimum-cost assignment of m rows to n columns, cost m x n, m <= n: col[r] = column of row r.
 * O(m^2 n). scratch: mb_assign_scratch(m, n) bytes (8-byte aligned). MB_E_NUMERIC for a cost that is
 * not finite, MB_E_ARG when m > n. */
MB_API mb_status mb_assign(const double *cost, int32_t m, int32_t n, int32_t *col, void *scratch,
                           mb_err *err) MB_CHECKED;

/* Doubles of scratch of mb_kl_aligned. */
MB_API size_t mb_kl_aligned_scratch(const mb_model *m);
/* KL(p || q), nats, minimum over permutations of the K components of q, eq. (46). p, q: phi of length
 * L. perm (K, may be NULL) is the best one. scratch: mb_kl_aligned_scratch(m) doubles. MB_E_DOMAIN when
 * p or q is outside Omega. O(K^2 L/K + K^3). */
MB_API mb_status mb_kl_aligned(const mb_model *m, const double *p, const double *q, double *kl,
                               int32_t *perm, double *scratch, mb_err *err) MB_CHECKED;

/* Agreement of predicted components with true classes. Empty: NaN. */
typedef struct mb_agreement {
    double accuracy; /* by ONE best matching of components to classes, 0 to 1              */
    double nmi;      /* normalised mutual information, arithmetic mean, as scikit-learn    */
    double ari;      /* adjusted Rand index                                                */
} mb_agreement;
/* From counts (K x C, row-major): rows of component k and class c. match (K, may be NULL): class of
 * each component, -1 none. MB_E_ARG when K or C is below 1. */
MB_API mb_status mb_agreement_of(mb_arena *a, const int64_t *counts, int32_t K, int32_t C,
                                 mb_agreement *out, int32_t *match, mb_err *err) MB_CHECKED;

/* Mean and spread over the nodes that have the metric. */
typedef struct mb_stat {
    double  mean;    /* NaN when no node has it, as all four        */
    double  sd;      /* standard deviation with divisor count       */
    double  min;     /* smallest                                    */
    double  max;     /* largest                                     */
    int32_t outside; /* nodes that have none (outside Omega)           */
} mb_stat;

/* Names: kl_truth kl_cvb bound disagreement accuracy nmi ari bytes frames frozen projected
 * lower_bound_sklearn. */
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
    MB_M_COUNT
} mb_metric;
/* A metric as the program shows it. */
typedef struct mb_metric_info {
    const char *name; /* as typed: "kl_cvb"             */
    const char *unit; /* "nats", "bytes", "nodes" or "" */
    const char *help; /* one line                       */
} mb_metric_info;
MB_API const mb_metric_info *mb_metric_table(void); /* MB_M_COUNT entries */

/* What the metrics need besides the state. */
typedef struct mb_metrics {
    uint32_t       on;     /* bit m: metric m is wanted                                   */
    const double  *truth;  /* phi of the truth posterior, or NULL                         */
    const double  *cvb;    /* phi of centralised VB, or NULL                              */
    const int32_t *label;  /* true class of every row, in row order of all nodes, or NULL */
    int32_t        nclass; /* classes of label                                       */
    /* Data units = standardised - total weight * this: sum_d ln scale_d; regression: ln scale of the
     * target alone. */
    double  log_jacobian;
    mb_stat value[MB_M_COUNT]; /* filled by mb_metrics_see                            */
    void   *work;              /* mb_metrics_new                                              */
} mb_metrics;
/* Allocates everything a look needs; fields on .. log_jacobian are set by the caller before. */
MB_API mb_status mb_metrics_new(mb_arena *a, const mb_problem *p, mb_metrics *m,
                                mb_err *err) MB_CHECKED;
/* Fills value[] for the metrics that are on. bound needs state->bound. */
MB_API mb_status mb_metrics_see(mb_metrics *m, const mb_problem *p, const mb_state *s,
                                mb_err *err) MB_CHECKED;

/* Network mean of phi over all nodes (length L); a node outside Omega counts too. Collective, as all
 * that follows: summed in the order of ids, the same bits however the nodes are shared. */
MB_API mb_status mb_mean_phi(const mb_problem *p, const mb_state *s, double *mean,
                             mb_err *err) MB_CHECKED;
/* *worst = max over nodes of |phi_i - mean|_2 / |mean|_2 (NULL: not wanted); per_node: n_local. */
MB_API mb_status mb_disagreement(const mb_problem *p, const mb_state *s, const double *mean,
                                 double *per_node, double *worst, mb_err *err) MB_CHECKED;
/* A network has settled when it stands still, no node is farther from the others and one centralised
 * step moves nothing by more than this (mb_disagreement, mb_central_check). */
#define MB_SETTLED 1e-6

/* One centralised step from phi, the mean of the nodes' phi* there, eq. (20): *moved = max over entries of |phi* - phi| / max(1, |phi|);
 * *bound = centralised lower bound at phi over all rows, nats (run units): the mean of the nodes'. MB_E_DOMAIN outside. */
MB_API mb_status mb_central_check(mb_arena *a, const mb_problem *p, const double *phi,
                                  double *moved, double *bound, mb_err *err) MB_CHECKED;

/* What the stop rule found at its last look (every tenth round). */
typedef struct mb_stand {
    int32_t still;   /* 1: no node has moved, and every node has been heard since               */
    int32_t settled; /* 1: still, or at the limit of rounding, and within MB_SETTLED              */
    int32_t rounding; /* 1: not still, but rounding does not let the nodes that move come closer  */
    int32_t checks;   /* centralised steps so far                                                */
    double  level;    /* largest distance of a node that moves, posterior standard deviations; 0:
                         none does or they were not all measured                                 */
    double  moved; /* mb_central_check at the last centralised step; NaN: there was none        */
    double  disagreement; /* mb_disagreement then; NaN: there was none                          */
} mb_stand;

/* Stop rule (docs/math.md, section 13). A node is busy in a round when it is outside Omega, froze or
 * was projected, or is farther than tol from its target: d = sqrt(<dphi, dmu>)/step, in posterior
 * standard deviations, all blocks at once (mb_algo::step; over one cycle for an algorithm that holds
 * the local step). When no node has been busy since a round T, and every directed link has delivered two
 * messages that were sent after T, one centralised step decides: the run ends if it has settled
 * (MB_SETTLED). It also ends when rounding keeps the nodes from tol: every busy node is within the
 * effect of its last digits, none has come closer for 200 rounds, and the network is within MB_SETTLED
 * (mb_stand::rounding). Nodes that are not meant to agree (mb_algo::consensus) end the run when they
 * stand still apart from each other.
 * stand: updated at every look, borrowed; NULL: not wanted.
 * Cost: every ten rounds 2 mb_moments of one node; of all nodes every twenty rounds, and in every
 * round once no node is busy; one local step a node each time the nodes stand still. Memory: L + 5
 * numbers a node and one a link. MB_E_ARG unless tol > 0. */
MB_API mb_status mb_stop_new(mb_arena *a, const mb_problem *p, double tol, mb_stand *stand,
                             mb_observer *out, mb_err *err) MB_CHECKED;

/* How a run ended. */
typedef enum mb_verdict {
    MB_ENDED_SETTLED,   /* the stop rule fired, and the network is within MB_SETTLED              */
    MB_ENDED_ELSEWHERE, /* it stands still, but not there: biased weights, nodes that do not agree */
    MB_ENDED_MOVING,    /* the rounds were used up                                              */
    MB_ENDED_FAILED,    /* a node is outside the domain, or something is not finite              */
    MB_ENDED_INTERRUPTED, /* by the caller                                                        */
    MB_VERDICTS           /* how many there are                                                   */
} mb_verdict;
/* "settled", "elsewhere", "moving", "failed", "interrupted": static. */
MB_API const char *mb_verdict_text(mb_verdict v);
/* Of a run that nobody interrupted: stand as the stop rule left it, disagreement and moved at the end
 * (NaN: not known), nodes outside Omega. Never settled unless both are within MB_SETTLED. */
MB_API mb_verdict mb_verdict_of(const mb_stand *stand, double disagreement, double moved,
                                int32_t outside);

/* Trace: one CSV row per metric and round through a caller-supplied writer, so the library does
 * no I/O here: [algorithm,]t,metric,unit,mean,sd,min,max,outside. `line` has `len` bytes with its
 * newline; an error ends the run. */
typedef mb_status (*mb_line_writer)(void *to, const char *line, size_t len, mb_err *err);
/* An observer that writes the metrics of m (mb_metrics_new) in every round it is due. */
MB_API mb_status mb_trace_new(mb_arena *a, mb_metrics *m, const char *algorithm /* NULL: one */,
                              mb_line_writer put, void *to, mb_observer *out,
                              mb_err *err) MB_CHECKED;
/* The header line, with its newline. */
MB_API const char *mb_trace_header(int with_algorithm);

/* Calls back with rounds done and total; the program decides whether to print. */
typedef void (*mb_progress_fn)(void *to, int64_t t, int64_t rounds);
/* An observer that calls fn every `every` rounds; MB_E_ARG when every < 1. */
MB_API mb_status mb_progress_new(mb_arena *a, int64_t rounds, int64_t every, mb_progress_fn fn,
                                 void *to, mb_observer *out, mb_err *err) MB_CHECKED;

/* Copies phi of all nodes (n_local x L, run units) at the given rounds (ascending) through a
 * callback; at_count 0: only the caller's own last look. */
typedef mb_status (*mb_dump_fn)(void *to, int64_t t, const mb_problem *p, const mb_state *s,
                                mb_err *err);
/* An observer that calls fn at the rounds at[0..at_count); MB_E_ARG unless they ascend from 1. */
MB_API mb_status mb_dump_new(mb_arena *a, const int64_t *at, int32_t at_count, mb_dump_fn fn,
                             void *to, mb_observer *out, mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif

/* meshbayes/graph.h - an undirected network in CSR form, combination weights, statistics. */
#ifndef MESHBAYES_GRAPH_H
#define MESHBAYES_GRAPH_H

#include "meshbayes/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Neighbours of row i: adj[ptr[i]] .. adj[ptr[i+1]-1], ascending, without i. Sums over
 * neighbours always run in this order: results depend on neither threads, arrival order nor
 * transport. */
typedef struct mb_graph {
    int32_t        n;
    const int64_t *ptr; /* n + 1                                            */
    const int32_t *adj; /* ptr[n] = 2 |E|                                   */
    const int64_t *rev; /* ptr[n]: position of the opposite directed edge   */
} mb_graph;

/* Undirected edges as pairs (m x 2) of 0..n-1. Doubles are merged; a loop or an id out of
 * range is MB_E_ARG. */
MB_API mb_status mb_graph_from_edges(mb_arena *a, int32_t n, int64_t m, const int32_t *edges,
                                     mb_graph *out, mb_err *err) MB_CHECKED;
/* part[i] = component of node i, numbered from 0 in the order of their lowest node. */
MB_API mb_status mb_graph_components(mb_arena *a, const mb_graph *g, int32_t *part, int32_t *count,
                                     mb_err *err) MB_CHECKED;

/* A description such as "geometric:n=50,side=3.5,radius=0.8" -> graph (issue the seed's stream
 * MB_STREAM_GRAPH). geometric is redrawn until connected, at most 10000 times, er likewise.
 * xy: n x 2 positions, NULL where the topology has none natural (er, complete: a circle).
 * Names: geometric ring grid star complete path er. */
typedef struct mb_topology {
    mb_graph      g;
    const double *xy;     /* n x 2 or NULL */
    int32_t       drawn;  /* how many draws it took (random topologies), else 1 */
} mb_topology;
MB_API mb_status mb_topology_make(mb_arena *a, const char *text, uint64_t seed, mb_topology *out,
                                  mb_err *err) MB_CHECKED;
/* n of a description without building it (also "complete:n=1"). */
MB_API mb_status mb_topology_size(const char *text, int32_t *n, mb_err *err) MB_CHECKED;
/* One line of help per topology: name, parameters, meaning. NULL-terminated. */
MB_API const char *const *mb_topology_help(void);

typedef struct mb_weights { /* eq. (23): rows sum to 1 */
    const double *self;     /* n                */
    const double *edge;     /* aligned with adj */
} mb_weights;

typedef enum mb_rule {
    MB_NEAREST,    /* eq. (47): 1/(deg_i + 1); rows sum to 1, columns do not          */
    MB_METROPOLIS, /* 1/(1 + max(deg_i, deg_j)); doubly stochastic [Xiao04]            */
    MB_LAPLACIAN   /* 1/(1 + max degree) an edge; doubly stochastic [Xiao04]           */
} mb_rule;
MB_API mb_status mb_weights_make(mb_arena *a, const mb_graph *g, mb_rule rule, mb_weights *out,
                                 mb_err *err) MB_CHECKED;
/* From triples (i, j, w), i == j is the self weight (default 1 - the row's others is NOT assumed:
 * rows must sum to 1 within 1e-12). *column_error = max_j |sum_i w_ij - 1|, for the caller's warning.
 * A weight on a pair that is no edge is MB_E_ARG. */
MB_API mb_status mb_weights_from(mb_arena *a, const mb_graph *g, int64_t m, const int32_t *ij,
                                 const double *w, mb_weights *out, double *column_error,
                                 mb_err *err) MB_CHECKED;

typedef struct mb_graph_stats {
    int64_t edges;
    int32_t deg_min, deg_max;
    double  deg_mean;
    int32_t diameter;     /* hops; exact up to 20000 nodes, else a lower bound by double sweep */
    int32_t diameter_exact;
    double  algebraic_connectivity; /* second-smallest eigenvalue of the Laplacian; 0 when n = 1 */
    double  lambda2;      /* second-largest eigenvalue modulus of the weights; 0 when n = 1 */
} mb_graph_stats;
/* Dense Jacobi up to n = 200, deflated power / Lanczos iteration above (1e-10 relative, or
 * MB_E_NUMERIC). w may be NULL (lambda2 = NaN). Weights need not be symmetric: the modulus is
 * then that of the non-symmetric matrix by similarity (nearest) or by power iteration (file). */
MB_API mb_status mb_graph_describe(mb_arena *a, const mb_graph *g, const mb_weights *w,
                                   mb_graph_stats *out, mb_err *err) MB_CHECKED;

/* Which rows this process owns, and which it only reads. Rows 0..n_local-1 are computed here;
 * ghosts are filled by the transport. Simulator: n_local = N, n_ghost = 0. */
typedef struct mb_part {
    int32_t        n_local, n_ghost;
    int32_t        n_global;
    const int32_t *gid;   /* row -> global node id, n_local + n_ghost */
    const int32_t *owner; /* ghost g -> peer that owns it, n_ghost    */
    mb_graph       g;     /* n_local rows; adj holds row numbers      */
    const int32_t *deg;   /* degree of every row, n_local + n_ghost   */
    mb_weights     w;
} mb_part;
/* The whole network in one process. g and w are borrowed. */
MB_API mb_status mb_part_whole(mb_arena *a, const mb_graph *g, const mb_weights *w, mb_part *out,
                               mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif

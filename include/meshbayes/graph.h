/* meshbayes/graph.h - an undirected network in CSR form, combination weights, statistics. */
#ifndef MESHBAYES_GRAPH_H
#define MESHBAYES_GRAPH_H

#include "meshbayes/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Neighbours of row i: adj[ptr[i]] .. adj[ptr[i+1]-1], ascending, without i. Sums over neighbours
 * always run in this order: results depend neither on threads nor on arrival order or transport. */
typedef struct mb_graph {
    int32_t        n;   /* nodes                                            */
    const int64_t *ptr; /* n + 1                                            */
    const int32_t *adj; /* ptr[n] = 2 |E|                                   */
    const int64_t *rev; /* ptr[n]: position of the opposite directed edge   */
} mb_graph;

/* Undirected edges as pairs (m x 2) of 0..n-1. Duplicates are merged; MB_E_ARG for a loop or an id
 * out of range. O(n + m). */
MB_API mb_status mb_graph_from_edges(mb_arena *a, int32_t n, int64_t m, const int32_t *edges,
                                     mb_graph *out, mb_err *err) MB_CHECKED;
/* Breadth-first search: sets hops[], -1 before, to the distance from `root` of every node that it
 * reaches, and lists these nodes in queue[] (room for n), nearest first. Returns their number.
 * O(n + edges). */
MB_API int32_t mb_graph_search(const mb_graph *g, int32_t root, int32_t *hops, int32_t *queue);
/* part[i] = component of node i; components are numbered from 0 by their lowest node. */
MB_API mb_status mb_graph_components(mb_arena *a, const mb_graph *g, int32_t *part, int32_t *count,
                                     mb_err *err) MB_CHECKED;
/* MB_E_ARG, with a message that lists the components, if there are several. id: n names of the
 * nodes, or NULL: numbers from 1. */
MB_API mb_status mb_graph_check_connected(mb_arena *a, const mb_graph *g, const char *const *id,
                                          mb_err *err) MB_CHECKED;

/* -1 if the network is a ring: connected, with two neighbours at every node; two linked nodes and a
 * single node also count. Otherwise the first node with another number of neighbours, or 0 for
 * several rings. turn (n, or NULL): positions on the ring, node 0, its first neighbour, .. O(n). */
MB_API int32_t mb_graph_ring(const mb_graph *g, int32_t *turn);

/* A network made from a description. */
typedef struct mb_topology {
    mb_graph      g;     /* connected */
    const double *xy;    /* n x 2: positions; on a circle for er, complete */
    int32_t       drawn; /* number of draws (random topologies), otherwise 1   */
} mb_topology;
/* A description such as "geometric:n=50,side=3.5,radius=0.8" -> graph, sampled from stream
 * MB_STREAM_GRAPH of the seed. geometric and er are redrawn until connected: MB_E_ARG with advice
 * after 10000 draws, or after 20 draws and 5e8 candidate links. Names: geometric ring grid star
 * complete path tree barbell er. MB_E_ARG for any other description. */
MB_API mb_status mb_topology_make(mb_arena *a, const char *text, uint64_t seed, mb_topology *out,
                                  mb_err *err) MB_CHECKED;
/* n of a description without building it (also "complete:n=1"). */
MB_API mb_status mb_topology_size(const char *text, int32_t *n, mb_err *err) MB_CHECKED;
/* One line of help per topology: name, parameters, meaning. NULL-terminated. */
MB_API const char *const *mb_topology_help(void);

/* Combination weights, eq. (23): rows sum to 1. */
typedef struct mb_weights {
    const double *self; /* n                */
    const double *edge; /* aligned with adj */
} mb_weights;

/* How weights are computed from degrees. */
typedef enum mb_rule {
    MB_NEAREST,    /* eq. (47): 1/(deg_i + 1); rows sum to 1, columns do not          */
    MB_METROPOLIS, /* 1/(1 + max(deg_i, deg_j)); doubly stochastic [Xiao04]            */
    MB_LAPLACIAN   /* 1/(1 + max degree) an edge; doubly stochastic [Xiao04]           */
} mb_rule;
/* Weights of a rule, O(n + edges). */
MB_API mb_status mb_weights_make(mb_arena *a, const mb_graph *g, mb_rule rule, mb_weights *out,
                                 mb_err *err) MB_CHECKED;
/* From triples (i, j, w); i == j is the self weight. Missing weights are 0. MB_E_ARG if a row does
 * not sum to 1 within 1e-12, a pair is not an edge, or a weight is given twice. id: n names of the
 * nodes for messages, or NULL: numbers from 1. */
MB_API mb_status mb_weights_from(mb_arena *a, const mb_graph *g, const char *const *id, int64_t m,
                                 const int32_t *ij, const double *w, mb_weights *out,
                                 mb_err *err) MB_CHECKED;
/* max_j |sum_i w_ij - 1|: 0 (to rounding) if averaging preserves the mean over the network. */
MB_API double mb_weights_column_error(const mb_graph *g, const mb_weights *w);

/* Filled by mb_graph_describe. */
typedef struct mb_graph_stats {
    int64_t edges;          /* undirected                                                     */
    int32_t deg_min;        /* smallest degree                                                */
    int32_t deg_max;        /* largest degree                                                 */
    double  deg_mean;       /* 2 edges / n                                                    */
    int32_t diameter;       /* hops                                                           */
    int32_t diameter_exact; /* 0: a lower bound (double sweep)                                */
    double  algebraic_connectivity; /* second-smallest eigenvalue of the Laplacian; 0 if n = 1 */
    double  lambda2;        /* second-largest eigenvalue modulus of the weights; 0 if n = 1   */
    int32_t spectrum_exact; /* 0: work limit reached; algebraic_connectivity is an upper bound
                               and lambda2 a lower bound (power iteration)                    */
} mb_graph_stats;
/* Statistics of a connected network (otherwise MB_E_ARG); bounded work: seconds at any size.
 * Diameter: searches from every node while n (n + 2 edges) <= 5e8. Spectrum: Lanczos iteration with
 * the known leading eigenvector deflated, until 50 % more steps change it by less than 1e-14 of the
 * largest eigenvalue. w may be NULL (lambda2 = NaN). Weights that are similar to a symmetric matrix
 * by detailed balance (all three rules) use Lanczos iteration too, others power iteration. */
MB_API mb_status mb_graph_describe(mb_arena *a, const mb_graph *g, const mb_weights *w,
                                   mb_graph_stats *out, mb_err *err) MB_CHECKED;

/* What a process exchanges with the owners of its rows' neighbours. Lists have the same order at
 * both ends: by the sender's node id, then the reader's. */
typedef struct mb_halo {
    int32_t        npeer;     /* processes it exchanges with                                  */
    const int32_t *peer;      /* npeer: processes, ascending                                  */
    const int32_t *ghost_ptr; /* npeer + 1: ghosts of peer k begin at ghost_ptr[k]            */
    const int32_t *read_ptr;  /* npeer + 1: rows that peer k reads begin at read[read_ptr[k]] */
    const int32_t *read;      /* local rows that peers read                                   */
    int64_t        ncross;    /* directed edges that end here and begin elsewhere             */
    const int64_t *cross_ptr; /* npeer + 1: those from peer k, positions after the local edges;
                                 as many leave for it, at leave[cross_ptr[k]]                 */
    const int64_t *leave;     /* local plane rows (i to its p-th neighbour) that peer k reads */
} mb_halo;

/* The rows this process owns, and those it only reads. Rows 0..n_local-1 are computed here, by
 * ascending node id; the ghosts after them are filled by the transport, by owner and node id.
 * Simulator: n_local = N, n_ghost = 0. Neighbours are in the order of their ids, not of their rows,
 * so sums are those of a single process. */
typedef struct mb_part {
    int32_t        n_local;  /* rows computed here                    */
    int32_t        n_ghost;  /* rows of others that are read here     */
    int32_t        n_global; /* N: nodes of the whole network         */
    const int32_t *gid;      /* row -> global node id, n_local + n_ghost */
    const int32_t *owner;    /* ghost g -> peer that owns it, n_ghost    */
    mb_graph       g;      /* n_local rows; adj holds row numbers; rev of an edge from a ghost: its
                             position after the local edges                                     */
    const int32_t *deg;    /* degree of every row, n_local + n_ghost   */
    mb_weights     w;      /* aligned with g                                                   */
    const uint8_t *border; /* n_local: 1 if a neighbour is a ghost; NULL: no ghosts          */
    mb_halo        halo;   /* zeroed for a single process                                      */
    const int32_t *turn;   /* n_local: position on the ring (mb_graph_ring); NULL: no ring      */
    /* Aligned with g.adj: 1 on links of a spanning tree, in both directions, else 0; NULL: no tree
     * (mb_part_whole and mb_part_share make none). Borrowed. */
    const uint8_t *tree;
} mb_part;
/* The whole network in one process. g and w are borrowed. */
MB_API mb_status mb_part_whole(mb_arena *a, const mb_graph *g, const mb_weights *w, mb_part *out,
                               mb_err *err) MB_CHECKED;
/* The share of process `me`: the nodes with owner[i] == me (owner: n, from 0). MB_E_ARG if there
 * are none. g, w: the whole network. O(n + edges) once. */
MB_API mb_status mb_part_share(mb_arena *a, const mb_graph *g, const mb_weights *w,
                               const int32_t *owner, int32_t me, mb_part *out,
                               mb_err *err) MB_CHECKED;
/* owner[i] of every node for `parts` processes: blocks of ids whose sizes differ by at most one. */
MB_API void mb_split_blocks(int32_t n, int32_t parts, int32_t *owner);
/* METIS partition, which cuts few edges, or mb_split_blocks where that leaves a process without a
 * node; the same owners on every process. MB_E_NOSUP in a build without METIS. */
MB_API mb_status mb_split_metis(mb_arena *a, const mb_graph *g, int32_t parts, int32_t *owner,
                                mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif

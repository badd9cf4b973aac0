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
    int32_t        n;   /* nodes                                            */
    const int64_t *ptr; /* n + 1                                            */
    const int32_t *adj; /* ptr[n] = 2 |E|                                   */
    const int64_t *rev; /* ptr[n]: position of the opposite directed edge   */
} mb_graph;

/* Undirected edges as pairs (m x 2) of 0..n-1. Doubles are merged; a loop or an id out of
 * range is MB_E_ARG. O(n + m). */
MB_API mb_status mb_graph_from_edges(mb_arena *a, int32_t n, int64_t m, const int32_t *edges,
                                     mb_graph *out, mb_err *err) MB_CHECKED;
/* part[i] = component of node i, numbered from 0 in the order of their lowest node. */
MB_API mb_status mb_graph_components(mb_arena *a, const mb_graph *g, int32_t *part, int32_t *count,
                                     mb_err *err) MB_CHECKED;
/* MB_E_ARG that names the components when there are several. id: n names of the nodes, or NULL:
 * numbers from 1. */
MB_API mb_status mb_graph_check_connected(mb_arena *a, const mb_graph *g, const char *const *id,
                                          mb_err *err) MB_CHECKED;

/* -1 when the network is a ring: connected, every node with two neighbours; so are two nodes with a link,
 * and one node. Else the first node with another number of neighbours, or 0 for several rings. turn (n, or
 * NULL): places on the ring, 0 for node 0, 1 for its first neighbour, and so on. O(n). */
MB_API int32_t mb_graph_ring(const mb_graph *g, int32_t *turn);

/* A network made from a description. */
typedef struct mb_topology {
    mb_graph      g;     /* connected */
    const double *xy;    /* n x 2: positions; a circle where none are natural (er, complete) */
    int32_t       drawn; /* how many draws it took (random topologies), else 1 */
} mb_topology;
/* A description such as "geometric:n=50,side=3.5,radius=0.8" -> graph, drawn from stream
 * MB_STREAM_GRAPH of the seed. geometric and er are redrawn until connected: MB_E_ARG with advice
 * after 10000 draws, or after 20 draws and 5e8 links looked at. Names: geometric ring grid star
 * complete path er. MB_E_ARG for anything else says what is accepted. */
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

/* How weights follow from degrees. */
typedef enum mb_rule {
    MB_NEAREST,    /* eq. (47): 1/(deg_i + 1); rows sum to 1, columns do not          */
    MB_METROPOLIS, /* 1/(1 + max(deg_i, deg_j)); doubly stochastic [Xiao04]            */
    MB_LAPLACIAN   /* 1/(1 + max degree) an edge; doubly stochastic [Xiao04]           */
} mb_rule;
/* Weights of a rule, O(n + edges). */
MB_API mb_status mb_weights_make(mb_arena *a, const mb_graph *g, mb_rule rule, mb_weights *out,
                                 mb_err *err) MB_CHECKED;
/* From triples (i, j, w); i == j is the self weight. What is not given is 0. Every row must sum to
 * 1 within 1e-12; that, a weight on a pair that is no edge and one given twice are MB_E_ARG. id: n
 * names of the nodes for messages, or NULL: numbers from 1. */
MB_API mb_status mb_weights_from(mb_arena *a, const mb_graph *g, const char *const *id, int64_t m,
                                 const int32_t *ij, const double *w, mb_weights *out,
                                 mb_err *err) MB_CHECKED;
/* max_j |sum_i w_ij - 1|: 0 (to rounding) when averaging keeps the mean of the network. */
MB_API double mb_weights_column_error(const mb_graph *g, const mb_weights *w);

/* What mb_graph_describe finds. */
typedef struct mb_graph_stats {
    int64_t edges;                  /* undirected                                                 */
    int32_t deg_min;                /* smallest degree                                            */
    int32_t deg_max;                /* largest degree                                             */
    double  deg_mean;               /* 2 edges / n                                                */
    int32_t diameter;               /* hops */
    int32_t diameter_exact;         /* 0: a lower bound (double sweep)                            */
    double  algebraic_connectivity; /* second-smallest eigenvalue of the Laplacian; 0 when n = 1 */
    double  lambda2;        /* second-largest eigenvalue modulus of the weights; 0 when n = 1 */
    int32_t spectrum_exact; /* 0: the work limit came first; then algebraic_connectivity is an
                               upper bound and lambda2 a lower bound (an estimate by power)       */
} mb_graph_stats;
/* Statistics of a connected network (else MB_E_ARG) in seconds at most, whatever its size.
 * Diameter: searches from every node while n (n + 2 edges) <= 5e8. Spectrum: Lanczos iteration
 * with the known leading eigenvector deflated, until a step count half as large again changes
 * nothing: 1e-14 of the largest eigenvalue. w may be NULL (lambda2 = NaN). Weights that detailed
 * balance makes similar to a symmetric matrix (all three rules) take Lanczos too, others (file)
 * power iteration, to 1e-9. */
MB_API mb_status mb_graph_describe(mb_arena *a, const mb_graph *g, const mb_weights *w,
                                   mb_graph_stats *out, mb_err *err) MB_CHECKED;

/* What a process exchanges with the others that hold neighbours of its rows. Lists run in the same
 * order at both ends: by the sender's node id, then the reader's. */
typedef struct mb_halo {
    int32_t        npeer;     /* processes it exchanges with                                  */
    const int32_t *peer;      /* npeer: processes, ascending                                  */
    const int32_t *ghost_ptr; /* npeer + 1: ghosts of peer k begin at ghost_ptr[k]            */
    const int32_t *read_ptr;  /* npeer + 1: rows that peer k reads begin at read[read_ptr[k]] */
    const int32_t *read;      /* local rows that peers read                                   */
    int64_t        ncross;    /* directed edges that end here and begin elsewhere             */
    const int64_t *cross_ptr; /* npeer + 1: those from peer k, positions behind the local edges */
    const int64_t *leave_ptr; /* npeer + 1: those to peer k begin at leave[leave_ptr[k]]      */
    const int64_t *leave;     /* local plane rows (i to its p-th neighbour) that peer k reads */
} mb_halo;

/* Which rows this process owns, and which it only reads. Rows 0..n_local-1 are computed here, by
 * ascending node id; ghosts behind them are filled by the transport, by owner and node id.
 * Simulator: n_local = N, n_ghost = 0. Neighbours are in the order of their ids, not of their
 * rows, so sums are those of one process. */
typedef struct mb_part {
    int32_t        n_local;  /* rows computed here                    */
    int32_t        n_ghost;  /* rows of others that are read here     */
    int32_t        n_global; /* N: nodes of the whole network         */
    const int32_t *gid;      /* row -> global node id, n_local + n_ghost */
    const int32_t *owner;    /* ghost g -> peer that owns it, n_ghost    */
    mb_graph       g;      /* n_local rows; adj holds row numbers; rev of an edge from a ghost: its
                             place behind the local edges                                       */
    const int32_t *deg;    /* degree of every row, n_local + n_ghost   */
    mb_weights     w;      /* aligned with g                                                   */
    const uint8_t *border; /* n_local: 1 when a neighbour is a ghost; NULL: none has one        */
    mb_halo        halo;   /* nothing for one process                                          */
    /* n_local: place on the ring; NULL: the network is none, see mb_graph_ring. */
    const int32_t *turn;
    /* Aligned with g.adj: 1 on links of a spanning tree, in both directions, else 0; NULL: no tree
     * (mb_part_whole and mb_part_share make none). Borrowed. */
    const uint8_t *tree;
} mb_part;
/* The whole network in one process. g and w are borrowed. */
MB_API mb_status mb_part_whole(mb_arena *a, const mb_graph *g, const mb_weights *w, mb_part *out,
                               mb_err *err) MB_CHECKED;
/* The share of process `me`: the nodes with owner[i] == me (owner: n, 0..). MB_E_ARG when it has
 * none. g, w: the whole network. O(n + edges) once. */
MB_API mb_status mb_part_share(mb_arena *a, const mb_graph *g, const mb_weights *w,
                               const int32_t *owner, int32_t me, mb_part *out,
                               mb_err *err) MB_CHECKED;
/* owner[i] of every node for `parts` processes: blocks of ids, sizes differing by one at most. */
MB_API void mb_split_blocks(int32_t n, int32_t parts, int32_t *owner);
/* Few edges cut, by METIS: MB_E_NOSUP when it was left out of the build. The same owners on every process. */
MB_API mb_status mb_split_metis(mb_arena *a, const mb_graph *g, int32_t parts, int32_t *owner,
                                mb_err *err) MB_CHECKED;

#ifdef __cplusplus
}
#endif
#endif

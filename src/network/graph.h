/* network/graph.h - graphs: made, searched, described, weighed and shared between processes. */
#ifndef MB_NETWORK_GRAPH_H
#define MB_NETWORK_GRAPH_H

#include "meshbayes/extend.h"

/* Undirected edges as pairs (m x 2) of 0..n-1. Duplicates are merged; MB_E_ARG for a loop or an id
 * out of range. O(n + m). */
mb_status mb_graph_from_edges(mb_arena *a, int32_t n, int64_t m, const int32_t *edges,
                              mb_graph *out, mb_err *err) MB_CHECKED;
/* Breadth-first search: sets hops[], -1 before, to the distance from `root` of every node that it
 * reaches, and lists these nodes in queue[] (room for n), nearest first. Returns their number.
 * O(n + edges). */
int32_t mb_graph_search(const mb_graph *g, int32_t root, int32_t *hops, int32_t *queue);
/* part[i] = component of node i; components are numbered from 0 by their lowest node. */
mb_status mb_graph_components(mb_arena *a, const mb_graph *g, int32_t *part, int32_t *count,
                              mb_err *err) MB_CHECKED;
/* MB_E_ARG, with a message that lists the components, if there are several. id: n names of the
 * nodes, or NULL: numbers from 1. */
mb_status mb_graph_check_connected(mb_arena *a, const mb_graph *g, const char *const *id,
                                   mb_err *err) MB_CHECKED;

/* cut[i] = 1 for each node without which its component falls apart (articulation point), else 0;
 * *count: their number, may be NULL. O(n + edges). */
mb_status mb_graph_cut_nodes(mb_arena *a, const mb_graph *g, uint8_t *cut, int32_t *count,
                             mb_err *err) MB_CHECKED;

/* -1 if the network is a ring: connected, with two neighbours at every node; two linked nodes and a
 * single node also count. Otherwise the first node with another number of neighbours, or 0 for
 * several rings. turn (n, or NULL): positions on the ring, node 0, its first neighbour, .. O(n). */
int32_t mb_graph_ring(const mb_graph *g, int32_t *turn);

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
mb_status mb_topology_make(mb_arena *a, const char *text, uint64_t seed, mb_topology *out,
                           mb_err *err) MB_CHECKED;
/* n of a description without building it (also "complete:n=1"). */
mb_status mb_topology_size(const char *text, int32_t *n, mb_err *err) MB_CHECKED;
/* One line of help per topology: name, parameters, meaning. NULL-terminated. */
const char *const *mb_topology_help(void);

/* Weights of a rule, O(n + edges). */
mb_status mb_weights_make(mb_arena *a, const mb_graph *g, mb_rule rule, mb_weights *out,
                          mb_err *err) MB_CHECKED;
/* From triples (i, j, w); i == j is the self weight. Missing weights are 0. MB_E_ARG if a row does
 * not sum to 1 within 1e-12, a pair is not an edge, or a weight is given twice. id: n names of the
 * nodes for messages, or NULL: numbers from 1. */
mb_status mb_weights_from(mb_arena *a, const mb_graph *g, const char *const *id, int64_t m,
                          const int32_t *ij, const double *w, mb_weights *out,
                          mb_err *err) MB_CHECKED;
/* max_j |sum_i w_ij - 1|: 0 (to rounding) if averaging preserves the mean over the network. */
double mb_weights_column_error(const mb_graph *g, const mb_weights *w);

/* Statistics of a connected network (otherwise MB_E_ARG); bounded work: seconds at any size.
 * Diameter: searches from every node while n (n + 2 edges) <= 5e8. Spectrum: Lanczos iteration with
 * the known leading eigenvector deflated, until 50 % more steps change it by less than 1e-14 of the
 * largest eigenvalue. w may be NULL (lambda2 = NaN). Weights that are similar to a symmetric matrix
 * by detailed balance (all three rules) use Lanczos iteration too, others power iteration. */
mb_status mb_graph_describe(mb_arena *a, const mb_graph *g, const mb_weights *w,
                            mb_graph_stats *out, mb_err *err) MB_CHECKED;

/* The whole network in one process. g and w are borrowed. */
mb_status mb_part_whole(mb_arena *a, const mb_graph *g, const mb_weights *w, mb_part *out,
                        mb_err *err) MB_CHECKED;
/* The share of process `me`: the nodes with owner[i] == me (owner: n, from 0). MB_E_ARG if there
 * are none. g, w: the whole network. O(n + edges) once. */
mb_status mb_part_share(mb_arena *a, const mb_graph *g, const mb_weights *w, const int32_t *owner,
                        int32_t me, mb_part *out, mb_err *err) MB_CHECKED;
/* owner[i] of every node for `parts` processes: blocks of ids whose sizes differ by at most one. */
void mb_split_blocks(int32_t n, int32_t parts, int32_t *owner);
/* METIS partition, which cuts few edges, or mb_split_blocks where that leaves a process without a
 * node; the same owners on every process. MB_E_NOSUP in a build without METIS. */
mb_status mb_split_metis(mb_arena *a, const mb_graph *g, int32_t parts, int32_t *owner,
                         mb_err *err) MB_CHECKED;

#endif

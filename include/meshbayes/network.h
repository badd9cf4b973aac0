/* meshbayes/network.h - who talks to whom: names, links, weights and positions of the nodes, and the
 * share of them that this process computes. A network knows no rows.
 *
 * A network comes from a file, from a description or from arrays. Each maker does the whole: links,
 * the check that they connect all nodes, positions, weights, facts. With mb_network_opt.links_only
 * it ends behind the links, and the caller takes the other steps it needs, in this order. */
#ifndef MESHBAYES_NETWORK_H
#define MESHBAYES_NETWORK_H

#include "meshbayes/graph.h"
#include "meshbayes/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An undirected network. Arrays live in the arena of its maker; nothing changes after the last step. */
typedef struct mb_network {
    int32_t            n;        /* nodes                                                   */
    const char *const *id;       /* n: their names; "1".."n" where none are given           */
    mb_graph           g;        /* links                                                   */
    mb_weights         w;        /* combination weights, eq. (23)                           */
    const double      *xy;       /* n x 2: positions; NULL with links_only where none are known */
    const char        *xy_from;  /* "topology", "file" or "layout"; NULL: no positions      */
    const double      *delivery; /* ptr[n], aligned with adj: P(a message arrives), or NULL */
    int32_t            drawn;    /* draws of a random topology until it was connected, else 1 */
    mb_graph_stats     facts;    /* degrees, diameter, spectrum                             */
    const char        *warning;  /* a line for the user about the weights, or NULL          */
} mb_network;

/* How a network is made; zeros and NULL are the defaults. */
typedef struct mb_network_opt {
    const char *weights; /* "nearest", "metropolis", "laplacian" or "file:F.csv" (columns i, j, w;
                              rows sum to 1); NULL: metropolis                                    */
    const char
           *positions;  /* CSV (columns node, x, y) or GraphML (node data x and y) with each node;
                              NULL: those of the description or of the network's file, else a layout */
    int32_t skip_own;   /* 1: positions in the file of the network do not count                */
    int32_t links_only; /* 1: the maker ends behind the links                                  */
    const char *const *id; /* mb_network_read: nodes even where no link names them, in any order;
                              mb_network_draw: names of all nodes, in their order; NULL: none     */
    int32_t nid;           /* names in id                                                         */
} mb_network_opt;

/* The network of an edge list (CSV, columns i and j) or of GraphML ("F.graphml"). Its nodes are
 * sorted: by number when all ids are integers, else by bytes. opt may be NULL, here and below.
 * MB_E_IO, MB_E_FORMAT; MB_E_ARG names the components of a network that is not connected. Not in a
 * library without stdio. */
MB_API mb_status mb_network_read(mb_arena *a, const char *file, const mb_network_opt *opt,
                                 mb_network *out, mb_err *err) MB_CHECKED;
/* The network of a description, see mb_topology_make. */
MB_API mb_status mb_network_draw(mb_arena *a, const char *topology, uint64_t seed,
                                 const mb_network_opt *opt, mb_network *out,
                                 mb_err *err) MB_CHECKED;
/* m links between n nodes: ends (m x 2) are indices of nodes, 0..n-1. id (n; borrowed): names, all
 * different, else MB_E_ARG; NULL: "1".."n". The nodes keep the order of the caller; sums over
 * neighbours follow it, so files with the same links may differ in the last bits. */
MB_API mb_status mb_network_from(mb_arena *a, int32_t n, const char *const *id, int64_t m,
                                 const int32_t *ends, const mb_network_opt *opt, mb_network *out,
                                 mb_err *err) MB_CHECKED;

/* First step behind the links: MB_E_ARG that names the components when there are several. */
MB_API mb_status mb_network_check(const mb_network *net, mb_err *err) MB_CHECKED;
/* Second step: positions. A layout costs O(n^2) up to 2000 nodes; larger networks become a circle. */
MB_API mb_status mb_network_arrange(mb_arena *a, const mb_network_opt *opt, mb_network *net,
                                    mb_err *err) MB_CHECKED;
/* Third step: weights. A file whose columns do not sum to 1 sets net->warning. */
MB_API mb_status mb_network_weigh(mb_arena *a, const mb_network_opt *opt, mb_network *net,
                                  mb_err *err) MB_CHECKED;
/* Last step: facts, in seconds at most (mb_graph_describe). */
MB_API mb_status mb_network_describe(mb_network *net, mb_err *err) MB_CHECKED;

/* Columns of weights that are this far from 1 are no rounding: averaging moves the mean. */
#define MB_COLUMN_TOLERANCE 1e-9

/* Writes the links by the path's ending: .graphml, .dot or .gv, else an edge list (CSV, columns i and
 * j, each link once). Positions go to GraphML and DOT. Never half-written; not in a library without
 * stdio, as the next two. */
MB_API mb_status mb_network_write(mb_arena *a, const mb_network *net, const char *path,
                                  mb_err *err) MB_CHECKED;
/* CSV of positions: columns node, x, y. */
MB_API mb_status mb_network_write_positions(mb_arena *a, const mb_network *net, const char *path,
                                            mb_err *err) MB_CHECKED;
/* CSV of weights: columns i, j, w; i = j is a node's weight for itself. */
MB_API mb_status mb_network_write_weights(mb_arena *a, const mb_network *net, const char *path,
                                          mb_err *err) MB_CHECKED;

/* This process's share of a network and the transport that links it to the others. */
typedef struct mb_place {
    const mb_network *net;  /* borrowed                                   */
    const mb_comm    *comm; /* borrowed; NULL: one process                */
    mb_part           part; /* this process's nodes                       */
    mb_transport      tp;   /* reliable; points to part: a place must not be moved */
} mb_place;

/* Shares the nodes over the processes of comm (NULL: one), with few links between processes where
 * METIS is there, else by blocks of ids, and links them. Collective. MB_E_ARG when there are more
 * processes than nodes. */
MB_API mb_status mb_place_make(mb_arena *a, const mb_network *net, const mb_comm *comm,
                               mb_place *out, mb_err *err) MB_CHECKED;
/* A network of one node, whole in every process: where centralised VB runs. */
MB_API mb_status mb_place_one(mb_arena *a, mb_place *out, mb_err *err) MB_CHECKED;
/* Closes the transport; safe on a zeroed place. */
MB_API void mb_place_close(mb_place *place);

#ifdef __cplusplus
}
#endif
#endif

/* meshbayes/network.h - which nodes exchange messages: their names, links, weights and positions,
 * and the share of them that this process computes. A network knows no rows.
 *
 * A network comes from a file, a description or arrays. Each maker does all of it; with
 * mb_network_opt.links_only it stops after the links, and the caller calls those of the other steps
 * that it needs, in this order: mb_network_check, _arrange, _weigh, _describe. */
#ifndef MESHBAYES_NETWORK_H
#define MESHBAYES_NETWORK_H

#include "meshbayes/graph.h"
#include "meshbayes/transport.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An undirected network. Its arrays live in the arena of its maker; nothing changes later. */
typedef struct mb_network {
    int32_t            n;        /* nodes                                                      */
    const char *const *id;       /* n: their names; "1".."n" where none are given              */
    mb_graph           g;        /* links                                                      */
    mb_weights         w;        /* combination weights, eq. (23)                              */
    const double      *xy;       /* n x 2: positions; NULL: none known (links_only)            */
    const char        *xy_from;  /* "topology", "file" or "layout"; NULL with xy               */
    const double      *delivery; /* aligned with g.adj: P(the link is up in a round), the same in
                                    both directions; NULL: not known. For mb_faults             */
    int32_t            drawn;    /* draws until a random topology was connected, else 1        */
    mb_graph_stats     facts;    /* degrees, diameter, spectrum                                */
    const char        *warning;  /* one line about the weights, for the user; NULL: none       */
    const char        *note; /* one line about columns of the file that were not used; NULL: none */
} mb_network;

/* Column prob or loss of a file of links (GraphML: edge data). */
typedef enum mb_delivery {
    MB_DELIVERY_UNUSED,  /* is not read                                             */
    MB_DELIVERY_NEEDED,  /* becomes mb_network.delivery; the file must have it      */
    MB_DELIVERY_IF_GIVEN /* the same where the file has it                          */
} mb_delivery;

/* How a network is made. Zeros and NULL are the defaults; NULL for this struct: all of them. */
typedef struct mb_network_opt {
    /* "nearest", "metropolis" (the default), "laplacian" or "file:F.csv" (columns i, j, w) */
    const char *weights;
    /* CSV (columns node, x, y) or GraphML (data x and y) with positions of all nodes. NULL: those
     * of the description or of the network's file, else a layout. */
    const char *positions;
    int32_t     skip_own;   /* 1: ignore the positions in the network's file */
    int32_t     links_only; /* 1: stop after the links                       */
    /* mb_network_read: an mb_delivery. MB_E_FORMAT when the file has both columns, for a link
     * without a value, a prob outside 0.001 to 1, a loss outside 0 to 0.999, or a link given twice
     * with different values. */
    int32_t delivery;
    /* mb_network_read: ids of further nodes, in any order, which no link needs to name.
     * mb_network_draw: the names of the nodes, in their order. NULL: none. */
    const char *const *id;
    int32_t            nid; /* ids in id */
} mb_network_opt;

/* The network of an edge list (CSV, columns i and j) or of GraphML ("F.graphml"). Its nodes are
 * sorted: by number when all ids are integers, else by bytes. MB_E_IO, MB_E_FORMAT; MB_E_ARG names
 * the components of a network that is not connected, or opt->id and the file's when they have no
 * name in common. Absent from a library without stdio. */
MB_API mb_status mb_network_read(mb_arena *a, const char *file, const mb_network_opt *opt,
                                 mb_network *out, mb_err *err) MB_CHECKED;
/* The network of a description, see mb_topology_make. */
MB_API mb_status mb_network_draw(mb_arena *a, const char *topology, uint64_t seed,
                                 const mb_network_opt *opt, mb_network *out,
                                 mb_err *err) MB_CHECKED;
/* m links between n nodes: ends (m x 2) are indices of nodes, 0..n-1. id (n; borrowed): names, all
 * different, else MB_E_ARG; NULL: "1".."n". Nodes keep the order of the caller, and sums over
 * neighbours follow it: a file with the same links sorts its nodes, so last bits may differ. */
MB_API mb_status mb_network_from(mb_arena *a, int32_t n, const char *const *id, int64_t m,
                                 const int32_t *ends, const mb_network_opt *opt, mb_network *out,
                                 mb_err *err) MB_CHECKED;

/* First step after the links: MB_E_ARG that names the components when there are several. */
MB_API mb_status mb_network_check(const mb_network *net, mb_err *err) MB_CHECKED;
/* Second step: positions. A layout costs O(n^2); more than 2000 nodes are put on a circle. */
MB_API mb_status mb_network_arrange(mb_arena *a, const mb_network_opt *opt, mb_network *net,
                                    mb_err *err) MB_CHECKED;
/* Third step: weights. Rows of a file must sum to 1; columns that do not set net->warning. */
MB_API mb_status mb_network_weigh(mb_arena *a, const mb_network_opt *opt, mb_network *net,
                                  mb_err *err) MB_CHECKED;
/* Last step: facts, in seconds at most (mb_graph_describe). */
MB_API mb_status mb_network_describe(mb_network *net, mb_err *err) MB_CHECKED;

/* Column sums of weights that differ from 1 by more are not rounding: averaging moves the mean. */
#define MB_COLUMN_TOLERANCE 1e-9

/* Writes the links by the path's ending: .graphml, .dot or .gv, else an edge list (CSV, columns i
 * and j, each link once). `delivery` becomes column prob (GraphML: edge data, DOT: an attribute),
 * in digits that read back to the same; positions go to GraphML and DOT. Files are replaced
 * atomically. This function and the next two are absent from a library without stdio. */
MB_API mb_status mb_network_write(mb_arena *a, const mb_network *net, const char *path,
                                  mb_err *err) MB_CHECKED;
/* CSV of positions: columns node, x, y. */
MB_API mb_status mb_network_write_positions(mb_arena *a, const mb_network *net, const char *path,
                                            mb_err *err) MB_CHECKED;
/* CSV of weights: columns i, j, w; i = j is a node's weight for itself. */
MB_API mb_status mb_network_write_weights(mb_arena *a, const mb_network *net, const char *path,
                                          mb_err *err) MB_CHECKED;

/* This process's share of a network and the transport that connects it to the others. */
typedef struct mb_place {
    const mb_network *net;  /* borrowed                                   */
    const mb_comm    *comm; /* borrowed; NULL: one process                */
    mb_part           part; /* this process's nodes                       */
    mb_transport      tp;   /* reliable; points to part: do not copy or move a place */
} mb_place;

/* Shares the nodes over the processes of comm (NULL: one), with few links between them where the
 * build has METIS, else by blocks of ids, and connects them. Collective. MB_E_ARG: more processes
 * than nodes. */
MB_API mb_status mb_place_make(mb_arena *a, const mb_network *net, const mb_comm *comm,
                               mb_place *out, mb_err *err) MB_CHECKED;
/* The same of a network of process 0: the others, whose net has n and facts, receive shares. */
MB_API mb_status mb_place_share(mb_arena *a, const mb_network *net, const mb_comm *comm,
                                mb_place *out, mb_err *err) MB_CHECKED;
/* A network of one node, in every process: central VB runs there. */
MB_API mb_status mb_place_one(mb_arena *a, mb_place *out, mb_err *err) MB_CHECKED;
/* Closes the transport; safe on a zeroed place. */
MB_API void mb_place_close(mb_place *place);

#ifdef __cplusplus
}
#endif
#endif

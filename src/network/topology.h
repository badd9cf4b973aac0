/* network/topology.h - parameters of the topologies, and the makers of random ones. */
#ifndef MB_NETWORK_TOPOLOGY_H
#define MB_NETWORK_TOPOLOGY_H

#include "meshbayes/meshbayes.h"
#include "network/graph.h"

typedef struct mb_topology_par {
    int64_t n, rows, cols, arity, clique, path;
    double  side, radius, p;
} mb_topology_par;

/* random.c: nodes on the unit circle, the first at (1, 0). */
void mb_on_circle_(int32_t first, int32_t n, double *xy);
/* Both redraw until connected. */
mb_status mb_make_geometric_(mb_arena *a, const mb_topology_par *par, uint64_t seed,
                             mb_topology *out, mb_err *err) MB_CHECKED;
mb_status mb_make_er_(mb_arena *a, const mb_topology_par *par, uint64_t seed, mb_topology *out,
                      mb_err *err) MB_CHECKED;

#endif

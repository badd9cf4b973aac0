/* network/csr.h - what the library's own files need of a graph. */
#ifndef MB_NETWORK_CSR_H
#define MB_NETWORK_CSR_H

#include "meshbayes/meshbayes.h"

static inline int32_t mb_degree_(const mb_graph *g, int32_t i)
{
    return (int32_t)(g->ptr[i + 1] - g->ptr[i]);
}

/* The eigenvalues in *out, of a connected network (spectral.c). w may be NULL. */
mb_status mb_spectrum_(mb_arena *a, const mb_graph *g, const mb_weights *w, mb_graph_stats *out,
                       mb_err *err) MB_CHECKED;

/* Position of the directed edge from i to j, or -1; rows are sorted. */
static inline int64_t mb_edge_at_(const mb_graph *g, int32_t i, int32_t j)
{
    int64_t lo = g->ptr[i], hi = g->ptr[i + 1];

    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;

        if (g->adj[mid] < j)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < g->ptr[i + 1] && g->adj[lo] == j ? lo : -1;
}

#endif

/* graph/csr.h - what walks over a network share. */
#ifndef MB_GRAPH_CSR_H
#define MB_GRAPH_CSR_H

#include "meshbayes/graph.h"

static inline int32_t mb_degree_(const mb_graph *g, int32_t i)
{
    return (int32_t)(g->ptr[i + 1] - g->ptr[i]);
}

/* Marks in hops[] (-1 = not yet seen) every node reached from `root` with its distance, and lists
 * them in queue[] (room for n) by distance. Returns how many were reached. */
int32_t mb_search_(const mb_graph *g, int32_t root, int32_t *hops, int32_t *queue);

/* mb_part::turn of `rows` nodes: NULL when g, the whole network, is no ring. */
mb_status mb_turns_(mb_arena *a, const mb_graph *g, const int32_t *gid, int32_t rows,
                    const int32_t **turn, mb_err *err) MB_CHECKED;

#endif

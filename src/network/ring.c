/* network/ring.c - is a network a ring, and in which order does a token visit its nodes? */
#include "network/csr.h"
#include "network/graph.h"

/* If every node has two neighbours, a walk from node 0 returns to it. If it met all nodes, the
 * network is a ring; otherwise there are several. */
int32_t mb_graph_ring(const mb_graph *g, int32_t *turn)
{
    const int32_t deg = g->n > 2 ? 2 : g->n - 1;
    int32_t       met = 0, from = -1, at = 0, next;

    for (int32_t i = 0; i < g->n; i++)
        if (mb_degree_(g, i) != deg)
            return i;
    do {
        if (turn)
            turn[at] = met;
        met++;
        next = deg > 0 ? g->adj[g->ptr[at]] : 0;
        if (deg == 2 && next == from)
            next = g->adj[g->ptr[at] + 1];
        from = at;
        at = next;
    } while (at);
    return met == g->n ? -1 : 0;
}

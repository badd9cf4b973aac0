/* graph/ring.c - is a network a ring, and in which order does a token visit its nodes? */
#include "graph/csr.h"

/* The first node whose number of neighbours is not that of a ring of n; -1: none. */
static int32_t misfit(const mb_graph *g)
{
    const int32_t deg = g->n > 2 ? 2 : g->n - 1;

    for (int32_t i = 0; i < g->n; i++)
        if (mb_degree_(g, i) != deg)
            return i;
    return -1;
}

/* The neighbour of i other than `from`. */
static int32_t onward(const mb_graph *g, int32_t i, int32_t from)
{
    const int32_t *adj = g->adj + g->ptr[i];

    return mb_degree_(g, i) == 2 && adj[0] == from ? adj[1] : adj[0];
}

/* Every node has two neighbours, so the walk from node 0 returns to it. If it met all nodes, the
 * network is a ring; otherwise there are several. */
int32_t mb_graph_ring(const mb_graph *g, int32_t *turn)
{
    int32_t off = misfit(g), met = 0, from = -1, at = 0, next;

    if (off >= 0 || g->n == 0)
        return off;
    do {
        if (turn)
            turn[at] = met;
        met++;
        next = g->n > 1 ? onward(g, at, from) : 0;
        from = at;
        at = next;
    } while (at);
    return met == g->n ? -1 : 0;
}

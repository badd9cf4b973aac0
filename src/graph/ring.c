/* graph/ring.c - is a network one ring, and in which order does a token go round it? */
#include "graph/csr.h"

/* The first node with another number of neighbours than those of a ring of n; -1: none. */
static int32_t misfit(const mb_graph *g)
{
    const int32_t deg = g->n > 2 ? 2 : g->n - 1;

    for (int32_t i = 0; i < g->n; i++)
        if (mb_degree_(g, i) != deg)
            return i;
    return -1;
}

/* The neighbour of i that we do not come from. */
static int32_t onward(const mb_graph *g, int32_t i, int32_t from)
{
    const int32_t *adj = g->adj + g->ptr[i];

    return mb_degree_(g, i) == 2 && adj[0] == from ? adj[1] : adj[0];
}

/* Every node has its two neighbours, so the walk from node 0 comes back to it: a ring when it met
 * all nodes, one of several when not. */
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

mb_status mb_turns_(mb_arena *a, const mb_graph *g, const int32_t *gid, int32_t rows,
                    const int32_t **turn, mb_err *err)
{
    int32_t *all, *mine;

    *turn = NULL;
    if (mb_graph_ring(g, NULL) >= 0)
        return MB_OK;
    MB_NEW(all, a, g->n, err);
    MB_NEW(mine, a, rows, err);
    mb_graph_ring(g, all);
    for (int32_t i = 0; i < rows; i++)
        mine[i] = all[gid[i]];
    *turn = mine;
    return MB_OK;
}

/* cut.c - nodes without which a network falls apart, by depth-first search (Hopcroft and Tarjan,
 * Algorithm 447, 1973). */
#include "network/graph.h"

#include <string.h>

typedef struct walk {
    int32_t *found;  /* n: when it was found, from 1; 0: not yet                 */
    int32_t *low;    /* n: earliest found that its subtree has a link to         */
    int32_t *parent; /* n: in the tree of the search; -1: the root               */
    int64_t *next;   /* n: the next link to follow                               */
    int32_t  count;  /* nodes found                                              */
} walk;

static void find(walk *w, int32_t i, int32_t parent)
{
    w->parent[i] = parent;
    w->found[i] = w->low[i] = ++w->count;
}

static void search(const mb_graph *g, int32_t root, walk *w, uint8_t *cut)
{
    int32_t i = root, children = 0;

    find(w, root, -1);
    while (i >= 0) {
        const int32_t up = w->parent[i];

        if (w->next[i] < g->ptr[i + 1]) {
            const int32_t j = g->adj[w->next[i]++];

            if (!w->found[j]) {
                find(w, j, i);
                i = j;
            } else if (j != up && w->found[j] < w->low[i]) {
                w->low[i] = w->found[j];
            }
            continue;
        }
        if (up >= 0) {
            children += up == root;
            if (w->low[i] >= w->found[up])
                cut[up] = 1;
            if (w->low[i] < w->low[up])
                w->low[up] = w->low[i];
        }
        i = up;
    }
    cut[root] = children > 1;
}

mb_status mb_graph_cut_nodes(mb_arena *a, const mb_graph *g, uint8_t *cut, int32_t *count,
                             mb_err *err)
{
    walk w = {.count = 0};

    MB_NEW(w.found, a, g->n, err);
    MB_NEW(w.low, a, g->n, err);
    MB_NEW(w.parent, a, g->n, err);
    MB_NEW(w.next, a, g->n, err);
    memset(cut, 0, (size_t)g->n);
    memcpy(w.next, g->ptr, (size_t)g->n * sizeof *w.next);
    for (int32_t i = 0; i < g->n; i++)
        if (!w.found[i])
            search(g, i, &w, cut);
    if (count)
        *count = 0;
    for (int32_t i = 0; count && i < g->n; i++)
        *count += cut[i];
    return MB_OK;
}

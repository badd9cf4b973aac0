/* tree.h - a breadth-first tree of a network by plain relaxation, independent of the library's. */
#ifndef MB_TEST_TREE_H
#define MB_TEST_TREE_H

#include "meshbayes/extend.h"
#include "test.h"

/* hop[i]: hops from node `from` over links with use[e], or over all where use is NULL; n: never. */
static inline void tree_hops(const mb_graph *g, const uint8_t *use, int32_t from, int32_t *hop)
{
    for (int32_t i = 0; i < g->n; i++)
        hop[i] = i == from ? 0 : g->n;
    for (int again = 1; again;) {
        again = 0;
        for (int32_t i = 0; i < g->n; i++)
            for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
                if ((!use || use[e]) && hop[g->adj[e]] + 1 < hop[i]) {
                    hop[i] = hop[g->adj[e]] + 1;
                    again = 1;
                }
    }
}

/* The same from node 0, of every row of a share of the network, ghosts too. */
static inline const int32_t *tree_depths(mb_arena *a, const mb_graph *g, const mb_part *part)
{
    const int32_t rows = part->n_local + part->n_ghost;
    int32_t      *hop = mb_alloc(a, (size_t)g->n, sizeof *hop);
    int32_t      *out = mb_alloc(a, (size_t)rows, sizeof *out);

    assert_true(hop && out);
    tree_hops(g, NULL, 0, hop);
    for (int32_t k = 0; k < rows; k++)
        out[k] = hop[part->gid[k]];
    return out;
}

/* Flags of a breadth-first tree from `root`: the parent is the lowest neighbour one hop nearer. */
static inline const uint8_t *tree_links(mb_arena *a, const mb_graph *g, int32_t root)
{
    int32_t *hop = mb_alloc(a, (size_t)g->n, sizeof *hop);
    uint8_t *use = mb_alloc(a, (size_t)g->ptr[g->n] + 1, 1);

    assert_true(hop && use);
    tree_hops(g, NULL, root, hop);
    for (int32_t i = 0; i < g->n; i++)
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
            if (hop[g->adj[e]] == hop[i] - 1) {
                use[e] = MB_TO_ROOT;
                use[g->rev[e]] = 1;
                break;
            }
    return use;
}

/* The same tree where node i of g is node to[i] of h. */
static inline const uint8_t *tree_renamed(mb_arena *a, const mb_graph *g, const uint8_t *use,
                                          const mb_graph *h, const int32_t *to)
{
    uint8_t *out = mb_alloc(a, (size_t)h->ptr[h->n] + 1, 1);

    assert_non_null(out);
    for (int32_t i = 0; i < g->n; i++)
        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++)
            for (int64_t f = h->ptr[to[i]]; f < h->ptr[to[i] + 1]; f++)
                if (h->adj[f] == to[g->adj[e]])
                    out[f] = use[e];
    return out;
}

/* The flags of a share of the network with this tree: neighbours are in the order of ids. */
static inline const uint8_t *tree_of_share(mb_arena *a, const mb_graph *g, const uint8_t *use,
                                           const mb_part *part)
{
    uint8_t *mine = mb_alloc(a, (size_t)part->g.ptr[part->n_local] + 1, 1);

    assert_non_null(mine);
    for (int32_t i = 0; i < part->n_local; i++)
        for (int64_t e = part->g.ptr[i]; e < part->g.ptr[i + 1]; e++)
            mine[e] = use[g->ptr[part->gid[i]] + e - part->g.ptr[i]];
    return mine;
}

/* Mean hops between two nodes over the tree, own ones included, and the longest of them. */
static inline void tree_facts(mb_arena *a, const mb_graph *g, const uint8_t *use, double *mean,
                              int32_t *diameter)
{
    int32_t *hop = mb_alloc(a, (size_t)g->n, sizeof *hop);
    double   sum = 0;

    assert_non_null(hop);
    *diameter = 0;
    for (int32_t i = 0; i < g->n; i++) {
        tree_hops(g, use, i, hop);
        for (int32_t j = 0; j < g->n; j++) {
            assert_true(hop[j] < g->n); /* the tree reaches every node */
            sum += hop[j];
            *diameter = hop[j] > *diameter ? hop[j] : *diameter;
        }
    }
    *mean = sum / g->n / g->n;
}

#endif

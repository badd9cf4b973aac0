/* csr.c - edge pairs to compressed rows, in time and memory linear in the edges. */
#include "network/graph.h"

#include <string.h>

static mb_status check_edges(int32_t n, int64_t m, const int32_t *edges, mb_err *err)
{
    if (n < 1)
        MB_FAIL(err, MB_E_ARG, "network: got %d nodes; expected at least 1", n);
    if (m < 0)
        MB_FAIL(err, MB_E_ARG, "network: got %lld edges; expected at least 0", (long long)m);
    for (int64_t e = 0; e < m; e++) {
        int32_t i = edges[2 * e], j = edges[2 * e + 1];

        if (i < 0 || i >= n || j < 0 || j >= n)
            MB_FAIL(err, MB_E_ARG, "edge %lld joins %d and %d; expected 0 to %d", (long long)e, i,
                    j, n - 1);
        if (i == j)
            MB_FAIL(err, MB_E_ARG, "edge %lld joins node %d to itself", (long long)e, i);
    }
    return MB_OK;
}

/* Both directions of every edge, each in its row, in the order they come. */
static void fill_rows(int64_t m, const int32_t *edges, int64_t *next, int32_t *adj)
{
    for (int64_t e = 0; e < m; e++) {
        int32_t i = edges[2 * e], j = edges[2 * e + 1];

        adj[next[i]++] = j;
        adj[next[j]++] = i;
    }
}

/* The transpose of a symmetric pattern is the pattern with its rows sorted. */
static void transpose(int32_t n, const int64_t *ptr, const int32_t *adj, int64_t *next,
                      int32_t *sorted)
{
    memcpy(next, ptr, (size_t)n * sizeof *next);
    for (int32_t i = 0; i < n; i++)
        for (int64_t e = ptr[i]; e < ptr[i + 1]; e++)
            sorted[next[adj[e]]++] = i;
}

/* Merges equal neighbours of the sorted rows in place. */
static void merge(int32_t n, int64_t *ptr, int32_t *adj)
{
    int64_t unique = 0, from = 0;

    for (int32_t i = 0; i < n; i++) {
        int64_t first = unique, to = ptr[i + 1];

        for (int64_t e = from; e < to; e++)
            if (unique == first || adj[unique - 1] != adj[e])
                adj[unique++] = adj[e];
        from = to;
        ptr[i + 1] = unique;
    }
}

/* Rows are visited in ascending order, so every row j meets its neighbours in its own order. */
static void opposite(int32_t n, const int64_t *ptr, const int32_t *adj, int64_t *next, int64_t *rev)
{
    memcpy(next, ptr, (size_t)n * sizeof *next);
    for (int32_t i = 0; i < n; i++)
        for (int64_t e = ptr[i]; e < ptr[i + 1]; e++)
            rev[e] = next[adj[e]]++;
}

mb_status mb_graph_from_edges(mb_arena *a, int32_t n, int64_t m, const int32_t *edges,
                              mb_graph *out, mb_err *err)
{
    int64_t *ptr, *next, *rev;
    int32_t *adj, *unsorted;

    MB_TRY(check_edges(n, m, edges, err));
    MB_NEW(ptr, a, (size_t)n + 1, err);
    MB_NEW(next, a, n, err);
    MB_NEW(rev, a, 2 * (size_t)m, err);
    MB_NEW(adj, a, 2 * (size_t)m, err);
    unsorted = (int32_t *)(void *)rev; /* until the rows are sorted */
    for (int64_t e = 0; e < 2 * m; e++)
        ptr[edges[e] + 1]++;
    for (int32_t i = 0; i < n; i++)
        ptr[i + 1] += ptr[i];
    memcpy(next, ptr, (size_t)n * sizeof *next);
    fill_rows(m, edges, next, unsorted);
    transpose(n, ptr, unsorted, next, adj);
    merge(n, ptr, adj);
    opposite(n, ptr, adj, next, rev);
    *out = (mb_graph){.n = n, .ptr = ptr, .adj = adj, .rev = rev};
    return MB_OK;
}

/* describe.c - degrees, diameter and spectrum of a network. */
#include "base/scratch_arena.h"
#include "network/csr.h"
#include "network/graph.h"

#include <string.h>

enum { SWEEPS = 6 };
static const int64_t max_visits = 500000000; /* about a second */

static void degrees(const mb_graph *g, mb_graph_stats *out)
{
    out->edges = g->ptr[g->n] / 2;
    out->deg_mean = (double)g->ptr[g->n] / g->n;
    out->deg_min = INT32_MAX;
    out->deg_max = 0;
    for (int32_t i = 0; i < g->n; i++) {
        int32_t deg = mb_degree_(g, i);

        out->deg_min = deg < out->deg_min ? deg : out->deg_min;
        out->deg_max = deg > out->deg_max ? deg : out->deg_max;
    }
}

/* From every node, or from the node that is farthest from the last one. */
static mb_status diameter(mb_arena *a, const mb_graph *g, mb_graph_stats *out, mb_err *err)
{
    int32_t *hops, *queue, far = 0;

    MB_NEW(hops, a, g->n, err);
    MB_NEW(queue, a, g->n, err);
    out->diameter = 0;
    out->diameter_exact = g->n * (g->n + g->ptr[g->n]) <= max_visits;
    for (int32_t i = 0; i < (out->diameter_exact ? g->n : SWEEPS); i++) {
        memset(hops, 0xff, (size_t)g->n * sizeof *hops);
        far = queue[mb_graph_search(g, out->diameter_exact ? i : far, hops, queue) - 1];
        out->diameter = hops[far] > out->diameter ? hops[far] : out->diameter;
    }
    return MB_OK;
}

/* Whether the network is connected, and its diameter: their memory is free before the spectrum. */
static mb_status paths(mb_arena *a, const mb_graph *g, mb_graph_stats *out, mb_err *err)
{
    mb_arena *scratch_arena = mb_arena_scratch_(a);
    mb_status st;

    if (!scratch_arena)
        MB_FAIL(err, MB_E_NOMEM, "out of memory to describe a network");
    st = mb_graph_check_connected(scratch_arena, g, NULL, err);
    if (st >= 0)
        st = diameter(scratch_arena, g, out, err);
    mb_arena_free(scratch_arena);
    return st;
}

mb_status mb_graph_describe(mb_arena *a, const mb_graph *g, const mb_weights *w,
                            mb_graph_stats *out, mb_err *err)
{
    *out = (mb_graph_stats){0};
    degrees(g, out);
    MB_TRY(paths(a, g, out, err));
    return mb_spectrum_(a, g, w, out, err);
}

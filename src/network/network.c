/* network.c - a network from a description or from arrays, and the steps after its links. */
#include "network/network.h"
#include "base/format.h"
#include "network/file.h"
#include "network/graph.h"

#include <stdlib.h>
#include <string.h>

static mb_status new_scratch_arena(mb_arena **out, mb_err *err)
{
    *out = mb_arena_new(1 << 16);
    if (!*out)
        MB_FAIL(err, MB_E_NOMEM, "out of memory for the set-up");
    return MB_OK;
}

mb_status mb_network_check(const mb_network *net, mb_err *err)
{
    mb_arena *scratch_arena;
    mb_status st;

    MB_TRY(new_scratch_arena(&scratch_arena, err));
    st = mb_graph_check_connected(scratch_arena, &net->g, net->id, err);
    mb_arena_free(scratch_arena);
    return st;
}

mb_status mb_network_weigh(mb_arena *a, const mb_network_opt *opt, mb_network *net, mb_err *err)
{
    static const char *const rule[] = {
        [MB_NEAREST] = "nearest", [MB_METROPOLIS] = "metropolis", [MB_LAPLACIAN] = "laplacian"};
    const char *text = opt && opt->weights ? opt->weights : rule[MB_METROPOLIS];

    for (int r = MB_NEAREST; r <= MB_LAPLACIAN; r++)
        if (!strcmp(text, rule[r]))
            return mb_weights_make(a, &net->g, (mb_rule)r, &net->w, err);
    if (strncmp(text, "file:", 5) != 0 || !text[5])
        MB_FAIL(err, MB_E_ARG,
                "--weights: got \"%.60s\", which is not known; expected nearest, metropolis, "
                "laplacian or file:F.csv",
                text);
    return mb_network_weights_(a, text + 5, net, err);
}

mb_status mb_network_describe(mb_network *net, mb_err *err)
{
    mb_arena *scratch_arena;
    mb_status st;

    MB_TRY(new_scratch_arena(&scratch_arena, err));
    st = mb_graph_describe(scratch_arena, &net->g, &net->w, &net->facts, err);
    mb_arena_free(scratch_arena);
    return st;
}

mb_status mb_network_finish_(mb_arena *a, const mb_network_opt *opt, mb_network *net, mb_err *err)
{
    const char **number;

    if (!net->id) {
        MB_TRY(mb_numbered_(a, "", net->n, &number, err));
        net->id = number;
    }
    if (opt && opt->links_only)
        return MB_OK;
    MB_TRY(mb_network_check(net, err));
    MB_TRY(mb_network_arrange(a, opt, net, err));
    MB_TRY(mb_network_weigh(a, opt, net, err));
    return mb_network_describe(net, err);
}

mb_status mb_network_draw(mb_arena *a, const char *topology, uint64_t seed,
                          const mb_network_opt *opt, mb_network *out, mb_err *err)
{
    mb_topology top;

    MB_TRY(mb_topology_make(a, topology, seed, &top, err));
    if (opt && opt->id && opt->nid != top.g.n)
        MB_FAIL(err, MB_E_ARG, "%.200s: got %d names; expected one for each of %d nodes", topology,
                opt->nid, top.g.n);
    *out = (mb_network){.n = top.g.n,
                        .id = opt ? opt->id : NULL,
                        .g = top.g,
                        .xy = top.xy,
                        .xy_from = "topology",
                        .drawn = top.drawn};
    return mb_network_finish_(a, opt, out, err);
}

static int by_name(const void *x, const void *y)
{
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static mb_status check_names(mb_arena *scratch_arena, int32_t n, const char *const *id, mb_err *err)
{
    const char **sorted;

    MB_NEW(sorted, scratch_arena, n, err);
    memcpy(sorted, id, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_name);
    for (int32_t i = 1; i < n; i++)
        if (!strcmp(sorted[i - 1], sorted[i]))
            MB_FAIL(err, MB_E_ARG,
                    "node \"%.60s\": got the name twice; expected one node of each name",
                    sorted[i]);
    return MB_OK;
}

mb_status mb_network_from(mb_arena *a, int32_t n, const char *const *id, int64_t m,
                          const int32_t *ends, const mb_network_opt *opt, mb_network *out,
                          mb_err *err)
{
    mb_arena *scratch_arena;
    mb_status st;

    if (n < 1)
        MB_FAIL(err, MB_E_ARG, "network: got %d nodes; expected at least 1", n);
    if (id) {
        MB_TRY(new_scratch_arena(&scratch_arena, err));
        st = check_names(scratch_arena, n, id, err);
        mb_arena_free(scratch_arena);
        MB_TRY(st);
    }
    *out = (mb_network){.n = n, .id = id, .drawn = 1};
    MB_TRY(mb_graph_from_edges(a, n, m, ends, &out->g, err));
    return mb_network_finish_(a, opt, out, err);
}

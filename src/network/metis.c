/* metis.c - assigns nodes to processes so that few edges cross, if the build has METIS. */
#include "network/graph.h"

#ifdef MB_METIS
#include <metis.h>

/* 1 if every part has a node; size: parts zeros. */
static int all_used(int32_t n, const idx_t *part, int32_t parts, idx_t *size)
{
    int32_t used = 0;

    for (int32_t i = 0; i < n; i++)
        used += !size[part[i]]++;
    return used == parts;
}

mb_status mb_split_metis(mb_arena *a, const mb_graph *g, int32_t parts, int32_t *owner, mb_err *err)
{
    idx_t  n = g->n, one = 1, want = parts, cut, options[METIS_NOPTIONS];
    idx_t *ptr, *adj, *part, *size;

    MB_NEW(ptr, a, g->n + 1, err);
    MB_NEW(adj, a, g->ptr[g->n], err);
    MB_NEW(part, a, g->n, err);
    MB_NEW(size, a, parts, err);
    for (int32_t i = 0; i <= g->n; i++)
        ptr[i] = (idx_t)g->ptr[i];
    for (int64_t e = 0; e < g->ptr[g->n]; e++)
        adj[e] = g->adj[e];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    if (parts > 1 && METIS_PartGraphKway(&n, &one, ptr, adj, NULL, NULL, NULL, &want, NULL, NULL,
                                         options, &cut, part) != METIS_OK)
        MB_FAIL(err, MB_E_NUMERIC, "METIS found no partition of %d nodes into %d", g->n, parts);
    for (int32_t i = 0; i < g->n; i++)
        owner[i] = (int32_t)part[i];
    if (!all_used(g->n, part, parts, size)) /* it happens with few nodes a part */
        mb_split_blocks(g->n, parts, owner);
    return MB_OK;
}
#else
mb_status mb_split_metis(mb_arena *a, const mb_graph *g, int32_t parts, int32_t *owner, mb_err *err)
{
    (void)a, (void)g, (void)parts, (void)owner;
    MB_FAIL(err, MB_E_NOSUP, "this build has no METIS: partition by blocks of ids");
}
#endif

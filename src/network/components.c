/* components.c - the connected components of a network, and a message that lists them. */
#include "base/format.h"
#include "network/csr.h"
#include "network/graph.h"

#include <string.h>

enum { SHOWN_COMPONENTS = 4, SHOWN_NODES = 4, ROOM = 128 };

int32_t mb_graph_search(const mb_graph *g, int32_t root, int32_t *hops, int32_t *queue)
{
    int32_t head = 0, tail = 0;

    hops[root] = 0;
    queue[tail++] = root;
    while (head < tail) {
        int32_t i = queue[head++];

        for (int64_t e = g->ptr[i]; e < g->ptr[i + 1]; e++) {
            int32_t j = g->adj[e];

            if (hops[j] < 0) {
                hops[j] = hops[i] + 1;
                queue[tail++] = j;
            }
        }
    }
    return tail;
}

mb_status mb_graph_components(mb_arena *a, const mb_graph *g, int32_t *part, int32_t *count,
                              mb_err *err)
{
    int32_t *queue;

    MB_NEW(queue, a, g->n, err);
    memset(part, 0xff, (size_t)g->n * sizeof *part);
    *count = 0;
    for (int32_t i = 0; i < g->n; i++) {
        if (part[i] >= 0)
            continue;
        for (int32_t q = mb_graph_search(g, i, part, queue); q-- > 0;)
            part[queue[q]] = *count;
        ++*count;
    }
    return MB_OK;
}

/* "{1, 2, 5, 7, ... 12 nodes}", less than ROOM bytes; returns its length. */
static int list_component(const mb_graph *g, const char *const *id, const int32_t *part,
                          int32_t which, char *to)
{
    const char *before;
    int         used = 0;
    int32_t     nodes = 0;

    for (int32_t i = 0; i < g->n; i++) {
        if (part[i] != which || nodes++ >= SHOWN_NODES)
            continue;
        before = nodes > 1 ? ", " : which ? ", {" : "{";
        used += id ? mb_format_(to + used, ROOM, "%s%.20s", before, id[i])
                   : mb_format_(to + used, ROOM, "%s%d", before, i + 1);
    }
    if (nodes > SHOWN_NODES)
        used += mb_format_(to + used, ROOM, ", ... %d nodes", nodes);
    return used + mb_format_(to + used, ROOM, "}");
}

mb_status mb_graph_check_connected(mb_arena *a, const mb_graph *g, const char *const *id,
                                   mb_err *err)
{
    int32_t *part, count;
    char     text[(SHOWN_COMPONENTS + 1) * ROOM];
    int      used = 0;

    MB_NEW(part, a, g->n, err);
    MB_TRY(mb_graph_components(a, g, part, &count, err));
    if (count == 1)
        return MB_OK;
    for (int32_t c = 0; c < count && c < SHOWN_COMPONENTS; c++)
        used += list_component(g, id, part, c, text + used);
    MB_FAIL(err, MB_E_ARG, "the network is not connected: %d components: %s%s", count, text,
            count > SHOWN_COMPONENTS ? ", ..." : "");
}

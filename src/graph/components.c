/* components.c - what hangs together, and the line that says what does not. */
#include "base/format.h"
#include "graph/csr.h"

#include <string.h>

enum { SHOWN_COMPONENTS = 4, SHOWN_NODES = 4 };

int32_t mb_search_(const mb_graph *g, int32_t root, int32_t *hops, int32_t *queue)
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
    int32_t *hops, *queue, reached;

    MB_NEW(hops, a, g->n, err);
    MB_NEW(queue, a, g->n, err);
    memset(hops, 0xff, (size_t)g->n * sizeof *hops);
    *count = 0;
    for (int32_t i = 0; i < g->n; i++) {
        if (hops[i] >= 0)
            continue;
        reached = mb_search_(g, i, hops, queue);
        for (int32_t q = 0; q < reached; q++)
            part[queue[q]] = *count;
        ++*count;
    }
    return MB_OK;
}

/* A text that grows to its capacity and no further. */
typedef struct line {
    char   text[400];
    size_t used;
} line;

static void add(line *l, const char *before, const char *word)
{
    size_t room = sizeof l->text - l->used;
    int    put = mb_format_(l->text + l->used, room, "%s%.20s", before, word);

    if (put > 0)
        l->used += (size_t)put < room ? (size_t)put : room - 1;
}

/* "{1, 2, 5, 7, ... 12 nodes}" */
static void add_component(line *l, const mb_graph *g, const char *const *id, const int32_t *part,
                          int32_t which)
{
    char    number[32];
    int32_t nodes = 0;

    for (int32_t i = 0; i < g->n; i++) {
        if (part[i] != which)
            continue;
        mb_format_(number, sizeof number, "%d", i + 1);
        if (nodes++ < SHOWN_NODES)
            add(l, nodes > 1 ? ", " : which ? ", {" : "{", id ? id[i] : number);
    }
    mb_format_(number, sizeof number, "%d nodes", nodes);
    if (nodes > SHOWN_NODES)
        add(l, ", ... ", number);
    add(l, "}", "");
}

mb_status mb_graph_check_connected(mb_arena *a, const mb_graph *g, const char *const *id,
                                   mb_err *err)
{
    int32_t *part, count;
    line     l = {.used = 0};

    MB_NEW(part, a, g->n, err);
    MB_TRY(mb_graph_components(a, g, part, &count, err));
    if (count == 1)
        return MB_OK;
    for (int32_t c = 0; c < count && c < SHOWN_COMPONENTS; c++)
        add_component(&l, g, id, part, c);
    if (count > SHOWN_COMPONENTS)
        add(&l, ", ...", "");
    MB_FAIL(err, MB_E_ARG, "the network is not connected: %d components: %s", count, l.text);
}

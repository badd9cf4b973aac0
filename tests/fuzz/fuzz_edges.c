/* Edge lists, to the connected network they make. */
#include "data/data.h"
#include "fuzz.h"
#include "network/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char  *file = fuzz_file(data, size, size && data[0] == '<' ? ".graphml" : ".csv");
    mb_arena    *a = mb_arena_new(1 << 16);
    mb_err       err = {0};
    mb_edges     e;
    const char **id;
    int32_t     *end, n;
    mb_graph     g;
    mb_status    st = mb_edges_read(a, file, &e, &err);

    fuzz_check(st, &err);
    end = st >= 0 ? mb_alloc(a, 2 * (size_t)e.m + 1, sizeof *end) : NULL;
    if (end) {
        st = mb_ids_index(a, file, 2 * e.m, e.end, end, &id, &n, &err);
        fuzz_check(st, &err);
        if (st >= 0 && n > 0) {
            st = mb_graph_from_edges(a, n, e.m, end, &g, &err);
            fuzz_check(st, &err);
            if (st >= 0)
                fuzz_check(mb_graph_check_connected(a, &g, id, &err), &err);
        }
    }
    mb_arena_free(a);
    return 0;
}

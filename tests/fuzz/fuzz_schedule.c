/* Schedules of a virtual network of four nodes on a ring with a chord. What is accepted passes the
 * check again. */
#include "fuzz.h"
#include "network/graph.h"
#include "virtual/virtual.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int32_t ends[10] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 2};
    mb_arena            *a = mb_arena_new(1 << 16);
    char                *text = mb_alloc(a, size + 1, 1);
    mb_err               err = {0};
    mb_schedule          s;
    mb_graph             g;
    mb_status            st;

    memcpy(text, data, size);
    if (mb_graph_from_edges(a, 4, 5, ends, &g, &err) < 0)
        abort();
    st = mb_schedule_parse(a, "fuzz", text, size, &g, NULL, &s, &err);
    fuzz_check(st, &err);
    if (st >= 0 && mb_schedule_check(a, &s, &g, NULL, &err) < 0)
        abort();
    mb_arena_free(a);
    return 0;
}

/* json_memory.c - memory for jansson, which ignores some failed allocations, reads on with a part of the
 * text missing, and may abort. It never sees one: what malloc refuses comes from a reserve, which is
 * larger than the files that the program reads once memory is short. */
#include "base/app.h"

#include <jansson.h>
#include <stdlib.h>

enum { ROOM = 1 << 14 };
static max_align_t reserve[ROOM];
static size_t      used;

static void *take(size_t n)
{
    const size_t need = n / sizeof *reserve + 1;
    void        *p = malloc(n);

    if (p || need > ROOM - used)
        return p;
    used += need;
    return reserve + used - need;
}

static void give(void *p)
{
    if ((max_align_t *)p < reserve || (max_align_t *)p >= reserve + ROOM)
        free(p);
}

void app_json_begin(void)
{
    json_set_alloc_funcs(take, give);
}

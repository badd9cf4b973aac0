/* handle.c - handles of bindings: made, freed, stopped. */
#include "bind/handle.h"
#include "base/columns.h"
#include "model/kind.h"

#include <string.h>

const char *mb_bind_version(void)
{
    return MB_VERSION;
}

mb_bind *mb_bind_new(const char *model)
{
    mb_arena *a = mb_arena_new(sizeof(mb_bind) + 1024);
    mb_bind  *b = a ? mb_alloc(a, 1, sizeof *b) : NULL;

    if (!b) {
        mb_arena_free(a);
        return NULL;
    }
    b->own = a;
    b->fault.row = b->fault.column = -1;
    b->kind = mb_kind_find(model ? model : MB_KIND_DEFAULT);
    if (!b->kind)
        mb_bind_end_(b,
                     mb_fail_(&b->fault, MB_E_ARG, __FILE__, __LINE__,
                              "model: got \"%.60s\"; expected one of the list \"models\"", model),
                     "model");
    return b;
}

void mb_bind_free(mb_bind *b)
{
    if (!b)
        return;
    for (int32_t k = 0; k < b->nsetting; k++)
        mb_arena_free(b->setting[k].a);
    for (int32_t k = 0; k < MB_BIND_TEXTS_; k++)
        mb_arena_free(b->texts[k].a);
    mb_arena_free(b->network.a);
    mb_arena_free(b->algo_a);
    mb_bind_result_free_(b->now);
    mb_arena_free(b->own);
}

void mb_bind_stop(mb_bind *b)
{
    atomic_store_explicit(&b->stop, 1, memory_order_relaxed);
}

/* larger.c - arrays that grow in an arena. */
#include "data/parse.h"

#include <string.h>

void *mb_larger_(mb_arena *a, const void *from, size_t used, size_t room, size_t size, mb_err *err)
{
    void *to = mb_alloc(a, room, size);

    if (!to)
        mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "out of memory for %zu x %zu bytes", room,
                 size);
    else if (used)
        memcpy(to, from, used * size);
    return to;
}

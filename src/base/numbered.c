/* numbered.c - names for what has none: "1", "2", or "x1", "x2". */
#include "base/format.h"

mb_status mb_numbered_(mb_arena *a, const char *prefix, int32_t n, const char ***out, mb_err *err)
{
    enum { WIDTH = 16 };
    char *block;

    MB_NEW(*out, a, n, err);
    MB_NEW(block, a, (size_t)n * WIDTH, err);
    for (int32_t i = 0; i < n; i++) {
        (*out)[i] = block + (size_t)i * WIDTH;
        mb_format_(block + (size_t)i * WIDTH, WIDTH, "%s%d", prefix, i + 1);
    }
    return MB_OK;
}

/* text.c - formatted text in an arena, and numbered names: "1", "2", or "x1", "x2". */
#include "base/text.h"
#include "base/format.h"

const char *mb_text(mb_arena *a, mb_err *err, const char *fmt, ...)
{
    va_list ap;
    char   *text = NULL;

    va_start(ap, fmt);
    const int len = mb_vformat_(NULL, 0, fmt, ap);

    va_end(ap);
    if (len >= 0)
        text = mb_alloc(a, (size_t)len + 1, 1);
    if (!text) {
        mb_fail_(err, MB_E_NOMEM, __FILE__, __LINE__, "out of memory for a text");
        return NULL;
    }
    va_start(ap, fmt);
    mb_vformat_(text, (size_t)len + 1, fmt, ap);
    va_end(ap);
    return text;
}

mb_status mb_texts_copy(mb_arena *a, int64_t n, const char *const *from, const char *const **to,
                        mb_err *err)
{
    const char **list;

    *to = NULL;
    if (!from)
        return MB_OK;
    MB_NEW(list, a, n, err);
    for (int64_t k = 0; k < n; k++)
        if (!(list[k] = mb_text(a, err, "%s", from[k])))
            return MB_E_NOMEM;
    *to = list;
    return MB_OK;
}

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

/* text.c - formatted text in an arena. */
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

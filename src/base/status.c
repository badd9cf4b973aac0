/* status.c - status texts and the error record. */
#include "base/err.h"
#include "base/format.h"

#include <stdarg.h>
#include <string.h>

const char *mb_status_text(mb_status s)
{
    switch (s) {
#define MB_X(name, value, text)                                                                    \
    case name:                                                                                     \
        return text;
        MB_STATUS_LIST(MB_X)
#undef MB_X
    }
    return "unknown status";
}

mb_status mb_fail_(mb_err *e, mb_status code, const char *file, int line, const char *fmt, ...)
{
    const char *slash = strrchr(file, '/');
    va_list     ap;

    if (!e)
        return code;
    e->code = code;
    e->line = line;
    e->option = NULL;
    e->row = e->column = -1;
    e->file = slash ? slash + 1 : file;
    va_start(ap, fmt);
    mb_vformat_(e->msg, sizeof e->msg, fmt, ap);
    va_end(ap);
    for (char *c = e->msg; *c; c++) /* a message is one line, whatever it quotes */
        if ((unsigned char)*c < ' ')
            *c = '?';
    return code;
}

mb_status mb_err_at_(mb_err *e, mb_status st, const char *option, int64_t row, int32_t column)
{
    if (e) {
        e->option = option;
        e->row = row;
        e->column = column;
    }
    return st;
}

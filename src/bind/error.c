/* error.c - how the last call of a handle ended. */
#include "bind/bind.h"

#include <string.h>

int mb_bind_begin_(mb_bind *b)
{
    if (!b->kind)
        return b->fault.code;
    b->option = "";
    b->row = b->column = -1;
    b->fault = (mb_err){.code = MB_OK};
    if (!b->busy)
        return 0;
    return mb_fail_(&b->fault, MB_E_ARG, __FILE__, __LINE__,
                    "the handle is at work; expected another one in a tick or an algorithm");
}

int mb_bind_end_(mb_bind *b, mb_status st, const char *option)
{
    if (st >= 0)
        return 0;
    b->fault.code = st;
    b->option = option ? option : b->option;
    if (!b->fault.msg[0]) /* of a function that says nothing */
        mb_fail_(&b->fault, st, __FILE__, __LINE__, "%s", mb_status_text(st));
    if (!strncmp(b->fault.msg, "--", 2)) /* as the command line spells an option */
        memmove(b->fault.msg, b->fault.msg + 2, sizeof b->fault.msg - 2);
    return st;
}

int mb_bind_end_named_(mb_bind *b, mb_status st, const char *name)
{
    const size_t room = sizeof b->named - 1;

    if (st < 0) {
        memset(b->named, 0, sizeof b->named);
        memcpy(b->named, name, strlen(name) < room ? strlen(name) : room);
    }
    return mb_bind_end_(b, st, b->named);
}

void mb_bind_forget_(mb_bind *b)
{
    memset(b->array, 0, sizeof b->array);
}

int mb_bind_error(const mb_bind *b, const char **text, const char **option, int64_t *row,
                  int64_t *column)
{
    if (text)
        *text = b->fault.code < 0 ? b->fault.msg : "";
    if (option)
        *option = b->option;
    if (row)
        *row = b->row;
    if (column)
        *column = b->column;
    return b->fault.code;
}

int64_t mb_bind_warnings(const mb_bind *b, const char *const **text)
{
    *text = b->now ? b->now->warning : NULL;
    return b->now ? b->now->nwarning : 0;
}

/* error.c - how the last call of a handle ended. */
#include "bind/handle.h"

#include <string.h>

int mb_bind_begin_(mb_bind *b)
{
    if (!b->kind)
        return b->fault.code;
    b->fault = (mb_err){.code = MB_OK, .row = -1, .column = -1};
    b->inputs = 0;
    if (!b->busy)
        return 0;
    return mb_fail_(&b->fault, MB_E_ARG, __FILE__, __LINE__,
                    "the handle is at work; expected another one in a tick or an algorithm");
}

/* The option of the model that ends in this, as the library calls some numbers of priors. */
static const char *whole_name(const mb_bind *b, const char *part)
{
    for (const mb_opt *row = b->kind->opts; row && row->name; row++) {
        const char *dot = strrchr(row->name, '.');

        if (dot && !strcmp(dot + 1, part))
            return row->name;
    }
    return part;
}

/* What of the caller's the library's error is about: cells are of x or y, side by side. */
static void find_place(const mb_bind *b, mb_err *e)
{
    const int32_t dx = b->inputs ? b->inputs : (int32_t)b->array[MB_BIND_X_].shape[1];

    if (e->option && b->kind)
        e->option = whole_name(b, e->option);
    if (e->option || e->row < 0 || e->column < 0)
        return;
    e->option = e->column < dx ? "x" : "y";
    e->column = e->column >= dx ? e->column - dx : b->inputs ? -1 : e->column;
}

/* 1: an option as the command line spells it begins here, not a word that somebody gave. */
static int is_option(const char *begin, const char *at)
{
    return !strncmp(at, "--", 2) && at[2] >= 'a' && at[2] <= 'z' && (at == begin || at[-1] != '-');
}

void mb_bind_plain_(char *text)
{
    const char *at = text;
    char       *to = text;
    int         quoted = 0;

    while (*at) {
        quoted ^= *at == '"';
        at += !quoted && is_option(text, at) ? 2 : 0;
        *to++ = *at++;
    }
    *to = 0;
}

int mb_bind_end_(mb_bind *b, mb_status st, const char *option)
{
    mb_err *e = &b->fault;

    if (st >= 0) { /* a call that failed meanwhile, in its tick, is not this one */
        *e = (mb_err){.code = MB_OK, .row = -1, .column = -1};
        return 0;
    }
    if (!e->msg[0]) /* of a function that says nothing */
        mb_fail_(e, st, __FILE__, __LINE__, "%s", mb_status_text(st));
    e->code = st;
    if (option)
        e->option = option;
    else if (!strncmp(e->msg, "--formula", 9))
        e->option = "formula";
    else
        find_place(b, e);
    mb_bind_plain_(e->msg);
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

int mb_bind_end_forget_(mb_bind *b, mb_status st)
{
    const int end = mb_bind_end_(b, st, NULL);

    mb_bind_forget_(b);
    return end;
}

int mb_bind_error(const mb_bind *b, const char **text, const char **option, int64_t *row,
                  int64_t *column)
{
    if (text)
        *text = b->fault.code < 0 ? b->fault.msg : "";
    if (option)
        *option = b->fault.option ? b->fault.option : "";
    if (row)
        *row = b->fault.row;
    if (column)
        *column = b->fault.column;
    return b->fault.code;
}

int64_t mb_bind_warnings(const mb_bind *b, const char *const **text)
{
    *text = b->now ? b->now->warning : NULL;
    return b->now ? b->now->nwarning : 0;
}

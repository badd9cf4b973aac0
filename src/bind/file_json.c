/* file_json.c - posteriors of handles as JSON, written and read. */
#include "bind/handle.h"

#include <string.h>

static mb_status write(mb_bind *b, int32_t node, const char **text, size_t *n, mb_err *err)
{
    mb_provenance from;
    mb_posterior  p;
    mb_arena     *a;
    char         *bytes;

    MB_TRY(mb_bind_views_(b, &a, err));
    MB_TRY(mb_bind_posterior_(b, a, node, &p, err));
    from = b->now->from;
    if (node >= 0) {
        from.of = b->now->id[node];
        from.bound = (double)NAN;
    }
    MB_TRY(mb_posterior_text(a, &p, &from, &bytes, n, err));
    *text = bytes;
    return MB_OK;
}

int mb_bind_json(mb_bind *b, int32_t node, const char **text, size_t *n)
{
    const int st = mb_bind_begin_(b);

    *text = NULL;
    *n = 0;
    return st ? st : mb_bind_end_(b, write(b, node, text, n, &b->fault), NULL);
}

static mb_status read(mb_bind *b, const char *text, size_t n, mb_err *err)
{
    mb_bind_result_ *r;
    mb_posterior     p;
    mb_arena        *a;
    mb_status        st;

    MB_TRY(mb_bind_result_new_(&r));
    a = r->a; /* texts of the provenance are there */
    st = mb_posterior_parse(a, text, n, "the text", NULL, &p, &r->from, err);
    if (st >= 0) {
        r->p = p;
        b->kind = p.kind;
        r->learnt = (mb_update_totals){r->from.data_rows, r->from.weight_total, r->from.bound};
    }
    mb_bind_result_take_(b, r, st);
    return st;
}

mb_bind *mb_bind_from_json(const char *text, size_t n)
{
    mb_bind        *b = mb_bind_new(NULL);
    const mb_status st = b ? read(b, text, n, &b->fault) : MB_E_NOMEM;

    if (b && st < 0) {
        b->kind = NULL;
        mb_bind_end_(b, st, NULL);
    }
    return b;
}

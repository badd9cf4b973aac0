/* result.c - what is left of a fit: posteriors with memory of their own, and how it ended. */
#include "bind/handle.h"
#include "fit/case.h"
#include "model/kind.h"
#include "posterior/posterior.h"

#include <math.h>
#include <string.h>

mb_status mb_bind_result_new_(mb_bind_result_ **out)
{
    mb_arena *a = mb_arena_new(1 << 12);

    *out = a ? mb_alloc(a, 1, sizeof **out) : NULL;
    if (!*out) {
        mb_arena_free(a);
        return MB_E_NOMEM;
    }
    **out = (mb_bind_result_){.a = a, .moved = (double)NAN, .disagreement = (double)NAN};
    (*out)->from.bound = (double)NAN;
    return MB_OK;
}

void mb_bind_views_drop_(mb_bind_result_ *r)
{
    if (!r)
        return;
    mb_arena_free(r->views);
    r->views = NULL;
    r->view = NULL;
}

void mb_bind_result_free_(mb_bind_result_ *r)
{
    mb_bind_views_drop_(r);
    if (r)
        mb_arena_free(r->a);
}

void mb_bind_result_take_(mb_bind *b, mb_bind_result_ *r, mb_status st)
{
    mb_bind_result_ *ends = st < 0 ? r : b->now;

    mb_bind_result_free_(ends);
    if (st >= 0)
        b->now = r;
}

mb_status mb_bind_needs_result_(const mb_bind *b, mb_err *err)
{
    if (!b->now)
        MB_FAIL(err, MB_E_ARG, "the handle has no posterior yet; expected a fit before");
    return MB_OK;
}

mb_status mb_bind_views_(mb_bind *b, mb_arena **out, mb_err *err)
{
    MB_TRY(mb_bind_needs_result_(b, err));
    if (!b->now->views)
        b->now->views = mb_arena_new(1 << 12);
    *out = b->now->views;
    return *out ? MB_OK : MB_E_NOMEM;
}

mb_status mb_bind_copy_(mb_arena *a, const mb_posterior *p, mb_posterior *out, mb_err *err)
{
    MB_TRY(mb_posterior_copy(a, p, out, err));
    return out->phi ? MB_OK : mb_posterior_ready(a, out, err);
}

mb_status mb_bind_posterior_(mb_bind *b, mb_arena *a, int32_t node, mb_posterior *out, mb_err *err)
{
    const mb_bind_result_ *r = b->now;

    MB_TRY(mb_bind_needs_result_(b, err));
    *out = r->p;
    if (node == -1)
        return MB_OK;
    if (node < 0 || node >= r->nodes)
        MB_FAIL(err, MB_E_ARG, "node: got %d; expected -1%s", (int)node,
                r->nodes ? " or one of the network" : "");
    if (!r->par[node])
        MB_FAIL(err, MB_E_DOMAIN, "node %d: it is outside the domain, and has no posterior",
                (int)node);
    out->par = r->par[node];
    return mb_posterior_ready(a, out, err);
}

mb_status mb_bind_warn_(mb_bind_result_ *r, const char *text, mb_err *err)
{
    const char **all;
    char        *own;

    if (!text)
        return MB_OK;
    MB_NEW(all, r->a, r->nwarning + 1, err);
    MB_NEW(own, r->a, strlen(text) + 1, err);
    memcpy(own, text, strlen(text));
    mb_bind_plain_(own);
    if (r->nwarning)
        memcpy(all, r->warning, (size_t)r->nwarning * sizeof *all);
    all[r->nwarning++] = own;
    r->warning = all;
    return MB_OK;
}

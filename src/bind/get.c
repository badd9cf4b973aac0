/* get.c - what a handle says of its result. */
#include "base/text.h"
#include "bind/handle.h"
#include "formula/design.h"
#include "model/kind.h"

#include <math.h>
#include <string.h>

enum { POSTERIOR, PRIOR, SKLEARN, PLACES };
static const char prefix[PLACES][9] = {"", "prior.", "sklearn."};

static mb_status make(mb_bind *b, mb_arena *a, int32_t node, int32_t of, mb_bind_view_ *v,
                      mb_err *err)
{
    const mb_bind_result_ *r = b->now;
    const mb_run_info      run = {.settled = -1,
                                  .rounds = r->from.rounds,
                                  .bound = r->from.bound,
                                  .weight_total = r->from.weight_total};
    mb_posterior           p;

    MB_TRY(mb_bind_posterior_(b, a, node, &p, err));
    if (of != SKLEARN)
        return mb_kind_arrays(a, p.kind, &p.size, of == PRIOR ? p.prior_par : p.par, &v->array,
                              &v->n, err);
    if (!p.kind->sklearn)
        MB_FAIL(err, MB_E_NOSUP, "model %s has no estimator of scikit-learn", p.kind->name);
    return p.kind->sklearn(a, &p, &run, &v->array, &v->n, err);
}

/* The arrays of a node, made once. */
static mb_status view(mb_bind *b, int32_t node, int32_t of, const mb_bind_view_ **out, mb_err *err)
{
    mb_arena      *a;
    mb_bind_view_ *v = b->now->view;

    while (v && (v->node != node || v->of != of))
        v = v->next;
    *out = v;
    if (v)
        return MB_OK;
    MB_TRY(mb_bind_views_(b, &a, err));
    MB_NEW(v, a, 1, err);
    *v = (mb_bind_view_){.node = node, .of = of, .next = b->now->view};
    MB_TRY(make(b, a, node, of, v, err));
    b->now->view = v;
    *out = v;
    return MB_OK;
}

/* Names of arrays. */
static mb_status names(mb_arena *a, const mb_bind_view_ *v, mb_array *out, mb_err *err)
{
    const char **list;

    MB_NEW(list, a, v->n, err);
    for (int32_t k = 0; k < v->n; k++)
        list[k] = v->array[k].name;
    *out = (mb_array){.ndim = 1, .shape = {v->n}, .item = MB_ITEM_TEXT, .text = list};
    return MB_OK;
}

/* Numbers of the run: reals, then whole ones from FIRST_WHOLE on. */
enum { FIRST_WHOLE = 4 };
static const struct {
    char   name[16];
    size_t at; /* in a result */
} of_run[] = {{"bound", offsetof(mb_bind_result_, from.bound)},
              {"weight_total", offsetof(mb_bind_result_, from.weight_total)},
              {"moved", offsetof(mb_bind_result_, moved)},
              {"disagreement", offsetof(mb_bind_result_, disagreement)},
              {"rounds", offsetof(mb_bind_result_, from.rounds)},
              {"rows", offsetof(mb_bind_result_, from.data_rows)},
              {"outside", offsetof(mb_bind_result_, outside)},
              {"frames", offsetof(mb_bind_result_, frames)},
              {"bytes", offsetof(mb_bind_result_, bytes)},
              {"n_init", offsetof(mb_bind_result_, n_init)},
              {"at_best", offsetof(mb_bind_result_, at_best)},
              {"nodes", offsetof(mb_bind_result_, nodes)}};

static mb_status number(const mb_bind_result_ *r, mb_arena *a, const char *name, mb_array *out,
                        mb_err *err)
{
    double *x;

    for (size_t k = 0; k < sizeof of_run / sizeof *of_run; k++)
        if (!strcmp(name, of_run[k].name)) {
            const void *at = (const char *)r + of_run[k].at;

            MB_NEW(x, a, 1, err);
            *x = k < FIRST_WHOLE ? *(const double *)at : (double)*(const int64_t *)at;
            *out = (mb_array){.x = x, .item = k < FIRST_WHOLE ? MB_ITEM_REAL : MB_ITEM_INTEGER};
            return MB_OK;
        }
    if (!strcmp(name, "trace") && r->ntrace)
        *out = (mb_array){.ndim = 2, .shape = {r->ntrace, 2}, .x = r->trace};
    else if (!strcmp(name, "distance") && r->nodes)
        *out = (mb_array){.ndim = 1, .shape = {r->nodes}, .x = r->distance};
    else if (!strcmp(name, "links") && r->nodes)
        *out = (mb_array){.ndim = 2, .shape = {r->nlink, 2}, .x = r->link, .item = MB_ITEM_INTEGER};
    else
        return MB_QUIET;
    return MB_OK;
}

/* Texts: one, or a list. */
static mb_status text(mb_bind *b, const char *name, mb_arena *a, mb_array *out, mb_err *err)
{
    const mb_bind_result_ *r = b->now;
    const mb_posterior    *p = &r->p;
    const char            *one = !strcmp(name, "model")       ? p->kind->name
                                 : !strcmp(name, "algorithm") ? r->from.algorithm
                                 : !strcmp(name, "verdict")   ? r->from.verdict
                                                              : NULL;
    const char           **list;

    *out = (mb_array){.item = MB_ITEM_TEXT, .ndim = 1};
    if (one) {
        MB_NEW(list, a, 1, err);
        *list = one;
        *out = (mb_array){.item = MB_ITEM_TEXT, .text = list};
    } else if (!strcmp(name, "columns")) {
        out->text = p->column;
        out->shape[0] = p->size.D;
    } else if (MB_STORED_(!strcmp(name, "inputs") && p->design)) {
        out->text = p->design->column;
        out->shape[0] = p->design->columns;
    } else if (!strcmp(name, "targets") && p->target) {
        out->text = p->target;
        out->shape[0] = mb_kind_targets(p->kind, &p->size);
    } else
        return MB_QUIET;
    return MB_OK;
}

/* Names of the columns of an answer, or of draws. */
static mb_status answer(const mb_posterior *p, mb_arena *a, const char *name, mb_array *out,
                        mb_err *err)
{
    int32_t        n, width;
    const mb_want *want = mb_kind_wants(p->kind, &p->size, &n);
    mb_draws       draws;

    *out = (mb_array){.item = MB_ITEM_TEXT, .ndim = 1};
    if (!strcmp(name, "draws")) {
        MB_TRY(mb_posterior_draws(a, p, &draws, err));
        out->text = draws.name;
        out->shape[0] = draws.columns;
        return MB_OK;
    }
    for (int32_t k = 0; k < n; k++)
        if (!strcmp(mb_want_text(want[k]), name)) {
            MB_TRY(mb_posterior_predict_columns(a, p, want[k], &out->text, &width, err));
            out->shape[0] = width;
            return MB_OK;
        }
    return MB_QUIET;
}

/* An array of the posterior, its prior or of scikit-learn's estimator, or the names of all of one. */
static mb_status parameter(mb_bind *b, mb_arena *a, int32_t node, const char *name, mb_array *out,
                           mb_err *err)
{
    const mb_bind_view_ *v;
    int32_t              of = PLACES - 1;

    while (strncmp(name, prefix[of], strlen(prefix[of])) != 0)
        of--;
    name += strlen(prefix[of]);
    MB_TRY(view(b, node, of, &v, err));
    if (!strcmp(name, "parameters"))
        return names(a, v, out, err);
    for (int32_t k = 0; k < v->n; k++)
        if (!strcmp(v->array[k].name, name) &&
            (v->array[k].x || v->array[k].item == MB_ITEM_TEXT)) {
            *out = v->array[k];
            return MB_OK;
        }
    return MB_QUIET;
}

static mb_status find(mb_bind *b, int32_t node, const char *name, mb_array *out, mb_err *err)
{
    mb_posterior p;
    mb_arena    *a;
    mb_status    st;

    MB_TRY(mb_bind_views_(b, &a, err));
    if (node == -1 && (st = number(b->now, a, name, out, err)) != MB_QUIET)
        return st;
    if ((st = text(b, name, a, out, err)) != MB_QUIET)
        return st;
    if (!strncmp(name, "names.", 6)) {
        MB_TRY(mb_bind_posterior_(b, a, -1, &p, err));
        st = answer(&p, a, name + 6, out, err);
    } else
        st = parameter(b, a, node, name, out, err);
    if (st == MB_QUIET)
        MB_FAIL(err, MB_E_ARG, "get: got \"%.60s\"; there is no such thing in this result", name);
    return st;
}

/* Whole numbers, as such. */
static mb_status integers(mb_bind *b, const mb_array *v, const void **out, mb_err *err)
{
    size_t    n = 1;
    int64_t  *x;
    mb_arena *a;

    for (int32_t k = 0; k < v->ndim; k++)
        n *= (size_t)v->shape[k];
    MB_TRY(mb_bind_views_(b, &a, err));
    MB_NEW(x, a, n + 1, err);
    for (size_t k = 0; k < n; k++)
        x[k] = (int64_t)v->x[k];
    *out = x;
    return MB_OK;
}

int mb_bind_get(mb_bind *b, int32_t node, const char *name, int *type, int32_t *ndim,
                int64_t shape[3], const void **x)
{
    mb_array  v = {.x = NULL};
    mb_status st = (mb_status)mb_bind_begin_(b);

    *type = *ndim = 0;
    *x = NULL;
    if (st)
        return st;
    st = find(b, node, name, &v, &b->fault);
    if (st >= 0) {
        *type = v.item == MB_ITEM_TEXT   ? MB_BIND_TEXT
                : v.item == MB_ITEM_REAL ? MB_BIND_F8
                                         : MB_BIND_I8;
        *ndim = v.ndim;
        memcpy(shape, v.shape, sizeof v.shape);
        *x = v.item == MB_ITEM_TEXT ? (const void *)v.text : (const void *)v.x;
    }
    if (st >= 0 && *type == MB_BIND_I8)
        st = integers(b, &v, x, &b->fault);
    return mb_bind_end_named_(b, st, name);
}

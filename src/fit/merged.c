/* merged.c - the case of a merge of components, and merges that are over, in the caller's store. */
#include "base/format.h"
#include "base/rows.h"
#include "expfam/expfam.h"
#include "fit/case.h"
#include "fit/fit.h"
#include "model/kind.h"
#include "model/model.h"

#include <string.h>

/* The numbers of m's layout (par, in two units) without the last component, and the model, whose
 * prior is still another one. */
static mb_status without_last(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                              const mb_model *m, double *par[2], mb_model *out, mb_err *err)
{
    for (int u = 0; u < 2; u++) {
        const double *all = par[u];

        MB_NEW(par[u], a, m->layout.len, err);
        mb_merge_components(&m->layout, m->K, 0, m->K - 1, NULL, all, par[u]);
    }
    return mb_kind_model(a, kind, size, out, err);
}

mb_status mb_case_left_(mb_arena *a, const mb_case *c, int32_t left, mb_pool *pool, int32_t threads,
                        mb_case *out, mb_err *err)
{
    const mb_model *m = &c->model;
    double         *par[2] = {NULL, c->prior_par}, *scratch; /* run units, data units */
    mb_model       *base = NULL;

    *out = *c;
    MB_NEW(par[0], a, m->layout.len, err);
    MB_NEW(scratch, a, m->layout.scratch, err);
    MB_TRY(mb_to_par(&m->layout, m->prior, par[0], scratch, err));
    while (out->size.K > left) {
        out->size.K--;
        MB_NEW(base, a, 1, err);
        MB_TRY(without_last(a, c->kind, &out->size, m, par, base, err));
        m = base;
    }
    MB_TRY(mb_model_prior(a, par[0], base, err));
    base->scratch = mb_group_scratch_(base, mb_rows_longest(&out->rows[0]));
    out->prior_par = par[1];
    return mb_model_parallel(a, base, pool, threads, &out->model, err);
}

mb_status mb_case_fewer(mb_arena *a, const mb_case *c, mb_pool *pool, int32_t threads, mb_case *out,
                        mb_err *err)
{
    return mb_case_left_(a, c, c->model.K - 1, pool, threads, out, err);
}

/* name: as mb_session_prune has it. */
static const char *unit(int32_t name, char text[32])
{
    mb_format_(text, 32, name < 0 ? "merge" : "merge-of-%d", name);
    return text;
}

mb_status mb_merge_new_(const mb_session *s, const mb_pruned *so_far, double **x, mb_err *err)
{
    const size_t L = s->c->model.layout.len;

    MB_NEW(*x, s->own, MB_MERGE_PHI_ + L, err);
    (*x)[MB_MERGE_ROUNDS_] = (double)s->state.t;
    (*x)[MB_MERGE_TRIED_] = so_far->tried;
    (*x)[MB_MERGE_LOST_] = (double)so_far->rounds;
    memcpy(*x + MB_MERGE_PHI_, s->state.phi_star, L * sizeof **x);
    return MB_OK;
}

mb_status mb_merge_put_(const mb_session *s, int32_t name, int32_t number, const double *x,
                        mb_err *err)
{
    char text[32];

    return mb_store_put_(s->how.store, unit(name, text), number, x,
                         MB_MERGE_PHI_ + s->c->model.layout.len, err);
}

mb_status mb_merge_find_(const mb_session *s, mb_arena *a, int32_t name, const mb_case **c,
                         double **x, mb_err *err)
{
    char      text[32];
    mb_status st = MB_OK;

    for (int32_t k = 1; st == MB_OK && mb_parts_weights_(&(*c)->model); k++) {
        mb_case *next;
        double  *own;
        size_t   n;

        MB_NEW(next, a, 1, err);
        MB_TRY(mb_case_fewer(a, *c, s->how.pool, s->how.threads, next, err));
        n = MB_MERGE_PHI_ + next->model.layout.len;
        MB_NEW(own, a, n, err);
        st = mb_store_get_(s->how.store, unit(name, text), k, own, n, err);
        *c = st == MB_OK ? next : *c;
        *x = st == MB_OK ? own : *x;
    }
    return st < 0 ? st : MB_OK;
}

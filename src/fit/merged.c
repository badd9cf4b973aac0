/* merged.c - the case of a merge of components, and merges that are over, in the caller's store. */
#include "base/format.h"
#include "fit/fit.h"

#include <string.h>

mb_status mb_case_fewer(mb_arena *a, const mb_case *c, mb_pool *pool, int32_t threads, mb_case *out,
                        mb_err *err)
{
    const mb_layout *l = &c->model.layout;
    const int32_t    K = c->model.K;
    double          *par, *fewer, *scratch, *data_units;
    mb_model        *base;

    *out = *c;
    out->size.K = K - 1;
    MB_NEW(base, a, 1, err);
    MB_NEW(par, a, l->len, err);
    MB_NEW(fewer, a, l->len, err);
    MB_NEW(data_units, a, l->len, err);
    MB_NEW(scratch, a, l->scratch, err);
    MB_TRY(c->kind->model(a, &out->size, base, err));
    MB_TRY(mb_to_par(l, c->model.prior, par, scratch, err));
    mb_merge_components(l, K, 0, K - 1, NULL, par, fewer);
    mb_merge_components(l, K, 0, K - 1, NULL, c->prior_par, data_units);
    MB_TRY(mb_model_prior(a, fewer, base, err));
    out->prior_par = data_units;
    return mb_model_parallel(a, base, pool, threads, &out->model, err);
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

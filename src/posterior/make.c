/* make.c - a posterior from its parameters: canonical order, data units, and the units in which it
 * computes. */
#include "base/format.h"
#include "base/text.h"
#include "expfam/expfam.h"
#include "formula/design.h"
#include "model/components.h"
#include "model/kind.h"
#include "model/model.h"
#include "model/prior.h"
#include "posterior/posterior.h"

#include <string.h>

int32_t mb_posterior_columns(const mb_posterior *p)
{
    return mb_kind_columns(p->kind, &p->size);
}

mb_status mb_posterior_order(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                             const double *par, int32_t *order, mb_err *err)
{
    mb_components c;

    for (int32_t k = 0; k < size->K; k++)
        order[k] = k;
    if (!mb_kind_has_components(kind))
        return MB_OK;
    MB_TRY(mb_components_make(a, kind, size, par, &c, err));
    for (int32_t k = 1; k < size->K; k++)
        for (int32_t j = k; j > 0 && mb_components_less(&c, order[j], order[j - 1]); j--) {
            const int32_t swap = order[j];

            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    return MB_OK;
}

/* Middle and spread of the columns as the posterior knows them. */
static mb_status own_units(mb_arena *a, mb_posterior *p, mb_err *err)
{
    mb_components c;

    if (p->kind->own_units)
        p->kind->own_units(&p->size, p->par, &p->units);
    if (!mb_kind_has_components(p->kind))
        return MB_OK;
    MB_TRY(mb_components_make(a, p->kind, &p->size, p->par, &c, err));
    mb_components_units(&c, &p->units);
    mb_kind_units(p->kind, &p->size, &p->units);
    return MB_OK;
}

mb_status mb_posterior_move(mb_arena *a, const mb_posterior *p, const double *par, double *phi,
                            mb_err *err)
{
    const mb_layout *l = &p->model->layout;
    double          *moved, *scratch, A;

    MB_NEW(moved, a, l->len, err);
    MB_NEW(scratch, a, l->scratch, err);
    memcpy(moved, par, l->len * sizeof *moved);
    MB_TRY(mb_par_to_units_(a, l, NULL, &p->units, moved, err));
    if (mb_from_par(l, moved, phi, NULL) < 0 || mb_moments(l, phi, NULL, &A, scratch, NULL) < 0)
        MB_FAIL(err, MB_E_DOMAIN,
                "%s: double precision cannot hold these parameters together: the distance between "
                "components is too large for their width, or a number is too small or too large",
                p->name);
    return MB_OK;
}

mb_status mb_posterior_model_(mb_arena *a, mb_posterior *p, mb_err *err)
{
    mb_model *m;

    MB_NEW(m, a, 1, err);
    MB_TRY(mb_kind_model(a, p->kind, &p->size, m, err));
    p->model = m;
    p->len = m->layout.len;
    return MB_OK;
}

mb_status mb_posterior_ready(mb_arena *a, mb_posterior *p, mb_err *err)
{
    const int32_t d = mb_posterior_columns(p);

    MB_TRY(mb_posterior_model_(a, p, err));
    p->units = (mb_units){.d = d};
    MB_NEW(p->units.origin, a, d, err);
    MB_NEW(p->units.scale, a, d, err);
    for (int32_t k = 0; k < d; k++)
        p->units.scale[k] = 1;
    MB_TRY(own_units(a, p, err));
    MB_NEW(p->phi, a, p->model->layout.len, err);
    return mb_posterior_move(a, p, p->par, p->phi, err);
}

mb_status mb_posterior_make(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                            const double *par, mb_posterior *out, mb_err *err)
{
    static const char *const y[] = {"y"};
    const int32_t            targets = mb_kind_targets(kind, size);
    const char             **column;

    *out = (mb_posterior){.kind = kind, .size = *size, .name = "the posterior", .par = par};
    MB_TRY(mb_posterior_model_(a, out, err));
    MB_TRY(mb_numbered_(a, "x", size->D, &column, err));
    out->column = column;
    if (targets > 1)
        MB_TRY(mb_numbered_(a, "y", targets, &column, err));
    out->target = targets > 1 ? column : targets ? y : NULL;
    return mb_posterior_ready(a, out, err);
}

mb_status mb_posterior_of(mb_arena *a, const mb_kind *kind, const mb_sizes *size,
                          const mb_model *model, const mb_units *run, const double *phi,
                          const int32_t *order, mb_posterior *out, mb_err *err)
{
    const mb_layout *l = &model->layout;
    double          *par, *sorted, *scratch;
    int32_t         *canonical;
    mb_model        *own;

    MB_NEW(own, a, 1, err);
    *own = *model;
    *out = (mb_posterior){
        .kind = kind, .size = *size, .name = "the posterior", .model = own, .len = l->len};
    MB_NEW(par, a, l->len, err);
    MB_NEW(sorted, a, l->len, err);
    MB_NEW(scratch, a, l->scratch + mb_canonical_len_(model), err);
    MB_TRY(mb_to_par(l, mb_canonical_of_(model, phi, scratch + l->scratch), par, scratch, err));
    mb_move_par(l, run->origin, run->scale, par);
    if (!order) {
        MB_NEW(canonical, a, size->K, err);
        MB_TRY(mb_posterior_order(a, kind, size, par, canonical, err));
        order = canonical;
    }
    mb_permute(l, size->K, order, par, sorted);
    out->par = sorted;
    return MB_OK;
}

static mb_status copy_columns(mb_arena *a, const mb_columns **c, mb_err *err)
{
    mb_columns *out;

    if (!*c)
        return MB_OK;
    MB_NEW(out, a, 1, err);
    MB_TRY(mb_columns_make(a, (*c)->d, (*c)->of, out, err));
    *c = out;
    return MB_OK;
}

static mb_status copy_numbers(mb_arena *a, size_t n, const double **x, mb_err *err)
{
    double *out;

    if (!*x)
        return MB_OK;
    MB_NEW(out, a, n, err);
    memcpy(out, *x, n * sizeof *out);
    *x = out;
    return MB_OK;
}

mb_status mb_posterior_copy(mb_arena *a, const mb_posterior *p, mb_posterior *out, mb_err *err)
{
    mb_posterior own = {
        .kind = p->kind, .size = p->size, .len = p->len, .par = p->par, .prior_par = p->prior_par};

    own.name = mb_text(a, err, "%s", p->name);
    if (!own.name)
        return MB_E_NOMEM;
    MB_TRY(copy_columns(a, &own.size.columns, err));
    MB_TRY(mb_texts_copy(a, p->size.D, p->column, &own.column, err));
    MB_TRY(mb_texts_copy(a, mb_kind_targets(p->kind, &p->size), p->target, &own.target, err));
    MB_TRY(copy_numbers(a, p->len, &own.par, err));
    MB_TRY(copy_numbers(a, p->len, &own.prior_par, err));
    if (MB_STORED_(p->design != NULL))
        MB_TRY(mb_design_copy(a, p->design, &own.design, err));
    MB_TRY(p->phi ? mb_posterior_ready(a, &own, err) : mb_posterior_model_(a, &own, err));
    *out = own;
    return MB_OK;
}

/* genesis_posterior.c - the genesis from an earlier answer: its prior, its own middle and spread as
 * units, its means as centres. */
#include "fit/fit.h"
#include "mesh/genesis.h"
#include "model/components.h"
#include "model/kind.h"
#include "model/prior.h"

#include <math.h>
#include <string.h>

/* Where its components are; nothing of a kind without. */
static mb_status centres(mb_arena *a, const mb_posterior *p, double *out, mb_err *err)
{
    mb_components c;

    if (!mb_kind_has_components(p->kind))
        return MB_OK;
    if (!mb_kind_has_components(p->kind))
        MB_FAIL(err, MB_E_NOSUP,
                "%s: model %s does not say where its components are (mb_kind::component)", p->name,
                p->kind->name);
    MB_TRY(mb_components_make(a, p->kind, &p->size, p->par, &c, err));
    mb_components_centres(&c, out);
    return MB_OK;
}

mb_status mb_genesis_of_posterior(mb_arena *a, const mb_posterior *p, mb_genesis *out, mb_err *err)
{
    mb_case      c = {.kind = p->kind, .size = p->size};
    const char **column;
    double      *par, *start;
    size_t       bytes;
    mb_model     own;
    mb_status    st;

    if (!p->prior_par)
        MB_FAIL(err, MB_E_ARG, "%s: its prior is not known", p->name);
    MB_NEW(column, a, p->units.d + 1, err);
    memcpy(column, p->column, (size_t)p->size.D * sizeof *column);
    for (int32_t t = 0; t < mb_kind_targets(p->kind, &p->size); t++)
        column[p->size.D + t] = p->target[t];
    c.table.column = column;
    MB_TRY(mb_earlier_units_(a, p, &c.run, err));
    c.agreed = c.run;
    MB_TRY(mb_kind_model(a, p->kind, &p->size, &c.model, err));
    bytes = c.model.layout.len * sizeof *par;
    MB_NEW(par, a, c.model.layout.len, err);
    MB_NEW(c.prior_par, a, c.model.layout.len, err);
    memcpy(par, p->prior_par, bytes);
    memcpy(c.prior_par, p->prior_par, bytes);
    MB_TRY(mb_par_to_units_(a, &c.model.layout, NULL, &c.run, par, err));
    st = mb_model_prior(a, par, &c.model, err);
    if (st < 0 && st != MB_E_NOMEM)
        MB_FAIL(err, MB_E_DOMAIN, "%s: double precision cannot hold its prior in its own units",
                p->name);
    MB_TRY(st);
    MB_NEW(start, a, mb_genesis_start_len_(p->kind, &p->size) + 1, err);
    MB_TRY(centres(a, p, start, err));
    MB_TRY(mb_genesis_of_case(a, &c, start, out, err));
    return mb_genesis_check_(a, out, &own, err);
}

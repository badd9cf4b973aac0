/* summary.c - the parts of a posterior for people, also of kinds that have no function for it. */
#include "base/columns.h"
#include "base/text.h"
#include "model/components.h"
#include "model/kind.h"

#include <math.h>

/* Names of the quantities: "sex=f" for the levels of a category. */
static mb_status names(mb_arena *a, const mb_posterior *p, const char **name, mb_err *err)
{
    for (int32_t d = 0; d < mb_posterior_columns(p); d++) {
        const int category = mb_columns_kind(p->size.columns, d) == MB_COLUMN_CATEGORY;

        if (!category)
            *name++ = d < p->size.D ? p->column[d] : p->target[d - p->size.D];
        for (int32_t l = 0; category && l < p->size.columns->of[d].levels; l++) {
            *name = mb_text(a, err, "%s=%s", p->column[d], p->size.columns->of[d].level[l]);
            if (!*name++)
                return MB_E_NOMEM;
        }
    }
    return MB_OK;
}

/* Standard deviations among the rows of each component; shares have none. */
static void deviations(const mb_components *c, double *sd)
{
    const mb_sizes *s = c->size;

    for (int32_t d = 0; d < c->d; d++) {
        const int share = mb_columns_kind(s->columns, d) >= MB_COLUMN_CATEGORY;

        for (int32_t l = 0; l < mb_column_quantities(s->columns, d); l++)
            for (int32_t k = 0; k < s->K; k++) {
                const int32_t at = k * c->n + c->first[d] + l;

                sd[at] = share ? (double)NAN : sqrt(c->variance[at]);
            }
    }
}

/* Weights, means and standard deviations. A component's rows are what its concentration, the first
 * number of its weight, has gained on the prior's. */
static mb_status components(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const size_t  K = (size_t)p->size.K;
    const size_t  entry = mb_kind_weights(p->kind, &p->size)->weights->entry;
    mb_components c;
    const char  **name;
    double       *count, *sd;

    MB_TRY(mb_components_make(a, p->kind, &p->size, p->par, &c, err));
    MB_NEW(name, a, c.n, err);
    MB_NEW(count, a, K, err);
    MB_NEW(sd, a, K * (size_t)c.n, err);
    MB_TRY(names(a, p, name, err));
    deviations(&c, sd);
    for (size_t k = 0; k < K; k++)
        count[k] =
            p->prior_par ? fmax(0, p->par[k * entry] - p->prior_par[k * entry]) : (double)NAN;
    *out = (mb_summary){.part = "component",
                        .rows = p->size.K,
                        .columns = c.n,
                        .name = name,
                        .weight = c.share,
                        .count = count,
                        .mean = c.mean,
                        .sd = sd};
    return MB_OK;
}

/* The lists among the fields, side by side: as many entries as the first of them has. */
static mb_status lists(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    mb_array    *all, *list[MB_FIELDS_MAX];
    const char **name;
    double      *mean;
    int32_t      count, n = 0;

    MB_TRY(mb_kind_arrays(a, p->kind, &p->size, p->par, &all, &count, err));
    for (int32_t k = 0; k < count; k++)
        if (all[k].ndim == 1 && all[k].x && (!n || all[k].shape[0] == list[0]->shape[0]))
            list[n++] = &all[k];
    *out = (mb_summary){.part = "parameter", .columns = n};
    if (!n)
        return MB_OK;
    out->rows = (int32_t)list[0]->shape[0];
    out->label = out->rows == p->size.D ? p->column : NULL;
    MB_NEW(name, a, n, err);
    MB_NEW(mean, a, (size_t)out->rows * (size_t)n, err);
    for (int32_t k = 0; k < n; k++) {
        name[k] = list[k]->name;
        for (int32_t j = 0; j < out->rows; j++)
            mean[j * n + k] = list[k]->x[j];
    }
    out->name = name;
    out->mean = mean;
    return MB_OK;
}

mb_status mb_posterior_summary(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    *out = (mb_summary){.part = NULL};
    if (mb_kind_has_components(p->kind))
        MB_TRY(components(a, p, out, err));
    if (p->kind->summary)
        MB_TRY(p->kind->summary(a, p, out, err));
    else if (!mb_kind_has_components(p->kind))
        MB_TRY(lists(a, p, out, err));
    if (!out->counted)
        out->counted = mb_kind_grouped(p->kind, &p->size) ? "groups" : "rows";
    return MB_OK;
}

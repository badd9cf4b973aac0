/* summary.c - the parts of a posterior for people, also of kinds that have no function for it. */
#include "model/kind.h"

#include <math.h>

/* Weight, means and standard deviations of the components, column by column. */
static mb_status components(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const size_t  D = (size_t)p->size.D, K = (size_t)p->size.K;
    mb_component *on;
    double       *weight, *mean, *sd;

    MB_NEW(on, a, K, err);
    MB_NEW(weight, a, K, err);
    MB_NEW(mean, a, K * D, err);
    MB_NEW(sd, a, K * D, err);
    for (size_t d = 0; d < D; d++) {
        p->kind->components_on(&p->size, p->par, (int32_t)d, (int32_t)d, on);
        for (size_t k = 0; k < K; k++) {
            weight[k] = on[k].weight;
            mean[k * D + d] = on[k].mean[0];
            sd[k * D + d] = sqrt(on[k].cov[0]);
        }
    }
    *out = (mb_summary){.part = "component",
                        .rows = p->size.K,
                        .columns = p->size.D,
                        .name = p->column,
                        .weight = weight,
                        .mean = mean,
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
    if (p->kind->components_on)
        MB_TRY(components(a, p, out, err));
    if (p->kind->summary)
        MB_TRY(p->kind->summary(a, p, out, err));
    else if (!p->kind->components_on)
        MB_TRY(lists(a, p, out, err));
    out->counted = mb_kind_grouped(p->kind, &p->size) ? "groups" : "rows";
    return MB_OK;
}

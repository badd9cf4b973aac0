/* linreg_tables.c - tables of the coefficients of a regression, for people. */
#include "base/text.h"
#include "model/kind.h"
#include "model/linreg_par.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <math.h>

/* Targets, or levels of a category but the first. */
static int32_t sets(const mb_posterior *p)
{
    const mb_column *levels = mb_kind_levels(p->kind, &p->size);

    return levels ? levels->levels - 1 : mb_linreg_T_(p->size.targets);
}

/* What each coefficient is called; where there are several sets of them, the target's or the level's
 * name precedes it. */
static mb_status labels(mb_arena *a, const mb_posterior *p, const char *const **out, mb_err *err)
{
    const int32_t    first = p->size.intercept, n = mb_linreg_coefficients_(&p->size);
    const mb_column *levels = mb_kind_levels(p->kind, &p->size);
    const int32_t    T = sets(p);
    const char     **name;

    MB_NEW(name, a, (size_t)T * (size_t)n, err);
    *out = name;
    for (int32_t t = 0; t < T; t++)
        for (int32_t j = 0; j < n; j++, name++) {
            *name = j < first ? "(intercept)" : p->column[j - first];
            if (levels || T > 1)
                *name =
                    mb_text(a, err, "%s: %s", levels ? levels->level[t + 1] : p->target[t], *name);
            if (!*name)
                return MB_E_NOMEM;
        }
    return MB_OK;
}

/* Coefficients of all of them. */
static int32_t count(const mb_posterior *p)
{
    return mb_linreg_coefficients_(&p->size) * sets(p);
}

mb_status mb_coefficients_beside_(mb_arena *a, const mb_posterior *p, const double *mean,
                                  const double *other, const double *scale, mb_listing *out,
                                  mb_err *err)
{
    static const mb_listed column[] = {{"coefficient", 's', 18, 18},
                                       {"mean", 'g', 18, 6},
                                       {"other_mean", 'g', 18, 6},
                                       {"distance_in_scales", 'g', 18, 6}};
    const int32_t          n = count(p);
    double                *x;

    *out = (mb_listing){.rows = n, .columns = 4, .column = column};
    MB_NEW(x, a, 4 * (size_t)n, err);
    out->x = x;
    MB_TRY(labels(a, p, &out->label, err));
    for (int32_t j = 0; j < n; j++, x += 4) {
        x[1] = mean[j];
        x[2] = other[j];
        x[3] = fabs(x[1] - x[2]) / scale[j];
    }
    return MB_OK;
}

mb_status mb_coefficients_(mb_arena *a, const mb_posterior *p, const double *mean,
                           const double *scale, double reach, mb_summary *out, mb_err *err)
{
    const int32_t n = count(p);
    const char  **target;
    double       *low, *high;

    MB_NEW(target, a, 1, err);
    MB_NEW(low, a, n, err);
    MB_NEW(high, a, n, err);
    *target = p->size.targets > 1 ? "the target" : p->target[0];
    *out = (mb_summary){.part = "coefficient",
                        .rows = n,
                        .columns = 1,
                        .name = target,
                        .mean = mean,
                        .low = low,
                        .high = high};
    for (int32_t j = 0; j < n; j++) {
        low[j] = mean[j] - reach * scale[j];
        high[j] = mean[j] + reach * scale[j];
    }
    return labels(a, p, &out->label, err);
}

mb_status mb_linreg_beside_(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                            const int32_t *other, mb_listing *out, mb_err *err)
{
    double *scale;

    (void)other;
    MB_NEW(scale, a, count(p), err);
    MB_TRY(mb_linreg_scales_of_(a, &p->size, p->par, scale, err));
    return mb_coefficients_beside_(a, p, mb_linreg_mean_(&p->size, p->par, 0),
                                   mb_linreg_mean_(&q->size, q->par, 0), scale, out, err);
}

/* "noise: sd 0.3, 50 degrees of freedom", sd being sqrt(b/a), the residual standard error of least
 * squares where the prior is the reference prior; of several targets "noise: sd y1 0.3, y2 4, ..".
 * Another prior counts as rows, which makes intervals shorter: then the number without it is named. */
static mb_status note(mb_arena *a, const mb_posterior *p, const char **out, mb_err *err)
{
    const double  dof = 2 * p->par[PAR_A], coefficients = mb_linreg_coefficients_(&p->size);
    const double  extra = p->prior_par ? 2 * p->prior_par[PAR_A] + coefficients : 0;
    const int32_t T = mb_linreg_T_(p->size.targets);

    *out = "noise: sd";
    for (int32_t t = 0; t < T && *out; t++) {
        const double sd = sqrt(p->par[PAR_B + t] / p->par[PAR_A]);

        *out = T == 1 ? mb_text(a, err, "%s %#.3g", *out, sd)
                      : mb_text(a, err, "%s %s %#.3g", *out, p->target[t], sd);
        if (*out && T > 1 && t + 1 < T)
            *out = mb_text(a, err, "%s,", *out);
    }
    if (*out)
        *out = mb_text(a, err, "%s, %.6g degrees of freedom", *out, dof);
    if (*out && fabs(extra) > 1e-9)
        *out = mb_text(a, err, "%s (rows less coefficients: %.6g)", *out, dof - extra);
    return *out ? MB_OK : MB_E_NOMEM;
}

/* A coefficient's marginal is Student's t: its interval, and its standard deviation where it has
 * one (more than 2 degrees of freedom). */
mb_status mb_linreg_summary_(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const int32_t n = count(p);
    const double  dof = 2 * p->par[PAR_A], t = mb_student_quantile(dof, 0.975);
    const double  spread = dof > 2 ? sqrt(dof / (dof - 2)) : (double)NAN;
    double       *sd;

    MB_NEW(sd, a, n, err);
    MB_TRY(mb_linreg_scales_of_(a, &p->size, p->par, sd, err));
    MB_TRY(mb_coefficients_(a, p, mb_linreg_mean_(&p->size, p->par, 0), sd, t, out, err));
    out->sd = sd;
    for (int32_t j = 0; j < n; j++)
        sd[j] *= spread;
    return note(a, p, &out->note, err);
}

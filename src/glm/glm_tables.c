/* glm_tables.c - tables of the coefficients of a generalised linear model, for people. */
#include "glm/glm.h"
#include "linreg/linreg_par.h"
#include "model/prior.h"
#include "model/tables.h"

static const double NORMAL_975 = 1.95996398454005424;

mb_status mb_glm_beside_(mb_arena *a, const mb_posterior *p, const mb_posterior *q,
                         const int32_t *other, mb_listing *out, mb_err *err)
{
    double *sd;

    (void)other;
    MB_NEW(sd, a, mb_glm_predictors_(&p->size) * mb_linreg_coefficients_(&p->size), err);
    MB_TRY(mb_glm_sds_(a, &p->size, p->par, sd, err));
    return mb_coefficients_beside_(a, p, p->par, q->par, sd, out, err);
}

mb_status mb_glm_summary_(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    static const char *const linear[] = {"log odds", "log mean", "log odds"}; /* mb_link */
    const int32_t            n = mb_glm_predictors_(&p->size) * mb_linreg_coefficients_(&p->size);
    const mb_column         *levels = mb_glm_levels_(&p->size);
    const char             **of;
    double                  *sd;

    MB_NEW(of, a, 1, err);
    MB_NEW(sd, a, n, err);
    MB_TRY(mb_glm_sds_(a, &p->size, p->par, sd, err));
    MB_TRY(mb_coefficients_(a, p, p->par, sd, NORMAL_975, out, err));
    out->sd = sd;
    *of = mb_text(a, err, "%s of %s", linear[p->size.choice[0]], p->target[0]);
    out->name = of;
    out->note = mb_text(a, err, "link %s%s%.60s%s", mb_kind_word(p->kind, &p->size, 0),
                        levels ? "; coefficients of each level against \"" : "",
                        levels ? levels->level[0] : "", levels ? "\"" : "");
    return *of && out->note ? MB_OK : MB_E_NOMEM;
}

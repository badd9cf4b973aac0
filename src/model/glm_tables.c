/* glm_tables.c - tables of the coefficients of a generalised linear model, for people. */
#include "base/text.h"
#include "model/glm.h"
#include "model/kind.h"
#include "model/linreg_par.h"
#include "model/prior.h"
#include "model/tables.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

enum { NAMED = 4 /* coefficients of a warning, at most */ };
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

/* The share of the prior in what is known of a coefficient, and its distance from the prior's mean in
 * standard deviations of the prior, both along the line on which the others follow it. Where the
 * maximum of the likelihood is at infinity these are large: the bounds are those measured at priors
 * of standard deviations 10 to 1000 (docs/math.md, section 21). Nearly all of the share is the
 * prior's where rows say nothing: that posterior is the prior, a Gaussian whose interval is right. */
static const double SHARE = 0.02, FAR_SHARE = 0.0025, FAR = 0.5, NOTHING = 0.99;

typedef struct known {
    int32_t       n;            /* coefficients             */
    const double *R;            /* n x n: chol(P)^-1        */
    const double *mean, *mean0; /* n: of posterior, prior  */
    const double *P0;           /* of the prior, packed     */
    double       *line;         /* n: a column of P^-1      */
} known;

/* line'P0 line. */
static double square(const known *of)
{
    const double *P = of->P0;
    double        sum = 0;

    for (int32_t i = 0; i < of->n; i++) {
        double row = 0;

        for (int32_t j = 0; j < i; j++)
            row += *P++ * of->line[j];
        sum += of->line[i] * (2 * row + *P++ * of->line[i]);
    }
    return sum;
}

static int is_held(const known *of, int32_t j)
{
    const size_t n = (size_t)of->n;
    double       precision, share;

    memset(of->line, 0, n * sizeof *of->line);
    for (size_t k = (size_t)j; k < n; k++)
        for (size_t i = 0; i <= k; i++)
            of->line[i] += of->R[k * n + (size_t)j] * of->R[k * n + i];
    precision = square(of) / (of->line[j] * of->line[j]);
    share = precision * of->line[j];
    return share < NOTHING &&
           (share > SHARE ||
            (share > FAR_SHARE && fabs(of->mean[j] - of->mean0[j]) * sqrt(precision) > FAR));
}

/* held[j]: 1 where the prior decides how large coefficient j is. */
static mb_status find_held(mb_arena *a, const mb_posterior *p, int32_t n, uint8_t *held,
                           mb_err *err)
{
    const double *prior = p->prior_par;
    double       *C, *R, *line;

    MB_NEW(C, a, (size_t)n * (size_t)n, err);
    MB_NEW(R, a, (size_t)n * (size_t)n, err);
    MB_NEW(line, a, n, err);
    if (mb_chol_packed_(p->par + n, n, C) != 0)
        MB_FAIL(err, MB_E_DOMAIN, "par: expected the parameters of a Gaussian posterior");
    mb_chol_inverse_(C, n, R);
    for (int32_t j = 0; j < n; j++)
        held[j] = (uint8_t)is_held(&(known){n, R, p->par, prior, prior + n, line}, j);
    return MB_OK;
}

/* Names the first of them. */
static mb_status warn(mb_arena *a, const mb_posterior *p, mb_summary *out, mb_err *err)
{
    const char *list = "";
    uint8_t    *held;
    int32_t     count = 0;

    if (!p->prior_par)
        return MB_OK;
    MB_NEW(held, a, out->rows, err);
    MB_TRY(find_held(a, p, out->rows, held, err));
    for (int32_t j = 0; j < out->rows && list; j++)
        if (held[j] && count++ < NAMED)
            list = mb_text(a, err, "%s%s\"%.60s\"", list, count > 1 ? ", " : "", out->label[j]);
    if (list && count > NAMED)
        list = mb_text(a, err, "%s and %d more", list, (int)count - NAMED);
    if (!list)
        return MB_E_NOMEM;
    if (!count)
        return MB_OK;
    out->warning = mb_text(a, err,
                           "the prior (--prior.lambda0) decides how large the coefficient%s of %s "
                           "%s: there the %s too short",
                           count > 1 ? "s" : "", list, count > 1 ? "are" : "is",
                           count > 1 ? "intervals are" : "interval is");
    return out->warning ? MB_OK : MB_E_NOMEM;
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
    out->note = mb_text(a, err, "link %s", mb_kind_word(p->kind, &p->size, 0));
    if (out->note && levels && p->size.choice[0] == MB_LINK_LOGISTIC)
        out->note = mb_text(a, err, "%s; coefficients of \"%.60s\" against \"%.60s\"", out->note,
                            levels->level[1], levels->level[0]);
    else if (out->note && levels)
        out->note = mb_text(a, err, "%s; coefficients of each level against \"%.60s\"", out->note,
                            levels->level[0]);
    return *of && out->note ? warn(a, p, out, err) : MB_E_NOMEM;
}

/* glm_par.c - the textbook parameters of a generalised linear model: of each predictor its means, then
 * one precision. */
#include "model/glm.h"
#include "model/prior.h"
#include "num/num.h"

#include <string.h>

const mb_column *mb_glm_levels_(const mb_sizes *s)
{
    const int known = s->choice[0] != MB_LINK_POISSON && s->columns && s->columns->d > s->D;

    return known && s->columns->of[s->D].kind == MB_COLUMN_CATEGORY ? &s->columns->of[s->D] : NULL;
}

/* Sizes that are refused later have one. */
int32_t mb_glm_predictors_(const mb_sizes *s)
{
    const mb_column *levels = s->choice[0] == MB_LINK_MULTINOMIAL ? mb_glm_levels_(s) : NULL;

    return levels && levels->levels > 2 && levels->levels <= MB_GLM_LEVELS_ ? levels->levels - 1
                                                                            : 1;
}

void mb_glm_repeat_(int32_t T, int32_t p, const double *one, double *par)
{
    double *P = par + (size_t)T * (size_t)p;

    memset(P, 0, mb_svec_len_(T * p) * sizeof *P);
    for (int32_t c = 0; c < T; c++)
        for (int32_t i = 0; i < p; i++) {
            par[c * p + i] = one[i];
            for (int32_t j = 0; j <= i; j++)
                P[mb_packed_at_(c * p + i, c * p + j)] = one[p + (int32_t)mb_packed_at_(i, j)];
        }
}

mb_status mb_glm_sds_(mb_arena *a, const mb_sizes *s, const double *par, double *out, mb_err *err)
{
    const size_t n = (size_t)mb_glm_predictors_(s) * ((size_t)s->D + (size_t)s->intercept);
    double      *scratch;

    MB_NEW(scratch, a, 2 * n * n, err);
    if (mb_coefficient_scales_((int32_t)n, par + n, out, scratch) != 0)
        MB_FAIL(err, MB_E_DOMAIN, "par: expected the parameters of a Gaussian posterior");
    return MB_OK;
}

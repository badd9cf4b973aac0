/* linreg_par.c - textbook parameters of a regression: of a prior, and what follows from them. */
#include "model/linreg_par.h"
#include "model/prior.h"
#include "num/num.h"

#include <math.h>
#include <string.h>

static const double relevance0 = 1e-6; /* shape and rate of a relevance's gamma, scikit-learn's */

void mb_linreg_par_(const mb_linreg_opt *o, double *par)
{
    const int32_t p = o->D + o->intercept, T = mb_linreg_T_(o->targets);
    const size_t  all = (size_t)p * (size_t)T;
    double       *Lambda = par + PAR_B + T + all;

    mb_prior_par_(o->a0, o->b0, p, NULL, o->lambda0_matrix, o->lambda0, par);
    memmove(Lambda, par + PAR_M + p, mb_svec_len_(p) * sizeof *par);
    for (int32_t t = 0; t < T; t++)
        par[PAR_B + t] = o->b0;
    for (size_t i = 0; i < all; i++)
        par[PAR_B + (size_t)T + i] = o->m0 ? o->m0[i] : 0;
    for (int32_t j = 0; o->relevance && j < o->D; j++) {
        const int32_t at = j + o->intercept;
        double       *hyper = Lambda + mb_svec_len_(p) + 2 * (size_t)j;

        hyper[0] = hyper[1] = relevance0;
        Lambda[mb_packed_at_(at, at)] = 1; /* their mean */
    }
}

mb_status mb_linreg_scales(int32_t p, const double *par, double *scale, double *scratch,
                           mb_err *err)
{
    if (!(par[0] > 0 && par[1] > 0) || mb_coefficient_scales_(p, par + 2 + p, scale, scratch) != 0)
        MB_FAIL(err, MB_E_DOMAIN, "par: expected the parameters of a normal-gamma posterior");
    for (int32_t j = 0; j < p; j++)
        scale[j] *= sqrt(par[1] / par[0]);
    return MB_OK;
}

/* NaN: an improper prior has none. */
mb_status mb_linreg_scales_of_(mb_arena *a, const mb_sizes *s, const double *par, double *out,
                               mb_err *err)
{
    const int32_t n = mb_linreg_coefficients_(s), T = mb_linreg_T_(s->targets);
    double       *scratch, *root;

    MB_NEW(scratch, a, 2 * (size_t)n * (size_t)n, err);
    MB_NEW(root, a, n, err);
    if (mb_coefficient_scales_(n, mb_linreg_lambda_(s, par), root, scratch) != 0)
        MB_FAIL(err, MB_E_DOMAIN, "par: expected the parameters of a regression's posterior");
    for (int32_t t = 0; t < T; t++)
        for (int32_t j = 0; j < n; j++)
            *out++ = par[PAR_A] > 0 ? root[j] * sqrt(par[PAR_B + t] / par[PAR_A]) : (double)NAN;
    return MB_OK;
}

double mb_linreg_noise_(const double *par, int32_t t)
{
    return par[PAR_A] > 1 ? par[PAR_B + t] / (par[PAR_A] - 1) : (double)NAN;
}
